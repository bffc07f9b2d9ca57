// Sizes in bytes as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::engine {

// "512M", "1G", "1.5GiB", "800000000" (bytes); powers of 1024. Errors: kUsage.
Result<std::uint64_t> parse_size(std::string_view text);

}  // namespace assetc::engine
