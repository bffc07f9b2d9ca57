#include "mesh/build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "mesh/built.hpp"
#include "mesh/frames.hpp"
#include "mesh/valid.hpp"
#include "parallel/parallel.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;
using testing::HasSubstr;

// The three positions of a triangle, rotated so that the least is first: equal for equal triangles with equal winding.
using Places = std::array<std::array<float, 3>, 3>;
Places rotated(Places p) {
  std::rotate(p.begin(), std::min_element(p.begin(), p.end()), p.end());
  return p;
}
std::array<float, 3> place_of(Vec3 p) { return {p.x, p.y, p.z}; }
std::multiset<Places> triangles_of(const Mesh& m, std::span<const std::uint32_t> indices) {
  std::multiset<Places> result;
  const auto at = [&](std::uint32_t v) { return place_of(m.positions[v]); };
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    result.insert(rotated({at(indices[i]), at(indices[i + 1]), at(indices[i + 2])}));
  }
  return result;
}
std::multiset<Places> triangles_of(const Shape& s) {
  std::multiset<Places> result;
  const auto at = [&](std::uint32_t v) { return place_of(s.positions[v]); };
  for (std::size_t i = 0; i < s.indices.size(); i += 3) {
    result.insert(rotated({at(s.indices[i]), at(s.indices[i + 1]), at(s.indices[i + 2])}));
  }
  return result;
}
std::vector<std::uint32_t> meshlet_indices(const Mesh& m) {
  std::vector<std::uint32_t> result;
  for (const hmesh::Meshlet& meshlet : m.meshlets) {
    for (std::uint32_t t = 0; t < meshlet.triangle_count; ++t) {
      for (std::uint8_t corner : m.meshlet_triangles[meshlet.triangle_offset + t].corners) {
        EXPECT_LT(corner, meshlet.vertex_count);
        result.push_back(m.meshlet_vertices[meshlet.vertex_offset + corner]);
      }
    }
  }
  return result;
}

TEST(BuildMesh, keeps_every_triangle_and_its_winding) {
  const Shape s = sphere(60, 40);
  const BuiltMesh built = build(s);
  EXPECT_EQ(triangles_of(built.mesh, built.mesh.indices), triangles_of(s));
  expect_valid(built.mesh);
}

TEST(BuildMesh, cuts_into_meshlets_that_cover_every_triangle_once) {
  const Shape s = wavy_grid(120, 90);
  MeshOptions options;
  for (const auto& [vertices, triangles] : {std::pair{64u, 124u}, {3u, 1u}, {32u, 255u}, {255u, 40u}}) {
    options.meshlets.max_vertices = vertices;
    options.meshlets.max_triangles = triangles;
    const Mesh m = build(s, options).mesh;
    EXPECT_EQ(triangles_of(m, meshlet_indices(m)), triangles_of(s));
    for (const hmesh::Meshlet& meshlet : m.meshlets) {
      EXPECT_LE(meshlet.vertex_count, vertices);
      EXPECT_LE(meshlet.triangle_count, triangles);
    }
  }
}

TEST(BuildMesh, fills_meshlets_of_a_mesh_of_many_pieces_with_neighbors) {
  // 4000 separate triangles on a plane, in no order.
  Shape s;
  std::uint32_t state = 1;
  const auto random = [&] { return static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0f; };
  for (std::uint32_t t = 0; t < 4000; ++t) {
    const Vec3 p{random() * 100, random() * 100, 0};
    for (Vec3 d : {Vec3{0, 0, 0}, Vec3{0.1f, 0, 0}, Vec3{0, 0.1f, 0}}) {
      s.indices.push_back(static_cast<std::uint32_t>(s.positions.size()));
      s.positions.push_back(p + d);
    }
  }
  const Mesh m = build(s).mesh;
  EXPECT_LT(m.meshlets.size(), 4000.0 / 21 * 1.3) << "21 separate triangles have 63 vertices";
  double radius = 0;
  for (const hmesh::MeshletBounds& b : m.meshlet_bounds) radius += b.radius;
  EXPECT_LT(radius / static_cast<double>(m.meshlet_bounds.size()), 15.0);
}

