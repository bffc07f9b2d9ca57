#include "assetc/formats/hmesh.hpp"

#include <functional>
#include <limits>

#include "formats/sample_mesh.hpp"
#include "formats/support.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats_test;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The error of write() for the full sample after a change.
std::string refusal(const std::function<void(Model&)>& change) {
  Model m = full_quad();
  change(m);
  return error_of(write(m));
}

// The error without its place.
std::string words(const std::function<void(Model&)>& change) {
  Model m = full_quad();
  change(m);
  const auto r = write(m);
  return r ? "no error" : r.error().what;
}

std::size_t chunk_offset(const ByteVector& file, std::uint32_t id) {
  const View view = *View::open(file);
  for (const auto& entry : view.chunk_table()) {
    if (entry.id == id) return entry.offset_bytes;
  }
  return 0;
}

TEST(Hmesh, round_trips_a_static_mesh) {
  const ByteVector file = *write(static_quad());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), static_quad());
  EXPECT_FALSE(view->is_skinned());
  EXPECT_FALSE(view->names());
  EXPECT_EQ(view->lod_count(), 0u);
}

TEST(Hmesh, round_trips_skin_lods_and_names) {
  const ByteVector file = *write(full_quad());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), full_quad());
  EXPECT_EQ(view->names()->submesh(0), "seat");
  EXPECT_EQ(view->names()->material(1), "Stoff \xc3\xbc");
  EXPECT_EQ(view->names()->joint(1), "root");
  EXPECT_EQ(view->names()->node(view->names()->submesh_node(0)), "Chair");
  EXPECT_EQ(view->names()->submesh_node(1), kNoNode);
  EXPECT_EQ(view->names()->submesh(99), "");
  EXPECT_EQ(view->lod(0, 0).index_count, 3u);
  EXPECT_EQ(view->lod(0, 1).index_count, 0u);
}

TEST(Hmesh, round_trips_an_empty_mesh) {
  const ByteVector file = *write(Model{});
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), Model{});
}

TEST(Hmesh, keeps_its_golden_bytes) {
  expect_golden("quad_static.hmesh", *write(static_quad()));
  expect_golden("quad_full.hmesh", *write(full_quad()));
}

TEST(Hmesh, lays_out_header_table_and_desc_as_specified) {
  const ByteVector file = *write(static_quad());
  EXPECT_EQ(as_text(ByteSpan(file).first(4)), "HMSH");
  EXPECT_EQ(load<std::uint32_t>(file, 4), 2u);
  EXPECT_EQ(load<std::uint32_t>(file, 8), 10u);
  EXPECT_EQ(as_text(ByteSpan(file).subspan(32, 4)), "DESC");
  EXPECT_EQ(load<std::uint64_t>(file, 48), 32u);
  const auto desc = load<std::uint64_t>(file, 40);
  EXPECT_EQ(desc % 16, 0u);
  EXPECT_EQ(load<std::uint32_t>(file, desc), 4u);
  EXPECT_EQ(load<std::uint32_t>(file, desc + 4), 6u);
  EXPECT_EQ(load<std::uint32_t>(file, desc + 8), 2u);
  EXPECT_EQ(load<std::uint32_t>(file, desc + 12), 2u);
  EXPECT_EQ(load<std::uint32_t>(file, desc + 16), 2u);
  EXPECT_EQ(load<std::uint16_t>(file, desc + 20), 28u);
  EXPECT_EQ(load<std::uint8_t>(file, desc + 22), 2u);
  EXPECT_EQ(load<std::uint8_t>(file, desc + 23), 1u);
  EXPECT_EQ(load<std::uint32_t>(file, desc + 24), 64u);
  EXPECT_EQ(load<std::uint32_t>(file, desc + 28), 124u);
}

TEST(Hmesh, stores_16_bit_indices_up_to_65535_vertices) {
  Model m = static_quad();
  m.vertices.resize(65535, m.vertices[0]);
  m.indices[5] = 65534;
  const ByteVector narrow = *write(m);
  EXPECT_EQ(View::open(narrow)->indices16().size(), 6u);
  EXPECT_EQ(View::open(narrow)->index(5), 65534u);
  m.vertices.resize(65536, m.vertices[0]);
  m.indices[5] = 65535;
  const ByteVector wide = *write(m);
  EXPECT_EQ(View::open(wide)->indices32().size(), 6u);
  EXPECT_TRUE(View::open(wide)->indices16().empty());
  EXPECT_EQ(View::open(wide)->index(5), 65535u);
}

TEST(Hmesh, refuses_every_prefix) { expect_every_prefix_refused(*write(full_quad()), View::open); }
TEST(Hmesh, survives_changed_bytes) { expect_survives_changed_bytes(*write(full_quad()), View::open); }

