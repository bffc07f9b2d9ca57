// Meshes on the device: the buffers of a MeshLayout, and indices of meshlets.
#pragma once

#include <assetc/runtime/assets.hpp>
#include <assetc/runtime/mesh_layout.hpp>
#include <cstdint>
#include <vector>

#include "device.hpp"
#include "vertex_input.hpp"

namespace example {

struct GpuVertices {
  std::vector<Buffer> buffers;  // in the order of VertexInput
  VertexInput input;
};

struct GpuIndices {
  Buffer buffer;
  VkIndexType type = VK_INDEX_TYPE_UINT16;
};

struct GpuMesh {
  std::vector<GpuVertices> vertices;  // indexed by MeshDraw::vertices
  std::vector<GpuIndices> indices;    // indexed by MeshDraw::indices
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

  // The loader has finalize and release functions and must not outlive this object.
  assetc::runtime::Loader<assetc::runtime::MeshData> loader();
  const GpuMesh& mesh(std::uint64_t object) const { return meshes_[object]; }

 private:
  GpuMesh upload(const assetc::runtime::MeshLayout& layout) const;
  void destroy(const GpuMesh& mesh) const;

  const Device& device_;
  std::vector<GpuMesh> meshes_;
};

}  // namespace example
