#include <cstring>

#include "codec/block/index_bits.hpp"
#include "codec/encode/bc/bc_search.hpp"
#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/bc/bc4_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/encode/common/block_lanes-inl.hpp"
#include "codec/encode/common/ramp_fit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// Texels are 16-bit integers. An endpoint is an 8-bit integer and represents kEndUnit times its value. The values
// between the endpoints are decoded as exact fractions.
constexpr float kEndUnit = 257, kFull = 65535;

struct ChannelFit {
  V error, low, high;        // the endpoints have 8 bits
  alignas(64) Row code[16];  // a level of the ramp, or 6 for the constant 0 and 7 for the constant 1
};

// inside: 1 if the texel is part of the ramp, 0 if a constant of the mode (0 or 1) represents it.
struct ChannelTexels {
  alignas(64) Row value[16], inside[16];
};

struct ChannelSums {
  V n, w, ww, x, wx;
};
HWY_INLINE ChannelSums no_sums() { return {zero(), zero(), zero(), zero(), zero()}; }
HWY_INLINE void add_texel(ChannelSums& s, V inside, V w, V x) {
  const V in_w = mul(inside, w);
  s.n = add(s.n, inside);
  s.w = add(s.w, in_w);
  s.ww = hn::MulAdd(in_w, w, s.ww);
  s.x = hn::MulAdd(inside, x, s.x);
  s.wx = hn::MulAdd(in_w, x, s.wx);
}

// Assigns levels or constants for the given endpoints. Returns the error of the decoded texels.
template <int kTop, bool kConstants>
HWY_INLINE V assign_levels(const ChannelTexels& in, V low, V high, Row* code, ChannelSums& sums) {
  const V first = mul(low, set(kEndUnit)), step = mul(sub(high, low), set(kEndUnit / kTop));
  const M flat = hn::Eq(low, high);
  const V scale = hn::IfThenZeroElse(flat, hn::Div(set(1.0f), hn::IfThenElse(flat, set(1.0f), step)));
  const V offset = sub(set(0.5f), mul(first, scale));
  V error = zero();
  sums = no_sums();
  for (int t = 0; t < 16; ++t) {
    const V x = load(in.value[t]);
    const V k = hn::Floor(clamp(add(mul(x, scale), offset), zero(), set(kTop)));
    V miss = sub(add(first, mul(k, step)), x);
    miss = mul(miss, miss);
    V inside = set(1.0f), stored = k;
    if constexpr (kConstants) {
      const V above = mul(x, x), below = mul(sub(set(kFull), x), sub(set(kFull), x));
      const M is_zero = hn::Lt(above, miss);
      miss = hn::Min(miss, above);
      const M is_full = hn::Lt(below, miss);
      miss = hn::Min(miss, below);
      stored = hn::IfThenElse(is_zero, set(6.0f), stored);
      stored = hn::IfThenElse(is_full, set(7.0f), stored);
      inside = hn::IfThenZeroElse(hn::Or(is_zero, is_full), inside);
    }
    store(stored, code[t]);
    error = add(error, miss);
    add_texel(sums, inside, k, x);
  }
  return error;
}

HWY_INLINE void keep_channel(M better, V error, V low, V high, const Row* code, ChannelFit& out) {
  out.error = hn::IfThenElse(better, error, out.error);
  out.low = hn::IfThenElse(better, low, out.low);
  out.high = hn::IfThenElse(better, high, out.high);
  for (int t = 0; t < 16; ++t) store(hn::IfThenElse(better, load(code[t]), load(out.code[t])), out.code[t]);
}

