// Fits endpoints and weights to the texels of a block, one block per lane. Included once per SIMD target.
//
// The arithmetic is that of float_lanes-inl.hpp, so every target gives the same bits.
#if defined(ASSETC_CODEC_UASTC_FIT_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_UASTC_FIT_INL_HPP_
#undef ASSETC_CODEC_UASTC_FIT_INL_HPP_
#else
#define ASSETC_CODEC_UASTC_FIT_INL_HPP_
#endif

#include "codec/encode/common/moments-inl.hpp"
#include "codec/encode/uastc/uastc_search.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// The texels of subset 1 and of subset 2. The others belong to subset 0.
template <int S>
struct Subsets {
  M in[S > 1 ? S - 1 : 1][16];
};

template <int S>
HWY_INLINE V pick(const Subsets<S>& subsets, int t, V s0, V s1, V s2) {
  if constexpr (S == 1) return s0;
  V v = hn::IfThenElse(subsets.in[0][t], s1, s0);
  if constexpr (S == 3) v = hn::IfThenElse(subsets.in[1][t], s2, v);
  return v;
}
// The expression that belongs to the subset of texel t.
#define ASSETC_PICK(S, subsets, t, expr0, expr1, expr2) \
  pick<S>(subsets, t, expr0, S > 1 ? expr1 : expr0, S > 2 ? expr2 : expr0)

// The number of levels of each endpoint range that the modes use. Levels are numbered from 0.
constexpr int level_count(int range) {
  return range == 7    ? 12
         : range == 8  ? 16
         : range == 11 ? 32
         : range == 12 ? 40
         : range == 13 ? 48
         : range == 18 ? 160
         : range == 19 ? 192
                       : 256;
}

// ASTC's trit and quint ranges are symmetric about the middle. Below it, the value of level i is
// floor(step * i + offset).
template <int R>
HWY_INLINE V unquantize_endpoint(V level) {
  if constexpr (R == 20) return level;
  if constexpr (R == 8) return mul(level, set(17.0f));
  if constexpr (R == 11) return hn::Floor(mul(level, set(8.25f)));
  constexpr float step = R == 7 ? 23.125f : R == 12 ? 6.5f : R == 13 ? 5.40625f : R == 18 ? 1.6f : 4.0f / 3.0f;
  constexpr float offset = R == 7 ? 0.4375f : R == 12 ? 0.25f : R == 13 ? 0.328125f : R == 18 ? 0.1f : 0.1625f;
  const V mirrored = sub(set(level_count(R) - 1.0f), level);
  const V value = hn::Floor(add(mul(hn::Min(level, mirrored), set(step)), set(offset)));
  return hn::IfThenElse(hn::Lt(level, mirrored), value, sub(set(255.0f), value));
}

// The approximate level at or below v. The levels are not spread quite evenly.
template <int R>
HWY_INLINE V floor_level(V v) {
  return clamp(hn::Floor(mul(v, set((level_count(R) - 1) / 255.0f))), zero(), set(level_count(R) - 1.0f));
}

// The weight, 0..64, of a weight level.
template <int kBits>
HWY_INLINE V unquantize_weight(V w) {
  if constexpr (kBits == 1) return mul(w, set(64.0f));
  if constexpr (kBits == 2) return add(mul(w, set(21.0f)), one_where(hn::Ge(w, set(2.0f))));
  if constexpr (kBits == 3) return add(mul(w, set(9.0f)), one_where(hn::Ge(w, set(4.0f))));
  if constexpr (kBits == 4) return add(hn::Floor(mul(w, set(4.25f))), one_where(hn::Ge(w, set(8.0f))));
  if constexpr (kBits == 5) return add(add(w, w), hn::IfThenElseZero(hn::Ge(w, set(16.0f)), set(2.0f)));
}

template <int C>
struct Channels {
  const Row* texels[C];  // each 16 rows
  V weight[C];
  V root[C];  // of the weight
};

