// What a string inside one of our files must be before anybody prints it or opens it as a path.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"

namespace assetc::formats {

// Well-formed UTF-8: shortest forms, no surrogates, nothing past U+10FFFF. Source: RFC 3629.
bool is_utf8(std::string_view text);

// Why text is not a path that stays under the output root, or "" if it is one: UTF-8, '/' between non-empty
// segments, none of them "." or "..", no backslash, colon or control character.
std::string_view path_fault(std::string_view path);

// Bytes from position on are all zero: what padding must be.
bool all_zero(ByteSpan bytes);

}  // namespace assetc::formats
