#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/ktx2.hpp"
#include "import/image_builders.hpp"
#include "recipes/fake_inputs.hpp"

namespace assetc::recipes {
namespace {

using assetc::testing::encode_png_rgba8;
using assetc::testing::noise_bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string png(std::uint32_t width, std::uint32_t height) {
  return std::string(as_text(encode_png_rgba8(width, height, noise_bytes(std::size_t{width} * height * 4))));
}
// Flat RGBE texels of 1, 0.5 and 0.25.
std::string hdr(int width, int height) {
  std::string file =
      "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y " + std::to_string(height) + " +X " + std::to_string(width) + "\n";
  for (int i = 0; i < width * height; ++i) file += "\x80\x40\x20\x81";
  return file;
}

Step environment_step(const std::string& path, std::string_view mode) {
  Step step;
  step.recipe = find_recipe("environment");
  step.source = step.input_path = path;
  step.stem = path.substr(0, path.rfind('.'));
  step.params.emplace("mode", mode);
  step.settings.texture.quality = codec::Effort::kFast;
  step.settings.environment.samples = 16;
  return step;
}

std::vector<std::string> suffixes(const Product& product) {
  std::vector<std::string> all;
  all.reserve(product.outputs.size());
  for (const Output& output : product.outputs) all.push_back(output.suffix);
  return all;
}

TEST(EnvironmentRecipe, a_panorama_becomes_three_textures) {
  FakeInputs inputs;
  inputs.files = {{"sky.env.hdr", hdr(32, 16)}};
  Step step = environment_step("sky.env.hdr", "hdr");
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_THAT(suffixes(*product), ElementsAre(".ktx2", ".specular.ktx2", ".irradiance.ktx2"));
  for (const Output& output : product->outputs) {
    EXPECT_EQ(output.descriptor.kind, AssetKind::kTexture);
    EXPECT_FALSE(output.descriptor.srgb);
    const auto view = ktx2::View::open(output.bytes);
    ASSERT_TRUE(view) << view.error().to_string();
    EXPECT_TRUE(view->is_cubemap());
    EXPECT_EQ(view->primaries(), static_cast<std::uint8_t>(ktx2::Primaries::kBt709));  // light is color
  }
  EXPECT_GT(step.recipe->estimate_peak_bytes(step, inputs), 32u * 16 * 16);
}

TEST(EnvironmentRecipe, settings_leave_files_out) {
  FakeInputs inputs;
  inputs.files = {{"sky.env.png", png(16, 8)}};
  Step step = environment_step("sky.env.png", "color");
  step.settings.environment.specular_size_texels = 0;
  auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_THAT(suffixes(*product), ElementsAre(".ktx2", ".irradiance.ktx2"));
  EXPECT_TRUE(product->outputs[0].descriptor.srgb);
  EXPECT_FALSE(product->outputs[1].descriptor.srgb);
  step.settings.environment.irradiance_size_texels = 0;
  product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product);
  EXPECT_THAT(suffixes(*product), ElementsAre(".ktx2"));
}

TEST(EnvironmentRecipe, errors_are_those_of_the_picture) {
  FakeInputs inputs;
  inputs.files = {{"sky.env.png", png(16, 9)}, {"bad.env.hdr", "#?RADIANCE\n"}};
  Step step = environment_step("sky.env.png", "color");
  EXPECT_THAT(step.recipe->cook(step, inputs).error().to_string(), HasSubstr("found a panorama of 16x9 texels"));
  step = environment_step("bad.env.hdr", "hdr");
  EXPECT_THAT(step.recipe->cook(step, inputs).error().to_string(), HasSubstr("the HDR header has no end"));
  EXPECT_GT(step.recipe->estimate_peak_bytes(step, inputs), 0u);
}

// Six faces of light give a cubemap of light, too.
TEST(CubemapRecipe, faces_past_white_are_half_floats) {
  FakeInputs inputs;
  for (const char* face : {"px", "nx", "py", "ny", "pz", "nz"})
    inputs.files[std::string("sky.env/") + face + ".hdr"] = hdr(4, 4);
  Step step;
  step.recipe = find_recipe("environment");
  step.source = step.input_path = step.stem = "sky.env";
  step.params.emplace("mode", "color");
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  const auto view = ktx2::View::open(product->outputs.at(0).bytes);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->format(), TexelFormat::kRgba16f);
  EXPECT_EQ(view->face_count(), 6u);
}

// The cubemap keeps alpha; the maps that are filtered from it do not.
TEST(CubemapRecipe, alpha_that_light_drops_is_named) {
  FakeInputs inputs;
  const ByteVector opaque(4 * 4 * 4, std::byte{255});
  for (const char* face : {"px", "nx", "py", "ny", "pz"})
    inputs.files[std::string("sky.env/") + face + ".png"] = as_text(encode_png_rgba8(4, 4, opaque));
  inputs.files["sky.env/nz.png"] = png(4, 4);
  Step step = environment_step("sky.env", "color");
  const auto cooked = [&] { return step.recipe->cook(step, inputs); };
  const auto both = cooked();
  ASSERT_TRUE(both) << both.error().to_string();
  ASSERT_EQ(both->diagnostics.size(), 1u);
  EXPECT_EQ(
      both->diagnostics[0].what.to_string(),
      "sky.env/nz.png: specular and diffuse light of a face with alpha: alpha is dropped; store the alpha channel "
      "in a separate texture");
  EXPECT_TRUE(find_setting("texture.channels")->set(step.settings, "rgba"));
  EXPECT_EQ(cooked()->diagnostics.size(), 1u);
  EXPECT_TRUE(find_setting("texture.channels")->set(step.settings, "rgb"));
  EXPECT_EQ(cooked()->diagnostics.size(), 0u);
  EXPECT_TRUE(find_setting("texture.channels")->set(step.settings, "auto"));
  step.settings.environment.specular_size_texels = 0;
  EXPECT_EQ(cooked()->diagnostics.size(), 1u);
  step.settings.environment.irradiance_size_texels = 0;
  EXPECT_EQ(cooked()->diagnostics.size(), 0u);
}

}  // namespace
}  // namespace assetc::recipes
