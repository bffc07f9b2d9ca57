#include "codec/bc7_encode.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "codec/bc7_search.hpp"

namespace assetc::codec {
namespace {

// Share of a subset's variance along its axis that indices leave behind, as it ranks candidates best on photographs.
constexpr float kLossSplit = 1.0f / 160, kLossRotated = 1.0f / 16;

// What is tried, and how hard. Errors are those of a block with channel weights of 1 on average.
struct Plan {
  RampEffort whole;   // modes 4 to 6
  RampEffort split;   // the others
  int one = 0, three = 0, seven = 0;  // partitions into two subsets tried in the mode of that name
  int zero = 0, two = 0;              // partitions into three
  int five = 0, four = 0;             // rotations
  float enough = 1;                  // an error that is not worth more work
  float more = 1;                    // second and later candidates are tried above this error
  float hard = 1;                    // three subsets are tried above this error
  float trust = 0.45f;                // a shape is tried where this share of its estimate is below the best error
};

Plan plan_of(Effort effort) {
  switch (effort) {
    case Effort::kFast:
      return {.whole = {4, 2, 2}, .split = {4, 2, 2}, .one = 1, .seven = 1, .five = 1};
    case Effort::kNormal:
      return {.whole = {4, 2, 2}, .split = {4, 2, 2}, .one = 2, .three = 1, .seven = 2, .zero = 1, .five = 1, .four = 1,
              .more = 100, .hard = 200};
    default:
      return {.whole = {16, 4, 4}, .split = {16, 4, 4}, .one = 8, .three = 4, .seven = 8, .zero = 4, .two = 4, .five = 2, .four = 2};
  }
}

using Order = std::vector<std::uint32_t>;

// A tile's blocks of one class, opaque or not, and the best found for each.
class Search {
 public:
  Search(std::span<const PlanarBlock> blocks, const Order& order, bool opaque, const std::array<float, 4>& weights, const Plan& plan,
         std::span<Bc7Choice> best)
      : blocks_(blocks), order_(order), plan_(plan), best_(best) {
    settings_.channel_weights = weights;
    settings_.opaque = opaque;
    const float scale = (weights[0] + weights[1] + weights[2]) / 3;
    for (float* error : {&plan_.enough, &plan_.more, &plan_.hard}) *error *= scale;
  }

  void run() {
    settings_.effort = plan_.whole;
    fit_bc7(blocks_, order_, {.mode = 6}, settings_, best_);
    if (settings_.opaque) {
      two_subsets({{1, plan_.one}, {3, plan_.three}});
      three_subsets(0, 16, plan_.zero);
      three_subsets(2, 64, plan_.two);
      if (plan_.four > 0) rotations();
    } else {
      rotations();
      two_subsets({{7, plan_.seven}});
    }
  }

 private:
  struct Use {
    std::uint8_t mode;
    int candidates;
  };

  Order worse_than(float error) const {
    Order left;
    for (const std::uint32_t i : order_)
      if (best_[i].error > error) left.push_back(i);
    return left;
  }

  bool promising(std::uint32_t block, float estimate) const { return estimate * plan_.trust < best_[block].error; }

  // Tries candidate number place of every block in one mode, the blocks of one partition together.
  void try_partitions(const Order& left, const std::vector<Bc7Candidates>& candidates, std::uint8_t mode, int place) {
    std::array<Order, kBc7PartitionCount> of_partition;
    for (std::size_t i = 0; i < left.size(); ++i)
      if ((place == 0 || best_[left[i]].error > plan_.more) &&
          promising(left[i], candidates[i].estimate[static_cast<std::size_t>(place)]))
        of_partition[candidates[i].partition[static_cast<std::size_t>(place)]].push_back(left[i]);
    for (unsigned p = 0; p < kBc7PartitionCount; ++p)
      if (!of_partition[p].empty())
        fit_bc7(blocks_, of_partition[p], {.mode = mode, .partition = static_cast<std::uint8_t>(p)}, settings_, best_);
  }

