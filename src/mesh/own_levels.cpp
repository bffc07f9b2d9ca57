#include "mesh/own_levels.hpp"

#include <algorithm>
#include <iterator>

#include "base/plural.hpp"
#include "mesh/bounds.hpp"
#include "mesh/chunks.hpp"
#include "mesh/optimize.hpp"
#include "mesh/prepare.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec3;

// Appends the vertices of a level, in order of first use, and returns its indices into the model.
Result<std::vector<std::uint32_t>> append_level(const SubmeshInput& in, const MeshOptions& options, BuiltMesh& built) {
  MeshOptions of_vertices;
  of_vertices.tangents = options.tangents;
  of_vertices.source_vertices = !in.skin.empty();
  ASSETC_TRY(PreparedSubmesh level, prepare_submesh(in, of_vertices));
  std::ranges::move(level.repairs, std::back_inserter(built.repairs));
  optimize_vertex_cache(level.indices, level.vertices.size());
  std::vector<std::uint32_t> slots(level.vertices.size(), kNoSlot);
  LocalMesh local = make_dense_local(level.indices, slots);
  hmesh::Model& m = built.model;
  const auto first = static_cast<std::uint32_t>(m.vertices.size());
  for (const std::uint32_t v : local.vertices) {
    m.vertices.push_back(level.vertices[v]);
    if (m.skin.empty()) continue;
    m.skin.push_back(in.skin.empty() ? hmesh::GpuSkinVertex{{0, 0, 0, 0}, {1, 0, 0, 0}} : in.skin[level.sources[v]]);
  }
  for (std::uint32_t& index : local.indices) index += first;
  return std::move(local.indices);
}

}  // namespace

Result<void> use_own_levels(std::span<const SubmeshInput> inputs, const MeshOptions& options, BuiltMesh& built) {
  std::size_t count = 0;
  for (const SubmeshInput& in : inputs) count = std::max(count, in.levels.size());
  if (count == 0) return {};
  hmesh::Model& m = built.model;
  const std::size_t made = m.lod_count;
  for (std::size_t i = 0; i < m.lods.size(); ++i) {
    if (inputs[i / made].levels.empty() && m.lods[i].index_count != 0) count = std::max(count, i % made + 1);
  }
  count = std::min<std::size_t>(count, kMaxLods);
  std::vector<hmesh::MeshLod> lods;
  std::vector<std::uint32_t> indices;
  for (std::size_t s = 0; s < inputs.size(); ++s) {
    const auto first_vertex = static_cast<std::ptrdiff_t>(m.vertices.size());
    for (std::size_t l = 0; l < count; ++l) {
      std::vector<std::uint32_t> level;
      if (l < inputs[s].levels.size()) {
        ASSETC_TRY(level, append_level(inputs[s].levels[l], options, built));
      } else if (inputs[s].levels.empty() && l < made) {
        const hmesh::MeshLod& lod = m.lods[s * made + l];
        const auto from = m.lod_indices.begin() + static_cast<std::ptrdiff_t>(lod.first_index);
        level.assign(from, from + static_cast<std::ptrdiff_t>(lod.index_count));
      }
      lods.push_back({static_cast<std::uint32_t>(indices.size()), static_cast<std::uint32_t>(level.size())});
      indices.insert(indices.end(), level.begin(), level.end());
    }
    if (inputs[s].levels.size() > count) {
      built.repairs.push_back({inputs[s].place, "has " + plural(inputs[s].levels.size(), "level") +
                                                    " of detail; the first " +
                                                    (count == 1 ? "is" : std::to_string(count) + " are") + " kept"});
    }
    std::vector<Vec3> positions;
    const auto add = [&](auto from, auto to) {
      for (; from != to; ++from) positions.push_back({from->position[0], from->position[1], from->position[2]});
    };
    add(m.vertices.begin() + built.vertex_begin[s], m.vertices.begin() + built.vertex_begin[s + 1]);
    add(m.vertices.begin() + first_vertex, m.vertices.end());
    if (m.vertices.end() - m.vertices.begin() != first_vertex) m.submeshes[s].bounds = bounds_of(positions);
  }
  std::vector<Vec3> all;
  all.reserve(m.vertices.size());
  for (const hmesh::GpuVertex& v : m.vertices) all.push_back({v.position[0], v.position[1], v.position[2]});
  m.bounds = bounds_of(all);
  m.lod_count = static_cast<std::uint32_t>(count);
  m.lods = std::move(lods);
  m.lod_indices = std::move(indices);
  return {};
}

}  // namespace assetc::mesh
