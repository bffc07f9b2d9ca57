// ICC profiles, written byte by byte.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"

namespace assetc::testing {

// An ICC profile that has only a description: version 2 in ASCII, version 4 in UTF-16.
inline ByteVector icc_profile(std::string_view description, int version = 2) {
  std::string icc(128, '\0');
  const auto u32 = [](std::size_t v) {
    return std::string{static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
                       static_cast<char>(v)};
  };
  std::string tag = "desc" + u32(0) + u32(description.size() + 1) + std::string(description) + '\0';
  if (version == 4) {
    tag = "mluc" + u32(0) + u32(1) + u32(12) + "enUS" + u32(2 * description.size()) + u32(28);
    for (char c : description) tag += {'\0', c};
  }
  icc += u32(2) + "cprt" + u32(0) + u32(0) + "desc" + u32(156) + u32(tag.size()) + tag;
  const ByteSpan bytes = as_bytes(icc);
  return {bytes.begin(), bytes.end()};
}

}  // namespace assetc::testing
