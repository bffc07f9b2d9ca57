#pragma once

#include <cstdint>
#include <string>

namespace assetc {

// "512 B", "1.5 KiB", "3.0 GiB": rounded to a tenth.
std::string size_text(std::uint64_t bytes);

}  // namespace assetc
