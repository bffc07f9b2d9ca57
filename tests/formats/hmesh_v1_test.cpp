#include "assetc/formats/hmesh_v1.hpp"

#include <functional>

#include "formats/sample_mesh.hpp"
#include "formats/support.hpp"

namespace assetc::hmesh_v1 {
namespace {

using namespace formats_test;

Model sample() {
  Model m = from_hmesh(static_quad(), {hash_asset_ref("models/quad/a"), hash_asset_ref("models/quad/b"),
                                       hash_asset_ref("models/quad/material_2")});
  m.material_names = {"a", "b", ""};
  return m;
}

std::string words(const std::function<void(Model&)>& change) {
  Model m = sample();
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

TEST(HmeshV1, round_trips) {
  const ByteVector file = *write(sample());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), sample());
  EXPECT_EQ(view->material(2), hash_asset_ref("models/quad/material_2"));
  EXPECT_EQ(view->index(5), 3u);
  EXPECT_EQ(View::open(*write(Model{}))->material_count(), 0u);
}

TEST(HmeshV1, holds_more_vertices_than_16_bits_can_tell) {
  hmesh::Model large = static_quad();
  large.vertices.resize(70'000, large.vertices[2]);
  large.vertices[65'537].uv[1] = 0.125f;
  large.indices[3] = 69'999;
  const ByteVector file = *write(from_hmesh(large, {7, 8}));
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->index_width_bytes(), 4u);
  EXPECT_EQ(view->index(3), 69'999u);
  EXPECT_EQ(view->vertices()[65'537].uv[1], 0.125f);
}

TEST(HmeshV1, keeps_its_golden_bytes) { expect_golden("quad_v1.hmesh", *write(sample())); }

TEST(HmeshV1, lays_out_inline_preludes_as_specified) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(load<std::uint32_t>(file, 4), 1u);
  const auto vertices = chunk_offset(file, hmesh::kVerticesId);
  EXPECT_EQ(load<std::uint32_t>(file, vertices), 4u);
  EXPECT_EQ(load<std::uint32_t>(file, vertices + 4), 36u);
  EXPECT_EQ(load<float>(file, vertices + 8 + 36), 1.0f);        // x of vertex 1
  EXPECT_EQ(load<float>(file, vertices + 8 + 36 + 28), 1.0f);   // its u
  EXPECT_EQ(load<std::uint32_t>(file, vertices + 8 + 16), 0u);  // reserved
  const auto indices = chunk_offset(file, hmesh::kIndicesId);
  EXPECT_EQ(load<std::uint32_t>(file, indices), 6u);
  EXPECT_EQ(load<std::uint32_t>(file, indices + 4), 2u);
  const auto materials = chunk_offset(file, hmesh::kMaterialsId);
  EXPECT_EQ(load<std::uint32_t>(file, materials), 3u);
  EXPECT_EQ(load<std::uint64_t>(file, materials + 4), hash_asset_ref("models/quad/a"));
}

TEST(HmeshV1, refuses_every_prefix) { expect_every_prefix_refused(*write(sample()), View::open); }
TEST(HmeshV1, survives_changed_bytes) { expect_survives_changed_bytes(*write(sample()), View::open); }
TEST(HmeshV1, rejects_extra_bytes) { EXPECT_FALSE(View::open(with_extra(*write(sample()), 16))); }
TEST(HmeshV1, rejects_another_version) {
  EXPECT_EQ(error_of(View::open(*hmesh::write(static_quad()))),
            "byte 4: found hmesh version 2, expected 1; read it with a newer assetc, or compile its source again with "
            "this one");
}

TEST(HmeshV1, rejects_preludes_that_do_not_match_their_chunk) {
  const ByteVector file = *write(sample());
  const auto vertices = chunk_offset(file, hmesh::kVerticesId);
  EXPECT_EQ(View::open(with(file, vertices, ~std::uint32_t{0})).error().what,
            "found 144 bytes, expected 154618822620 for 4294967295 vertices of VTXS");
  ByteVector strided = with(file, vertices, std::uint32_t{36});
  EXPECT_EQ(View::open(with(strided, vertices + 4, std::uint32_t{4})).error().what,
            "found vertex stride 4, expected 36");
  const auto indices = chunk_offset(file, hmesh::kIndicesId);
  EXPECT_EQ(View::open(with(with(file, indices, std::uint32_t{12}), indices + 4, std::uint32_t{1})).error().what,
            "found index width 1, expected one of 2, 4");
  const auto materials = chunk_offset(file, hmesh::kMaterialsId);
  EXPECT_EQ(View::open(with(file, materials, std::uint32_t{4})).error().what,
            "found 24 bytes, expected 32 for 4 materials of MTRL");
}

TEST(HmeshV1, rejects_what_version_2_rejects) {
  EXPECT_EQ(words([](Model& m) { m.indices[1] = 4; }), "index 1 is 4, expected less than 4");
  EXPECT_EQ(words([](Model& m) { m.indices.pop_back(); }), "found index count 5, expected a multiple of 3");
  EXPECT_EQ(words([](Model& m) { m.vertices[2].position[2] = -1; }),
            "vertex 2: (1, 1, -1) lies outside the box of the mesh");
  EXPECT_EQ(words([](Model& m) { m.meshlet_triangles[0].corners[0] = 3; }),
            "a meshlet triangle has corner 3, expected less than the meshlet's 3 vertices");
  EXPECT_EQ(words([](Model& m) { m.meshlet_bounds.pop_back(); }), "found 32 bytes of MLBN, expected 2 elements of 32");
  EXPECT_EQ(words([](Model& m) { m.material_names.pop_back(); }), "found material_count 2, expected 0 or 3");
}

}  // namespace
}  // namespace assetc::hmesh_v1
