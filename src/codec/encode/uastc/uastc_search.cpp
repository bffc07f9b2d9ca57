#include "codec/encode/uastc/uastc_search.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/uastc/uastc_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/encode/uastc/uastc_estimate-inl.hpp"
#include "codec/encode/uastc/uastc_refine-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// The modes of each class, one bit for each mode.
constexpr std::uint32_t kClassModes[] = {0x400ff, 0x07e00, 0x38000};

// The least error of every mode in the trials of a group, and the partition or second plane that it has.
struct Trials {
  V before;  // the least error of trials before these
  alignas(64) Row error[19], choice[19];
};

HWY_INLINE void begin(Trials& trials, V before) {
  trials.before = before;
  for (Row& row : trials.error) store(set(1e30f), row);
  for (Row& row : trials.choice) store(zero(), row);
}

HWY_INLINE void enter(Trials& trials, M wanted, int mode, V error, V choice) {
  const M better = hn::And(wanted, hn::Lt(error, load(trials.error[mode])));
  store(hn::IfThenElse(better, error, load(trials.error[mode])), trials.error[mode]);
  store(hn::IfThenElse(better, choice, load(trials.choice[mode])), trials.choice[mode]);
}

HWY_INLINE V least_error(const Trials& trials) {
  V least = trials.before;
  for (const Row& row : trials.error) least = hn::Min(least, load(row));
  return least;
}

template <int C, int S, int kBits, int R>
HWY_INLINE void try_mode(Trials& trials, M wanted, int mode, V partition, const Channels<C>& ch,
                         const Subsets<S>& subsets, const Moments<C> (&moments)[S], const Row* position,
                         const SearchSettings& settings) {
  Fit<C, S> result;
  fit<C, S, kBits, R>(ch, subsets, moments, position, settings.trial, result);
  V cost = result.error;
  if (settings.trials_count_bc7) {
    const Bc7Ends ends = bc7_ends_of<C, S, kBits>(static_cast<unsigned>(mode));
    cost = add(cost, mul(measure_bc7_error<C, S, kBits, R>(ch, subsets, result.level, result.weight, ends),
                         set(settings.bc7_fraction)));
  }
  enter(trials, wanted, mode, cost, partition);
}

template <int C, int kBits, int R>
HWY_INLINE void try_dual_plane(Trials& trials, int mode, V plane, const Channels<C>& ch,
                               const SearchSettings& settings) {
  Fit<C - 1, 1> rest;
  Fit<1, 1> second;
  V bc7 = zero();
  fit_dual_plane<C, kBits, R>(plane, ch, settings.trial, rest, second, settings.trials_count_bc7 ? &bc7 : nullptr);
  enter(trials, hn::Eq(zero(), zero()), mode, add(add(rest.error, second.error), mul(bc7, set(settings.bc7_fraction))),
        plane);
}

// Blocks are processed this many at a time. After the first trials, each further trial runs only on the blocks that it
// may improve. These are gathered, so that every lane has one.
constexpr std::size_t kTrialBlocks = 512;
constexpr int kMaxPlanes = 4;

// The results of the trials for every block, by the place of the block.
struct BlockTrials {
  alignas(64) float error[19][kTrialBlocks];
  alignas(64) float choice[19][kTrialBlocks];
  alignas(64) float least[kTrialBlocks];
  alignas(64) float off_axis[kTrialBlocks];
  alignas(64) float plane[kMaxPlanes][kTrialBlocks];
  alignas(64) float plane_estimate[kMaxPlanes][kTrialBlocks];
};

// Estimates for a group of blocks.
struct Estimates {
  V off_axis;
  Ranking planes;
};

template <int C>
HWY_INLINE void estimate_group(const Channels<C>& ch, const Moments<C>& all, int planes, Estimates& out) {
  V s[C * (C + 1) / 2];
  scatter<C>(all, ch.root, s);
  out.off_axis = sub(trace<C>(s), frobenius<C>(s));
  if (C > 2) rank_planes<C>(ch, all, kLoss2Bits, planes, out.planes);
}

