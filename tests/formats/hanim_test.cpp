#include "assetc/formats/hanim.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "formats/support.hpp"

namespace assetc::hanim {
namespace {

using namespace formats_test;

std::vector<Clip> sample() {
  return {{"run",
           1.5f,
           {{1, Path::kRotation, Interpolation::kLinear, {0, 1.5f}, {0, 0, 0, 1, 1, 0, 0, 0}},
            {0, Path::kTranslation, Interpolation::kStep, {0.5f}, {1, 2, 3}}}},
          {"", 0, {}}};
}

// Two joints below an armature of half the size.
std::vector<Joint> joints() {
  return {{"armature", Joint::kNoParent, {.scale = {0.5f, 0.5f, 0.5f}}},
          {"hip", 0, {.translation = {0, 1, 0}}},
          {"knee", 1, {.rotation = {0, 0, 0.6f, 0.8f}}}};
}

std::string words(const std::function<void(std::vector<Clip>&)>& change) {
  auto clips = sample();
  change(clips);
  const auto r = write(clips);
  return r ? "no error" : r.error().what;
}

TEST(Hanim, round_trips) {
  const ByteVector file = *write(sample());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_clips(), sample());
  const ChannelView& turn = view->clips()[0].channels[0];
  EXPECT_EQ(turn.time(1), 1.5f);
  EXPECT_EQ(turn.value(1), (std::array<float, 4>{1, 0, 0, 0}));
  EXPECT_EQ(view->clips()[0].channels[1].value(0), (std::array<float, 4>{1, 2, 3, 0}));
  EXPECT_TRUE(View::open(*write({})));
}

TEST(Hanim, holds_the_joints_of_clips_without_a_mesh) {
  const ByteVector plain = *write(sample()), file = *write(sample(), joints());
  EXPECT_TRUE(View::open(plain)->joints().empty());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->to_clips(), sample());
  EXPECT_EQ(std::vector<Joint>(view->joints().begin(), view->joints().end()), joints());
  // The joints come after the clips, which are unchanged except for the flag.
  EXPECT_EQ(load<std::uint32_t>(file, 12), kHasJoints);
  EXPECT_TRUE(std::ranges::equal(ByteSpan(file).first(plain.size()).subspan(16), ByteSpan(plain).subspan(16)));
  const std::size_t first = plain.size() + 4;
  EXPECT_EQ(load<std::uint32_t>(file, plain.size()), 3u);
  EXPECT_EQ(load<std::uint16_t>(file, first), 8u);
  EXPECT_EQ(as_text(ByteSpan(file).subspan(first + 2, 8)), "armature");
  EXPECT_EQ(load<std::int32_t>(file, first + 10), -1);
  EXPECT_EQ(load<float>(file, first + 14 + 12 + 16), 0.5f);
  EXPECT_EQ(file.size(), first + 3 * 46 + 8 + 3 + 4);

  expect_every_prefix_refused(file, View::open);
  expect_survives_changed_bytes(file, View::open);
  EXPECT_EQ(View::open(with_extra(file, 1)).error().code, ErrorCode::kInvalidData);
  EXPECT_EQ(View::open(with(file, plain.size(), ~std::uint32_t{0})).error().code, ErrorCode::kTruncated);
  const auto refused = [&](std::size_t at, auto value) { return View::open(with(file, at, value)).error().what; };
  EXPECT_EQ(refused(plain.size(), std::uint32_t{0}), "found joint count 0, expected at least 1");
  EXPECT_EQ(refused(first + 2, std::uint8_t{0xff}), "the name of joint 0 is not UTF-8");
  EXPECT_EQ(refused(first + 10, std::int32_t{0}), "named joint 0: found parent 0, expected -1 or one before it");
  EXPECT_EQ(refused(first + 10, std::int32_t{-2}), "named joint 0: found parent -2, expected -1 or one before it");
  EXPECT_EQ(refused(first + 14, std::numeric_limits<float>::infinity()),
            "named joint 0: the translation holds a number that is not finite");
  const std::vector<Joint> all = joints();
  EXPECT_EQ(write(sample(), std::span(all).first(1)).error().to_string(),
            "clip \"run\" channel 0: moves joint 1, expected less than the 1 of the mesh; compile the mesh and its "
            "clips from one source");
}

