#include "codec/encode/etc1s/etc1s_codebook.hpp"

#include <algorithm>
#include <bit>

#include "base/portable_math.hpp"
#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/etc1s/etc1s_sort.hpp"
#include "codec/encode/etc1s/etc1s_tree.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

// Clusters points; if there are more than a codebook holds, as if entries cost more.
template <std::size_t kDimensions>
std::vector<TreeCluster> clusters_within_limit(std::span<const TreePoint<kDimensions>> points, TreePrice price) {
  for (;; price.entry *= 2) {
    std::vector<TreeCluster> clusters = cluster_points(points, price);
    if (clusters.size() <= kMaxCodebook) return clusters;
  }
}

template <class Work>
void for_blocks(std::size_t count, const Work& work) {
  for_each_tile(count, kTileBlocks, [&](std::size_t first, std::size_t tile) {
    for (std::size_t i = first; i < first + tile; ++i) work(i);
  });
}

// The members of each entry, as places of blocks.
struct Members {
  std::vector<std::uint32_t> first, blocks;  // first has one more than there are entries

  template <class EntryOf>
  Members(std::size_t entries, std::size_t count, const EntryOf& entry_of) : first(entries + 1), blocks(count) {
    for (std::size_t i = 0; i < count; ++i) ++first[entry_of(i) + 1];
    for (std::size_t e = 0; e < entries; ++e) first[e + 1] += first[e];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < count; ++i) blocks[next[entry_of(i)]++] = static_cast<std::uint32_t>(i);
  }
  std::span<const std::uint32_t> of(std::size_t entry) const {
    return std::span(blocks).subspan(first[entry], first[entry + 1] - first[entry]);
  }
  std::size_t entries() const { return first.size() - 1; }
};

// A point for a fit: channels in quarters, weighted by the metric, and the contrast of the table.
TreePoint<4> point_of(const Etc1sEndpoint& e, const std::array<std::int32_t, 3>& scale) {
  // Means of the two modifiers, times 3/4: a wrong table loses less than a wrong color.
  constexpr std::array<std::int16_t, 8> kContrast = {15, 33, 57, 82, 117, 156, 208, 345};
  TreePoint<4> p;
  for (unsigned c = 0; c < 3; ++c) p.at[c] = static_cast<std::int16_t>((etc_expand5(e.color[c]) * scale[c]) >> 8);
  p.at[3] = kContrast[e.table];
  return p;
}

// A square root of weight / 8, in units of 1 / 256, times 4 for the quarters of points.
std::array<std::int32_t, 3> scale_of(const Etc1sWeights& weights) {
  std::array<std::int32_t, 3> scale;
  for (unsigned c = 0; c < 3; ++c) {
    std::int32_t root = 0;
    while ((root + 1) * (root + 1) <= weights[c] * (1 << 17)) ++root;
    scale[c] = root;  // sqrt(w / 8) * 1024
  }
  return scale;
}

// The entries that are close to each entry, itself first.
constexpr std::size_t kNear = 8;
std::vector<std::array<std::uint16_t, kNear>> near_entries(std::span<const Etc1sEndpoint> endpoints,
                                                           const Etc1sWeights& weights) {
  const std::size_t count = endpoints.size();
  const std::array<std::int32_t, 3> scale = scale_of(weights);
  std::vector<TreePoint<4>> points;
  for (const Etc1sEndpoint& e : endpoints) points.push_back(point_of(e, scale));
  // In the order of brightness, only a window has to be searched.
  std::vector<std::uint16_t> order(count);
  std::vector<std::int32_t> light(count);
  for (std::size_t i = 0; i < count; ++i) {
    order[i] = static_cast<std::uint16_t>(i);
    light[i] = points[i].at[0] + points[i].at[1] + points[i].at[2];
  }
  std::ranges::sort(
      order, [&](std::uint16_t a, std::uint16_t b) { return light[a] != light[b] ? light[a] < light[b] : a < b; });
  std::vector<std::array<std::uint16_t, kNear>> near(count);
  parallel_for(count, [&](std::size_t place) {
    const std::uint16_t self = order[place];
    std::array<std::int64_t, kNear> found;  // distance << 16 | entry, ascending
    found.fill(INT64_MAX);
    const auto look = [&](std::size_t at) {
      const std::uint16_t other = order[at];
      const std::int64_t away = light[other] - light[self];
      if (away * away / 3 > found.back() >> 16) return false;  // so are all beyond it
      std::int64_t distance = 0;
      for (unsigned d = 0; d < 4; ++d) {
        const std::int64_t off = points[other].at[d] - points[self].at[d];
        distance += off * off;
      }
      const std::int64_t key = (other == self ? 0 : distance + 1) << 16 | other;
      if (key < found.back()) {
        std::size_t to = kNear - 1;
        for (; to > 0 && found[to - 1] > key; --to) found[to] = found[to - 1];
        found[to] = key;
      }
      return true;
    };
    look(place);
    for (std::size_t at = place; at > 0 && look(at - 1); --at) continue;
    for (std::size_t at = place + 1; at < count && look(at); ++at) continue;
    for (std::size_t i = 0; i < kNear; ++i)
      near[self][i] = found[i] == INT64_MAX ? self : static_cast<std::uint16_t>(found[i] & 0xffff);
  });
  return near;
}