// The position of every texel along its subset's axis: 0 for the lowest texel and 1 for the highest.
template <int C, int S>
HWY_INLINE void project(const Channels<C>& ch, const Subsets<S>& subsets, const Moments<C> (&moments)[S],
                        int axis_iterations, Row* position) {
  V direction[S][C];
  for (int s = 0; s < S; ++s) {
    V sc[C * (C + 1) / 2];
    scatter<C>(moments[s], ch.root, sc);
    principal_axis<C>(sc, axis_iterations, direction[s]);
    for (int c = 0; c < C; ++c) direction[s][c] = mul(direction[s][c], ch.root[c]);
  }
  V low[S], high[S];
  for (int s = 0; s < S; ++s) {
    low[s] = set(1e9f);
    high[s] = set(-1e9f);
  }
  for (int t = 0; t < 16; ++t) {
    V p = zero();
    for (int c = 0; c < C; ++c) {
      const V along =
          ASSETC_PICK(S, subsets, t, direction[0][c], direction[S > 1 ? 1 : 0][c], direction[S > 2 ? 2 : 0][c]);
      p = add(p, mul(load(ch.texels[c][t]), along));
    }
    store(p, position[t]);
    if constexpr (S == 1) {
      low[0] = hn::Min(low[0], p);
      high[0] = hn::Max(high[0], p);
    } else if constexpr (S == 2) {
      const M in1 = subsets.in[0][t];
      low[0] = hn::Min(low[0], hn::IfThenElse(in1, set(1e9f), p));
      high[0] = hn::Max(high[0], hn::IfThenElse(in1, set(-1e9f), p));
      low[1] = hn::Min(low[1], hn::IfThenElse(in1, p, set(1e9f)));
      high[1] = hn::Max(high[1], hn::IfThenElse(in1, p, set(-1e9f)));
    } else {
      const M in1 = subsets.in[0][t], in2 = subsets.in[1][t], in0 = hn::Not(hn::Or(in1, in2));
      low[0] = hn::Min(low[0], hn::IfThenElse(in0, p, set(1e9f)));
      high[0] = hn::Max(high[0], hn::IfThenElse(in0, p, set(-1e9f)));
      low[1] = hn::Min(low[1], hn::IfThenElse(in1, p, set(1e9f)));
      high[1] = hn::Max(high[1], hn::IfThenElse(in1, p, set(-1e9f)));
      low[2] = hn::Min(low[2], hn::IfThenElse(in2, p, set(1e9f)));
      high[2] = hn::Max(high[2], hn::IfThenElse(in2, p, set(-1e9f)));
    }
  }
  V scale[S];
  for (int s = 0; s < S; ++s) {
    const V extent = sub(high[s], low[s]);
    scale[s] = hn::Div(set(1.0f), hn::Max(extent, set(1e-3f)));
  }
  for (int t = 0; t < 16; ++t) {
    const V from = ASSETC_PICK(S, subsets, t, low[0], low[S > 1 ? 1 : 0], low[S > 2 ? 2 : 0]);
    const V by = ASSETC_PICK(S, subsets, t, scale[0], scale[S > 1 ? 1 : 0], scale[S > 2 ? 2 : 0]);
    store(mul(sub(load(position[t]), from), by), position[t]);
  }
}

template <int C, int S>
struct Fit {
  V error;
  V level[S * C * 2];  // subset, channel, low and high
  alignas(64) Row weight[16];
};

