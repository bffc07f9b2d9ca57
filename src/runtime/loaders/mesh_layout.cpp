#include "assetc/runtime/mesh_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace assetc::runtime {
namespace {

using aas1::Semantic;

template <class T>
VertexBuffer buffer_of(std::span<const T> values) {
  return {std::as_bytes(values), sizeof(T)};
}

hmesh::MeshBounds bounds_of_box(std::span<const float, 3> low, std::span<const float, 3> high) {
  hmesh::MeshBounds out{};
  float squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    out.aabb_min[i] = low[i];
    out.aabb_max[i] = high[i];
    out.sphere_center[i] = (low[i] + high[i]) / 2;
    squares += (high[i] - low[i]) * (high[i] - low[i]);
  }
  out.sphere_radius = std::sqrt(squares) / 2;
  return out;
}

hmesh::MeshBounds bounds_of(const galileo::Box& box) {
  std::array<float, 3> low{}, high{};
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = box.center[i] - box.half_extent[i];
    high[i] = box.center[i] + box.half_extent[i];
  }
  return bounds_of_box(low, high);
}

void add_streams(VertexLayout& to, std::span<const gpu::VertexAttribute> attributes, VertexBuffer buffer) {
  const auto number = static_cast<std::uint32_t>(to.buffers.size());
  to.buffers.push_back(buffer);
  for (const gpu::VertexAttribute& a : attributes)
    to.streams.push_back({a.semantic, 0, a.format, number, a.offset_bytes, {}});
}

gpu::VertexFormat format_of(hmesh::FurtherFormat format) {
  switch (format) {
    case hmesh::FurtherFormat::kR32F:
      return gpu::VertexFormat::kR32F;
    case hmesh::FurtherFormat::kRg32F:
      return gpu::VertexFormat::kRg32F;
    case hmesh::FurtherFormat::kRgb32F:
      return gpu::VertexFormat::kRgb32F;
    case hmesh::FurtherFormat::kRgba32F:
      break;
    case hmesh::FurtherFormat::kRgba8Unorm:
      return gpu::VertexFormat::kRgba8Unorm;
    case hmesh::FurtherFormat::kRgba16Unorm:
      return gpu::VertexFormat::kRgba16Unorm;
  }
  return gpu::VertexFormat::kRgba32F;
}

// Texcoord 0 is that of all vertices. If set 0 of the source is another one, it is texcoord kTexcoordOfSet0. Custom
// attributes are numbered in order.
void add_further(VertexLayout& to, const hmesh::FurtherAttributesView& further) {
  const auto buffer = static_cast<std::uint32_t>(to.buffers.size());
  to.buffers.push_back({further.vertices(), further.stride_bytes()});
  std::uint32_t custom_count = 0;
  for (std::size_t i = 0; i < further.attributes().size(); ++i) {
    const hmesh::GpuAttribute& a = further.attributes()[i];
    VertexStream& stream = to.streams.emplace_back(VertexStream{
        static_cast<Semantic>(a.semantic), a.set, format_of(a.format), buffer, a.offset_bytes, further.name(i)});
    if (stream.semantic == Semantic::kTexcoord && a.set == 0) stream.semantic_index = kTexcoordOfSet0;
    if (stream.semantic == Semantic::kCustom) stream.semantic_index = custom_count++;
  }
}

// Points and lines of vertices[0].
void add_primitives(const std::optional<hmesh::PrimitivesView>& primitives, MeshLayout& to) {
  if (!primitives) return;
  const auto number = static_cast<std::uint32_t>(to.indices.size());
  to.indices.push_back({std::as_bytes(primitives->indices()), 4});
  for (const hmesh::GpuPrimitive& p : primitives->items()) {
    to.primitives.push_back({.indices = number,
                             .first_index = p.first_index,
                             .index_count = p.index_count,
                             .material_slot = p.material_slot,
                             .bounds = p.bounds,
                             .topology = p.topology});
  }
}

template <class View>
void add_meshlets(MeshLayout& to, const View& view) {
  to.meshlets = view.meshlets();
  to.meshlet_vertices = view.meshlet_vertices();
  to.meshlet_triangles = view.meshlet_triangles();
  to.meshlet_bounds = view.meshlet_bounds();
}

