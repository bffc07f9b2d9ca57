#include "cluster_case.hpp"
#include "cluster_clock.hpp"
#include "mesh/cluster/hierarchy.hpp"
#include "mesh/cluster_cut.hpp"

namespace assetc::bench {

const char* builder_name() { return "assetc"; }

ClusterResult build_clusters(const ClusterSource& source, double& seconds, double& cpu_seconds) {
  const Clock clock;
  const mesh::cluster::Hierarchy h = mesh::cluster::build_hierarchy({.positions = source.positions,
                                                                     .normals = source.normals,
                                                                     .texcoords = {},
                                                                     .colors = {},
                                                                     .indices = source.indices,
                                                                     .materials = {}});
  clock.read(seconds, cpu_seconds);
  ClusterResult result;
  for (std::uint32_t c = 0; c < h.clusters.size(); ++c) {
    result.clusters.push_back({h.clusters[c].group, h.clusters[c].refined, mesh::cluster::triangles_of(h, {c})});
  }
  for (const auto& group : h.groups) result.groups.push_back({group.error, group.level});
  return result;
}

}  // namespace assetc::bench
