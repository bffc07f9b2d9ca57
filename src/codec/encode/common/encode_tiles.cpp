#include "codec/encode/common/encode_tiles.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/plural.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {

Result<void> check_texels(const TexelView& texels, std::size_t texel_bytes, std::string_view texel_name,
                          std::size_t blocks_bytes, std::size_t block_bytes) {
  const auto& [bytes, width, height, stride_bytes] = texels;
  if (width == 0 || height == 0 || width > kMaxEncodeExtent || height > kMaxEncodeExtent)
    return fail(ErrorCode::kUsage, "an image of " + std::to_string(width) + " x " + std::to_string(height) +
                                       " texels, expected 1 to " + std::to_string(kMaxEncodeExtent) + " each way");
  const std::size_t row_bytes = width * texel_bytes;
  if (stride_bytes < row_bytes || bytes.size() < row_bytes ||
      (height > 1 && stride_bytes > (bytes.size() - row_bytes) / (height - 1)))
    return fail(ErrorCode::kUsage, counted(bytes.size(), "byte") + " of texels with a stride of " +
                                       std::to_string(stride_bytes) + ", too few for " + std::to_string(width) + " x " +
                                       std::to_string(height) + " " + std::string(texel_name));
  if (blocks_bytes != texels.block_count() * block_bytes)
    return fail(ErrorCode::kUsage, "room for " + counted(blocks_bytes, "byte") + " of blocks, expected " +
                                       std::to_string(texels.block_count() * block_bytes));
  return {};
}

Result<void> check_arguments(const TexelView& rgba, const EncodeOptions& options, std::size_t blocks_bytes,
                             std::size_t block_bytes) {
  ASSETC_CHECK(check_texels(rgba, sizeof(Rgba8), "RGBA texels", blocks_bytes, block_bytes));
  for (const float weight : options.channel_weights)
    if (!(weight >= 0 && weight <= 256))
      return fail(ErrorCode::kUsage, "a channel weight of " + std::to_string(weight) + ", expected 0 to 256");
  if (!(options.rdo >= 0 && options.rdo <= kMaxRdo))
    return fail(ErrorCode::kUsage, "an rdo of " + std::to_string(options.rdo) + ", expected 0 to " +
                                       std::to_string(static_cast<int>(kMaxRdo)));
  return {};
}

void load_block(const TexelView& rgba, std::size_t index, BlockTexels& block) {
  const auto left = static_cast<std::uint32_t>(index % rgba.blocks_across()) * 4;
  const auto top = static_cast<std::uint32_t>(index / rgba.blocks_across()) * 4;
  for (std::uint32_t y = 0; y < 4; ++y) {
    const std::byte* row = rgba.bytes.data() + std::min(top + y, rgba.height - 1) * rgba.stride_bytes;
    if (left + 4 <= rgba.width) {
      std::memcpy(&block[y * 4], row + std::size_t{left} * 4, 16);
    } else {
      for (std::uint32_t x = 0; x < 4; ++x)
        std::memcpy(&block[y * 4 + x], row + std::size_t{std::min(left + x, rgba.width - 1)} * 4, 4);
    }
  }
}

// Three times the contributions of R, G and B to luma, so that their sum stays 3. Alpha counts as one channel.
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
  parallel_for(tiles, [&](std::size_t tile) {
    const std::size_t first = tile * tile_blocks;
    encode(first, std::min(tile_blocks, block_count - first));
  });
}

}  // namespace assetc::codec