TEST(Hmesh, rejects_extra_bytes) {
  const ByteVector file = *write(full_quad());
  const std::size_t padding = (16 - file.size() % 16) % 16;
  EXPECT_TRUE(View::open(with_extra(file, padding)));
  const ByteVector zeros = with_extra(file, padding + 1);
  EXPECT_EQ(error_of(View::open(zeros)),
            "byte " + std::to_string(file.size()) + ": found " + std::to_string(padding + 1) +
                " extra bytes, expected the end of the file or zeros up to " + std::to_string(file.size() + padding) +
                "; the file is damaged or was cut short; write it again");
}

TEST(Hmesh, rejects_another_version) {
  const ByteVector file = *write(static_quad());
  EXPECT_EQ(error_of(View::open(with(file, 4, std::uint32_t{3}))),
            "byte 4: found hmesh version 3, expected 2; read it with a newer assetc, or compile its source again with "
            "this one");
  EXPECT_EQ(View::open(with(file, 4, std::uint32_t{1})).error().code, ErrorCode::kVersion);
  EXPECT_EQ(error_of(View::open(with(file, 0, std::uint32_t{0x54414d48}))),
            "byte 0: found magic HMAT, expected HMSH; check that this is a hmesh file");
}

TEST(Hmesh, rejects_a_misaligned_buffer) {
  const ByteVector file = *write(static_quad());
  ByteVector shifted(file.size() + 1);
  std::copy(file.begin(), file.end(), shifted.begin() + 1);
  EXPECT_EQ(View::open(ByteSpan(shifted).subspan(1)).error().code, ErrorCode::kUsage);
}

TEST(Hmesh, skips_chunks_it_does_not_know) {
  ByteVector file = *write(static_quad());
  // Renames the meshlets' four chunks and sets their count in DESC to zero.
  const auto desc = chunk_offset(file, kDescId);
  const auto submeshes = chunk_offset(file, kSubmeshesId);
  for (std::size_t i = 0; i < 10; ++i) {
    const auto id = load<std::uint32_t>(file, 32 + 24 * i);
    if (id == kMeshletsId || id == kMeshletVerticesId || id == kMeshletTrianglesId || id == kMeshletBoundsId) {
      file = with(file, 32 + 24 * i, fourcc("XTRA"));
    }
  }
  file = with(file, desc + 8, std::uint32_t{0});
  file = with(file, submeshes + 12, std::uint32_t{0});
  file = with(file, submeshes + 64 + 8, std::uint64_t{0});
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_TRUE(view->meshlets().empty());
  EXPECT_EQ(view->chunk_table().size(), 10u);
}

TEST(Hmesh, rejects_missing_duplicate_and_compressed_chunks) {
  const ByteVector file = *write(static_quad());
  EXPECT_EQ(View::open(with(file, 32, fourcc("XTRA"))).error().what, "found no chunk DESC, which every file has");
  EXPECT_EQ(View::open(with(file, 32 + 24, fourcc("DESC"))).error().what, "found a second chunk DESC, expected one");
  const auto compressed = View::open(with(file, 36, std::uint32_t{1}));
  EXPECT_EQ(compressed.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(compressed.error().place, "byte 36");
}

TEST(Hmesh, rejects_chunks_that_leave_the_file_overlap_or_are_misplaced) {
  const ByteVector file = *write(static_quad());
  EXPECT_EQ(View::open(with(file, 40, std::uint64_t{1} << 63)).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(View::open(with(file, 48, ~std::uint64_t{0})).error().code, ErrorCode::kTruncated);
  const auto first = load<std::uint64_t>(file, 40);
  EXPECT_NE(error_of(View::open(with(file, 40, first + 1))).find("expected a multiple of 16"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 40, std::uint64_t{0}))).find("after the chunk table"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 64, first))).find("overlaps"), std::string::npos);
  EXPECT_EQ(View::open(with(file, 8, ~std::uint32_t{0})).error().code, ErrorCode::kLimit);
}

TEST(Hmesh, rejects_sizes_that_do_not_match_desc) {
  const ByteVector file = *write(static_quad());
  const auto desc = chunk_offset(file, kDescId);
  EXPECT_EQ(View::open(with(file, desc, ~std::uint32_t{0})).error().what,
            "found 112 bytes of VTXS, expected 4294967295 elements of 28");
  EXPECT_NE(error_of(View::open(with(file, desc + 4, std::uint32_t{9}))).find("IDXS"), std::string::npos);
  EXPECT_EQ(View::open(with(file, desc + 4, std::uint32_t{7})).error().what,
            "found index_count 7, expected a multiple of 3");
  EXPECT_EQ(View::open(with(file, desc + 20, std::uint16_t{36})).error().what,
            "found vertex_stride_bytes 36, expected 28");
  EXPECT_EQ(View::open(with(file, desc + 22, std::uint8_t{1})).error().what,
            "found index_width_bytes 1, expected one of 2, 4");
}

