#include "codec/etc2_search.hpp"

#include <algorithm>
#include <cstdlib>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/etc2_search.cpp"
#include "codec/etc_block.hpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace {

// Loops over the texels of a half or a block are plain: each target's compiler makes vectors of them.
constexpr unsigned kHalfTexels = 8;
constexpr unsigned kTables = 8;

using Weights = std::array<std::int32_t, 3>;
using Color = std::array<int, 3>;

// Channels of texels, side by side.
template <unsigned kCount>
struct Planes {
  alignas(64) std::array<std::array<std::int32_t, kCount>, 3> of;
  Color sum{};
};
using Half = Planes<kHalfTexels>;
using Block = Planes<kBlockTexels>;

struct HalfFit {
  Color base{};  // quantised
  unsigned table = 0;
  std::uint32_t error = UINT32_MAX;
};

int widen(int v, bool diff) { return diff ? v << 3 | v >> 2 : v * 17; }
// round(numerator / denominator * limit / 255), clamped; denominator > 0.
int quantise(int numerator, int denominator, int limit) {
  if (numerator <= 0) return 0;
  return std::min(limit, (2 * numerator * limit + 255 * denominator) / (2 * 255 * denominator));
}

using Levels = std::array<std::int32_t, kHalfTexels>;

// The squared error of a half under a base colour and a table, each texel at its nearest level.
std::uint32_t measure(const Half& half, const Color& base, bool diff, unsigned table, const Weights& weights,
                      Levels& levels) {
  const int small = kEtc1Modifiers[table][0], large = kEtc1Modifiers[table][1];
  const std::array<int, 4> shifts = {-large, -small, small, large};
  alignas(32) std::array<std::int32_t, kHalfTexels> least;
  least.fill(INT32_MAX);
  for (int level = 0; level < 4; ++level) {
    Color c;
    for (unsigned i = 0; i < 3; ++i)
      c[i] = std::clamp(widen(base[i], diff) + shifts[static_cast<unsigned>(level)], 0, 255);
    for (unsigned t = 0; t < kHalfTexels; ++t) {
      const std::int32_t r = half.of[0][t] - c[0], g = half.of[1][t] - c[1], b = half.of[2][t] - c[2];
      const std::int32_t error = weights[0] * (r * r) + weights[1] * (g * g) + weights[2] * (b * b);
      levels[t] = error < least[t] ? level : levels[t];
      least[t] = error < least[t] ? error : least[t];
    }
  }
  std::uint32_t sum = 0;
  for (unsigned t = 0; t < kHalfTexels; ++t) sum += static_cast<std::uint32_t>(least[t]);
  return sum;
}

// How many of the steps below an effort takes.
struct Reach {
  unsigned tables;    // refined, best first
  unsigned steps;     // of refinement, each
  unsigned descents;  // rounds over the neighbours of a colour
};
constexpr Reach reach_of(Effort effort) {
  return effort == Effort::kFast ? Reach{1, 1, 0} : effort == Effort::kNormal ? Reach{3, 2, 0} : Reach{8, 4, 3};
}