TEST(BuildMesh, bounds_hold_every_vertex) {
  const Shape s = wavy_grid(200, 100);
  const Mesh m = build(s).mesh;
  ASSERT_EQ(m.positions.size(), s.positions.size());
  for (const Vec3& p : m.positions) EXPECT_TRUE(holds(m.bounds, p));
}

TEST(BuildMesh, makes_equal_vertices_one) {
  Shape s = wavy_grid(20, 20);
  Shape split;
  for (std::uint32_t i : s.indices) {
    split.indices.push_back(static_cast<std::uint32_t>(split.positions.size()));
    split.positions.push_back(s.positions[i]);
    split.normals.push_back(s.normals[i]);
    split.texcoords.push_back(s.texcoords[i]);
  }
  EXPECT_EQ(build(split).mesh.positions.size(), 400u);
}

TEST(BuildMesh, uses_vertices_in_the_order_of_the_indices) {
  const Mesh m = build(wavy_grid(100, 100)).mesh;
  std::uint32_t next = 0;
  for (std::uint32_t i : m.indices) {
    EXPECT_LE(i, next);
    next = std::max(next, i + 1);
  }
  EXPECT_EQ(next, m.positions.size());
}

TEST(BuildMesh, drops_degenerate_triangles) {
  Shape s = one_triangle();
  s.indices = {0, 0, 1, 0, 1, 2, 2, 1, 2};
  EXPECT_EQ(build(s).mesh.indices.size(), 3u);
}

TEST(BuildMesh, keeps_a_mesh_of_nothing_but_degenerate_triangles) {
  Shape s = one_triangle();
  s.indices = {0, 0, 1};
  const BuiltMesh built = build(s);
  EXPECT_EQ(built.mesh.indices.size(), 3u);
  expect_valid(built.mesh);
}

TEST(BuildMesh, of_one_triangle_has_one_meshlet_and_no_levels) {
  const Mesh m = build(one_triangle()).mesh;
  ASSERT_EQ(m.meshlets.size(), 1u);
  EXPECT_EQ(m.meshlets[0].triangle_count, 1u);
  EXPECT_EQ(m.lod_count, 0u);
  EXPECT_TRUE(m.lods.empty());
  expect_valid(m);
}

TEST(BuildMesh, has_the_levels_that_some_submesh_has) {
  const Shape a = one_triangle(), b = wavy_grid(40, 40);
  const Mesh m = build({input_of(a), input_of(b)}).mesh;
  EXPECT_EQ(m.lod_count, 2u);
  ASSERT_EQ(m.lods.size(), 4u);
  EXPECT_EQ(m.lods[0].index_count + m.lods[1].index_count, 0u) << "a single triangle has no levels";
  EXPECT_GT(m.lods[3].index_count, 0u);
  expect_valid(m);
}

TEST(BuildMesh, halves_triangles_from_level_to_level) {
  const Shape s = wavy_grid(300, 200);
  const double full = static_cast<double>(s.indices.size());
  const Mesh m = build(s).mesh;
  ASSERT_EQ(m.lods.size(), 2u);
  EXPECT_NEAR(m.lods[0].index_count / full, 0.5, 0.01);
  EXPECT_NEAR(m.lods[1].index_count / full, 0.25, 0.01);
  MeshOptions options;
  options.lods = 4;
  options.lod_ratio = 0.3;
  const Mesh deep = build(s, options).mesh;
  ASSERT_EQ(deep.lods.size(), 4u);
  EXPECT_NEAR(deep.lods[1].index_count / full, 0.09, 0.01);
  options.lods = 0;
  EXPECT_TRUE(build(s, options).mesh.lods.empty());
}

