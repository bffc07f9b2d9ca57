#include "codec/encode/bc/bc6h_search.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/bc/bc6h_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/encode/common/block_lanes-inl.hpp"
#include "codec/encode/common/partition_rank-inl.hpp"
#include "codec/encode/common/ramp_fit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// The search uses endpoints as the decoder interpolates them, 0 to 65535. The decoder then scales the result to the
// bits of half floats.
constexpr float kToHalf = 31.0f / 64, kFromHalf = 64.0f / 31, kMostEnd = 65535;

// A mode is also taken if the distance between the endpoints exceeds the range of its deltas by at most this many
// levels. The endpoints are then clamped. The finer levels of the mode gain more than the clamping loses.
constexpr float kBeyondReach = 1;

// Texels as integers relative to the middle, which is within 1 of the mean of the block. The sum of their magnitudes is
// at most 8 * 31743 + 16, so the sums of texels times weights of up to 64 are exact in 24 bits.
struct Group6 {
  alignas(64) Row channel[3][16];
  V middle[3];
};

HWY_INLINE void load_group6(const HalfPlanes& blocks, const std::uint32_t (&index)[kLanes], Group6& group) {
  for (unsigned c = 0; c < 3; ++c) {
    alignas(64) Row low[16];
    Row* const rows = group.channel[c];
    load_channel(blocks.low.data(), index, c, low);
    load_channel(blocks.high.data(), index, c, rows);
    V sum = zero();
    for (int t = 0; t < 16; ++t) {
      const V value = hn::MulAdd(load(rows[t]), set(256.0f), load(low[t]));
      store(value, rows[t]);
      sum = add(sum, value);
    }
    group.middle[c] = hn::Floor(mul(sum, set(1.0f / 16)));
    for (int t = 0; t < 16; ++t) store(sub(load(rows[t]), group.middle[c]), rows[t]);
  }
}

// Moments as in measure_subset. Here the products are not exact and must not be fused.
HWY_INLINE Moments<3> measure_light(const SubsetTexels<3>& in) {
  Moments<3> m;
  m.n = set(static_cast<float>(in.count));
  for (V& v : m.sum) v = zero();
  for (V& v : m.product) v = zero();
  for (int i = 0; i < in.count; ++i) {
    V x[3];
    for (int c = 0; c < 3; ++c) x[c] = load(in.channel[c][in.list[i]]);
    for (int c = 0, k = 0; c < 3; ++c) {
      m.sum[c] = add(m.sum[c], x[c]);
      for (int e = c; e < 3; ++e, ++k) m.product[k] = add(m.product[k], mul(x[c], x[e]));
    }
  }
  return m;
}

// The mode of every lane. Level k of an endpoint represents k * step + offset, except that the first level represents 0
// and the last 65535.
struct Precision {
  V mode, step, offset, top;  // top: the last level
  V reach[3];                 // the other endpoints lie -reach to reach - 1 levels from the first
};

HWY_INLINE Precision precision_of(std::size_t number) {
  const Bc6hMode& mode = kBc6hModes[number];
  const auto step = static_cast<float>(1 << (16 - mode.end_bits));
  Precision p{
      set(static_cast<float>(number)), set(step), set(mode.end_bits == 16 ? 0 : step / 2), set(65536 / step - 1), {}};
  for (std::size_t c = 0; c < 3; ++c)
    p.reach[c] = set(mode.is_delta() ? static_cast<float>(1 << (mode.delta_bits[c] - 1)) : kMostEnd + 1);
  return p;
}

// Replaces p by other in the lanes where better is set.
HWY_INLINE void keep_precision(M better, const Precision& other, Precision& p) {
  p.mode = hn::IfThenElse(better, other.mode, p.mode);
  p.step = hn::IfThenElse(better, other.step, p.step);
  p.offset = hn::IfThenElse(better, other.offset, p.offset);
  p.top = hn::IfThenElse(better, other.top, p.top);
  for (int c = 0; c < 3; ++c) p.reach[c] = hn::IfThenElse(better, other.reach[c], p.reach[c]);
}

