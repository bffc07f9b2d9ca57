// Meshes on the device: the buffers of a MeshLayout, and indices of meshlets.
#pragma once

#include <assetc/runtime/assets.hpp>
#include <assetc/runtime/mesh_layout.hpp>
#include <cstdint>
#include <deque>
#include <vector>

#include "device.hpp"

namespace example {

struct GpuIndices {
  Buffer buffer;
  VkIndexType type = VK_INDEX_TYPE_UINT16;
};

struct GpuMesh {
  std::vector<std::vector<Buffer>> vertices;  // indexed by MeshDraw::vertices; in the order of VertexInput
  std::vector<GpuIndices> indices;            // indexed by MeshDraw::indices
  // Only of meshes with meshlets.
  Buffer meshlets, bounds;     // in the layout of the compute shader that culls
  GpuIndices meshlet_indices;  // three per triangle; those of a meshlet are consecutive
};

class Meshes {
 public:
  explicit Meshes(const Device& device) : device_(device) {}
  ~Meshes();
  Meshes(const Meshes&) = delete;
  Meshes& operator=(const Meshes&) = delete;

  // The loader has finalize, release and gpu_bytes functions and must not outlive this object.
  // in_parts: coarse levels of a mesh are loaded before the whole mesh.
  assetc::runtime::Loader<assetc::runtime::MeshData> loader(bool in_parts);
  const GpuMesh& mesh(std::uint64_t object) const { return meshes_[object]; }

 private:
  GpuMesh upload(const assetc::runtime::MeshLayout& layout) const;
  void destroy(const GpuMesh& mesh) const;

  const Device& device_;
  std::deque<GpuMesh> meshes_;  // references stay valid when a mesh is added
};

}  // namespace example