// Solves for the endpoints by least squares and takes the best of four roundings.
template <int kTop>
HWY_INLINE void solve_channel(const ChannelSums& s, V& low, V& high) {
  constexpr float top = kTop;
  const V n = hn::Max(s.n, set(1.0f));
  const V determinant = sub(mul(n, s.ww), mul(s.w, s.w));
  const M singular = hn::Lt(determinant, set(0.5f));
  const V slope = hn::IfThenZeroElse(
      singular, hn::Div(sub(mul(n, s.wx), mul(s.w, s.x)), hn::IfThenElse(singular, set(1.0f), determinant)));
  const V base = hn::Div(sub(s.x, mul(slope, s.w)), n);
  const V exact_low = clamp(mul(base, set(1 / kEndUnit)), zero(), set(255.0f));
  const V exact_high = clamp(mul(add(base, mul(slope, set(top))), set(1 / kEndUnit)), zero(), set(255.0f));
  EndCosts k;
  k.low_low = add(sub(mul(n, set(top * top)), mul(s.w, set(2 * top))), s.ww);
  const V between = sub(mul(s.w, set(top)), s.ww);
  k.low_high = add(between, between);
  k.high_high = s.ww;
  V least = set(1e30f);
  const V floor_low = hn::Floor(exact_low), floor_high = hn::Floor(exact_high);
  for (int i = 0; i < 4; ++i) {
    const V l = i & 1 ? hn::Min(add(floor_low, set(1.0f)), set(255.0f)) : floor_low;
    const V h = i & 2 ? hn::Min(add(floor_high, set(1.0f)), set(255.0f)) : floor_high;
    const V cost = cost_of(k, sub(l, exact_low), sub(h, exact_high));
    const M better = hn::Lt(cost, least);
    least = hn::Min(cost, least);
    low = hn::IfThenElse(better, l, i == 0 ? l : low);
    high = hn::IfThenElse(better, h, i == 0 ? h : high);
  }
  // A ramp always ascends.
  const V smaller = hn::Min(low, high);
  high = hn::Max(low, high);
  low = smaller;
}

template <int kTop, bool kConstants>
HWY_NOINLINE void fit_channel(ChannelTexels& in, const Bc4Settings& settings, ChannelFit& out) {
  V low = set(kFull), high = zero(), n = zero();
  for (int t = 0; t < 16; ++t) {
    const V x = load(in.value[t]);
    const M inside = kConstants ? hn::And(hn::Gt(x, zero()), hn::Lt(x, set(kFull))) : hn::Eq(zero(), zero());
    store(one_where(inside), in.inside[t]);
    n = add(n, one_where(inside));
    low = hn::IfThenElse(inside, hn::Min(low, x), low);
    high = hn::IfThenElse(inside, hn::Max(high, x), high);
  }
  const M none = hn::Eq(n, zero());
  low = hn::IfThenZeroElse(none, low);
  high = hn::IfThenZeroElse(none, high);
  alignas(64) Row position[16], code[16];
  const V scale = hn::Div(set(1.0f), hn::Max(sub(high, low), set(1.0f)));
  for (int t = 0; t < 16; ++t) {
    const V at = clamp(mul(sub(load(in.value[t]), low), scale), zero(), set(1.0f));
    store(mul(hn::Floor(add(mul(at, set(kPositionUnits)), set(0.5f))), set(1 / kPositionUnits)), position[t]);
  }
  // Start with the endpoints at the extremes or directly outside them.
  low = hn::Floor(mul(add(low, set(0.5f)), set(1 / kEndUnit)));
  high = hn::Ceil(mul(sub(high, set(0.5f)), set(1 / kEndUnit)));
  out.error = set(1e30f);
  out.low = low;
  out.high = high;
  for (int t = 0; t < 16; ++t) store(zero(), out.code[t]);
  ChannelSums sums, best_sums;
  V error = assign_levels<kTop, kConstants>(in, low, high, code, best_sums);
  keep_channel(hn::Lt(error, out.error), error, low, high, code, out);
  for (int i = 0; i < settings.effort.seeds; ++i) {
    const V from = set(kRampSeeds[i].offset + 0.5f), span = set(static_cast<float>(kTop) - kRampSeeds[i].slack);
    sums = no_sums();
    for (int t = 0; t < 16; ++t)
      add_texel(sums, load(in.inside[t]), seeded_index(load(position[t]), from, span), load(in.value[t]));
    solve_channel<kTop>(sums, low, high);
    error = assign_levels<kTop, kConstants>(in, low, high, code, sums);
    const M better = hn::Lt(error, out.error);
    keep_channel(better, error, low, high, code, out);
    best_sums = {hn::IfThenElse(better, sums.n, best_sums.n), hn::IfThenElse(better, sums.w, best_sums.w),
                 hn::IfThenElse(better, sums.ww, best_sums.ww), hn::IfThenElse(better, sums.x, best_sums.x),
                 hn::IfThenElse(better, sums.wx, best_sums.wx)};
  }
  M running = hn::Eq(zero(), zero());
  for (int pass = 1; pass < settings.effort.passes; ++pass) {
    solve_channel<kTop>(best_sums, low, high);
    error = assign_levels<kTop, kConstants>(in, low, high, code, best_sums);
    running = hn::And(running, hn::Lt(error, out.error));
    if (hn::AllFalse(d, running)) break;
    keep_channel(running, error, low, high, code, out);
  }
  const V center_low = out.low, center_high = out.high;
  for (int dl = -settings.reach; dl <= settings.reach; ++dl)
    for (int dh = -settings.reach; dh <= settings.reach; ++dh) {
      low = clamp(add(center_low, set(static_cast<float>(dl))), zero(), set(255.0f));
      high = hn::Max(low, clamp(add(center_high, set(static_cast<float>(dh))), zero(), set(255.0f)));
      error = assign_levels<kTop, kConstants>(in, low, high, code, sums);
      keep_channel(hn::Lt(error, out.error), error, low, high, code, out);
    }
}

