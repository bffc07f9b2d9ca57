#include "base/ascii.hpp"

#include <gtest/gtest.h>

#include "base/percent.hpp"

namespace assetc {
namespace {

TEST(Ascii, lowers_a_to_z_and_nothing_else) {
  EXPECT_EQ(ascii_lower("Chair_01 @[`{ \xc3\x84"), "chair_01 @[`{ \xc3\x84");
  EXPECT_EQ(ascii_lower('Z'), 'z');
}

TEST(Ascii, ends_with_whatever_the_case) {
  EXPECT_TRUE(ends_with_ignoring_case("a/Chair.GlTf", ".gltf"));
  EXPECT_TRUE(ends_with_ignoring_case(".gltf", ".gltf"));
  EXPECT_FALSE(ends_with_ignoring_case("gltf", ".gltf"));
  EXPECT_FALSE(ends_with_ignoring_case("a.gltf.bak", ".gltf"));
  EXPECT_TRUE(ends_with_ignoring_case("", ""));
}

TEST(Ascii, trims_the_ends_alone) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed("a\r"), "a\r");
  EXPECT_EQ(trimmed("a\r", " \t\r"), "a");
  for (const char* nothing : {"", " ", " \t "}) EXPECT_EQ(trimmed(nothing), "");
}

TEST(Percent, encodes_all_bytes_but_plain_ones) {
  EXPECT_EQ(percent_encoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encoded("a/b c%\xC3\xA4"), "a%2Fb%20c%25%C3%A4");
  EXPECT_EQ(percent_encoded("a/b", kUnreservedAndSlash), "a/b");
  EXPECT_EQ(percent_encoded(std::string_view("\0~", 2), "-._"), "%00%7E");
}

}  // namespace
}  // namespace assetc
