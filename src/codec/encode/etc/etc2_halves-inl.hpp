// The half-block modes of ETC: a base color, a table of modifiers, and a level for each texel, in each half. Included
// once per SIMD target. Uses only integers, so every target gives the same bits.
#if defined(ASSETC_CODEC_ETC2_HALVES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_ETC2_HALVES_INL_HPP_
#undef ASSETC_CODEC_ETC2_HALVES_INL_HPP_
#else
#define ASSETC_CODEC_ETC2_HALVES_INL_HPP_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>

#include "codec/block/etc_block.hpp"
#include "codec/encode/etc/etc2_search.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace {

// The loops over the texels of a half or a block are plain code. The compiler vectorizes them for each target.
constexpr unsigned kHalfTexels = 8;
constexpr unsigned kTables = 8;

using Weights = std::array<std::int32_t, 3>;
using Color = std::array<int, 3>;

// The channels of texels, one after the other.
template <unsigned kCount>
struct Planes {
  alignas(64) std::array<std::array<std::int32_t, kCount>, 3> of;
  Color sum{}, low{255, 255, 255}, high{};
};
using Half = Planes<kHalfTexels>;
using Block = Planes<kBlockTexels>;

struct HalfFit {
  Color base{};  // quantized
  unsigned table = 0;
  std::uint32_t error = UINT32_MAX;
};

int widen(int v, bool diff) { return diff ? v << 3 | v >> 2 : v * 17; }
// round(numerator / denominator * limit / 255), clamped; denominator > 0.
int quantize(int numerator, int denominator, int limit) {
  if (numerator <= 0) return 0;
  return std::min(limit, (2 * numerator * limit + 255 * denominator) / (2 * 255 * denominator));
}

using Levels = std::array<std::int32_t, kHalfTexels>;

struct Table {
  std::int32_t small, large;
};
constexpr Table table_of(unsigned table) { return {kEtc1Modifiers[table][0], kEtc1Modifiers[table][1]}; }

// If no level of a table is clamped, moving all channels by m changes a texel's squared error q by W m^2 - 2 m s. W is
// the sum of the weights, and s is the weighted sum of the texel's differences from the base.
struct Differences {
  alignas(32) Levels s;
  alignas(32) Levels q;
};
Differences differences(const Half& half, const Color& wide, const Weights& w) {
  Differences d;
  for (unsigned t = 0; t < kHalfTexels; ++t) {
    const std::int32_t r = half.of[0][t] - wide[0], g = half.of[1][t] - wide[1], b = half.of[2][t] - wide[2];
    const std::int32_t wr = w[0] * r, wg = w[1] * g, wb = w[2] * b;
    d.s[t] = wr + wg + wb;
    d.q[t] = wr * r + wg * g + wb * b;
  }
  return d;
}
bool is_unclamped(const Color& wide, const Table& table) {
  const auto [low, high] = std::minmax({wide[0], wide[1], wide[2]});
  return low >= table.large && high <= 255 - table.large;
}
std::uint32_t sum_of(const Levels& values) {
  std::uint32_t sum = 0;
  for (unsigned t = 0; t < kHalfTexels; ++t) sum += static_cast<std::uint32_t>(values[t]);
  return sum;
}

// The squared error of a half with the nearest levels, computed from differences.
std::uint32_t measure_unclamped(const Differences& d, const Table& table, std::int32_t weight, Levels& levels) {
  const std::int32_t small = weight * table.small * table.small, large = weight * table.large * table.large;
  alignas(32) Levels error;
  for (unsigned t = 0; t < kHalfTexels; ++t) {
    const std::int32_t twice = 2 * std::abs(d.s[t]);
    const std::int32_t inner = small - table.small * twice, outer = large - table.large * twice;
    const std::int32_t far = outer < inner;
    error[t] = d.q[t] + std::min(inner, outer);
    levels[t] = d.s[t] < 0 ? 1 - far : 2 + far;
  }
  return sum_of(error);
}

