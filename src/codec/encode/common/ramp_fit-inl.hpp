// Fits a ramp of colors to texels: two endpoints as a BC format stores them, and an index of the steps between them for
// each texel. One block per lane, with the same texels in every lane. Included once per SIMD target.
//
// As in float_lanes-inl.hpp, every target gives the same bits. Operations are single IEEE operations. A multiply-add is
// fused only if the product and the sum are exact: multiples of one power of two that fit into 24 bits.
#if defined(ASSETC_CODEC_RAMP_FIT_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_RAMP_FIT_INL_HPP_
#undef ASSETC_CODEC_RAMP_FIT_INL_HPP_
#else
#define ASSETC_CODEC_RAMP_FIT_INL_HPP_
#endif

#include "codec/encode/common/moments-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// How a channel of an endpoint is stored: its own bits, then possibly a p bit that all channels share.
enum class PBits { kNone, kShared, kEach, kOnes };  // none; one for both ends; one for each end; both ends' are 1

// A grid with the same bits for every channel.
template <int kBitsOfOwn, PBits kPBits>
struct EndpointGrid {
  static constexpr PBits p_bits = kPBits;
  static constexpr int bits(int) { return kBitsOfOwn + (kPBits == PBits::kNone ? 0 : 1); }  // of a channel
  // The nearer of the two levels around a value is not always the better one. With 8 own bits this hardly matters.
  static constexpr int roundings = kBitsOfOwn <= 7 ? 2 : 1;
};

// BC1's endpoints.
struct Grid565 {
  static constexpr PBits p_bits = PBits::kNone;
  static constexpr int bits(int channel) { return channel == 1 ? 6 : 5; }
  static constexpr int roundings = 2;
};

// Widens a stored value with all bits of a channel to 8 bits.
template <class G>
HWY_INLINE V widen(V v, int channel) {
  const int bits = G::bits(channel);
  if (bits == 8) return v;
  const auto up = static_cast<float>(1 << (8 - bits));
  const float down = 1.0f / static_cast<float>(1 << (2 * bits - 8));
  return add(mul(v, set(up)), hn::Floor(mul(v, set(down))));
}

// BC7's ramps, in 64ths. Index i has the weight 64 i / top, rounded to the nearest, as in the tables of the format.
template <int kBits>
struct Ramp64 {
  static constexpr float top = (1 << kBits) - 1;  // the highest index
  static constexpr float units = 64;              // the weight of the highest index
  static HWY_INLINE V weight(V index) {
    if constexpr (kBits == 2) return add(mul(index, set(21.0f)), one_where(hn::Ge(index, set(2.0f))));
    if constexpr (kBits == 3) return add(mul(index, set(9.0f)), one_where(hn::Ge(index, set(4.0f))));
    if constexpr (kBits == 4) return hn::Floor(add(mul(index, set(64.0f / 15)), set(0.5f)));
  }
  // The decoder's value for a weight: floor((64 low + delta w + 32) / 64). prepare computes base and step once for each
  // pair of endpoints.
  static HWY_INLINE void prepare(V low, V delta, V& base, V& step) {
    base = add(low, set(0.5f));
    step = mul(delta, set(1.0f / 64));
  }
  static HWY_INLINE V decode(V weight, V base, V step) { return hn::Floor(hn::MulAdd(weight, step, base)); }
};

// BC1's ramps, in whole steps that the decoder rounds down. As a float, 1 / kTop is slightly larger than the exact
// fraction, so that a whole quotient is not rounded down to the integer below it.
template <int kTop>
struct WholeRamp {
  static_assert(static_cast<double>(1.0f / kTop) >= 1.0 / kTop);
  static constexpr float top = kTop;
  static constexpr float units = kTop;
  static HWY_INLINE V weight(V index) { return index; }
  static HWY_INLINE void prepare(V low, V delta, V& base, V& step) {
    base = low;
    step = delta;
  }
  static HWY_INLINE V decode(V weight, V base, V step) {
    return add(base, hn::Floor(mul(mul(weight, step), set(1.0f / kTop))));
  }
};

// The texels of one subset.
template <int C>
struct SubsetTexels {
  const Row* channel[C];  // 16 rows each; list holds the rows of the subset
  V weight[C], root[C];   // of a channel's squared error
  const std::uint8_t* list;
  int count;
};

template <int C>
struct SubsetFit {
  V error;
  V ends[2][C];  // stored values without p bits
  V p[2];
  alignas(64) Row index[16];
};

