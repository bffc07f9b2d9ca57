// Percent encoding of URLs and URIs. Source: RFC 3986, section 2.1.
#pragma once

#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace assetc {

// The characters besides letters and digits that no URL has to encode.
inline constexpr std::string_view kUnreserved = "-._~";
inline constexpr std::string_view kUnreservedAndSlash = "-._~/";

// plain: the characters that stay, besides ASCII letters and digits.
inline std::string percent_encoded(std::string_view text, std::string_view plain = kUnreserved) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const char lower = ascii_lower(c);
    if (is_digit(c) || (lower >= 'a' && lower <= 'z') || plain.contains(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

}  // namespace assetc
