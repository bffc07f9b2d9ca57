// Conversions between a mesh and the values of .hmesh, which Galileo and AAS1 share.
#pragma once

#include <span>
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "recipes/mesh/compiled_mesh.hpp"

namespace assetc::recipes {

hmesh::MeshBounds hmesh_bounds(const mesh::Bounds& bounds);
std::vector<hmesh::MeshBounds> hmesh_bounds(std::span<const mesh::Bounds> bounds);
std::vector<hmesh::GpuJoint> hmesh_joints(std::span<const mesh::Joint> joints);
hmesh::Names hmesh_names(const mesh::Names& names);
hmesh::Primitives hmesh_primitives(const mesh::Mesh& mesh);
// Adds the points and lines of a file. Requires the vertex streams of the mesh.
void read_primitives(const hmesh::PrimitivesView& view, mesh::Mesh& mesh);

// The value that a compiled mesh was written from. Vertices, their order, levels of detail and meshlets are unchanged;
// normals and tangents have their decoded values; materials are known by their hashes only. Writing the value again
// gives the same bytes.
CompiledMesh read_hmesh(const hmesh::View& view);

}  // namespace assetc::recipes