// The sums of indices and texels that least squares needs.
template <int C>
struct WeightSums {
  V w, ww, wx[C];
};

template <int C>
HWY_INLINE void clear(WeightSums<C>& sums) {
  sums.w = sums.ww = zero();
  for (V& v : sums.wx) v = zero();
}

// Replaces the sums by other's in the lanes where better is set.
template <int C>
HWY_INLINE void keep_sums(M better, const WeightSums<C>& other, WeightSums<C>& sums) {
  sums.w = hn::IfThenElse(better, other.w, sums.w);
  sums.ww = hn::IfThenElse(better, other.ww, sums.ww);
  for (int c = 0; c < C; ++c) sums.wx[c] = hn::IfThenElse(better, other.wx[c], sums.wx[c]);
}

template <int C>
HWY_INLINE Moments<C> measure_subset(const SubsetTexels<C>& in) {
  Moments<C> m;
  m.n = set(static_cast<float>(in.count));
  for (V& v : m.sum) v = zero();
  for (V& v : m.product) v = zero();
  for (int i = 0; i < in.count; ++i) {
    V x[C];
    for (int c = 0; c < C; ++c) x[c] = load(in.channel[c][in.list[i]]);
    for (int c = 0, k = 0; c < C; ++c) {
      m.sum[c] = add(m.sum[c], x[c]);
      for (int e = c; e < C; ++e, ++k) m.product[k] = hn::MulAdd(x[c], x[e], m.product[k]);
    }
  }
  return m;
}

// Positions are multiples of 1 / kPositionUnits, so that sums of their products with indices are exact.
inline constexpr float kPositionUnits = 4096;

// The positions of the texels along the axis on which they vary most: 0 for the lowest, 1 for the highest.
template <int C>
HWY_INLINE void project_subset(const SubsetTexels<C>& in, const Moments<C>& moments, int axis_iterations,
                               Row* position) {
  V sc[C * (C + 1) / 2], direction[C];
  scatter<C>(moments, in.root, sc);
  principal_axis<C>(sc, axis_iterations, direction);
  for (int c = 0; c < C; ++c) direction[c] = mul(direction[c], in.root[c]);
  V low = set(1e9f), high = set(-1e9f);
  for (int i = 0; i < in.count; ++i) {
    const int t = in.list[i];
    V p = mul(load(in.channel[0][t]), direction[0]);
    for (int c = 1; c < C; ++c) p = add(p, mul(load(in.channel[c][t]), direction[c]));
    store(p, position[t]);
    low = hn::Min(low, p);
    high = hn::Max(high, p);
  }
  const V scale = hn::Div(set(1.0f), hn::Max(sub(high, low), set(1e-3f)));
  for (int i = 0; i < in.count; ++i) {
    const int t = in.list[i];
    const V at = mul(sub(load(position[t]), low), scale);
    store(mul(hn::Floor(add(mul(at, set(kPositionUnits)), set(0.5f))), set(1 / kPositionUnits)), position[t]);
  }
}

// A level next to a value, for one state of the p bit: the stored value and its distance from the value.
struct Level {
  V stored, miss;
};

template <class G>
HWY_INLINE void levels_about(V value, int channel, float p, Level (&out)[G::roundings]) {
  // The widened level of stored value k is close to (2 k + p) or k times 255 / (2^bits - 1).
  constexpr bool has_p = G::p_bits != PBits::kNone;
  const auto levels = static_cast<float>(1 << G::bits(channel));
  const float per_unit = (levels - 1) / 255.0f / (has_p ? 2 : 1), top = levels / (has_p ? 2 : 1) - 1;
  const V at = mul(value, set(per_unit));
  const V first = hn::Floor(add(at, set((G::roundings == 1 ? 0.5f : 0.0f) - (has_p ? p / 2 : 0))));
  for (int r = 0; r < G::roundings; ++r) {
    out[r].stored = clamp(r == 0 ? first : add(first, set(1.0f)), zero(), set(top));
    const V whole = has_p ? add(add(out[r].stored, out[r].stored), set(p)) : out[r].stored;
    out[r].miss = sub(widen<G>(whole, channel), value);
  }
}

// The costs of the distances of the two endpoints from the exact solution.
struct EndCosts {
  V low_low, low_high, high_high;
};

HWY_INLINE V cost_of(const EndCosts& k, V low, V high) {
  // The cost of one endpoint alone does not depend on the other, so it can be shared among their combinations.
  return add(add(mul(mul(low, low), k.low_low), mul(mul(high, high), k.high_high)), mul(mul(low, k.low_high), high));
}

