#include "mesh/optimize.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <numeric>

namespace assetc::mesh {

namespace {

// Calls order(vertex_count) while copies take the triangles of crowded vertices. originals: of the copies.
template <class Order>
void order_split(std::vector<std::uint32_t>& indices, std::size_t vertex_count,
                 std::span<const std::uint32_t> originals, const Order& order) {
  order(vertex_count + originals.size());
  for (std::uint32_t& v : indices) {
    if (v >= vertex_count) v = originals[v - vertex_count];
  }
}

}  // namespace

std::vector<std::uint32_t> split_crowded(std::span<std::uint32_t> indices, std::size_t vertex_count) {
  std::vector<std::uint32_t> triangles(vertex_count), originals;
  std::uint32_t most = 0;
  for (const std::uint32_t v : indices) most = std::max(most, ++triangles[v]);
  if (most <= kMaxTrianglesOfVertex) return originals;
  std::vector<std::uint32_t> copy(vertex_count);
  std::iota(copy.begin(), copy.end(), 0u);
  std::ranges::fill(triangles, 0u);
  for (std::uint32_t& v : indices) {
    const std::uint32_t original = v;
    if (triangles[original] != 0 && triangles[original] % kMaxTrianglesOfVertex == 0) {
      copy[original] = static_cast<std::uint32_t>(vertex_count + originals.size());
      originals.push_back(original);
    }
    ++triangles[original];
    v = copy[original];
  }
  return originals;
}

void optimize_triangle_order(std::vector<std::uint32_t>& indices, std::span<const scene::Vec3> positions) {
  if (indices.empty()) return;
  // Allow at most this much more vertex work in exchange for less overdraw.
  constexpr float kOverdrawThreshold = 1.05f;
  const std::vector<std::uint32_t> originals = split_crowded(indices, positions.size());
  std::vector<scene::Vec3> copied;
  if (!originals.empty()) {
    copied.assign(positions.begin(), positions.end());
    for (const std::uint32_t original : originals) copied.push_back(positions[original]);
  }
  const scene::Vec3* const placed = originals.empty() ? positions.data() : copied.data();
  std::vector<std::uint32_t> cached(indices.size());
  order_split(indices, positions.size(), originals, [&](std::size_t count) {
    meshopt_optimizeVertexCache(cached.data(), indices.data(), indices.size(), count);
    meshopt_optimizeOverdraw(indices.data(), cached.data(), cached.size(), &placed->x, count, sizeof(scene::Vec3),
                             kOverdrawThreshold);
  });
}

void optimize_for_streams(std::vector<std::uint32_t>& indices, std::size_t vertex_count) {
  if (indices.empty()) return;
  const std::vector<std::uint32_t> originals = split_crowded(indices, vertex_count);
  std::vector<std::uint32_t> ordered(indices.size());
  order_split(indices, vertex_count, originals, [&](std::size_t count) {
    meshopt_optimizeVertexCacheStrip(ordered.data(), indices.data(), indices.size(), count);
    indices.swap(ordered);
  });
}

std::vector<std::uint32_t> order_points(std::span<const scene::Vec3> positions) {
  std::vector<std::uint32_t> place(positions.size()), sources(positions.size());
  if (positions.empty()) return sources;
  meshopt_spatialSortRemap(place.data(), &positions[0].x, positions.size(), sizeof(scene::Vec3));
  for (std::uint32_t i = 0; i < place.size(); ++i) sources[place[i]] = i;
  return sources;
}

void optimize_vertex_cache(std::vector<std::uint32_t>& indices, std::size_t vertex_count) {
  if (indices.empty()) return;
  constexpr unsigned kCacheSize = 16;
  const std::vector<std::uint32_t> originals = split_crowded(indices, vertex_count);
  std::vector<std::uint32_t> cached(indices.size());
  order_split(indices, vertex_count, originals, [&](std::size_t count) {
    meshopt_optimizeVertexCacheFifo(cached.data(), indices.data(), indices.size(), count, kCacheSize);
    indices.swap(cached);
  });
}

}  // namespace assetc::mesh
