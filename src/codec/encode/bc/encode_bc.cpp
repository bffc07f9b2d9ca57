#include "codec/encode/bc/encode_bc.hpp"

#include <array>
#include <vector>

#include "codec/block/bc_block.hpp"
#include "codec/encode/bc/bc_rdo.hpp"
#include "codec/encode/bc/bc_search.hpp"
#include "codec/encode/bc/encode_bc7.hpp"
#include "codec/encode/common/encode_tiles.hpp"

namespace assetc::codec {
namespace {

Bc1Settings bc1_settings(const EncodeOptions& options, bool three_colors) {
  const std::array<float, 4> weights = channel_weights_of(options);
  Bc1Settings s;
  s.channel_weights = {weights[0], weights[1], weights[2]};
  switch (options.effort) {
    case Effort::kFast:
      s.effort = {8, 2, 2};
      break;
    case Effort::kNormal:
      s.effort = {1, 1, 3}, s.four_orderings = s.three_orderings = 3;
      break;
    case Effort::kBest:
      s.effort = {1, 1, 4}, s.four_orderings = kMaxOrderings, s.three_orderings = 12, s.moves = 2;
      break;
  }
  if (!three_colors) s.three_orderings = 0;
  return s;
}

Bc4Settings bc4_settings(Effort effort) {
  switch (effort) {
    case Effort::kFast:
      return {{2, 0, 1}, false, 0};
    case Effort::kNormal:
      return {{8, 0, 2}, true, 0};
    default:
      return {{kMaxRampSeeds, 0, 4}, true, 2};
  }
}

void encode_tile(BcFormat format, const TexelView& image, std::size_t first, std::size_t count,
                 const EncodeOptions& options, std::uint8_t* out) {
  std::vector<BlockTexels> texels(count);
  std::vector<PlanarBlock> blocks(count);
  std::vector<BlockKind> kinds(count);
  for (std::size_t i = 0; i < count; ++i) load_block(image, first + i, texels[i]);
  split_blocks(texels, blocks, kinds);
  const Bc4Settings channel = bc4_settings(options.effort);
  switch (format) {
    case BcFormat::kBc1:
      search_bc1(blocks, bc1_settings(options, true), out, 8);
      break;
    case BcFormat::kBc3:
      search_bc4(blocks, 3, 3, channel, out, 16);
      search_bc1(blocks, bc1_settings(options, false), out + 8, 16);
      break;
    case BcFormat::kBc4:
      search_bc4(blocks, 0, 1, channel, out, 8);
      break;
    case BcFormat::kBc5:
      search_bc4(blocks, 0, 1, channel, out, 16);
      search_bc4(blocks, 2, 3, channel, out + 8, 16);
      break;
    case BcFormat::kBc7:
      break;
  }
  // encode_bc1_solid is more exact for one color: it has endpoints that mix to the color.
  if (format != BcFormat::kBc1 && format != BcFormat::kBc3) return;
  const bool bc3 = format == BcFormat::kBc3;
  for (std::size_t i = 0; i < count; ++i)
    if (kinds[i] == BlockKind::kSolid) encode_bc1_solid(texels[i][0], out + (bc3 ? 16 * i + 8 : 8 * i));
}

}  // namespace

std::size_t bc_block_bytes(BcFormat format) { return format == BcFormat::kBc1 || format == BcFormat::kBc4 ? 8 : 16; }

Result<void> encode_bc(BcFormat format, const TexelView& texels, const EncodeOptions& options,
                       std::span<std::byte> blocks) {
  const std::size_t block_bytes = bc_block_bytes(format);
  ASSETC_CHECK(check_arguments(texels, options, blocks.size(), block_bytes));
  auto* const out = reinterpret_cast<std::uint8_t*>(blocks.data());
  if (format == BcFormat::kBc7) {
    for_each_tile(texels.block_count(), kBc7TileBlocks, [&](std::size_t first, std::size_t count) {
      encode_bc7_tile(texels, first, count, options, blocks.data());
    });
  } else {
    for_each_tile(texels.block_count(), kTileBlocks, [&](std::size_t first, std::size_t count) {
      encode_tile(format, texels, first, count, options, out + first * block_bytes);
    });
  }
  if (options.rdo > 0) apply_bc_rdo(format, texels, options, blocks);
  return {};
}

}  // namespace assetc::codec
