// Writes cluster levels of detail as a .hcluster of positions, with as many groups in a page as a test wants.
#pragma once

#include <algorithm>
#include <vector>

#include "assetc/formats/hcluster.hpp"
#include "mesh/cluster/hierarchy.hpp"

namespace assetc::mesh::cluster {

// most_groups: of a page. The positions are of 16 bits.
inline Result<ByteVector> write_positions(const Hierarchy& h, std::span<const scene::Vec3> positions,
                                          std::uint32_t most_groups = 0xFFFFFFFF) {
  hcluster::Model model;
  scene::Vec3 low = positions[0], high = low;
  for (const scene::Vec3& p : positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const float step = std::max({high.x - low.x, high.y - low.y, high.z - low.z, 1e-30f}) / 65534;
  model.channels = {{hcluster::Semantic::kPosition,
                     0,
                     3,
                     16,
                     hcluster::Predictor::kNeighbors,
                     0,
                     {low.x, low.y, low.z, 0},
                     step,
                     step / 2}};
  const scene::Vec3 center = (low + high) * 0.5f;
  model.bounds = {
      {low.x, low.y, low.z}, {high.x, high.y, high.z}, {center.x, center.y, center.z}, scene::length(high - low)};
  hcluster::PageWriter writer(model);
  hcluster::ClusterVertices vertices;
  const auto last = static_cast<std::uint32_t>(h.groups.size() - 1);
  for (std::uint32_t g = last + 1, in_page = 0; g-- > 0;) {
    const Group& group = h.groups[g];
    const scene::Vec3 c = group.sphere.center;
    writer.begin({{c.x, c.y, c.z}, group.sphere.radius, group.error, group.level, 0, 0, 0});
    for (std::uint32_t i = 0; i < group.cluster_count; ++i) {
      const Cluster& cluster = h.clusters[h.members[group.first_cluster + i]];
      for (std::uint32_t v = 0; v < cluster.vertex_count; ++v) {
        const std::uint32_t source = h.vertices[cluster.first_vertex + v];
        const scene::Vec3 p = positions[source] - low;
        vertices.ids[v] = source;
        vertices.at(0, v) = static_cast<std::uint32_t>(p.x / step + 0.5f);
        vertices.at(1, v) = static_cast<std::uint32_t>(p.y / step + 0.5f);
        vertices.at(2, v) = static_cast<std::uint32_t>(p.z / step + 0.5f);
      }
      const std::vector<hcluster::MaterialRange> materials{{hcluster::kNone, cluster.triangle_count}};
      writer.add({.refined = cluster.refined == kNone ? hcluster::kNone : last - cluster.refined,
                  .vertex_count = cluster.vertex_count,
                  .triangles = std::span(h.triangles).subspan(cluster.first_triangle, cluster.triangle_count),
                  .materials = materials,
                  .vertices = &vertices});
      if (cluster.refined == kNone) model.desc.source_triangle_count += cluster.triangle_count;
    }
    if (!writer.end()) return fail(ErrorCode::kLimit, "a group is larger than a page");
    if (++in_page == most_groups) writer.finish(), in_page = 0;
  }
  writer.finish();
  hcluster::build_nodes(model);
  return hcluster::write(model);
}

}  // namespace assetc::mesh::cluster
