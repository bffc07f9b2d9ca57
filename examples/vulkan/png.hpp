#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace example {

// Four bytes a texel, sRGB; alpha is taken for 1. False where the file cannot be written.
bool write_png(const std::string& path, std::uint32_t width, std::uint32_t height, std::span<const std::byte> rgba);

}  // namespace example
