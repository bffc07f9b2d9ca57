// The peer: demo/clusterlod.h of meshoptimizer 1, used as its own demo uses it.
#include <meshoptimizer.h>

#include <cassert>
#include <limits>

#include "cluster_case.hpp"
#include "cluster_clock.hpp"
#define CLUSTERLOD_IMPLEMENTATION
#include <clusterlod.h>

namespace assetc::bench {

const char* builder_name() { return "clusterlod"; }

ClusterResult build_clusters(const ClusterSource& source, double& seconds, double& cpu_seconds) {
  ClusterResult result;
  const Clock clock;
  clodMesh mesh{};
  mesh.indices = source.indices.data();
  mesh.index_count = source.indices.size();
  mesh.vertex_count = source.positions.size();
  mesh.vertex_positions = &source.positions[0].x;
  mesh.vertex_positions_stride = sizeof(scene::Vec3);
  mesh.vertex_attributes = &source.normals[0].x;
  mesh.vertex_attributes_stride = sizeof(scene::Vec3);
  const float weights[3] = {0.5f, 0.5f, 0.5f};
  mesh.attribute_weights = weights;
  mesh.attribute_count = source.normals.empty() ? 0 : 3;
  clodBuild(clodDefaultConfig(128), mesh, [&](clodGroup group, const clodCluster* clusters, size_t count) {
    const auto number = static_cast<std::uint32_t>(result.groups.size());
    const bool last = group.simplified.error == std::numeric_limits<float>::max();
    result.groups.push_back({last ? std::numeric_limits<float>::infinity() : group.simplified.error,
                             static_cast<std::uint32_t>(group.depth)});
    for (size_t i = 0; i < count; ++i) {
      result.clusters.push_back({number,
                                 static_cast<std::uint32_t>(clusters[i].refined),
                                 {clusters[i].indices, clusters[i].indices + clusters[i].index_count}});
    }
    return static_cast<int>(number);
  });
  clock.read(seconds, cpu_seconds);
  return result;
}

}  // namespace assetc::bench