MeshLayout layout(const hmesh::View& view) {
  MeshLayout out;
  VertexLayout& vertices = out.vertices.emplace_back();
  vertices.vertex_count = view.desc().vertex_count;
  add_streams(vertices, gpu::kHmeshVertices, buffer_of(view.vertices()));
  if (view.is_skinned()) add_streams(vertices, gpu::kHmeshSkin, buffer_of(view.skin()));
  if (!view.further_skin().empty()) {
    add_streams(vertices, gpu::kHmeshSkin, buffer_of(view.further_skin()));
    for (VertexStream& stream : std::span(vertices.streams).last(gpu::kHmeshSkin.size())) stream.semantic_index = 1;
  }
  if (view.further_attributes()) add_further(vertices, *view.further_attributes());
  out.indices = {{view.index_bytes(), view.desc().index_width_bytes}};
  if (view.lod_count() > 0) out.indices.push_back({std::as_bytes(view.lod_indices()), 4});
  out.levels.resize(view.lod_count() + 1);
  for (std::size_t i = 0; i < view.submeshes().size(); ++i) {
    const hmesh::SubMesh& submesh = view.submeshes()[i];
    MeshDraw draw{.first_index = submesh.first_index,
                  .index_count = submesh.index_count,
                  .material_slot = submesh.material_slot,
                  .first_meshlet = submesh.first_meshlet,
                  .meshlet_count = submesh.meshlet_count,
                  .bounds = submesh.bounds};
    if (draw.index_count > 0) out.levels[0].draws.push_back(draw);
    draw.first_meshlet = draw.meshlet_count = 0;
    for (std::uint32_t l = 0; l < view.lod_count(); ++l) {
      const hmesh::MeshLod& lod = view.lod(i, l);
      if (lod.index_count > 0) {  // otherwise simplification stalled, and the level before it is used
        draw.indices = 1;
        draw.first_index = lod.first_index;
        draw.index_count = lod.index_count;
      }
      if (draw.index_count > 0) out.levels[l + 1].draws.push_back(draw);
    }
  }
  add_primitives(view.primitives(), out);
  out.bounds = view.bounds();
  out.has_tangents = view.has_tangents();
  add_meshlets(out, view);
  out.joints = view.joints();
  out.pose_bounds = view.pose_bounds();
  out.morphs = view.morphs() ? &*view.morphs() : nullptr;
  return out;
}

MeshLayout layout(const hmesh_v1::View& view) {
  MeshLayout out;
  VertexLayout& vertices = out.vertices.emplace_back();
  vertices.vertex_count = static_cast<std::uint32_t>(view.vertices().size());
  add_streams(vertices, gpu::kHmeshV1Vertices, buffer_of(view.vertices()));
  // Only the first two of four components are used, so that they are read like those of version 2.
  for (VertexStream& stream : vertices.streams) {
    if (stream.semantic == Semantic::kNormal) stream.format = gpu::VertexFormat::kRg16Snorm;
    if (stream.semantic == Semantic::kTangent) stream.format = gpu::VertexFormat::kRg16Sint;
  }
  out.indices = {{view.index_bytes(), view.index_width_bytes()}};
  out.bounds = view.bounds();
  out.levels.resize(1);
  out.levels[0].draws = {{.index_count = static_cast<std::uint32_t>(view.index_count()),
                          .material_slot = view.material_count() == 1 ? 0 : hmesh::kNoMaterial,
                          .meshlet_count = static_cast<std::uint32_t>(view.meshlets().size()),
                          .bounds = view.bounds()}};
  // In meshes without tangents, they are zero.
  out.has_tangents = std::ranges::any_of(view.vertices(), [](const hmesh_v1::GpuVertex& vertex) {
    return vertex.tangent[0] != 0 || vertex.tangent[1] != 0;
  });
  add_meshlets(out, view);
  return out;
}

VertexLayout layout(const galileo::GroupView& group) {
  VertexLayout out;
  out.vertex_count = static_cast<std::uint32_t>(group.vertex_count());
  const auto add = [&]<class T>(Semantic semantic, std::uint32_t index, gpu::VertexFormat format,
                                std::span<const T> values) {
    if (values.empty()) return;
    out.streams.push_back({semantic, index, format, static_cast<std::uint32_t>(out.buffers.size()), 0, {}});
    out.buffers.push_back(buffer_of(values));
  };
  const auto format_of = [](Semantic semantic) {
    return std::ranges::find(gpu::kGalileoStreams, semantic, &gpu::VertexAttribute::semantic)->format;
  };
  const auto add_all = [&]<class T>(Semantic semantic, const std::vector<std::span<const T>>& channels) {
    for (std::uint32_t i = 0; i < channels.size(); ++i) add(semantic, i, format_of(semantic), channels[i]);
  };
  add(Semantic::kPosition, 0, format_of(Semantic::kPosition), group.positions);
  add(Semantic::kNormal, 0, format_of(Semantic::kNormal), group.normals);
  add(Semantic::kTangent, 0, format_of(Semantic::kTangent), group.tangents);
  for (std::uint32_t i = 0; i < group.texcoords.size(); ++i) {
    if (const auto exact = group.exact_texcoords(i)) {
      add(Semantic::kTexcoord, i, gpu::VertexFormat::kRg32F, *exact);
    } else {
      add(Semantic::kTexcoord, i, format_of(Semantic::kTexcoord), group.texcoords[i]);
    }
  }
  add_all(Semantic::kColor, group.colors);
  add_all(Semantic::kJoints, group.joints);
  add_all(Semantic::kWeights, group.weights);
  return out;
}

