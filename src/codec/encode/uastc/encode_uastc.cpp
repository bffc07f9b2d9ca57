#include "codec/encode/uastc/encode_uastc.hpp"

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "codec/block/bise.hpp"
#include "codec/block/uastc_block.hpp"
#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/common/planar_block.hpp"
#include "codec/encode/uastc/uastc_hints.hpp"
#include "codec/encode/uastc/uastc_rdo.hpp"
#include "codec/encode/uastc/uastc_search.hpp"

namespace assetc::codec {
namespace {

// All of block but its hints.
void set_block(const BlockChoice& choice, UastcBlock& block) {
  const UastcMode& mode = kUastcModes[choice.mode];
  block.mode = choice.mode;
  block.pattern = choice.pattern;
  block.component_selector = choice.mode == 17 ? 3 : choice.second_plane;
  const EndpointRange& range = endpoint_range(mode.endpoint_range);
  for (unsigned k = 0; k < mode.endpoint_value_count(); ++k) block.endpoints[k] = range.by_rank[choice.endpoints[k]];
  block.weights = choice.weights;
}

HintEffort hint_effort(Effort effort) {
  switch (effort) {
    case Effort::kFast:
      return HintEffort::kFast;
    case Effort::kNormal:
      return HintEffort::kNormal;
    default:
      return HintEffort::kBest;
  }
}

// Blocks that are searched alike.
enum class Lot : std::uint8_t {
  kPainted,  // as photographs and rendered light are
  kGentle,   // equal neighbours too, but for want of steps in a slow gradient: as painted, with modes of few weight
             // levels
  kDrawn,    // few colours, where modes are exact or far off: all of them are tried, and BC7's losses decide
};
inline constexpr std::size_t kLots = 3;

struct LotSettings {
  SearchSettings opaque,
      alpha;  // of the heats, for the modes without alpha and for those with; the final is as opaque has it

  const SearchSettings& of(BlockClass c) const { return c == BlockClass::kOpaque ? opaque : alpha; }
  // The best of the opaque and the grey modes stay of a grey block.
  int finalists(BlockKind kind) const {
    if (kind == BlockKind::kOpaque) return opaque.finalists;
    return kind == BlockKind::kAlpha ? alpha.finalists : std::min(opaque.finalists + alpha.finalists, kMaxFinalists);
  }
};
struct AllSettings {
  std::array<LotSettings, kLots> lots;
  int gentle_contrast;  // opaque blocks that look drawn are kGentle where their contrast is below this

