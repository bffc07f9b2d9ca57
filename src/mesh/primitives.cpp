#include "mesh/primitives.hpp"

#include <algorithm>
#include <iterator>

#include "base/plural.hpp"
#include "mesh/bounds.hpp"
#include "mesh/channels.hpp"
#include "mesh/chunks.hpp"
#include "mesh/normals.hpp"
#include "mesh/prepare.hpp"
#include "mesh/quantize.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec3;

constexpr Vec3 kAbsentNormal{0, 0, 1};

class PrimitiveAdder {
 public:
  // Repairs `in`, and rounds it as the options say.
  PrimitiveAdder(SubmeshInput& in, const MeshOptions& options, BuiltMesh& built)
      : in_(in), options_(options), built_(built), mesh_(built.mesh) {}

  Result<void> run(std::uint32_t submeshes_before) {
    ASSETC_CHECK(check_submesh(in_));
    const std::size_t first = mesh_.positions.size();
    LocalMesh local = make_local(in_.indices);
    hmesh::GpuPrimitive& out = mesh_.primitives.items.emplace_back();
    DrawVertices& vertices = mesh_.primitive_vertices.emplace_back();
    out.topology = static_cast<hmesh::Topology>(in_.topology);
    out.node = hmesh::kNoNode;
    out.material_slot = in_.material_slot;
    out.submeshes_before = submeshes_before;
    const bool has_tangents = options_.tangents && !in_.tangents.empty() && usable_tangents(in_.tangents);
    if (!in_.normals.empty()) out.flags |= hmesh::GpuPrimitive::kHasNormals;
    if (has_tangents) out.flags |= hmesh::GpuPrimitive::kHasTangents;
    add_frames(local.vertices, has_tangents);
    round_positions(in_, options_.position_step);
    replace_texcoords(in_, repaired_texcoords(in_, built_.repairs));
    const MorphIndex morphs(in_.morphs, in_.positions.size());
    add_channels({in_, local.vertices, morphs}, 0, mesh_);
    vertices.first_vertex = static_cast<std::uint32_t>(first);
    vertices.vertex_count = static_cast<std::uint32_t>(local.vertices.size());
    out.bounds = mesh::bounds_of(std::span(mesh_.positions).subspan(first));
    out.first_index = static_cast<std::uint32_t>(mesh_.primitives.indices.size());
    out.index_count = static_cast<std::uint32_t>(local.indices.size());
    for (const std::uint32_t i : local.indices)
      mesh_.primitives.indices.push_back(static_cast<std::uint32_t>(first) + i);
    describe_channels(in_, vertices);
    if (!vertices.texcoord_sets.empty() && vertices.texcoord_sets.front())
      out.flags |= hmesh::GpuPrimitive::kHasTexcoords;
    return {};
  }

 private:
  void add_frames(std::span<const std::uint32_t> vertices, bool has_tangents) {
    std::size_t broken = 0;
    const std::size_t first = mesh_.normals.size();
    for (const std::uint32_t v : vertices) {
      const bool is_good = in_.normals.empty() || has_direction(in_.normals[v]);
      broken += is_good ? 0 : 1;
      mesh_.normals.push_back(in_.normals.empty() || !is_good ? kAbsentNormal : in_.normals[v]);
    }
    if (broken != 0) {
      built_.repairs.push_back({in_.place, plural(broken, "normal") + (broken == 1 ? " is" : " are") +
                                               " not finite or without length; replaced by (0, 0, 1)"});
    }
    if (!options_.tangents) return;
    for (std::size_t i = 0; i < vertices.size(); ++i)
      mesh_.tangents.push_back(has_tangents ? in_.tangents[vertices[i]] : any_tangent(mesh_.normals[first + i]));
  }

  SubmeshInput& in_;
  const MeshOptions& options_;
  BuiltMesh& built_;
  Mesh& mesh_;
};

}  // namespace

Result<void> add_primitives(std::span<const SubmeshInput> inputs, const MeshOptions& options, BuiltMesh& built) {
  Mesh& m = built.mesh;
  std::uint32_t submeshes = 0;
  bool is_named = !m.names.submeshes.empty();
  for (const SubmeshInput& in : inputs) {
    if (in.is_of_triangles()) {
      ++submeshes;
      continue;
    }
    SubmeshInput changed = in;
    ASSETC_CHECK(PrimitiveAdder(changed, options, built).run(submeshes));
    is_named = is_named || !in.name.empty();
  }
  if (m.primitives.empty()) return {};
  m.bounds = mesh::bounds_of(m.positions);
  if (!is_named) return {};
  m.names.submeshes.clear();
  for (const SubmeshInput& in : inputs)
    (in.is_of_triangles() ? m.names.submeshes : m.primitives.names).push_back(in.name);
  return {};
}

}  // namespace assetc::mesh
