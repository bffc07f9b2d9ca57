#include "codec/etc1_search.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/etc1_search.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "codec/etc1_bias.hpp"
#include "codec/etc_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// One candidate (a base colour and a table) a lane: all lanes see the same eight texels.
constexpr unsigned kLanes = 16;
using Signed = hn::CappedTag<std::int16_t, kLanes>;
using Unsigned = hn::RebindToUnsigned<Signed>;
using Lanes16 = std::array<std::int16_t, kLanes>;

constexpr unsigned kHalfTexels = 8;
constexpr unsigned kTables = 8;
static_assert(2 * kTables == kLanes && kEtc1BiasCount % kLanes == 0);

// Lumas run to 256 * 255: they are kept less 2^15.
constexpr std::int16_t kLumaShift = -32768;

// Eight texels of a half.
struct Half {
  const std::int16_t *r, *g, *b;  // source
  const std::int16_t* luma;       // decoded
};

struct Candidates {
  alignas(32) Lanes16 r, g, b;        // 8-bit base colours
  alignas(32) Lanes16 small, large;   // the table's modifiers
};
// Squared errors, 65535 and above all the same: so far off, no candidate is worth telling from another.
struct Errors {
  alignas(32) std::array<std::uint16_t, kLanes> of;
};

// Luma out of 256, as unsigned 16 bits.
template <class V>
V luma(V r, V g, V b) {
  const Signed d;
  return hn::Add(hn::Add(hn::Mul(r, hn::Set(d, 54)), hn::Mul(g, hn::Set(d, 183))), hn::Mul(b, hn::Set(d, 19)));
}

void measure(const Half& half, const Candidates& candidates, Errors& errors) {
  const Signed d;
  const Unsigned u;
  const auto zero = hn::Zero(d), full = hn::Set(d, 255);
  const auto clamp = [&](auto v) { return hn::Min(hn::Max(v, zero), full); };
  for (unsigned lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    const auto r = hn::Load(d, &candidates.r[lane]), g = hn::Load(d, &candidates.g[lane]), b = hn::Load(d, &candidates.b[lane]);
    const auto small = hn::Load(d, &candidates.small[lane]), large = hn::Load(d, &candidates.large[lane]);
    const auto less_small = hn::Neg(small), less_large = hn::Neg(large);
    const auto luma_at = [&](auto by) {
      return hn::BitCast(u, luma(clamp(hn::Add(r, by)), clamp(hn::Add(g, by)), clamp(hn::Add(b, by))));
    };
    const auto y0 = luma_at(less_large), y1 = luma_at(less_small), y2 = luma_at(small), y3 = luma_at(large);
    // The transcoder gives a texel the upper of two colours where twice its luma is at least the sum of theirs.
    const auto edge = [&](auto low, auto high) {
      return hn::Xor(hn::BitCast(d, hn::AverageRound(low, high)), hn::Set(d, kLumaShift));
    };
    const auto low = edge(y0, y1), mid = edge(y1, y2), high = edge(y2, y3);
    auto error = hn::Zero(u);
    for (unsigned t = 0; t < kHalfTexels; ++t) {
      const auto y = hn::Set(d, half.luma[t]);
      const auto dark = hn::IfThenElse(hn::Gt(low, y), less_large, less_small);
      const auto light = hn::IfThenElse(hn::Gt(high, y), small, large);
      const auto by = hn::IfThenElse(hn::Gt(mid, y), dark, light);
      const auto add = [&](auto base, std::int16_t texel) {
        const auto off = hn::Sub(hn::Set(d, texel), clamp(hn::Add(base, by)));
        error = hn::SaturatedAdd(error, hn::BitCast(u, hn::Mul(off, off)));
      };
      add(r, half.r[t]);
      add(g, half.g[t]);
      add(b, half.b[t]);
    }
    hn::Store(error, u, &errors.of[lane]);
  }
}

