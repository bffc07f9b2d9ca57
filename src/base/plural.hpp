// Counts in the form that people read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assetc {

std::string count_text(std::uint64_t count);                    // "12,345"
std::string plural(std::uint64_t count, std::string_view one);  // "1 file", "12,345 files"
// "1 byte", "12345 bytes": for errors, whose numbers have no separators, as in the file.
std::string counted(std::uint64_t count, std::string_view one);

}  // namespace assetc
