#include "mesh/scene_normals.hpp"

#include "mesh/normals.hpp"

namespace assetc::mesh {
namespace {

template <class T>
void gather(std::vector<T>& values, const std::vector<std::uint32_t>& sources) {
  if (values.empty()) return;
  std::vector<T> gathered;
  gathered.reserve(sources.size());
  for (const std::uint32_t source : sources) gathered.push_back(values[source]);
  values = std::move(gathered);
}

}  // namespace

void complete_normals(scene::Primitive& p) {
  if (p.topology != scene::Topology::kTriangles) return;
  if (!p.normals.empty()) {
    repair_normals(p.indices, p.positions, p.normals);
    return;
  }
  if (p.smoothing_groups.empty()) return;
  SplitVertices split = split_by_normal(p.indices, p.positions, p.smoothing_groups);
  p.indices = std::move(split.indices);
  p.normals = std::move(split.normals);
  gather(p.positions, split.sources);
  gather(p.tangents, split.sources);
  for (auto& set : p.texcoords) gather(set, split.sources);
  for (auto& set : p.colors) gather(set, split.sources);
  for (scene::Influences& set : p.influences) {
    gather(set.joints, split.sources);
    gather(set.weights, split.sources);
  }
  p.smoothing_groups.clear();
}

}  // namespace assetc::mesh
