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
  // Channels the source had: 1 gray (replicated to RGB), 2 gray and alpha, 3 RGB (alpha = full), 4 RGBA.
  std::uint8_t source_channels = 4;
  ByteVector pixels;        // width x height x 4 x channel_bytes(type)
  std::string damage = {};  // what of the file was damaged and guessed at, for a warning; empty where it was whole

  std::size_t row_bytes() const { return std::size_t{width_texels} * 4 * channel_bytes(type); }
};

// Limits a reader checks before it allocates.
inline constexpr std::uint32_t kMaxImageSide = 32768;
inline constexpr std::uint64_t kMaxImageTexels = 1ull << 29;

}  // namespace assetc::scene