// The modes of S subsets, from coarse to fine. The first can represent any endpoints.
template <int S>
constexpr auto kModesBySteps = std::to_array<std::uint8_t>({10, 11, 12, 13});
template <>
inline constexpr auto kModesBySteps<2> = std::to_array<std::uint8_t>({9, 1, 8, 7, 6, 5, 0, 4, 3, 2});

// The finest mode that can represent endpoints at these distances from the first.
template <int S>
HWY_INLINE Precision choose_mode(const V (&spread)[3]) {
  Precision out = precision_of(kModesBySteps<S>[0]);
  for (std::size_t i = 1; i < kModesBySteps<S>.size(); ++i) {
    const Precision finer = precision_of(kModesBySteps<S>[i]);
    M fits = hn::Eq(zero(), zero());
    for (int c = 0; c < 3; ++c)
      fits = hn::And(fits, hn::Le(spread[c], mul(add(finer.reach[c], set(kBeyondReach)), finer.step)));
    keep_precision(fits, finer, out);
  }
  return out;
}

HWY_INLINE V unquantize(const Precision& precision, V level) {
  V value = add(mul(level, precision.step), precision.offset);
  value = hn::IfThenZeroElse(hn::Eq(level, zero()), value);
  return hn::IfThenElse(hn::Eq(level, precision.top), set(kMostEnd), value);
}

struct EndLevels {
  static constexpr int roundings = 2;
};
HWY_INLINE void levels_about(const Precision& precision, V value, Level (&out)[2]) {
  const V first = hn::Floor(hn::Div(sub(value, precision.offset), precision.step));
  for (int r = 0; r < 2; ++r) {
    out[r].stored = clamp(r == 0 ? first : add(first, set(1.0f)), zero(), precision.top);
    out[r].miss = sub(unquantize(precision, out[r].stored), value);
  }
}

// One subset, in blocks that share a partition.
struct LightTexels {
  SubsetTexels<3> in;
  Moments<3> moments;
  V center[3];  // the middle in the decoder's numbers
  int anchor;
};

// Endpoints in the decoder's numbers, low first, and the cost of missing them.
struct LightLine {
  V end[2][3];
  EndCosts cost;
};

// Solves for the line that fits best for the indices of the sums. Orients it so that the anchor is nearer to the low
// end.
template <class R>
HWY_INLINE void solve_line(const LightTexels& texels, const WeightSums<3>& sums, LightLine& out) {
  const Moments<3>& moments = texels.moments;
  const V n = moments.n;
  const V determinant = sub(mul(n, sums.ww), mul(sums.w, sums.w));
  const M singular = hn::Lt(determinant, set(0.5f));
  const V inverse = hn::Div(set(1.0f), hn::IfThenElse(singular, set(1.0f), determinant));
  const V inverse_n = set(1.0f / static_cast<float>(texels.in.count));
  V low[3], high[3];
  V along = zero(), square = zero();
  for (int c = 0; c < 3; ++c) {
    const V slope = hn::IfThenZeroElse(singular, mul(sub(mul(n, sums.wx[c]), mul(sums.w, moments.sum[c])), inverse));
    low[c] = mul(sub(moments.sum[c], mul(slope, sums.w)), inverse_n);
    const V delta = mul(slope, set(R::units));
    high[c] = add(low[c], delta);
    along = add(along, mul(sub(load(texels.in.channel[c][texels.anchor]), low[c]), delta));
    square = add(square, mul(delta, delta));
  }
  const M flip = hn::Gt(add(along, along), square);
  for (int c = 0; c < 3; ++c) {
    const V from = hn::IfThenElse(flip, high[c], low[c]), to = hn::IfThenElse(flip, low[c], high[c]);
    out.end[0][c] = clamp(add(mul(from, set(kFromHalf)), texels.center[c]), zero(), set(kMostEnd));
    out.end[1][c] = clamp(add(mul(to, set(kFromHalf)), texels.center[c]), zero(), set(kMostEnd));
  }
  const V low_low = add(sub(mul(n, set(R::units * R::units)), mul(sums.w, set(2 * R::units))), sums.ww);
  const V between = sub(mul(sums.w, set(R::units)), sums.ww);
  out.cost.low_low = hn::IfThenElse(flip, sums.ww, low_low);
  out.cost.low_high = add(between, between);
  out.cost.high_high = hn::IfThenElse(flip, low_low, sums.ww);
}

