// Hashes as shown in messages.
#pragma once

#include <cstdint>
#include <string>

namespace assetc::runtime {

// 16 lower-case hex digits.
inline std::string hash_text(std::uint64_t hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = kDigits[(hash >> (4 * i)) & 15];
  return text;
}

}  // namespace assetc::runtime