TEST(Hanim, matches_joints_by_name_and_says_what_stands_between) {
  const std::vector<Joint> all = joints();
  auto matches = match_joints(all, std::vector<std::string_view>{"root", "knee", "", "hip", "hip"});
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(matches[0].joint, Match::kNone);
  EXPECT_EQ(matches[1].joint, 3u);
  EXPECT_TRUE(matches[1].has_above);
  EXPECT_EQ(matches[1].above, (Transform{.scale = {0.5f, 0.5f, 0.5f}}));
  EXPECT_EQ(matches[2], (Match{1, false, {}}));  // its parent is a joint of the mesh

  // Without the hip, the knee is relative to both. A file that names a joint twice moves it once.
  std::vector<Joint> twice = all;
  twice.push_back({"knee", 0, {}});
  matches = match_joints(twice, std::vector<std::string_view>{"knee"});
  EXPECT_EQ(matches[2].above, (Transform{.translation = {0, 0.5f, 0}, .scale = {0.5f, 0.5f, 0.5f}}));
  EXPECT_EQ(matches[3].joint, Match::kNone);
  EXPECT_EQ(value_below(matches[2].above, Path::kTranslation, {2, 4, 6, 0}), (std::array<float, 4>{1, 2.5f, 3, 0}));
  EXPECT_EQ(value_below(matches[2].above, Path::kScale, {2, 4, 6, 0}), (std::array<float, 4>{1, 2, 3, 0}));

  // A mirror of y equals a mirror of x and half a turn.
  twice[0].rest = {.scale = {1, -1, 1}};
  matches = match_joints(twice, std::vector<std::string_view>{"hip"});
  EXPECT_EQ(matches[1].above.scale, (std::array<float, 3>{-1, 1, 1}));
  const auto moved = value_below(matches[1].above, Path::kTranslation, {1, 2, 3, 0});
  EXPECT_EQ(moved, (std::array<float, 4>{1, -2, 3, 0}));

  // Values outside of the range of floats move nothing.
  twice[0].rest = {.translation = {3e38f, 0, 0}, .scale = {3e38f, 3e38f, 3e38f}};
  twice[1].rest = {.translation = {3e38f, 0, 0}};
  matches = match_joints(twice, std::vector<std::string_view>{"knee"});
  EXPECT_FALSE(matches[2].has_above);
}

TEST(Hanim, opens_at_any_address) {
  const ByteVector file = *write(sample());
  ByteVector shifted(file.size() + 1);
  std::copy(file.begin(), file.end(), shifted.begin() + 1);
  EXPECT_EQ(View::open(ByteSpan(shifted).subspan(1))->to_clips(), sample());
}

TEST(Hanim, keeps_its_golden_bytes) {
  expect_golden("run.hanim", *write(sample()));
  expect_golden("library.hanim", *write(sample(), joints()));
}

TEST(Hanim, lays_out_a_clip_as_specified) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(as_text(ByteSpan(file).first(4)), "HANM");
  EXPECT_EQ(load<std::uint32_t>(file, 8), 2u);
  EXPECT_EQ(load<std::uint16_t>(file, 16), 3u);
  EXPECT_EQ(as_text(ByteSpan(file).subspan(18, 3)), "run");
  EXPECT_EQ(load<float>(file, 21), 1.5f);
  EXPECT_EQ(load<std::uint32_t>(file, 25), 2u);
  EXPECT_EQ(load<std::uint32_t>(file, 29), 1u);
  EXPECT_EQ(load<std::uint8_t>(file, 33), 1u);
  EXPECT_EQ(load<std::uint8_t>(file, 34), 1u);
  EXPECT_EQ(load<std::uint8_t>(file, 35), 4u);
  EXPECT_EQ(load<std::uint32_t>(file, 37), 2u);
}