TEST(BuildMesh, takes_the_levels_that_a_source_brings) {
  const Shape a = wavy_grid(40, 40), b = sphere(30, 30), coarse = wavy_grid(5, 4), coarser = wavy_grid(3, 2);
  SubmeshInput in = input_of(a);
  Shape far = one_triangle();
  far.positions[1].y = 100;  // bounds include the levels
  in.levels = {input_of(coarse), input_of(coarser), input_of(far)};
  const BuiltMesh built = build({in, input_of(b)});
  const Mesh& m = built.mesh;
  EXPECT_EQ(m.lod_count, 3u);
  ASSERT_EQ(m.lods.size(), 6u);
  EXPECT_EQ(m.lods[0].index_count, coarse.indices.size());
  EXPECT_EQ(m.lods[1].index_count, coarser.indices.size());
  EXPECT_EQ(m.lods[2].index_count, 3u);
  EXPECT_GT(m.lods[3].index_count, 0u) << "made, because the submesh has none";
  EXPECT_EQ(m.lods[5].index_count, 0u) << "no third level was requested";
  const std::size_t full = m.submesh_vertices[1].first_vertex + m.submesh_vertices[1].vertex_count;
  EXPECT_EQ(m.positions.size(), full + coarse.positions.size() + coarser.positions.size() + 3);
  for (std::uint32_t k = 0; k < m.lods[0].index_count; ++k) {
    const Vec3 position = m.positions[m.lod_indices[m.lods[0].first_index + k]];
    EXPECT_NE(std::ranges::find(coarse.positions, position), coarse.positions.end());
  }
  EXPECT_EQ(m.bounds.aabb_max[1], 100.0f);
  EXPECT_EQ(m.submeshes[0].bounds.aabb_max[1], 100.0f);
  expect_valid(m);
  MeshOptions none;
  none.lods = 0;
  EXPECT_EQ(build({in}, none).mesh.lod_count, 0u);
  SubmeshInput only = input_of(a);
  only.levels = {input_of(coarse)};
  EXPECT_EQ(build({only}).mesh.lod_count, 1u) << "no level is added to those of the source";
}

TEST(BuildMesh, says_which_level_of_a_source_is_broken) {
  const Shape a = wavy_grid(9, 9);
  Shape broken = one_triangle();
  broken.indices[2] = 7;
  SubmeshInput in = input_of(a);
  in.levels = {input_of(broken)};
  in.levels[0].place = "/meshes/1/primitives/0";
  const auto built = build_mesh(std::span(&in, 1));
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().to_string(), "/meshes/1/primitives/0: index 2 is 7, expected less than the 3 vertices");
}

TEST(BuildMesh, levels_lie_one_after_the_other_by_submesh) {
  const Shape a = wavy_grid(40, 40), b = sphere(30, 30);
  const Mesh m = build({input_of(a), input_of(b)}).mesh;
  ASSERT_EQ(m.lods.size(), 4u);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(m.lods[i].first_index, next);
    next += m.lods[i].index_count;
    // Levels of a submesh use its own vertices.
    for (std::uint32_t k = m.lods[i].first_index; k < next; ++k) EXPECT_EQ(m.lod_indices[k] >= 1600, i >= 2);
  }
  EXPECT_EQ(next, m.lod_indices.size());
  expect_valid(m);
}

// The edges that only one triangle has, as positions.
std::multiset<std::array<std::array<float, 3>, 2>> open_edges(const Mesh& m, std::span<const std::uint32_t> indices) {
  std::multiset<std::array<std::array<float, 3>, 2>> edges;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint32_t a = indices[i], b = indices[i % 3 == 2 ? i - 2 : i + 1];
    const auto pa = place_of(m.positions[a]), pb = place_of(m.positions[b]);
    if (const auto twin = edges.find({pb, pa}); twin != edges.end()) {
      edges.erase(twin);
    } else {
      edges.insert({pa, pb});
    }
  }
  return edges;
}