// Finds the roundings of both endpoints with the least cost. Returns that cost and the stored values.
template <class G>
HWY_INLINE V best_rounding(const EndCosts& k, const Level (&low)[G::roundings], const Level (&high)[G::roundings],
                           V& stored_low, V& stored_high) {
  V least = cost_of(k, low[0].miss, high[0].miss);
  stored_low = low[0].stored;
  stored_high = high[0].stored;
  for (int i = 1; i < G::roundings * G::roundings; ++i) {
    const Level &l = low[i & 1], &h = high[(i >> 1) % G::roundings];
    const V cost = cost_of(k, l.miss, h.miss);
    const M better = hn::Lt(cost, least);
    least = hn::Min(cost, least);
    stored_low = hn::IfThenElse(better, l.stored, stored_low);
    stored_high = hn::IfThenElse(better, h.stored, stored_high);
  }
  return least;
}

// Finds the stored endpoints that fit best for the indices of sums. For given indices the error of every channel is a
// quadratic form around the least-squares solution, so p bits and roundings are chosen without reading a texel.
template <int C, class R, class G>
HWY_INLINE void solve_ends(const SubsetTexels<C>& in, const Moments<C>& moments, const WeightSums<C>& sums,
                           V (&ends)[2][C], V (&p)[2]) {
  const V n = moments.n;
  const V determinant = sub(mul(n, sums.ww), mul(sums.w, sums.w));
  const M singular = hn::Lt(determinant, set(0.5f));
  const V inverse = hn::Div(set(1.0f), hn::IfThenElse(singular, set(1.0f), determinant));
  const V inverse_n = set(1.0f / static_cast<float>(in.count));
  EndCosts k;
  k.low_low = add(sub(mul(n, set(R::units * R::units)), mul(sums.w, set(2 * R::units))), sums.ww);
  const V between = sub(mul(sums.w, set(R::units)), sums.ww);
  k.low_high = add(between, between);
  k.high_high = sums.ww;
  V low[C], high[C];
  for (int c = 0; c < C; ++c) {
    const V slope = hn::IfThenZeroElse(singular, mul(sub(mul(n, sums.wx[c]), mul(sums.w, moments.sum[c])), inverse));
    low[c] = mul(sub(moments.sum[c], mul(slope, sums.w)), inverse_n);
    high[c] = clamp(add(low[c], mul(slope, set(R::units))), zero(), set(255.0f));
    low[c] = clamp(low[c], zero(), set(255.0f));
  }
  constexpr int states = G::p_bits == PBits::kShared ? 2 : G::p_bits == PBits::kEach ? 4 : 1;
  constexpr float only = G::p_bits == PBits::kOnes ? 1 : 0;
  V cost[states];
  V stored[states][2][C];
  for (V& v : cost) v = zero();
  for (int c = 0; c < C; ++c) {
    Level l[2][G::roundings], h[2][G::roundings];
    for (int bit = 0; bit < (states == 1 ? 1 : 2); ++bit) {
      const float value = states == 1 ? only : static_cast<float>(bit);
      levels_about<G>(low[c], c, value, l[bit]);
      levels_about<G>(high[c], c, value, h[bit]);
    }
    for (int s = 0; s < states; ++s) {
      const int p_low = states == 4 ? s & 1 : s, p_high = states == 4 ? s >> 1 : s;
      const V least = best_rounding<G>(k, l[p_low], h[p_high], stored[s][0][c], stored[s][1][c]);
      cost[s] = add(cost[s], mul(least, in.weight[c]));
    }
  }
  V least = cost[0];
  p[0] = p[1] = set(only);
  for (int c = 0; c < C; ++c) {
    ends[0][c] = stored[0][0][c];
    ends[1][c] = stored[0][1][c];
  }
  for (int s = 1; s < states; ++s) {
    const M better = hn::Lt(cost[s], least);
    least = hn::Min(cost[s], least);
    p[0] = hn::IfThenElse(better, set(static_cast<float>(states == 4 ? s & 1 : s)), p[0]);
    p[1] = hn::IfThenElse(better, set(static_cast<float>(states == 4 ? s >> 1 : s)), p[1]);
    for (int c = 0; c < C; ++c) {
      ends[0][c] = hn::IfThenElse(better, stored[s][0][c], ends[0][c]);
      ends[1][c] = hn::IfThenElse(better, stored[s][1][c], ends[1][c]);
    }
  }
}

