#include "codec/etc1_search.hpp"

#include <algorithm>
#include <cstdlib>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/etc1_search.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "codec/etc_block.hpp"
#include "codec/uastc_transcode.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr unsigned kHalfTexels = 8;
// Lumas run to 256 * 255 and are held less 2^15.
constexpr int kLumaShift = 32768;

struct Half {
  alignas(16) std::array<std::int16_t, kHalfTexels> r, g, b;  // source
  alignas(16) std::array<std::int16_t, kHalfTexels> luma;     // decoded
  std::array<unsigned, 3> sum{};                              // decoded
};

struct Fit {
  std::uint32_t error;
  std::uint8_t table;
};

int luma(int r, int g, int b) { return 54 * r + 183 * g + 19 * b; }

// Lumas between which a base's four colours hand over, lowest first: a texel takes the upper where luma >= edge.
// The transcoder compares twice the luma with the sum of two colours' lumas.
std::array<int, 3> edges_of(Rgb8 base, int small, int large) {
  const int least = std::min({base.r, base.g, base.b}), most = std::max({base.r, base.g, base.b});
  if (least >= large && most + large <= 255) {
    const int centre = luma(base.r, base.g, base.b), outer = 128 * (small + large);
    return {centre - outer, centre, centre + outer};
  }
  const auto at = [&](int by) {
    const auto c = [by](int v) { return std::clamp(v + by, 0, 255); };
    return luma(c(base.r), c(base.g), c(base.b));
  };
  const std::array<int, 4> y = {at(-large), at(-small), at(small), at(large)};
  return {(y[0] + y[1] + 1) >> 1, (y[1] + y[2] + 1) >> 1, (y[2] + y[3] + 1) >> 1};
}

#if HWY_TARGET == HWY_SCALAR

std::uint32_t error_of(const Half& half, Rgb8 base, unsigned table) {
  const int small = kEtc1Modifiers[table][0], large = kEtc1Modifiers[table][1];
  const std::array<int, 3> edge = edges_of(base, small, large);
  const std::array<int, 4> step = {-large, -small, small, large};
  std::uint32_t error = 0;
  for (unsigned i = 0; i < kHalfTexels; ++i) {
    const int y = half.luma[i] + kLumaShift;
    const int by = step[(y >= edge[0]) + (y >= edge[1]) + (y >= edge[2])];
    const auto add = [&](int base_c, int texel) {
      const int off = texel - std::clamp(base_c + by, 0, 255);
      error += static_cast<std::uint32_t>(off * off);
    };
    add(base.r, half.r[i]);
    add(base.g, half.g[i]);
    add(base.b, half.b[i]);
  }
  return error;
}

// Sum of half the distances of the half's lumas from centre.
int spread_of(const Half& half, int centre) {
  int sum = 0;
  for (int y : half.luma) sum += std::min(std::abs(y - centre), 32767) >> 1;
  return sum;
}

#else

// 128 bits, the same on every target.
using Lanes = hn::FixedTag<std::int16_t, kHalfTexels>;
using Sums = hn::RepartitionToWide<Lanes>;

// Squared error of a half with a wide base colour and a table.
std::uint32_t error_of(const Half& half, Rgb8 base, unsigned table) {
  const Lanes d;
  const Sums sums;
  const int small = kEtc1Modifiers[table][0], large = kEtc1Modifiers[table][1];
  const std::array<int, 3> edge = edges_of(base, small, large);
  // luma >= edge is luma > edge - 1; an edge below every luma is as good as the least.
  const auto above = [&](int e) {
    return hn::Gt(hn::Load(d, half.luma.data()),
                  hn::Set(d, static_cast<std::int16_t>(std::clamp(e - 1 - kLumaShift, -32768, 32767))));
  };
  const auto bright = above(edge[1]);
  const auto inner = hn::And(hn::VecFromMask(d, above(edge[0])), hn::Not(hn::VecFromMask(d, above(edge[2]))));
  const auto step = hn::IfVecThenElse(inner, hn::Set(d, static_cast<std::int16_t>(small)),
                                      hn::Set(d, static_cast<std::int16_t>(large)));
  const auto zero = hn::Zero(d), full = hn::Set(d, 255);
  const auto by = hn::IfThenElse(bright, step, hn::Sub(zero, step));
  auto even = hn::Zero(sums), odd = hn::Zero(sums);
  const auto add = [&](std::uint8_t base_c, const std::int16_t* texels) {
    const auto c = hn::Min(hn::Max(hn::Add(hn::Set(d, base_c), by), zero), full);
    const auto off = hn::Sub(hn::Load(d, texels), c);
    even = hn::ReorderWidenMulAccumulate(sums, off, off, even, odd);
  };
  add(base.r, half.r.data());
  add(base.g, half.g.data());
  add(base.b, half.b.data());
  return static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(sums, hn::Add(even, odd))));
}

int spread_of(const Half& half, int centre) {
  const Lanes d;
  const Sums sums;
  const auto mid = hn::Set(d, static_cast<std::int16_t>(centre));
  const auto y = hn::Load(d, half.luma.data());
  const auto apart = hn::ShiftRight<1>(hn::Max(hn::SaturatedSub(y, mid), hn::SaturatedSub(mid, y)));
  auto odd = hn::Zero(sums);
  const auto even = hn::ReorderWidenMulAccumulate(sums, apart, hn::Set(d, 1), hn::Zero(sums), odd);
  return hn::GetLane(hn::SumOfLanes(sums, hn::Add(even, odd)));
}

#endif

