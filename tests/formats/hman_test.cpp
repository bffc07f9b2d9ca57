#include "assetc/formats/hman.hpp"

#include <algorithm>

#include "assetc/base/hash.hpp"
#include "formats/support.hpp"

namespace assetc::hman {
namespace {

using namespace formats_test;

std::vector<Entry> sample() {
  return {texture_entry("models/court/tex_0.ktx2", Colorspace::kSrgb),
          texture_entry("models/court/tex_1.ktx2", Colorspace::kLinear),
          Entry{hash_embed_ref("ui/logo.svg"), Kind::kEmbed, Colorspace::kLinear, "ui/logo.svg"}};
}

TEST(Hman, round_trips_sorted_by_hash) {
  const ByteVector file = *write(sample());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  ASSERT_EQ(view->entries().size(), 3u);
  EXPECT_TRUE(
      std::is_sorted(view->entries().begin(), view->entries().end(), [](auto& a, auto& b) { return a.hash < b.hash; }));
  const EntryView* found = view->find(hash_asset_ref("models/court/tex_0"));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->path, "models/court/tex_0.ktx2");
  EXPECT_EQ(found->colorspace, Colorspace::kSrgb);
  EXPECT_EQ(view->find(1), nullptr);
  EXPECT_TRUE(View::open(*write({})));
}

TEST(Hman, order_and_repeats_do_not_change_the_bytes) {
  auto shuffled = sample();
  std::reverse(shuffled.begin(), shuffled.end());
  shuffled.push_back(shuffled[0]);
  EXPECT_EQ(*write(shuffled), *write(sample()));
}

TEST(Hman, keeps_its_golden_bytes) { expect_golden("three.hman", *write(sample())); }

TEST(Hman, lays_out_an_entry_as_specified) {
  const ByteVector file = *write({texture_entry("a.ktx2", Colorspace::kSrgb)});
  EXPECT_EQ(as_text(ByteSpan(file).first(4)), "HMAN");
  EXPECT_EQ(load<std::uint64_t>(file, 16), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(load<std::uint8_t>(file, 24), 0u);
  EXPECT_EQ(load<std::uint8_t>(file, 25), 1u);
  EXPECT_EQ(load<std::uint16_t>(file, 26), 6u);
  EXPECT_EQ(as_text(ByteSpan(file).subspan(28)), "a.ktx2");
}

TEST(Hman, says_that_it_is_incomplete_in_a_flag_and_ignores_others) {
  EXPECT_FALSE(View::open(*write(sample()))->is_incomplete());
  const ByteVector file = *write(sample(), true);
  EXPECT_EQ(load<std::uint32_t>(file, 12), 1u);
  EXPECT_TRUE(View::open(file)->is_incomplete());
  EXPECT_FALSE(View::open(with(file, 12, std::uint32_t{0xfffffffe}))->is_incomplete());
}

TEST(Hman, refuses_every_prefix) { expect_every_prefix_refused(*write(sample()), View::open); }
TEST(Hman, survives_changed_bytes) { expect_survives_changed_bytes(*write(sample()), View::open); }
TEST(Hman, rejects_extra_bytes) {
  EXPECT_NE(error_of(View::open(with_extra(*write(sample()), 1))).find("found 1 extra byte"), std::string::npos);
}
TEST(Hman, rejects_another_version) {
  EXPECT_EQ(View::open(with(*write(sample()), 4, std::uint32_t{2})).error().code, ErrorCode::kVersion);
}

TEST(Hman, a_collision_names_both_paths) {
  Entry a = texture_entry("a.ktx2", Colorspace::kLinear);
  Entry b = texture_entry("b.ktx2", Colorspace::kLinear);
  b.hash = a.hash;
  EXPECT_EQ(error_of(write({a, b})),
            "hash 0xaf63dc4c8601ec8c stands for both \"a.ktx2\" and \"b.ktx2\"; rename the source of one of them");
  EXPECT_EQ(write({a, b}).error().code, ErrorCode::kConflict);
}

TEST(Hman, two_color_spaces_of_one_path_conflict) {
  EXPECT_EQ(error_of(write({texture_entry("a.ktx2", Colorspace::kLinear), texture_entry("a.ktx2", Colorspace::kSrgb)})),
            "\"a.ktx2\" is listed twice, with two kinds or color spaces; use the image in one color space, or make a "
            "copy of it");
}

TEST(Hman, rejects_a_hash_that_is_not_its_paths) {
  const ByteVector file = *write({texture_entry("a.ktx2", Colorspace::kSrgb)});
  EXPECT_EQ(View::open(with(file, 16, std::uint64_t{1})).error().what,
            "found hash 0x0000000000000001, expected 0xaf63dc4c8601ec8c, that of \"a.ktx2\"");
}

TEST(Hman, rejects_paths_that_leave_the_root) {
  for (const char* path : {"/a.ktx2", "../a.ktx2", "a/../b.ktx2", "a//b.ktx2", "a\\b.ktx2", "c:a.ktx2", "a/./b.ktx2",
                           "a\nb.ktx2", "\xff.ktx2"}) {
    const auto r = write({texture_entry(path, Colorspace::kLinear)});
    EXPECT_NE(error_of(r).find("is not below the output root"), std::string::npos) << path;
  }
  EXPECT_EQ(write({texture_entry("a.png", Colorspace::kLinear)}).error().what,
            "texture \"a.png\" does not end in .ktx2");
}

TEST(Hman, rejects_hashes_that_do_not_ascend) {
  Entry a = texture_entry("a.ktx2", Colorspace::kLinear);
  Entry b = texture_entry("b.ktx2", Colorspace::kLinear);
  const ByteVector first = *write({a});
  const ByteVector second = *write({b});
  const bool a_is_less = a.hash < b.hash;
  ByteVector file = with(a_is_less ? second : first, 8, std::uint32_t{2});
  append_bytes(file, ByteSpan(a_is_less ? first : second).subspan(16));
  EXPECT_NE(error_of(View::open(file)).find("expected them to ascend"), std::string::npos);
  ByteVector twice = with(first, 8, std::uint32_t{2});
  append_bytes(twice, ByteSpan(first).subspan(16));
  EXPECT_EQ(View::open(twice).error().code, ErrorCode::kConflict);
}

TEST(Hman, keeps_kinds_it_does_not_know) {
  const auto file = write({Entry{7, static_cast<Kind>(42), Colorspace::kLinear, "x.bin"}});
  ASSERT_TRUE(file) << error_of(file);
  EXPECT_EQ(to_string(View::open(*file)->entries()[0].kind), "other");
}

}  // namespace
}  // namespace assetc::hman
