#include "codec/encode/common/encode_image.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace assetc::codec {

Result<EncodeImage> check_encode_image(std::span<const std::byte> rgba, std::uint32_t width, std::uint32_t height,
                                       std::size_t stride_bytes, const EncodeOptions& options, std::size_t blocks_bytes,
                                       std::size_t block_bytes) {
  if (width == 0 || height == 0 || width > kMaxEncodeExtent || height > kMaxEncodeExtent)
    return fail(ErrorCode::kUsage, "an image of " + std::to_string(width) + " x " + std::to_string(height) +
                                       " texels, expected 1 to " + std::to_string(kMaxEncodeExtent) + " each way");
  const std::size_t row_bytes = std::size_t{width} * 4;
  if (stride_bytes < row_bytes || rgba.size() < row_bytes ||
      (height > 1 && stride_bytes > (rgba.size() - row_bytes) / (height - 1)))
    return fail(ErrorCode::kUsage, std::to_string(rgba.size()) + " bytes of texels with a stride of " +
                                       std::to_string(stride_bytes) + ", too few for " + std::to_string(width) + " x " +
                                       std::to_string(height) + " RGBA texels");
  const EncodeImage image{reinterpret_cast<const std::uint8_t*>(rgba.data()), width, height, stride_bytes};
  if (blocks_bytes != image.block_count() * block_bytes)
    return fail(ErrorCode::kUsage, "room for " + std::to_string(blocks_bytes) + " bytes of blocks, expected " +
                                       std::to_string(image.block_count() * block_bytes));
  for (const float weight : options.channel_weights)
    if (!(weight >= 0 && weight <= 256))
      return fail(ErrorCode::kUsage, "a channel weight of " + std::to_string(weight) + ", expected 0 to 256");
  if (!(options.rdo >= 0 && options.rdo <= kMaxRdo))
    return fail(ErrorCode::kUsage, "an rdo of " + std::to_string(options.rdo) + ", expected 0 to " +
                                       std::to_string(static_cast<int>(kMaxRdo)));
  return image;
}

void load_block(const EncodeImage& image, std::size_t index, BlockTexels& block) {
  const auto left = static_cast<std::uint32_t>(index % image.blocks_across()) * 4;
  const auto top = static_cast<std::uint32_t>(index / image.blocks_across()) * 4;
  for (std::uint32_t y = 0; y < 4; ++y) {
    const std::uint8_t* row = image.texels + std::min(top + y, image.height - 1) * image.stride_bytes;
    if (left + 4 <= image.width) {
      std::memcpy(&block[y * 4], row + std::size_t{left} * 4, 16);
    } else {
      for (std::uint32_t x = 0; x < 4; ++x)
        std::memcpy(&block[y * 4 + x], row + std::size_t{std::min(left + x, image.width - 1)} * 4, 4);
    }
  }
}

// Three times what R, G and B add to luma, so that they weigh as much together as before; alpha as one channel.
// Source: ITU-R BT.601-7, 2.5.1.
constexpr std::array<float, 4> kLumaWeights = {0.897f, 1.761f, 0.342f, 1.0f};

std::array<float, 4> channel_weights_of(const EncodeOptions& options) {
  std::array<float, 4> weights{1, 1, 1, 1};
  switch (options.metric) {
    case Metric::kColor:
    case Metric::kLinear:
      break;
    case Metric::kColorPerceptual:
      weights = kLumaWeights;
      break;
    case Metric::kNormal:
      weights = {1, 1, kTieWeight, kTieWeight};
      break;
    case Metric::kGray:
      weights = {1, kTieWeight, kTieWeight, kTieWeight};
      break;
  }
  for (std::size_t c = 0; c < 4; ++c) weights[c] = std::max(weights[c] * options.channel_weights[c], kTieWeight);
  return weights;
}

void for_each_tile(std::size_t block_count, std::size_t tile_blocks,
                   const std::function<void(std::size_t first, std::size_t count)>& encode) {
  const std::size_t tiles = (block_count + tile_blocks - 1) / tile_blocks;
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, tiles, 1), [&](const auto& range) {
    for (std::size_t tile = range.begin(); tile != range.end(); ++tile) {
      const std::size_t first = tile * tile_blocks;
      encode(first, std::min(tile_blocks, block_count - first));
    }
  });
}

}  // namespace assetc::codec
