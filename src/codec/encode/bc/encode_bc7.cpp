#include "codec/encode/bc/encode_bc7.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <optional>
#include <vector>

#include "codec/encode/bc/bc7_search.hpp"

namespace assetc::codec {
namespace {

// The fraction of a subset's variance along its axis that remains after its indices. These values rank candidates best
// on photographs.
constexpr float kLossSplit = 1.0f / 160, kLossRotated = 1.0f / 16;

// The expected error of a mode is grid, the error of its quantized endpoints, plus the parts of a PartitionCandidate
// times the factors off, along and own. The values are from a regression over photographs and materials.
struct Expectation {
  float grid = 0, off = 0, along = 0, own = 0;
};
constexpr Expectation kMode0 = {118, 1.86f, 1 / 57.0f}, kMode1 = {24.3f, 1.39f, 1 / 441.0f},
                      kMode2 = {68, 2.0f, 1 / 38.0f}, kMode3 = {10.7f, 1.89f, 1 / 860.0f},
                      kMode7 = {94, 1.86f, 1 / 172.0f};

// The same for gray blocks, whose candidates have one part: the error that evenly spaced levels leave.
constexpr Expectation kGrayMode0 = {20, 0.6f}, kGrayMode1 = {3.5f, 0.6f}, kGrayMode2 = {60, 1}, kGrayMode3 = {30, 1};

// The modes in which one channel has its own indices.
struct RotatedExpectations {
  Expectation mode4[2];  // by index_select
  Expectation mode5;
};
constexpr RotatedExpectations kRotatedOpaque = {
    {{38, 2.4f, 1 / 48.0f, 1 / 359.0f}, {31.5f, 2.2f, 1 / 176.0f, 1 / 48.0f}}, {13, 2.4f, 1 / 81.0f, 1 / 96.0f}};
constexpr RotatedExpectations kRotatedAlpha = {{{72, 1.6f, 1 / 36.0f, 1 / 107.0f}, {60, 1.42f, 1 / 88.0f, 1 / 36.5f}},
                                               {18, 1.4f, 1 / 43.0f, 1 / 42.0f}};

// Errors of a block if the channel weights are 1 on average. Below kLight little can be gained, above kHeavy much.
constexpr float kLight = 100, kHeavy = 500;
constexpr float kWiderWhereHeavy = 1.6f;
// A block of few colors is tried in more partitions, or rotations, than a block of many only if its error is not below
// this.
constexpr float kMorePartitions = 30, kMoreRotations = 100;

// The attempts of an effort.
struct Plan {
  RampEffort effort;
  EndReach reach = {}, subset_reach = {};           // for gray blocks
  int mode1 = 0, mode3 = 0, mode7 = 0;              // partitions into two subsets to try in that mode
  int mode0 = 0, mode2 = 0;                         // partitions into three subsets
  int mode5 = 0, mode4 = 0;                         // rotations
  int few_mode3 = 0, few_mode7 = 0, few_mode4 = 0;  // the same for blocks of few colors, if it is larger
  // A shape is tried if its expected error is below the least error so far times window. If the block has many colors
  // and the least error is below kLight, light_window takes the place of window.
  float window = 1, light_window = 1;
};

Plan plan_of(Effort effort) {
  switch (effort) {
    case Effort::kFast:
      return {.effort = {4, 2, 2},
              .mode1 = 1,
              .mode7 = 1,
              .mode5 = 1,
              .few_mode3 = 1,
              .few_mode7 = 2,
              .few_mode4 = 1,
              .light_window = 0.8f};
    case Effort::kNormal:
      return {.effort = {4, 2, 2},
              .mode1 = 2,
              .mode3 = 1,
              .mode7 = 2,
              .mode0 = 1,
              .mode5 = 1,
              .mode4 = 1,
              .window = 1.25f,
              .light_window = 1.1f};
    default:
      return {.effort = {16, 4, 4},
              .mode1 = 8,
              .mode3 = 4,
              .mode7 = 8,
              .mode0 = 4,
              .mode2 = 4,
              .mode5 = 2,
              .mode4 = 2,
              .window = 3,
              .light_window = 3};
  }
}

// Opaque gray is fitted as one channel instead of three, so more can be tried.
Plan gray_plan_of(Effort effort) {
  switch (effort) {
    case Effort::kFast:
      return {.effort = {4, 1, 2}, .reach = {2, 3}, .subset_reach = {1, 2}, .mode1 = 1, .mode3 = 1, .mode0 = 1};
    case Effort::kNormal:
      return {
          .effort = {8, 2, 2}, .reach = {3, 4}, .subset_reach = {2, 3}, .mode1 = 2, .mode3 = 2, .mode0 = 2, .mode2 = 1};
    default:
      return {.effort = {32, 8, 4},
              .reach = {6, 8},
              .subset_reach = {3, 4},
              .mode1 = 12,
              .mode3 = 8,
              .mode0 = 4,
              .mode2 = 4,
              .window = 3};
  }
}

// A few colors may lie exactly on the levels of a ramp, or divide exactly into subsets. Expectations for evenly spread
// colors do not apply to them.
enum class ColorCount : std::uint8_t { kMany, kFew, kTwo };  // kTwo: colors compared with their alpha

// Gray is one channel, so more values than colors fit on levels or into subsets.
constexpr int kFewColors = 6, kFewGrays = 8;

ColorCount color_count_of(const BlockTexels& texels, BlockKind kind) {
  const auto words = std::bit_cast<std::array<std::uint32_t, kBlockTexels>>(texels);
  std::uint32_t other = words[0];
  bool more = false;
  std::uint64_t seen = 0;  // one bit for each hash of a color: never more bits than colors
  for (const std::uint32_t word : words) {
    if (word != words[0] && word != other) {
      more |= other != words[0];
      other = word;
    }
    seen |= std::uint64_t{1} << ((word & kColorBits) * 0x9E3779B1u >> 26);
  }
  if (!more) return ColorCount::kTwo;
  return std::popcount(seen) <= (kind == BlockKind::kGrayOpaque ? kFewGrays : kFewColors) ? ColorCount::kFew
                                                                                          : ColorCount::kMany;
}

using Order = std::vector<std::uint32_t>;

enum class ChannelSet : std::uint8_t { kColor, kGray, kAlpha };  // the first two are opaque

// Searches the blocks of one channel set in a tile. Keeps the best result for each.
class Search {
 public:
  Search(std::span<const PlanarBlock> blocks, const Order& order, std::span<const ColorCount> color_counts,
         ChannelSet channels, const std::array<float, 4>& weights, const Plan& plan, std::span<Bc7Choice> best)
      : blocks_(blocks),
        order_(order),
        color_counts_(color_counts),
        plan_(plan),
        scale_((weights[0] + weights[1] + weights[2]) / 3),
        best_(best) {
    settings_.channel_weights = weights;
    settings_.opaque = channels != ChannelSet::kAlpha;
    settings_.gray = channels == ChannelSet::kGray;
    settings_.effort = plan.effort;
    settings_.reach = plan.reach;
    settings_.subset_reach = plan.subset_reach;
    if (channels == ChannelSet::kAlpha) settings_.effort.seeds *= 2;
  }