TEST(BuildMesh, levels_of_a_closed_surface_stay_closed_across_seams_and_chunks) {
  // The texture seam runs from pole to pole, and 80000 triangles are more than one chunk.
  const Shape s = sphere(200, 201);
  const Mesh m = build(s).mesh;
  ASSERT_TRUE(open_edges(m, m.indices).empty());
  for (const hmesh::MeshLod& lod : m.lods) {
    ASSERT_GT(lod.index_count, 0u);
    EXPECT_TRUE(open_edges(m, std::span(m.lod_indices).subspan(lod.first_index, lod.index_count)).empty());
  }
}

TEST(BuildMesh, levels_of_neighboring_submeshes_do_not_crack) {
  // One closed sphere whose two halves have different materials.
  const Shape s = sphere(60, 40);
  Shape top = s, bottom = s;
  top.indices.assign(s.indices.begin(), s.indices.begin() + static_cast<std::ptrdiff_t>(s.indices.size() / 2));
  bottom.indices.assign(s.indices.begin() + static_cast<std::ptrdiff_t>(s.indices.size() / 2), s.indices.end());
  const Mesh m = build({input_of(top), input_of(bottom)}).mesh;
  for (std::size_t level = 0; level < 2; ++level) {
    std::vector<std::uint32_t> both;
    for (std::size_t submesh = 0; submesh < 2; ++submesh) {
      const hmesh::MeshLod lod = m.lods[submesh * 2 + level];
      ASSERT_GT(lod.index_count, 0u);
      both.insert(both.end(), m.lod_indices.begin() + lod.first_index,
                  m.lod_indices.begin() + lod.first_index + lod.index_count);
    }
    EXPECT_TRUE(open_edges(m, both).empty());
  }
}

TEST(BuildMesh, computes_flat_normals_where_there_are_none) {
  Shape s = one_triangle();
  s.positions.push_back({1, 0, 1});
  s.indices = {0, 1, 2, 1, 3, 2};
  s.normals.clear();
  s.texcoords.clear();
  const Mesh m = build(s).mesh;
  EXPECT_EQ(m.positions.size(), 6u) << "two faces share no normal";
  EXPECT_FALSE(m.has_tangents);
}

TEST(BuildMesh, smooths_normals_within_a_smoothing_group) {
  Shape s = one_triangle();
  s.positions.push_back({1, 1, 0.5f});
  s.indices = {0, 1, 2, 1, 3, 2};
  s.normals.clear();
  const std::array<std::uint32_t, 2> groups{7, 7};
  SubmeshInput in = input_of(s);
  in.texcoords = {};
  in.smoothing_groups = groups;
  EXPECT_EQ(build({in}).mesh.positions.size(), 4u);
}

TEST(BuildMesh, repairs_normals_without_a_length_and_says_so) {
  Shape s = one_triangle();
  s.normals[1] = {0, 0, 0};
  s.normals[2] = {std::numeric_limits<float>::quiet_NaN(), 0, 0};
  const BuiltMesh built = build(s);
  for (const Vec3& n : built.mesh.normals) EXPECT_EQ(n, (Vec3{0, 0, 1}));
  ASSERT_EQ(built.repairs.size(), 1u);
  EXPECT_EQ(built.repairs[0].place, "/meshes/0/primitives/0");
  EXPECT_EQ(built.repairs[0].what, "2 normals are not finite or have no length; computed smooth ones");
}

TEST(BuildMesh, computes_tangents_with_their_hand) {
  Shape s = one_triangle();
  Mesh m = build(s).mesh;
  EXPECT_TRUE(m.has_tangents);
  ASSERT_EQ(m.tangents.size(), 3u);
  for (const Vec4& t : m.tangents) EXPECT_EQ(t.w, 1.0f);
  for (Vec2& uv : s.texcoords) uv.x = -uv.x;
  m = build(s).mesh;
  for (const Vec4& t : m.tangents) EXPECT_EQ(t.w, -1.0f);
}

