// Sizes in bytes as people write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::engine {

// "512M", "1G", "1.5GiB", "800000000" (bytes); powers of 1024. Errors: kUsage.
Result<std::uint64_t> parse_size(std::string_view text);
// "512 B", "1.5 KiB", "3.0 GiB".
std::string size_text(std::uint64_t bytes);

}  // namespace assetc::engine
