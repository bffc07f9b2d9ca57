#include "recipes/container/hmesh_values.hpp"

#include <algorithm>

#include "assetc/formats/octahedral.hpp"
#include "recipes/container/hmesh_further.hpp"

namespace assetc::recipes {
namespace {

void read_vertices(const hmesh::View& view, mesh::Mesh& m) {
  const std::size_t count = view.vertices().size();
  m.positions.reserve(count);
  m.normals.reserve(count);
  m.tangents.reserve(count);
  m.texcoords.resize(1);
  m.texcoords[0].reserve(count);
  for (const hmesh::GpuVertex& v : view.vertices()) {
    const auto n = decode_octahedral(v.normal[0], v.normal[1]);
    const auto t = decode_octahedral_tangent(v.tangent[0], v.tangent[1]);
    m.positions.push_back({v.position[0], v.position[1], v.position[2]});
    m.normals.push_back({n[0], n[1], n[2]});
    m.tangents.push_back({t[0], t[1], t[2], t[3]});
    m.texcoords[0].push_back({v.uv[0], v.uv[1]});
  }
}

mesh::DrawVertices vertices_of(const mesh::Mesh& m) {
  mesh::DrawVertices vertices;
  for (const auto& set : m.texcoords) vertices.texcoord_sets.push_back(!set.empty());
  for (const auto& set : m.colors) vertices.color_sets.push_back(!set.empty());
  return vertices;
}

void read_primitives(const hmesh::PrimitivesView& view, mesh::Mesh& m) {
  m.primitives = view.to_primitives();
  for (const hmesh::GpuPrimitive& primitive : m.primitives.items) {
    mesh::DrawVertices& vertices = m.primitive_vertices.emplace_back(vertices_of(m));
    if (!vertices.texcoord_sets.empty())
      vertices.texcoord_sets.front() = (primitive.flags & hmesh::GpuPrimitive::kHasTexcoords) != 0;
  }
}

}  // namespace

CompiledMesh read_hmesh(const hmesh::View& view) {
  CompiledMesh out;
  mesh::Mesh& m = out.mesh;
  static_cast<hmesh::Model&>(m) = view.to_model();
  m.vertices = {};
  m.further_attributes = {};
  m.morphs = {};
  read_vertices(view, m);
  read_further(view, m);
  m.submesh_vertices.assign(m.submeshes.size(), vertices_of(m));
  if (view.primitives()) read_primitives(*view.primitives(), m);
  out.source_materials = m.materials;
  out.source_material_names = m.names.materials;
  return out;
}

}  // namespace assetc::recipes
