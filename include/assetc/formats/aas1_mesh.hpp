// AAS1 meshes, also as vectors and to write. Specification: docs/formats/aas1.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "assetc/formats/aas1_mesh_view.hpp"
#include "assetc/formats/hmesh.hpp"

namespace assetc::aas1 {

// The input of write(). All levels share one array of vertices.
struct Mesh {
  struct Level {
    std::vector<std::uint32_t> indices;
    std::vector<SubMesh> submeshes;
    float screen_size = 1;
    std::array<float, 3> bounds_min{}, bounds_max{};
  };
  std::uint32_t vertex_stride_bytes = 0;
  std::vector<VertexAttribute> attributes;
  ByteVector vertices;
  std::vector<Level> levels;  // full detail first; a mesh with one level gets the plain Desc
  std::vector<Uuid> materials;
  Uuid skeleton;
  std::vector<hmesh::MeshBounds> submesh_bounds, pose_bounds;
  hmesh::Names names;  // not of joints: the skeleton has their names
  hmesh::Morphs morphs;
  // Points and lines. If there are no triangles, level 0 has one submesh of one triangle (0, 0, 0).
  hmesh::Primitives primitives;
  std::vector<std::string> custom_names;  // by semantic index of Semantic::kCustom
};
// Returns the bytes of a file that MeshView::open accepts, or the error that it would give for the mesh.
// Deterministic. The index type is derived. The bounds of the mesh are those of level 0.
Result<ByteVector> write(const Mesh& mesh);

}  // namespace assetc::aas1