  void run() {
    Order pairs;
    for (const std::uint32_t i : order_)
      if (color_counts_[i] == ColorCount::kTwo) pairs.push_back(i);
    fit_bc7_two_colors(blocks_, pairs, settings_, best_);
    fit_bc7(blocks_, improvable_blocks(0), {.mode = 6}, settings_, best_);
    if (settings_.gray) {
      gray_subsets({1, plan_.mode1, kGrayMode1}, {2, 64, 8, false});
      gray_subsets({3, plan_.mode3, kGrayMode3}, {2, 64, 4, false});
      gray_subsets({0, plan_.mode0, kGrayMode0}, {3, 16, 8, false});
      gray_subsets({2, plan_.mode2, kGrayMode2}, {3, 64, 4, false});
    } else if (settings_.opaque) {
      two_subsets({{1, plan_.mode1, kMode1}, {3, plan_.mode3, kMode3, plan_.few_mode3}});
      three_subsets({0, plan_.mode0, kMode0}, 16);
      three_subsets({2, plan_.mode2, kMode2}, 64);
      rotations(kRotatedOpaque);
    } else {
      rotations(kRotatedAlpha);
      two_subsets({{7, plan_.mode7, kMode7, plan_.few_mode7}});
    }
  }

 private:
  struct Use {
    std::uint8_t mode;
    int candidates;
    Expectation expected;
    int few_candidates = 0;
    int most() const { return std::max(candidates, few_candidates); }
  };

