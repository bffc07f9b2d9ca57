// Unicode rules for file names: comparison and ASCII spelling.
#pragma once

#include <string>
#include <string_view>

namespace assetc::identity {

// A key that is equal for two names that some file system treats as one: names that differ only in letter case, or only
// in Unicode normalization (NFC, NFD). If a name is not UTF-8, only the case of ASCII letters is ignored. Thread-safe.
// Source: Unicode 15, section 3.13, D145.
std::string file_key(std::string_view name);

// A name transliterated to ASCII with Unicode's tables: "Größe" becomes "Grosse", "木" becomes "mu". Characters without
// a transliteration stay. Two names may get the same spelling. A name that is not UTF-8 is returned unchanged.
// Thread-safe. Source: CLDR, Any-Latin and Latin-ASCII.
std::string ascii_spelling(std::string_view name);

}  // namespace assetc::identity
