// What the benchmark of cluster hierarchies asks of a builder: ours and the peer's are separate programs, because both
// may link meshoptimizer, in different versions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::bench {

struct ClusterSource {
  std::vector<scene::Vec3> positions, normals;
  std::vector<std::uint32_t> indices;
};

struct ClusterResult {
  struct Cluster {
    std::uint32_t group = 0, refined = 0;  // refined: 0xFFFFFFFF: of the source
    std::vector<std::uint32_t> indices;
  };
  struct Group {
    float error = 0;  // infinity: nothing replaces it
    std::uint32_t level = 0;
  };
  std::vector<Cluster> clusters;
  std::vector<Group> groups;
};

const char* builder_name();
// Times only the builder itself; seconds gets the wall time, cpu_seconds the time of all threads.
ClusterResult build_clusters(const ClusterSource& source, double& seconds, double& cpu_seconds);

}  // namespace assetc::bench
