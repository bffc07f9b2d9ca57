// Meshes on the device: .hmesh files as they are mapped, and indices of meshlets.
#pragma once

#include <assetc/runtime/assets.hpp>
#include <cstdint>
#include <vector>

#include "device.hpp"

namespace example {

struct GpuMesh {
  Buffer vertices, skin;        // skin: of skinned meshes alone
  Buffer indices, lod_indices;  // of full detail and below
  Buffer meshlets, bounds;      // as the compute shader that culls reads them
  Buffer meshlet_indices;       // three a triangle, those of a meshlet in a row
  VkIndexType index_type = VK_INDEX_TYPE_UINT16;
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
  GpuMesh upload(const assetc::hmesh::View& mesh) const;
  void destroy(const GpuMesh& mesh) const;

  const Device& device_;
  std::vector<GpuMesh> meshes_{1};  // object 0 is that of nothing: the fallback's
};

}  // namespace example
