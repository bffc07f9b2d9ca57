#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace example {

// Four bytes per texel, sRGB; alpha is written as 1. Returns false if the file cannot be written.
bool write_png(const std::string& path, std::uint32_t width, std::uint32_t height, std::span<const std::byte> rgba);

}  // namespace example