// The same if levels are clamped.
std::uint32_t measure_clamped(const Half& half, const Color& wide, const Table& table, const Weights& w,
                              Levels& levels) {
  const std::array<int, 4> shifts = {-table.large, -table.small, table.small, table.large};
  alignas(32) Levels least;
  least.fill(INT32_MAX);
  for (int level = 0; level < 4; ++level) {
    Color c;
    for (unsigned i = 0; i < 3; ++i) c[i] = std::clamp(wide[i] + shifts[static_cast<unsigned>(level)], 0, 255);
    for (unsigned t = 0; t < kHalfTexels; ++t) {
      const std::int32_t r = half.of[0][t] - c[0], g = half.of[1][t] - c[1], b = half.of[2][t] - c[2];
      const std::int32_t error = w[0] * (r * r) + w[1] * (g * g) + w[2] * (b * b);
      levels[t] = error < least[t] ? level : levels[t];
      least[t] = error < least[t] ? error : least[t];
    }
  }
  return sum_of(least);
}

Color widened(const Color& base, bool diff) {
  return {widen(base[0], diff), widen(base[1], diff), widen(base[2], diff)};
}
std::int32_t total(const Weights& w) { return w[0] + w[1] + w[2]; }

std::uint32_t measure(const Half& half, const Color& base, bool diff, unsigned table, const Weights& w,
                      Levels& levels) {
  const Color wide = widened(base, diff);
  if (!is_unclamped(wide, table_of(table))) return measure_clamped(half, wide, table_of(table), w, levels);
  return measure_unclamped(differences(half, wide, w), table_of(table), total(w), levels);
}

// Whether no texel can be nearer to a level of `table` than to one of the table below it. That is so if no texel
// differs from the base by more than half of the sum of the two tables' inner levels, and no level of `table` is
// clamped to less than its inner one.
bool is_too_wide(const Half& half, const Color& wide, unsigned table) {
  if (table == 0) return false;
  const std::int32_t inner = table_of(table).small;
  const auto [low, high] = std::minmax({wide[0], wide[1], wide[2]});
  if (low < inner || high > 255 - inner) return false;
  std::int32_t largest = 0;
  for (unsigned c = 0; c < 3; ++c) largest = std::max({largest, half.high[c] - wide[c], wide[c] - half.low[c]});
  return 2 * largest <= inner + table_of(table - 1).small;
}

// The error of every table with one base color. It is UINT32_MAX for tables that are certainly not better than another.
void measure_tables(const Half& half, const Color& base, bool diff, const Weights& w,
                    std::array<std::uint32_t, kTables>& errors, std::array<Levels, kTables>& levels) {
  const Color wide = widened(base, diff);
  const Differences d = differences(half, wide, w);
  for (unsigned table = 0; table < kTables; ++table) {
    if (is_too_wide(half, wide, table))
      errors[table] = UINT32_MAX;
    else if (is_unclamped(wide, table_of(table)))
      errors[table] = measure_unclamped(d, table_of(table), total(w), levels[table]);
    else
      errors[table] = measure_clamped(half, wide, table_of(table), w, levels[table]);
  }
}

// How many of the following steps an effort takes.
struct Reach {
  unsigned tables;    // to refine, best first
  unsigned steps;     // of refinement, for each table
  unsigned descents;  // rounds over the neighbors of a color
};
constexpr Reach reach_of(Effort effort) {
  return effort == Effort::kFast ? Reach{1, 1, 0} : effort == Effort::kNormal ? Reach{3, 2, 0} : Reach{8, 4, 3};
}

// The colors that a half may have: all, or those that the other half's color permits in a differential block.
struct Allowed {
  Color low{}, high{};
  Color clamped(Color c) const {
    for (unsigned i = 0; i < 3; ++i) c[i] = std::clamp(c[i], low[i], high[i]);
    return c;
  }
};

void try_fit(const Half& half, const Color& base, bool diff, unsigned table, const Weights& weights, HalfFit& best,
             Levels& levels) {
  Levels tried;
  const std::uint32_t error = measure(half, base, diff, table, weights, tried);
  if (error >= best.error) return;
  best = {base, table, error};
  levels = tried;
}

