// Four-character codes: four characters as a u32 whose bytes spell them in a little-endian file.
#pragma once

#include <cstdint>
#include <string>

namespace assetc {

constexpr std::uint32_t fourcc(const char (&text)[5]) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

// Returns the characters, such as "HMSH". If a byte is not printable ASCII, returns a number such as "0x0badf00d".
std::string fourcc_text(std::uint32_t value);

}  // namespace assetc