void best_levels(Etc1sBlocks& blocks, std::span<const Etc1sEndpoint> endpoints, const Etc1sWeights& weights) {
  for_blocks(blocks.count(), [&](std::size_t i) {
    Etc1sErrors errors;
    std::uint32_t error = 0;
    level_errors_etc1s(blocks.texels[i], endpoints[blocks.chosen[i].endpoint], weights, errors);
    blocks.levels[i] = best_levels_etc1s(errors, error);
  });
}

void refit_endpoints(const Etc1sBlocks& blocks, std::span<const Etc1sLevels> levels, const Etc1sWeights& weights,
                     std::vector<Etc1sEndpoint>& endpoints) {
  const Members members(endpoints.size(), blocks.count(), [&](std::size_t i) { return blocks.chosen[i].endpoint; });
  parallel_for(endpoints.size(), [&](std::size_t e) {
    if (!members.of(e).empty()) endpoints[e] = refit_etc1s(blocks.texels, members.of(e), levels, weights);
  });
}

// Gives each entry the level of each texel that has the least error over its members.
void refit_levels(const Etc1sBlocks& blocks, std::span<const Etc1sEndpoint> endpoints, const Etc1sWeights& weights,
                  std::vector<Etc1sLevels>& levels) {
  const Members members(levels.size(), blocks.count(), [&](std::size_t i) { return blocks.chosen[i].selector; });
  parallel_for(levels.size(), [&](std::size_t entry) {
    if (members.of(entry).empty()) return;
    std::array<std::array<std::int64_t, kBlockTexels>, 4> sums{};
    for (const std::uint32_t i : members.of(entry)) {
      Etc1sErrors errors;
      level_errors_etc1s(blocks.texels[i], endpoints[blocks.chosen[i].endpoint], weights, errors);
      for (unsigned level = 0; level < 4; ++level)
        for (unsigned t = 0; t < kBlockTexels; ++t) sums[level][t] += errors.of[level][t];
    }
    Etc1sLevels best = 0;
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      unsigned least = 0;
      for (unsigned level = 1; level < 4; ++level)
        if (sums[level][t] < sums[least][t]) least = level;
      best |= least << (2 * t);
    }
    levels[entry] = best;
  });
}

// Removes entries without blocks, and gives equal entries one number. Renumbers the blocks.
template <class Entry, class NumberOf>
void compact(std::vector<Entry>& entries, Etc1sBlocks& blocks, const NumberOf& number_of) {
  std::vector<char> is_used(entries.size());
  for (BasisLzBlock& block : blocks.chosen) is_used[number_of(block)] = 1;
  std::vector<std::uint16_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
  std::ranges::stable_sort(order, [&](std::uint16_t a, std::uint16_t b) { return entries[a] < entries[b]; });
  std::vector<std::uint16_t> same(entries.size());  // the first used entry of equal ones
  for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
    if (i == 0 || entries[order[i]] != entries[order[first]] || is_used[order[first]] == 0) first = i;
    same[order[i]] = order[first];
  }
  std::vector<std::uint16_t> number(entries.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (is_used[i] == 0 || same[i] != i) continue;
    number[i] = static_cast<std::uint16_t>(kept);
    entries[kept++] = entries[i];
  }
  entries.resize(kept);
  for (BasisLzBlock& block : blocks.chosen) number_of(block) = number[same[number_of(block)]];
}

}  // namespace

void choose_endpoints(Etc1sBlocks& blocks, std::span<const Etc1sEndpoint> endpoints, const Etc1sWeights& weights) {
  const auto near = near_entries(endpoints, weights);
  for_blocks(blocks.count(), [&](std::size_t i) {
    const auto& candidates = near[blocks.chosen[i].endpoint];
    std::array<Etc1sEndpoint, kNear> entries;
    for (std::size_t n = 0; n < kNear; ++n) entries[n] = endpoints[candidates[n]];
    std::array<std::uint32_t, kNear> errors;
    measure_etc1s(blocks.texels[i], entries, weights, errors);
    std::array<std::uint64_t, kNear> keys;
    for (std::size_t n = 0; n < kNear; ++n) keys[n] = std::uint64_t{errors[n]} << 16 | candidates[n];
    std::ranges::sort(keys);
    for (unsigned n = 0; n < kEndpointChoices; ++n) blocks.endpoints[i][n] = static_cast<std::uint16_t>(keys[n]);
    blocks.chosen[i].endpoint = blocks.endpoints[i][0];
  });
}

