#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recipes/fake_inputs.hpp"
#include "recipes/ktx2_pixels.hpp"

namespace assetc::recipes {
namespace {

using assetc::testing::inflate_level;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Result<Product> cook_lut(const std::string& text, const Settings& settings = {}) {
  FakeInputs inputs;
  inputs.files = {{"warm.lut.cube", text}};
  Step step;
  step.recipe = find_recipe("lut");
  step.source = step.input_path = "warm.lut.cube";
  step.stem = "warm.lut";
  step.settings = settings;
  return step.recipe->cook(step, inputs);
}

std::string identity(unsigned size, const std::string& head = {}, float scale = 1) {
  std::string text = head + "LUT_3D_SIZE " + std::to_string(size) + "\n";
  for (unsigned b = 0; b < size; ++b) {
    for (unsigned g = 0; g < size; ++g) {
      for (unsigned r = 0; r < size; ++r) {
        for (unsigned v : {r, g, b})
          text += std::to_string(scale * static_cast<float>(v) / static_cast<float>(size - 1)) + " ";
        text += "\n";
      }
    }
  }
  return text;
}

TEST(LutRecipe, writes_a_3d_texture_red_along_x) {
  const auto product = cook_lut(identity(5));
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_THAT(product->diagnostics, IsEmpty());
  ASSERT_EQ(product->outputs.size(), 1u);
  EXPECT_EQ(product->outputs[0].suffix, ".ktx2");
  EXPECT_EQ(product->outputs[0].descriptor.kind, AssetKind::kLut);
  const auto view = ktx2::View::open(product->outputs[0].bytes);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->format(), TexelFormat::kRgba8);
  EXPECT_FALSE(view->is_srgb());
  EXPECT_EQ(view->depth_texels(), 5u);
  EXPECT_EQ(view->levels().size(), 1u);
  EXPECT_EQ(view->supercompression(), ktx2::Supercompression::kZstd);
  const ByteVector texels = inflate_level(*view, 0);
  ASSERT_EQ(texels.size(), 5u * 5 * 5 * 4);
  const auto at = [&](std::size_t r, std::size_t g, std::size_t b) {
    const std::size_t i = ((b * 5 + g) * 5 + r) * 4;
    return std::array{std::to_integer<int>(texels[i]), std::to_integer<int>(texels[i + 1]),
                      std::to_integer<int>(texels[i + 2]), std::to_integer<int>(texels[i + 3])};
  };
  EXPECT_THAT(at(1, 0, 0), ElementsAre(64, 0, 0, 255));
  EXPECT_THAT(at(0, 2, 0), ElementsAre(0, 128, 0, 255));
  EXPECT_THAT(at(0, 0, 3), ElementsAre(0, 0, 191, 255));
  EXPECT_THAT(at(4, 4, 4), ElementsAre(255, 255, 255, 255));
}

TEST(LutRecipe, a_wider_domain_is_sampled_again_over_zero_to_one) {
  // Values equal to the input color over 0 to 2, which over 0 to 1 is the identity again.
  const auto wide = cook_lut(identity(5, "DOMAIN_MAX 2 2 2\n", 2));
  ASSERT_TRUE(wide) << wide.error().to_string();
  EXPECT_EQ(as_text(wide->outputs[0].bytes), as_text(cook_lut(identity(5))->outputs[0].bytes));
  ASSERT_EQ(wide->diagnostics.size(), 1u);
  EXPECT_EQ(wide->diagnostics[0].what.to_string(),
            "DOMAIN_MAX: the table covers colors outside 0 to 1; only that range is kept; apply the grade after "
            "tone mapping");
}

TEST(LutRecipe, values_outside_are_clamped_and_counted) {
  const auto product = cook_lut(identity(2, "", 1.5f));
  ASSERT_TRUE(product);
  ASSERT_EQ(product->diagnostics.size(), 1u);
  EXPECT_EQ(product->diagnostics[0].what.what, "12 values lie outside 0 to 1 and are clamped");
}

TEST(LutRecipe, zstd_level_is_honored) {
  Settings settings;
  settings.texture.zstd_level = 1;
  EXPECT_NE(as_text(cook_lut(identity(17), settings)->outputs[0].bytes),
            as_text(cook_lut(identity(17))->outputs[0].bytes));
}

TEST(LutRecipe, errors_are_the_parsers) {
  const auto product = cook_lut("LUT_1D_SIZE 4\n");
  ASSERT_FALSE(product);
  EXPECT_EQ(product.error().place, "line 1");
}

}  // namespace
}  // namespace assetc::recipes
