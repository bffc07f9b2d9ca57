#include "meshes.hpp"

#include <assetc/runtime/gpu.hpp>

namespace example {

using namespace assetc;

Meshes::~Meshes() {
  for (const GpuMesh& mesh : meshes_) destroy(mesh);
}

runtime::Loader<runtime::MeshData> Meshes::loader() {
  runtime::Loader<runtime::MeshData> loader = runtime::mesh_loader();
  loader.finalize = [this](runtime::MeshData& mesh, const runtime::AssetDesc&) -> Result<runtime::GpuObject> {
    const hmesh::View* view = mesh.hmesh();
    if (view == nullptr) return runtime::GpuObject{};
    meshes_.push_back(upload(*view));
    const GpuMesh& made = meshes_.back();
    runtime::GpuObject object{.object = meshes_.size() - 1};
    for (const Buffer* buffer : {&made.vertices, &made.skin, &made.indices, &made.lod_indices, &made.meshlets,
                                 &made.bounds, &made.meshlet_indices})
      object.size_bytes += buffer->size_bytes;
    return object;
  };
  loader.release = [this](const runtime::GpuObject& gpu) {
    destroy(meshes_[gpu.object]);
    meshes_[gpu.object] = {};
  };
  return loader;
}

GpuMesh Meshes::upload(const hmesh::View& mesh) const {
  std::vector<std::uint32_t> triangles(mesh.meshlet_triangles().size() * 3);
  for (const hmesh::Meshlet& meshlet : mesh.meshlets()) {
    for (std::size_t t = meshlet.triangle_offset; t < meshlet.triangle_offset + meshlet.triangle_count; ++t) {
      for (std::size_t c = 0; c < 3; ++c) {
        triangles[3 * t + c] = mesh.meshlet_vertices()[meshlet.vertex_offset + mesh.meshlet_triangles()[t].corners[c]];
      }
    }
  }
  GpuMesh out;
  out.index_type = static_cast<VkIndexType>(gpu::index_format(mesh.desc().index_width_bytes).vulkan);
  out.vertices = device_.make_buffer(std::as_bytes(mesh.vertices()), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  out.skin = device_.make_buffer(std::as_bytes(mesh.skin()), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  out.indices = device_.make_buffer(mesh.index_bytes(), VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  out.lod_indices = device_.make_buffer(std::as_bytes(mesh.lod_indices()), VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  out.meshlets = device_.make_buffer(std::as_bytes(mesh.meshlets()), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  out.bounds = device_.make_buffer(std::as_bytes(mesh.meshlet_bounds()), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  out.meshlet_indices = device_.make_buffer(std::as_bytes(std::span(triangles)), VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  return out;
}

void Meshes::destroy(const GpuMesh& mesh) const {
  for (const Buffer* buffer : {&mesh.vertices, &mesh.skin, &mesh.indices, &mesh.lod_indices, &mesh.meshlets,
                               &mesh.bounds, &mesh.meshlet_indices})
    device_.destroy(*buffer);
}

}  // namespace example