TEST(BuildMesh, takes_normals_and_tangents_of_the_source_as_they_are) {
  Shape s = one_triangle();
  for (Vec3& n : s.normals) n = n * 2;
  const std::vector<Vec4> tangents(3, {0, 3, 0, -1});
  SubmeshInput in = input_of(s);
  in.tangents = tangents;
  const Mesh m = build({in}).mesh;
  EXPECT_EQ(m.normals, s.normals);
  EXPECT_EQ(m.tangents, tangents);
}

TEST(BuildMesh, has_directions_along_the_surface_for_tangents_where_there_is_no_texture) {
  Shape s = wavy_grid(9, 9);
  s.texcoords.clear();
  const Mesh m = build(s).mesh;
  EXPECT_FALSE(m.has_tangents);
  EXPECT_TRUE(m.texcoords.empty());
  ASSERT_EQ(m.tangents.size(), m.positions.size());
  for (std::size_t v = 0; v < m.tangents.size(); ++v)
    EXPECT_NEAR(dot(m.normals[v], Vec3{m.tangents[v].x, m.tangents[v].y, m.tangents[v].z}), 0, 1e-6);
}

TEST(BuildMesh, exact_frames_keep_vertices_apart_that_packing_makes_equal) {
  Shape s = wavy_grid(2, 2);
  // Appends the same triangles with normals whose packed values are equal.
  const auto count = static_cast<std::uint32_t>(s.positions.size());
  const std::size_t corners = s.indices.size();
  for (std::uint32_t v = 0; v < count; ++v) {
    s.positions.push_back(s.positions[v]);
    s.texcoords.push_back(s.texcoords[v]);
    s.normals[v] = {0, 0, 1};
  }
  s.normals.resize(s.positions.size(), Vec3{1e-6f, 0, 1});
  for (std::size_t i = 0; i < corners; ++i) s.indices.push_back(s.indices[i] + count);
  MeshOptions options;
  options.tangents = false;
  EXPECT_EQ(build(s, options).mesh.positions.size(), count);
  options.exact_frames = true;
  EXPECT_EQ(build(s, options).mesh.positions.size(), 2 * count);
  EXPECT_TRUE(build(s, options).mesh.tangents.empty());
}

TEST(BuildMesh, leaves_tangents_out_when_asked) {
  MeshOptions options;
  options.tangents = false;
  const Mesh m = build(one_triangle(), options).mesh;
  EXPECT_FALSE(m.has_tangents);
  EXPECT_TRUE(m.tangents.empty());
}

TEST(BuildMesh, splits_vertices_where_the_texture_mirrors) {
  Shape s = one_triangle();
  s.positions.push_back({-1, 0, 0});
  s.normals.push_back({0, 0, 1});
  s.texcoords.push_back({1, 1});
  s.indices = {0, 1, 2, 0, 2, 3};
  EXPECT_EQ(build(s).mesh.positions.size(), 6u);
}

TEST(BuildMesh, carries_skin_weights_beside_the_vertices) {
  const Shape s = wavy_grid(30, 30);
  std::vector<hmesh::GpuSkinVertex> skin(s.positions.size());
  for (std::size_t v = 0; v < skin.size(); ++v) skin[v] = {{static_cast<std::uint16_t>(v), 0, 0, 0}, {1, 0, 0, 0}};
  SubmeshInput in = input_of(s), without = input_of(s);
  in.skin = skin;
  const Mesh m = build({in, without}).mesh;
  ASSERT_EQ(m.skin.size(), m.positions.size());
  for (std::size_t v = 0; v < m.submesh_vertices[0].vertex_count; ++v)
    EXPECT_EQ(m.positions[v], s.positions[m.skin[v].joints[0]]);
  for (std::size_t v = m.submesh_vertices[1].first_vertex; v < m.skin.size(); ++v)
    EXPECT_EQ(m.skin[v], (hmesh::GpuSkinVertex{{0, 0, 0, 0}, {1, 0, 0, 0}})) << "moves with the first joint";
}