std::vector<Etc1sEndpoint> first_endpoints(Etc1sBlocks& blocks, const Etc1sWeights& weights, const Etc1sPrice& price) {
  const std::size_t count = blocks.count();
  for_each_tile(count, kTileBlocks, [&](std::size_t first, std::size_t tile) {
    fit_etc1s(std::span(blocks.texels).subspan(first, tile), weights, std::span(blocks.fits).subspan(first, tile));
  });
  std::vector<TreePoint<4>> points(count);
  const std::array<std::int32_t, 3> scale = scale_of(weights);
  for_blocks(count, [&](std::size_t i) { points[i] = point_of(blocks.fits[i].endpoint, scale); });
  // A point is in quarters, and its error counts for 16 texels with weights of 8 on average. A third of the blocks
  // takes its endpoint from a neighbor.
  const double unit = price.bit * 16 / (16 * 8);
  const std::vector<TreeCluster> clusters = clusters_within_limit(
      std::span<const TreePoint<4>>(points), {.entry = unit * kEndpointEntryBits, .member = unit * 0.6});
  std::vector<Etc1sEndpoint> endpoints(clusters.size());
  for (std::size_t c = 0; c < clusters.size(); ++c)
    for (const std::uint32_t i : clusters[c]) blocks.chosen[i].endpoint = static_cast<std::uint16_t>(c);
  // The levels of each block on its own are a start.
  for_blocks(count, [&](std::size_t i) {
    Etc1sErrors errors;
    std::uint32_t error = 0;
    level_errors_etc1s(blocks.texels[i], blocks.fits[i].endpoint, weights, errors);
    blocks.levels[i] = best_levels_etc1s(errors, error);
  });
  refit_endpoints(blocks, blocks.levels, weights, endpoints);
  for (unsigned pass = 0; pass < 2; ++pass) {
    choose_endpoints(blocks, endpoints, weights);
    best_levels(blocks, endpoints, weights);
    if (pass == 0) refit_endpoints(blocks, blocks.levels, weights, endpoints);
  }
  return endpoints;
}

std::vector<Etc1sLevels> first_levels(Etc1sBlocks& blocks, std::span<const Etc1sEndpoint> endpoints,
                                      const Etc1sWeights& weights, const Etc1sPrice& price) {
  const std::size_t count = blocks.count();
  std::vector<TreePoint<16>> points(count);
  for_blocks(count, [&](std::size_t i) {
    TreePoint<16>& p = points[i];
    // Large modifiers are about three times the small ones: levels are -3, -1, 1 and 3 of these.
    for (unsigned t = 0; t < kBlockTexels; ++t)
      p.at[t] = static_cast<std::int16_t>((2 * static_cast<int>(blocks.levels[i] >> (2 * t) & 3) - 3) * 16);
    const std::int32_t small = kEtc1Modifiers[endpoints[blocks.chosen[i].endpoint].table][0];
    p.weight = small * small;
  });
  const double unit = price.bit * 256 / kEtc1sWeightSum;
  const std::vector<TreeCluster> clusters =
      clusters_within_limit(std::span<const TreePoint<16>>(points), {.entry = unit * kLevelsEntryBits, .member = unit});
  std::vector<Etc1sLevels> levels(clusters.size());
  for (std::size_t c = 0; c < clusters.size(); ++c)
    for (const std::uint32_t i : clusters[c]) blocks.chosen[i].selector = static_cast<std::uint16_t>(c);
  refit_levels(blocks, endpoints, weights, levels);
  return levels;
}

void update_codebooks(Etc1sBlocks& blocks, std::span<const BlockSlice> slices, const Etc1sWeights& weights,
                      Etc1sCodebooks& codebooks, bool resort) {
  compact(codebooks.endpoints, blocks, [](BasisLzBlock& b) -> std::uint16_t& { return b.endpoint; });
  compact(codebooks.levels, blocks, [](BasisLzBlock& b) -> std::uint16_t& { return b.selector; });
  refit_levels(blocks, codebooks.endpoints, weights, codebooks.levels);
  for_blocks(blocks.count(), [&](std::size_t i) { blocks.levels[i] = codebooks.levels[blocks.chosen[i].selector]; });
  refit_endpoints(blocks, blocks.levels, weights, codebooks.endpoints);
  compact(codebooks.endpoints, blocks, [](BasisLzBlock& b) -> std::uint16_t& { return b.endpoint; });
  compact(codebooks.levels, blocks, [](BasisLzBlock& b) -> std::uint16_t& { return b.selector; });
  if (!resort) return;
  const std::vector<std::uint16_t> number = endpoint_numbers(codebooks.endpoints, slices, blocks.chosen);
  std::vector<Etc1sEndpoint> sorted(number.size());
  for (std::size_t i = 0; i < number.size(); ++i) sorted[number[i]] = codebooks.endpoints[i];
  codebooks.endpoints = std::move(sorted);
  for (BasisLzBlock& block : blocks.chosen) block.endpoint = number[block.endpoint];
}

void sort_levels(Etc1sBlocks& blocks, std::vector<Etc1sLevels>& levels) {
  const std::vector<std::uint16_t> number = levels_numbers(levels);
  std::vector<Etc1sLevels> sorted(number.size());
  for (std::size_t i = 0; i < number.size(); ++i) sorted[number[i]] = levels[i];
  levels = std::move(sorted);
  for (BasisLzBlock& block : blocks.chosen) block.selector = number[block.selector];
}

}  // namespace assetc::codec
