// .hmesh version 1, also as vectors and to write. Specification: docs/formats/hmesh-v1.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1_view.hpp"

namespace assetc::hmesh_v1 {

struct Model {
  std::vector<GpuVertex> vertices;
  std::vector<std::uint32_t> indices;
  MeshBounds bounds{};
  std::vector<std::uint64_t> materials;  // every material of the source, in source order
  std::vector<Meshlet> meshlets;
  std::vector<std::uint32_t> meshlet_vertices;
  std::vector<MeshletTriangle> meshlet_triangles;
  std::vector<MeshletBounds> meshlet_bounds;
  std::vector<std::string> material_names;  // as many as materials, or none; stored in NAME

  bool operator==(const Model&) const = default;
};

// Returns the geometry of a version 2 mesh. Version 1 has no submeshes, slots, skin and LODs; the caller must report
// what is lost. materials: in the order that version 1 requires.
Model from_hmesh(const hmesh::Model& mesh, std::vector<std::uint64_t> materials);

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model. Deterministic.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::hmesh_v1
