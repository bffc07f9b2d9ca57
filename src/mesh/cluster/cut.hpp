// Choices of clusters that cover the source once.
#pragma once

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

// The measure of a group, not above the measure of a group that replaces its parts. kNeverReplaced if nothing does.
float measure(const Group& group, const View& view);

// The clusters whose error is at most max_error everywhere, in the units of the positions; in number order.
std::vector<std::uint32_t> cut_at_error(const Hierarchy& hierarchy, float max_error);

// The clusters whose measure is at most max_measure; in number order.
std::vector<std::uint32_t> cut_at_view(const Hierarchy& hierarchy, const View& view, float max_measure);

// The triangles of the clusters: three vertices of the source for each.
std::vector<std::uint32_t> triangles_of(const Hierarchy& hierarchy, const std::vector<std::uint32_t>& clusters);

}  // namespace assetc::mesh::cluster
