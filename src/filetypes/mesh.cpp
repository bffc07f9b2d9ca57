// .hmesh, both versions, and .gali.
#include <algorithm>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe_hmesh(const hmesh::View& mesh) {
  MeshInfo info{.container = "hmesh 2",
                .vertices = mesh.desc().vertex_count,
                .triangles = static_cast<std::uint32_t>(mesh.triangle_count()),
                .indices = mesh.desc().index_count,
                .index_width_bytes = mesh.desc().index_width_bytes,
                .meshlets = mesh.desc().meshlet_count,
                .submeshes = mesh.desc().submesh_count,
                .materials = mesh.desc().material_count,
                .joints = static_cast<std::uint32_t>(mesh.joints().size()),
                .tangents = mesh.has_tangents()};
  for (std::uint32_t level = 0; level < mesh.lod_count(); ++level) info.lods += mesh.has_level(level);
  std::ranges::copy(mesh.bounds().aabb_min, info.aabb_min.begin());
  std::ranges::copy(mesh.bounds().aabb_max, info.aabb_max.begin());
  return info;
}

FileContent describe_hmesh_v1(const hmesh_v1::View& mesh) {
  MeshInfo info{.container = "hmesh 1",
                .vertices = static_cast<std::uint32_t>(mesh.vertices().size()),
                .triangles = static_cast<std::uint32_t>(mesh.index_count() / 3),
                .indices = static_cast<std::uint32_t>(mesh.index_count()),
                .index_width_bytes = mesh.index_width_bytes(),
                .meshlets = static_cast<std::uint32_t>(mesh.meshlets().size()),
                .submeshes = 1,
                .materials = static_cast<std::uint32_t>(mesh.material_count()),
                .tangents = true,
                .names_rows = false};  // version 1 is older than .hmat
  std::ranges::copy(mesh.bounds().aabb_min, info.aabb_min.begin());
  std::ranges::copy(mesh.bounds().aabb_max, info.aabb_max.begin());
  return info;
}

FileContent describe_galileo(const galileo::View& mesh) {
  MeshInfo info{.container = "galileo",
                .index_width_bytes = 4,
                .submeshes = static_cast<std::uint32_t>(mesh.groups().size()),
                .materials = static_cast<std::uint32_t>(mesh.materials().size()),
                .joints = static_cast<std::uint32_t>(mesh.joints().size()),
                .tangents = true};
  for (const galileo::GroupView& group : mesh.groups()) {
    info.vertices += static_cast<std::uint32_t>(group.vertex_count());
    info.indices += static_cast<std::uint32_t>(group.indices.size());
  }
  info.triangles = info.indices / 3;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    info.aabb_min[axis] = mesh.box().center[axis] - mesh.box().half_extent[axis];
    info.aabb_max[axis] = mesh.box().center[axis] + mesh.box().half_extent[axis];
  }
  return info;
}

Result<void> open_hmesh(ByteSpan file) {
  return hmesh_v1::is_version_1(file) ? open_with<hmesh_v1::View>(file) : open_with<hmesh::View>(file);
}
Result<FileContent> inspect_hmesh(ByteSpan file) {
  return hmesh_v1::is_version_1(file) ? inspect_with<hmesh_v1::View, describe_hmesh_v1>(file)
                                      : inspect_with<hmesh::View, describe_hmesh>(file);
}

}  // namespace

constinit const Reader kHmeshReader{.open = open_hmesh, .inspect = inspect_hmesh};
constinit const Reader kGalileoReader{.open = open_with<galileo::View>,
                                      .inspect = inspect_with<galileo::View, describe_galileo>};

}  // namespace assetc::filetypes