template <class G>
HWY_INLINE V decoded_end(V stored, V p, int channel) {
  if constexpr (G::p_bits == PBits::kNone) return widen<G>(stored, channel);
  return widen<G>(add(add(stored, stored), p), channel);
}

// Gives every texel the index that is nearest along the line between the endpoints. Returns the exact weighted error of
// the decoded texels. sums receives the input of the next solve_ends.
template <int C, class R, class G>
HWY_INLINE V assign_indices(const SubsetTexels<C>& in, const V (&ends)[2][C], const V (&p)[2], Row* index,
                            WeightSums<C>& sums) {
  V along[C], base[C], step[C];
  V length = zero(), offset = zero();
  for (int c = 0; c < C; ++c) {
    const V low = decoded_end<G>(ends[0][c], p[0], c);
    const V delta = sub(decoded_end<G>(ends[1][c], p[1], c), low);
    along[c] = mul(delta, in.weight[c]);
    length = add(length, mul(along[c], delta));
    offset = add(offset, mul(along[c], low));
    R::prepare(low, delta, base[c], step[c]);
  }
  const V scale = hn::Div(set(R::top), hn::Max(length, set(1e-3f)));
  for (V& a : along) a = mul(a, scale);
  offset = sub(set(0.5f), mul(offset, scale));
  V error[C];
  for (V& e : error) e = zero();
  clear(sums);
  for (int i = 0; i < in.count; ++i) {
    const int t = in.list[i];
    V x[C];
    V at = offset;
    for (int c = 0; c < C; ++c) {
      x[c] = load(in.channel[c][t]);
      at = add(at, mul(x[c], along[c]));
    }
    const V k = hn::Floor(clamp(at, zero(), set(R::top)));
    store(k, index[t]);
    const V w = R::weight(k);
    sums.w = add(sums.w, w);
    sums.ww = hn::MulAdd(w, w, sums.ww);
    for (int c = 0; c < C; ++c) {
      sums.wx[c] = hn::MulAdd(w, x[c], sums.wx[c]);
      const V miss = sub(R::decode(w, base[c], step[c]), x[c]);
      error[c] = hn::MulAdd(miss, miss, error[c]);
    }
  }
  V total = mul(error[0], in.weight[0]);
  for (int c = 1; c < C; ++c) total = add(total, mul(error[c], in.weight[c]));
  return total;
}

// Where a fit starts: the indices of the extremes of the positions. A seed starts at offset and spans slack less than
// the whole scale, so that indices fall on the texels rather than between them. Both are multiples of 1/8, so the
// products with positions are exact. offset >= -3/8 and offset - slack < 1/2, so indices need no clamping.
struct RampSeed {
  float offset, slack;
};
inline constexpr RampSeed kRampSeeds[kMaxRampSeeds] = {
    {0, 0},          {0, 0.5f},       {0.5f, 0.5f},       {0, 1},        {0.5f, 1},       {-0.25f, 0}, {0.25f, 0},
    {0.25f, 0.5f},   {-0.25f, -0.5f}, {0, 1.5f},          {0.5f, 1.5f},  {0.25f, 1},      {0.75f, 1},  {0.25f, 1.5f},
    {0.75f, 1.5f},   {0, -0.375f},    {-0.375f, -0.375f}, {0, 2},        {0.25f, 2},      {0.5f, 2},   {0.75f, 2},
    {0, 2.5f},       {0.25f, 2.5f},   {0.5f, 2.5f},       {0.75f, 2.5f}, {-0.25f, 0.25f}, {0, 0.25f},  {0.25f, 0.25f},
    {-0.25f, 0.75f}, {0, 0.75f},      {0.25f, 0.75f},     {0.5f, 0.75f}};

// The exact index of a position. from is the seed's offset plus 1/2.
HWY_INLINE V seeded_index(V position, V from, V span) { return hn::Floor(hn::MulAdd(position, span, from)); }

// The sums for the indices of a seed.
template <int C, class R>
HWY_INLINE void seed_indices(const SubsetTexels<C>& in, const Row* position, V from, V span, WeightSums<C>& sums) {
  clear(sums);
  for (int i = 0; i < in.count; ++i) {
    const int t = in.list[i];
    const V w = R::weight(seeded_index(load(position[t]), from, span));
    sums.w = add(sums.w, w);
    sums.ww = hn::MulAdd(w, w, sums.ww);
    for (int c = 0; c < C; ++c) sums.wx[c] = hn::MulAdd(w, load(in.channel[c][t]), sums.wx[c]);
  }
}

