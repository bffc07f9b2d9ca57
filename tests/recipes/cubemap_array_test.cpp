#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/image_builders.hpp"
#include "recipes/fake_inputs.hpp"
#include "recipes/ktx2_pixels.hpp"

namespace assetc::recipes {
namespace {

using assetc::testing::encode_png_rgba8;
using assetc::testing::read_pixels;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string flat_png(std::uint32_t width, std::uint32_t height, int red) {
  ByteVector rgba;
  for (std::uint32_t i = 0; i < width * height; ++i) {
    for (int v : {red, 20, 30, 255}) rgba.push_back(static_cast<std::byte>(v));
  }
  return std::string(as_text(encode_png_rgba8(width, height, rgba)));
}

Step folder_step(std::string_view recipe, const std::string& folder) {
  Step step;
  step.recipe = find_recipe(recipe);
  step.source = step.input_path = folder;
  step.stem = folder;
  return step;
}

FakeInputs sky() {
  FakeInputs inputs;
  int red = 10;
  for (const char* face : {"px", "nx", "py", "ny", "pz", "nz"})
    inputs.files[std::string("sky.env/") + face + ".png"] = flat_png(8, 8, red += 30);
  return inputs;
}

Result<Product> cook_sky(FakeInputs& inputs) {
  const Step step = folder_step("environment", "sky.env");
  return step.recipe->cook(step, inputs);
}

TEST(CubemapRecipe, faces_are_in_the_order_of_the_format) {
  FakeInputs inputs = sky();
  const auto product = cook_sky(inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_TRUE(product->outputs.at(0).descriptor.srgb);
  const auto view = ktx2::View::open(product->outputs[0].bytes);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_TRUE(view->is_cubemap());
  EXPECT_TRUE(view->is_srgb());
  EXPECT_EQ(view->levels().size(), 4u);
  for (std::size_t face = 0; face < 6; ++face) {
    for (std::size_t level = 0; level < 4; ++level) {
      EXPECT_EQ(read_pixels(product->outputs[0].bytes, level, face).at(0, 0)[0], 40 + static_cast<int>(face) * 30)
          << face << " " << level;
    }
  }
}

TEST(CubemapRecipe, faces_light_as_a_panorama_does) {
  FakeInputs inputs = sky();
  Step step = folder_step("environment", "sky.env");
  step.settings.environment.samples = 16;
  auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  ASSERT_EQ(product->outputs.size(), 3u);
  EXPECT_EQ(product->outputs[1].suffix, ".specular.ktx2");
  EXPECT_EQ(product->outputs[2].suffix, ".irradiance.ktx2");
  for (std::size_t i = 1; i < 3; ++i) {
    const auto view = ktx2::View::open(product->outputs[i].bytes);
    ASSERT_TRUE(view) << view.error().to_string();
    EXPECT_TRUE(view->is_cubemap());
    EXPECT_FALSE(product->outputs[i].descriptor.srgb);
    EXPECT_EQ(product->outputs[i].descriptor.kind, AssetKind::kTexture);
  }
  EXPECT_FALSE(ktx2::View::open(product->outputs[2].bytes)->text("sh").empty());
  const std::uint64_t lit = step.recipe->estimate_peak_bytes(step, inputs);
  step.settings.environment.specular_size_texels = step.settings.environment.irradiance_size_texels = 0;
  product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_EQ(product->outputs.size(), 1u);
  const std::uint64_t seen = step.recipe->estimate_peak_bytes(step, inputs);
  EXPECT_GT(seen, 8u * 8 * 4);
  EXPECT_GT(lit, seen);
}

TEST(CubemapRecipe, missing_faces_are_all_named) {
  FakeInputs inputs = sky();
  inputs.files.erase("sky.env/ny.png");
  inputs.files.erase("sky.env/pz.png");
  const auto product = cook_sky(inputs);
  ASSERT_FALSE(product);
  EXPECT_EQ(product.error().to_string(), "a cubemap has six faces; missing: ny.png, pz.png; add them to this folder");
}

TEST(CubemapRecipe, faces_of_another_size_or_shape_are_named) {
  FakeInputs inputs = sky();
  inputs.files["sky.env/py.png"] = flat_png(4, 4, 9);
  EXPECT_EQ(cook_sky(inputs).error().to_string(),
            "sky.env/py.png: found 4x4 texels, expected 8x8 like px.png; render all faces at one size");
  inputs.files["sky.env/px.png"] = flat_png(8, 4, 9);
  EXPECT_EQ(cook_sky(inputs).error().to_string(),
            "sky.env/px.png: found 8x4 texels, expected a square face; render the faces as squares");
  inputs.files["sky.env/px.png"] = "\x89PNG\r\n\x1a\n";
  EXPECT_THAT(cook_sky(inputs).error().to_string(),
              HasSubstr("sky.env/px.png: byte 8: the file ends inside the PNG header"));
}

TEST(CubemapRecipe, one_face_in_two_files_is_a_conflict) {
  FakeInputs inputs = sky();
  inputs.files["sky.env/px.jpg"] = "x";
  EXPECT_EQ(cook_sky(inputs).error().to_string(), "both px.jpg and px.png are the face px; keep one of them");
}

TEST(CubemapRecipe, faces_may_be_in_capitals) {
  FakeInputs inputs = sky();
  inputs.files["sky.env/PX.PNG"] = inputs.files["sky.env/px.png"];
  EXPECT_EQ(cook_sky(inputs).error().to_string(), "both PX.PNG and px.png are the face px; keep one of them");
  inputs.files.erase("sky.env/px.png");
  const auto product = cook_sky(inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_TRUE(product->diagnostics.empty());
}

TEST(CubemapRecipe, other_pictures_in_the_folder_are_mentioned) {
  FakeInputs inputs = sky();
  inputs.files["sky.env/preview.png"] = flat_png(2, 2, 1);
  inputs.files["sky.env/readme.txt"] = "x";
  const auto product = cook_sky(inputs);
  ASSERT_TRUE(product);
  ASSERT_EQ(product->diagnostics.size(), 1u);
  EXPECT_EQ(
      product->diagnostics[0].what.to_string(),
      "preview.png: this picture is not a face of the cubemap; it is ignored; faces are px, nx, py, ny, pz and nz");
}

TEST(ArrayRecipe, layers_are_in_name_order) {
  FakeInputs inputs;
  inputs.files = {{"bark.array/b.png", flat_png(8, 4, 50)},
                  {"bark.array/a.PNG", flat_png(8, 4, 90)},
                  {"bark.array/c.png", flat_png(8, 4, 130)}};
  const Step step = folder_step("array", "bark.array");
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_THAT(product->diagnostics, IsEmpty());
  const auto view = ktx2::View::open(product->outputs[0].bytes);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->layer_count(), 3u);
  EXPECT_EQ(view->levels().size(), 4u);
  EXPECT_EQ(read_pixels(product->outputs[0].bytes, 0, 0).at(0, 0)[0], 90);
  EXPECT_EQ(read_pixels(product->outputs[0].bytes, 1, 1).at(0, 0)[0], 50);
  EXPECT_EQ(read_pixels(product->outputs[0].bytes, 3, 2).at(0, 0)[0], 130);
}

TEST(ArrayRecipe, one_layer_is_an_array_still) {
  FakeInputs inputs;
  inputs.files = {{"bark.array/a.png", flat_png(4, 4, 50)}};
  const Step step = folder_step("array", "bark.array");
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product);
  EXPECT_EQ(ktx2::View::open(product->outputs[0].bytes)->layer_count(), 1u);
}

TEST(ArrayRecipe, layers_of_another_size_are_named) {
  FakeInputs inputs;
  inputs.files = {{"bark.array/a.png", flat_png(8, 4, 50)}, {"bark.array/b.png", flat_png(4, 8, 90)}};
  const Step step = folder_step("array", "bark.array");
  EXPECT_EQ(step.recipe->cook(step, inputs).error().to_string(),
            "bark.array/b.png: found 4x8 texels, expected 8x4 like a.png; give all layers one size");
}

TEST(ArrayRecipe, surprises_of_the_folder_are_said) {
  FakeInputs inputs;
  inputs.files = {{"bark.array/layer2.png", flat_png(4, 4, 50)},
                  {"bark.array/layer10.png", flat_png(4, 4, 90)},
                  {"bark.array/.DS_Store", "x"},
                  {"bark.array/notes.txt", "x"}};
  const Step step = folder_step("array", "bark.array");
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product);
  ASSERT_EQ(product->diagnostics.size(), 2u);
  EXPECT_EQ(product->diagnostics[0].what.to_string(),
            "notes.txt: this file is not a picture; it is not part of the array");
  EXPECT_EQ(
      product->diagnostics[1].what.to_string(),
      "layer2.png: layers are in name order, so this one comes after layer10.png; give the numbers leading zeros");
}

TEST(ArrayRecipe, an_empty_folder_is_refused) {
  FakeInputs inputs;
  const Step step = folder_step("array", "bark.array");
  EXPECT_EQ(step.recipe->cook(step, inputs).error().to_string(),
            "no picture in this folder; add the layers, named in their order: 00.png, 01.png");
}

}  // namespace
}  // namespace assetc::recipes
