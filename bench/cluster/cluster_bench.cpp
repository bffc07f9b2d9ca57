// Builds a hierarchy of clusters of a torus or of an OBJ file's triangles, and prints how long it took and how many
// triangles cuts of the hierarchy need.
//
//   cluster_bench [--cuts] [torus COLUMNS ROWS | FILE.obj]
//
// --cuts: also measures cuts of about 1/2, 1/8, ... of the triangles against the source.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cluster_case.hpp"
#include "cluster_shapes.hpp"
#include "mesh/surface_distance.hpp"

namespace assetc::bench {
namespace {

std::vector<std::uint32_t> cut(const ClusterResult& result, float limit) {
  std::vector<std::uint32_t> indices;
  for (const auto& cluster : result.clusters) {
    const bool fine = cluster.refined == 0xFFFFFFFF || result.groups[cluster.refined].error <= limit;
    if (fine && result.groups[cluster.group].error > limit) {
      indices.insert(indices.end(), cluster.indices.begin(), cluster.indices.end());
    }
  }
  return indices;
}

int run(int argc, char** argv) {
  const bool measures_cuts = argc > 1 && std::strcmp(argv[1], "--cuts") == 0;
  if (measures_cuts) --argc, ++argv;
  const ClusterSource source = argc > 1 && std::strcmp(argv[1], "torus") != 0
                                   ? obj(argv[1])
                                   : torus(argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 1024,
                                           argc > 3 ? static_cast<std::uint32_t>(std::atoi(argv[3])) : 512);
  const double triangles = static_cast<double>(source.indices.size()) / 3;
  double seconds = 0, cpu = 0;
  const ClusterResult result = build_clusters(source, seconds, cpu);
  std::uint32_t levels = 0;
  std::size_t roots = 0, root_triangles = 0, total = 0;
  for (const auto& group : result.groups) {
    levels = std::max(levels, group.level + 1);
    if (std::isinf(group.error)) ++roots;
  }
  for (const auto& cluster : result.clusters) {
    total += cluster.indices.size() / 3;
    if (std::isinf(result.groups[cluster.group].error)) root_triangles += cluster.indices.size() / 3;
  }
  std::printf("%s: %.0f triangles, %.3f s, %.3f s of processor: %.2f M triangles/s, %.2f M/s of processor\n",
              builder_name(), triangles, seconds, cpu, triangles / seconds / 1e6, triangles / cpu / 1e6);
  std::printf("  %u levels, %zu clusters of %.1f triangles, %zu groups, %zu roots of %zu triangles\n", levels,
              result.clusters.size(), static_cast<double>(total) / static_cast<double>(result.clusters.size()),
              result.groups.size(), roots, root_triangles);

  if (!measures_cuts) return 0;
  const mesh::SampledSurface fine(source.positions, source.normals, source.indices);
  std::vector<float> errors;
  for (const auto& group : result.groups) {
    if (std::isfinite(group.error)) errors.push_back(group.error);
  }
  std::ranges::sort(errors);
  std::printf("  %10s %12s %12s %12s %12s %12s\n", "triangles", "stated", "largest", "to source", "rms", "normals");
  for (double part = 0.5; part * triangles > 200; part *= 0.25) {
    std::size_t low = 0, high = errors.size() - 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (static_cast<double>(cut(result, errors[middle]).size()) / 3 <= part * triangles) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const auto indices = cut(result, errors[low]);
    const mesh::SampledSurface coarse(source.positions, source.normals, indices);
    const mesh::Distances there = coarse.distances_from(fine, 200000), back = fine.distances_from(coarse, 200000);
    std::printf("  %10zu %12.4g %12.4g %12.4g %12.4g %12.4g\n", indices.size() / 3, static_cast<double>(errors[low]),
                there.largest, back.largest, std::max(there.rms, back.rms), there.normal_rms);
  }
  return 0;
}

}  // namespace
}  // namespace assetc::bench

int main(int argc, char** argv) { return assetc::bench::run(argc, argv); }