// The colours that a half may have: all, or those within a step of the other half's.
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
  for (unsigned i = 0; i < 3; ++i) mean[i] = quantise(half.sum[i], kHalfTexels, limit);
  mean = allowed.clamped(mean);
  std::array<std::pair<std::uint32_t, unsigned>, kTables> order;
  std::array<Levels, kTables> levels;
  for (unsigned table = 0; table < kTables; ++table)
    order[table] = {measure(half, mean, diff, table, settings.weights, levels[table]), table};
  std::sort(order.begin(), order.end());
  HalfFit best{mean, order[0].second, order[0].first};
  for (unsigned i = 0; i < reach.tables; ++i) {
    HalfFit fit{mean, order[i].second, order[i].first};
    Levels& chosen = levels[fit.table];
    const int small = kEtc1Modifiers[fit.table][0], large = kEtc1Modifiers[fit.table][1];
    const std::array<int, 4> shifts = {-large, -small, small, large};
    for (unsigned step = 0; step < reach.steps; ++step) {
      // The colour that suits the levels best, were nothing clamped.
      int shift = 0;
      for (const std::int32_t level : chosen) shift += shifts[static_cast<unsigned>(level)];
      Color base;
      for (unsigned c = 0; c < 3; ++c) base[c] = quantise(half.sum[c] - shift, kHalfTexels, limit);
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
// What the second (or, mirrored, the first) colour of a differential block may be beside the other.
Allowed beside(const Color& other, int below, int above) {
  Allowed a;
  for (unsigned i = 0; i < 3; ++i) a.low[i] = std::max(0, other[i] - below), a.high[i] = std::min(31, other[i] + above);
  return a;
}

struct Halves {
  bool flip = false, diff = false;
  std::array<HalfFit, 2> fit{};
  std::uint32_t error = UINT32_MAX;
};

Halves fit_differential(const std::array<Half, 2>& halves, const Etc2Settings& settings) {
  Halves h{
      false,
      true,
      {fit_half(halves[0], true, all_colors(true), settings), fit_half(halves[1], true, all_colors(true), settings)},
      0};
  const Allowed second = beside(h.fit[0].base, 4, 3);
  if (second.clamped(h.fit[1].base) != h.fit[1].base) {
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
  Halves h{false,
           false,
           {fit_half(halves[0], false, all_colors(false), settings),
            fit_half(halves[1], false, all_colors(false), settings)},
           0};
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
    }
    ++count[h];
  }
  return halves;
}

void pack_halves(const BlockTexels& texels, const Halves& best, const Weights& weights, std::uint8_t* out) {
  const std::array<Half, 2> halves = split(texels, best.flip);
  Etc1Block block;
  block.flip = best.flip;
  block.diff = best.diff;
  std::array<Levels, 2> levels;
  for (unsigned h = 0; h < 2; ++h) {
    const auto byte = [&](unsigned c) { return static_cast<std::uint8_t>(best.fit[h].base[c]); };
    block.base[h] = {byte(0), byte(1), byte(2)};
    block.table[h] = static_cast<std::uint8_t>(best.fit[h].table);
    measure(halves[h], best.fit[h].base, best.diff, best.fit[h].table, weights, levels[h]);
  }
  TexelIndices indices;
  std::array<unsigned, 2> count{};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned h = etc_half(best.flip, t);
    indices[t] = static_cast<std::uint8_t>(levels[h][count[h]++]);
  }
  pack_etc1(block, indices, out);
}

// Planar: each channel is a plane of its own, whose least-squares fit over the block has a closed form.
struct Plane {
  std::array<std::array<int, 3>, 3> corner{};  // [channel][origin, horizontal, vertical], quantised
  std::uint32_t error = 0;
};

std::uint32_t measure_plane(const std::array<std::int32_t, kBlockTexels>& values, const std::array<int, 3>& corner,
                            unsigned bits) {
  const auto wide = [&](int v) { return v << (8 - bits) | v >> (2 * bits - 8); };
  const int o = wide(corner[0]), h = wide(corner[1]) - o, v = wide(corner[2]) - o;
  std::uint32_t error = 0;
  for (int t = 0; t < static_cast<int>(kBlockTexels); ++t) {
    const int at = std::clamp(((t & 3) * h + (t >> 2) * v + 4 * o + 2) >> 2, 0, 255);
    const int d = values[static_cast<unsigned>(t)] - at;
    error += static_cast<std::uint32_t>(d * d);
  }
  return error;
}

Plane fit_plane(const Block& block, const Etc2Settings& settings) {
  Plane plane;
  for (unsigned c = 0; c < 3; ++c) {
    const unsigned bits = c == 1 ? 7 : 6;
    const int limit = (1 << bits) - 1;
    int slope_x = 0, slope_y = 0;  // 80 times the change over half a texel
    for (int t = 0; t < static_cast<int>(kBlockTexels); ++t) {
      slope_x += (2 * (t & 3) - 3) * block.of[c][static_cast<unsigned>(t)];
      slope_y += (2 * (t >> 2) - 3) * block.of[c][static_cast<unsigned>(t)];
    }
    const int mean = 5 * block.sum[c];  // of 80
    std::array<int, 3> corner = {quantise(mean - 3 * slope_x - 3 * slope_y, 80, limit),
                                 quantise(mean + 5 * slope_x - 3 * slope_y, 80, limit),
                                 quantise(mean - 3 * slope_x + 5 * slope_y, 80, limit)};
    std::uint32_t error = measure_plane(block.of[c], corner, bits);
    if (settings.effort != Effort::kFast) {
      const std::array<int, 3> from = corner;
      for (int n = 0; n < 27; ++n) {
        const std::array<int, 3> near = {from[0] + n % 3 - 1, from[1] + n / 3 % 3 - 1, from[2] + n / 9 - 1};
        if (std::ranges::any_of(near, [&](int v) { return v < 0 || v > limit; })) continue;
        const std::uint32_t e = measure_plane(block.of[c], near, bits);
        if (e < error) error = e, corner = near;
      }
    }
    plane.corner[c] = corner;
    plane.error += static_cast<std::uint32_t>(settings.weights[c]) * error;
  }
  return plane;
}