  // Whether a shape with this expected error is worth trying.
  bool improvable(std::uint32_t block, float expected) const {
    const float best = best_[block].error;
    if (settings_.gray) return expected < best * plan_.window;
    if (best > kHeavy * scale_) return expected < best * plan_.window * kWiderWhereHeavy;
    const bool light = color_counts_[block] == ColorCount::kMany && best < kLight * scale_;
    return expected < best * (light ? plan_.light_window : plan_.window);
  }

  // The blocks that a mode whose grid has this error may improve.
  Order improvable_blocks(float grid) const {
    Order left;
    for (const std::uint32_t i : order_)
      if (improvable(i, color_counts_[i] == ColorCount::kMany ? grid * scale_ : 0)) left.push_back(i);
    return left;
  }

  float error_of(const Expectation& expected, std::uint32_t block, const PartitionCandidate& candidate) const {
    if (color_counts_[block] != ColorCount::kMany) return candidate.off;
    return expected.grid * scale_ + expected.off * candidate.off + expected.along * candidate.along +
           expected.own * candidate.own;
  }

  // The blocks that are left, and count candidates for each.
  struct Ranked {
    Order left;
    int count;
    std::vector<PartitionCandidate> candidates;
  };
  Ranked prepare(float grid, int count) const {
    Ranked ranked{improvable_blocks(grid), count, {}};
    ranked.candidates.resize(ranked.left.size() * static_cast<std::size_t>(count));
    return ranked;
  }

  // Fits shape to the blocks for which candidate number place is expected to be better, grouped by partition or
  // rotation. With few_above, only blocks of few colors whose error is at least few_above are considered.
  void try_shape(const Ranked& ranked, int place, const Expectation& expected, Bc7Shape shape,
                 std::uint8_t Bc7Shape::* variant, std::optional<float> few_above = {}) {
    for (Order& order : of_variant_) order.clear();
    for (std::size_t i = 0; i < ranked.left.size(); ++i) {
      const PartitionCandidate& candidate =
          ranked.candidates[i * static_cast<std::size_t>(ranked.count) + static_cast<std::size_t>(place)];
      const std::uint32_t block = ranked.left[i];
      if (few_above && (color_counts_[block] == ColorCount::kMany || best_[block].error < *few_above * scale_))
        continue;
      if (improvable(block, error_of(expected, block, candidate))) of_variant_[candidate.partition].push_back(block);
    }
    for (unsigned v = 0; v < kBc7PartitionCount; ++v) {
      if (of_variant_[v].empty()) continue;
      shape.*variant = static_cast<std::uint8_t>(v);
      fit_bc7(blocks_, of_variant_[v], shape, settings_, best_);
    }
  }

  void two_subsets(std::initializer_list<Use> uses) {
    int most = 0;
    float grid = 1e30f;
    for (const Use& use : uses) {
      most = std::max(most, use.most());
      if (use.candidates > 0) grid = std::min(grid, use.expected.grid);
    }
    if (most == 0) return;
    Ranked ranked = prepare(grid, most);
    rank_bc7_two_subsets(blocks_, ranked.left, settings_, kLossSplit, most, ranked.candidates);
    for (const Use& use : uses)
      for (int place = 0; place < use.most(); ++place)
        try_shape(ranked, place, use.expected, {.mode = use.mode}, &Bc7Shape::partition,
                  place < use.candidates ? std::nullopt : std::optional(kMorePartitions));
  }

