#include "base/ascii.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assetc
