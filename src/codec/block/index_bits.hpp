// The per-texel indices (weights, selectors) of block formats: 16 small numbers. In memory each is a byte. In a block
// they are packed side by side, and the index of a subset's anchor may be stored without its top bit.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "assetc/codec/texel.hpp"

namespace assetc::codec {

using TexelIndices = std::array<std::uint8_t, kBlockTexels>;
// One channel of a block's texels, 0 to 65535.
using ChannelValues16 = std::array<std::uint16_t, kBlockTexels>;

// Unpacks eight indices of 1 to 5 bits, lowest first, to one byte each.
constexpr std::uint64_t spread_indices(std::uint64_t packed, unsigned bits) {
  if (bits == 4) {
    std::uint64_t v = packed & 0xffffffffu;
    v = (v | v << 16) & 0x0000ffff0000ffffu;
    v = (v | v << 8) & 0x00ff00ff00ff00ffu;
    return (v | v << 4) & 0x0f0f0f0f0f0f0f0fu;
  }
  if (bits == 2) {
    std::uint64_t v = packed & 0xffffu;
    v = (v | v << 24) & 0x000000ff000000ffu;
    v = (v | v << 12) & 0x000f000f000f000fu;
    return (v | v << 6) & 0x0303030303030303u;
  }
  if (bits == 3) {
    std::uint64_t v = packed & 0xffffffu;
    v = (v | v << 20) & 0x00000fff00000fffu;
    v = (v | v << 10) & 0x003f003f003f003fu;
    return (v | v << 5) & 0x0707070707070707u;
  }
  if (bits == 5) {
    // The halves of a field are wider than the gap between their targets, so both are masked.
    std::uint64_t v = (packed & 0xfffffu) | (packed & 0xfffff00000u) << 12;
    v = (v & 0x000003ff000003ffu) | (v & 0x000ffc00000ffc00u) << 6;
    return (v & 0x001f001f001f001fu) | (v & 0x03e003e003e003e0u) << 3;
  }
  const std::uint64_t one_bit_each = ((packed & 0xffu) * 0x0101010101010101u) & 0x8040201008040201u;
  return ((one_bit_each + 0x7f7f7f7f7f7f7f7fu) >> 7) & 0x0101010101010101u;
}

// The inverse, for 1 to 5 bits. Requires every byte below 2^bits.
constexpr std::uint64_t gather_indices(std::uint64_t bytes, unsigned bits) {
  // Joins pairs of fields, then pairs of pairs.
  const auto join = [](std::uint64_t v, std::uint64_t first, unsigned apart, unsigned width) {
    return (v & first) | (v & first << apart) >> (apart - width);
  };
  const auto ones = [](unsigned n) { return (std::uint64_t{1} << n) - 1; };
  std::uint64_t v = join(bytes, ones(bits) * 0x0001000100010001u, 8, bits);
  v = join(v, ones(2 * bits) * 0x0000000100000001u, 16, 2 * bits);
  return join(v, ones(4 * bits), 32, 4 * bits);
}

// Packs 16 indices into 16 * bits <= 64 bits.
inline std::uint64_t pack_indices(const std::uint8_t* indices, unsigned bits) {
  std::uint64_t first, second;
  std::memcpy(&first, indices, 8);
  std::memcpy(&second, indices + 8, 8);
  return gather_indices(first, bits) | gather_indices(second, bits) << (8 * bits);
}

// Inserts a 0 bit at position at. The bits from there up move up by one, and bit 63 is lost.
constexpr std::uint64_t insert_zero(std::uint64_t bits, unsigned at) {
  const std::uint64_t below = (std::uint64_t{1} << at) - 1;
  return (bits & below) | (bits & ~below) << 1;
}
// Removes the bit at position at. The bits above it move down by one. at < 64.
constexpr std::uint64_t remove_bit(std::uint64_t bits, unsigned at) {
  const std::uint64_t below = (std::uint64_t{1} << at) - 1;
  return (bits & below) | (bits >> 1 & ~below);
}

}  // namespace assetc::codec
