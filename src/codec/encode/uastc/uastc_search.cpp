#include "codec/encode/uastc/uastc_search.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/uastc/uastc_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/encode/uastc/uastc_estimate-inl.hpp"
#include "codec/encode/uastc/uastc_final-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// Modes that a class may use.
constexpr std::uint32_t kClassModes[] = {0x400ff, 0x07e00, 0x38000};

// The least error of every mode in the heats of a group, and with which pattern or second plane.
struct Heats {
  V known;  // the least error of heats before these
  alignas(64) Row error[19], choice[19];
};

HWY_INLINE void begin(Heats& heats, V known) {
  heats.known = known;
  for (Row& row : heats.error) store(set(1e30f), row);
  for (Row& row : heats.choice) store(zero(), row);
}

HWY_INLINE void enter(Heats& heats, M wanted, int mode, V error, V choice) {
  const M better = hn::And(wanted, hn::Lt(error, load(heats.error[mode])));
  store(hn::IfThenElse(better, error, load(heats.error[mode])), heats.error[mode]);
  store(hn::IfThenElse(better, choice, load(heats.choice[mode])), heats.choice[mode]);
}

HWY_INLINE V leader(const Heats& heats) {
  V least = heats.known;
  for (const Row& row : heats.error) least = hn::Min(least, load(row));
  return least;
}

template <int C, int S, int kBits, int R>
HWY_INLINE void try_mode(Heats& heats, M wanted, int mode, V pattern, const Channels<C>& ch, const Subsets<S>& subsets,
                         const Moments<C> (&moments)[S], const Row* position, const SearchSettings& settings) {
  Fit<C, S> result;
  fit<C, S, kBits, R>(ch, subsets, moments, position, settings.heat, result);
  V cost = result.error;
  if (settings.heats_count_bc7) {
    const Bc7Ends ends = bc7_ends_of<C, S, kBits>(static_cast<unsigned>(mode));
    cost = add(cost,
               mul(bc7_error<C, S, kBits, R>(ch, subsets, result.level, result.weight, ends), set(settings.bc7_share)));
  }
  enter(heats, wanted, mode, cost, pattern);
}

template <int C, int kBits, int R>
HWY_INLINE void try_dual_plane(Heats& heats, int mode, V plane, const Channels<C>& ch, const SearchSettings& settings) {
  Fit<C - 1, 1> rest;
  Fit<1, 1> second;
  V bc7 = zero();
  fit_dual_plane<C, kBits, R>(plane, ch, settings.heat, rest, second, settings.heats_count_bc7 ? &bc7 : nullptr);
  enter(heats, hn::Eq(zero(), zero()), mode, add(add(rest.error, second.error), mul(bc7, set(settings.bc7_share))),
        plane);
}

// Blocks are taken this many at a time. After the first heats, the rest are run on those blocks alone that they may
// serve, gathered from all over so that every lane has one.
constexpr std::size_t kHeatBlocks = 512;
constexpr int kMaxPlanes = 4;

// What the heats have found for every block, by its place among them.
struct Standings {
  alignas(64) float error[19][kHeatBlocks];
  alignas(64) float choice[19][kHeatBlocks];
  alignas(64) float leader[kHeatBlocks];
  alignas(64) float off_axis[kHeatBlocks];
  alignas(64) float plane[kMaxPlanes][kHeatBlocks];
  alignas(64) float plane_estimate[kMaxPlanes][kHeatBlocks];
};

// What the group at place first is.
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

