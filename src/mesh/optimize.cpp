#include "mesh/optimize.hpp"

#include <meshoptimizer.h>

namespace assetc::mesh {

void optimize_triangle_order(std::vector<std::uint32_t>& indices, std::span<const scene::Vec3> positions) {
  if (indices.empty()) return;
  // Allow at most this much more vertex work in exchange for less overdraw.
  constexpr float kOverdrawThreshold = 1.05f;
  std::vector<std::uint32_t> cached(indices.size());
  meshopt_optimizeVertexCache(cached.data(), indices.data(), indices.size(), positions.size());
  meshopt_optimizeOverdraw(indices.data(), cached.data(), cached.size(), &positions[0].x, positions.size(),
                           sizeof(scene::Vec3), kOverdrawThreshold);
}

void optimize_for_streams(std::vector<std::uint32_t>& indices, std::size_t vertex_count) {
  if (indices.empty()) return;
  std::vector<std::uint32_t> ordered(indices.size());
  meshopt_optimizeVertexCacheStrip(ordered.data(), indices.data(), indices.size(), vertex_count);
  indices.swap(ordered);
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
  std::vector<std::uint32_t> cached(indices.size());
  meshopt_optimizeVertexCacheFifo(cached.data(), indices.data(), indices.size(), vertex_count, kCacheSize);
  indices.swap(cached);
}

}  // namespace assetc::mesh
