// Two submeshes of a unit quad, with every optional part of a .hmesh.
#pragma once

#include <array>

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

// full_quad() with every further chunk: two attributes beside a custom one, eight influences, two morph targets.
inline hmesh::Model further_quad() {
  hmesh::Model m = full_quad();
  m.further_skin.assign(4, {{1, 0, 0, 0}, {0.125f, 0, 0, 0}});
  using hmesh::FurtherFormat, hmesh::FurtherSemantic;
  m.further_attributes.items = {{FurtherSemantic::kTexcoord, 1, FurtherFormat::kRg32F, ""},
                                {FurtherSemantic::kColor, 0, FurtherFormat::kRgba8Unorm, ""},
                                {FurtherSemantic::kCustom, 0, FurtherFormat::kR32F, "_HEAT"}};
  for (int v = 0; v < 4; ++v) {
    append(m.further_attributes.vertices, std::array<float, 2>{static_cast<float>(v), 0.5f});
    append(m.further_attributes.vertices, std::array<std::uint8_t, 4>{255, static_cast<std::uint8_t>(v), 0, 51});
    append(m.further_attributes.vertices, -1.5f * static_cast<float>(v));
  }
  m.morphs.targets = {{"smile", 2, 0.5f, -1, 2, 0.25f, 0.5f, 0}, {"", 1, 0, 0, 1, 0, 0, 0.125f}};
  m.morphs.groups = {{1, 0}, {1, hmesh::kNoNode}};
  m.morphs.moves = {{1, {1, -2, 3}, {0, 4, 0}, {}}, {3, {32767, 0, 0}, {}, {}}, {0, {}, {}, {8, 0, -8}}};
  m.morphs.channels = {{0, 3, 0, 0, 1, 0.5f, 0}, {1, 4, 0, 1, 2, 0.25f, 0}};
  m.morphs.channel_moves = {{2, {1, -1, 0, 0}}, {0, {4, 0, 0, 0}}, {3, {0, 0, 0, -4}}};
  return m;
}

// full_quad() with two lines before its second submesh, and a point after both. Two vertices belong to them alone.
inline hmesh::Model quad_with_primitives() {
  hmesh::Model m = full_quad();
  m.vertices.insert(m.vertices.end(), {m.vertices[1], m.vertices[2]});
  m.skin.assign(6, m.skin.front());
  using hmesh::GpuPrimitive, hmesh::Topology;
  m.primitives.items = {
      {Topology::kLines, GpuPrimitive::kHasNormals, 0, 4, 1, 1, 0, 4, quad_bounds()},
      {Topology::kPoints, GpuPrimitive::kHasTexcoords, 4, 1, hmesh::kNoMaterial, 2, hmesh::kNoNode, 7, quad_bounds()}};
  m.primitives.names = {"edge", "dot"};
  m.primitives.indices = {4, 5, 5, 0, 4};
  return m;
}

}  // namespace assetc::formats_test