// One line through the block, of every mode that has one.
HWY_NOINLINE void lines_opaque(const Group& g, const SearchSettings& settings, Heats& heats, Estimates& estimates) {
  const Channels<3> ch = first_channels<3>(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<3> all[1] = {measure<3>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<3, 1>(ch, whole, all, 4, position);
  try_mode<3, 1, 4, 19>(heats, always, 0, zero(), ch, whole, all, position, settings);
  try_mode<3, 1, 5, 11>(heats, always, 18, zero(), ch, whole, all, position, settings);
  if (settings.few_levels) {
    try_mode<3, 1, 3, 20>(heats, always, 5, zero(), ch, whole, all, position, settings);
    try_mode<3, 1, 2, 20>(heats, always, 1, zero(), ch, whole, all, position, settings);
  }
  estimate_group<3>(ch, all[0], HWY_MIN(settings.dual_plane_candidates, 3), estimates);
}

HWY_NOINLINE void lines_alpha(const Group& g, const SearchSettings& settings, Heats& heats, Estimates& estimates) {
  const Channels<4> ch = first_channels<4>(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<4> all[1] = {measure<4>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<4, 1>(ch, whole, all, 4, position);
  try_mode<4, 1, 3, 19>(heats, always, 12, zero(), ch, whole, all, position, settings);
  try_mode<4, 1, 4, 13>(heats, always, 10, zero(), ch, whole, all, position, settings);
  if (settings.few_levels) try_mode<4, 1, 2, 20>(heats, always, 14, zero(), ch, whole, all, position, settings);
  estimate_group<4>(ch, all[0], settings.dual_plane_candidates, estimates);
}

// With mode 17, whose second plane is always alpha.
HWY_NOINLINE void lines_grey_alpha(const Group& g, const SearchSettings& settings, Heats& heats, Estimates& estimates) {
  const Channels<2> ch = grey_alpha_channels(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<2> all[1] = {measure<2>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<2, 1>(ch, whole, all, 4, position);
  try_mode<2, 1, 4, 20>(heats, always, 15, zero(), ch, whole, all, position, settings);
  try_dual_plane<2, 2, 20>(heats, 17, set(1.0f), ch, settings);
  estimate_group<2>(ch, all[0], 0, estimates);
}

HWY_NOINLINE void planes_opaque(const Group& g, V plane, const SearchSettings& settings, Heats& heats) {
  try_dual_plane<3, 2, 18>(heats, 6, plane, first_channels<3>(g, settings), settings);
}

HWY_NOINLINE void planes_alpha(const Group& g, V plane, const SearchSettings& settings, Heats& heats) {
  const Channels<4> ch = first_channels<4>(g, settings);
  try_dual_plane<4, 2, 13>(heats, 11, plane, ch, settings);
  if (settings.few_levels) try_dual_plane<4, 1, 20>(heats, 13, plane, ch, settings);
}

// The settings' best few of some two-subset patterns: calls fit(wanted, pattern, subsets, moments) for each that may
// win.
template <int C, std::size_t kCount, class Try>
HWY_INLINE void try_patterns2(const Channels<C>& ch, const Row* products, const Moments<C>& all,
                              const std::array<std::uint16_t, kCount>& patterns, int k, const SearchSettings& settings,
                              const Heats& heats, const Try& fit) {
  if (k == 0) return;
  Ranking ranking;
  rank_patterns2<C>(ch, products, all, patterns, kLossSplit, k, ranking);
  for (int i = 0; i < k; ++i) {
    const M wanted = hn::Lt(mul(ranking.estimate[i], set(settings.pattern_trust)), leader(heats));
    if (hn::AllFalse(d, wanted)) continue;
    Subsets<2> subsets;
    Moments<C> moments[2];
    split2<C>(ch, all, patterns.data(), ranking.index[i], subsets, moments);
    fit(wanted, ranking.index[i], subsets, moments);
  }
}

HWY_INLINE void try_patterns3(const Channels<3>& ch, const Row* products, const Moments<3>& all,
                              const SearchSettings& settings, Heats& heats) {
  const int k = settings.pattern3_candidates;
  if (k == 0) return;
  Ranking ranking;
  clear(ranking, k);
  for (std::size_t p = 0; p < kPatterns3.size(); ++p) {
    const Moments<3> a = measure_fixed<3>(ch, products, kPatterns3[p][0]);
    const Moments<3> b = measure_fixed<3>(ch, products, kPatterns3[p][1]);
    const Moments<3> rest = minus(minus(all, a), b);
    const V estimate = add(add(estimate_subset<3>(ch, a, kLossSplit), estimate_subset<3>(ch, b, kLossSplit)),
                           estimate_subset<3>(ch, rest, kLossSplit));
    insert(ranking, k, estimate, set(static_cast<float>(p)));
  }
  for (int i = 0; i < k; ++i) {
    const M wanted = hn::Lt(mul(ranking.estimate[i], set(settings.pattern_trust)), leader(heats));
    if (hn::AllFalse(d, wanted)) continue;
    Subsets<3> subsets;
    membership(&kPatterns3[0][0], 2, ranking.index[i], subsets.in[0]);
    membership(&kPatterns3[0][1], 2, ranking.index[i], subsets.in[1]);
    Moments<3> moments[3];
    moments[1] = measure_where<3>(ch.texels, subsets.in[0]);
    moments[2] = measure_where<3>(ch.texels, subsets.in[1]);
    moments[0] = minus(minus(all, moments[1]), moments[2]);
    alignas(64) Row position[16];
    project<3, 3>(ch, subsets, moments, 3, position);
    try_mode<3, 3, 2, 7>(heats, wanted, 3, ranking.index[i], ch, subsets, moments, position, settings);
  }
}

HWY_NOINLINE void patterns_opaque(const Group& g, const SearchSettings& settings, Heats& heats) {
  const Channels<3> ch = first_channels<3>(g, settings);
  const Moments<3> all = measure<3>(ch.texels);
  alignas(64) Row products[16 * 6];
  multiply_texels<3>(ch, products);
  alignas(64) Row position[16];
  try_patterns2<3>(ch, products, all, kPatterns2, settings.pattern2_candidates, settings, heats,
                   [&](M wanted, V pattern, const Subsets<2>& subsets, const Moments<3>(&moments)[2]) HWY_ATTR {
                     project<3, 2>(ch, subsets, moments, 3, position);
                     try_mode<3, 2, 2, 12>(heats, wanted, 4, pattern, ch, subsets, moments, position, settings);
                     try_mode<3, 2, 3, 8>(heats, wanted, 2, pattern, ch, subsets, moments, position, settings);
                   });
  try_patterns2<3>(ch, products, all, kPatterns7, settings.pattern7_candidates, settings, heats,
                   [&](M wanted, V pattern, const Subsets<2>& subsets, const Moments<3>(&moments)[2]) HWY_ATTR {
                     project<3, 2>(ch, subsets, moments, 3, position);
                     try_mode<3, 2, 2, 12>(heats, wanted, 7, pattern, ch, subsets, moments, position, settings);
                   });
  try_patterns3(ch, products, all, settings, heats);
}

HWY_NOINLINE void patterns_alpha(const Group& g, const SearchSettings& settings, Heats& heats) {
  const Channels<4> ch = first_channels<4>(g, settings);
  alignas(64) Row products[16 * 10];
  multiply_texels<4>(ch, products);
  alignas(64) Row position[16];
  try_patterns2<4>(ch, products, measure<4>(ch.texels), kPatterns2, settings.pattern2_candidates, settings, heats,
                   [&](M wanted, V pattern, const Subsets<2>& subsets, const Moments<4>(&moments)[2]) HWY_ATTR {
                     project<4, 2>(ch, subsets, moments, 3, position);
                     try_mode<4, 2, 2, 8>(heats, wanted, 9, pattern, ch, subsets, moments, position, settings);
                   });
}

HWY_NOINLINE void patterns_grey_alpha(const Group& g, const SearchSettings& settings, Heats& heats) {
  const Channels<2> ch = grey_alpha_channels(g, settings);
  alignas(64) Row products[16 * 3];
  multiply_texels<2>(ch, products);
  alignas(64) Row position[16];
  try_patterns2<2>(ch, products, measure<2>(ch.texels), kPatterns2, settings.pattern2_candidates, settings, heats,
                   [&](M wanted, V pattern, const Subsets<2>& subsets, const Moments<2>(&moments)[2]) HWY_ATTR {
                     project<2, 2>(ch, subsets, moments, 3, position);
                     try_mode<2, 2, 2, 20>(heats, wanted, 16, pattern, ch, subsets, moments, position, settings);
                   });
}

// Less of a leader's error off the axis is none; a leader's error that a block may keep without being seen.
constexpr float kOnAxisShare = 0.02f, kGoodSquares = 32;

// The heats of up to kHeatBlocks blocks of a class.
class HeatRun {
 public:
  HeatRun(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
          const SearchSettings& settings)
      : blocks_(blocks),
        order_(order),
        class_(block_class),
        modes_(kClassModes[static_cast<std::size_t>(block_class)]),
        settings_(settings) {
    for (std::size_t i = 0; i < order.size(); ++i) places_[i] = static_cast<std::uint16_t>(i);
  }

  void lines() {
    const int planes = plane_count();
    in_groups(order_.size(), [&](std::size_t first, std::size_t, const Group& group) HWY_ATTR {
      begin(heats_, set(1e30f));
      Estimates estimates;
      switch (class_) {
        case BlockClass::kOpaque:
          lines_opaque(group, settings_, heats_, estimates);
          break;
        case BlockClass::kAlpha:
          lines_alpha(group, settings_, heats_, estimates);
          break;
        case BlockClass::kGreyAlpha:
          lines_grey_alpha(group, settings_, heats_, estimates);
          break;
      }
      for (std::uint32_t rest = modes_; rest != 0; rest &= rest - 1) {
        const int mode = __builtin_ctz(rest);
        hn::Store(load(heats_.error[mode]), d, &to_.error[mode][first]);
        hn::Store(load(heats_.choice[mode]), d, &to_.choice[mode][first]);
      }
      hn::Store(leader(heats_), d, &to_.leader[first]);
      hn::Store(estimates.off_axis, d, &to_.off_axis[first]);
      for (int k = 0; k < planes; ++k) {
        hn::Store(estimates.planes.index[k], d, &to_.plane[k][first]);
        hn::Store(estimates.planes.estimate[k], d, &to_.plane_estimate[k][first]);
      }
    });
  }

  void planes() {
    for (int k = 0; k < plane_count(); ++k) {
      const std::size_t count = choose([&](std::size_t i) {
        return (to_.leader[i] >= settings_.good_squares) &
               (to_.plane_estimate[k][i] * settings_.plane_trust < to_.leader[i]);
      });
      in_groups(count, [&](std::size_t first, std::size_t used, const Group& group) HWY_ATTR {
        const V plane = gather(to_.plane[k], first, used);
        begin(heats_, set(1e30f));
        if (class_ == BlockClass::kOpaque)
          planes_opaque(group, plane, settings_, heats_);
        else
          planes_alpha(group, plane, settings_, heats_);
        enter_standings(first, used, class_ == BlockClass::kOpaque ? 1u << 6 : 1u << 11 | 1u << 13);
      });
    }
  }

  void patterns() {
    if (settings_.pattern2_candidates + settings_.pattern7_candidates + settings_.pattern3_candidates == 0) return;
    // Levels of one line may lie badly for texels that are on it, e.g. for text's black, white and one grey.
    const std::size_t count = choose([&](std::size_t i) {
      const float off_axis = to_.off_axis[i], leader = to_.leader[i];
      const bool mended = off_axis > settings_.off_axis_share * leader;
      const bool on_axis = (off_axis < kOnAxisShare * leader) & (leader > kGoodSquares);
      return (leader >= settings_.good_squares) & (mended | on_axis);
    });
    in_groups(count, [&](std::size_t first, std::size_t used, const Group& group) HWY_ATTR {
      begin(heats_, gather(to_.leader, first, used));
      switch (class_) {
        case BlockClass::kOpaque:
          patterns_opaque(group, settings_, heats_);
          break;
        case BlockClass::kAlpha:
          patterns_alpha(group, settings_, heats_);
          break;
        case BlockClass::kGreyAlpha:
          patterns_grey_alpha(group, settings_, heats_);
          break;
      }
      enter_standings(first, used, modes_ & (1u << 2 | 1u << 3 | 1u << 4 | 1u << 7 | 1u << 9 | 1u << 16));
    });
  }

  // The best few of every block.
  void finish(std::span<Finalists> out) const {
    const int places = settings_.finalists;
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
    return class_ == BlockClass::kGreyAlpha
               ? 0
               : HWY_MIN(settings_.dual_plane_candidates, class_ == BlockClass::kOpaque ? 3 : 4);
  }

  // Makes places_ the blocks that serve; their number.
  template <class Wanted>
  std::size_t choose(const Wanted& wanted) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      places_[count] = static_cast<std::uint16_t>(i);
      count += wanted(i);
    }
    return count;
  }

  // Calls run(first, used, group) for the texels of the first count of places_; what is left of a last group's lanes
  // repeats its last block.
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

  HWY_INLINE V gather(const float (&row)[kHeatBlocks], std::size_t first, std::size_t used) const {
    alignas(64) Row out;
    for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = row[places_[first + HWY_MIN(lane, used - 1)]];
    return load(out);
  }

  HWY_INLINE void enter_standings(std::size_t first, std::size_t used, std::uint32_t modes) {
    for (; modes != 0; modes &= modes - 1) {
      const int mode = __builtin_ctz(modes);
      for (std::size_t lane = 0; lane < used; ++lane) {
        const std::size_t at = places_[first + lane];
        const float error = heats_.error[mode][lane];
        if (!(error < to_.error[mode][at])) continue;
        to_.error[mode][at] = error;
        to_.choice[mode][at] = heats_.choice[mode][lane];
        to_.leader[at] = HWY_MIN(to_.leader[at], error);
      }
    }
  }

  std::span<const PlanarBlock> blocks_;
  std::span<const std::uint32_t> order_;
  BlockClass class_;
  std::uint32_t modes_;
  const SearchSettings& settings_;
  std::uint16_t places_[kHeatBlocks + 1];
  Group group_;
  Heats heats_;
  Standings to_;
};

void RankUastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
               const SearchSettings& settings, std::span<Finalists> finalists) {
  for (std::size_t first = 0; first < order.size(); first += kHeatBlocks) {
    const std::size_t count = HWY_MIN(kHeatBlocks, order.size() - first);
    HeatRun run(blocks, order.subspan(first, count), block_class, settings);
    run.lines();
    run.planes();
    run.patterns();
    run.finish(finalists.subspan(first, count));
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(RankUastc);
HWY_EXPORT(FitUastc);

void rank_uastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
                const SearchSettings& settings, std::span<Finalists> finalists) {
  HWY_DYNAMIC_DISPATCH(RankUastc)(blocks, order, block_class, settings, finalists);
}

void fit_uastc(std::span<const PlanarBlock> blocks, std::span<const FinalEntry> entries, const SearchSettings& settings,
               std::span<BlockChoice> best, std::span<PlanarBlock> decoded) {
  HWY_DYNAMIC_DISPATCH(FitUastc)(blocks, entries, settings, best, decoded);
}

}  // namespace assetc::codec
#endif