// Finds the best endpoint levels for the given weights. With fixed weights the error of every channel is a quadratic
// form around the least-squares solution. So the best of the four ways to round its two endpoints is known without
// reading a texel.
template <int C, int S, int kBits, int R>
HWY_INLINE void solve_endpoints(const Channels<C>& ch, const Subsets<S>& subsets, const Moments<C> (&moments)[S],
                                const Row* weight, V (&level)[S * C * 2]) {
  V w_sum[S], ww_sum[S], wx_sum[S][C];
  for (int s = 0; s < S; ++s) {
    w_sum[s] = ww_sum[s] = zero();
    for (V& v : wx_sum[s]) v = zero();
  }
  for (int t = 0; t < 16; ++t) {
    const V w = unquantize_weight<kBits>(load(weight[t]));
    const V ww = mul(w, w);
    V wx[C];
    for (int c = 0; c < C; ++c) wx[c] = mul(w, load(ch.texels[c][t]));
    // Slot 0 sums the whole block. The sums of the other subsets are subtracted below.
    w_sum[0] = add(w_sum[0], w);
    ww_sum[0] = add(ww_sum[0], ww);
    for (int c = 0; c < C; ++c) wx_sum[0][c] = add(wx_sum[0][c], wx[c]);
    for (int s = 1; s < S; ++s) {
      const M in = subsets.in[s - 1][t];
      w_sum[s] = add(w_sum[s], hn::IfThenElseZero(in, w));
      ww_sum[s] = add(ww_sum[s], hn::IfThenElseZero(in, ww));
      for (int c = 0; c < C; ++c) wx_sum[s][c] = add(wx_sum[s][c], hn::IfThenElseZero(in, wx[c]));
    }
  }
  for (int s = 1; s < S; ++s) {
    w_sum[0] = sub(w_sum[0], w_sum[s]);
    ww_sum[0] = sub(ww_sum[0], ww_sum[s]);
    for (int c = 0; c < C; ++c) wx_sum[0][c] = sub(wx_sum[0][c], wx_sum[s][c]);
  }
  for (int s = 0; s < S; ++s) {
    // Weights are 0 to 64 here, so every sum is an integer that a float represents exactly.
    const V n = moments[s].n;
    const V determinant = sub(mul(n, ww_sum[s]), mul(w_sum[s], w_sum[s]));
    const M singular = hn::Lt(determinant, set(32.0f));
    const V inverse = hn::Div(set(1.0f), hn::IfThenElse(singular, set(1.0f), determinant));
    const V inverse_n = hn::Div(set(1.0f), n);
    const V w = mul(w_sum[s], set(1.0f / 64)), high_high = mul(ww_sum[s], set(1.0f / 4096));
    const V low_low = add(sub(n, add(w, w)), high_high);  // sum of (1 - w)^2 of weights 0 to 1
    const V between = sub(w, high_high);                  // sum of w (1 - w)
    const V low_high = add(between, between);
    for (int c = 0; c < C; ++c) {
      const V slope =
          hn::IfThenZeroElse(singular, mul(sub(mul(n, wx_sum[s][c]), mul(w_sum[s], moments[s].sum[c])), inverse));
      const V base = mul(sub(moments[s].sum[c], mul(slope, w_sum[s])), inverse_n);
      const V low = base, high = add(base, mul(slope, set(64.0f)));
      const V low_level = floor_level<R>(low), high_level = floor_level<R>(high);
      const V top = set(level_count(R) - 1.0f);
      const V next_low = hn::Min(add(low_level, set(1.0f)), top), next_high = hn::Min(add(high_level, set(1.0f)), top);
      const V high_miss = sub(unquantize_endpoint<R>(high_level), high);
      const V next_high_miss = sub(unquantize_endpoint<R>(next_high), high);
      const V high_cost = mul(mul(high_miss, high_miss), high_high);
      const V next_high_cost = mul(mul(next_high_miss, next_high_miss), high_high);
      // Finds the better of the two high endpoints for a low one. Returns the cost of the pair.
      const auto pair_with = [&](V low_end, V& high_end) HWY_ATTR {
        const V miss = sub(unquantize_endpoint<R>(low_end), low), lean = mul(miss, low_high);
        const V cost = add(high_cost, mul(lean, high_miss)), next_cost = add(next_high_cost, mul(lean, next_high_miss));
        high_end = hn::IfThenElse(hn::Lt(next_cost, cost), next_high, high_level);
        return add(mul(mul(miss, miss), low_low), hn::Min(cost, next_cost));
      };
      V high_of_low, high_of_next;
      const V cost = pair_with(low_level, high_of_low), next_cost = pair_with(next_low, high_of_next);
      const M next = hn::Lt(next_cost, cost);
      const V best_low = hn::IfThenElse(next, next_low, low_level),
              best_high = hn::IfThenElse(next, high_of_next, high_of_low);
      level[(s * C + c) * 2] = best_low;
      level[(s * C + c) * 2 + 1] = best_high;
    }
  }
}

// The decoder's value between two endpoints is floor((257 * (low * (64 - w) + high * w) + 32) / 2^14). In ASTC's sRGB
// mode it is floor((256 * (low * (64 - w) + high * w) + 128 * 64 + 32) / 2^14). All terms are below 2^24. So it equals
// floor(base + w * step), with both scaled by 2^-14: the scaling is exact and commutes with the sums.
HWY_INLINE V interpolation_base(V low, bool srgb = false) {
  const float scale = srgb ? 256.0f * 64 : 257.0f * 64, offset = srgb ? 128.0f * 64 + 32 : 32.0f;
  return mul(add(mul(low, set(scale)), set(offset)), set(1.0f / 16384));
}
HWY_INLINE V interpolation_step(V low, V high, bool srgb = false) {
  return mul(sub(high, low), set((srgb ? 256.0f : 257.0f) / 16384));
}

