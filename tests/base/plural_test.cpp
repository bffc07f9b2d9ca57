#include "base/plural.hpp"

#include <gtest/gtest.h>

namespace assetc {
namespace {

TEST(Plural, is_the_noun_of_the_count) {
  EXPECT_EQ(plural(1, "entry"), "1 entry");
  EXPECT_EQ(plural(2, "entry"), "2 entries");
  EXPECT_EQ(plural(2, "key"), "2 keys");
  EXPECT_EQ(plural(1, "day"), "1 day");
  EXPECT_EQ(plural(3, "day"), "3 days");
  EXPECT_EQ(plural(2, "vertex"), "2 vertices");
  EXPECT_EQ(plural(2, "index"), "2 indices");
  EXPECT_EQ(plural(0, "mesh"), "0 meshes");
  EXPECT_EQ(plural(2, "glyph"), "2 glyphs");
  EXPECT_EQ(plural(1, "batch"), "1 batch");
  EXPECT_EQ(plural(12345, "batch"), "12,345 batches");
}

TEST(Plural, has_numbers_for_people_or_as_files_have_them) {
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "byte"), "1 byte");
  EXPECT_EQ(counted(12345, "byte"), "12345 bytes");
}

}  // namespace
}  // namespace assetc