TEST(Hanim, refuses_every_prefix) { expect_every_prefix_refused(*write(sample()), View::open); }
TEST(Hanim, survives_changed_bytes) { expect_survives_changed_bytes(*write(sample()), View::open); }
TEST(Hanim, rejects_extra_bytes) {
  EXPECT_NE(error_of(View::open(with_extra(*write(sample()), 3))).find("found 3 extra bytes"), std::string::npos);
}
TEST(Hanim, rejects_another_version) {
  EXPECT_EQ(View::open(with(*write(sample()), 4, std::uint32_t{2})).error().code, ErrorCode::kVersion);
}
TEST(Hanim, counts_beyond_the_file_allocate_nothing_large) {
  EXPECT_EQ(View::open(with(*write(sample()), 8, ~std::uint32_t{0})).error().code, ErrorCode::kTruncated);
  EXPECT_FALSE(View::open(with(*write(sample()), 25, ~std::uint32_t{0})));
  EXPECT_EQ(View::open(with(*write(sample()), 37, ~std::uint32_t{0})).error().code, ErrorCode::kTruncated);
}

TEST(Hanim, rejects_bad_channels) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(error_of(View::open(with(file, 33, std::uint8_t{3}))),
            "byte 33: channel 0: found channel path 3, expected 0 to 2; the file is damaged or was cut short; write it "
            "again");
  EXPECT_EQ(View::open(with(file, 34, std::uint8_t{2})).error().what,
            "channel 0: found interpolation 2, expected 0 to 1");
  EXPECT_EQ(View::open(with(file, 35, std::uint8_t{3})).error().what, "found 3 components, expected 4 for this path");
}

TEST(Hanim, rejects_bad_keys) {
  EXPECT_EQ(words([](auto& c) { c[0].channels[0].times = {1, 0.5f}; }),
            "key 1 is at 0.5 seconds, expected 1 to 1.5, the duration of the clip");
  EXPECT_EQ(words([](auto& c) { c[0].channels[0].times = {0, 2}; }),
            "key 1 is at 2 seconds, expected 0 to 1.5, the duration of the clip");
  EXPECT_EQ(words([](auto& c) { c[0].channels[0].times[0] = -1; }),
            "key 0 is at -1 seconds, expected 0 to 1.5, the duration of the clip");
  EXPECT_EQ(words([](auto& c) { c[0].channels[1].values[2] = std::numeric_limits<float>::quiet_NaN(); }),
            "key 0 holds a number that is not finite");
  EXPECT_EQ(words([](auto& c) { c[0].channels[1] = {}; }), "channel 1: found key count 0, expected at least 1");
  EXPECT_EQ(words([](auto& c) { c[0].channels[1].values.pop_back(); }),
            "a channel of clip \"run\" has 1 time and 2 values, expected 3 for each time");
  EXPECT_EQ(words([](auto& c) { c[0].duration_seconds = -1; }),
            "named clip 0: found duration -1, expected a finite number of at least 0");
  EXPECT_EQ(words([](auto& c) { c[0].name = "\xc0\x80"; }), "the name of clip 0 is not UTF-8");
}

TEST(Hanim, checks_joints_against_a_skeleton) {
  const ByteVector file = *write(sample());
  const View view = *View::open(file);
  EXPECT_TRUE(view.check_joints(2));
  EXPECT_EQ(error_of(view.check_joints(1)),
            "clip \"run\" channel 0: moves joint 1, expected less than the 1 of the mesh; compile the mesh and its "
            "clips from one source");
}

}  // namespace
}  // namespace assetc::hanim
