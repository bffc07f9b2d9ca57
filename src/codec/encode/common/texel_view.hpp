// Rows of texels, as input of the encoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assetc::codec {

// The largest supported width and height, in texels.
inline constexpr std::uint32_t kMaxEncodeExtent = 65536;

// Texels of any size. The encoder that takes the view defines the size. The view owns nothing.
struct TexelView {
  std::span<const std::byte> bytes;
  std::uint32_t width = 0, height = 0;
  std::size_t stride_bytes = 0;  // from one row to the next

  // Blocks of 4x4 texels. Blocks that reach over the right or bottom edge count.
  std::uint32_t blocks_across() const { return (width + 3) / 4; }
  std::size_t block_count() const { return std::size_t{blocks_across()} * ((height + 3) / 4); }
};

// Rows without gaps.
inline TexelView tight_rows(std::span<const std::byte> bytes, std::uint32_t width, std::uint32_t height,
                            std::size_t texel_bytes) {
  return {bytes, width, height, width * texel_bytes};
}

}  // namespace assetc::codec