// The block's planes in both orders of texels, so that each half of either orientation is eight in a row.
struct Planes {
  std::array<std::array<std::int16_t, kBlockTexels>, 2> r, g, b;  // source, [flip]
  std::array<std::array<std::int16_t, kBlockTexels>, 2> luma;     // decoded, [flip]
  std::array<std::array<std::array<unsigned, 3>, 2>, 2> sum;      // decoded, [flip][half][channel]

  Half half(bool flip, unsigned h) const {
    const unsigned at = h * kHalfTexels;
    return {&r[flip][at], &g[flip][at], &b[flip][at], &luma[flip][at]};
  }
};

// Rows to left and right halves, two texels at a time.
void to_columns(std::array<std::array<std::int16_t, kBlockTexels>, 2>& plane) {
  for (unsigned row = 0; row < 4; ++row) {
    std::memcpy(&plane[0][2 * row], &plane[1][4 * row], 4);
    std::memcpy(&plane[0][kHalfTexels + 2 * row], &plane[1][4 * row + 2], 4);
  }
}

Planes split(const BlockTexels& decoded, const BlockTexels& source) {
  Planes p;
  std::array<std::array<unsigned, 3>, 4> quarter{};  // upper left, upper right, lower left, lower right
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    p.r[1][t] = source[t].r;
    p.g[1][t] = source[t].g;
    p.b[1][t] = source[t].b;
    const Rgba8 c = decoded[t];
    p.luma[1][t] = static_cast<std::int16_t>(54 * c.r + 183 * c.g + 19 * c.b + kLumaShift);
  }
  to_columns(p.r);
  to_columns(p.g);
  to_columns(p.b);
  to_columns(p.luma);
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    auto& q = quarter[(t >> 3) * 2 + (t >> 1 & 1)];
    q[0] += decoded[t].r;
    q[1] += decoded[t].g;
    q[2] += decoded[t].b;
  }
  for (unsigned h = 0; h < 2; ++h) {
    for (unsigned c = 0; c < 3; ++c) {
      p.sum[0][h][c] = quarter[h][c] + quarter[h + 2][c];
      p.sum[1][h][c] = quarter[2 * h][c] + quarter[2 * h + 1][c];
    }
  }
  return p;
}

// An orientation and a precision, which the biases then vary.
struct Layout {
  bool flip = false, diff = false;
  std::array<std::array<std::uint8_t, 3>, 2> average{};  // 0..31 or 0..15
  std::array<std::uint8_t, 2> table{};                   // that suit the averages
  std::uint32_t error = 0;                               // with the averages
};

int widen(int v, bool diff) { return diff ? v << 3 | v >> 2 : v * 17; }

constexpr auto kModifiersByTable = [] {
  std::array<Lanes16, 2> m{};  // small, large; the tables twice
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned k = 0; k < 2; ++k) m[k][l] = kEtc1Modifiers[l % kTables][k];
  return m;
}();

// Both precisions of an orientation, every table.
std::array<Layout, 2> measure_layouts(const Planes& p, bool flip) {
  std::array<Layout, 2> layouts;
  for (unsigned i = 0; i < 2; ++i) {
    Layout& layout = layouts[i];
    layout.flip = flip;
    layout.diff = i == 0;
    for (unsigned h = 0; h < 2; ++h)
      for (unsigned c = 0; c < 3; ++c) layout.average[h][c] = etc1_average(p.sum[flip][h][c], layout.diff ? 31 : 15);
  }
  for (unsigned h = 0; h < 2; ++h) {
    Candidates candidates;
    candidates.small = kModifiersByTable[0];
    candidates.large = kModifiersByTable[1];
    for (unsigned i = 0; i < 2; ++i) {
      const auto& average = layouts[i].average;
      std::array<std::int16_t, 3> wide;
      for (unsigned c = 0; c < 3; ++c) {
        int v = average[h][c];
        if (layouts[i].diff && h == 1) v = std::clamp<int>(v, average[0][c] - 4, average[0][c] + 3);
        wide[c] = static_cast<std::int16_t>(widen(v, layouts[i].diff));
      }
      std::fill_n(&candidates.r[i * kTables], kTables, wide[0]);
      std::fill_n(&candidates.g[i * kTables], kTables, wide[1]);
      std::fill_n(&candidates.b[i * kTables], kTables, wide[2]);
    }
    Errors errors;
    measure(p.half(flip, h), candidates, errors);
    for (unsigned i = 0; i < 2; ++i) {
      const auto* first = &errors.of[i * kTables];
      const auto* least = std::min_element(first, first + kTables);
      layouts[i].table[h] = static_cast<std::uint8_t>(least - first);
      layouts[i].error += *least;
    }
  }
  return layouts;
}