// Gives every texel the index that is nearest along the line between the endpoints. Returns the squared error of the
// decoded texels.
template <class R>
HWY_NOINLINE V assign_light(const LightTexels& texels, const V (&middle)[3], const V (&low)[3], const V (&high)[3],
                            Row* index, WeightSums<3>& sums) {
  V along[3], base[3], step[3];
  V square = zero(), offset = zero();
  for (int c = 0; c < 3; ++c) {
    const V delta = sub(high[c], low[c]);
    along[c] = delta;
    square = add(square, mul(delta, delta));
    offset = add(offset, mul(delta, sub(texels.center[c], low[c])));
    R::prepare(low[c], delta, base[c], step[c]);
  }
  const V scale = hn::Div(set(R::top), hn::Max(square, set(1.0f)));
  for (V& a : along) a = mul(a, mul(scale, set(kFromHalf)));
  offset = add(mul(offset, scale), set(0.5f));
  V total = zero();
  clear(sums);
  for (int i = 0; i < texels.in.count; ++i) {
    const int t = texels.in.list[i];
    V x[3];
    V at = offset;
    for (int c = 0; c < 3; ++c) {
      x[c] = load(texels.in.channel[c][t]);
      at = add(at, mul(x[c], along[c]));
    }
    const float most = t == texels.anchor ? (R::top - 1) / 2 : R::top;
    const V k = hn::Floor(clamp(at, zero(), set(most)));
    store(k, index[t]);
    const V w = R::weight(k);
    sums.w = add(sums.w, w);
    sums.ww = hn::MulAdd(w, w, sums.ww);
    V error = zero();
    for (int c = 0; c < 3; ++c) {
      sums.wx[c] = hn::MulAdd(w, x[c], sums.wx[c]);
      // Exact until it is squared: 16 bits before the binary point and 6 after it.
      const V half = hn::Floor(hn::MulSub(R::decode(w, base[c], step[c]), set(kToHalf), middle[c]));
      const V miss = sub(half, x[c]);
      error = add(error, mul(miss, miss));
    }
    total = add(total, error);
  }
  return total;
}

template <int S>
struct LightFit {
  V error;
  Precision precision;
  V level[2 * S][3];
  alignas(64) Row index[16];
};

// Replaces fit by other in the lanes where better is set.
template <int S>
HWY_INLINE void keep_fit(M better, const LightFit<S>& other, LightFit<S>& fit) {
  fit.error = hn::IfThenElse(better, other.error, fit.error);
  keep_precision(better, other.precision, fit.precision);
  for (int e = 0; e < 2 * S; ++e)
    for (int c = 0; c < 3; ++c) fit.level[e][c] = hn::IfThenElse(better, other.level[e][c], fit.level[e][c]);
  for (int t = 0; t < 16; ++t) store(hn::IfThenElse(better, load(other.index[t]), load(fit.index[t])), fit.index[t]);
}

