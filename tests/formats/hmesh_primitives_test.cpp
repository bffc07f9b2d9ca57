// The chunk PRIM: points and lines.
#include <functional>

#include "assetc/formats/hmesh.hpp"
#include "formats/sample_mesh.hpp"
#include "formats/support.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats_test;

std::string why_not(const std::function<void(Model&)>& change) {
  Model m = quad_with_primitives();
  change(m);
  const auto r = write(m);
  return r ? "no error" : r.error().what;
}

// The error after a change of a word of the chunk.
std::string when_damaged(std::size_t offset, std::uint32_t value) {
  ByteVector file = *write(quad_with_primitives());
  std::size_t at = 0;
  for (const auto& entry : View::open(file)->chunk_table()) at = entry.id == kPrimitivesId ? entry.offset_bytes : at;
  std::memcpy(file.data() + at + offset, &value, sizeof value);
  const auto r = View::open(file);
  return r ? "no error" : r.error().what;
}

TEST(HmeshPrimitives, round_trip_and_keep_their_golden_bytes) {
  const ByteVector file = *write(quad_with_primitives());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), quad_with_primitives());
  expect_golden("quad_primitives.hmesh", file);
  const PrimitivesView& primitives = *view->primitives();
  ASSERT_EQ(primitives.items().size(), 2u);
  EXPECT_EQ(primitives.name(0), "edge");
  EXPECT_EQ(primitives.name(1), "dot");
  EXPECT_EQ(primitives.indices_of(primitives.items()[1]).size(), 1u);
  EXPECT_EQ(corner_count_of(Topology::kTriangles), 3u);
  EXPECT_EQ(corner_count_of(Topology::kLines), 2u);
  EXPECT_EQ(corner_count_of(Topology::kPoints), 1u);
}

TEST(HmeshPrimitives, a_reader_that_skips_the_chunk_sees_the_triangles) {
  const ByteVector file = *write(quad_with_primitives());
  const View view = *View::open(file);
  ByteVector unknown = file;
  const std::size_t last = view.chunk_table().size() - 1;
  ASSERT_EQ(view.chunk_table()[last].id, kPrimitivesId);
  const std::uint32_t id = fourcc("zzz0");
  std::memcpy(unknown.data() + sizeof(chunks::FileHeader) + last * sizeof(chunks::ChunkEntry), &id, 4);
  const auto skipped = View::open(unknown);
  ASSERT_TRUE(skipped) << error_of(skipped);
  Model expected = quad_with_primitives();
  expected.primitives = {};
  EXPECT_EQ(skipped->to_model(), expected);
  EXPECT_EQ(skipped->to_model().indices, full_quad().indices);
}

TEST(HmeshPrimitives, a_mesh_may_have_them_alone) {
  Model m = quad_with_primitives();
  m.indices.clear();
  m.submeshes.clear();
  m.meshlets.clear();
  m.meshlet_vertices.clear();
  m.meshlet_triangles.clear();
  m.meshlet_bounds.clear();
  m.lods.clear();
  m.lod_indices.clear();
  m.lod_count = 0;
  m.names.submeshes.clear();
  m.names.submesh_nodes.clear();
  for (GpuPrimitive& p : m.primitives.items) p.submeshes_before = 0;
  const ByteVector file = *write(m);
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), m);
}

TEST(HmeshPrimitives, refuse_every_prefix_and_survive_changed_bytes) {
  const ByteVector file = *write(quad_with_primitives());
  expect_every_prefix_refused(file, View::open);
  expect_survives_changed_bytes(file, View::open);
}

TEST(HmeshPrimitives, refuse_what_breaks_a_rule) {
  EXPECT_EQ(why_not([](Model& m) { m.primitives.indices[3] = 6; }), "index 3 is 6, expected less than 6");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[0].topology = Topology::kTriangles; }),
            "primitive 0: found topology 0, expected 1 to 2");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[1].first_index = 3; }),
            "primitive 1: found indices from 3, expected from 4, where the one before ends");
  EXPECT_EQ(why_not([](Model& m) {
              m.primitives.items[0].index_count = m.primitives.items[1].first_index = 3;
              m.primitives.items[1].index_count = 2;
            }),
            "primitive 0 has 3 indices, expected two for each line");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[1].index_count = 0; }), "found 4 indices in all, expected 5");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[1].index_count = 0, m.primitives.indices.pop_back(); }),
            "primitive 1 has 0 indices, expected one for each point");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[1].index_count = 0xffffffff; }),
            "primitive 1: found indices 4 to 4294967299, expected at most 5");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.indices.push_back(0); }), "found 5 indices in all, expected 6");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[0].material_slot = 2; }),
            "primitive 0: found material slot 2, expected less than 2 or none");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[0].submeshes_before = 3; }),
            "primitive 0: found submeshes_before 3, expected at most 2");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[1].submeshes_before = 0; }),
            "primitive 1 comes after 0 submeshes, expected 1 to 2");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[0].node = 1; }),
            "primitive 0: found node 1, expected less than 1 or none");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[0].bounds.sphere_radius = -1; }),
            "primitive 0: found a sphere of radius -1, expected a finite center and a radius of at least 0");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.items[0].bounds.aabb_max[1] = 2; }),
            "primitive 0: the box runs from 0 to 2 on axis 1, expected it inside the mesh's, 0 to 1");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.names.pop_back(); }),
            "found 1 name of 2 primitives, expected one for each");
  EXPECT_EQ(why_not([](Model& m) { m.primitives.names[1] = "\xff"; }), "primitive 1: its name is not UTF-8");
  EXPECT_EQ(when_damaged(0, 2), "found PRIM version 2, expected 1");
  EXPECT_EQ(when_damaged(4, 0), "found primitive_count 0, expected at least 1");
  EXPECT_EQ(when_damaged(4, 0xffffffff), "found 171 bytes, expected 309237645240 for 4294967295 primitives of PRIM");
  EXPECT_EQ(when_damaged(16 + 28, 8), "primitive 0: found the end of its name at 8, expected 0 to 7");
  EXPECT_EQ(when_damaged(16 + 72 + 28, 6), "found 1 extra byte of text, expected the end of the last name");
}

}  // namespace
}  // namespace assetc::hmesh
