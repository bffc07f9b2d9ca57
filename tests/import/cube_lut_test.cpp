#include "import/cube_lut.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assetc::importer {
namespace {

using ::testing::ElementsAre;

constexpr const char* kSmall =
    "# made by hand\n"
    "TITLE \"warm\"\n"
    "\n"
    "LUT_3D_SIZE 2\r\n"
    "DOMAIN_MIN 0 0 0\n"
    "DOMAIN_MAX 1.0 1.0 1.0\n"
    "0 0 0\n1 0 0\n0 1 0\n1 1 0\n"
    "0 0 1\n+1 0 1\n 0\t1 1 \n1e0 1 .5\n";

Result<CubeLut> parse(std::string_view text) { return parse_cube_lut(as_bytes(text)); }
std::string refusal(std::string_view text) {
  const auto lut = parse(text);
  EXPECT_FALSE(lut) << text;
  return lut ? std::string() : lut.error().to_string();
}

TEST(cube_lut, reads_samples_red_fastest) {
  const auto lut = parse(kSmall);
  ASSERT_TRUE(lut) << lut.error().to_string();
  EXPECT_EQ(lut->size, 2u);
  EXPECT_EQ(lut->title, "warm");
  ASSERT_EQ(lut->values.size(), 24u);
  EXPECT_EQ(lut->values[3], 1.0f);
  EXPECT_EQ(lut->values[7], 1.0f);
  EXPECT_EQ(lut->values[23], 0.5f);
}

TEST(cube_lut, a_last_line_without_end_counts_and_a_byte_order_mark_does_not) {
  const std::string text = std::string("\xEF\xBB\xBF") + kSmall;
  EXPECT_TRUE(parse(std::string_view(text).substr(0, text.size() - 1)));
}

TEST(cube_lut, domains_of_both_dialects) {
  const auto lut = parse(
      "LUT_3D_SIZE 2\nDOMAIN_MIN -1 0 0\nDOMAIN_MAX 2 1 1\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n");
  ASSERT_TRUE(lut);
  EXPECT_THAT(lut->domain_min, ElementsAre(-1, 0, 0));
  EXPECT_THAT(lut->domain_max, ElementsAre(2, 1, 1));
  const auto older =
      parse("LUT_3D_INPUT_RANGE 0.0 4.0\nLUT_3D_SIZE 2\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n");
  ASSERT_TRUE(older);
  EXPECT_THAT(older->domain_max, ElementsAre(4, 4, 4));
}

TEST(cube_lut, errors_name_the_line) {
  EXPECT_EQ(refusal(""), "line 0: the file ends without LUT_3D_SIZE");
  EXPECT_EQ(refusal("0 0 0\n"), "line 1: found a sample before LUT_3D_SIZE");
  EXPECT_EQ(refusal("\nLUT_1D_SIZE 16\n"),
            "line 2: found a one-dimensional table, expected LUT_3D_SIZE; export the grade as a 3D LUT");
  EXPECT_EQ(refusal("LUT_3D_SIZE 1\n"), "line 1: found LUT_3D_SIZE \"1\", expected 2 to 256");
  EXPECT_EQ(refusal("LUT_3D_SIZE 257\n"),
            "line 1: found LUT_3D_SIZE 257, the limit is 256; export the grade at 33 or 65");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\nLUT_3D_SIZE 2\n"), "line 2: found LUT_3D_SIZE a second time");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\n0 0 zero\n"), "line 2: found \"zero\", expected a number");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\n0 0 nan\n"),
            "line 2: found \"nan\", expected a finite number; export the table again");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\nNaN 0 0\n"),
            "line 2: found \"NaN\", expected a finite number; export the table again");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\n0 0 1e99\n"), "line 2: found \"1e99\", a number out of range");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\n0 0\n"), "line 2: found the end of the line, expected a number");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\n0 0 0 0\n"), "line 2: found \"0\" after the last value of the line");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\n0 0 0\nDOMAIN_MIN 0 0 0\n"),
            "line 3: found \"DOMAIN_MIN\" between samples, expected it above them");
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\n0 0 0\n1 1 1\n"),
            "line 3: the file ends after 2 samples, expected 8 for LUT_3D_SIZE 2; export the table again");
  EXPECT_EQ(refusal(std::string(kSmall) + "0 0 0\n"), "line 15: found more than the 8 samples of LUT_3D_SIZE 2");
}

TEST(cube_lut, empty_domain_is_refused) {
  EXPECT_EQ(refusal("LUT_3D_SIZE 2\nDOMAIN_MAX 0 1 1\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n"),
            "DOMAIN_MIN is not below DOMAIN_MAX in each channel; leave both out for 0 to 1");
}

TEST(cube_lut, unknown_keywords_are_notes) {
  const auto lut = parse(std::string("LUT_IN_VIDEO_RANGE\n") + kSmall);
  ASSERT_TRUE(lut);
  ASSERT_EQ(lut->notes.size(), 1u);
  EXPECT_EQ(lut->notes[0].to_string(), "line 1: the keyword \"LUT_IN_VIDEO_RANGE\" is not supported; it is ignored");
}

TEST(cube_lut, every_prefix_short_of_the_last_sample_is_refused) {
  const std::string text = kSmall;
  const std::size_t enough = text.size() - 3;  // "1e0 1 " lacks its last number; "1e0 1 ." its digit
  for (std::size_t size = 0; size < enough; ++size) {
    const std::string exact = text.substr(0, size);
    EXPECT_FALSE(parse(exact)) << size;
  }
}

}  // namespace
}  // namespace assetc::importer