  void three_subsets(const Use& use, unsigned partitions) {
    if (use.candidates == 0) return;
    Ranked ranked = prepare(use.expected.grid, use.candidates);
    rank_bc7_three_subsets(blocks_, ranked.left, settings_, kLossSplit, partitions, use.candidates, ranked.candidates);
    for (int place = 0; place < use.candidates; ++place)
      try_shape(ranked, place, use.expected, {.mode = use.mode}, &Bc7Shape::partition);
  }

  // Blocks of many colors and blocks of few colors are ranked separately.
  void gray_subsets(const Use& use, GrayRanking what) {
    if (use.candidates == 0) return;
    const Order left = improvable_blocks(use.expected.grid);
    for (const bool many : {true, false}) {
      Ranked ranked{{}, use.candidates, {}};
      for (const std::uint32_t i : left)
        if ((color_counts_[i] == ColorCount::kMany) == many) ranked.left.push_back(i);
      ranked.candidates.resize(ranked.left.size() * static_cast<std::size_t>(use.candidates));
      what.even = many;
      rank_bc7_gray(blocks_, ranked.left, settings_, what, use.candidates, ranked.candidates);
      for (int place = 0; place < use.candidates; ++place)
        try_shape(ranked, place, use.expected, {.mode = use.mode}, &Bc7Shape::partition);
    }
  }

  void rotations(const RotatedExpectations& expected) {
    const int most = std::max({plan_.mode5, plan_.mode4, plan_.few_mode4});
    if (most == 0) return;
    Ranked ranked = prepare(expected.mode5.grid, most);
    rank_bc7_rotations(blocks_, ranked.left, settings_, kLossRotated, most, ranked.candidates);
    for (int place = 0; place < most; ++place) {
      if (place < plan_.mode5) try_shape(ranked, place, expected.mode5, {.mode = 5}, &Bc7Shape::rotation);
      if (place >= std::max(plan_.mode4, plan_.few_mode4)) continue;
      for (const std::uint8_t select : {std::uint8_t{0}, std::uint8_t{1}})
        try_shape(ranked, place, expected.mode4[select], {.mode = 4, .index_select = select}, &Bc7Shape::rotation,
                  place < plan_.mode4 ? std::nullopt : std::optional(kMoreRotations));
    }
  }

  std::span<const PlanarBlock> blocks_;
  const Order& order_;
  std::span<const ColorCount> color_counts_;
  Plan plan_;
  float scale_;
  Bc7FitSettings settings_;
  std::span<Bc7Choice> best_;
  std::array<Order, kBc7PartitionCount> of_variant_;
};

}  // namespace

void encode_bc7_tile(const TexelView& image, std::size_t first, std::size_t count, const EncodeOptions& options,
                     std::byte* out) {
  std::vector<BlockTexels> texels(count);
  std::vector<PlanarBlock> blocks(count);
  std::vector<BlockKind> kinds(count);
  std::vector<ColorCount> color_counts(count);
  for (std::size_t i = 0; i < count; ++i) load_block(image, first + i, texels[i]);
  split_blocks(texels, blocks, kinds);
  Order color, gray, alpha;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (kinds[i] == BlockKind::kSolid) continue;
    color_counts[i] = color_count_of(texels[i], kinds[i]);
    (kinds[i] == BlockKind::kOpaque ? color : kinds[i] == BlockKind::kGrayOpaque ? gray : alpha).push_back(i);
  }
  std::vector<Bc7Choice> best(count);
  const std::array<float, 4> weights = channel_weights_of(options);
  const Plan plan = plan_of(options.effort);
  if (!color.empty()) Search(blocks, color, color_counts, ChannelSet::kColor, weights, plan, best).run();
  if (!gray.empty())
    Search(blocks, gray, color_counts, ChannelSet::kGray, weights, gray_plan_of(options.effort), best).run();
  if (!alpha.empty()) Search(blocks, alpha, color_counts, ChannelSet::kAlpha, weights, plan, best).run();
  for (std::size_t i = 0; i < count; ++i) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(out) + (first + i) * 16;
    if (kinds[i] == BlockKind::kSolid)
      pack_bc7_solid(texels[i][0], bytes);
    else
      pack_bc7(best[i].block, bytes);
  }
}

}  // namespace assetc::codec