HalfFit fit_half(const Half& half, bool diff, const Allowed& allowed, const Etc2Settings& settings) {
  const int limit = diff ? 31 : 15;
  const Reach reach = reach_of(settings.effort);
  Color mean;
  for (unsigned i = 0; i < 3; ++i) mean[i] = quantize(half.sum[i], kHalfTexels, limit);
  mean = allowed.clamped(mean);
  std::array<std::uint32_t, kTables> errors;
  std::array<Levels, kTables> levels;
  measure_tables(half, mean, diff, settings.weights, errors, levels);
  std::array<std::pair<std::uint32_t, unsigned>, kTables> order;
  for (unsigned table = 0; table < kTables; ++table) order[table] = {errors[table], table};
  std::partial_sort(order.begin(), order.begin() + reach.tables, order.end());
  HalfFit best{mean, order[0].second, order[0].first};
  for (unsigned i = 0; i < reach.tables && order[i].first < UINT32_MAX; ++i) {
    HalfFit fit{mean, order[i].second, order[i].first};
    Levels& chosen = levels[fit.table];
    const int small = kEtc1Modifiers[fit.table][0], large = kEtc1Modifiers[fit.table][1];
    const std::array<int, 4> shifts = {-large, -small, small, large};
    for (unsigned step = 0; step < reach.steps; ++step) {
      // The color that fits the levels best if nothing is clamped.
      int shift = 0;
      for (const std::int32_t level : chosen) shift += shifts[static_cast<unsigned>(level)];
      Color base;
      for (unsigned c = 0; c < 3; ++c) base[c] = quantize(half.sum[c] - shift, kHalfTexels, limit);
      base = allowed.clamped(base);
      const std::uint32_t before = fit.error;
      if (base != fit.base) try_fit(half, base, diff, fit.table, settings.weights, fit, chosen);
      if (fit.error == before) break;
    }
    if (fit.error < best.error) best = fit;
  }
  Levels unused;
  for (unsigned round = 0; round < reach.descents; ++round) {
    const HalfFit from = best;
    for (unsigned c = 0; c < 3; ++c) {
      for (const int by : {-1, 1}) {
        Color base = from.base;
        base[c] += by;
        if (allowed.clamped(base) != base) continue;
        for (unsigned table = std::max(1u, from.table) - 1; table <= std::min(kTables - 1, from.table + 1); ++table)
          try_fit(half, base, diff, table, settings.weights, best, unused);
      }
    }
    if (best.error == from.error) break;
  }
  return best;
}

Allowed all_colors(bool diff) {
  const int limit = diff ? 31 : 15;
  return {{0, 0, 0}, {limit, limit, limit}};
}
// The range of the second color of a differential block, given the first. With mirrored limits, of the first.
Allowed beside(const Color& other, int below, int above) {
  Allowed a;
  for (unsigned i = 0; i < 3; ++i) a.low[i] = std::max(0, other[i] - below), a.high[i] = std::min(31, other[i] + above);
  return a;
}

struct Halves {
  bool flip = false, diff = false;
  bool moved = false;  // the halves' best colors are too far apart for a differential block
  std::array<HalfFit, 2> fit{};
  std::uint32_t error = UINT32_MAX;
};

Halves fit_differential(const std::array<Half, 2>& halves, const Etc2Settings& settings) {
  Halves h;
  h.diff = true;
  for (unsigned i = 0; i < 2; ++i) h.fit[i] = fit_half(halves[i], true, all_colors(true), settings);
  const Allowed second = beside(h.fit[0].base, 4, 3);
  if (second.clamped(h.fit[1].base) != h.fit[1].base) {
    h.moved = true;
    const HalfFit moved_second = fit_half(halves[1], true, second, settings);
    const HalfFit moved_first = fit_half(halves[0], true, beside(h.fit[1].base, 3, 4), settings);
    if (h.fit[0].error + moved_second.error <= moved_first.error + h.fit[1].error)
      h.fit[1] = moved_second;
    else
      h.fit[0] = moved_first;
  }
  h.error = h.fit[0].error + h.fit[1].error;
  return h;
}

Halves fit_individual(const std::array<Half, 2>& halves, const Etc2Settings& settings) {
  Halves h;
  for (unsigned i = 0; i < 2; ++i) h.fit[i] = fit_half(halves[i], false, all_colors(false), settings);
  h.error = h.fit[0].error + h.fit[1].error;
  return h;
}

std::array<Half, 2> split(const BlockTexels& texels, bool flip) {
  std::array<Half, 2> halves;
  std::array<unsigned, 2> count{};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned h = etc_half(flip, t);
    for (unsigned c = 0; c < 3; ++c) {
      halves[h].of[c][count[h]] = texels[t][c];
      halves[h].sum[c] += texels[t][c];
      halves[h].low[c] = std::min<int>(halves[h].low[c], texels[t][c]);
      halves[h].high[c] = std::max<int>(halves[h].high[c], texels[t][c]);
    }
    ++count[h];
  }
  return halves;
}

}  // namespace
}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
