// Two submeshes of a unit quad, with every optional part of a .hmesh.
#pragma once

#include "assetc/base/hash.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/octahedral.hpp"

namespace assetc::formats_test {

inline hmesh::MeshBounds quad_bounds() { return {{0, 0, 0}, {1, 1, 0}, {0.5f, 0.5f, 0}, 0.75f}; }

inline hmesh::Model static_quad() {
  hmesh::Model m;
  const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (const auto& c : corners) {
    const auto n = encode_octahedral(0, 0, 1);
    const auto t = encode_octahedral_tangent(1, 0, 0, -1);
    m.vertices.push_back({{c[0], c[1], 0}, {n[0], n[1]}, {t[0], t[1]}, {c[0], 1 - c[1]}});
  }
  m.indices = {0, 1, 2, 0, 2, 3};
  m.has_tangents = true;
  m.bounds = quad_bounds();
  m.materials = {hash_asset_ref("models/quad/wood"), hash_asset_ref("models/quad/material_1")};
  m.submeshes = {{0, 3, 0, 1, 1, 0, quad_bounds()}, {3, 3, 1, 1, hmesh::kNoMaterial, 0, quad_bounds()}};
  m.meshlets = {{0, 3, 0, 1}, {3, 3, 1, 1}};
  m.meshlet_vertices = {0, 1, 2, 0, 2, 3};
  m.meshlet_triangles = {{{0, 1, 2}}, {{0, 1, 2}}};
  m.meshlet_bounds = {{{0.5f, 0.5f, 0}, 0.75f, {0, 0, 1}, 0}, {{0.5f, 0.5f, 0}, 0.75f, {0, 0, 1}, 0}};
  return m;
}

inline hmesh::GpuJoint identity_joint(std::int32_t parent) {
  return {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}, parent, 0};
}

inline hmesh::Model full_quad() {
  hmesh::Model m = static_quad();
  m.joints = {identity_joint(1), identity_joint(hmesh::kNoParent)};
  m.skin.assign(4, {{0, 1, 0, 0}, {0.25f, 0.75f, 0, 0}});
  m.lod_count = 2;
  m.lod_indices = {0, 1, 2};
  m.lods = {{0, 3}, {0, 0}, {0, 0}, {3, 0}};
  m.names.submeshes = {"seat", ""};
  m.names.materials = {"Wood", "Stoff \xc3\xbc"};
  m.names.joints = {"hip", "root"};
  m.names.nodes = {"Chair"};
  m.names.submesh_nodes = {0, hmesh::kNoNode};
  return m;
}

}  // namespace assetc::formats_test