// Solves for the endpoints by least squares for the indices of the sums, in the finest mode that can represent them,
// then assigns the indices for these endpoints.
template <int S, class R>
HWY_INLINE void solve_light(const LightTexels (&texels)[S], const V (&middle)[3], WeightSums<3> (&sums)[S],
                            LightFit<S>& out) {
  LightLine line[S];
  for (int s = 0; s < S; ++s) solve_line<R>(texels[s], sums[s], line[s]);
  V spread[3];
  for (int c = 0; c < 3; ++c) {
    spread[c] = zero();
    for (int e = 1; e < 2 * S; ++e)
      spread[c] = hn::Max(spread[c], hn::Abs(sub(line[e / 2].end[e % 2][c], line[0].end[0][c])));
  }
  out.precision = choose_mode<S>(spread);
  for (int c = 0; c < 3; ++c) {
    for (int s = 0; s < S; ++s) {
      Level low[2], high[2];
      levels_about(out.precision, line[s].end[0][c], low);
      levels_about(out.precision, line[s].end[1][c], high);
      best_rounding<EndLevels>(line[s].cost, low, high, out.level[2 * s][c], out.level[2 * s + 1][c]);
    }
    const V least = sub(out.level[0][c], out.precision.reach[c]),
            most = add(out.level[0][c], sub(out.precision.reach[c], set(1.0f)));
    for (int e = 1; e < 2 * S; ++e) out.level[e][c] = clamp(out.level[e][c], least, most);
  }
  out.error = zero();
  for (int s = 0; s < S; ++s) {
    V low[3], high[3];
    for (int c = 0; c < 3; ++c) {
      low[c] = unquantize(out.precision, out.level[2 * s][c]);
      high[c] = unquantize(out.precision, out.level[2 * s + 1][c]);
    }
    out.error = add(out.error, assign_light<R>(texels[s], middle, low, high, out.index, sums[s]));
  }
}

template <int S, class R>
HWY_NOINLINE void fit_light(const Group6& group, unsigned partition, const RampEffort& effort, LightFit<S>& out) {
  const Bc7Members& members = bc7_members(S, partition);
  alignas(64) Row position[16];
  LightTexels texels[S];
  RankedSeeds seeds[S];
  for (int s = 0; s < S; ++s) {
    LightTexels& one = texels[s];
    for (int c = 0; c < 3; ++c) {
      one.in.channel[c] = group.channel[c];
      one.in.weight[c] = one.in.root[c] = set(1.0f);
      one.center[c] = mul(add(group.middle[c], set(0.5f)), set(kFromHalf));
    }
    one.in.list = members.list[s];
    one.in.count = members.count[s];
    one.anchor = s == 0 ? 0 : kBc7AnchorOfTwo[partition];
    one.moments = measure_light(one.in);
    project_subset<3>(one.in, one.moments, 3, position);
    rank_seeds<3, R>(one.in, position, effort, seeds[s]);
  }
  out.error = set(1e30f);
  LightFit<S> now;
  WeightSums<3> sums[S], best_sums[S];
  for (int s = 0; s < S; ++s) clear(best_sums[s]);
  for (int k = 0; k < effort.fitted_seeds; ++k) {
    for (int s = 0; s < S; ++s) seed_indices<3, R>(texels[s].in, position, seeds[s].from[k], seeds[s].span[k], sums[s]);
    solve_light<S, R>(texels, group.middle, sums, now);
    const M better = hn::Lt(now.error, out.error);
    keep_fit(better, now, out);
    for (int s = 0; s < S; ++s) keep_sums(better, sums[s], best_sums[s]);
  }
  M running = hn::Eq(zero(), zero());
  for (int pass = 1; pass < effort.passes; ++pass) {
    solve_light<S, R>(texels, group.middle, best_sums, now);
    running = hn::And(running, hn::Lt(now.error, out.error));
    if (hn::AllFalse(d, running)) break;
    keep_fit(running, now, out);
  }
}