// Decodes levels and weights to texels.
template <int C, int S, int kBits, int R>
HWY_INLINE void decode_fit(const Subsets<S>& subsets, const V (&level)[S * C * 2], const Row* weight,
                           Row* const (&out)[C]) {
  V base[S][C], step[S][C];
  for (int s = 0; s < S; ++s)
    for (int c = 0; c < C; ++c) {
      const V low = unquantize_endpoint<R>(level[(s * C + c) * 2]);
      const V high = unquantize_endpoint<R>(level[(s * C + c) * 2 + 1]);
      base[s][c] = interpolation_base(low);
      step[s][c] = interpolation_step(low, high);
    }
  for (int t = 0; t < 16; ++t) {
    const V w = unquantize_weight<kBits>(load(weight[t]));
    for (int c = 0; c < C; ++c) {
      const V from = ASSETC_PICK(S, subsets, t, base[0][c], base[S > 1 ? 1 : 0][c], base[S > 2 ? 2 : 0][c]);
      const V by = ASSETC_PICK(S, subsets, t, step[0][c], step[S > 1 ? 1 : 0][c], step[S > 2 ? 2 : 0][c]);
      store(hn::Floor(add(from, mul(w, by))), out[c][t]);
    }
  }
}

// The nearest of the 32 weights, or one next to it. place is a position from 0 to 31 along the line, plus 1/2. The
// weights are not spread evenly: on either side of the middle they lie at 2, 4 .. 32 of 64.
HWY_INLINE V nearest_of_32(V place) {
  const V from_middle = sub(place, set(16.0f));
  const V step = hn::Floor(clamp(sub(mul(hn::Abs(from_middle), set(32.0f / 31)), set(0.5f)), zero(), set(15.0f)));
  return add(hn::CopySign(add(step, set(0.5f)), from_middle), set(15.5f));
}

// Chooses the weight of every texel for the given endpoint levels. Measures the exact error of every decoded subset.
template <int C, int S, int kBits, int R>
HWY_INLINE void assign_weights(const Channels<C>& ch, const Subsets<S>& subsets, const V (&level)[S * C * 2],
                               const FitEffort& effort, Row* weight, V (&error)[S]) {
  constexpr float kTop = (1 << kBits) - 1;
  V along[S][C], offset[S], base[S][C], step[S][C];
  for (int s = 0; s < S; ++s) {
    V length = zero();
    offset[s] = zero();
    for (int c = 0; c < C; ++c) {
      const V low = unquantize_endpoint<R>(level[(s * C + c) * 2]);
      const V high = unquantize_endpoint<R>(level[(s * C + c) * 2 + 1]);
      const V delta = sub(high, low);
      along[s][c] = mul(delta, ch.weight[c]);
      length = add(length, mul(along[s][c], delta));
      offset[s] = add(offset[s], mul(along[s][c], low));
      base[s][c] = interpolation_base(low, effort.srgb);
      step[s][c] = interpolation_step(low, high, effort.srgb);
    }
    // The middle of the values that decode to x is (x + 0.5) * 256 / 257, and in sRGB mode x itself: see
    // interpolation_base.
    const V scale = hn::Div(set(kTop), hn::Max(length, set(1e-3f)));
    V half = zero();
    for (V& a : along[s]) {
      a = mul(a, mul(scale, set(effort.srgb ? 1.0f : 256.0f / 257)));
      half = add(half, a);
    }
    offset[s] = sub(mul(offset[s], scale), add(mul(half, set(effort.srgb ? 0.0f : 0.5f)), set(0.5f)));
  }
  V channel_error[C];
  for (V& e : channel_error) e = zero();
  for (V& e : error) e = zero();
  for (int t = 0; t < 16; ++t) {
    V x[C];
    V p = zero();
    for (int c = 0; c < C; ++c) {
      x[c] = load(ch.texels[c][t]);
      p = add(p, mul(x[c], ASSETC_PICK(S, subsets, t, along[0][c], along[S > 1 ? 1 : 0][c], along[S > 2 ? 2 : 0][c])));
    }
    p = sub(p, ASSETC_PICK(S, subsets, t, offset[0], offset[S > 1 ? 1 : 0], offset[S > 2 ? 2 : 0]));
    const V w = kBits == 5 && effort.uneven ? nearest_of_32(p) : hn::Floor(clamp(p, zero(), set(kTop)));
    store(w, weight[t]);
    const V w64 = unquantize_weight<kBits>(w);
    V texel_error = zero();
    for (int c = 0; c < C; ++c) {
      const V from = ASSETC_PICK(S, subsets, t, base[0][c], base[S > 1 ? 1 : 0][c], base[S > 2 ? 2 : 0][c]);
      const V by = ASSETC_PICK(S, subsets, t, step[0][c], step[S > 1 ? 1 : 0][c], step[S > 2 ? 2 : 0][c]);
      const V miss = sub(hn::Floor(add(from, mul(w64, by))), x[c]);
      if constexpr (S == 1)
        channel_error[c] = add(channel_error[c], mul(miss, miss));
      else
        texel_error = add(texel_error, mul(mul(miss, miss), ch.weight[c]));
    }
    if constexpr (S > 1) {
      // Slot 0 sums the whole block. The sums of the other subsets are subtracted below.
      error[0] = add(error[0], texel_error);
      for (int s = 1; s < S; ++s) error[s] = add(error[s], hn::IfThenElseZero(subsets.in[s - 1][t], texel_error));
    }
  }
  if constexpr (S == 1) {
    for (int c = 0; c < C; ++c) error[0] = add(error[0], mul(channel_error[c], ch.weight[c]));
  } else {
    for (int s = 1; s < S; ++s) error[0] = sub(error[0], error[s]);
  }
}