// Keeps the better of two fits in each lane.
template <int C>
HWY_INLINE void keep_better(const SubsetTexels<C>& in, M better, V error, const V (&ends)[2][C], const V (&p)[2],
                            const Row* index, SubsetFit<C>& out) {
  out.error = hn::IfThenElse(better, error, out.error);
  for (int e = 0; e < 2; ++e) {
    out.p[e] = hn::IfThenElse(better, p[e], out.p[e]);
    for (int c = 0; c < C; ++c) out.ends[e][c] = hn::IfThenElse(better, ends[e][c], out.ends[e][c]);
  }
  for (int i = 0; i < in.count; ++i) {
    const int t = in.list[i];
    store(hn::IfThenElse(better, load(index[t]), load(out.index[t])), out.index[t]);
  }
}

// The best seeds, best first, by the part of the positions' variance that a line through (index, position) explains.
struct RankedSeeds {
  V explained[kMaxFittedSeeds], from[kMaxFittedSeeds], span[kMaxFittedSeeds];
};

template <int C, class R>
HWY_INLINE void rank_seeds(const SubsetTexels<C>& in, const Row* position, const RampEffort& effort, RankedSeeds& out) {
  for (int k = 0; k < effort.fitted_seeds; ++k) {
    out.explained[k] = set(-1.0f);
    out.from[k] = set(0.5f);
    out.span[k] = set(R::top);
  }
  if (effort.seeds <= 1) return;
  const V n = set(static_cast<float>(in.count));
  V p_sum = zero();
  for (int i = 0; i < in.count; ++i) p_sum = add(p_sum, load(position[in.list[i]]));
  for (int i = 0; i < effort.seeds; ++i) {
    V from = set(kRampSeeds[i].offset + 0.5f), span = set(R::top - kRampSeeds[i].slack);
    V w_sum = zero(), ww_sum = zero(), wp_sum = zero();
    for (int j = 0; j < in.count; ++j) {
      const V p = load(position[in.list[j]]);
      const V w = seeded_index(p, from, span);
      w_sum = add(w_sum, w);
      ww_sum = hn::MulAdd(w, w, ww_sum);
      wp_sum = hn::MulAdd(w, p, wp_sum);
    }
    const V covariance = sub(mul(n, wp_sum), mul(w_sum, p_sum));
    const V variance = sub(mul(n, ww_sum), mul(w_sum, w_sum));
    V explained = hn::Div(mul(covariance, covariance), hn::Max(variance, set(0.5f)));
    for (int k = 0; k < effort.fitted_seeds; ++k) {
      const M better = hn::Gt(explained, out.explained[k]);
      const auto swap = [&](V& held, V& candidate) HWY_ATTR {
        const V old = held;
        held = hn::IfThenElse(better, candidate, held);
        candidate = hn::IfThenElse(better, old, candidate);
      };
      swap(out.explained[k], explained);
      swap(out.from[k], from);
      swap(out.span[k], span);
    }
  }
}

// Alternates, at most `passes` times and while the error falls: endpoints by least squares for the indices of sums,
// then indices for the stored endpoints. Each lane stops independently of its neighbors. out holds the best fit so far,
// and sums its sums.
template <int C, class R, class G>
HWY_INLINE void refine(const SubsetTexels<C>& in, const Moments<C>& moments, int passes, WeightSums<C>& sums,
                       SubsetFit<C>& out) {
  alignas(64) Row index[16];
  M running = hn::Eq(zero(), zero());
  for (int pass = 0; pass < passes; ++pass) {
    V ends[2][C], p[2];
    solve_ends<C, R, G>(in, moments, sums, ends, p);
    const V error = assign_indices<C, R, G>(in, ends, p, index, sums);
    running = hn::And(running, hn::Lt(error, out.error));
    if (hn::AllFalse(d, running)) break;
    keep_better<C>(in, running, error, ends, p, index, out);
  }
}

