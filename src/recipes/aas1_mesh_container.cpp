#include <algorithm>
#include <cmath>
#include <cstring>

#include "assetc/formats/aas1_mesh.hpp"
#include "recipes/containers.hpp"
#include "recipes/model.hpp"

namespace assetc::recipes {
namespace {

using aas1::Semantic;
using aas1::VertexFormat;

// Interleaves vertices, attribute by attribute.
class Interleaver {
 public:
  explicit Interleaver(const CompiledModel& in) : in_(in), model_(in.built.model) {}

  aas1::Mesh run() {
    const std::size_t count = model_.vertices.size();
    add(Semantic::kPosition, 0, VertexFormat::kRgb32F, [&](std::size_t v) { return model_.vertices[v].position; });
    add(Semantic::kNormal, 0, VertexFormat::kRg16Snorm, [&](std::size_t v) { return model_.vertices[v].normal; });
    if (model_.has_tangents)
      add(Semantic::kTangent, 0, VertexFormat::kRg16Sint, [&](std::size_t v) { return model_.vertices[v].tangent; });
    source_attributes();
    if (!model_.skin.empty()) {
      add(Semantic::kJoints, 0, VertexFormat::kRgba16Uint, [&](std::size_t v) { return model_.skin[v].joints; });
      add(Semantic::kWeights, 0, VertexFormat::kRgba32F, [&](std::size_t v) { return model_.skin[v].weights; });
    }
    aas1::Mesh mesh;
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
           for (std::size_t v = 0; v < model_.vertices.size(); ++v, to += stride) std::memcpy(to, value(v), size);
         }});
    stride_bytes_ += static_cast<std::uint32_t>(size);
  }

  // Values of the source's own vertices; zeros (colors: ones) where a primitive lacks the set. Adds nothing where all
  // do.
  template <class T, class SetsOf, class Add>
  void gather(SetsOf sets_of, T absent, const Add& add_set) {
    std::size_t sets = 0;
    for (const FlatSubmesh& flat : in_.flat) sets = std::max(sets, sets_of(*flat.primitive).size());
    for (std::size_t set = 0; set < sets; ++set) {
      std::vector<T> values(model_.vertices.size(), absent);
      bool some = false;
      for (std::size_t s = 0; s < in_.flat.size(); ++s) {
        const auto& all = sets_of(*in_.flat[s].primitive);
        if (set >= all.size() || all[set].empty()) continue;
        some = true;
        for (std::uint32_t v = in_.built.vertex_begin[s]; v < in_.built.vertex_begin[s + 1]; ++v)
          values[v] = all[set][in_.built.source_vertices[v]];
      }
      if (some) add_set(static_cast<std::uint32_t>(set), std::move(values));
    }
  }

  void source_attributes() {
    gather<scene::Vec2>([](const scene::Primitive& p) -> const auto& { return p.texcoords; }, {},
                        [&](std::uint32_t set, std::vector<scene::Vec2> values) {
                          add(Semantic::kTexcoord, set, VertexFormat::kRg32F,
                              [values = std::move(values)](std::size_t v) { return &values[v]; });
                        });
    gather<scene::Vec4>([](const scene::Primitive& p) -> const auto& { return p.colors; }, {1, 1, 1, 1},
                        [&](std::uint32_t set, std::vector<scene::Vec4> values) { colors(set, std::move(values)); });
  }

  // In bytes where that is exact.
  void colors(std::uint32_t set, std::vector<scene::Vec4> values) {
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
      add(Semantic::kColor, set, VertexFormat::kRgba32F,
          [values = std::move(values)](std::size_t v) { return &values[v]; });
    }
  }

  const CompiledModel& in_;
  const hmesh::Model& model_;
  std::vector<Column> columns_;
  std::uint32_t stride_bytes_ = 0;
};

// The box of what a level draws, and how small it may be on the screen.
void finish_level(const hmesh::Model& model, std::size_t full_indices, aas1::Mesh::Level& level) {
  std::ranges::copy(model.vertices[level.indices.front()].position, level.bounds_min.begin());
  level.bounds_max = level.bounds_min;
  for (const std::uint32_t i : level.indices) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      level.bounds_min[axis] = std::min(level.bounds_min[axis], model.vertices[i].position[axis]);
      level.bounds_max[axis] = std::max(level.bounds_max[axis], model.vertices[i].position[axis]);
    }
  }
  const double fraction = static_cast<double>(level.indices.size()) / static_cast<double>(full_indices);
  level.screen_size = static_cast<float>(std::min(1.0, std::sqrt(fraction)));
}

// A submesh that stalls at a level is drawn as in the one before.
std::vector<aas1::Mesh::Level> levels_of(const hmesh::Model& model) {
  std::vector<aas1::Mesh::Level> levels(1);
  levels[0].indices = model.indices;
  for (const hmesh::SubMesh& s : model.submeshes)
    levels[0].submeshes.push_back({s.first_index, s.index_count, 0, s.material_slot});
  for (std::uint32_t l = 0; l < model.lod_count; ++l) {
    aas1::Mesh::Level level;
    const aas1::Mesh::Level& above = levels.back();
    for (std::size_t s = 0; s < model.submeshes.size(); ++s) {
      const hmesh::MeshLod& lod = model.lods[s * model.lod_count + l];
      const aas1::SubMesh& before = above.submeshes[s];
      const std::span<const std::uint32_t> indices =
          lod.index_count > 0 ? std::span(model.lod_indices).subspan(lod.first_index, lod.index_count)
                              : std::span(above.indices).subspan(before.first_index, before.index_count);
      level.submeshes.push_back({static_cast<std::uint32_t>(level.indices.size()),
                                 static_cast<std::uint32_t>(indices.size()), 0, before.material_slot});
      level.indices.insert(level.indices.end(), indices.begin(), indices.end());
    }
    levels.push_back(std::move(level));
  }
  for (aas1::Mesh::Level& level : levels) finish_level(model, model.indices.size(), level);
  // Of the mesh: all vertices.
  std::ranges::copy(model.bounds.aabb_min, levels[0].bounds_min.begin());
  std::ranges::copy(model.bounds.aabb_max, levels[0].bounds_max.begin());
  return levels;
}

Result<Bytes> write_mesh(CompiledModel& in, MeshReport&) {
  const hmesh::Model& model = in.built.model;
  aas1::Mesh mesh = Interleaver(in).run();
  mesh.levels = levels_of(model);
  mesh.materials = in.material_uuids;
  mesh.skeleton = in.skeleton;
  for (const hmesh::SubMesh& s : model.submeshes) mesh.submesh_bounds.push_back(s.bounds);
  mesh.pose_bounds = model.pose_bounds;
  mesh.names = model.names;
  ASSETC_TRY(ByteVector file, aas1::write(mesh));
  return Bytes(std::move(file));
}

}  // namespace

constinit const MeshContainer kAas1Mesh{.suffix = "",
                                        .name = "AAS1",
                                        .keeps_channels = true,
                                        .keeps_lods = true,
                                        .keeps_materials = true,
                                        .keeps_skin = true,
                                        .write = write_mesh,
                                        .carry = nullptr};

}  // namespace assetc::recipes
