// Decoded pixels: always four interleaved channels, rows tightly packed, top row first.
#pragma once

#include <cstdint>
#include <string>

#include "assetc/base/bytes.hpp"

namespace assetc::scene {

enum class PixelType : std::uint8_t { kU8, kU16, kF32 };

constexpr std::size_t channel_bytes(PixelType type) {
  return type == PixelType::kU8 ? 1 : type == PixelType::kU16 ? 2 : 4;
}

struct Image {
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  PixelType type = PixelType::kU8;
  // The channels of the source: 1 gray (replicated to RGB), 2 gray and alpha, 3 RGB (alpha = full), 4 RGBA.
  std::uint8_t source_channels = 4;
  ByteVector pixels;        // width x height x 4 x channel_bytes(type)
  std::string damage = {};  // what was damaged and guessed, for a warning; empty if the file is intact

  std::size_t row_bytes() const { return std::size_t{width_texels} * 4 * channel_bytes(type); }
};

// Limits that a reader checks before it allocates.
inline constexpr std::uint32_t kMaxImageSide = 32768;
inline constexpr std::uint64_t kMaxImageTexels = 1ull << 29;

}  // namespace assetc::scene