// Fits one subset. From each of the best seeds: indices, endpoints by least squares, indices for the stored endpoints.
// The best result is then refined.
template <int C, class R, class G>
HWY_NOINLINE void fit_subset(const SubsetTexels<C>& in, const RampEffort& effort, SubsetFit<C>& out) {
  alignas(64) Row position[16], index[16];
  const Moments<C> moments = measure_subset<C>(in);
  project_subset<C>(in, moments, 3, position);
  RankedSeeds seeds;
  rank_seeds<C, R>(in, position, effort, seeds);
  out.error = set(1e30f);
  WeightSums<C> sums, best_sums;
  clear(best_sums);
  V ends[2][C], p[2];
  for (int k = 0; k < effort.fitted_seeds; ++k) {
    seed_indices<C, R>(in, position, seeds.from[k], seeds.span[k], sums);
    solve_ends<C, R, G>(in, moments, sums, ends, p);
    const V error = assign_indices<C, R, G>(in, ends, p, index, sums);
    const M better = hn::Lt(error, out.error);
    keep_better<C>(in, better, error, ends, p, index, out);
    keep_sums(better, sums, best_sums);
  }
  refine<C, R, G>(in, moments, effort.passes - 1, best_sums, out);
}

// The error of one channel's texels on the ramp between two endpoints, which are widened to 8 bits.
template <class R>
HWY_INLINE V ramp_error(const SubsetTexels<1>& in, V low, V high) {
  const V delta = sub(high, low);
  V base, step;
  R::prepare(low, delta, base, step);
  const V scale = mul(delta, hn::Div(set(R::top), hn::Max(mul(delta, delta), set(1e-3f))));
  const V offset = sub(set(0.5f), mul(low, scale));
  V error = zero();
  for (int i = 0; i < in.count; ++i) {
    const V x = load(in.channel[0][in.list[i]]);
    const V k = hn::Floor(clamp(add(mul(x, scale), offset), zero(), set(R::top)));
    const V miss = sub(R::decode(R::weight(k), base, step), x);
    error = hn::MulAdd(miss, miss, error);
  }
  return mul(error, in.weight[0]);
}

// Improves a fit of one channel: tries all endpoints within reach of its own. The decoder's rounding decides here. In
// smooth grays, one pair of endpoints can give every value exactly, and the next pair none.
template <class R, class G>
HWY_NOINLINE void search_ends(const SubsetTexels<1>& in, const EndReach& reach, SubsetFit<1>& fit) {
  if (hn::AllFalse(d, hn::Gt(fit.error, zero()))) return;
  constexpr bool has_p = G::p_bits != PBits::kNone;
  // Steps are of the whole value if there is no p bit or each endpoint has its own. Otherwise they are of the part
  // above the p bit.
  constexpr bool whole_steps = !has_p || G::p_bits == PBits::kEach;
  constexpr auto levels = static_cast<float>(1 << G::bits(0));
  const auto whole = [](V stored, V p) HWY_ATTR { return has_p ? add(add(stored, stored), p) : stored; };
  V best_low = whole(fit.ends[0][0], fit.p[0]), best_high = whole(fit.ends[1][0], fit.p[1]);
  const V from_low = whole_steps ? best_low : fit.ends[0][0], from_high = whole_steps ? best_high : fit.ends[1][0];
  const V top = set(whole_steps ? levels - 1 : levels / 2 - 1);
  for (int p = G::p_bits == PBits::kOnes ? 1 : 0; p < (whole_steps ? 1 : 2); ++p)
    for (int l = -reach.each; l <= reach.each; ++l) {
      V low = clamp(add(from_low, set(static_cast<float>(l))), zero(), top);
      if (!whole_steps) low = whole(low, set(static_cast<float>(p)));
      const V wide_low = widen<G>(low, 0);
      for (int h = -reach.each; h <= reach.each; ++h) {
        if ((l < 0 ? -l : l) + (h < 0 ? -h : h) > reach.both) continue;
        V high = clamp(add(from_high, set(static_cast<float>(h))), zero(), top);
        if (!whole_steps) high = whole(high, set(static_cast<float>(p)));
        const V error = ramp_error<R>(in, wide_low, widen<G>(high, 0));
        const M better = hn::Lt(error, fit.error);
        fit.error = hn::Min(error, fit.error);
        best_low = hn::IfThenElse(better, low, best_low);
        best_high = hn::IfThenElse(better, high, best_high);
      }
    }
  for (int e = 0; e < 2; ++e) {
    const V value = e == 0 ? best_low : best_high;
    fit.ends[e][0] = has_p ? hn::Floor(mul(value, set(0.5f))) : value;
    fit.p[e] = has_p ? sub(value, add(fit.ends[e][0], fit.ends[e][0])) : zero();
  }
  WeightSums<1> sums;
  fit.error = assign_indices<1, R, G>(in, fit.ends, fit.p, fit.index, sums);
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
