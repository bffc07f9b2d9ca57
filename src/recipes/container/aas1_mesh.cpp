#include "assetc/formats/aas1_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mesh/frames.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hmesh_further.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using aas1::Semantic;
using aas1::VertexFormat;
using hmesh::FurtherFormat;

// Interleaves vertices, attribute by attribute.
class Interleaver {
 public:
  Interleaver(const mesh::Mesh& mesh, bool has_float_frames)
      : mesh_(mesh),
        has_float_frames_(has_float_frames),
        has_tangents_(mesh.has_tangents || std::ranges::any_of(mesh.primitives.items, [](const hmesh::GpuPrimitive& p) {
                        return (p.flags & hmesh::GpuPrimitive::kHasTangents) != 0;
                      })) {}

  aas1::Mesh run() {
    const std::size_t count = mesh_.positions.size();
    add(Semantic::kPosition, 0, VertexFormat::kRgb32F, [&](std::size_t v) { return &mesh_.positions[v]; });
    add_frames();
    for (std::uint32_t set = 0; set < mesh_.texcoords.size(); ++set) {
      const std::vector<scene::Vec2>& values = mesh_.texcoords[set];
      if (values.empty()) continue;
      add(Semantic::kTexcoord, set, VertexFormat::kRg32F, [&values](std::size_t v) { return &values[v]; });
    }
    for (std::uint32_t set = 0; set < mesh_.colors.size(); ++set) {
      if (!mesh_.colors[set].empty()) add_colors(set, mesh_.colors[set]);
    }
    if (!mesh_.skin.empty()) {
      add(Semantic::kJoints, 0, VertexFormat::kRgba16Uint, [&](std::size_t v) { return &mesh_.skin[v].joints; });
      add(Semantic::kWeights, 0, VertexFormat::kRgba32F, [&](std::size_t v) { return &mesh_.skin[v].weights; });
    }
    if (!mesh_.further_skin.empty()) {
      add(Semantic::kJoints, 1, VertexFormat::kRgba16Uint,
          [&](std::size_t v) { return &mesh_.further_skin[v].joints; });
      add(Semantic::kWeights, 1, VertexFormat::kRgba32F, [&](std::size_t v) { return &mesh_.further_skin[v].weights; });
    }
    aas1::Mesh mesh;
    add_custom(mesh.custom_names);
    mesh.vertex_stride_bytes = stride_bytes_;
    mesh.vertices.resize(count * stride_bytes_);
    for (const Column& column : columns_) {
      mesh.attributes.push_back(column.attribute);
      column.fill(mesh.vertices.data() + column.attribute.offset_bytes, stride_bytes_);
    }
    return mesh;
  }

 private:
  struct Column {
    aas1::VertexAttribute attribute;
    std::function<void(std::byte* first, std::size_t stride_bytes)> fill;
  };

  // value(vertex) points at as many bytes as the format has.
  template <class Value>
  void add(Semantic semantic, std::uint32_t index, VertexFormat format, const Value& value) {
    const std::size_t size = aas1::size_bytes_of(format);
    columns_.push_back(
        {{semantic, index, format, 0, stride_bytes_, 0, 0}, [this, value, size](std::byte* to, std::size_t stride) {
           for (std::size_t v = 0; v < mesh_.positions.size(); ++v, to += stride) std::memcpy(to, value(v), size);
         }});
    stride_bytes_ += static_cast<std::uint32_t>(size);
  }

  // In double, because the length of a source's normal may be anywhere in the range of a float.
  static scene::Vec3 unit(scene::Vec3 v) {
    const double x = v.x, y = v.y, z = v.z;
    const double length = std::sqrt(x * x + y * y + z * z);
    return {static_cast<float>(x / length), static_cast<float>(y / length), static_cast<float>(z / length)};
  }

  void add_frames() {
    if (has_float_frames_) {
      for (const scene::Vec3& normal : mesh_.normals) normals_.push_back(unit(normal));
      add(Semantic::kNormal, 0, VertexFormat::kRgb32F, [&](std::size_t v) { return &normals_[v]; });
      if (!has_tangents_) return;
      for (const scene::Vec4& tangent : mesh_.tangents) {
        const scene::Vec3 direction = unit({tangent.x, tangent.y, tangent.z});
        tangents_.push_back({direction.x, direction.y, direction.z, tangent.w});
      }
      add(Semantic::kTangent, 0, VertexFormat::kRgba32F, [&](std::size_t v) { return &tangents_[v]; });
      return;
    }
    frames_.resize(mesh_.positions.size());
    mesh::pack_frames(mesh_.normals, mesh_.tangents, frames_);
    add(Semantic::kNormal, 0, VertexFormat::kRg16Snorm, [&](std::size_t v) { return &frames_[v].normal; });
    if (has_tangents_)
      add(Semantic::kTangent, 0, VertexFormat::kRg16Sint, [&](std::size_t v) { return &frames_[v].tangent; });
  }

  void add_custom(std::vector<std::string>& names) {
    custom_ = custom_streams(mesh_, FurtherFormat::kRgba8Unorm);
    for (std::uint32_t i = 0; i < custom_.fills.size(); ++i) {
      const hmesh::FurtherAttributes::Item& item = custom_.attributes.items[i];
      const auto format = static_cast<VertexFormat>(item.format);
      columns_.push_back(
          {{Semantic::kCustom, i, format, 0, stride_bytes_, 0, 0},
           [this, i](std::byte* to, std::size_t stride) { custom_.fills[i](0, mesh_.positions.size(), to, stride); }});
      stride_bytes_ += static_cast<std::uint32_t>(aas1::size_bytes_of(format));
      names.push_back(item.name);
    }
  }