template <int S>
HWY_INLINE void write_better(const LightFit<S>& fit, unsigned partition, const std::uint32_t (&index)[kLanes],
                             std::size_t count, std::span<Bc6hChoice> best) {
  alignas(64) Row error, mode, level[2 * S][3];
  store(fit.error, error);
  bool any = false;
  for (std::size_t lane = 0; lane < count; ++lane) any |= error[lane] < best[index[lane]].error;
  if (!any) return;
  store(fit.precision.mode, mode);
  for (int e = 0; e < 2 * S; ++e)
    for (int c = 0; c < 3; ++c) store(fit.level[e][c], level[e][c]);
  Bytes16 indices;
  rows_to_bytes(fit.index, indices);
  for (std::size_t lane = 0; lane < count; ++lane) {
    Bc6hChoice& choice = best[index[lane]];
    if (!(error[lane] < choice.error)) continue;
    choice.error = error[lane];
    choice.block.mode = static_cast<std::uint8_t>(mode[lane]);
    choice.block.partition = static_cast<std::uint8_t>(partition);
    for (std::size_t e = 0; e < 2 * S; ++e)
      for (std::size_t c = 0; c < 3; ++c) choice.block.ends[e][c] = static_cast<std::int32_t>(level[e][c][lane]);
    std::memcpy(choice.block.index.data(), indices.byte + 16 * lane, 16);
  }
}

template <int S, class R>
HWY_INLINE void fit_all(const HalfPlanes& blocks, std::span<const std::uint32_t> order, unsigned partition,
                        const RampEffort& effort, std::span<Bc6hChoice> best) {
  Group6 group;
  LightFit<S> fit;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t count = group_at(order, first, index);
    load_group6(blocks, index, group);
    fit_light<S, R>(group, partition, effort, fit);
    write_better<S>(fit, partition, index, count, best);
  }
}

void FitBc6hOneSubset(const HalfPlanes& blocks, std::span<const std::uint32_t> order, const RampEffort& effort,
                      std::span<Bc6hChoice> best) {
  fit_all<1, Ramp64<4>>(blocks, order, 0, effort, best);
}

void FitBc6hTwoSubsets(const HalfPlanes& blocks, std::span<const std::uint32_t> order, unsigned partition,
                       const RampEffort& effort, std::span<Bc6hChoice> best) {
  fit_all<2, Ramp64<3>>(blocks, order, partition, effort, best);
}

void RankBc6hPartitions(const HalfPlanes& blocks, std::span<const std::uint32_t> order, float loss, int count,
                        std::span<PartitionCandidate> candidates) {
  Group6 group;
  PartitionRanking ranking;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t lanes = group_at(order, first, index);
    load_group6(blocks, index, group);
    rank_two<3>(group.channel, {1, 1, 1, 1}, kBc6hPartitionCount, loss, count, ranking);
    write_candidates(ranking, loss, count, lanes, candidates.data() + first * static_cast<std::size_t>(count));
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(FitBc6hOneSubset);
HWY_EXPORT(FitBc6hTwoSubsets);
HWY_EXPORT(RankBc6hPartitions);

void fit_bc6h_one_subset(const HalfPlanes& blocks, std::span<const std::uint32_t> order, const RampEffort& effort,
                         std::span<Bc6hChoice> best) {
  HWY_DYNAMIC_DISPATCH(FitBc6hOneSubset)(blocks, order, effort, best);
}
void fit_bc6h_two_subsets(const HalfPlanes& blocks, std::span<const std::uint32_t> order, unsigned partition,
                          const RampEffort& effort, std::span<Bc6hChoice> best) {
  HWY_DYNAMIC_DISPATCH(FitBc6hTwoSubsets)(blocks, order, partition, effort, best);
}
void rank_bc6h_partitions(const HalfPlanes& blocks, std::span<const std::uint32_t> order, float loss, int count,
                          std::span<PartitionCandidate> candidates) {
  HWY_DYNAMIC_DISPATCH(RankBc6hPartitions)(blocks, order, loss, count, candidates);
}

}  // namespace assetc::codec
#endif
