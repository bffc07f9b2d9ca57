#include "codec/encode_bc6h.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/bc6h_search.hpp"
#include "codec/encode_image.hpp"

namespace assetc::codec {
namespace {

constexpr std::size_t kTexelBytes = 8;
constexpr std::size_t kBlockBytes = 16;
constexpr std::size_t kTileOfBlocks = 64;

std::uint16_t representable(std::uint16_t half) {
  if (half > 0x7C00) return 0;  // negative, or no number
  return std::min<std::uint16_t>(half, 0x7BFF);
}

}  // namespace

Result<void> encode_bc6h(std::span<const std::byte> rgba16f, std::uint32_t width, std::uint32_t height,
                         std::size_t stride_bytes, Effort effort, std::span<std::byte> blocks) {
  if (width == 0 || height == 0 || width > kMaxEncodeExtent || height > kMaxEncodeExtent) {
    return fail(ErrorCode::kUsage, "an image of " + std::to_string(width) + " x " + std::to_string(height) +
                                       " texels, expected 1 to " + std::to_string(kMaxEncodeExtent) + " each way");
  }
  const std::size_t row_bytes = width * kTexelBytes;
  if (stride_bytes < row_bytes || rgba16f.size() < row_bytes ||
      (height > 1 && stride_bytes > (rgba16f.size() - row_bytes) / (height - 1))) {
    return fail(ErrorCode::kUsage, std::to_string(rgba16f.size()) + " bytes of texels with a stride of " +
                                       std::to_string(stride_bytes) + ", too few for " + std::to_string(width) + " x " +
                                       std::to_string(height) + " texels of four half floats");
  }
  const std::size_t across = (std::size_t{width} + 3) / 4, count = across * ((std::size_t{height} + 3) / 4);
  if (blocks.size() != count * kBlockBytes) {
    return fail(ErrorCode::kUsage, "room for " + std::to_string(blocks.size()) + " bytes of blocks, expected " +
                                       std::to_string(count * kBlockBytes));
  }
  for_each_tile(count, kTileOfBlocks, [&](std::size_t first, std::size_t tile) {
    for (std::size_t i = first; i < first + tile; ++i) {
      HalfBlock texels;
      for (std::size_t t = 0; t < kBlockTexels; ++t) {
        const std::size_t x = std::min<std::size_t>(i % across * 4 + t % 4, width - 1);
        const std::size_t y = std::min<std::size_t>(i / across * 4 + t / 4, height - 1);
        std::memcpy(texels[t].data(), rgba16f.data() + y * stride_bytes + x * kTexelBytes, sizeof texels[t]);
        for (std::uint16_t& half : texels[t]) half = representable(half);
      }
      pack_bc6h(search_bc6h(texels, effort), reinterpret_cast<std::uint8_t*>(blocks.data()) + i * kBlockBytes);
    }
  });
  return {};
}

}  // namespace assetc::codec
