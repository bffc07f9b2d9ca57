#include "meshes.hpp"

#include <assetc/runtime/gpu.hpp>

#include "vertex_input.hpp"

namespace example {

using namespace assetc;

namespace {

// Calls a function for every buffer of a mesh.
template <class F>
void for_each_buffer(const GpuMesh& mesh, const F& f) {
  for (const std::vector<Buffer>& vertices : mesh.vertices) {
    for (const Buffer& buffer : vertices) f(buffer);
  }
  for (const GpuIndices& indices : mesh.indices) f(indices.buffer);
  for (const Buffer* buffer : {&mesh.meshlets, &mesh.bounds, &mesh.meshlet_indices.buffer}) f(*buffer);
}

// Three indices per triangle, of vertices of the mesh and not of vertices of a meshlet.
std::vector<std::uint32_t> triangles_of_meshlets(const runtime::MeshLayout& layout) {
  std::vector<std::uint32_t> out(layout.meshlet_triangles.size() * 3);
  for (const hmesh::Meshlet& meshlet : layout.meshlets) {
    for (std::size_t t = meshlet.triangle_offset; t < meshlet.triangle_offset + meshlet.triangle_count; ++t) {
      for (std::size_t c = 0; c < 3; ++c)
        out[3 * t + c] = layout.meshlet_vertices[meshlet.vertex_offset + layout.meshlet_triangles[t].corners[c]];
    }
  }
  return out;
}

// The size of the buffers that upload() makes.
std::uint64_t size_on_device(const runtime::MeshLayout& layout) {
  std::uint64_t size_bytes = 0;
  for (const runtime::VertexLayout& vertices : layout.vertices) {
    for (const runtime::VertexBuffer& buffer : vertices.buffers) size_bytes += buffer.bytes.size();
    size_bytes += sizeof(kDefaultVertex);
  }
  for (const runtime::IndexBuffer& indices : layout.indices) size_bytes += indices.bytes.size();
  if (layout.meshlets.empty()) return size_bytes;
  return size_bytes + layout.meshlets.size_bytes() + layout.meshlet_bounds.size_bytes() +
         layout.meshlet_triangles.size() * 3 * sizeof(std::uint32_t);
}

}  // namespace

Meshes::~Meshes() {
  for (const GpuMesh& mesh : meshes_) destroy(mesh);
}

runtime::Loader<runtime::MeshData> Meshes::loader(bool in_parts) {
  runtime::Loader<runtime::MeshData> loader =
      in_parts ? runtime::mesh_loader(runtime::PartOptions{}) : runtime::mesh_loader();
  if (in_parts) {
    // The budget needs the sizes of levels that are not loaded yet. The loader knows their sizes in the file. On the
    // device a whole mesh has at most twice as many bytes: 12 bytes for each triangle of a meshlet, instead of 4.
    loader.parts.levels = [in_file = loader.parts.levels](const runtime::MeshData& mesh) {
      runtime::PartLevels levels = in_file(mesh);
      levels.value_bytes[0] *= 2;
      return levels;
    };
  }
  loader.gpu_bytes = [](const runtime::MeshData& mesh) { return size_on_device(runtime::layout_of(mesh)); };
  loader.finalize = [this](runtime::MeshData& mesh, const runtime::AssetDesc&) -> Result<runtime::GpuObject> {
    meshes_.push_back(upload(runtime::layout_of(mesh)));
    runtime::GpuObject object{.object = meshes_.size() - 1};
    for_each_buffer(meshes_.back(), [&](const Buffer& buffer) { object.size_bytes += buffer.size_bytes; });
    return object;
  };
  loader.release = [this](const runtime::GpuObject& gpu) {
    destroy(meshes_[gpu.object]);
    meshes_[gpu.object] = {};
  };
  return loader;
}

GpuMesh Meshes::upload(const runtime::MeshLayout& layout) const {
  GpuMesh out;
  for (const runtime::VertexLayout& from : layout.vertices) {
    std::vector<Buffer>& to = out.vertices.emplace_back();
    for (const runtime::VertexBuffer& buffer : from.buffers)
      to.push_back(device_.make_buffer(buffer.bytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT));
    to.push_back(device_.make_buffer(std::as_bytes(std::span(kDefaultVertex)), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT));
  }
  for (const runtime::IndexBuffer& from : layout.indices) {
    out.indices.push_back({device_.make_buffer(from.bytes, VK_BUFFER_USAGE_INDEX_BUFFER_BIT),
                           static_cast<VkIndexType>(gpu::index_format(from.width_bytes).vulkan)});
  }
  if (layout.meshlets.empty()) return out;
  const std::vector<std::uint32_t> triangles = triangles_of_meshlets(layout);
  out.meshlets = device_.make_buffer(std::as_bytes(layout.meshlets), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  out.bounds = device_.make_buffer(std::as_bytes(layout.meshlet_bounds), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  out.meshlet_indices = {device_.make_buffer(std::as_bytes(std::span(triangles)), VK_BUFFER_USAGE_INDEX_BUFFER_BIT),
                         VK_INDEX_TYPE_UINT32};
  return out;
}

void Meshes::destroy(const GpuMesh& mesh) const {
  for_each_buffer(mesh, [this](const Buffer& buffer) { device_.destroy(buffer); });
}

}  // namespace example
