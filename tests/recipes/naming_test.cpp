#include "recipes/naming.hpp"

#include <gtest/gtest.h>

#include "recipes/cooked_inputs.hpp"

namespace assetc::recipes {
namespace {

Step model_step() {
  Step step;
  step.input_path = "models/chair.glb";
  step.stem = "models/chair";
  return step;
}

// Three images: a file, an embedded one, and another file.
scene::Scene with_images() {
  scene::Scene scene;
  scene.images = {{"wood", "models/wood.png", {}}, {"inside", "", {}}, {"iron", "models/iron.png", {}}};
  return scene;
}

TEST(PathNaming, outputs_and_textures_are_files_beside_the_model) {
  FakeInputs inputs;
  EXPECT_EQ(kPathNaming.beside("sky", ".specular", ".specular.ktx2"), ".specular.ktx2");
  EXPECT_EQ(kPathNaming.root_of("Assets/oak.mat"), "");
  EXPECT_EQ(kPathNaming.image(with_images(), 1, model_step(), inputs), "models/chair/tex_1");
  EXPECT_EQ(kPathNaming.image_in_mode("models/chair/tex_1", TextureUsage::kNormal), "models/chair/tex_1_normal");
  EXPECT_FALSE(kPathNaming.shares_pictures);
}

TEST(PathNaming, a_picture_in_another_mode_is_named_by_its_material) {
  FakeInputs inputs;
  const SourceAsset picture{.stem = "textures/wood", .ref = 7};
  const auto stem =
      kPathNaming.picture_in_mode(model_step(), picture, "textures/wood.png", TextureUsage::kLinear, inputs);
  EXPECT_EQ(stem, "models/chair/linear_wood");
  const auto ref = kPathNaming.ref_of_picture(picture, "textures/wood.png", inputs);
  ASSERT_TRUE(ref);
  EXPECT_EQ(ref->hash, 7u);
  EXPECT_TRUE(ref->uuid.is_nil());
  EXPECT_EQ(kPathNaming.ref_of_step("models/chair/tex_1", inputs).hash, inputs.ref("models/chair/tex_1"));
}

TEST(UuidNaming, images_inside_a_model_are_numbered_among_themselves) {
  CookedInputs inputs;
  const auto inside = kUuidNaming.image(with_images(), 1, model_step(), inputs);
  EXPECT_EQ(inside, inputs.uuids.at("models/chair.glb#Texture2D/0").to_string());
  const auto file = kUuidNaming.image(with_images(), 2, model_step(), inputs);
  EXPECT_EQ(file, inputs.uuids.at("models/iron.png").to_string());
  EXPECT_TRUE(kUuidNaming.shares_pictures);
}

TEST(UuidNaming, another_mode_has_the_uuid_of_its_name) {
  CookedInputs inputs;
  const SourceAsset picture{.stem = "unused", .ref = 7};
  const auto stem = kUuidNaming.picture_in_mode(model_step(), picture, "wood.png", TextureUsage::kLinear, inputs);
  ASSERT_TRUE(stem);
  const std::string own = inputs.uuids.at("wood.png").to_string();
  EXPECT_EQ(*stem, uuid_within(own, "linear").to_string());
  EXPECT_EQ(kUuidNaming.image_in_mode(own, TextureUsage::kLinear), *stem);
  EXPECT_EQ(kUuidNaming.ref_of_step(*stem, inputs).uuid.to_string(), *stem);
  EXPECT_EQ(kUuidNaming.ref_of_picture(picture, "wood.png", inputs)->uuid.to_string(), own);
}

TEST(UuidNaming, an_output_beside_another_is_listed_by_its_name) {
  const std::string own = uuid_within("", "sky").to_string();
  EXPECT_EQ(kUuidNaming.beside(own, "vertex", "/vertex.spv"), uuid_within(own, "vertex").to_string() + ".vertex");
}

TEST(UuidNaming, an_asset_without_a_uuid_is_an_error) {
  FakeInputs inputs;  // their target has no UUIDs
  const auto missing = kUuidNaming.image(with_images(), 0, model_step(), inputs);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().to_string(),
            "Texture2D \"wood\" has no UUID, because models/wood.png was not imported; run `assetc import` and fix the "
            "errors that it reports for that file; it skips folders that ignore: lists");
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace assetc::recipes
