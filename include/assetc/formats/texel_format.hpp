// How texels are stored, independent of the file. Encoded textures, .ktx2 files, AAS1 blobs and the tables of graphics
// API constants (assetc/runtime/gpu.hpp) use these formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assetc {

// The format does not say whether texels are sRGB or linear; most formats allow both.
enum class TexelFormat : std::uint8_t {
  kUastc,
  kEtc1s,
  kR8,
  kRg8,
  kRgb8,
  kRgba8,
  kR16,
  kRg16,
  kRgba16,
  kR16f,
  kRg16f,
  kRgba16f,
  kR32f,
  kRg32f,
  kRgba32f,
  kBc1Rgb,
  kBc1Rgba,
  kBc2,
  kBc3,
  kBc4,
  kBc4Signed,
  kBc5,
  kBc5Signed,
  kBc6h,
  kBc6hSigned,
  kBc7,
  kEtc2Rgb,
  kEtc2Rgba,
  kEacR11,
  kEacR11Signed,
  kEacRg11,
  kEacRg11Signed,
  kAstc4x4,
  kAstc5x4,
  kAstc5x5,
  kAstc6x5,
  kAstc6x6,
  kAstc8x5,
  kAstc8x6,
  kAstc8x8,
  kAstc10x5,
  kAstc10x6,
  kAstc10x8,
  kAstc10x10,
  kAstc12x10,
  kAstc12x12,
};
inline constexpr std::size_t kTexelFormatCount = static_cast<std::size_t>(TexelFormat::kAstc12x12) + 1;

// The meaning of the channels of a UASTC texture. A transcoder chooses its target by it. Files store these values.
// Source: Khronos Data Format Specification 1.3.
enum class UastcChannels : std::uint8_t { kRgb = 0, kRgba = 3, kRrr = 4, kRrrg = 5, kRg = 6 };

// A texel block: the smallest part of an image that is stored on its own.
struct BlockShape {
  std::uint32_t width_texels = 1;
  std::uint32_t height_texels = 1;
  std::uint32_t depth_texels = 1;
  std::uint32_t size_bytes = 0;  // 0: unknown, or not of a fixed size
  bool operator==(const BlockShape&) const = default;
};

std::string_view to_string(TexelFormat format);  // "uastc", "bc7", "astc6x6"
BlockShape block_shape(TexelFormat format);
bool is_block_compressed(TexelFormat format);
// Returns whether texels of this format may be stored with the sRGB transfer function.
bool has_srgb_form(TexelFormat format);

}  // namespace assetc
