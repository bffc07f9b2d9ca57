// Choices of clusters that cover the source once, by the rule that hierarchy.hpp gives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mesh/cluster/hierarchy.hpp"

namespace assetc::mesh::cluster {

// Where the mesh is seen from. The measure of a group is its error / its distance: what the error is in tangents of
// the angle of view.
struct View {
  scene::Vec3 eye;
  float near_distance = 0.01f;  // > 0: what is nearer counts as this far
};

// The positions of the vertices of a hierarchy.
inline std::vector<scene::Vec3> positions_of(const Hierarchy& hierarchy, std::span<const scene::Vec3> source) {
  std::vector<scene::Vec3> result(source.begin(), source.end());
  for (const MadeVertex& made : hierarchy.made) result.push_back(made.position);
  return result;
}

// measure_of(group) -> float.
template <class Measure>
std::vector<std::uint32_t> cut(const Hierarchy& hierarchy, float limit, const Measure& measure_of) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t c = 0; c < hierarchy.clusters.size(); ++c) {
    const Cluster& cluster = hierarchy.clusters[c];
    const bool replaced = measure_of(hierarchy.groups[cluster.group]) <= limit;
    const bool fine = cluster.refined == kNone || measure_of(hierarchy.groups[cluster.refined]) <= limit;
    if (!replaced && fine) result.push_back(c);
  }
  return result;
}

// The clusters whose error is at most max_error everywhere, in the units of the positions; in number order.
inline std::vector<std::uint32_t> cut_at_error(const Hierarchy& hierarchy, float max_error) {
  return cut(hierarchy, max_error, [](const Group& group) { return group.error; });
}

// The clusters whose measure is at most max_measure; in number order.
inline std::vector<std::uint32_t> cut_at_view(const Hierarchy& hierarchy, const View& view, float max_measure) {
  return cut(hierarchy, max_measure, [&](const Group& group) {
    const float distance = scene::length(view.eye - group.sphere.center) - group.sphere.radius;
    return group.error / std::max(distance, view.near_distance);
  });
}

// The triangles of the clusters: three vertices of the source for each.
inline std::vector<std::uint32_t> triangles_of(const Hierarchy& hierarchy, const std::vector<std::uint32_t>& clusters) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t c : clusters) {
    const Cluster& cluster = hierarchy.clusters[c];
    for (std::uint32_t t = cluster.first_triangle; t < cluster.first_triangle + cluster.triangle_count; ++t) {
      for (const std::uint8_t corner : hierarchy.triangles[t]) {
        result.push_back(hierarchy.vertices[cluster.first_vertex + corner]);
      }
    }
  }
  return result;
}

}  // namespace assetc::mesh::cluster