void pack_plane(const Plane& plane, std::uint8_t* out) {
  const auto color = [&](unsigned i) {
    const auto byte = [&](unsigned c) { return static_cast<std::uint8_t>(plane.corner[c][i]); };
    return Rgb8{byte(0), byte(1), byte(2)};
  };
  pack_etc2_planar({color(0), color(1), color(2)}, out);
}

// T and H.
struct PaintFit {
  Etc2Paints paints;
  std::uint32_t error = UINT32_MAX;
};

std::uint32_t measure_paints(const Block& block, const Etc2Paints& paints, const Weights& weights,
                             std::array<std::int32_t, kBlockTexels>& chosen) {
  const std::array<Rgba8, 4> colors = paints.colors();
  alignas(64) std::array<std::int32_t, kBlockTexels> least;
  least.fill(INT32_MAX);
  for (int i = 0; i < 4; ++i) {
    const Rgba8 p = colors[static_cast<unsigned>(i)];
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      const std::int32_t r = block.of[0][t] - p.r, g = block.of[1][t] - p.g, b = block.of[2][t] - p.b;
      const std::int32_t error = weights[0] * (r * r) + weights[1] * (g * g) + weights[2] * (b * b);
      chosen[t] = error < least[t] ? i : chosen[t];
      least[t] = error < least[t] ? error : least[t];
    }
  }
  std::uint32_t sum = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) sum += static_cast<std::uint32_t>(least[t]);
  return sum;
}

// Two clusters of the texels: the sums and the count of each. Starts from the ends of the channel that spreads most.
struct Clusters {
  std::array<Color, 2> sum{};
  std::array<int, 2> count{};
};
Clusters cluster(const Block& block) {
  unsigned widest = 0;
  int spread = -1;
  for (unsigned c = 0; c < 3; ++c) {
    const auto [low, high] = std::ranges::minmax(block.of[c]);
    if (high - low > spread) spread = high - low, widest = c;
  }
  const auto& axis = block.of[widest];
  const auto index = [&](auto at) { return static_cast<std::size_t>(at - axis.begin()); };
  const std::size_t ends[2] = {index(std::ranges::min_element(axis)), index(std::ranges::max_element(axis))};
  std::array<Color, 2> centre;
  for (unsigned k = 0; k < 2; ++k)
    for (unsigned c = 0; c < 3; ++c) centre[k][c] = block.of[c][ends[k]];
  Clusters clusters;
  for (int round = 0; round < 3; ++round) {
    clusters = {};
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      std::array<int, 2> distance{};
      for (unsigned k = 0; k < 2; ++k)
        for (unsigned c = 0; c < 3; ++c)
          distance[k] += (block.of[c][t] - centre[k][c]) * (block.of[c][t] - centre[k][c]);
      const unsigned k = distance[1] < distance[0];
      ++clusters.count[k];
      for (unsigned c = 0; c < 3; ++c) clusters.sum[k][c] += block.of[c][t];
    }
    for (unsigned k = 0; k < 2; ++k)
      for (unsigned c = 0; c < 3 && clusters.count[k] > 0; ++c) centre[k][c] = clusters.sum[k][c] / clusters.count[k];
  }
  return clusters;
}

