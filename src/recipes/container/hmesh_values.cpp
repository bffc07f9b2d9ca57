#include "recipes/container/hmesh_values.hpp"

#include <algorithm>

#include "assetc/formats/octahedral.hpp"
#include "recipes/container/hmesh_further.hpp"

namespace assetc::recipes {
namespace {

mesh::Bounds bounds_of(const hmesh::MeshBounds& b) {
  return {{{b.aabb_min[0], b.aabb_min[1], b.aabb_min[2]}, {b.aabb_max[0], b.aabb_max[1], b.aabb_max[2]}},
          {{b.sphere_center[0], b.sphere_center[1], b.sphere_center[2]}, b.sphere_radius}};
}

mesh::Joint joint_of(const hmesh::GpuJoint& from) {
  mesh::Joint joint;
  std::ranges::copy(from.inverse_bind, joint.inverse_bind.m.begin());
  joint.rest = {{from.translation[0], from.translation[1], from.translation[2]},
                {from.rotation[0], from.rotation[1], from.rotation[2], from.rotation[3]},
                {from.scale[0], from.scale[1], from.scale[2]}};
  joint.parent = from.parent;
  return joint;
}

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
  m.has_tangents = view.has_tangents();
  m.skin.reserve(view.skin().size());
  for (const hmesh::GpuSkinVertex& s : view.skin())
    m.skin.push_back({std::to_array(s.joints), std::to_array(s.weights)});
}

void read_meshlets(const hmesh::View& view, mesh::Mesh& m) {
  m.meshlet_max_vertices = view.desc().meshlet_max_vertices;
  m.meshlet_max_triangles = view.desc().meshlet_max_triangles;
  for (const hmesh::Meshlet& l : view.meshlets())
    m.meshlets.push_back({l.vertex_offset, l.vertex_count, l.triangle_offset, l.triangle_count});
  m.meshlet_vertices.assign(view.meshlet_vertices().begin(), view.meshlet_vertices().end());
  m.meshlet_triangles.reserve(view.meshlet_triangles().size());
  for (const hmesh::MeshletTriangle& t : view.meshlet_triangles())
    m.meshlet_triangles.push_back(std::to_array(t.corners));
  for (const hmesh::MeshletBounds& b : view.meshlet_bounds()) {
    m.meshlet_bounds.push_back({{{b.center[0], b.center[1], b.center[2]}, b.radius},
                                {b.cone_axis[0], b.cone_axis[1], b.cone_axis[2]},
                                b.cone_cutoff});
  }
}

mesh::Names names_of(hmesh::Names names) {
  return {std::move(names.submeshes),
          std::move(names.materials),
          std::move(names.joints),
          std::move(names.nodes),
          std::move(names.submesh_nodes),
          {},
          {}};
}

}  // namespace

hmesh::MeshBounds hmesh_bounds(const mesh::Bounds& b) {
  const auto& [box, sphere] = b;
  return {{box.low.x, box.low.y, box.low.z},
          {box.high.x, box.high.y, box.high.z},
          {sphere.center.x, sphere.center.y, sphere.center.z},
          sphere.radius};
}

std::vector<hmesh::MeshBounds> hmesh_bounds(std::span<const mesh::Bounds> bounds) {
  std::vector<hmesh::MeshBounds> all;
  all.reserve(bounds.size());
  for (const mesh::Bounds& b : bounds) all.push_back(hmesh_bounds(b));
  return all;
}

std::vector<hmesh::GpuJoint> hmesh_joints(std::span<const mesh::Joint> joints) {
  std::vector<hmesh::GpuJoint> all;
  all.reserve(joints.size());
  for (const mesh::Joint& from : joints) {
    const auto& [translation, rotation, scale] = from.rest;
    hmesh::GpuJoint joint{{},
                          {translation.x, translation.y, translation.z},
                          {rotation.x, rotation.y, rotation.z, rotation.w},
                          {scale.x, scale.y, scale.z},
                          from.parent,
                          0};
    std::ranges::copy(from.inverse_bind.m, joint.inverse_bind);
    all.push_back(joint);
  }
  return all;
}

hmesh::Names hmesh_names(const mesh::Names& names) {
  return {names.submeshes, names.materials, names.joints, names.nodes, names.submesh_nodes};
}

