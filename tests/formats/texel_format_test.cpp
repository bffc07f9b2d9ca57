#include "assetc/formats/texel_format.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "assetc/formats/ktx2.hpp"

namespace assetc {
namespace {

TEST(TexelFormat, names_are_one_each) {
  std::set<std::string_view> names;
  for (std::size_t f = 0; f < kTexelFormatCount; ++f) names.insert(to_string(static_cast<TexelFormat>(f)));
  EXPECT_EQ(names.size(), kTexelFormatCount);
  EXPECT_EQ(to_string(TexelFormat::kAstc10x6), "astc10x6");
}

TEST(TexelFormat, blocks_are_larger_than_a_texel_where_they_are_compressed) {
  EXPECT_EQ(block_shape(TexelFormat::kAstc10x6), (BlockShape{10, 6, 1, 16}));
  EXPECT_EQ(block_shape(TexelFormat::kRgb8), (BlockShape{1, 1, 1, 3}));
  EXPECT_TRUE(is_block_compressed(TexelFormat::kUastc));
  EXPECT_FALSE(is_block_compressed(TexelFormat::kRgba32f));
}

// Vulkan has a format for each transfer function, except for UASTC and ETC1S, which Vulkan does not have and which
// allow both.
TEST(TexelFormat, the_forms_are_those_of_vulkan) {
  for (std::size_t f = 0; f < kTexelFormatCount; ++f) {
    const auto format = static_cast<TexelFormat>(f);
    EXPECT_EQ(has_srgb_form(format), ktx2::vk_format(format, ktx2::Transfer::kSrgb).has_value()) << to_string(format);
  }
}

}  // namespace
}  // namespace assetc
