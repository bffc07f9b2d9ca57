#include "codec/encode/etc1s/etc1s_kernels.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/etc1s/etc1s_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace {

// Loops over 16 texels are plain code. The compiler vectorizes them for each target.
constexpr unsigned kTexels = kBlockTexels;
constexpr unsigned kTables = 8;

using Color = std::array<std::int32_t, 3>;
using Palette = std::array<Color, 4>;

Color wide(const Etc1sEndpoint& e) {
  return {etc_expand5(e.color[0]), etc_expand5(e.color[1]), etc_expand5(e.color[2])};
}

Palette palette_of(const Etc1sEndpoint& e) {
  const Color base = wide(e);
  const std::int32_t small = kEtc1Modifiers[e.table][0], large = kEtc1Modifiers[e.table][1];
  const std::array<std::int32_t, 4> shifts = {-large, -small, small, large};
  Palette palette;
  for (unsigned level = 0; level < 4; ++level)
    for (unsigned c = 0; c < 3; ++c) palette[level][c] = std::clamp(base[c] + shifts[level], 0, 255);
  return palette;
}

// round(sum / count * 31 / 255), clamped. Requires count < 2^40.
std::uint8_t quantize(std::int64_t sum, std::int64_t count) {
  if (sum <= 0) return 0;
  return static_cast<std::uint8_t>(std::min<std::int64_t>(31, (62 * sum + 255 * count) / (510 * count)));
}

HWY_INLINE void level_errors(const Etc1sTexels& x, const Palette& palette, const Etc1sWeights& w, Etc1sErrors& out) {
  for (unsigned level = 0; level < 4; ++level) {
    const std::int32_t pr = palette[level][0], pg = palette[level][1], pb = palette[level][2];
    for (unsigned t = 0; t < kTexels; ++t) {
      const std::int32_t r = x.of[0][t] - pr, g = x.of[1][t] - pg, b = x.of[2][t] - pb;
      out.of[level][t] = w[0] * (r * r) + w[1] * (g * g) + w[2] * (b * b);
    }
  }
}

// Weighted sums of the channels of each texel, plain sums of the channels over the texels, and weighted squares.
struct Sums {
  alignas(64) std::array<std::int32_t, kTexels> of_texel;
  Color of_channel;
  std::int32_t squares = 0;
};
HWY_INLINE Sums sums_of(const Etc1sTexels& x, const Etc1sWeights& w) {
  Sums s;
  for (unsigned t = 0; t < kTexels; ++t) s.of_texel[t] = w[0] * x.of[0][t] + w[1] * x.of[1][t] + w[2] * x.of[2][t];
  for (unsigned c = 0; c < 3; ++c) {
    std::int32_t sum = 0;
    std::int32_t squares = 0;
    for (unsigned t = 0; t < kTexels; ++t) {
      const std::int32_t v = x.of[c][t];
      sum += v;
      squares += v * v;
    }
    s.of_channel[c] = sum;
    s.squares += w[c] * squares;
  }
  return s;
}

// The error of a block whose texels have their best levels.
HWY_INLINE std::uint32_t measure(const Etc1sTexels& x, const Sums& s, const Etc1sEndpoint& e, const Etc1sWeights& w) {
  const Color base = wide(e);
  const std::int32_t small = kEtc1Modifiers[e.table][0], large = kEtc1Modifiers[e.table][1];
  if (std::min({base[0], base[1], base[2]}) >= large && std::max({base[0], base[1], base[2]}) <= 255 - large) {
    // Nothing is clamped. A modifier m changes a texel's error by W m^2 - 2 m d: W is the sum of the weights, and d is
    // the weighted sum of the texel's differences from the color. The best m has the sign of d.
    const std::int32_t from = w[0] * base[0] + w[1] * base[1] + w[2] * base[2];
    std::int32_t error = s.squares;
    for (unsigned c = 0; c < 3; ++c)
      error += w[c] * base[c] * (static_cast<std::int32_t>(kTexels) * base[c] - 2 * s.of_channel[c]);
    for (unsigned t = 0; t < kTexels; ++t) {
      const std::int32_t d = s.of_texel[t] - from, size = d < 0 ? -d : d;
      error += std::min(small * (kEtc1sWeightSum * small - 2 * size), large * (kEtc1sWeightSum * large - 2 * size));
    }
    return static_cast<std::uint32_t>(error);
  }
  Etc1sErrors errors;
  level_errors(x, palette_of(e), w, errors);
  std::int32_t sum = 0;
  for (unsigned t = 0; t < kTexels; ++t)
    sum += std::min(std::min(errors.of[0][t], errors.of[1][t]), std::min(errors.of[2][t], errors.of[3][t]));
  return static_cast<std::uint32_t>(sum);
}

