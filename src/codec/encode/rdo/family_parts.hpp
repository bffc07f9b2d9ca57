// Parts of RdoFamily that several formats share.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "codec/encode/rdo/block_rdo.hpp"

namespace assetc::codec {

inline std::uint64_t word_of(const RdoBytes& block) {
  std::uint64_t word;
  std::memcpy(&word, block.data(), 8);
  return word;
}
inline void set_word(RdoBytes& block, std::uint64_t word) { std::memcpy(block.data(), &word, 8); }

inline BlockTexels load_rgba(const TexelView& image, std::size_t block) {
  BlockTexels texels;
  load_block(image, block, texels);
  return texels;
}

inline BlockTexels load_rgb(const TexelView& image, std::size_t block) {
  BlockTexels texels = load_rgba(image, block);
  for (Rgba8& t : texels) t.a = 255;
  return texels;
}

// Alpha as the first channel and the only one.
inline BlockTexels load_alpha(const TexelView& image, std::size_t block) {
  BlockTexels texels = load_rgba(image, block);
  for (Rgba8& t : texels) t = {t.a, 0, 0, 255};
  return texels;
}

// Channel 0 or 1 of texels of two channels of 16 bits, rounded to 8 bits, as the only one.
template <unsigned kChannel>
BlockTexels load_wide(const TexelView& image, std::size_t block) {
  BlockTexels texels = load_rgba(image, block);
  for (Rgba8& t : texels) {
    const unsigned value = t[2 * kChannel] | static_cast<unsigned>(t[2 * kChannel + 1]) << 8;
    t = {static_cast<std::uint8_t>((value + 128) / 257), 0, 0, 255};
  }
  return texels;
}

}  // namespace assetc::codec
