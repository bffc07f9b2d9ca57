// .hmesh version 2, also as vectors and to write. Specification: docs/formats/hmesh.md.
#pragma once

#include <cstdint>
#include <vector>

#include "assetc/formats/hmesh_view.hpp"

namespace assetc::hmesh {

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

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model.
// Deterministic: chunks are in the order of the specification, padding is zero, empty optional chunks are left out,
// counts and the index width are derived.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::hmesh