  // Stores colors as bytes if that is exact.
  void add_colors(std::uint32_t set, const std::vector<scene::Vec4>& values) {
    std::vector<std::array<std::uint8_t, 4>> bytes(values.size());
    const auto to_byte = [](float c, std::uint8_t& byte) {
      byte = static_cast<std::uint8_t>(std::lround(std::clamp(c, 0.0f, 1.0f) * 255));
      return static_cast<float>(byte) / 255 == c;
    };
    bool exact = true;
    for (std::size_t v = 0; v < values.size() && exact; ++v) {
      const scene::Vec4& c = values[v];
      auto& b = bytes[v];
      exact = to_byte(c.x, b[0]) && to_byte(c.y, b[1]) && to_byte(c.z, b[2]) && to_byte(c.w, b[3]);
    }
    if (exact) {
      add(Semantic::kColor, set, VertexFormat::kRgba8Unorm,
          [bytes = std::move(bytes)](std::size_t v) { return &bytes[v]; });
    } else {
      add(Semantic::kColor, set, VertexFormat::kRgba32F, [&values](std::size_t v) { return &values[v]; });
    }
  }

  const mesh::Mesh& mesh_;
  const bool has_float_frames_;
  const bool has_tangents_;
  std::vector<mesh::PackedFrame> frames_;
  std::vector<scene::Vec3> normals_;  // of unit length, as are the tangents
  std::vector<scene::Vec4> tangents_;
  FurtherStreams custom_;
  std::vector<Column> columns_;
  std::uint32_t stride_bytes_ = 0;
};

std::array<float, 3> array_of(scene::Vec3 v) { return {v.x, v.y, v.z}; }

// Sets the bounds of the triangles of a level, and the screen size down to which it is used.
void finish_level(const mesh::Mesh& mesh, std::size_t full_indices, aas1::Mesh::Level& level) {
  level.bounds_min = level.bounds_max = array_of(mesh.positions[level.indices.front()]);
  for (const std::uint32_t i : level.indices) {
    const std::array<float, 3> position = array_of(mesh.positions[i]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      level.bounds_min[axis] = std::min(level.bounds_min[axis], position[axis]);
      level.bounds_max[axis] = std::max(level.bounds_max[axis], position[axis]);
    }
  }
  const double fraction = static_cast<double>(level.indices.size()) / static_cast<double>(full_indices);
  level.screen_size = static_cast<float>(std::min(1.0, std::sqrt(fraction)));
}

// A submesh without its own indices at a level is drawn with those of the level before.
std::vector<aas1::Mesh::Level> levels_of(const mesh::Mesh& mesh) {
  std::vector<aas1::Mesh::Level> levels(1);
  levels[0].indices = mesh.indices;
  if (mesh.submeshes.empty()) {
    // The format requires a submesh. This triangle draws nothing.
    levels[0].indices = {0, 0, 0};
    levels[0].submeshes.push_back({0, 3, 0, hmesh::kNoMaterial});
  }
  for (const hmesh::SubMesh& s : mesh.submeshes)
    levels[0].submeshes.push_back({s.first_index, s.index_count, 0, s.material_slot});
  for (std::uint32_t l = 0; l < mesh.lod_count; ++l) {
    aas1::Mesh::Level level;
    const aas1::Mesh::Level& above = levels.back();
    for (std::size_t s = 0; s < mesh.submeshes.size(); ++s) {
      const hmesh::MeshLod& range = mesh.lods[s * mesh.lod_count + l];
      const aas1::SubMesh& before = above.submeshes[s];
      const std::span<const std::uint32_t> indices =
          range.index_count > 0 ? std::span(mesh.lod_indices).subspan(range.first_index, range.index_count)
                                : std::span(above.indices).subspan(before.first_index, before.index_count);
      level.submeshes.push_back({static_cast<std::uint32_t>(level.indices.size()),
                                 static_cast<std::uint32_t>(indices.size()), 0, before.material_slot});
      level.indices.insert(level.indices.end(), indices.begin(), indices.end());
    }
    levels.push_back(std::move(level));
  }
  const std::size_t full_indices = levels[0].indices.size();
  for (aas1::Mesh::Level& level : levels) finish_level(mesh, full_indices, level);
  // The bounds of full resolution are the mesh's, which contain all vertices.
  levels[0].bounds_min = std::to_array(mesh.bounds.aabb_min);
  levels[0].bounds_max = std::to_array(mesh.bounds.aabb_max);
  return levels;
}

Result<Bytes> write_mesh(CompiledMesh& in, MeshReport&) {
  const mesh::Mesh& mesh = in.mesh;
  aas1::Mesh out = Interleaver(mesh, in.has_float_frames).run();
  out.levels = levels_of(mesh);
  out.materials = in.material_uuids;
  out.skeleton = in.skeleton;
  for (const hmesh::SubMesh& s : mesh.submeshes) out.submesh_bounds.push_back(s.bounds);
  if (mesh.submeshes.empty()) out.submesh_bounds.push_back(mesh.bounds);
  out.pose_bounds = mesh.pose_bounds;
  out.names = mesh.names;
  out.morphs = hmesh_morphs(mesh);
  out.primitives = mesh.primitives;
  ASSETC_TRY(ByteVector file, aas1::write(out));
  return Bytes(std::move(file));
}

}  // namespace

constinit const MeshContainer kAas1Mesh{.suffix = "",
                                        .name = "AAS1",
                                        .keeps_channels = true,
                                        .keeps_lods = true,
                                        .keeps_materials = true,
                                        .keeps_skin = true,
                                        .keeps_morphs = true,
                                        .write = write_mesh};

}  // namespace assetc::recipes
