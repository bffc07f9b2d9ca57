#include "assetc/runtime/mesh_layout.hpp"

#include <gmock/gmock.h>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "runtime/parts.hpp"

namespace assetc::runtime {
namespace {

using aas1::Semantic;
using testing::FloatNear;
using testing::SizeIs;

// An attribute of a vertex as a device reads it.
std::vector<float> read(const VertexLayout& vertices, const VertexStream& stream, std::size_t vertex) {
  const VertexBuffer& buffer = vertices.buffers[stream.buffer];
  const ByteSpan bytes = buffer.bytes.subspan(vertex * buffer.stride_bytes + stream.offset_bytes);
  const auto floats = [&](std::size_t count) {
    std::vector<float> out;
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) out.push_back(load<float>(bytes, i * sizeof(float)));
    return out;
  };
  switch (stream.format) {
    case gpu::VertexFormat::kRg32F:
      return floats(2);
    case gpu::VertexFormat::kRgb32F:
      return floats(3);
    case gpu::VertexFormat::kRgba32F:
      return floats(4);
    case gpu::VertexFormat::kRg16Unorm:
      return {static_cast<float>(load<std::uint16_t>(bytes, 0)) / 65535,
              static_cast<float>(load<std::uint16_t>(bytes, 2)) / 65535};
    case gpu::VertexFormat::kRg16Snorm:
      return {static_cast<float>(load<std::int16_t>(bytes, 0)) / 32767,
              static_cast<float>(load<std::int16_t>(bytes, 2)) / 32767};
    default:
      return {};
  }
}

std::uint32_t index_of(const IndexBuffer& indices, std::size_t i) {
  return indices.width_bytes == 2 ? load<std::uint16_t>(indices.bytes, i * 2)
                                  : load<std::uint32_t>(indices.bytes, i * 4);
}

// The corners of a level: positions and texture coordinates.
std::vector<std::vector<float>> corners_of(const MeshLayout& layout, std::size_t level) {
  std::vector<std::vector<float>> out;
  for (const MeshDraw& draw : layout.levels[level].draws) {
    const VertexLayout& vertices = layout.vertices[draw.vertices];
    for (std::uint32_t i = 0; i < draw.index_count; ++i) {
      const std::uint32_t vertex =
          index_of(layout.indices[draw.indices], draw.first_index + i) + static_cast<std::uint32_t>(draw.base_vertex);
      EXPECT_LT(vertex, vertices.vertex_count);
      std::vector<float> corner = read(vertices, *vertices.find(Semantic::kPosition), vertex);
      if (const VertexStream* uv = vertices.find(Semantic::kTexcoord)) {
        for (const float value : read(vertices, *uv, vertex)) corner.push_back(value);
      }
      out.push_back(std::move(corner));
    }
  }
  return out;
}

hmesh::Model textured_grid(std::uint32_t side) {
  hmesh::Model model = grid(side);
  for (hmesh::GpuVertex& vertex : model.vertices) {
    vertex.uv[0] = vertex.position[0] / static_cast<float>(side);
    vertex.uv[1] = vertex.position[1] / static_cast<float>(side);
  }
  return model;
}

template <class View>
MeshData opened(ByteVector bytes) {
  Bytes held(std::move(bytes));
  View view = View::open(held).value();
  return {held, std::move(view), {}};
}

ByteVector aas1_of_textured(const hmesh::Model& from) {
  aas1::Mesh mesh;
  mesh.vertex_stride_bytes = 20;
  mesh.attributes = {{Semantic::kPosition, 0, aas1::VertexFormat::kRgb32F, 0, 0, 0, 0},
                     {Semantic::kTexcoord, 0, aas1::VertexFormat::kRg32F, 0, 12, 0, 0}};
  for (const hmesh::GpuVertex& vertex : from.vertices) {
    append_bytes(mesh.vertices, object_bytes(vertex.position));
    append_bytes(mesh.vertices, object_bytes(vertex.uv));
  }
  const auto add = [&](std::vector<std::uint32_t> indices) {
    const auto count = static_cast<std::uint32_t>(indices.size());
    mesh.levels.push_back({std::move(indices), {{0, count, 0, 7}}, 1, {}, {}});
    std::ranges::copy(from.bounds.aabb_max, mesh.levels.back().bounds_max.begin());
  };
  add(from.indices);
  for (const hmesh::MeshLod& lod : from.lods) {
    const auto begin = from.lod_indices.begin() + lod.first_index;
    add({begin, begin + lod.index_count});
  }
  return aas1::write(mesh).value();
}

TEST(MeshLayouts, all_containers_draw_the_same_corners) {
  const hmesh::Model model = textured_grid(16);
  const MeshData second = opened<hmesh::View>(hmesh::write(model).value());
  const MeshData first = opened<hmesh_v1::View>(hmesh_v1::write(hmesh_v1::from_hmesh(model, {})).value());
  const MeshData group = opened<galileo::View>(galileo::write(galileo::from_hmesh(model, uuid(1))).value());
  const MeshData blob = opened<aas1::MeshView>(aas1_of_textured(model));
  const std::vector<std::vector<float>> wanted = corners_of(layout_of(second), 0);
  ASSERT_THAT(wanted, SizeIs(16 * 16 * 3));
  for (const MeshData* other : {&first, &group, &blob}) {
    const std::vector<std::vector<float>> found = corners_of(layout_of(*other), 0);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(found[i].size(), wanted[i].size());
      for (std::size_t c = 0; c < wanted[i].size(); ++c) EXPECT_THAT(found[i][c], FloatNear(wanted[i][c], 1e-5f)) << i;
    }
  }
}