// The best table for a base, of those whose steps suit how far the half's lumas lie from the base's.
Fit best_table(const Half& half, Rgb8 base, unsigned width) {
  const int centre = luma(base.r, base.g, base.b) - kLumaShift;
  // In steps of luma.
  const int spread = spread_of(half, centre) / static_cast<int>(kHalfTexels * 128);
  // Mean distance at which table i takes over from i - 1.
  constexpr std::array<int, 7> takeover = {7, 14, 22, 32, 44, 58, 86};
  int guess = 0;
  for (int t : takeover) guess += spread >= t;
  const int first = std::max(0, guess - static_cast<int>(width)), last = std::min(7, guess + static_cast<int>(width));
  Fit best{UINT32_MAX, 0};
  for (int t = first; t <= last; ++t) {
    const std::uint32_t e = error_of(half, base, static_cast<unsigned>(t));
    if (e < best.error) best = {e, static_cast<std::uint8_t>(t)};
  }
  return best;
}

struct Split {
  std::array<Half, 2> halves;
};

Split split(const BlockTexels& decoded, const BlockTexels& source, bool flip) {
  Split s;
  std::array<unsigned, 2> n{};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned h = etc_half(flip, t);
    Half& half = s.halves[h];
    const unsigned i = n[h]++;
    half.r[i] = source[t].r;
    half.g[i] = source[t].g;
    half.b[i] = source[t].b;
    half.luma[i] = static_cast<std::int16_t>(luma(decoded[t].r, decoded[t].g, decoded[t].b) - kLumaShift);
    half.sum[0] += decoded[t].r;
    half.sum[1] += decoded[t].g;
    half.sum[2] += decoded[t].b;
  }
  return s;
}

Rgb8 average(const Half& half, unsigned limit) {
  return {etc1_average(half.sum[0], limit), etc1_average(half.sum[1], limit), etc1_average(half.sum[2], limit)};
}

// The number that means no bias.
constexpr std::uint8_t kNoBias = 13;
// Biases by how often they win on photographs; the first eight move whole colours by one step.
constexpr std::array<std::uint8_t, 31> kBiases = {29, 30, 31, 27, 26, 0,  28, 22, 12, 9,  8,  10, 25, 2,  23, 5,
                                                  15, 7,  3,  11, 6,  17, 18, 1,  19, 20, 21, 24, 4,  14, 16};
constexpr unsigned kCommonBiases = 7;

// Tries one bias for one orientation and precision, and keeps it in best if it is better.
void try_bias(const Split& s, bool flip, bool diff, bool biased, std::uint8_t bias, unsigned width, Etc1Choice& best) {
  const unsigned limit = diff ? 31 : 15;
  Etc1Block block;
  block.diff = diff;
  for (unsigned h = 0; h < 2; ++h) {
    block.base[h] = average(s.halves[h], limit);
    if (biased) block.base[h] = bias_etc1_base(block.base[h], bias, limit, h);
  }
  if (diff) {
    const auto near = [](std::uint8_t from, std::uint8_t to) {
      return static_cast<std::uint8_t>(std::clamp<int>(to, from - 4, from + 3));
    };
    const auto& [a, b] = block.base;
    block.base[1] = {near(a.r, b.r), near(a.g, b.g), near(a.b, b.b)};
  }
  const Fit first = best_table(s.halves[0], block.wide(0), width);
  if (first.error >= best.error) return;
  const Fit second = best_table(s.halves[1], block.wide(1), width);
  const std::uint32_t error = first.error + second.error;
  if (error < best.error) best = {flip, diff, bias, {first.table, second.table}, error};
}

// The orientation whose halves vary less about their averages.
bool likelier_flip(const std::array<Split, 2>& splits) {
  std::array<std::uint64_t, 2> between{};  // variance is lost where the averages differ most
  for (unsigned f = 0; f < 2; ++f) {
    for (unsigned c = 0; c < 3; ++c) {
      const int d = static_cast<int>(splits[f].halves[0].sum[c]) - static_cast<int>(splits[f].halves[1].sum[c]);
      between[f] += static_cast<std::uint64_t>(d * d);
    }
  }
  return between[1] > between[0];
}

}  // namespace

Etc1Choice search(const BlockTexels& decoded, const BlockTexels& source, bool biased, HintEffort effort) {
  const std::array<Split, 2> splits = {split(decoded, source, false), split(decoded, source, true)};
  Etc1Choice best;
  best.error = UINT32_MAX;
  const std::uint8_t none = biased ? kNoBias : std::uint8_t{0};
  const bool likely = likelier_flip(splits);
  const unsigned width = effort == HintEffort::kBest ? 2 : 1;
  for (unsigned f = 0; f < 2; ++f) {
    const bool flip = (f == 0) == likely;
    if (f == 1 && effort == HintEffort::kFast) break;
    try_bias(splits[flip], flip, true, biased, none, width, best);
    try_bias(splits[flip], flip, false, biased, none, width, best);
  }
  if (biased && effort != HintEffort::kFast) {
    const unsigned count = effort == HintEffort::kBest ? kBiases.size() : kCommonBiases;
    const Etc1Choice seed = best;
    for (unsigned i = 0; i < count; ++i) try_bias(splits[seed.flip], seed.flip, seed.diff, true, kBiases[i], width, best);
  }
  return best;
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(search);

Etc1Choice search_etc1(const BlockTexels& decoded, const BlockTexels& source, bool biased, HintEffort effort) {
  return HWY_DYNAMIC_DISPATCH(search)(decoded, source, biased, effort);
}

}  // namespace assetc::codec
#endif