// Where a fit starts: the weight levels of the extremes of the positions. With a span other than the whole scale,
// levels can fall on the texels rather than between them, and endpoints on values that can be stored more exactly.
struct Seed {
  float offset;  // the level of the lowest texel
  float slack;   // the number of levels by which the span is shorter than the whole scale
};

// One list for each number of levels and precision of endpoints. Each seed lowers the error most, given the seeds
// before it, on photographs, material maps and synthetic pictures.
using Seeds = Seed[kMaxSeeds];
inline constexpr Seeds kTwoLevels = {
    {0, 0},     {-0.5f, -0.5f}, {0, -0.5f},     {0, -1},     {-1, -1}, {-0.25f, -0.5f}, {0, -0.25f}, {-0.25f, -0.25f},
    {0, -1.5f}, {-1.5f, -1.5f}, {-0.5f, -1.5f}, {-1, -1.5f}, {0, -2},  {-2, -2},        {-0.5f, -2}, {-1.5f, -2}};
inline constexpr Seeds kFourLevels = {{0, 0}, {1, 1},    {0, 1},       {-0.5f, -0.5f}, {0, -0.5f}, {-0.25f, -0.5f},
                                      {1, 2}, {0, 2},    {-0.5f, -1},  {1.5f, 1.5f},   {0, -1},    {-1, -1},
                                      {2, 2}, {0, 0.5f}, {0.5f, 1.5f}, {0.5f, 0.5f}};
inline constexpr Seeds kFourCoarseLevels = {
    {0, 0},         {1, 2},    {0, 1},       {1, 1},   {0, 2},    {1.5f, 1.5f}, {-0.25f, -0.5f}, {0, -0.5f},
    {-0.5f, -0.5f}, {0.5f, 2}, {0.5f, 1.5f}, {-1, -1}, {0, 0.5f}, {-0.5f, -1},  {0, -1},         {0.5f, 0.5f}};
inline constexpr Seeds kEightLevels = {{0, 0},    {1, 1},          {0, 1},      {2, 2}, {0, -0.5f}, {0, 2},
                                       {2, 3},    {-0.25f, -0.5f}, {3, 3},      {0, 3}, {1, 2},     {-0.5f, -0.5f},
                                       {1, 2.5f}, {4, 4},          {-0.5f, -1}, {2, 4}};
inline constexpr Seeds kEightCoarseLevels = {{0, 0}, {0.5f, 1.5f}, {4, 5}, {1, 1}, {2, 6}, {2, 2},    {0, 2}, {1, 5},
                                             {4, 6}, {3, 3},       {0, 1}, {1, 6}, {3, 5}, {0, 2.5f}, {5, 6}, {1, 4}};
inline constexpr Seeds kSixteenLevels = {{0, 0}, {0, 1}, {1, 1},    {2, 2}, {0, -0.5f}, {0, 2}, {-0.5f, -0.5f}, {1, 2},
                                         {3, 3}, {2, 3}, {0, 0.5f}, {0, 3}, {8, 12},    {0, 4}, {4, 4},         {3, 5}};
inline constexpr Seeds kSixteenCoarseLevels = {{-0.25f, -0.5f}, {4, 6}, {1, 5},  {6, 12}, {0, -0.5f}, {-0.5f, -0.5f},
                                               {6, 6},          {0, 0}, {4, 10}, {1, 1},  {0, 1},     {4, 4},
                                               {0, -1},         {1, 4}, {8, 12}, {0, 5}};