// The two colours that suit the chosen paints best, were nothing clamped.
Etc2Paints refined(const Block& block, const Etc2Paints& paints, const std::array<std::int32_t, kBlockTexels>& chosen) {
  const int d = kEtc2Distances[paints.distance];
  const std::array<int, 4> offset = paints.h ? std::array{d, -d, d, -d} : std::array{0, d, 0, -d};
  std::array<Color, 2> sum{};
  std::array<int, 2> count{};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const auto paint = static_cast<unsigned>(chosen[t]);
    const unsigned k = paints.h ? paint >> 1 : paint > 0;
    ++count[k];
    for (unsigned c = 0; c < 3; ++c) sum[k][c] += block.of[c][t] - offset[paint];
  }
  Etc2Paints next = paints;
  for (unsigned k = 0; k < 2; ++k) {
    if (count[k] == 0) continue;
    const auto four = [&](unsigned c) { return static_cast<std::uint8_t>(quantise(sum[k][c], count[k], 15)); };
    next.base[k] = {four(0), four(1), four(2)};
  }
  return next;
}

PaintFit fit_paints(const Block& block, const Etc2Settings& settings) {
  const Clusters clusters = cluster(block);
  PaintFit best;
  if (clusters.count[0] == 0 || clusters.count[1] == 0) return best;  // one colour: other modes are better at it
  std::array<Rgb8, 2> means;
  for (unsigned k = 0; k < 2; ++k) {
    const auto four = [&](unsigned c) {
      return static_cast<std::uint8_t>(quantise(clusters.sum[k][c], clusters.count[k], 15));
    };
    means[k] = {four(0), four(1), four(2)};
  }
  const unsigned steps = settings.effort == Effort::kBest ? 3 : 1;
  for (unsigned kind = 0; kind < 3; ++kind) {  // T either way round, H
    for (std::uint8_t distance = 0; distance < kEtc2Distances.size(); ++distance) {
      Etc2Paints paints{kind == 2, {means[kind == 1], means[kind != 1]}, distance};
      for (unsigned step = 0; step <= steps; ++step) {
        if (paints.h && paints.base[0] == paints.base[1] && distance % 2 == 0) break;  // cannot be said
        std::array<std::int32_t, kBlockTexels> chosen;
        const std::uint32_t error = measure_paints(block, paints, settings.weights, chosen);
        if (error < best.error) best = {paints, error};
        const Etc2Paints next = refined(block, paints, chosen);
        if (next.base == paints.base) break;
        paints = next;
      }
    }
  }
  return best;
}

void pack_best_paints(const Block& block, const Etc2Paints& paints, const Weights& weights, std::uint8_t* out) {
  std::array<std::int32_t, kBlockTexels> chosen;
  measure_paints(block, paints, weights, chosen);
  TexelIndices indices;
  for (unsigned t = 0; t < kBlockTexels; ++t) indices[t] = static_cast<std::uint8_t>(chosen[t]);
  pack_etc2_paints(paints, indices, out);
}

}  // namespace

void search(const BlockTexels& texels, const Etc2Settings& settings, std::uint8_t* out) {
  Block block;
  for (unsigned c = 0; c < 3; ++c) {
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      block.of[c][t] = texels[t][c];
      block.sum[c] += texels[t][c];
    }
  }
  Halves best;
  for (const bool flip : {false, true}) {
    const std::array<Half, 2> halves = split(texels, flip);
    for (const bool diff : {true, false}) {
      // Halves that are far apart are what four bits each are for.
      if (!diff && settings.effort == Effort::kFast && best.flip == flip && best.error < UINT32_MAX && best.diff)
        continue;
      Halves fit = diff ? fit_differential(halves, settings) : fit_individual(halves, settings);
      fit.flip = flip;
      if (fit.error < best.error) best = fit;
    }
  }
  const Plane plane = fit_plane(block, settings);
  PaintFit paints;
  if (settings.effort != Effort::kFast && std::min(best.error, plane.error) > 0) paints = fit_paints(block, settings);
  if (plane.error <= best.error && plane.error <= paints.error) return pack_plane(plane, out);
  if (paints.error < best.error) return pack_best_paints(block, paints.paints, settings.weights, out);
  pack_halves(texels, best, settings.weights, out);
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(search);

void search_etc2(const BlockTexels& texels, const Etc2Settings& settings, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(search)(texels, settings, out);
}

}  // namespace assetc::codec
#endif