  const LotSettings& of(Lot lot) const { return lots[static_cast<std::size_t>(lot)]; }
};

LotSettings painted_settings(Effort effort) {
  SearchSettings s;
  switch (effort) {
    case Effort::kFast:
      s.few_levels = false;
      s.plane_trust = 0.7f;
      s.off_axis_share = 0.5f;
      s.good_squares = 48;
      s.final = {3, 1};
      break;
    case Effort::kNormal:
      s.few_levels = false;
      s.plane_trust = 0.35f;
      s.off_axis_share = 0.4f;
      s.good_squares = 8;
      s.easy_squares = 16;
      s.easy_final = {4, 1};
      s.finalists = 2;
      s.finalist_window = 1.3f;
      s.bc7_share = 0.25f;
      s.final = {8, 2};
      break;
    case Effort::kBest:
      s.pattern2_candidates = 6;
      s.pattern7_candidates = 3;
      s.pattern3_candidates = 3;
      s.dual_plane_candidates = 4;
      s.finalists = 4;
      s.bc7_share = 0.25f;
      s.plane_trust = 0.2f;
      s.final = {.placements = 12, .passes = 2, .uneven = true};
      break;
  }
  LotSettings lot{s, s};
  // Soft edges leave the estimates less to tell by, and more modes than one are often nearly exact.
  lot.alpha.plane_trust = 0.35f;
  lot.alpha.pattern_trust = 0.15f;
  lot.alpha.pattern2_candidates = effort == Effort::kFast ? 3 : effort == Effort::kNormal ? 4 : 6;
  lot.alpha.finalists = std::max(s.finalists, 2);
  return lot;
}

LotSettings gentle_settings(Effort effort) {
  LotSettings lot = painted_settings(effort);
  SearchSettings& s = lot.opaque;
  s.few_levels = true;
  if (effort == Effort::kNormal) {
    s.heats_count_bc7 = true;
    s.bc7_share = 1;
    s.good_squares = 4;
    s.easy_squares = 0;
  }
  return lot;
}

LotSettings drawn_settings(Effort effort) {
  SearchSettings s;
  s.dual_plane_candidates = 4;
  s.plane_trust = 0;  // the modes of two planes are exact in BC7 where others are off by one
  s.pattern_trust = 0.05f;
  s.off_axis_share = 0;
  s.finalists = 4;
  s.finalist_window = 4;
  s.bc7_share = 1;
  s.heats_count_bc7 = true;
  switch (effort) {
    case Effort::kFast:
      s.pattern2_candidates = 2;
      s.pattern7_candidates = 1;
      s.pattern3_candidates = 1;
      s.good_squares = 1;
      s.heat = {3, 1};
      s.final = {6, 1};
      break;
    case Effort::kNormal:
      s.pattern2_candidates = 2;
      s.pattern7_candidates = 1;
      s.pattern3_candidates = 1;
      s.dual_plane_candidates = 2;
      s.pattern_trust = 0.1f;
      s.finalists = 2;
      s.good_squares = 1;
      s.heat = {4, 1};
      s.final = {7, 2};
      break;
    case Effort::kBest:
      s.pattern2_candidates = static_cast<int>(kPatterns2.size());
      s.pattern7_candidates = static_cast<int>(kPatterns7.size());
      s.pattern3_candidates = static_cast<int>(kPatterns3.size());
      s.bc7_share = 0.25f;
      s.heat = {.placements = 7, .passes = 1, .uneven = true};
      s.finalists = kMaxFinalists;
      s.final = {.placements = 16, .passes = 4, .uneven = true};
      break;
  }
  return {s, s};
}

AllSettings settings_of(const EncodeOptions& options) {
  const Effort effort = options.effort;
  const int gentle_contrast = effort == Effort::kFast ? 32 : effort == Effort::kNormal ? 16 : 0;
  AllSettings all = {{painted_settings(effort), gentle_settings(effort), drawn_settings(effort)}, gentle_contrast};
  for (LotSettings& lot : all.lots) {
    for (SearchSettings* s : {&lot.opaque, &lot.alpha}) {
      s->channel_weights = channel_weights_of(options);
      // What is nearly right is said for four channels that count.
      const float share = std::accumulate(s->channel_weights.begin(), s->channel_weights.end(), 0.0f) / 4;
      s->good_squares *= share;
      s->easy_squares *= share;
    }
  }
  return all;
}

// What the work on a tile keeps: less than 400 KiB for each thread.
struct Tile {
  std::size_t count;
  std::array<BlockTexels, kTileBlocks> texels;
  std::array<PlanarBlock, kTileBlocks> blocks;
  std::array<BlockKind, kTileBlocks> kinds;
  // Numbers of the blocks that are not solid, by lot and kind: those of lot l and kind k are
  // [first_of[l][k], first_of[l][k + 1]), those of the lot end at first_of[l][kSolid].
  std::array<std::uint32_t, kTileBlocks> order;
  std::array<std::array<std::uint32_t, kBlockKinds>, kLots> first_of;
  std::array<Finalists, kTileBlocks> finalists, grey_finalists;         // of order[i]
  std::array<FinalEntry, kTileBlocks * kMaxFinalists> listed, entries;  // of fit_blocks: as found, and by mode
  std::array<BlockChoice, kTileBlocks> best;
  std::array<PlanarBlock, kTileBlocks> decoded;
  std::array<UastcBlock, kTileBlocks> uastc;