// The sum of the modifiers that texels choose if no channel is clamped.
HWY_INLINE std::int32_t modifier_sum(const Sums& s, const Etc1sEndpoint& e, const Etc1sWeights& w) {
  const Color base = wide(e);
  const std::int32_t from = w[0] * base[0] + w[1] * base[1] + w[2] * base[2];
  const std::int32_t small = kEtc1Modifiers[e.table][0], large = kEtc1Modifiers[e.table][1];
  const std::int32_t between = kEtc1sWeightSum * (small + large);
  std::int32_t sum = 0;
  for (unsigned t = 0; t < kTexels; ++t) {
    const std::int32_t d = s.of_texel[t] - from;
    const std::int32_t size = (d < 0 ? -d : d) * 2 > between ? large : small;
    sum += d < 0 ? -size : size;
  }
  return sum;
}

Etc1sFit fit(const Etc1sTexels& x, const Etc1sWeights& w) {
  const Sums s = sums_of(x, w);
  Etc1sFit best{{}, UINT32_MAX};
  for (unsigned table = 0; table < kTables; ++table) {
    Etc1sEndpoint e;
    e.table = static_cast<std::uint8_t>(table);
    for (unsigned c = 0; c < 3; ++c) e.color[c] = quantize(s.of_channel[c], kTexels);
    for (unsigned pass = 0; pass < 2; ++pass) {
      const std::int32_t shift = modifier_sum(s, e, w);
      const Etc1sEndpoint before = e;
      for (unsigned c = 0; c < 3; ++c) e.color[c] = quantize(s.of_channel[c] - shift, kTexels);
      if (e == before) break;
    }
    const std::uint32_t error = measure(x, s, e, w);
    if (error < best.error) best = {e, error};
  }
  // Steps of one channel, and of all: the modifiers that texels choose, and those that are clamped, follow the color.
  for (bool is_better = true; is_better && best.error != 0;) {
    is_better = false;
    const Etc1sEndpoint from = best.endpoint;
    for (unsigned step = 0; step < 8; ++step) {
      Etc1sEndpoint e = from;
      bool is_inside = true;
      for (unsigned c = 0; c < 3; ++c) {
        if (step / 2 != c && step / 2 != 3) continue;
        is_inside = is_inside && e.color[c] != (step % 2 == 0 ? 0 : 31);
        e.color[c] = static_cast<std::uint8_t>(e.color[c] + (step % 2 == 0 ? -1 : 1));
      }
      if (!is_inside) continue;
      const std::uint32_t error = measure(x, s, e, w);
      if (error >= best.error) continue;
      best = {e, error};
      is_better = true;
    }
  }
  return best;
}

}  // namespace

void FitAll(std::span<const Etc1sTexels> blocks, const Etc1sWeights& weights, std::span<Etc1sFit> fits) {
  for (std::size_t i = 0; i < blocks.size(); ++i) fits[i] = fit(blocks[i], weights);
}

// For fixed levels, the best color of a table is the mean of what the modifiers leave. The error of a table follows
// from sums alone, except where a channel is clamped, which is ignored here.
Etc1sEndpoint Refit(std::span<const Etc1sTexels> blocks, std::span<const std::uint32_t> members,
                    std::span<const Etc1sLevels> levels, const Etc1sWeights& weights) {
  std::array<std::int64_t, 4> count{};               // of texels at a level
  std::array<std::array<std::int64_t, 3>, 4> sum{};  // of their channels
  for (const std::uint32_t i : members) {
    for (unsigned t = 0; t < kTexels; ++t) {
      const unsigned level = levels[i] >> (2 * t) & 3;
      ++count[level];
      for (unsigned c = 0; c < 3; ++c) sum[level][c] += blocks[i].of[c][t];
    }
  }
  Etc1sEndpoint best;
  std::int64_t least = INT64_MAX;
  const std::int64_t texels = static_cast<std::int64_t>(members.size()) * kTexels;
  for (unsigned table = 0; table < kTables; ++table) {
    const std::int64_t small = kEtc1Modifiers[table][0], large = kEtc1Modifiers[table][1];
    const std::int64_t shift = (count[3] - count[0]) * large + (count[2] - count[1]) * small;
    Etc1sEndpoint e;
    e.table = static_cast<std::uint8_t>(table);
    for (unsigned c = 0; c < 3; ++c)
      e.color[c] = quantize(sum[0][c] + sum[1][c] + sum[2][c] + sum[3][c] - shift, texels);
    const Palette palette = palette_of(e);
    std::int64_t error = 0;  // without the squares of the texels, which are the same for every table
    for (unsigned level = 0; level < 4; ++level)
      for (unsigned c = 0; c < 3; ++c) {
        const std::int64_t p = palette[level][c];
        error += weights[c] * p * (p * count[level] - 2 * sum[level][c]);
      }
    if (error < least) {
      least = error;
      best = e;
    }
  }
  return best;
}