// Those that win more often on photographs first.
constexpr std::array<std::uint8_t, kEtc1BiasCount> kBiasOrder = {13, 29, 30, 31, 27, 26, 0,  28, 22, 12, 9,
                                                                 8,  10, 25, 2,  23, 5,  15, 7,  3,  11, 6,
                                                                 17, 18, 1,  19, 20, 21, 24, 4,  14, 16};

// [half][channel][place in kBiasOrder]
constexpr auto kDeltaLanes = [] {
  std::array<std::array<std::array<std::int16_t, kEtc1BiasCount>, 3>, 2> t{};
  for (unsigned i = 0; i < kEtc1BiasCount; ++i)
    for (unsigned h = 0; h < 2; ++h)
      for (unsigned c = 0; c < 3; ++c) t[h][c][i] = kEtc1BiasDeltas[kBiasOrder[i]][h][c];
  return t;
}();

// bias_etc1_channel for a run of biases.
hn::Vec<Signed> bias_lanes(int v, hn::Vec<Signed> delta, int limit) {
  const Signed d;
  const auto from = hn::Set(d, static_cast<std::int16_t>(v)), one = hn::Set(d, 1);
  if (v == 0) return hn::IfThenElse(hn::Eq(delta, hn::Set(d, -2)), hn::Set(d, 3), hn::Add(delta, one));
  const auto moved = hn::Add(from, delta);
  if (v == limit) return hn::Sub(moved, one);
  const auto outside = hn::Or(hn::Lt(moved, hn::Zero(d)), hn::Gt(moved, hn::Set(d, static_cast<std::int16_t>(limit))));
  return hn::IfThenElse(outside, hn::Sub(from, delta), moved);
}

// The base colours of both halves under a run of biases.
std::array<Candidates, 2> biased_candidates(const Layout& layout, unsigned first_bias) {
  const Signed d;
  std::array<Candidates, 2> candidates;
  const int limit = layout.diff ? 31 : 15;
  for (unsigned h = 0; h < 2; ++h) {
    candidates[h].small.fill(kEtc1Modifiers[layout.table[h]][0]);
    candidates[h].large.fill(kEtc1Modifiers[layout.table[h]][1]);
  }
  for (unsigned c = 0; c < 3; ++c) {
    const auto plane = [&](unsigned h) { return c == 0 ? &candidates[h].r : c == 1 ? &candidates[h].g : &candidates[h].b; };
    for (unsigned lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
      const auto delta = [&](unsigned h) { return hn::LoadU(d, &kDeltaLanes[h][c][first_bias + lane]); };
      auto a = bias_lanes(layout.average[0][c], delta(0), limit), b = bias_lanes(layout.average[1][c], delta(1), limit);
      if (layout.diff) {
        b = hn::Min(hn::Max(b, hn::Sub(a, hn::Set(d, 4))), hn::Add(a, hn::Set(d, 3)));
        a = hn::Or(hn::ShiftLeft<3>(a), hn::ShiftRight<2>(a));
        b = hn::Or(hn::ShiftLeft<3>(b), hn::ShiftRight<2>(b));
      } else {
        a = hn::Or(hn::ShiftLeft<4>(a), a);
        b = hn::Or(hn::ShiftLeft<4>(b), b);
      }
      hn::Store(a, d, &(*plane(0))[lane]);
      hn::Store(b, d, &(*plane(1))[lane]);
    }
  }
  return candidates;
}

