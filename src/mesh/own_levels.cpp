#include "mesh/own_levels.hpp"

#include <algorithm>
#include <iterator>

#include "base/plural.hpp"
#include "mesh/bounds.hpp"
#include "mesh/channels.hpp"
#include "mesh/chunks.hpp"
#include "mesh/optimize.hpp"
#include "mesh/prepare.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec3;

// Appends the vertices of a level, ordered by first use, and returns the level's indices into the mesh.
Result<std::vector<std::uint32_t>> append_level(SubmeshInput& in, const MeshOptions& options, BuiltMesh& built) {
  MeshOptions of_vertices;
  of_vertices.tangents = options.tangents;
  ASSETC_TRY(PreparedSubmesh level, prepare_submesh(in, of_vertices));
  std::ranges::move(level.repairs, std::back_inserter(built.repairs));
  optimize_vertex_cache(level.indices, level.vertex_count());
  std::vector<std::uint32_t> slots(level.vertex_count(), kNoSlot);
  LocalMesh local = make_dense_local(level.indices, slots);
  Mesh& m = built.mesh;
  const auto first = static_cast<std::uint32_t>(m.positions.size());
  const auto gathered = [&]<class T>(const std::vector<T>& values) {
    std::vector<T> all;
    if (values.empty()) return all;
    all.reserve(local.vertices.size());
    for (const std::uint32_t v : local.vertices) all.push_back(values[v]);
    return all;
  };
  const auto append = [](auto& stream, const auto& values) {
    stream.insert(stream.end(), values.begin(), values.end());
  };
  append(m.normals, gathered(level.normals));
  append(m.tangents, gathered(level.tangents));
  const std::vector<std::uint32_t> sources = gathered(level.sources);
  add_channels({in, sources, level.morphs}, 0, m);
  for (std::uint32_t& index : local.indices) index += first;
  return std::move(local.indices);
}

}  // namespace

Result<void> use_own_levels(std::span<SubmeshInput> inputs, const MeshOptions& options, BuiltMesh& built) {
  std::size_t count = 0;
  for (const SubmeshInput& in : inputs) count = std::max(count, in.levels.size());
  if (count == 0) return {};
  Mesh& m = built.mesh;
  const std::size_t made = m.lod_count;
  for (std::size_t i = 0; i < m.lods.size(); ++i) {
    if (inputs[i / made].levels.empty() && m.lods[i].index_count != 0) count = std::max(count, i % made + 1);
  }
  count = std::min<std::size_t>(count, kMaxLods);
  std::vector<hmesh::MeshLod> ranges;
  std::vector<std::uint32_t> indices;
  for (std::size_t s = 0; s < inputs.size(); ++s) {
    const std::size_t first_vertex = m.positions.size();
    for (std::size_t l = 0; l < count; ++l) {
      std::vector<std::uint32_t> level;
      if (l < inputs[s].levels.size()) {
        ASSETC_TRY(level, append_level(inputs[s].levels[l], options, built));
      } else if (inputs[s].levels.empty() && l < made) {
        const hmesh::MeshLod& range = m.lods[s * made + l];
        const auto from = m.lod_indices.begin() + static_cast<std::ptrdiff_t>(range.first_index);
        level.assign(from, from + static_cast<std::ptrdiff_t>(range.index_count));
      }
      ranges.push_back({static_cast<std::uint32_t>(indices.size()), static_cast<std::uint32_t>(level.size())});
      indices.insert(indices.end(), level.begin(), level.end());
    }
    if (inputs[s].levels.size() > count) {
      built.repairs.push_back({inputs[s].place,
                               "has " + plural(inputs[s].levels.size(), "level") + " of detail; the first " +
                                   (count == 1 ? "is" : std::to_string(count) + " are") + " kept",
                               WarningKind::kLevelParts});
    }
    if (m.positions.size() == first_vertex) continue;
    const std::span all = m.positions;
    const auto full = all.subspan(m.submesh_vertices[s].first_vertex, m.submesh_vertices[s].vertex_count);
    std::vector<Vec3> positions(full.begin(), full.end());
    const auto of_levels = all.subspan(first_vertex);
    positions.insert(positions.end(), of_levels.begin(), of_levels.end());
    m.submeshes[s].bounds = bounds_of(positions);
  }
  m.bounds = bounds_of(m.positions);
  m.lod_count = static_cast<std::uint32_t>(count);
  m.lods = std::move(ranges);
  m.lod_indices = std::move(indices);
  return {};
}

}  // namespace assetc::mesh
