// The structs that mesh formats store, and a mesh in vectors of them. Specification: docs/formats/hmesh.md.
#pragma once

#include <cstdint>
#include <vector>

#include "assetc/formats/mesh_attributes.hpp"
#include "assetc/formats/mesh_bounds.hpp"
#include "assetc/formats/mesh_morphs.hpp"
#include "assetc/formats/mesh_names.hpp"
#include "assetc/formats/mesh_primitives.hpp"

namespace assetc::hmesh {

inline constexpr std::uint32_t kNoMaterial = 0xffffffffu;
inline constexpr std::uint32_t kMeshletMaxVertices = 64;
inline constexpr std::uint32_t kMeshletMaxTriangles = 124;
inline constexpr std::int32_t kNoParent = -1;

struct GpuVertex {
  float position[3];
  std::int16_t normal[2];   // octahedral.hpp
  std::int16_t tangent[2];  // octahedral.hpp; handedness in bit 0 of the first
  float uv[2];              // (0, 0) is the corner of the top left texel
  bool operator==(const GpuVertex&) const = default;
};
static_assert(sizeof(GpuVertex) == 28);

// A meshlet has these ranges:
// - [vertex_offset, vertex_offset + vertex_count) of meshlet_vertices()
// - [triangle_offset, triangle_offset + triangle_count) of meshlet_triangles(), whose corners are relative to
//   vertex_offset
struct Meshlet {
  std::uint32_t vertex_offset;
  std::uint32_t vertex_count;
  std::uint32_t triangle_offset;
  std::uint32_t triangle_count;
  bool operator==(const Meshlet&) const = default;
};
static_assert(sizeof(Meshlet) == 16);

struct MeshletTriangle {
  std::uint8_t corners[3];
  bool operator==(const MeshletTriangle&) const = default;
};
static_assert(sizeof(MeshletTriangle) == 3);

// The whole meshlet faces away if dot(center - eye, cone_axis) >= cone_cutoff * |center - eye| + radius.
struct MeshletBounds {
  float center[3];
  float radius;
  float cone_axis[3];
  float cone_cutoff;
  bool operator==(const MeshletBounds&) const = default;
};
static_assert(sizeof(MeshletBounds) == 32);

// One draw: one material, one range of indices and one range of meshlets.
struct SubMesh {
  std::uint32_t first_index;
  std::uint32_t index_count;
  std::uint32_t first_meshlet;
  std::uint32_t meshlet_count;
  std::uint32_t material_slot;  // a row of materials() and of the sibling .hmat, or kNoMaterial
  std::uint32_t base_vertex;    // always 0: indices are global
  MeshBounds bounds;
  bool operator==(const SubMesh&) const = default;
};
static_assert(sizeof(SubMesh) == 64);

struct GpuSkinVertex {
  std::uint16_t joints[4];
  float weights[4];
  bool operator==(const GpuSkinVertex&) const = default;
};
static_assert(sizeof(GpuSkinVertex) == 24);

struct GpuJoint {
  float inverse_bind[16];  // mesh space to the joint's bind space, column-major
  float translation[3];    // of the bind pose, relative to the parent
  float rotation[4];       // x y z w
  float scale[3];
  std::int32_t parent;  // an index into joints(), before or after this one, or kNoParent
  std::uint32_t pad;
  bool operator==(const GpuJoint&) const = default;
};
static_assert(sizeof(GpuJoint) == 112);

// A range of lod_indices(). index_count 0: simplification could not reduce further; draw the previous level.
struct MeshLod {
  std::uint32_t first_index;
  std::uint32_t index_count;
  bool operator==(const MeshLod&) const = default;
};
static_assert(sizeof(MeshLod) == 8);

// A mesh in vectors: the output of a compiler and the input of write().
struct Model {
  std::vector<GpuVertex> vertices;
  std::vector<std::uint32_t> indices;  // three for each triangle, all submeshes in order
  bool has_tangents = false;
  MeshBounds bounds{};
  std::vector<SubMesh> submeshes;
  std::vector<std::uint64_t> materials;  // hash_asset_ref of each, in slot order

  std::uint32_t meshlet_max_vertices = kMeshletMaxVertices;
  std::uint32_t meshlet_max_triangles = kMeshletMaxTriangles;
  std::vector<Meshlet> meshlets;
  std::vector<std::uint32_t> meshlet_vertices;
  std::vector<MeshletTriangle> meshlet_triangles;
  std::vector<MeshletBounds> meshlet_bounds;

  std::vector<GpuSkinVertex> skin;  // parallel to vertices, or empty
  std::vector<GpuJoint> joints;

  std::uint32_t lod_count = 0;
  std::vector<MeshLod> lods;  // [submesh][lod], lod_count for each submesh; lod 0 here is LOD1
  std::vector<std::uint32_t> lod_indices;

  std::vector<MeshBounds> pose_bounds;  // of a skinned mesh: the rest pose, then each clip; or empty

  Names names;

  std::vector<GpuSkinVertex> further_skin;  // parallel to skin, or empty: View::further_skin()
  FurtherAttributes further_attributes;
  Morphs morphs;
  Primitives primitives;  // their vertices come after those of the submeshes

  bool operator==(const Model&) const = default;
};

}  // namespace assetc::hmesh
