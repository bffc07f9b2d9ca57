// .hmesh, both versions, and .gali.
#include <algorithm>
#include <cmath>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "assetc/runtime/inflate.hpp"
#include "filetypes/readers.hpp"
#include "formats/hmesh/rules.hpp"

namespace assetc::filetypes {
namespace {

// Tolerance for rounding in the program that computed the bounds, relative to their size and their distance from the
// origin.
constexpr float kBoundsTolerance = 1e-4f;

struct Sphere {
  const float* center;
  float radius;

  bool holds(const float* p) const {
    float distance2 = 0, far = radius;
    for (int axis = 0; axis < 3; ++axis) {
      distance2 += (p[axis] - center[axis]) * (p[axis] - center[axis]);
      far = std::max(far, std::fabs(center[axis]));
    }
    return std::sqrt(distance2) <= radius + kBoundsTolerance * far;
  }
};

bool holds(const hmesh::MeshBounds& b, const float* p) {
  for (int axis = 0; axis < 3; ++axis) {
    const float slack = kBoundsTolerance * std::max(std::fabs(b.aabb_min[axis]), std::fabs(b.aabb_max[axis]));
    if (!(p[axis] >= b.aabb_min[axis] - slack && p[axis] <= b.aabb_max[axis] + slack)) return false;
  }
  return Sphere{b.sphere_center, b.sphere_radius}.holds(p);
}

// Culling hides everything outside of these bounds. A meshlet of triangles without area has none.
template <class View>
Result<void> check_meshlet_bounds(ByteSpan file, const View& mesh) {
  const formats::Places place(file);
  for (std::size_t m = 0; m < mesh.meshlets().size(); ++m) {
    const hmesh::MeshletBounds& bounds = mesh.meshlet_bounds()[m];
    const hmesh::Meshlet& meshlet = mesh.meshlets()[m];
    for (std::uint32_t i = 0; i < meshlet.vertex_count && bounds.radius != 0; ++i) {
      const auto vertex = mesh.meshlet_vertices()[meshlet.vertex_offset + i];
      if (Sphere{bounds.center, bounds.radius}.holds(mesh.vertices()[vertex].position)) continue;
      return formats::invalid(place(bounds), formats::message("vertex ", vertex, " lies outside the sphere of meshlet ",
                                                              m, ", of which it is part"));
    }
  }
  return {};
}

Result<void> check_bounds(ByteSpan file, const hmesh::View& mesh) {
  const formats::Places place(file);
  for (const hmesh::GpuVertex& vertex : mesh.vertices()) {
    if (holds(mesh.bounds(), vertex.position)) continue;
    return formats::invalid(place(mesh.bounds()), formats::message("vertex ", &vertex - mesh.vertices().data(),
                                                                   " lies outside the sphere of the mesh"));
  }
  for (std::size_t s = 0; s < mesh.submeshes().size(); ++s) {
    const hmesh::SubMesh& submesh = mesh.submeshes()[s];
    const auto check = [&](std::size_t vertex) -> Result<void> {
      if (holds(submesh.bounds, mesh.vertices()[vertex].position)) return {};
      return formats::invalid(place(submesh.bounds),
                              formats::message("vertex ", vertex, " lies outside the bounds of submesh ", s));
    };
    for (std::size_t i = 0; i < submesh.index_count; ++i) ASSETC_CHECK(check(mesh.index(submesh.first_index + i)));
    for (std::size_t l = 0; l < mesh.lod_count(); ++l) {
      const hmesh::MeshLod& lod = mesh.lod(s, l);
      for (std::size_t i = 0; i < lod.index_count; ++i) ASSETC_CHECK(check(mesh.lod_indices()[lod.first_index + i]));
    }
  }
  if (mesh.primitives()) {
    for (std::size_t p = 0; p < mesh.primitives()->items().size(); ++p) {
      const hmesh::GpuPrimitive& primitive = mesh.primitives()->items()[p];
      for (const std::uint32_t vertex : mesh.primitives()->indices_of(primitive)) {
        if (holds(primitive.bounds, mesh.vertices()[vertex].position)) continue;
        return formats::invalid(place(primitive.bounds),
                                formats::message("vertex ", vertex, " lies outside the bounds of primitive ", p));
      }
    }
  }
  return check_meshlet_bounds(file, mesh);
}

void count_primitive(hmesh::Topology topology, std::size_t index_count, MeshInfo& info) {
  const auto count = static_cast<std::uint32_t>(index_count / hmesh::corner_count_of(topology));
  (topology == hmesh::Topology::kLines ? info.lines : info.points) += count;
  ++info.primitives;
}

void describe_morphs(const std::optional<hmesh::MorphsView>& morphs, MeshInfo& info) {
  if (!morphs) return;
  info.morph_targets = static_cast<std::uint32_t>(morphs->targets().size());
  info.morph_moves = morphs->move_count();
  for (std::size_t t = 0; t < morphs->targets().size(); ++t) info.morph_names.emplace_back(morphs->name(t));
}

// The names of glTF.
void describe_attributes(const hmesh::View& mesh, MeshInfo& info) {
  if (mesh.further_attributes()) {
    const auto attributes = mesh.further_attributes()->attributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      const std::string set = std::to_string(attributes[i].set);
      switch (attributes[i].semantic) {
        case hmesh::FurtherSemantic::kTexcoord:
          info.attributes.push_back("TEXCOORD_" + set);
          break;
        case hmesh::FurtherSemantic::kColor:
          info.attributes.push_back("COLOR_" + set);
          break;
        case hmesh::FurtherSemantic::kCustom:
          if (attributes[i].set == 0) info.attributes.emplace_back(mesh.further_attributes()->name(i));
          break;
      }
    }
  }
  if (!mesh.further_skin().empty()) info.attributes.emplace_back("JOINTS_1");
}

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
  describe_attributes(mesh, info);
  describe_morphs(mesh.morphs(), info);
  if (mesh.primitives()) {
    for (const hmesh::GpuPrimitive& p : mesh.primitives()->items()) count_primitive(p.topology, p.index_count, info);
  }
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
                .materials = static_cast<std::uint32_t>(mesh.materials().size()),
                .joints = static_cast<std::uint32_t>(mesh.joints().size()),
                .tangents = true};
  for (const galileo::GroupView& group : mesh.groups()) {
    info.vertices += static_cast<std::uint32_t>(group.vertex_count());
    if (group.topology != hmesh::Topology::kTriangles) {
      count_primitive(group.topology, group.indices.size(), info);
      continue;
    }
    ++info.submeshes;
    info.indices += static_cast<std::uint32_t>(group.indices.size());
  }
  info.triangles = info.indices / 3;
  describe_morphs(mesh.morphs(), info);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    info.aabb_min[axis] = mesh.box().center[axis] - mesh.box().half_extent[axis];
    info.aabb_max[axis] = mesh.box().center[axis] + mesh.box().half_extent[axis];
  }
  return info;
}