TEST(Hmesh, rejects_indices_out_of_range) {
  EXPECT_EQ(words([](Model& m) { m.indices[4] = 4; }), "index 4 is 4, expected less than 4");
  EXPECT_EQ(words([](Model& m) { m.indices[4] = 65536; }), "index 4 is 65536, expected less than 4");
  EXPECT_EQ(words([](Model& m) { m.lod_indices[1] = 9; }), "index 1 is 9, expected less than 4");
  EXPECT_EQ(words([](Model& m) { m.meshlet_vertices[5] = 4; }), "index 5 is 4, expected less than 4");
  const ByteVector file = *write(static_quad());
  const auto indices = chunk_offset(file, kIndicesId);
  EXPECT_EQ(error_of(View::open(with(file, indices + 2, std::uint16_t{4}))),
            "byte " + std::to_string(indices + 2) +
                ": index 1 is 4, expected less than 4; the file is damaged or was cut short; write it again");
}

TEST(Hmesh, rejects_positions_outside_the_box) {
  EXPECT_EQ(words([](Model& m) { m.vertices[2].position[1] = 1.5f; }),
            "vertex 2: (1, 1.5, 0) lies outside the box of the mesh");
  EXPECT_EQ(words([](Model& m) { m.vertices[3].position[0] = kNan; }),
            "vertex 3: (nan, 1, 0) lies outside the box of the mesh");
}

TEST(Hmesh, rejects_bad_bounds) {
  EXPECT_NE(words([](Model& m) { m.bounds.aabb_min[0] = 2; }), "no error");
  EXPECT_NE(words([](Model& m) { m.bounds.sphere_radius = -1; }), "no error");
  EXPECT_NE(words([](Model& m) { m.bounds.sphere_center[2] = kNan; }), "no error");
  EXPECT_EQ(words([](Model& m) { m.submeshes[1].bounds.aabb_max[2] = 3; }),
            "submesh 1: the box runs from 0 to 3 on axis 2, expected it inside the mesh's, 0 to 0");
}

TEST(Hmesh, rejects_submeshes_that_do_not_cover_in_order) {
  EXPECT_EQ(words([](Model& m) { m.submeshes[1].first_index = 0; }),
            "submesh 1: found indices from 0, expected from 3, where the one before ends");
  EXPECT_EQ(words([](Model& m) { m.submeshes[1].first_meshlet = 2; }),
            "submesh 1: found meshlets from 2, expected from 1, where the one before ends");
  EXPECT_EQ(words([](Model& m) { m.submeshes[1].index_count = 0; }), "found 3 indices in all, expected 6");
  EXPECT_EQ(words([](Model& m) { m.submeshes[1].meshlet_count = 0; }), "found 1 meshlets in all, expected 2");
  EXPECT_EQ(words([](Model& m) { m.submeshes[0].index_count = 2; }),
            "submesh 0: found 2 indices, expected a multiple of 3");
}

TEST(Hmesh, rejects_a_material_slot_out_of_range) {
  EXPECT_EQ(words([](Model& m) { m.submeshes[0].material_slot = 2; }),
            "submesh 0: found material slot 2, expected less than 2 or none");
}

TEST(Hmesh, rejects_a_base_vertex) {
  EXPECT_EQ(words([](Model& m) { m.submeshes[0].base_vertex = 1; }), "submesh 0: found base vertex 1, expected 0");
}

TEST(Hmesh, rejects_meshlets_out_of_range) {
  EXPECT_EQ(words([](Model& m) { m.meshlets[1].vertex_offset = 4; }),
            "meshlet 1: found meshlet vertices 4 to 7, expected at most 6");
  EXPECT_EQ(words([](Model& m) { m.meshlets[1].triangle_offset = 2; }),
            "meshlet 1: found meshlet triangles 2 to 3, expected at most 2");
  EXPECT_EQ(words([](Model& m) { m.meshlet_triangles[1].corners[2] = 3; }),
            "a meshlet triangle has corner 3, expected less than the meshlet's 3 vertices");
  EXPECT_EQ(words([](Model& m) { m.meshlet_max_vertices = 2; }),
            "a meshlet has 3 vertices and 1 triangle, expected at most 2 and 124");
  EXPECT_NE(words([](Model& m) { m.meshlet_bounds.pop_back(); }), "no error");
}