MeshLayout layout(const galileo::View& view) {
  MeshLayout out;
  out.levels.resize(1);
  for (const galileo::GroupView& group : view.groups()) {
    const auto number = static_cast<std::uint32_t>(out.vertices.size());
    out.vertices.push_back(layout(group));
    out.indices.push_back({std::as_bytes(group.indices), 4});
    const bool is_of_triangles = group.topology == hmesh::Topology::kTriangles;
    out.has_tangents = out.has_tangents || (is_of_triangles && !group.tangents.empty());
    if (group.indices.empty()) continue;
    (is_of_triangles ? out.levels[0].draws : out.primitives)
        .push_back({.vertices = number,
                    .indices = number,
                    .index_count = static_cast<std::uint32_t>(group.indices.size()),
                    .material_slot = group.material_slot,
                    .bounds = bounds_of(group.box),
                    .topology = group.topology});
  }
  if (out.vertices.empty()) out.vertices.emplace_back();
  out.bounds = bounds_of(view.box());
  out.joints = view.joints();
  out.morphs = view.morphs() ? &*view.morphs() : nullptr;
  return out;
}

MeshLayout layout(const aas1::MeshView& view) {
  MeshLayout out;
  const aas1::MeshDesc& desc = view.desc();
  std::vector<VertexStream> streams;
  for (const aas1::VertexAttribute& a : view.attributes()) {
    const std::string_view name = a.semantic == Semantic::kCustom ? view.custom_name(a.semantic_index) : "";
    streams.push_back({a.semantic, a.semantic_index, gpu::vertex_format(a.format), 0, a.offset_bytes, name});
  }
  out.bounds = bounds_of_box(desc.bounds_min, desc.bounds_max);
  out.has_tangents = view.find(Semantic::kTangent) != nullptr;
  out.pose_bounds = view.pose_bounds();
  out.morphs = view.morphs() ? &*view.morphs() : nullptr;
  for (const aas1::LevelView& level : view.levels()) {
    // Levels may share vertices.
    const auto same = std::ranges::find_if(out.vertices, [&](const VertexLayout& other) {
      return other.buffers[0].bytes.data() == level.vertices.data() && other.vertex_count == level.vertex_count;
    });
    const auto vertices = static_cast<std::uint32_t>(same - out.vertices.begin());
    if (same == out.vertices.end())
      out.vertices.push_back({level.vertex_count, {{level.vertices, desc.vertex_stride_bytes}}, streams});
    const auto indices = static_cast<std::uint32_t>(out.indices.size());
    out.indices.push_back({level.indices, desc.index_type == 0 ? 2u : 4u});
    MeshLevel& to = out.levels.emplace_back();
    for (std::size_t i = 0; i < level.submeshes.size(); ++i) {
      const aas1::SubMesh& submesh = level.submeshes[i];
      if (submesh.index_count == 0 || !view.has_triangles()) continue;
      to.draws.push_back({.vertices = vertices,
                          .indices = indices,
                          .first_index = submesh.first_index,
                          .index_count = submesh.index_count,
                          .base_vertex = submesh.base_vertex,
                          .material_slot = submesh.material_slot,
                          .bounds = i < view.submesh_bounds().size() ? view.submesh_bounds()[i] : out.bounds});
    }
  }
  add_primitives(view.primitives(), out);
  return out;
}

}  // namespace

const VertexStream* VertexLayout::find(Semantic semantic, std::uint32_t index) const {
  const auto found = std::ranges::find_if(streams, [&](const VertexStream& stream) {
    return stream.semantic == semantic && stream.semantic_index == index;
  });
  return found == streams.end() ? nullptr : &*found;
}

MeshLayout layout_of(const MeshData& mesh) {
  return std::visit([](const auto& view) { return layout(view); }, mesh.view);
}

std::uint32_t joint_count_of(const MeshLayout& layout) {
  std::uint32_t count = 0;
  for (const VertexLayout& vertices : layout.vertices) {
    for (const VertexStream& stream : vertices.streams) {
      if (stream.semantic != Semantic::kJoints || stream.format != gpu::VertexFormat::kRgba16Uint) continue;
      const VertexBuffer& buffer = vertices.buffers[stream.buffer];
      for (std::size_t i = 0; i < vertices.vertex_count; ++i) {
        const auto joints =
            load<std::array<std::uint16_t, 4>>(buffer.bytes, i * buffer.stride_bytes + stream.offset_bytes);
        count = std::max(count, *std::ranges::max_element(joints) + 1u);
      }
    }
  }
  return count;
}

}  // namespace assetc::runtime