// The file, decoded if it has encoded chunks. file must outlive the result.
Result<Bytes> plain(ByteSpan file) { return runtime::plain_mesh(Bytes(nullptr, file)); }

Result<void> open_hmesh(ByteSpan file) {
  if (hmesh_v1::is_version_1(file)) return open_with<hmesh_v1::View>(file);
  ASSETC_TRY(const Bytes bytes, plain(file));
  return open_with<hmesh::View>(bytes);
}
Result<FileContent> inspect_hmesh(ByteSpan file) {
  if (hmesh_v1::is_version_1(file)) return inspect_with<hmesh_v1::View, describe_hmesh_v1>(file);
  ASSETC_TRY(const Bytes bytes, plain(file));
  ASSETC_TRY(FileContent content, (inspect_with<hmesh::View, describe_hmesh>(bytes)));
  if (!hmesh::is_encoded(file)) return content;
  MeshInfo& info = std::get<MeshInfo>(content);
  info.decoded_bytes = bytes.size();
  if (const auto grid = hmesh::grid_precision(file, runtime::inflate_frame)) {
    info.position_step = double{grid->position_step};
    info.texcoord_step = double{grid->texcoord_step};
    info.normal_bits = grid->normal_bits;
    info.tangent_bits = grid->tangent_bits;
  }
  return content;
}

Result<void> check_hmesh(ByteSpan file) {
  if (hmesh_v1::is_version_1(file)) {
    ASSETC_TRY(const hmesh_v1::View mesh, hmesh_v1::View::open(file));
    return check_meshlet_bounds(file, mesh);
  }
  ASSETC_TRY(const Bytes bytes, plain(file));
  ASSETC_TRY(const hmesh::View mesh, hmesh::View::open(bytes));
  return check_bounds(bytes, mesh);
}

}  // namespace

constinit const Reader kHmeshReader{.open = open_hmesh, .inspect = inspect_hmesh, .check = check_hmesh};
constinit const Reader kGalileoReader{.open = open_with<galileo::View>,
                                      .inspect = inspect_with<galileo::View, describe_galileo>};

}  // namespace assetc::filetypes