struct Best {
  const Layout* layout = nullptr;
  unsigned bias = 0;
  std::uint32_t error = UINT32_MAX;
  std::array<std::array<std::int16_t, 3>, 2> base{};
};

// The first biases of a layout, with the tables that suit its averages: a step of the base seldom asks for others.
// count is a multiple of kLanes.
void try_biases(const Planes& p, const Layout& layout, unsigned count, Best& best) {
  for (unsigned first = 0; first < count; first += kLanes) {
    const std::array<Candidates, 2> candidates = biased_candidates(layout, first);
    std::array<Errors, 2> errors;
    for (unsigned h = 0; h < 2; ++h) measure(p.half(layout.flip, h), candidates[h], errors[h]);
    for (unsigned l = 0; l < kLanes; ++l) {
      const std::uint32_t error = errors[0].of[l] + std::uint32_t{errors[1].of[l]};
      if (error >= best.error) continue;
      best = {&layout, kBiasOrder[first + l], error, {}};
      for (unsigned h = 0; h < 2; ++h) best.base[h] = {candidates[h].r[l], candidates[h].g[l], candidates[h].b[l]};
    }
  }
}

// The tables that suit the bases in the end.
Etc1Choice with_best_tables(const Planes& p, const Best& best) {
  Etc1Choice choice{best.layout->flip, best.layout->diff, static_cast<std::uint8_t>(best.bias), {}, 0};
  for (unsigned h = 0; h < 2; ++h) {
    Candidates candidates;
    candidates.r.fill(best.base[h][0]);
    candidates.g.fill(best.base[h][1]);
    candidates.b.fill(best.base[h][2]);
    candidates.small = kModifiersByTable[0];
    candidates.large = kModifiersByTable[1];
    Errors errors;
    measure(p.half(best.layout->flip, h), candidates, errors);
    const auto least = std::min_element(errors.of.begin(), errors.of.begin() + kTables);
    choice.table[h] = static_cast<std::uint8_t>(least - errors.of.begin());
    choice.error += *least;
  }
  return choice;
}

// The orientation whose halves differ more: what is left inside them is less.
bool likelier_flip(const Planes& p) {
  std::array<std::uint64_t, 2> between{};
  for (unsigned f = 0; f < 2; ++f) {
    for (unsigned c = 0; c < 3; ++c) {
      const int d = static_cast<int>(p.sum[f][0][c]) - static_cast<int>(p.sum[f][1][c]);
      between[f] += static_cast<std::uint64_t>(d * d);
    }
  }
  return between[1] > between[0];
}

}  // namespace

Etc1Choice search(const BlockTexels& decoded, const BlockTexels& source, bool biased, HintEffort effort) {
  const Planes p = split(decoded, source);
  std::array<Layout, 4> layouts;  // best first
  unsigned count = 0;
  const bool likely = likelier_flip(p);
  for (bool flip : {likely, !likely}) {
    if (flip != likely && effort == HintEffort::kFast) break;
    for (const Layout& layout : measure_layouts(p, flip)) {
      unsigned at = count++;
      for (; at > 0 && layouts[at - 1].error > layout.error; --at) layouts[at] = layouts[at - 1];
      layouts[at] = layout;
    }
  }
  if (!biased) return {layouts[0].flip, layouts[0].diff, 0, layouts[0].table, layouts[0].error};
  const unsigned tried = effort == HintEffort::kFast ? 1 : effort == HintEffort::kNormal ? 2 : 4;
  Best best;
  const unsigned biases = effort == HintEffort::kFast ? kLanes : kEtc1BiasCount;
  for (unsigned i = 0; i < tried; ++i) try_biases(p, layouts[i], biases, best);
  if (effort == HintEffort::kFast)
    return {best.layout->flip, best.layout->diff, static_cast<std::uint8_t>(best.bias), best.layout->table, best.error};
  return with_best_tables(p, best);
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