TEST(Hmesh, rejects_bad_skins) {
  EXPECT_EQ(words([](Model& m) { m.skin[1].joints[3] = 2; }), "skin vertex 1: found joint 2, expected less than 2");
  EXPECT_EQ(words([](Model& m) { m.skin[1].weights[0] = 0.5f; }),
            "skin vertex 1: the weights sum to 1.25, expected four of at least 0 that sum to 1");
  EXPECT_NE(words([](Model& m) { m.skin[1].weights[0] = kNan; }), "no error");
  EXPECT_EQ(words([](Model& m) {
              m.joints.clear();
              m.names.joints.clear();
            }),
            "found SKIN in a mesh without joints in SKEL, expected both or neither");
  EXPECT_NE(words([](Model& m) { m.skin.clear(); }), "no error");
}

TEST(Hmesh, rejects_bad_skeletons) {
  EXPECT_EQ(words([](Model& m) { m.joints[0].parent = 2; }), "joint 0: found parent 2, expected -1 or less than 2");
  EXPECT_EQ(words([](Model& m) { m.joints[0].parent = -2; }), "joint 0: found parent -2, expected -1 or less than 2");
  EXPECT_EQ(words([](Model& m) { m.joints[1].parent = 0; }), "joint 0 is its own ancestor");
  EXPECT_EQ(words([](Model& m) { m.joints[1].parent = 1; }), "joint 1 is its own ancestor");
  EXPECT_EQ(words([](Model& m) { m.joints[1].scale[2] = kNan; }),
            "joint 1: the scale holds a number that is not finite");
}

TEST(Hmesh, rejects_lod_ranges_outside_LODI) {
  EXPECT_EQ(words([](Model& m) { m.lods[0].first_index = 3; }),
            "LOD range 0: found LOD indices 3 to 6, expected at most 3");
  EXPECT_EQ(words([](Model& m) { m.lods[0].index_count = 0xffffffff; }),
            "LOD range 0: found LOD indices 0 to 4294967295, expected at most 3");
  EXPECT_EQ(words([](Model& m) { m.lods[0].index_count = 2; }),
            "LOD range 0: found 2 LOD indices, expected a multiple of 3");
  EXPECT_EQ(words([](Model& m) { m.lods.pop_back(); }), "found 3 LOD ranges, expected 2 for each of 2 submeshes");
  EXPECT_EQ(words([](Model& m) {
              m.lods.clear();
              m.lod_count = 0;
            }),
            "found LODI without LODT, expected both or neither");
}

TEST(Hmesh, levels_without_a_triangle_leave_neither_LODT_nor_LODI) {
  Model m = full_quad();
  m.lod_indices.clear();
  m.lods.assign(4, {0, 0});
  const ByteVector file = *write(m);
  const View view = *View::open(file);
  EXPECT_EQ(view.lod_count(), 0u);
  for (const chunks::ChunkEntry& chunk : view.chunk_table()) {
    EXPECT_NE(chunk.id, kLodTableId);
    EXPECT_NE(chunk.id, kLodIndicesId);
  }
  EXPECT_TRUE(View::open(*write(full_quad()))->has_level(0));
  EXPECT_FALSE(View::open(*write(full_quad()))->has_level(1));
}

TEST(Hmesh, rejects_bad_bounds_of_poses) {
  const auto with = [](auto&& change) {
    return words([&](Model& m) {
      m.pose_bounds = {quad_bounds(), quad_bounds()};
      change(m);
    });
  };
  EXPECT_EQ(with([](Model&) {}), "no error");
  EXPECT_EQ(with([](Model& m) { m.pose_bounds[1].aabb_min[0] = 2; }),
            "bounds 1: the box runs from 2 to 1 on axis 0, expected finite numbers in order");
  EXPECT_EQ(with([](Model& m) { m.pose_bounds[1].sphere_radius = kNan; }),
            "bounds 1: found a sphere of radius nan, expected a finite center and a radius of at least 0");
  EXPECT_EQ(with([](Model& m) {
              m.skin.clear();
              m.joints.clear();
              m.names.joints.clear();
            }),
            "found PBND in a mesh without joints in SKEL, expected both or neither");
}

TEST(Hmesh, rejects_bad_names) {
  EXPECT_EQ(words([](Model& m) { m.names.materials.pop_back(); }), "found material_count 1, expected 0 or 2");
  EXPECT_EQ(words([](Model& m) { m.names.submesh_nodes[0] = 1; }),
            "node of submesh 0 is 1, expected less than 1 or none");
  EXPECT_EQ(words([](Model& m) { m.names.joints[0] = "\xff"; }), "name 4 is not UTF-8");
}

TEST(Hmesh, errors_of_write_say_what_to_do) {
  EXPECT_EQ(refusal([](Model& m) { m.names.joints.pop_back(); }).substr(0, 5), "byte ");
}

}  // namespace
}  // namespace assetc::hmesh
