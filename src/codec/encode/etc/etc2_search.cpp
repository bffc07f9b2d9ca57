#include "codec/encode/etc/etc2_search.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/etc/etc2_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/encode/etc/etc2_halves-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace {

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

// Planar: each channel is a separate plane. Its least-squares fit over the block has a closed form.
struct Plane {
  std::array<std::array<int, 3>, 3> corner{};  // [channel][origin, horizontal, vertical], quantized
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
    const int mean = 5 * block.sum[c];  // 80 times the mean
    std::array<int, 3> corner = {quantize(mean - 3 * slope_x - 3 * slope_y, 80, limit),
                                 quantize(mean + 5 * slope_x - 3 * slope_y, 80, limit),
                                 quantize(mean - 3 * slope_x + 5 * slope_y, 80, limit)};
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

// The T and H modes.
using Chosen = std::array<std::int32_t, kBlockTexels>;  // the paint of each texel

struct PaintFit {
  Etc2Paints paints;
  std::uint32_t error = UINT32_MAX;
};

std::uint32_t measure_paints(const Block& block, const Etc2Paints& paints, const Weights& weights, Chosen& chosen) {
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

// Two clusters of the texels: the sum and the count of each. They start from the extremes of the channel with the
// largest range.
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
  std::array<Color, 2> center;
  for (unsigned k = 0; k < 2; ++k)
    for (unsigned c = 0; c < 3; ++c) center[k][c] = block.of[c][ends[k]];
  Clusters clusters;
  for (int round = 0; round < 3; ++round) {
    clusters = {};
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      std::array<int, 2> distance{};
      for (unsigned k = 0; k < 2; ++k)
        for (unsigned c = 0; c < 3; ++c)
          distance[k] += (block.of[c][t] - center[k][c]) * (block.of[c][t] - center[k][c]);
      const unsigned k = distance[1] < distance[0];
      ++clusters.count[k];
      for (unsigned c = 0; c < 3; ++c) clusters.sum[k][c] += block.of[c][t];
    }
    for (unsigned k = 0; k < 2; ++k)
      for (unsigned c = 0; c < 3 && clusters.count[k] > 0; ++c) center[k][c] = clusters.sum[k][c] / clusters.count[k];
  }
  return clusters;
}

// The two colors that fit the chosen paints best if nothing is clamped.
Etc2Paints refined(const Block& block, const Etc2Paints& paints, const Chosen& chosen) {
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
    const auto four = [&](unsigned c) { return static_cast<std::uint8_t>(quantize(sum[k][c], count[k], 15)); };
    next.base[k] = {four(0), four(1), four(2)};
  }
  return next;
}

// False if a block cannot represent the paints: the order of an H block's colors is a bit of its distance.
bool try_paints(const Block& block, const Etc2Paints& paints, const Weights& weights, PaintFit& best, Chosen& chosen) {
  if (paints.h && paints.base[0] == paints.base[1] && paints.distance % 2 == 0) return false;
  const std::uint32_t error = measure_paints(block, paints, weights, chosen);
  if (error < best.error) best = {paints, error};
  return true;
}
void try_paints(const Block& block, const Etc2Paints& paints, const Weights& weights, PaintFit& best) {
  Chosen unused;
  try_paints(block, paints, weights, best, unused);
}

void refine_paints(const Block& block, Etc2Paints paints, unsigned steps, const Weights& weights, PaintFit& best) {
  Chosen chosen;
  for (unsigned step = 0; step <= steps && try_paints(block, paints, weights, best, chosen); ++step) {
    const Etc2Paints next = refined(block, paints, chosen);
    if (next.base == paints.base) break;
    paints = next;
  }
}

PaintFit fit_paints(const Block& block, const Etc2Settings& settings) {
  const Clusters clusters = cluster(block);
  PaintFit best;
  if (clusters.count[0] == 0 || clusters.count[1] == 0) return best;  // one color: other modes are better
  std::array<Rgb8, 2> means;
  for (unsigned k = 0; k < 2; ++k) {
    const auto four = [&](unsigned c) {
      return static_cast<std::uint8_t>(quantize(clusters.sum[k][c], clusters.count[k], 15));
    };
    means[k] = {four(0), four(1), four(2)};
  }
  // Choose the distance for the means of the clusters, then refine the colors. kBest refines the colors for every
  // distance.
  for (unsigned kind = 0; kind < 3; ++kind) {  // T with either color first, then H
    PaintFit nearest;
    for (std::size_t distance = 0; distance < kEtc2Distances.size(); ++distance) {
      const Etc2Paints paints{kind == 2, {means[kind == 1], means[kind != 1]}, static_cast<std::uint8_t>(distance)};
      if (settings.effort == Effort::kBest)
        refine_paints(block, paints, 3, settings.weights, best);
      else
        try_paints(block, paints, settings.weights, nearest);
    }
    if (nearest.error < UINT32_MAX) refine_paints(block, nearest.paints, 2, settings.weights, best);
  }
  return best;
}

void pack_best_paints(const Block& block, const Etc2Paints& paints, const Weights& weights, std::uint8_t* out) {
  Chosen chosen;
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
    Halves fit = fit_differential(halves, settings);
    // The individual mode with four bits per channel is for halves that are far apart.
    if (fit.moved || settings.effort != Effort::kFast) {
      const Halves individual = fit_individual(halves, settings);
      if (individual.error < fit.error) fit = individual;
    }
    fit.flip = flip;
    if (fit.error < best.error) best = fit;
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
