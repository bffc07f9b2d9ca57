// A target with its own containers: the values of every recipe go through its rows, and nothing else changes.
#include "recipes/container/containers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recipes/fake_inputs.hpp"
#include "recipes/material/compiled_material.hpp"
#include "recipes/mesh/model.hpp"
#include "recipes/texture/picture.hpp"

namespace assetc::recipes {
namespace {

using ::testing::ElementsAre;

ByteVector bytes_of(const std::string& text) { return {as_bytes(text).begin(), as_bytes(text).end()}; }

constexpr TextureContainer kTexture{
    ".t", [](const texture::EncodedTexture& t) -> Result<ByteVector> {
      return bytes_of(std::to_string(t.width_texels) + "x" + std::to_string(t.height_texels) + "x" +
                      std::to_string(t.depth_texels) + ", " + std::to_string(t.levels.size()) + " levels");
    }};
constexpr MeshContainer kMesh{.suffix = ".m",
                              .name = "toy",
                              .keeps_channels = false,
                              .keeps_lods = false,
                              .keeps_materials = true,
                              .keeps_skin = true,
                              .write = [](CompiledMesh& in, MeshReport& report) -> Result<Bytes> {
                                report.drop("dimensions, which a toy cannot hold", in.place(0), 3);
                                return Bytes(bytes_of(std::to_string(in.mesh.indices.size()) + " corners"));
                              }};
constexpr MaterialContainer kMaterial{".p", [](std::span<const CompiledMaterial> all) -> Result<ByteVector> {
                                        std::string names;
                                        for (const CompiledMaterial& m : all) names += m.material.name + ";";
                                        return bytes_of(names);
                                      }};
constexpr ClipContainer kClips{
    ".c", [](std::span<const hanim::Clip> all, std::span<const hanim::Joint>) -> Result<ByteVector> {
      return bytes_of(std::to_string(all.size()) + " clips");
    }};
constexpr ContainerSet kToys{.texture = kTexture,
                             .mesh = {&kMesh, &kMesh, &kMesh},
                             .clusters = kMesh,
                             .material = kMaterial,
                             .clips = kClips,
                             .shader = kSpirv,
                             .naming = kPathNaming,
                             .cook_model = cook_whole};

std::vector<std::string> outputs(const Result<Product>& product) {
  if (!product) return {product.error().to_string()};
  std::vector<std::string> all;
  for (const Output& o : product->outputs) all.push_back(o.suffix + ": " + std::string(as_text(o.bytes)));
  return all;
}

Step step_named(std::string_view recipe, const std::string& path) {
  Step step;
  step.recipe = find_recipe(recipe);
  step.source = step.input_path = path;
  step.stem = "a";
  step.containers = &kToys;
  return step;
}

std::vector<std::string> cook_text(std::string_view recipe, const std::string& path, const std::string& text) {
  FakeInputs inputs;
  inputs.files[path] = text;
  const Step step = step_named(recipe, path);
  return outputs(step.recipe->cook(step, inputs));
}

TEST(Containers, textures_are_written_by_the_targets_row) {
  EXPECT_THAT(cook_text("lut", "a.lut.cube", "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n"),
              ElementsAre(".t: 2x2x2, 1 levels"));
}

TEST(Containers, models_and_their_materials_are_written_by_the_targets_rows) {
  EXPECT_THAT(cook_text("mesh", "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl Oak\nf 1 2 3\n"),
              ElementsAre(".m: 3 corners", ".p: Oak;"));
  EXPECT_THAT(cook_text("material", "a.mat", "{}\n"), ElementsAre(".p: ;"));
}

// A target that keeps scenes whole, under its own names.
TEST(Containers, models_become_outputs_the_targets_way) {
  constexpr ContainerSet kWhole{
      .texture = kTexture,
      .mesh = {&kMesh, &kMesh, &kMesh},
      .clusters = kMesh,
      .material = kMaterial,
      .clips = kClips,
      .shader = kSpirv,
      .naming = kPathNaming,
      .cook_model = [](scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs&) -> Result<Product> {
        Product product;
        product.outputs.push_back({".s", Bytes(bytes_of(step.stem + " " + std::to_string(scene.meshes.size()))), {}});
        EXPECT_NE(kind, importer::ModelKind::kGltf);
        return product;
      }};
  FakeInputs inputs;
  inputs.files["a.obj"] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  Step step = step_named("mesh", "a.obj");
  step.containers = &kWhole;
  EXPECT_THAT(outputs(step.recipe->cook(step, inputs)), ElementsAre(".s: a 1"));
}

// The irradiance of a sky is a second output: a target with paths derives its name from the sky's, one with UUIDs gives
// it its own.
TEST(Containers, textures_beside_another_are_named_by_the_target) {
  Step step = step_named("texture", "sky.hdr");
  step.stem = uuid_within("", "sky").to_string();
  Product product;
  ASSERT_TRUE(add_texture(texture::EncodedTexture(), step, product, ".irradiance"));
  EXPECT_EQ(product.outputs[0].suffix, ".irradiance.t");
  constexpr ContainerSet kByUuid{.texture = kTexture,
                                 .mesh = {&kMesh, &kMesh, &kMesh},
                                 .clusters = kMesh,
                                 .material = kMaterial,
                                 .clips = kClips,
                                 .shader = kSpirv,
                                 .naming = kUuidNaming,
                                 .cook_model = cook_whole};
  step.containers = &kByUuid;
  ASSERT_TRUE(add_texture(texture::EncodedTexture(), step, product));
  EXPECT_EQ(product.outputs[1].suffix, ".t");
  ASSERT_TRUE(add_texture(texture::EncodedTexture(), step, product, ".irradiance"));
  EXPECT_EQ(product.outputs[2].suffix, uuid_within(step.stem, ".irradiance").to_string() + "..irradiance");
}

// A scene of one triangle.
scene::Scene triangle() {
  scene::Primitive p;
  p.indices = {0, 1, 2};
  p.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  scene::Scene scene;
  scene.meshes.push_back({"tri", {p}});
  return scene;
}

TEST(Containers, clips_follow_the_mesh_and_losses_are_told) {
  scene::Scene scene = triangle();
  const Step step = step_named("mesh", "a.glb");
  FakeInputs inputs;
  auto model = compile_model(scene, importer::ModelKind::kGltf, step, inputs);
  ASSERT_TRUE(model) << model.error().to_string();
  model->clips.resize(2);
  const auto product = write_model(std::move(*model), step);
  EXPECT_THAT(outputs(product), ElementsAre(".m: 3 corners", ".c: 2 clips", ".p: "));
  ASSERT_EQ(product->diagnostics.size(), 1u);
  EXPECT_EQ(product->diagnostics[0].what.to_string(),
            "dropped: 3 dimensions, which a toy cannot hold (/meshes/0/primitives/0, ...)");
}

// Levels of detail of a compiled mesh replace a node and are not drawn beside it.
TEST(Model, levels_of_detail_are_not_drawn_beside_the_mesh) {
  scene::Scene scene = triangle();
  scene.meshes.push_back(scene.meshes[0]);
  scene.nodes.resize(2);
  scene.nodes[0].mesh = 0;
  scene.nodes[0].lods = {1};
  scene.nodes[1].mesh = 1;
  FakeInputs inputs;
  const auto model = compile_model(scene, importer::ModelKind::kGltf, step_named("mesh", "a.glb"), inputs);
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ(model->mesh.mesh.submeshes.size(), 1u);
}

}  // namespace
}  // namespace assetc::recipes
