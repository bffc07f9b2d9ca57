// Parts of a mesh as .hmesh has them, which Galileo and AAS1 share, and the way back.
#pragma once

#include <span>
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "recipes/compiled_mesh.hpp"

namespace assetc::recipes {

hmesh::MeshBounds hmesh_bounds(const mesh::Bounds& bounds);
std::vector<hmesh::MeshBounds> hmesh_bounds(std::span<const mesh::Bounds> bounds);
std::vector<hmesh::GpuJoint> hmesh_joints(std::span<const mesh::Joint> joints);
hmesh::Names hmesh_names(const mesh::Names& names);

// A compiled mesh as the value that it was written from: vertices, their order, levels of detail and meshlets as they
// are, normals and tangents as they decode, materials by their hashes. Written again it gives the same bytes.
CompiledMesh read_hmesh(const hmesh::View& view);

}  // namespace assetc::recipes
