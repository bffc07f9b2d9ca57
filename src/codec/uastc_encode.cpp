#include <cstring>
#include <vector>

#include "codec/bise.hpp"
#include "codec/encode.hpp"
#include "codec/encode_image.hpp"
#include "codec/etc1_lanes.hpp"
#include "codec/uastc_block.hpp"
#include "codec/uastc_hints.hpp"
#include "codec/uastc_rdo.hpp"
#include "codec/uastc_search.hpp"

namespace assetc::codec {
namespace {

UastcBlock to_block(const BlockChoice& choice) {
  UastcBlock block;
  const UastcMode& mode = kUastcModes[choice.mode];
  block.mode = choice.mode;
  block.pattern = choice.pattern;
  block.component_selector = choice.mode == 17 ? 3 : choice.second_plane;
  const EndpointRange& range = endpoint_range(mode.endpoint_range);
  for (unsigned k = 0; k < mode.endpoint_value_count(); ++k) block.endpoints[k] = range.by_rank[choice.endpoints[k]];
  block.weights = choice.weights;
  return block;
}

HintEffort hint_effort(Effort effort) {
  switch (effort) {
    case Effort::kFast: return HintEffort::kFast;
    case Effort::kNormal: return HintEffort::kNormal;
    default: return HintEffort::kBest;
  }
}

SearchSettings settings_of(const EncodeOptions& options) {
  SearchSettings s;
  s.channel_weights = channel_weights_of(options);
  switch (options.effort) {
    case Effort::kFast:
      s.few_levels = false;
      s.heat = {1, 1, 1};
      s.final = {8, 2, 1};
      break;
    case Effort::kNormal:
      s.pattern2_candidates = 3;
      s.pattern7_candidates = 1;
      s.pattern3_candidates = 1;
      s.dual_plane_candidates = 2;
      s.heat = {8, 1, 1};
      s.finalists = 2;
      s.final = {24, 8, 3};
      break;
    case Effort::kBest:
      s.pattern2_candidates = 6;
      s.pattern7_candidates = 3;
      s.pattern3_candidates = 3;
      s.dual_plane_candidates = 4;
      s.heat = {8, 2, 1};
      s.finalists = 3;
      s.final = {32, 16, 4};
      break;
  }
  return s;
}

void encode_tile(const EncodeImage& image, std::size_t first, std::size_t count, const SearchSettings& settings, HintEffort hints,
                 std::byte* out) {
  std::array<BlockTexels, kTileBlocks> texels;
  std::array<PlanarBlock, kTileBlocks> blocks;
  std::array<BlockKind, kTileBlocks> kinds;
  for (std::size_t i = 0; i < count; ++i) load_block(image, first + i, texels[i]);
  split_blocks(std::span(texels).first(count), blocks, kinds);
  std::array<std::vector<std::uint32_t>, kBlockKinds> of_kind;
  for (std::size_t i = 0; i < count; ++i) of_kind[static_cast<std::size_t>(kinds[i])].push_back(static_cast<std::uint32_t>(i));
  for (const std::uint32_t i : of_kind[static_cast<std::size_t>(BlockKind::kSolid)]) {
    const UastcBytes bytes = pack_uastc(solid_uastc(texels[i][0]));
    std::memcpy(out + (first + i) * kUastcBlockBytes, bytes.data(), bytes.size());
  }
  const std::span<const PlanarBlock> tile = std::span(blocks).first(count);
  std::array<std::vector<FinalEntry>, kUastcModeCount> finals;
  std::vector<Finalists> finalists(count);
  for (const BlockClass block_class : {BlockClass::kOpaque, BlockClass::kAlpha, BlockClass::kGreyAlpha}) {
    const std::vector<std::uint32_t>& order = of_kind[static_cast<std::size_t>(block_class)];
    if (order.empty()) continue;
    rank_uastc(tile, order, block_class, settings, finalists);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (int place = 0; place < settings.finalists; ++place) {
        const Finalist& f = finalists[i][static_cast<std::size_t>(place)];
        if (f.error > finalists[i][0].error * settings.finalist_window + 16) break;
        finals[f.mode].push_back({order[i], f.pattern, f.second_plane});
      }
  }
  std::vector<BlockChoice> choices(count), best(count);
  std::vector<bool> chosen(count);
  for (unsigned mode = 0; mode < kUastcModeCount; ++mode) {
    const std::vector<FinalEntry>& entries = finals[mode];
    if (entries.empty()) continue;
    if (choices.size() < entries.size()) choices.resize(entries.size());
    fit_uastc(tile, entries, mode, settings, choices);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::size_t at = entries[i].block;
      if (chosen[at] && best[at].error <= choices[i].error) continue;
      chosen[at] = true;
      best[at] = choices[i];
    }
  }
  std::vector<UastcBlock> packed;
  std::vector<BlockTexels> decoded;
  std::vector<PlanarBlock> source_planes;
  std::vector<std::uint8_t> biased;
  std::vector<std::uint32_t> at;
  for (std::size_t i = 0; i < count; ++i) {
    if (!chosen[i]) continue;
    at.push_back(static_cast<std::uint32_t>(i));
    packed.push_back(to_block(best[i]));
    decoded.push_back(decode_uastc(packed.back()));
    source_planes.push_back(blocks[i]);
    biased.push_back(kUastcModes[best[i].mode].has_etc1_bias);
  }
  std::vector<PlanarBlock> decoded_planes(at.size());
  split_blocks(decoded, decoded_planes, kinds);
  std::vector<Etc1Choice> etc1(at.size());
  search_etc1_lanes(source_planes, decoded_planes, biased, hints, etc1);
  for (std::size_t i = 0; i < at.size(); ++i) {
    set_hints(packed[i], decoded[i], texels[at[i]], etc1[i], hints);
    const UastcBytes bytes = pack_uastc(packed[i]);
    std::memcpy(out + (first + at[i]) * kUastcBlockBytes, bytes.data(), bytes.size());
  }
}

}  // namespace

Result<void> encode_uastc(std::span<const std::byte> rgba, std::uint32_t width, std::uint32_t height,
                          std::size_t stride_bytes, const EncodeOptions& options, std::span<std::byte> blocks) {
  ASSETC_TRY(const EncodeImage image,
             check_encode_image(rgba, width, height, stride_bytes, options, blocks.size(), kUastcBlockBytes));
  const SearchSettings settings = settings_of(options);
  for_each_tile(image.block_count(), kTileBlocks, [&](std::size_t first, std::size_t count) {
    encode_tile(image, first, count, settings, hint_effort(options.effort), blocks.data());
  });
  if (options.rdo > 0) rdo_uastc(image, options, blocks);
  return {};
}

}  // namespace assetc::codec