  void two_subsets(std::initializer_list<Use> uses) {
    int most = 0;
    for (const Use& use : uses) most = std::max(most, use.candidates);
    if (most == 0) return;
    const Order left = worse_than(plan_.enough);
    std::vector<Bc7Candidates> candidates(left.size());
    rank_bc7_two(blocks_, left, settings_, kLossSplit, most, candidates);
    settings_.effort = plan_.split;
    for (const Use& use : uses)
      for (int place = 0; place < use.candidates; ++place) try_partitions(left, candidates, use.mode, place);
  }

  void three_subsets(std::uint8_t mode, unsigned partitions, int count) {
    if (count == 0) return;
    const Order left = worse_than(plan_.hard);
    std::vector<Bc7Candidates> candidates(left.size());
    rank_bc7_three(blocks_, left, settings_, kLossSplit, partitions, count, candidates);
    settings_.effort = plan_.split;
    for (int place = 0; place < count; ++place) try_partitions(left, candidates, mode, place);
  }

  void rotations() {
    const int most = std::max(plan_.five, plan_.four);
    if (most == 0) return;
    const Order left = worse_than(plan_.enough);
    std::vector<Bc7Candidates> candidates(left.size());
    rank_bc7_rotations(blocks_, left, settings_, kLossRotated, candidates);
    settings_.effort = plan_.whole;
    for (int place = 0; place < std::min(most, settings_.opaque ? 3 : 4); ++place) {
      std::array<Order, 4> of_rotation;
      for (std::size_t i = 0; i < left.size(); ++i)
        if (promising(left[i], candidates[i].estimate[static_cast<std::size_t>(place)]))
          of_rotation[candidates[i].partition[static_cast<std::size_t>(place)]].push_back(left[i]);
      for (std::uint8_t r = 0; r < 4; ++r) {
        if (of_rotation[r].empty()) continue;
        if (place < plan_.five) fit_bc7(blocks_, of_rotation[r], {.mode = 5, .rotation = r}, settings_, best_);
        if (place >= plan_.four) continue;
        for (const std::uint8_t select : {std::uint8_t{0}, std::uint8_t{1}})
          fit_bc7(blocks_, of_rotation[r], {.mode = 4, .rotation = r, .index_select = select}, settings_, best_);
      }
    }
  }

  std::span<const PlanarBlock> blocks_;
  const Order& order_;
  Plan plan_;
  Bc7FitSettings settings_;
  std::span<Bc7Choice> best_;
};

}  // namespace

void encode_bc7_tile(const EncodeImage& image, std::size_t first, std::size_t count, const EncodeOptions& options, std::byte* out) {
  std::vector<BlockTexels> texels(count);
  std::vector<PlanarBlock> blocks(count);
  std::vector<BlockKind> kinds(count);
  for (std::size_t i = 0; i < count; ++i) load_block(image, first + i, texels[i]);
  split_blocks(texels, blocks, kinds);
  Order opaque, alpha;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (kinds[i] == BlockKind::kSolid) continue;
    const bool is_opaque = kinds[i] == BlockKind::kOpaque || kinds[i] == BlockKind::kGreyOpaque;
    (is_opaque ? opaque : alpha).push_back(i);
  }
  std::vector<Bc7Choice> best(count);
  const std::array<float, 4> weights = channel_weights_of(options);
  const Plan plan = plan_of(options.effort);
  if (!opaque.empty()) Search(blocks, opaque, true, weights, plan, best).run();
  if (!alpha.empty()) Search(blocks, alpha, false, weights, plan, best).run();
  for (std::size_t i = 0; i < count; ++i) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(out) + (first + i) * 16;
    if (kinds[i] == BlockKind::kSolid) pack_bc7_solid(texels[i][0], bytes);
    else pack_bc7(best[i].block, bytes);
  }
}

}  // namespace assetc::codec