void Measure(const Etc1sTexels& block, std::span<const Etc1sEndpoint> endpoints, const Etc1sWeights& weights,
             std::span<std::uint32_t> errors) {
  const Sums s = sums_of(block, weights);
  for (std::size_t i = 0; i < endpoints.size(); ++i) errors[i] = measure(block, s, endpoints[i], weights);
}

void LevelErrors(const Etc1sTexels& block, Etc1sEndpoint endpoint, const Etc1sWeights& weights, Etc1sErrors& errors) {
  level_errors(block, palette_of(endpoint), weights, errors);
}

Etc1sLevels BestLevels(const Etc1sErrors& errors, std::uint32_t& error) {
  alignas(64) std::array<std::uint32_t, kTexels> level;
  std::int32_t sum = 0;
  for (unsigned t = 0; t < kTexels; ++t) {
    const std::int32_t low = std::min(errors.of[0][t], errors.of[1][t]);
    const std::int32_t high = std::min(errors.of[2][t], errors.of[3][t]);
    const std::uint32_t of_low = errors.of[1][t] < errors.of[0][t] ? 1u : 0u;
    const std::uint32_t of_high = errors.of[3][t] < errors.of[2][t] ? 3u : 2u;
    level[t] = (high < low ? of_high : of_low) << (2 * t);
    sum += std::min(low, high);
  }
  std::uint32_t levels = 0;
  for (unsigned t = 0; t < kTexels; ++t) levels |= level[t];
  error = static_cast<std::uint32_t>(sum);
  return levels;
}

void SumRows(const Etc1sErrors& errors, Etc1sRows& rows) {
  for (unsigned row = 0; row < 4; ++row) {
    alignas(64) std::array<std::uint32_t, 16> low, high;
    for (unsigned i = 0; i < 16; ++i) {
      low[i] = static_cast<std::uint32_t>(errors.of[i & 3][row * 4] + errors.of[i >> 2][row * 4 + 1]);
      high[i] = static_cast<std::uint32_t>(errors.of[i & 3][row * 4 + 2] + errors.of[i >> 2][row * 4 + 3]);
    }
    for (unsigned h = 0; h < 16; ++h) {
      const std::uint32_t add = high[h];
      for (unsigned i = 0; i < 16; ++i) rows.of[row][h * 16 + i] = low[i] + add;
    }
  }
}

Etc1sFound Search(const Etc1sRows& rows, std::span<const Etc1sLevels> codebook, std::span<const std::uint32_t> rates) {
  Etc1sFound best;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET <= HWY_AVX2
  // Each lane keeps its least cost. Of equal ones, the first index wins, as in the loop below.
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::int32_t> d;
  const std::size_t lanes = hn::Lanes(d);
  if (codebook.size() >= lanes) {
    auto least = hn::Set(d, INT32_MAX), at = hn::Zero(d), index = hn::Iota(d, 0);
    const auto low = hn::Set(d, 255), step = hn::Set(d, static_cast<std::int32_t>(lanes));
    const auto table = [&](unsigned row) { return reinterpret_cast<const std::int32_t*>(rows.of[row].data()); };
    for (; i + lanes <= codebook.size(); i += lanes) {
      const auto v = hn::LoadU(d, reinterpret_cast<const std::int32_t*>(codebook.data() + i));
      const auto rate = hn::LoadU(d, reinterpret_cast<const std::int32_t*>(rates.data() + i));
      const auto a = hn::GatherIndex(d, table(0), hn::And(v, low));
      const auto b = hn::GatherIndex(d, table(1), hn::And(hn::ShiftRight<8>(v), low));
      const auto c = hn::GatherIndex(d, table(2), hn::And(hn::ShiftRight<16>(v), low));
      const auto e = hn::GatherIndex(d, table(3), hn::And(hn::ShiftRight<24>(v), low));
      const auto cost = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), rate);
      const auto is_less = hn::Lt(cost, least);
      least = hn::IfThenElse(is_less, cost, least);
      at = hn::IfThenElse(is_less, index, at);
      index = hn::Add(index, step);
    }
    alignas(64) std::array<std::int32_t, 16> costs, indices;
    hn::StoreU(least, d, costs.data());
    hn::StoreU(at, d, indices.data());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Etc1sFound found{static_cast<std::uint32_t>(indices[lane]), static_cast<std::uint32_t>(costs[lane])};
      if (found.cost < best.cost || (found.cost == best.cost && found.index < best.index)) best = found;
    }
  }
