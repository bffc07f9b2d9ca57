// Meshes on the device: the buffers of a MeshLayout as they are mapped, and indices of meshlets.
#pragma once

#include <assetc/runtime/assets.hpp>
#include <assetc/runtime/mesh_layout.hpp>
#include <cstdint>
#include <vector>

#include "device.hpp"
#include "vertex_input.hpp"

namespace example {

struct GpuVertices {
  std::vector<Buffer> buffers;  // as VertexInput has them
  VertexInput input;
};

struct GpuIndices {
  Buffer buffer;
  VkIndexType type = VK_INDEX_TYPE_UINT16;
};

struct GpuMesh {
  std::vector<GpuVertices> vertices;  // of MeshDraw::vertices
  std::vector<GpuIndices> indices;    // of MeshDraw::indices
  // Of meshes with meshlets alone.
  Buffer meshlets, bounds;     // as the compute shader that culls reads them
  GpuIndices meshlet_indices;  // three a triangle, those of a meshlet in a row
};

class Meshes {
 public:
  explicit Meshes(const Device& device) : device_(device) {}
  ~Meshes();
  Meshes(const Meshes&) = delete;
  Meshes& operator=(const Meshes&) = delete;

  // With finalize and release. Outlived by this.
  assetc::runtime::Loader<assetc::runtime::MeshData> loader();
  const GpuMesh& mesh(std::uint64_t object) const { return meshes_[object]; }

 private:
  GpuMesh upload(const assetc::runtime::MeshLayout& layout) const;
  void destroy(const GpuMesh& mesh) const;

  const Device& device_;
  std::vector<GpuMesh> meshes_;
};

}  // namespace example
