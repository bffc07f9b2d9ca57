// Four characters as the u32 that their bytes spell in a little-endian file.
#pragma once

#include <cstdint>
#include <string>

namespace assetc {

constexpr std::uint32_t fourcc(const char (&text)[5]) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

// "HMSH", or "0x0badf00d" when a byte is not printable ASCII.
std::string fourcc_text(std::uint32_t value);

}  // namespace assetc
