// The bit layout of ETC and EAC blocks. Internal to their implementation.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "assetc/codec/texel.hpp"

namespace assetc::codec {

// ETC numbers texels column by column, and stores its bytes most significant first.
constexpr unsigned etc_position(unsigned texel) { return (texel & 3) * 4 + (texel >> 2); }

inline std::uint64_t load_big_endian(const std::uint8_t* in) {
  std::uint64_t v;
  std::memcpy(&v, in, 8);
  return std::byteswap(v);
}
inline void store_big_endian(std::uint64_t v, std::uint8_t* out) {
  v = std::byteswap(v);
  std::memcpy(out, &v, 8);
}

// Transposes 16 fields of 2 bits from row order to column order.
constexpr std::uint32_t transpose2(std::uint32_t v) {
  std::uint32_t swap = (v ^ v >> 6) & 0x00cc00ccu;
  v ^= swap ^ swap << 6;
  swap = (v ^ v >> 12) & 0x0000f0f0u;
  return v ^ swap ^ swap << 12;
}
static_assert([] {
  for (unsigned t = 0; t < kBlockTexels; ++t)
    if (transpose2(3u << (2 * t)) != 3u << (2 * etc_position(t))) return false;
  return true;
}());

// The even bits of v, packed together.
constexpr std::uint32_t even_bits(std::uint32_t v) {
  v &= 0x55555555u;
  v = (v | v >> 1) & 0x33333333u;
  v = (v | v >> 2) & 0x0f0f0f0fu;
  v = (v | v >> 4) & 0x00ff00ffu;
  return (v | v >> 8) & 0xffffu;
}

inline std::uint8_t clamp8(int v) { return static_cast<std::uint8_t>(std::clamp(v, 0, 255)); }

constexpr std::uint8_t expand(unsigned v, unsigned bits) {
  return static_cast<std::uint8_t>(v << (8 - bits) | v >> (2 * bits - 8));
}

}  // namespace assetc::codec