inline constexpr Seeds kThirtyTwoLevels = {{0, 0},   {8, 12}, {2, 12}, {2, 2}, {0.5f, 1}, {4, 5},   {0, 1.5f}, {4, 8},
                                           {10, 12}, {1, 1},  {0, 12}, {4, 4}, {0, 3},    {12, 12}, {5, 6},    {2, 10}};

struct SeedList {
  const Seeds& all;
  int worth;  // the number of seeds to use of every 8 that an effort grants; more would gain almost nothing
};
constexpr SeedList seeds_of(int weight_bits, int endpoint_range) {
  const bool fine = endpoint_range > 13;
  switch (weight_bits) {
    case 1:
      return {kTwoLevels, 3};
    case 2:
      return endpoint_range > 12 ? SeedList{kFourLevels, 5} : SeedList{kFourCoarseLevels, 8};
    case 3:
      return fine ? SeedList{kEightLevels, 5} : SeedList{kEightCoarseLevels, 8};
    case 4:
      return {fine ? kSixteenLevels : kSixteenCoarseLevels, 8};
    default:
      return {kThirtyTwoLevels, 8};
  }
}

// Fits one mode, starting from the positions of the texels along their axes. From each seed: weights, endpoints by
// least squares, weights for the quantized endpoints. The best result is then refined in the remaining passes. Each
// subset keeps its own best result.
template <int C, int S, int kBits, int R>
HWY_NOINLINE void fit(const Channels<C>& ch, const Subsets<S>& subsets, const Moments<C> (&moments)[S],
                      const Row* position, const FitEffort& effort, Fit<C, S>& out) {
  constexpr float kTop = (1 << kBits) - 1;
  alignas(64) Row tried[16];
  constexpr SeedList list = seeds_of(kBits, R);
  const int seeds = (effort.seeds * list.worth + 7) / 8;
  V least[S];
  M running[S];  // lanes that still improve; each stops independently of its neighbors
  for (int s = 0; s < S; ++s) {
    least[s] = zero();
    running[s] = hn::Eq(zero(), zero());
  }
  for (int round = 0; round < seeds + effort.passes - 1; ++round) {
    if (round < seeds) {
      const Seed& seed = list.all[round];
      const V o = set(seed.offset + 0.5f), by = set(HWY_MAX(1.0f, kTop - seed.slack));
      for (int t = 0; t < 16; ++t)
        store(hn::Floor(clamp(add(mul(load(position[t]), by), o), zero(), set(kTop))), tried[t]);
    } else if (round == seeds) {
      for (int t = 0; t < 16; ++t) store(load(out.weight[t]), tried[t]);
    }
    V level[S * C * 2], error[S];
    solve_endpoints<C, S, kBits, R>(ch, subsets, moments, tried, level);
    assign_weights<C, S, kBits, R>(ch, subsets, level, effort, tried, error);
    if (round == 0) {
      for (int s = 0; s < S; ++s) least[s] = error[s];
      for (int k = 0; k < S * C * 2; ++k) out.level[k] = level[k];
      for (int t = 0; t < 16; ++t) store(load(tried[t]), out.weight[t]);
      continue;
    }
    M better[S];
    bool any = false;
    for (int s = 0; s < S; ++s) {
      better[s] = hn::And(running[s], hn::Lt(error[s], least[s]));
      if (round >= seeds) running[s] = better[s];
      any = any || !hn::AllFalse(d, better[s]);
    }
    if (any) {
      for (int s = 0; s < S; ++s) {
        least[s] = hn::IfThenElse(better[s], error[s], least[s]);
        for (int k = s * C * 2; k < (s + 1) * C * 2; ++k)
          out.level[k] = hn::IfThenElse(better[s], level[k], out.level[k]);
      }
      for (int t = 0; t < 16; ++t) {
        const V kept = load(out.weight[t]), found = load(tried[t]);
        store(ASSETC_PICK(S, subsets, t, hn::IfThenElse(better[0], found, kept),
                          hn::IfThenElse(better[S > 1 ? 1 : 0], found, kept),
                          hn::IfThenElse(better[S > 2 ? 2 : 0], found, kept)),
              out.weight[t]);
      }
    } else if (round >= seeds) {
      break;
    }
  }
  out.error = least[0];
  for (int s = 1; s < S; ++s) out.error = add(out.error, least[s]);
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