// The ramp of eight values descends from the first endpoint to the second. The ramp of six values ascends, and 0 and
// 255 follow it.
void pack_bc4(unsigned low, unsigned high, bool six, const std::uint8_t* levels, std::uint8_t* out) {
  constexpr std::uint8_t kEight[8] = {1, 7, 6, 5, 4, 3, 2, 0}, kSix[8] = {0, 2, 3, 4, 5, 1, 6, 7};
  TexelIndices codes;
  for (unsigned t = 0; t < kBlockTexels; ++t) codes[t] = (six ? kSix : kEight)[levels[t] & 7];
  const std::uint64_t block = (six ? low : high) | (six ? high : low) << 8 | pack_indices(codes.data(), 3) << 16;
  std::memcpy(out, &block, 8);
}

void SearchBc4(std::span<const PlanarBlock> blocks, unsigned low_byte, unsigned high_byte, const Bc4Settings& settings,
               std::uint8_t* out, std::size_t stride) {
  ChannelTexels in;
  for (std::size_t first = 0; first < blocks.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t count = consecutive(blocks.size(), first, index);
    alignas(64) Row high[16];
    load_channel(blocks.data(), index, low_byte, in.value);
    load_channel(blocks.data(), index, high_byte, high);
    for (int t = 0; t < 16; ++t) store(hn::MulAdd(load(high[t]), set(256.0f), load(in.value[t])), in.value[t]);
    ChannelFit eight, six;
    fit_channel<7, false>(in, settings, eight);
    M fewer = hn::Ne(zero(), zero());
    if (settings.six_values) {
      fit_channel<5, true>(in, settings, six);
      fewer = hn::Lt(six.error, eight.error);
      keep_channel(fewer, six.error, six.low, six.high, six.code, eight);
    }
    alignas(64) Row rows[16] = {};
    store(eight.low, rows[0]);
    store(eight.high, rows[1]);
    store(one_where(fewer), rows[2]);
    Bytes16 ends, levels;
    rows_to_bytes(rows, ends);
    rows_to_bytes(eight.code, levels);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::uint8_t* e = ends.byte + 16 * lane;
      pack_bc4(e[0], e[1], e[2] != 0, levels.byte + 16 * lane, out + (first + lane) * stride);
    }
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SearchBc4);

void search_bc4(std::span<const PlanarBlock> blocks, unsigned low_byte, unsigned high_byte, const Bc4Settings& settings,
                std::uint8_t* out, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(SearchBc4)(blocks, low_byte, high_byte, settings, out, stride);
}

}  // namespace assetc::codec
#endif