TEST(MeshLayouts, levels_of_detail_are_the_same_of_hmesh_and_blobs) {
  const hmesh::Model model = textured_grid(16);
  const MeshData second = opened<hmesh::View>(hmesh::write(model).value());
  const MeshData blob = opened<aas1::MeshView>(aas1_of_textured(model));
  const MeshLayout a = layout_of(second), b = layout_of(blob);
  ASSERT_EQ(a.levels.size(), 3u);
  ASSERT_EQ(b.levels.size(), 3u);
  for (std::size_t level = 0; level < 3; ++level) EXPECT_EQ(corners_of(a, level), corners_of(b, level));
  EXPECT_THAT(b.vertices, SizeIs(1)) << "all levels share them";
  EXPECT_EQ(b.levels[2].draws[0].material_slot, 7u);
  EXPECT_FLOAT_EQ(b.bounds.sphere_center[0], 8);
}

TEST(MeshLayouts, points_and_lines_are_draws_of_every_level) {
  hmesh::Model model = textured_grid(4);
  using hmesh::GpuPrimitive, hmesh::Topology;
  model.primitives.indices = {3, 1, 2};
  model.primitives.items = {{Topology::kLines, 0, 0, 2, hmesh::kNoMaterial, 0, hmesh::kNoNode, 0, model.bounds},
                            {Topology::kPoints, 0, 2, 1, hmesh::kNoMaterial, 1, hmesh::kNoNode, 0, model.bounds}};
  const MeshData mesh = opened<hmesh::View>(hmesh::write(model).value());
  const MeshLayout layout = layout_of(mesh);
  ASSERT_THAT(layout.primitives, SizeIs(2));
  EXPECT_EQ(layout.primitives[0].topology, Topology::kLines);
  EXPECT_EQ(&gpu::topology(layout.primitives[1].topology), &gpu::kPoints);
  const IndexBuffer& indices = layout.indices[layout.primitives[1].indices];
  EXPECT_EQ(index_of(indices, layout.primitives[1].first_index), 2u);
  for (const MeshDraw& draw : layout.levels[0].draws) EXPECT_EQ(draw.topology, Topology::kTriangles);

  galileo::Model group = galileo::from_hmesh(model, uuid(1));
  group.groups.push_back(group.groups[0]);
  group.groups[1].topology = Topology::kPoints;
  group.groups[1].indices = {1, 0};
  const MeshData groups = opened<galileo::View>(galileo::write(group).value());
  const MeshLayout of_groups = layout_of(groups);
  EXPECT_THAT(of_groups.levels[0].draws, SizeIs(1));
  ASSERT_THAT(of_groups.primitives, SizeIs(1));
  EXPECT_EQ(of_groups.primitives[0].vertices, 1u);
  EXPECT_EQ(index_of(of_groups.indices[of_groups.primitives[0].indices], 0), 1u);

  // A blob needs a submesh. That of a mesh of points alone draws nothing.
  aas1::Mesh blob;
  blob.vertex_stride_bytes = 12;
  blob.attributes = {{Semantic::kPosition, 0, aas1::VertexFormat::kRgb32F, 0, 0, 0, 0}};
  blob.vertices.resize(36);
  blob.levels.push_back({{0, 0, 0}, {{0, 3, 0, aas1::kNoMaterial}}, 1, {}, {}});
  blob.primitives.indices = {2};
  blob.primitives.items = {{Topology::kPoints, 0, 0, 1, hmesh::kNoMaterial, 0, hmesh::kNoNode, 0, {}}};
  const MeshData points = opened<aas1::MeshView>(aas1::write(blob).value());
  const MeshLayout of_points = layout_of(points);
  EXPECT_THAT(of_points.levels[0].draws, SizeIs(0));
  EXPECT_THAT(of_points.primitives, SizeIs(1));
}

TEST(MeshLayouts, a_level_that_stalled_draws_the_level_before) {
  hmesh::Model model = textured_grid(16);
  model.lods[1].index_count = 0;
  model.lods[1].first_index = 0;
  model.lod_indices.resize(model.lods[0].index_count);
  const MeshData mesh = opened<hmesh::View>(hmesh::write(model).value());
  const MeshLayout layout = layout_of(mesh);
  ASSERT_EQ(layout.levels.size(), 3u);
  EXPECT_EQ(corners_of(layout, 2), corners_of(layout, 1));
}

TEST(MeshLayouts, version_1_has_the_streams_of_version_2) {
  const hmesh::Model model = textured_grid(4);
  const MeshLayout first = layout_of(opened<hmesh_v1::View>(hmesh_v1::write(hmesh_v1::from_hmesh(model, {})).value()));
  const MeshLayout second = layout_of(opened<hmesh::View>(hmesh::write(model).value()));
  ASSERT_EQ(first.vertices[0].streams.size(), second.vertices[0].streams.size());
  for (std::size_t i = 0; i < first.vertices[0].streams.size(); ++i) {
    EXPECT_EQ(first.vertices[0].streams[i].semantic, second.vertices[0].streams[i].semantic);
    EXPECT_EQ(first.vertices[0].streams[i].format, second.vertices[0].streams[i].format);
  }
  EXPECT_EQ(first.vertices[0].buffers[0].stride_bytes, 36u);
  EXPECT_EQ(first.levels[0].draws[0].material_slot, hmesh::kNoMaterial);
  EXPECT_FALSE(first.has_tangents);
}

TEST(MeshLayouts, the_fallback_has_one_too) {
  const MeshData cube = mesh_loader().fallback(AssetType::kMesh);
  const MeshLayout layout = layout_of(cube);
  EXPECT_THAT(corners_of(layout, 0), SizeIs(36));
  EXPECT_FLOAT_EQ(layout.bounds.aabb_max[2], 0.5f);
  EXPECT_EQ(layout.vertices[0].find(Semantic::kJoints), nullptr);
}

}  // namespace
}  // namespace assetc::runtime
