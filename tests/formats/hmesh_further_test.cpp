// The chunks ATTR, VTX2, SKN8 and MRPH.
#include <functional>
#include <limits>

#include "assetc/formats/hmesh.hpp"
#include "formats/sample_mesh.hpp"
#include "formats/support.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats_test;

Result<View> open(ByteSpan file) { return View::open(file); }

std::string why(const std::function<void(Model&)>& change) {
  Model m = further_quad();
  change(m);
  const auto r = write(m);
  return r ? "no error" : r.error().what;
}

// The error after a change of the bytes of a chunk.
std::string damaged(std::uint32_t id, std::size_t offset, std::uint32_t value) {
  ByteVector file = *write(further_quad());
  std::size_t at = 0;
  for (const auto& entry : View::open(file)->chunk_table()) at = entry.id == id ? entry.offset_bytes : at;
  std::memcpy(file.data() + at + offset, &value, sizeof value);
  const auto r = View::open(file);
  return r ? "no error" : r.error().what;
}

TEST(HmeshFurther, round_trips_and_keeps_its_golden_bytes) {
  const ByteVector file = *write(further_quad());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_model(), further_quad());
  expect_golden("quad_further.hmesh", file);
  const FurtherAttributesView& further = *view->further_attributes();
  EXPECT_EQ(further.stride_bytes(), 16u);
  EXPECT_EQ(further.value(*further.find("_HEAT"), 2)[0], -3);
  EXPECT_EQ(further.value(*further.find(FurtherSemantic::kColor, 0), 1)[1], 1 / 255.0f);
  EXPECT_EQ(further.find("_COLD"), nullptr);
  const MorphsView& morphs = *view->morphs();
  EXPECT_EQ(morphs.name(0), "smile");
  EXPECT_EQ(morphs.move_stride_bytes(), 24u);
  EXPECT_EQ(morphs.move(1).position[0], 32767);
  EXPECT_EQ(morphs.targets()[1].group, 1u);
}

TEST(HmeshFurther, moves_without_normals_or_tangents_are_shorter) {
  Model m = further_quad();
  m.morphs.targets.pop_back();
  m.morphs.groups.pop_back();
  m.morphs.moves.pop_back();
  m.morphs.channels.pop_back();
  m.morphs.channel_moves.resize(1);
  EXPECT_EQ(View::open(*write(m))->morphs()->move_stride_bytes(), 16u);
  EXPECT_EQ(View::open(*write(m))->to_model(), m);
  m.morphs.targets[0].normal_step = 0;
  m.morphs.moves[0].normal = {};
  EXPECT_EQ(View::open(*write(m))->morphs()->move_stride_bytes(), 12u);
  EXPECT_EQ(View::open(*write(m))->to_model(), m);
}

TEST(HmeshFurther, chunks_follow_the_old_ones) {
  const ByteVector old = *write(full_quad()), now = *write(further_quad());
  const View a = *View::open(old), b = *View::open(now);
  ASSERT_EQ(b.chunk_table().size(), a.chunk_table().size() + 4);
  for (std::size_t i = 0; i < a.chunk_table().size(); ++i) {
    const auto &was = a.chunk_table()[i], &is = b.chunk_table()[i];
    EXPECT_EQ(is.id, was.id);
    EXPECT_TRUE(std::ranges::equal(ByteSpan(now).subspan(is.offset_bytes, is.size_bytes),
                                   ByteSpan(old).subspan(was.offset_bytes, was.size_bytes)));
  }
  // A reader must skip a chunk that it does not list: the four ids renamed are the old mesh.
  ByteVector unknown = now;
  for (std::size_t i = a.chunk_table().size(); i < b.chunk_table().size(); ++i) {
    const std::uint32_t id = fourcc("zzz0") + (static_cast<std::uint32_t>(i) << 24);
    std::memcpy(unknown.data() + sizeof(chunks::FileHeader) + i * sizeof(chunks::ChunkEntry), &id, 4);
  }
  const auto skipped = View::open(unknown);
  ASSERT_TRUE(skipped) << error_of(skipped);
  EXPECT_EQ(skipped->to_model(), full_quad());
}

