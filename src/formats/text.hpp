// Checks of strings in assetc files, before they are printed or opened as paths.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"

namespace assetc::formats {

// Returns whether text is well-formed UTF-8: shortest forms, no surrogates, nothing above U+10FFFF. Source: RFC 3629.
bool is_utf8(std::string_view text);

// Returns why text is not a path that stays below the output root, or "" if it is one: UTF-8, '/' between non-empty
// segments, none of them "." or "..", no backslash, colon or control character.
std::string_view path_fault(std::string_view path);

// Returns whether all bytes are zero, as padding must be.
bool all_zero(ByteSpan bytes);

}  // namespace assetc::formats