hmesh::Primitives hmesh_primitives(const mesh::Mesh& m) {
  hmesh::Primitives out;
  for (std::size_t i = 0; i < m.primitives.size(); ++i) {
    const mesh::Primitive& from = m.primitives[i];
    std::uint32_t flags = 0;
    if (from.has_normals) flags |= hmesh::GpuPrimitive::kHasNormals;
    if (from.has_tangents) flags |= hmesh::GpuPrimitive::kHasTangents;
    if (from.has_texcoords) flags |= hmesh::GpuPrimitive::kHasTexcoords;
    out.items.push_back({static_cast<hmesh::Topology>(from.topology), flags, from.first_index, from.index_count,
                         from.material_slot, from.submeshes_before,
                         i < m.names.primitive_nodes.size() ? m.names.primitive_nodes[i] : mesh::kNoNode, 0,
                         hmesh_bounds(from.bounds)});
  }
  out.names = m.names.primitives;
  out.indices = m.primitive_indices;
  return out;
}

void read_primitives(const hmesh::PrimitivesView& view, mesh::Mesh& m) {
  bool any_node = false;
  for (std::size_t i = 0; i < view.items().size(); ++i) {
    const hmesh::GpuPrimitive& from = view.items()[i];
    mesh::Primitive& to = m.primitives.emplace_back();
    to.topology = static_cast<scene::Topology>(from.topology);
    to.first_index = from.first_index;
    to.index_count = from.index_count;
    to.material_slot = from.material_slot;
    to.submeshes_before = from.submeshes_before;
    to.bounds = bounds_of(from.bounds);
    to.has_normals = (from.flags & hmesh::GpuPrimitive::kHasNormals) != 0;
    to.has_tangents = (from.flags & hmesh::GpuPrimitive::kHasTangents) != 0;
    to.has_texcoords = (from.flags & hmesh::GpuPrimitive::kHasTexcoords) != 0;
    for (const auto& set : m.texcoords) to.texcoord_sets.push_back(!set.empty());
    if (!to.texcoord_sets.empty()) to.texcoord_sets.front() = to.has_texcoords;
    for (const auto& set : m.colors) to.color_sets.push_back(!set.empty());
    m.names.primitive_nodes.push_back(from.node);
    any_node = any_node || from.node != hmesh::kNoNode;
  }
  if (!any_node) m.names.primitive_nodes.clear();
  m.names.primitives = view.to_primitives().names;
  m.primitive_indices.assign(view.indices().begin(), view.indices().end());
}

CompiledMesh read_hmesh(const hmesh::View& view) {
  CompiledMesh out;
  mesh::Mesh& m = out.mesh;
  read_vertices(view, m);
  read_further(view, m);
  read_meshlets(view, m);
  m.indices.resize(view.desc().index_count);
  for (std::size_t i = 0; i < m.indices.size(); ++i) m.indices[i] = view.index(i);
  m.bounds = bounds_of(view.bounds());
  for (const hmesh::SubMesh& s : view.submeshes()) {
    mesh::Submesh& submesh = m.submeshes.emplace_back();
    submesh.first_index = s.first_index;
    submesh.index_count = s.index_count;
    submesh.first_meshlet = s.first_meshlet;
    submesh.meshlet_count = s.meshlet_count;
    submesh.material_slot = s.material_slot;
    submesh.bounds = bounds_of(s.bounds);
    for (const auto& set : m.texcoords) submesh.texcoord_sets.push_back(!set.empty());
    for (const auto& set : m.colors) submesh.color_sets.push_back(!set.empty());
  }
  m.level_count = view.lod_count();
  for (const hmesh::MeshLod& lod : view.lods()) m.levels.push_back({lod.first_index, lod.index_count});
  m.level_indices.assign(view.lod_indices().begin(), view.lod_indices().end());
  for (const hmesh::GpuJoint& joint : view.joints()) m.joints.push_back(joint_of(joint));
  for (const hmesh::MeshBounds& b : view.pose_bounds()) m.pose_bounds.push_back(bounds_of(b));
  if (view.names()) m.names = names_of(view.names()->to_names());
  if (view.primitives()) read_primitives(*view.primitives(), m);
  out.materials.assign(view.materials().begin(), view.materials().end());
  out.source_materials = out.materials;
  out.source_material_names = m.names.materials;
  return out;
}

}  // namespace assetc::recipes