TEST(HmeshFurther, refuses_every_prefix_and_survives_changed_bytes) {
  const ByteVector file = *write(further_quad());
  expect_every_prefix_refused(file, open);
  expect_survives_changed_bytes(file, open);
}

TEST(HmeshFurther, refuses_what_breaks_a_rule) {
  EXPECT_EQ(why([](Model& m) { m.further_attributes.vertices.resize(60); }),
            "found 60 bytes of VTX2, expected 64 for 4 vertices");
  EXPECT_EQ(why([](Model& m) { m.further_attributes.items[2].name = "HEAT"; }),
            "found the name \"HEAT\", expected one that begins with _");
  EXPECT_EQ(why([](Model& m) { m.further_attributes.items[0].name = "_UV"; }),
            "found the name \"_UV\", expected none for this semantic");
  EXPECT_EQ(why([](Model& m) {
              m.further_attributes.items[1] = m.further_attributes.items[0];
              m.further_attributes.vertices.resize(80);
            }),
            "attribute 1 is the same as one before it");
  EXPECT_EQ(damaged(kFurtherAttributesId, 8, 5), "attribute 0: found semantic 5, expected one of 3, 4, 16");
  EXPECT_EQ(damaged(kFurtherAttributesId, 8 + 4, 18),
            "attribute 0: found vertex format 18, expected one of 1, 2, 3, 4, 19, 20");
  EXPECT_EQ(damaged(kFurtherAttributesId, 0, 12),
            "found a vertex stride of 12 bytes, expected a multiple of 4 of at least 16");
  EXPECT_EQ(why([](Model& m) { m.further_skin[1].joints[0] = 2; }),
            "further skin vertex 1: found joint 2, expected less than 2");
  EXPECT_EQ(why([](Model& m) { m.further_skin[1].weights[0] = -1; }),
            "further skin vertex 1: found weight -1, expected 0 to 1");
  EXPECT_EQ(why([](Model& m) { m.morphs.moves[1].vertex = 1; }),
            "move 1 is of vertex 1, expected an ascending number below 4");
  EXPECT_EQ(why([](Model& m) { m.morphs.moves[1].vertex = 4; }),
            "move 1 is of vertex 4, expected an ascending number below 4");
  EXPECT_EQ(why([](Model& m) { m.morphs.channel_moves[0].vertex = 9; }),
            "channel move 0: found vertex 9, expected less than 4");
  EXPECT_EQ(why([](Model& m) { m.morphs.targets[0].low = 3; }),
            "morph target 0: found weights from 3 to 2, expected finite numbers in order");
  EXPECT_EQ(why([](Model& m) { m.morphs.targets[0].weight = std::numeric_limits<float>::quiet_NaN(); }),
            "morph target 0: the weight holds a number that is not finite");
  EXPECT_EQ(why([](Model& m) { m.morphs.targets[0].position_step = 1e35f; }),
            "morph target 0: found position_step 1e+35, expected a small number of at least 0");
  EXPECT_EQ(why([](Model& m) { m.morphs.groups[0].node = 7; }),
            "morph group 0: found node 7, expected less than 1 or none");
  EXPECT_EQ(why([](Model& m) { m.morphs.channels[0].target = 2; }),
            "morph channel 0: found target 2, expected less than 2");
  EXPECT_EQ(why([](Model& m) { m.morphs.groups.pop_back(); }),
            "the counts of moves, targets or channels of the morph targets disagree");
  EXPECT_EQ(damaged(kMorphsId, 0, 2), "found MRPH version 2, expected 1");
  EXPECT_EQ(damaged(kMorphsId, 12, 65536), "found target_count 65536, expected 1 to 65535");
}

TEST(HmeshFurther, refuses_more_targets_than_a_file_can_hold) {
  Morphs morphs;
  morphs.targets.resize(kMaxMorphTargets + 1);
  morphs.groups = {{kMaxMorphTargets + 1, kNoNode}};
  EXPECT_EQ(write_morphs(morphs, 4).error().to_string(),
            "the mesh has 65536 morph targets, expected at most 65535; set mesh.merge: false, or split the model");
  morphs.targets.pop_back();
  morphs.groups = {{kMaxMorphTargets, kNoNode}};
  EXPECT_TRUE(write_morphs(morphs, 4));
}

}  // namespace
}  // namespace assetc::hmesh
