#include "codec/encode/uastc/encode_uastc.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "codec/block/astc_block.hpp"
#include "codec/block/bise.hpp"
#include "codec/block/uastc_block.hpp"
#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/common/planar_block.hpp"
#include "codec/encode/common/thread_memory.hpp"
#include "codec/encode/uastc/uastc_hints.hpp"
#include "codec/encode/uastc/uastc_rdo.hpp"
#include "codec/encode/uastc/uastc_repeat.hpp"
#include "codec/encode/uastc/uastc_search.hpp"

namespace assetc::codec {
namespace {

// Sets all fields of block except its hints.
void set_block(const BlockChoice& choice, UastcBlock& block) {
  const UastcMode& mode = kUastcModes[choice.mode];
  block.mode = choice.mode;
  block.partition = choice.partition;
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

// The content of a block. Blocks of one content are searched in the same way.
enum class Content : std::uint8_t {
  kNatural,    // photographs, rendered light
  kGradient,   // looks synthetic only because a slow gradient has few steps: as natural, and in modes of few levels
  kSynthetic,  // few colors: modes are exact or far off, so all are tried, and BC7's losses decide
};
inline constexpr std::size_t kContents = 3;

struct ContentSettings {
  SearchSettings opaque, alpha;  // for trials of modes without and with alpha; refinement uses opaque

  const SearchSettings& of(BlockClass c) const { return c == BlockClass::kOpaque ? opaque : alpha; }
  // A gray block keeps the best candidates of the opaque and of the gray modes.
  int candidates(BlockKind kind) const {
    if (kind == BlockKind::kOpaque) return opaque.candidates;
    return kind == BlockKind::kAlpha ? alpha.candidates
                                     : std::min(opaque.candidates + alpha.candidates, kMaxModeCandidates);
  }
};
struct UastcSettings {
  std::array<ContentSettings, kContents> contents;
  int gradient_contrast;  // opaque blocks that look synthetic and have less contrast are kGradient

  const ContentSettings& of(Content content) const { return contents[static_cast<std::size_t>(content)]; }
};

ContentSettings natural_settings(Effort effort) {
  SearchSettings s;
  switch (effort) {
    case Effort::kFast:
      s.few_levels = false;
      s.plane_trust = 0.7f;
      s.off_axis_fraction = 0.5f;
      s.good_error = 48;
      s.refinement = {3, 1};
      break;
    case Effort::kNormal:
      s.few_levels = false;
      s.plane_trust = 0.35f;
      s.off_axis_fraction = 0.4f;
      s.good_error = 8;
      s.easy_error = 16;
      s.easy_refinement = {4, 1};
      s.candidates = 2;
      s.candidate_window = 1.3f;
      s.bc7_fraction = 0.25f;
      s.refinement = {8, 2};
      break;
    case Effort::kBest:
      s.partition2_candidates = 6;
      s.partition7_candidates = 3;
      s.partition3_candidates = 3;
      s.dual_plane_candidates = 4;
      s.candidates = 4;
      s.bc7_fraction = 0.25f;
      s.plane_trust = 0.2f;
      s.refinement = {.seeds = 12, .passes = 2, .uneven = true};
      break;
  }
  ContentSettings settings{s, s};
  // With soft edges the estimates are less reliable, and several modes are often nearly exact.
  settings.alpha.plane_trust = 0.35f;
  settings.alpha.partition_trust = 0.15f;
  settings.alpha.partition2_candidates = effort == Effort::kFast ? 3 : effort == Effort::kNormal ? 4 : 6;
  settings.alpha.candidates = std::max(s.candidates, 2);
  return settings;
}

ContentSettings gradient_settings(Effort effort) {
  ContentSettings settings = natural_settings(effort);
  SearchSettings& s = settings.opaque;
  s.few_levels = true;
  if (effort == Effort::kNormal) {
    s.trials_count_bc7 = true;
    s.bc7_fraction = 1;
    s.good_error = 4;
    s.easy_error = 0;
  }
  return settings;
}

ContentSettings synthetic_settings(Effort effort) {
  SearchSettings s;
  s.dual_plane_candidates = 4;
  s.plane_trust = 0;  // modes of two planes are exact in BC7 where others are off by one
  s.partition_trust = 0.05f;
  s.off_axis_fraction = 0;
  s.candidates = 4;
  s.candidate_window = 4;
  s.bc7_fraction = 1;
  s.trials_count_bc7 = true;
  switch (effort) {
    case Effort::kFast:
      s.partition2_candidates = 2;
      s.partition7_candidates = 1;
      s.partition3_candidates = 1;
      s.good_error = 1;
      s.trial = {3, 1};
      s.refinement = {6, 1};
      break;
    case Effort::kNormal:
      s.partition2_candidates = 2;
      s.partition7_candidates = 1;
      s.partition3_candidates = 1;
      s.dual_plane_candidates = 2;
      s.partition_trust = 0.1f;
      s.candidates = 2;
      s.good_error = 1;
      s.trial = {4, 1};
      s.refinement = {7, 2};
      break;
    case Effort::kBest:
      s.partition2_candidates = static_cast<int>(kPartitions2.size());
      s.partition7_candidates = static_cast<int>(kPartitions7.size());
      s.partition3_candidates = static_cast<int>(kPartitions3.size());
      s.bc7_fraction = 0.25f;
      s.trial = {.seeds = 7, .passes = 1, .uneven = true};
      s.candidates = kMaxModeCandidates;
      s.refinement = {.seeds = 16, .passes = 4, .uneven = true};
      break;
  }
  return {s, s};
}

UastcSettings settings_of(const EncodeOptions& options) {
  const Effort effort = options.effort;
  const int gradient_contrast = effort == Effort::kFast ? 32 : effort == Effort::kNormal ? 16 : 0;
  UastcSettings all = {{natural_settings(effort), gradient_settings(effort), synthetic_settings(effort)},
                       gradient_contrast};
  for (ContentSettings& content : all.contents) {
    for (SearchSettings* s : {&content.opaque, &content.alpha}) {
      s->channel_weights = channel_weights_of(options);
      // These thresholds are stated for four channels of weight 1.
      const float fraction = std::accumulate(s->channel_weights.begin(), s->channel_weights.end(), 0.0f) / 4;
      s->good_error *= fraction;
      s->easy_error *= fraction;
    }
  }
  return all;
}

// The working memory of a tile: less than 400 KiB for each thread.
struct Tile {
  std::size_t count;
  std::array<std::uint32_t, kTileBlocks> numbers;  // of the blocks in the image
  std::array<BlockTexels, kTileBlocks> texels;
  std::array<PlanarBlock, kTileBlocks> blocks;
  std::array<BlockKind, kTileBlocks> kinds;
  // The numbers of the blocks that are not solid, sorted by content and kind. Those of content c and kind k are
  // [first_of[c][k], first_of[c][k + 1]). Those of content c end at first_of[c][kSolid].
  std::array<std::uint32_t, kTileBlocks> order;
  std::array<std::array<std::uint32_t, kBlockKinds>, kContents> first_of;
  std::array<ModeCandidates, kTileBlocks> candidates, gray_candidates;   // of order[i]
  std::array<RefineJob, kTileBlocks * kMaxModeCandidates> listed, jobs;  // for refine_blocks: as found, and by mode
  std::array<BlockChoice, kTileBlocks> best;
  std::array<PlanarBlock, kTileBlocks> decoded;
  std::array<UastcBlock, kTileBlocks> uastc;

  std::span<const PlanarBlock> tile() const { return std::span(blocks).first(count); }
  std::uint32_t unsolid() const { return first_of.back().back(); }
  std::uint32_t first_of_kind(Content content, BlockKind kind) const {
    return first_of[static_cast<std::size_t>(content)][static_cast<std::size_t>(kind)];
  }
};

// The largest difference between two texels in one channel.
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

Content content_of(const BlockTexels& block, BlockKind kind, int gradient_contrast) {
  if (!is_synthetic(block)) return Content::kNatural;
  const bool opaque = kind == BlockKind::kOpaque || kind == BlockKind::kGrayOpaque;
  return opaque && contrast_of(block) < gradient_contrast ? Content::kGradient : Content::kSynthetic;
}

void load_tile(const TexelView& image, int gradient_contrast, Tile& tile) {
  const std::size_t count = tile.count;
  for (std::size_t i = 0; i < count; ++i) load_block(image, tile.numbers[i], tile.texels[i]);
  split_blocks(std::span(tile.texels).first(count), tile.blocks, tile.kinds);
  std::array<Content, kTileBlocks> contents;
  std::array<std::array<std::uint32_t, kBlockKinds>, kContents> counts{};
  const auto entry = [&](auto& table, std::size_t i) -> auto& {
    return table[static_cast<std::size_t>(contents[i])][static_cast<std::size_t>(tile.kinds[i])];
  };
  for (std::size_t i = 0; i < count; ++i) {
    contents[i] = content_of(tile.texels[i], tile.kinds[i], gradient_contrast);
    ++entry(counts, i);
  }
  std::uint32_t placed = 0;
  for (std::size_t content = 0; content < kContents; ++content) {
    for (std::size_t kind = 0; kind < kBlockKinds; ++kind) {
      tile.first_of[content][kind] = placed;
      if (static_cast<BlockKind>(kind) != BlockKind::kSolid) placed += counts[content][kind];
    }
  }
  auto place = tile.first_of;
  for (std::uint32_t i = 0; i < count; ++i)
    if (tile.kinds[i] != BlockKind::kSolid) tile.order[entry(place, i)++] = i;
  tile.best.fill({});
}

// Tries the modes of every class that can represent a block. A gray block belongs to two classes; the best candidates
// of both are kept.
void rank_candidates(Content content, const ContentSettings& settings, Tile& tile) {
  const auto rank = [&](BlockKind from, BlockKind to, BlockClass block_class, std::span<ModeCandidates> candidates) {
    const std::size_t first = tile.first_of_kind(content, from), count = tile.first_of_kind(content, to) - first;
    if (count != 0)
      rank_uastc(tile.tile(), std::span(tile.order).subspan(first, count), block_class, settings.of(block_class),
                 candidates.subspan(first, count));
  };
  rank(BlockKind::kOpaque, BlockKind::kGrayAlpha, BlockClass::kOpaque, tile.candidates);
  rank(BlockKind::kGrayAlpha, BlockKind::kSolid, BlockClass::kAlpha, tile.candidates);
  rank(BlockKind::kGrayOpaque, BlockKind::kAlpha, BlockClass::kGrayAlpha, tile.gray_candidates);
  for (std::size_t i = tile.first_of_kind(content, BlockKind::kGrayOpaque);
       i < tile.first_of_kind(content, BlockKind::kAlpha); ++i) {
    const BlockClass from =
        i < tile.first_of_kind(content, BlockKind::kGrayAlpha) ? BlockClass::kOpaque : BlockClass::kAlpha;
    const ModeCandidates color = tile.candidates[i], gray = tile.gray_candidates[i];
    std::array<ModeCandidate, 2 * kMaxModeCandidates> both{};
    auto end = std::copy_n(color.begin(), settings.of(from).candidates, both.begin());
    end = std::copy_n(gray.begin(), settings.alpha.candidates, end);
    std::sort(both.begin(), end, [](const ModeCandidate& a, const ModeCandidate& b) {
      return std::pair(a.error, a.mode) < std::pair(b.error, b.mode);
    });
    std::copy_n(both.begin(), settings.candidates(BlockKind::kGrayAlpha), tile.candidates[i].begin());
  }
}

// Refines the candidates of the blocks of a content whose least error is in [from, to). The jobs are sorted by mode, so
// that the lanes have the same work. The best fit of each block is kept.
void refine_blocks(Content content, const ContentSettings& settings, float from, float to, Tile& tile) {
  std::size_t count = 0;
  std::array<std::uint32_t, kUastcModeCount> count_of{};
  for (const BlockKind kind : {BlockKind::kOpaque, BlockKind::kGrayOpaque, BlockKind::kGrayAlpha, BlockKind::kAlpha}) {
    const auto places = static_cast<std::size_t>(settings.candidates(kind));
    const auto end = tile.first_of_kind(content, static_cast<BlockKind>(static_cast<std::size_t>(kind) + 1));
    for (std::uint32_t i = tile.first_of_kind(content, kind); i < end; ++i) {
      const float least = tile.candidates[i][0].error;
      if (least < from || least >= to) continue;
      const float most = least * settings.opaque.candidate_window + 16;
      for (const ModeCandidate& c : std::span(tile.candidates[i]).first(places)) {
        if (c.error > most) break;
        tile.listed[count++] = {tile.order[i], c.mode, c.partition, c.second_plane};
        ++count_of[c.mode];
      }
    }
  }
  std::array<std::uint32_t, kUastcModeCount> place{};
  std::exclusive_scan(count_of.begin(), count_of.end(), place.begin(), 0u);
  for (const RefineJob& job : std::span(tile.listed).first(count)) tile.jobs[place[job.mode]++] = job;

  const RefineJob* first = tile.jobs.data();
  for (unsigned mode = 0; mode < kUastcModeCount; first += count_of[mode++])
    if (count_of[mode] != 0)
      refine_uastc(tile.tile(), {first, count_of[mode]}, settings.opaque, tile.best, tile.decoded);
}

// Refines blocks that are nearly right lightly, and the others as the settings state.
void refine_candidates(Content content, const ContentSettings& settings, Tile& tile) {
  const float easy_error = settings.opaque.easy_error;
  if (easy_error > 0) {
    ContentSettings easy = settings;
    easy.opaque.candidates = easy.alpha.candidates = 1;
    easy.opaque.bc7_fraction = 0;
    easy.opaque.refinement = settings.opaque.easy_refinement;
    refine_blocks(content, easy, 0, easy_error, tile);
  }
  refine_blocks(content, settings, easy_error, std::numeric_limits<float>::infinity(), tile);
}

// Lets a tile hold consecutive blocks.
void number_tile(std::size_t first, std::size_t count, Tile& tile) {
  tile.count = count;
  std::iota(tile.numbers.begin(), tile.numbers.begin() + static_cast<std::ptrdiff_t>(count),
            static_cast<std::uint32_t>(first));
}

// Finds the best blocks of a tile, without hints. The results are in tile.uastc.
void search_tile(const TexelView& image, const UastcSettings& settings, Tile& tile) {
  load_tile(image, settings.gradient_contrast, tile);
  const std::size_t count = tile.count;
  UastcBlock solid = make_solid_uastc(tile.texels[0][0]);
  for (std::size_t i = 0; i < count; ++i) {
    if (tile.kinds[i] != BlockKind::kSolid) continue;
    if (tile.texels[i][0] != solid.solid_color) solid = make_solid_uastc(tile.texels[i][0]);
    tile.uastc[i] = solid;
  }
  for (const Content content : {Content::kNatural, Content::kGradient, Content::kSynthetic}) {
    rank_candidates(content, settings.of(content), tile);
    refine_candidates(content, settings.of(content), tile);
  }

  for (const std::uint32_t i : std::span(tile.order).first(tile.unsolid())) set_block(tile.best[i], tile.uastc[i]);
}

}  // namespace

Result<void> encode_uastc(const TexelView& texels, const EncodeOptions& options, std::span<std::byte> blocks) {
  ASSETC_CHECK(check_arguments(texels, options, blocks.size(), kUastcBlockBytes));
  const UastcSettings settings = settings_of(options);
  const bool repeats = options.rdo > 0 && options.effort == Effort::kFast;
  std::vector<std::uint32_t> from, kept;  // if blocks may repeat others: see find_repeats, and those that do not
  if (repeats) {
    from.resize(texels.block_count());
    find_repeats(texels, options, from);
    for (std::uint32_t i = 0; i < from.size(); ++i)
      if (from[i] == i) kept.push_back(i);
  }
  for_each_tile(repeats ? kept.size() : texels.block_count(), kTileBlocks, [&](std::size_t first, std::size_t count) {
    Tile& tile = thread_object<Tile>();
    number_tile(first, count, tile);
    if (repeats) std::copy_n(&kept[first], count, tile.numbers.begin());
    search_tile(texels, settings, tile);
    choose_hints(tile.uastc, tile.decoded, tile.blocks, std::span(tile.order).first(tile.unsolid()),
                 hint_effort(options.effort));
    for (std::size_t i = 0; i < count; ++i) {
      const UastcBytes bytes = pack_uastc(tile.uastc[i]);
      std::memcpy(&blocks[tile.numbers[i] * kUastcBlockBytes], bytes.data(), bytes.size());
    }
  });
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != i) std::memcpy(&blocks[i * kUastcBlockBytes], &blocks[from[i] * kUastcBlockBytes], kUastcBlockBytes);
  if (options.rdo > 0 && !repeats) apply_uastc_rdo(texels, options, blocks);
  return {};
}

Result<void> encode_astc_4x4(const TexelView& texels, const EncodeOptions& options, bool srgb,
                             std::span<std::byte> blocks, std::span<float> errors) {
  ASSETC_CHECK(check_arguments(texels, options, blocks.size(), kUastcBlockBytes));
  if (errors.size() != texels.block_count())
    return fail(ErrorCode::kUsage, "expected one element of errors for each block");
  UastcSettings settings = settings_of(options);
  for (ContentSettings& content : settings.contents) {
    for (SearchSettings* s : {&content.opaque, &content.alpha}) {
      s->bc7_fraction = 0;
      s->trials_count_bc7 = false;
      s->trial.srgb = s->refinement.srgb = s->easy_refinement.srgb = srgb;
    }
  }
  for_each_tile(texels.block_count(), kTileBlocks, [&](std::size_t first, std::size_t count) {
    Tile& tile = thread_object<Tile>();
    number_tile(first, count, tile);
    search_tile(texels, settings, tile);
    for (std::size_t i = 0; i < count; ++i) {
      pack_astc(tile.uastc[i], reinterpret_cast<std::uint8_t*>(&blocks[(first + i) * kUastcBlockBytes]));
      errors[first + i] = tile.kinds[i] == BlockKind::kSolid ? 0.0f : tile.best[i].error;
    }
  });
  return {};
}

}  // namespace assetc::codec
