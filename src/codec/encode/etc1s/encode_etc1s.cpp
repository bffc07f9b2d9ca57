#include "codec/encode/etc1s/encode_etc1s.hpp"

#include <algorithm>

#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/etc1s/etc1s_choose.hpp"

namespace assetc::codec {
namespace {

Etc1sWeights weights_of(const EncodeOptions& options) {
  const std::array<float, 4> weights = channel_weights_of(options);
  const float sum = weights[0] + weights[1] + weights[2];
  Etc1sWeights out;
  for (unsigned c = 0; c < 3; ++c)
    out[c] = std::max(1, static_cast<std::int32_t>(weights[c] / sum * static_cast<float>(kEtc1sWeightSum) + 0.5f));
  // Rounding may miss the sum, which the kernels rely on.
  const auto largest = std::max_element(out.begin(), out.end());
  *largest += kEtc1sWeightSum - (out[0] + out[1] + out[2]);
  return out;
}

// Chosen so that photographs get about the error that Binomial's encoder has at the same quality.
Etc1sPrice price_of(std::uint32_t quality) {
  constexpr double kFiner = 1.035264923841378;    // 2^(1/20)
  constexpr double kCoarser = 1.016640749440756;  // 2^(1/42)
  double price = 1000;
  for (; quality > 128; --quality) price /= kFiner;
  for (; quality < 128; ++quality) price *= kCoarser;
  return {price};
}

void load(const TexelView& view, bool is_second, std::span<Etc1sTexels> to) {
  for_each_tile(to.size(), kTileBlocks, [&](std::size_t first, std::size_t count) {
    BlockTexels block;
    for (std::size_t i = first; i < first + count; ++i) {
      load_block(view, i, block);
      for (unsigned t = 0; t < kBlockTexels; ++t)
        for (unsigned c = 0; c < 3; ++c) to[i].of[c][t] = block[t][is_second ? 3 : c];
    }
  });
}

}  // namespace

Result<BasisLzTexture> encode_etc1s(std::span<const TexelView> levels, const Etc1sOptions& options) {
  if (levels.empty()) return fail(ErrorCode::kUsage, "found no level of texels, expected at least one");
  if (options.quality == 0 || options.quality > kMaxEtc1sQuality)
    return fail(ErrorCode::kUsage,
                "found an ETC1S quality of " + std::to_string(options.quality) + ", expected 1 to 255");
  const std::size_t slices_each = options.has_second_slice ? 2 : 1;
  std::vector<BlockSlice> slices;
  std::size_t count = 0;
  for (const TexelView& level : levels) {
    ASSETC_CHECK(check_arguments(level, options.encode, level.block_count() * 8, 8));
    for (std::size_t s = 0; s < slices_each; ++s) {
      slices.push_back({level.blocks_across(), (level.height + 3) / 4, count});
      count += level.block_count();
    }
  }
  Etc1sBlocks blocks;
  blocks.texels.resize(count);
  blocks.fits.resize(count);
  blocks.levels.resize(count);
  blocks.chosen.resize(count);
  blocks.endpoints.resize(count);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::size_t of_slice = std::size_t{slices[i].width} * slices[i].height;
    load(levels[i / slices_each], i % slices_each == 1, std::span(blocks.texels).subspan(slices[i].first, of_slice));
  }
  const Etc1sWeights weights = weights_of(options.encode);
  const Etc1sPrice price = price_of(options.quality);
  Etc1sCodebooks codebooks;
  codebooks.endpoints = first_endpoints(blocks, weights, price);
  codebooks.levels = first_levels(blocks, codebooks.endpoints, weights, price);
  choose_blocks(blocks, slices, codebooks, weights, first_rates(blocks.chosen, codebooks, price));
  const unsigned passes = options.encode.effort == Effort::kFast ? 1 : options.encode.effort == Effort::kNormal ? 2 : 4;
  for (unsigned pass = 1; pass < passes; ++pass) {
    update_codebooks(blocks, slices, weights, codebooks, true);
    const SymbolRates rates = rates_of(slices, blocks.chosen, codebooks, price);
    choose_endpoints(blocks, codebooks.endpoints, weights);
    choose_blocks(blocks, slices, codebooks, weights, rates);
  }
  update_codebooks(blocks, slices, weights, codebooks, passes == 1);
  sort_levels(blocks, codebooks.levels);

  BasisLzStreams streams = write_basis_lz(slices, blocks.chosen, codebooks);
  BasisLzTexture out;
  out.endpoint_count = static_cast<std::uint32_t>(codebooks.endpoints.size());
  out.selector_count = static_cast<std::uint32_t>(codebooks.levels.size());
  out.endpoints = std::move(streams.endpoints);
  out.selectors = std::move(streams.selectors);
  out.tables = std::move(streams.tables);
  out.images.resize(levels.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    BasisLzTexture::Image& image = out.images[i / slices_each];
    (i % slices_each == 0 ? image.color : image.second) = std::move(streams.slices[i]);
  }
  return out;
}

std::uint64_t etc1s_peak_bytes(std::uint64_t blocks) {
  constexpr std::uint64_t kEach =
      sizeof(Etc1sTexels) + sizeof(Etc1sFit) + sizeof(Etc1sLevels) + sizeof(BasisLzBlock) + sizeof(EndpointChoices);
  // Clustering has points of 36 bytes and lists of members. Codebooks and their tables take at most 8 MiB.
  constexpr std::uint64_t kClusters = 36 + 4 * 4;
  return blocks * (kEach + kClusters) + (8u << 20);
}

}  // namespace assetc::codec
