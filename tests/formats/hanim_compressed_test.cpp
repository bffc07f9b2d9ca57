#include "assetc/formats/hanim_compressed.hpp"

#include <bit>
#include <fstream>
#include <iterator>

#include "formats/support.hpp"
#include "places.hpp"

namespace assetc::hanim {
namespace {

using namespace formats_test;

// Written by the compressor's test, which compares it with its own result.
ByteVector golden() {
  std::ifstream in(std::string(places::kSource) + "/tests/formats/golden/clip_v2.hanim", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const ByteSpan bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

std::string refused(ByteSpan file) {
  const auto view = CompressedView::open(Exact(file));
  return view ? "no error" : view.error().to_string();
}

TEST(HanimCompressed, opens_its_golden_file) {
  const ByteVector file = golden();
  const auto view = CompressedView::open(file);
  ASSERT_TRUE(view) << view.error().to_string();
  ASSERT_EQ(view->clips().size(), 1u);
  const CompressedClip& clip = view->clips()[0];
  EXPECT_EQ(clip.name(), "walk");
  EXPECT_EQ(clip.frame_count(), 70u);
  EXPECT_EQ(clip.rotation_count(), 2u);
  EXPECT_EQ(clip.vector_count(), 1u);
  EXPECT_EQ(clip.curve_count(), 1u);
  EXPECT_EQ(clip.sampled_target(1), (Target{Property::kRotation, 4, 1, 0}));
  EXPECT_EQ(clip.curve(0).target, (Target{Property::kScale, 3, 2, 0}));
  EXPECT_EQ(clip.curve(0).key_count, 2u);
  EXPECT_EQ(version_of(file), 2u);
  EXPECT_EQ(version_of(ByteSpan(file).first(7)), 0u);
}

TEST(HanimCompressed, refuses_damage) {
  const ByteVector file = golden();
  expect_every_prefix_refused(file, CompressedView::open);
  expect_survives_changed_bytes(file, CompressedView::open);
  EXPECT_EQ(
      refused(with_extra(file, 1)),
      "byte " + std::to_string(file.size()) +
          ": found 1 extra byte, expected the end of the file; the file is damaged or was cut short; write it again");
  EXPECT_EQ(refused(with(file, 28, std::uint32_t{2})),
            "byte 28: found flags 2, expected only bits of 1; the file is damaged or was cut short; write it again");
  EXPECT_EQ(refused(with(file, 4, std::uint32_t{3})).find("byte 4: found hanim version 3"), 0u)
      << refused(with(file, 4, std::uint32_t{3}));
}

// The golden clip: a header of 32 bytes, tags, a range, a curve, the offsets of three segments.
TEST(HanimCompressed, refuses_rows_that_do_not_fit_the_tracks) {
  const ByteVector file = golden();
  const std::size_t clip = 64;  // behind the header, the clip entry, the name and 4 bytes of padding
  ASSERT_EQ(load<std::uint32_t>(file, clip + 4), 70u);
  const std::size_t segment = clip + load<std::uint32_t>(file, clip + 32 + 12 + 28 + 16), modes = segment + 24;
  const auto set = load<std::uint32_t>(file, modes), size = load<std::uint32_t>(file, modes + 4);
  const std::string hint = "; the file is damaged or was cut short; write it again";
  EXPECT_EQ(refused(with(file, modes, std::uint32_t{set | 1u << 6})),
            "byte " + std::to_string(modes) + ": clip \"walk\": segment 0 has rows of modes " +
                std::to_string(set | 1u << 6) + ", expected those of its tracks, " + std::to_string(set) + hint);
  EXPECT_EQ(refused(with(file, modes + 4, size + 1)),
            "byte " + std::to_string(modes + 4) + ": clip \"walk\": a row of mode " +
                std::to_string(std::countr_zero(set)) + " has " + std::to_string(size + 1) + " bytes, expected " +
                std::to_string(size) + hint);
}

TEST(HanimCompressed, checks_what_clips_move) {
  const ByteVector file = golden();
  const auto view = CompressedView::open(file);
  EXPECT_TRUE(view->check_targets(3, 0, 0));
  EXPECT_EQ(view->check_targets(2, 0, 0).error().to_string(),
            "clip \"walk\": moves node 2, expected less than 2; compile the clips and their model from one source");
}

TEST(HanimCompressed, says_that_clips_are_of_a_scene) {
  const ByteVector file = write_compressed({}, {}, 1, 1, kOfScene).value();
  EXPECT_TRUE(CompressedView::open(file)->is_of_scene());
  EXPECT_FALSE(CompressedView::open(golden())->is_of_scene());
  EXPECT_FALSE(write_compressed({}, std::vector<Joint>(1), 1, 1, kOfScene));
}

TEST(HanimCompressed, holds_joints) {
  const std::vector<Joint> joints{{"hip", Joint::kNoParent, {}}, {"knee", 0, {.translation = {0, 1, 0}}}};
  const auto file = write_compressed({}, joints, 0.5f, 0.25f);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = CompressedView::open(*file);
  ASSERT_TRUE(view);
  EXPECT_EQ(std::vector<Joint>(view->joints().begin(), view->joints().end()), joints);
  EXPECT_EQ(view->error_meters(), 0.5f);
  EXPECT_EQ(view->radius_meters(), 0.25f);
  expect_every_prefix_refused(*file, CompressedView::open);
  expect_survives_changed_bytes(*file, CompressedView::open);
  EXPECT_EQ(refused(with(*file, 32 + 52 + 8, std::int32_t{1})),
            "byte 92: joint 1: found parent 1, expected -1 or one before it; the file is damaged or was cut short; "
            "write it again");
}

}  // namespace
}  // namespace assetc::hanim