TEST(BuildMesh, does_not_merge_vertices_of_different_weights) {
  Shape s = one_triangle();
  s.positions[1] = s.positions[0];
  s.texcoords[1] = s.texcoords[0];
  std::vector<hmesh::GpuSkinVertex> skin(3, {{0, 0, 0, 0}, {1, 0, 0, 0}});
  skin[1].joints[0] = 1;
  SubmeshInput in = input_of(s);
  in.skin = skin;
  EXPECT_EQ(build({in}).mesh.positions.size(), 3u);
}

TEST(BuildMesh, is_the_same_on_one_thread) {
  // Chunks, seams, two submeshes and splits.
  const Shape a = wavy_grid(260, 200), b = sphere(200, 100);
  const std::vector<SubmeshInput> inputs{input_of(a), input_of(b)};
  const BuiltMesh many = build(inputs);
  const ThreadLimit one(1);
  const BuiltMesh single = build(inputs);
  EXPECT_TRUE(many.mesh == single.mesh);
}

TEST(BuildMesh, refuses_a_position_that_is_not_finite_and_says_where) {
  Shape s = one_triangle();
  s.positions[1].y = std::numeric_limits<float>::infinity();
  const auto in = input_of(s);
  const auto built = build_mesh({&in, 1});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().to_string(),
            "/meshes/0/primitives/0: position 1 is (1, inf, 0), expected finite numbers; export the model again; a "
            "modifier or a "
            "transform of zero scale often leaves such vertices");
}

TEST(BuildMesh, refuses_a_position_too_far_away_to_measure) {
  Shape s = one_triangle();
  s.positions[2].x = -2e18f;
  const auto in = input_of(s);
  const auto built = build_mesh({&in, 1});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().to_string(),
            "/meshes/0/primitives/0: position 2 is (-2e+18, 1, 0), expected numbers between -1e+18 and 1e+18; scale "
            "the model down");
}

TEST(BuildMesh, refuses_an_index_out_of_range_and_says_which) {
  Shape s = one_triangle();
  s.indices[2] = 3;
  const auto in = input_of(s);
  const auto built = build_mesh({&in, 1});
  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().to_string(), "/meshes/0/primitives/0: index 2 is 3, expected less than the 3 vertices");
}

TEST(BuildMesh, refuses_nothing) {
  EXPECT_THAT(build_mesh({}).error().to_string(), HasSubstr("found no triangles"));
  Shape s = one_triangle();
  s.indices.clear();
  const auto in = input_of(s);
  EXPECT_THAT(build_mesh({&in, 1}).error().to_string(), HasSubstr("/meshes/0/primitives/0: has no triangles"));
}

TEST(BuildMesh, refuses_attributes_of_another_length) {
  Shape s = one_triangle();
  s.normals.pop_back();
  const auto in = input_of(s);
  EXPECT_EQ(build_mesh({&in, 1}).error().to_string(),
            "/meshes/0/primitives/0: has 2 normals for 3 positions, expected as many");
  const Shape t = one_triangle();
  const std::vector<Vec4> colors(2);
  auto colored = input_of(t);
  colored.color_sets = {{}, colors};
  EXPECT_EQ(build_mesh({&colored, 1}).error().to_string(),
            "/meshes/0/primitives/0: has 2 colors for 3 positions, expected as many");
}

TEST(BuildMesh, refuses_options_out_of_range) {
  const Shape s = one_triangle();
  const auto in = input_of(s);
  MeshOptions options;
  options.meshlets.max_vertices = 2;
  EXPECT_EQ(build_mesh({&in, 1}, options).error().code, ErrorCode::kUsage);
  options = {};
  options.lod_ratio = 1;
  EXPECT_EQ(build_mesh({&in, 1}, options).error().code, ErrorCode::kUsage);
  options = {};
  options.lods = kMaxLods + 1;
  EXPECT_EQ(build_mesh({&in, 1}, options).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace assetc::mesh
