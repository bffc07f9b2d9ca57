// Points and lines of built meshes.
#include <gmock/gmock.h>

#include <limits>

#include "mesh/built.hpp"

namespace assetc::mesh {
namespace {

using scene::Topology;
using scene::Vec3;
using ::testing::ElementsAre;
using ::testing::SizeIs;

SubmeshInput input(const std::vector<Vec3>& positions, const std::vector<std::uint32_t>& indices, Topology topology) {
  SubmeshInput in;
  in.place = "/meshes/0/primitives/1";
  in.topology = topology;
  in.indices = indices;
  in.positions = positions;
  return in;
}

const std::vector<Vec3> kCorners{{0, 0, 0}, {4, 0, 0}, {0, 0, 0}, {0, 5, 0}, {9, 9, 9}};

TEST(Primitives, follow_the_vertices_of_triangles_and_are_not_merged) {
  const Shape triangle = one_triangle();
  const std::vector<std::uint32_t> lines{3, 0, 0, 2}, points{2, 2};
  const BuiltMesh built =
      build({input(kCorners, lines, Topology::kLines), input_of(triangle), input(kCorners, points, Topology::kPoints)});
  const Mesh& m = built.mesh;
  ASSERT_THAT(m.submeshes, SizeIs(1));
  ASSERT_THAT(m.primitives.items, SizeIs(2));
  EXPECT_EQ(m.submesh_vertices[0].vertex_count, 3u);
  EXPECT_THAT(m.positions, SizeIs(3 + 3 + 1)) << "vertices 0 and 2 are equal and stay apart; vertex 4 is not used";
  EXPECT_THAT(m.primitives.indices, ElementsAre(3, 4, 4, 5, 6, 6));
  EXPECT_EQ(m.positions[3], kCorners[3]);
  EXPECT_EQ(m.primitives.items[0].submeshes_before, 0u);
  EXPECT_EQ(m.primitives.items[1].submeshes_before, 1u);
  EXPECT_EQ(m.primitive_vertices[1].first_vertex, 6u);
  EXPECT_EQ(box_of(m.primitives.items[0].bounds), (Box{{0, 0, 0}, {0, 5, 0}}));
  EXPECT_EQ(box_of(m.bounds).high, (Vec3{1, 5, 0}));
  for (std::size_t v = 3; v < 7; ++v) EXPECT_EQ(m.normals[v], (Vec3{0, 0, 1}));
  EXPECT_EQ(m.primitives.items[0].flags, 0u) << "no normals, tangents or texture coordinates";
  EXPECT_EQ(m.tangents.size(), m.positions.size());
}

TEST(Primitives, do_not_change_the_triangles) {
  const Shape grid = wavy_grid(40, 30);
  const std::vector<std::uint32_t> points{0, 1, 2, 3, 4};
  const Mesh without = build(grid).mesh,
             with = build({input_of(grid), input(kCorners, points, Topology::kPoints)}).mesh;
  EXPECT_EQ(with.indices, without.indices);
  EXPECT_EQ(with.lods, without.lods);
  EXPECT_EQ(with.lod_indices, without.lod_indices);
  EXPECT_EQ(with.meshlets, without.meshlets);
  EXPECT_EQ(with.submeshes, without.submeshes);
  EXPECT_TRUE(std::equal(without.positions.begin(), without.positions.end(), with.positions.begin()));
  EXPECT_TRUE(std::equal(without.tangents.begin(), without.tangents.end(), with.tangents.begin()));
}

TEST(Primitives, may_be_alone_and_keep_their_attributes) {
  const std::vector<Vec3> normals{{0, 2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 1}};
  const std::vector<scene::Vec2> uv(5, {0.5f, std::numeric_limits<float>::infinity()});
  const std::vector<std::uint32_t> points{1, 0};
  SubmeshInput in = input(kCorners, points, Topology::kPoints);
  in.normals = normals;
  in.texcoords = uv;
  in.name = "dots";
  const BuiltMesh built = build({in});
  const Mesh& m = built.mesh;
  EXPECT_THAT(m.submeshes, SizeIs(0));
  EXPECT_THAT(m.meshlets, SizeIs(0));
  EXPECT_THAT(m.normals, ElementsAre(Vec3{0, 0, 1}, Vec3{0, 2, 0}));
  EXPECT_THAT(m.texcoords.at(0), ElementsAre(scene::Vec2{}, scene::Vec2{}));
  EXPECT_EQ(m.primitives.items[0].flags, hmesh::GpuPrimitive::kHasNormals | hmesh::GpuPrimitive::kHasTexcoords);
  EXPECT_THAT(m.primitives.names, ElementsAre("dots"));
  EXPECT_THAT(m.names.submeshes, SizeIs(0));
  ASSERT_THAT(built.repairs, SizeIs(2));
  EXPECT_EQ(built.repairs[0].what, "1 normal is not finite or without length; replaced by (0, 0, 1)");
  EXPECT_EQ(built.repairs[1].what, "5 texture coordinates are not finite; replaced them with (0, 0)");
}

TEST(Primitives, are_checked_like_triangles) {
  const auto error = [](const std::vector<std::uint32_t>& indices, Topology topology) {
    const std::vector inputs{input(kCorners, indices, topology)};
    const auto built = build_mesh(inputs);
    return built ? "no error" : built.error().to_string();
  };
  EXPECT_EQ(error({}, Topology::kPoints),
            "/meshes/0/primitives/1: has no points, expected at least one; remove the empty primitive");
  EXPECT_EQ(error({0, 1, 2}, Topology::kLines), "/meshes/0/primitives/1: has 3 indices, expected two a line");
  EXPECT_EQ(error({0, 5}, Topology::kLines), "/meshes/0/primitives/1: index 1 is 5, expected less than the 5 vertices");
}

}  // namespace
}  // namespace assetc::mesh
