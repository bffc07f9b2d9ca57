// What Unicode says of names of files.
#pragma once

#include <string>
#include <string_view>

namespace assetc::identity {

// Equal for two names that some file system takes for one: those that differ in letter case alone, or in how a letter
// with a mark is written (NFC, NFD). Of a name that is not UTF-8, the letter case of ASCII alone counts. Thread-safe.
// Source: Unicode 15, section 3.13, D145.
std::string file_key(std::string_view name);

// How a name is written in ASCII, as far as Unicode's tables say: "Größe" is "Grosse", "木" is "mu". Other characters
// stay. Two names may be written alike. Of a name that is not UTF-8: the name. Thread-safe. Source: CLDR, Any-Latin and
// Latin-ASCII.
std::string ascii_spelling(std::string_view name);

}  // namespace assetc::identity
