// The registry that a bundle is made from, as tools read it.
#include "bundle/cooked.hpp"

#include <gtest/gtest.h>

namespace assetc::bundle {
namespace {

std::string refusal(std::string_view json) {
  const auto read = read_registry(json);
  return read ? "" : read.error().to_string();
}

TEST(CookedRegistry, takes_a_byte_order_mark_and_line_ends_of_windows) {
  EXPECT_EQ(refusal("\xEF\xBB\xBF{\"SchemaVersion\": 1,\r\n\"Assets\": []}\r\n"), "");
}

TEST(CookedRegistry, is_refused_with_its_place) {
  EXPECT_EQ(refusal("{\n,"), "line 2, column 1: found text that is not JSON; cook again");
  EXPECT_EQ(refusal("{\"SchemaVersion\": 1e999}"), "found a number that is out of range; cook again");
  EXPECT_EQ(refusal("[]"), "/: expected an object; cook again");
}

TEST(CookedRegistry, a_prefix_is_a_path_a_path_with_a_star_or_a_star) {
  for (const char* prefix : {"Engine", "Engine/", "Engine/*", "engine/*", "*", "Engine/Textures/Wood"})
    EXPECT_TRUE(is_below("Engine/Textures/Wood", prefix)) << prefix;
  for (const char* prefix : {"Engin", "Engin*", "Demo/*", "Engine/Text*"})
    EXPECT_FALSE(is_below("Engine/Textures/Wood", prefix)) << prefix;
}

}  // namespace
}  // namespace assetc::bundle
