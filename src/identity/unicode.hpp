// What Unicode says of names of files.
#pragma once

#include <string>
#include <string_view>

namespace assetc::identity {

// Equal for two names that some file system takes for one: those that differ in letter case alone, or in how a letter
// with a mark is written (NFC, NFD). Of a name that is not UTF-8, the letter case of ASCII alone counts. Thread-safe.
// Source: Unicode 15, section 3.13, D145.
std::string file_key(std::string_view name);

}  // namespace assetc::identity