// Tries every mode with one line through the block.
HWY_NOINLINE void try_lines_opaque(const Group& g, const SearchSettings& settings, Trials& trials,
                                   Estimates& estimates) {
  const Channels<3> ch = first_channels<3>(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<3> all[1] = {measure<3>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<3, 1>(ch, whole, all, 4, position);
  try_mode<3, 1, 4, 19>(trials, always, 0, zero(), ch, whole, all, position, settings);
  try_mode<3, 1, 5, 11>(trials, always, 18, zero(), ch, whole, all, position, settings);
  if (settings.few_levels) {
    try_mode<3, 1, 3, 20>(trials, always, 5, zero(), ch, whole, all, position, settings);
    try_mode<3, 1, 2, 20>(trials, always, 1, zero(), ch, whole, all, position, settings);
  }
  estimate_group<3>(ch, all[0], HWY_MIN(settings.dual_plane_candidates, 3), estimates);
}

HWY_NOINLINE void try_lines_alpha(const Group& g, const SearchSettings& settings, Trials& trials,
                                  Estimates& estimates) {
  const Channels<4> ch = first_channels<4>(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<4> all[1] = {measure<4>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<4, 1>(ch, whole, all, 4, position);
  try_mode<4, 1, 3, 19>(trials, always, 12, zero(), ch, whole, all, position, settings);
  try_mode<4, 1, 4, 13>(trials, always, 10, zero(), ch, whole, all, position, settings);
  if (settings.few_levels) try_mode<4, 1, 2, 20>(trials, always, 14, zero(), ch, whole, all, position, settings);
  estimate_group<4>(ch, all[0], settings.dual_plane_candidates, estimates);
}

// Includes mode 17, whose second plane is always alpha.
HWY_NOINLINE void try_lines_gray_alpha(const Group& g, const SearchSettings& settings, Trials& trials,
                                       Estimates& estimates) {
  const Channels<2> ch = gray_alpha_channels(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<2> all[1] = {measure<2>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<2, 1>(ch, whole, all, 4, position);
  try_mode<2, 1, 4, 20>(trials, always, 15, zero(), ch, whole, all, position, settings);
  try_dual_plane<2, 2, 20>(trials, 17, set(1.0f), ch, settings);
  estimate_group<2>(ch, all[0], 0, estimates);
}

HWY_NOINLINE void try_planes_opaque(const Group& g, V plane, const SearchSettings& settings, Trials& trials) {
  try_dual_plane<3, 2, 18>(trials, 6, plane, first_channels<3>(g, settings), settings);
}

HWY_NOINLINE void try_planes_alpha(const Group& g, V plane, const SearchSettings& settings, Trials& trials) {
  const Channels<4> ch = first_channels<4>(g, settings);
  try_dual_plane<4, 2, 13>(trials, 11, plane, ch, settings);
  if (settings.few_levels) try_dual_plane<4, 1, 20>(trials, 13, plane, ch, settings);
}

// Calls fit(wanted, partition, subsets, moments) for the k best of the partitions into two subsets, if they may win.
template <int C, std::size_t kCount, class Try>
HWY_INLINE void try_partitions2(const Channels<C>& ch, const Row* products, const Moments<C>& all,
                                const std::array<std::uint16_t, kCount>& partitions, int k,
                                const SearchSettings& settings, const Trials& trials, const Try& fit) {
  if (k == 0) return;
  Ranking ranking;
  rank_partitions2<C>(ch, products, all, partitions, kLossSplit, k, ranking);
  for (int i = 0; i < k; ++i) {
    const M wanted = hn::Lt(mul(ranking.estimate[i], set(settings.partition_trust)), least_error(trials));
    if (hn::AllFalse(d, wanted)) continue;
    Subsets<2> subsets;
    Moments<C> moments[2];
    split2<C>(ch, all, partitions.data(), ranking.index[i], subsets, moments);
    fit(wanted, ranking.index[i], subsets, moments);
  }
}

HWY_INLINE void try_partitions3(const Channels<3>& ch, const Row* products, const Moments<3>& all,
                                const SearchSettings& settings, Trials& trials) {
  const int k = settings.partition3_candidates;
  if (k == 0) return;
  Ranking ranking;
  clear(ranking, k);
  for (std::size_t p = 0; p < kPartitions3.size(); ++p) {
    const Moments<3> a = measure_fixed<3>(ch, products, kPartitions3[p][0]);
    const Moments<3> b = measure_fixed<3>(ch, products, kPartitions3[p][1]);
    const Moments<3> rest = minus(minus(all, a), b);
    const V estimate = add(add(estimate_subset<3>(ch, a, kLossSplit), estimate_subset<3>(ch, b, kLossSplit)),
                           estimate_subset<3>(ch, rest, kLossSplit));
    insert(ranking, k, estimate, set(static_cast<float>(p)));
  }
  for (int i = 0; i < k; ++i) {
    const M wanted = hn::Lt(mul(ranking.estimate[i], set(settings.partition_trust)), least_error(trials));
    if (hn::AllFalse(d, wanted)) continue;
    Subsets<3> subsets;
    membership(&kPartitions3[0][0], 2, ranking.index[i], subsets.in[0]);
    membership(&kPartitions3[0][1], 2, ranking.index[i], subsets.in[1]);
    Moments<3> moments[3];
    moments[1] = measure_where<3>(ch.texels, subsets.in[0]);
    moments[2] = measure_where<3>(ch.texels, subsets.in[1]);
    moments[0] = minus(minus(all, moments[1]), moments[2]);
    alignas(64) Row position[16];
    project<3, 3>(ch, subsets, moments, 3, position);
    try_mode<3, 3, 2, 7>(trials, wanted, 3, ranking.index[i], ch, subsets, moments, position, settings);
  }
}

HWY_NOINLINE void try_partitions_opaque(const Group& g, const SearchSettings& settings, Trials& trials) {
  const Channels<3> ch = first_channels<3>(g, settings);
  const Moments<3> all = measure<3>(ch.texels);
  alignas(64) Row products[16 * 6];
  multiply_texels<3>(ch, products);
  alignas(64) Row position[16];
  try_partitions2<3>(ch, products, all, kPartitions2, settings.partition2_candidates, settings, trials,
                     [&](M wanted, V partition, const Subsets<2>& subsets, const Moments<3>(&moments)[2]) HWY_ATTR {
                       project<3, 2>(ch, subsets, moments, 3, position);
                       try_mode<3, 2, 2, 12>(trials, wanted, 4, partition, ch, subsets, moments, position, settings);
                       try_mode<3, 2, 3, 8>(trials, wanted, 2, partition, ch, subsets, moments, position, settings);
                     });
  try_partitions2<3>(ch, products, all, kPartitions7, settings.partition7_candidates, settings, trials,
                     [&](M wanted, V partition, const Subsets<2>& subsets, const Moments<3>(&moments)[2]) HWY_ATTR {
                       project<3, 2>(ch, subsets, moments, 3, position);
                       try_mode<3, 2, 2, 12>(trials, wanted, 7, partition, ch, subsets, moments, position, settings);
                     });
  try_partitions3(ch, products, all, settings, trials);
}

HWY_NOINLINE void try_partitions_alpha(const Group& g, const SearchSettings& settings, Trials& trials) {
  const Channels<4> ch = first_channels<4>(g, settings);
  alignas(64) Row products[16 * 10];
  multiply_texels<4>(ch, products);
  alignas(64) Row position[16];
  try_partitions2<4>(ch, products, measure<4>(ch.texels), kPartitions2, settings.partition2_candidates, settings,
                     trials,
                     [&](M wanted, V partition, const Subsets<2>& subsets, const Moments<4>(&moments)[2]) HWY_ATTR {
                       project<4, 2>(ch, subsets, moments, 3, position);
                       try_mode<4, 2, 2, 8>(trials, wanted, 9, partition, ch, subsets, moments, position, settings);
                     });
}

HWY_NOINLINE void try_partitions_gray_alpha(const Group& g, const SearchSettings& settings, Trials& trials) {
  const Channels<2> ch = gray_alpha_channels(g, settings);
  alignas(64) Row products[16 * 3];
  multiply_texels<2>(ch, products);
  alignas(64) Row position[16];
  try_partitions2<2>(ch, products, measure<2>(ch.texels), kPartitions2, settings.partition2_candidates, settings,
                     trials,
                     [&](M wanted, V partition, const Subsets<2>& subsets, const Moments<2>(&moments)[2]) HWY_ATTR {
                       project<2, 2>(ch, subsets, moments, 3, position);
                       try_mode<2, 2, 2, 20>(trials, wanted, 16, partition, ch, subsets, moments, position, settings);
                     });
}

// If a smaller fraction of the error is off the axis, the error counts as on the axis. An error below kGoodError may
// stay, because it is not visible.
constexpr float kOnAxisFraction = 0.02f, kGoodError = 32;

// The trials of up to kTrialBlocks blocks of a class.
class ModeTrials {
 public:
  ModeTrials(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
             const SearchSettings& settings)
      : blocks_(blocks),
        order_(order),
        class_(block_class),
        modes_(kClassModes[static_cast<std::size_t>(block_class)]),
        settings_(settings) {
    for (std::size_t i = 0; i < order.size(); ++i) places_[i] = static_cast<std::uint16_t>(i);
  }

  void try_lines() {
    const int planes = plane_count();
    in_groups(order_.size(), [&](std::size_t first, std::size_t, const Group& group) HWY_ATTR {
      begin(trials_, set(1e30f));
      Estimates estimates;
      switch (class_) {
        case BlockClass::kOpaque:
          try_lines_opaque(group, settings_, trials_, estimates);
          break;
        case BlockClass::kAlpha:
          try_lines_alpha(group, settings_, trials_, estimates);
          break;
        case BlockClass::kGrayAlpha:
          try_lines_gray_alpha(group, settings_, trials_, estimates);
          break;
      }
      for (std::uint32_t rest = modes_; rest != 0; rest &= rest - 1) {
        const int mode = __builtin_ctz(rest);
        hn::Store(load(trials_.error[mode]), d, &to_.error[mode][first]);
        hn::Store(load(trials_.choice[mode]), d, &to_.choice[mode][first]);
      }
      hn::Store(least_error(trials_), d, &to_.least[first]);
      hn::Store(estimates.off_axis, d, &to_.off_axis[first]);
      for (int k = 0; k < planes; ++k) {
        hn::Store(estimates.planes.index[k], d, &to_.plane[k][first]);
        hn::Store(estimates.planes.estimate[k], d, &to_.plane_estimate[k][first]);
      }
    });
  }

  void try_planes() {
    for (int k = 0; k < plane_count(); ++k) {
      const std::size_t count = choose([&](std::size_t i) {
        return (to_.least[i] >= settings_.good_error) &
               (to_.plane_estimate[k][i] * settings_.plane_trust < to_.least[i]);
      });
      in_groups(count, [&](std::size_t first, std::size_t used, const Group& group) HWY_ATTR {
        const V plane = gather(to_.plane[k], first, used);
        begin(trials_, set(1e30f));
        if (class_ == BlockClass::kOpaque)
          try_planes_opaque(group, plane, settings_, trials_);
        else
          try_planes_alpha(group, plane, settings_, trials_);
        keep_trials(first, used, class_ == BlockClass::kOpaque ? 1u << 6 : 1u << 11 | 1u << 13);
      });
    }
  }

  void try_partitions() {
    if (settings_.partition2_candidates + settings_.partition7_candidates + settings_.partition3_candidates == 0)
      return;
    // The levels of a line may suit even texels on the line badly, e.g. black, white and one gray of text.
    const std::size_t count = choose([&](std::size_t i) {
      const float off_axis = to_.off_axis[i], least = to_.least[i];
      const bool mended = off_axis > settings_.off_axis_fraction * least;
      const bool on_axis = (off_axis < kOnAxisFraction * least) & (least > kGoodError);
      return (least >= settings_.good_error) & (mended | on_axis);
    });
    in_groups(count, [&](std::size_t first, std::size_t used, const Group& group) HWY_ATTR {
      begin(trials_, gather(to_.least, first, used));
      switch (class_) {
        case BlockClass::kOpaque:
          try_partitions_opaque(group, settings_, trials_);
          break;
        case BlockClass::kAlpha:
          try_partitions_alpha(group, settings_, trials_);
          break;
        case BlockClass::kGrayAlpha:
          try_partitions_gray_alpha(group, settings_, trials_);
          break;
      }
      keep_trials(first, used, modes_ & (1u << 2 | 1u << 3 | 1u << 4 | 1u << 7 | 1u << 9 | 1u << 16));
    });
  }

  // Writes the best candidates of every block.
  void write_candidates(std::span<ModeCandidates> out) const {
    const int places = settings_.candidates;
    for (std::size_t first = 0; first < order_.size(); first += kLanes) {
      Ranking ranking;
      clear(ranking, places);
      for (std::uint32_t rest = modes_; rest != 0; rest &= rest - 1) {
        const int mode = __builtin_ctz(rest);
        insert(ranking, places, hn::Load(d, &to_.error[mode][first]),
               add(set(32.0f * static_cast<float>(mode)), hn::Load(d, &to_.choice[mode][first])));
      }
      for (int place = 0; place < places; ++place) {
        alignas(64) Row error, code;
        store(ranking.estimate[place], error);
        store(ranking.index[place], code);
        for (std::size_t lane = 0; lane < HWY_MIN(kLanes, order_.size() - first); ++lane) {
          const auto number = static_cast<unsigned>(code[lane]);
          const auto choice = static_cast<std::uint8_t>(number & 31);
          out[first + lane][static_cast<std::size_t>(place)] = {error[lane], static_cast<std::uint8_t>(number >> 5),
                                                                choice, choice};
        }
      }
    }
  }

 private:
  int plane_count() const {
    return class_ == BlockClass::kGrayAlpha
               ? 0
               : HWY_MIN(settings_.dual_plane_candidates, class_ == BlockClass::kOpaque ? 3 : 4);
  }

  // Sets places_ to the blocks for which wanted is true. Returns their number.
  template <class Wanted>
  std::size_t choose(const Wanted& wanted) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      places_[count] = static_cast<std::uint16_t>(i);
      count += wanted(i);
    }
    return count;
  }

  // Calls run(first, used, group) with the texels of the first count of places_. Unused lanes of the last group repeat
  // its last block.
  template <class Run>
  HWY_INLINE void in_groups(std::size_t count, const Run& run) {
    for (std::size_t first = 0; first < count; first += kLanes) {
      const std::size_t used = HWY_MIN(kLanes, count - first);
      alignas(64) std::int32_t index[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        index[lane] = static_cast<std::int32_t>(order_[places_[first + HWY_MIN(lane, used - 1)]]);
      load_group(blocks_.data(), index, group_);
      run(first, used, group_);
    }
  }

  HWY_INLINE V gather(const float (&row)[kTrialBlocks], std::size_t first, std::size_t used) const {
    alignas(64) Row out;
    for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = row[places_[first + HWY_MIN(lane, used - 1)]];
    return load(out);
  }

  HWY_INLINE void keep_trials(std::size_t first, std::size_t used, std::uint32_t modes) {
    for (; modes != 0; modes &= modes - 1) {
      const int mode = __builtin_ctz(modes);
      for (std::size_t lane = 0; lane < used; ++lane) {
        const std::size_t at = places_[first + lane];
        const float error = trials_.error[mode][lane];
        if (!(error < to_.error[mode][at])) continue;
        to_.error[mode][at] = error;
        to_.choice[mode][at] = trials_.choice[mode][lane];
        to_.least[at] = HWY_MIN(to_.least[at], error);
      }
    }
  }

  std::span<const PlanarBlock> blocks_;
  std::span<const std::uint32_t> order_;
  BlockClass class_;
  std::uint32_t modes_;
  const SearchSettings& settings_;
  std::uint16_t places_[kTrialBlocks + 1];
  Group group_;
  Trials trials_;
  BlockTrials to_;
};

void RankUastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
               const SearchSettings& settings, std::span<ModeCandidates> candidates) {
  for (std::size_t first = 0; first < order.size(); first += kTrialBlocks) {
    const std::size_t count = HWY_MIN(kTrialBlocks, order.size() - first);
    ModeTrials run(blocks, order.subspan(first, count), block_class, settings);
    run.try_lines();
    run.try_planes();
    run.try_partitions();
    run.write_candidates(candidates.subspan(first, count));
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(RankUastc);
HWY_EXPORT(RefineUastc);

void rank_uastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
                const SearchSettings& settings, std::span<ModeCandidates> candidates) {
  HWY_DYNAMIC_DISPATCH(RankUastc)(blocks, order, block_class, settings, candidates);
}

void refine_uastc(std::span<const PlanarBlock> blocks, std::span<const RefineJob> jobs, const SearchSettings& settings,
                  std::span<BlockChoice> best, std::span<PlanarBlock> decoded) {
  HWY_DYNAMIC_DISPATCH(RefineUastc)(blocks, jobs, settings, best, decoded);
}

}  // namespace assetc::codec
#endif