#endif
  for (; i < codebook.size(); ++i) {
    const std::uint32_t cost = error_of(rows, codebook[i]) + rates[i];
    if (cost < best.cost) best = {static_cast<std::uint32_t>(i), cost};
  }
  return best;
}

void NearLevels(std::span<const Etc1sLevels> levels, std::size_t first, std::span<Etc1sNear> near) {
  // With as many bits as the level of each texel is high, the bits that differ are the steps between two levels.
  std::vector<std::uint64_t> steps(levels.size());
  const std::size_t first_needed = std::max(first, kNearWindow) - kNearWindow;
  for (std::size_t i = first_needed; i < std::min(first + near.size() + kNearWindow, levels.size()); ++i) {
    const std::uint64_t low = levels[i] & 0x55555555u, high = levels[i] >> 1 & 0x55555555u;
    steps[i] = (low | high) | high << 1 | (low & high) << 32;
  }
  for (std::size_t n = 0; n < near.size(); ++n) {
    const std::uint64_t self = steps[first + n];
    std::array<std::uint32_t, kNearLevels> found;  // distance << 16 | entry, ascending
    found.fill(UINT32_MAX);
    const std::size_t begin = std::max(first + n, kNearWindow) - kNearWindow;
    const std::size_t end = std::min(first + n + kNearWindow, steps.size());
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      const std::uint32_t key = static_cast<std::uint32_t>(std::popcount(steps[i] ^ self)) << 16 | i;
      if (key >= found.back() || i == first + n) continue;
      std::size_t to = kNearLevels - 1;
      for (; to > 0 && found[to - 1] > key; --to) found[to] = found[to - 1];
      found[to] = key;
    }
    for (std::size_t k = 0; k < kNearLevels; ++k)
      near[n][k] = static_cast<std::uint16_t>(found[k] == UINT32_MAX ? first + n : found[k] & 0xffff);
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(FitAll);
HWY_EXPORT(Refit);
HWY_EXPORT(Measure);
HWY_EXPORT(LevelErrors);
HWY_EXPORT(BestLevels);
HWY_EXPORT(SumRows);
HWY_EXPORT(Search);
HWY_EXPORT(NearLevels);

void fit_etc1s(std::span<const Etc1sTexels> blocks, const Etc1sWeights& weights, std::span<Etc1sFit> fits) {
  HWY_DYNAMIC_DISPATCH(FitAll)(blocks, weights, fits);
}
Etc1sEndpoint refit_etc1s(std::span<const Etc1sTexels> blocks, std::span<const std::uint32_t> members,
                          std::span<const Etc1sLevels> levels, const Etc1sWeights& weights) {
  return HWY_DYNAMIC_DISPATCH(Refit)(blocks, members, levels, weights);
}
void measure_etc1s(const Etc1sTexels& block, std::span<const Etc1sEndpoint> endpoints, const Etc1sWeights& weights,
                   std::span<std::uint32_t> errors) {
  HWY_DYNAMIC_DISPATCH(Measure)(block, endpoints, weights, errors);
}
void level_errors_etc1s(const Etc1sTexels& block, Etc1sEndpoint endpoint, const Etc1sWeights& weights,
                        Etc1sErrors& errors) {
  HWY_DYNAMIC_DISPATCH(LevelErrors)(block, endpoint, weights, errors);
}
Etc1sLevels best_levels_etc1s(const Etc1sErrors& errors, std::uint32_t& error) {
  return HWY_DYNAMIC_DISPATCH(BestLevels)(errors, error);
}
void sum_rows_etc1s(const Etc1sErrors& errors, Etc1sRows& rows) { HWY_DYNAMIC_DISPATCH(SumRows)(errors, rows); }
Etc1sFound search_etc1s(const Etc1sRows& rows, std::span<const Etc1sLevels> codebook,
                        std::span<const std::uint32_t> rates) {
  return HWY_DYNAMIC_DISPATCH(Search)(rows, codebook, rates);
}
void near_levels_etc1s(std::span<const Etc1sLevels> levels, std::size_t first, std::span<Etc1sNear> near) {
  HWY_DYNAMIC_DISPATCH(NearLevels)(levels, first, near);
}

}  // namespace assetc::codec
#endif