  std::span<const PlanarBlock> tile() const { return std::span(blocks).first(count); }
  std::uint32_t unsolid() const { return first_of.back().back(); }
  std::uint32_t first_of_kind(Lot lot, BlockKind kind) const {
    return first_of[static_cast<std::size_t>(lot)][static_cast<std::size_t>(kind)];
  }
};

// The largest difference of two texels in one channel.
int contrast_of(const BlockTexels& block) {
  std::array<std::uint8_t, 4> low{255, 255, 255, 255}, high{};
  for (const auto& texel : std::bit_cast<std::array<std::array<std::uint8_t, 4>, kBlockTexels>>(block)) {
    for (std::size_t c = 0; c < 4; ++c) {
      low[c] = std::min(low[c], texel[c]);
      high[c] = std::max(high[c], texel[c]);
    }
  }
  int most = 0;
  for (std::size_t c = 0; c < 4; ++c) most = std::max(most, high[c] - low[c]);
  return most;
}

Lot lot_of(const BlockTexels& block, BlockKind kind, int gentle_contrast) {
  if (!looks_drawn(block)) return Lot::kPainted;
  const bool opaque = kind == BlockKind::kOpaque || kind == BlockKind::kGreyOpaque;
  return opaque && contrast_of(block) < gentle_contrast ? Lot::kGentle : Lot::kDrawn;
}

void load_tile(const TexelView& image, std::size_t first, std::size_t count, int gentle_contrast, Tile& tile) {
  tile.count = count;
  for (std::size_t i = 0; i < count; ++i) load_block(image, first + i, tile.texels[i]);
  split_blocks(std::span(tile.texels).first(count), tile.blocks, tile.kinds);
  std::array<Lot, kTileBlocks> lots;
  std::array<std::array<std::uint32_t, kBlockKinds>, kLots> counts{};
  const auto entry = [&](auto& table, std::size_t i) -> auto& {
    return table[static_cast<std::size_t>(lots[i])][static_cast<std::size_t>(tile.kinds[i])];
  };
  for (std::size_t i = 0; i < count; ++i) {
    lots[i] = lot_of(tile.texels[i], tile.kinds[i], gentle_contrast);
    ++entry(counts, i);
  }
  std::uint32_t placed = 0;
  for (std::size_t lot = 0; lot < kLots; ++lot) {
    for (std::size_t kind = 0; kind < kBlockKinds; ++kind) {
      tile.first_of[lot][kind] = placed;
      if (static_cast<BlockKind>(kind) != BlockKind::kSolid) placed += counts[lot][kind];
    }
  }
  auto place = tile.first_of;
  for (std::uint32_t i = 0; i < count; ++i)
    if (tile.kinds[i] != BlockKind::kSolid) tile.order[entry(place, i)++] = i;
  tile.best.fill({});
}

// Ranks the modes of every class that a block may be said in. A grey block is in two: the best of both stay.
void rank_lot(Lot lot, const LotSettings& settings, Tile& tile) {
  const auto rank = [&](BlockKind from, BlockKind to, BlockClass block_class, std::span<Finalists> finalists) {
    const std::size_t first = tile.first_of_kind(lot, from), count = tile.first_of_kind(lot, to) - first;
    if (count != 0)
      rank_uastc(tile.tile(), std::span(tile.order).subspan(first, count), block_class, settings.of(block_class),
                 finalists.subspan(first, count));
  };
  rank(BlockKind::kOpaque, BlockKind::kGreyAlpha, BlockClass::kOpaque, tile.finalists);
  rank(BlockKind::kGreyAlpha, BlockKind::kSolid, BlockClass::kAlpha, tile.finalists);
  rank(BlockKind::kGreyOpaque, BlockKind::kAlpha, BlockClass::kGreyAlpha, tile.grey_finalists);
  for (std::size_t i = tile.first_of_kind(lot, BlockKind::kGreyOpaque); i < tile.first_of_kind(lot, BlockKind::kAlpha);
       ++i) {
    const BlockClass from =
        i < tile.first_of_kind(lot, BlockKind::kGreyAlpha) ? BlockClass::kOpaque : BlockClass::kAlpha;
    const Finalists colour = tile.finalists[i], grey = tile.grey_finalists[i];
    std::array<Finalist, 2 * kMaxFinalists> both{};
    auto end = std::copy_n(colour.begin(), settings.of(from).finalists, both.begin());
    end = std::copy_n(grey.begin(), settings.alpha.finalists, end);
    std::sort(both.begin(), end, [](const Finalist& a, const Finalist& b) {
      return std::pair(a.error, a.mode) < std::pair(b.error, b.mode);
    });
    std::copy_n(both.begin(), settings.finalists(BlockKind::kGreyAlpha), tile.finalists[i].begin());
  }
}

// Fits the finalists of the blocks of a lot whose leader's error is in [from, to), sorted by mode so that lanes have
// the same work; the best of a block's fits stays.
void fit_blocks(Lot lot, const LotSettings& settings, float from, float to, Tile& tile) {
  std::size_t count = 0;
  std::array<std::uint32_t, kUastcModeCount> count_of{};
  for (const BlockKind kind : {BlockKind::kOpaque, BlockKind::kGreyOpaque, BlockKind::kGreyAlpha, BlockKind::kAlpha}) {
    const auto places = static_cast<std::size_t>(settings.finalists(kind));
    const auto end = tile.first_of_kind(lot, static_cast<BlockKind>(static_cast<std::size_t>(kind) + 1));
    for (std::uint32_t i = tile.first_of_kind(lot, kind); i < end; ++i) {
      const float least = tile.finalists[i][0].error;
      if (least < from || least >= to) continue;
      const float most = least * settings.opaque.finalist_window + 16;
      for (const Finalist& f : std::span(tile.finalists[i]).first(places)) {
        if (f.error > most) break;
        tile.listed[count++] = {tile.order[i], f.mode, f.pattern, f.second_plane};
        ++count_of[f.mode];
      }
    }
  }
  std::array<std::uint32_t, kUastcModeCount> place{};
  std::exclusive_scan(count_of.begin(), count_of.end(), place.begin(), 0u);
  for (const FinalEntry& entry : std::span(tile.listed).first(count)) tile.entries[place[entry.mode]++] = entry;

  const FinalEntry* first = tile.entries.data();
  for (unsigned mode = 0; mode < kUastcModeCount; first += count_of[mode++])
    if (count_of[mode] != 0) fit_uastc(tile.tile(), {first, count_of[mode]}, settings.opaque, tile.best, tile.decoded);
}

// What is nearly right already is fitted lightly, the rest as the settings say.
void fit_lot(Lot lot, const LotSettings& settings, Tile& tile) {
  const float easy_squares = settings.opaque.easy_squares;
  if (easy_squares > 0) {
    LotSettings easy = settings;
    easy.opaque.finalists = easy.alpha.finalists = 1;
    easy.opaque.bc7_share = 0;
    easy.opaque.final = settings.opaque.easy_final;
    fit_blocks(lot, easy, 0, easy_squares, tile);
  }
  fit_blocks(lot, settings, easy_squares, std::numeric_limits<float>::infinity(), tile);
}

void encode_tile(const TexelView& image, std::size_t first, std::size_t count, const AllSettings& settings,
                 HintEffort hints, Tile& tile, std::byte* out) {
  load_tile(image, first, count, settings.gentle_contrast, tile);
  const auto write = [&](std::size_t i, const UastcBlock& block) {
    const UastcBytes bytes = pack_uastc(block);
    std::memcpy(out + (first + i) * kUastcBlockBytes, bytes.data(), bytes.size());
  };
  UastcBlock solid = solid_uastc(tile.texels[0][0]);
  for (std::size_t i = 0; i < count; ++i) {
    if (tile.kinds[i] != BlockKind::kSolid) continue;
    if (tile.texels[i][0] != solid.solid_color) solid = solid_uastc(tile.texels[i][0]);
    write(i, solid);
  }
  for (const Lot lot : {Lot::kPainted, Lot::kGentle, Lot::kDrawn}) {
    rank_lot(lot, settings.of(lot), tile);
    fit_lot(lot, settings.of(lot), tile);
  }

  const auto order = std::span(tile.order).first(tile.unsolid());
  for (const std::uint32_t i : order) set_block(tile.best[i], tile.uastc[i]);
  choose_hints(tile.uastc, tile.decoded, tile.blocks, order, hints);
  for (const std::uint32_t i : order) write(i, tile.uastc[i]);
}

}  // namespace

Result<void> encode_uastc(const TexelView& texels, const EncodeOptions& options, std::span<std::byte> blocks) {
  ASSETC_CHECK(check_arguments(texels, options, blocks.size(), kUastcBlockBytes));
  const AllSettings settings = settings_of(options);
  oneapi::tbb::enumerable_thread_specific<Tile> tiles;
  for_each_tile(texels.block_count(), kTileBlocks, [&](std::size_t first, std::size_t count) {
    encode_tile(texels, first, count, settings, hint_effort(options.effort), tiles.local(), blocks.data());
  });
  if (options.rdo > 0) rdo_uastc(texels, options, blocks);
  return {};
}

}  // namespace assetc::codec
