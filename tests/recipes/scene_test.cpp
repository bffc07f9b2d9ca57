// Scenes that models become: values of the source in the .hscene, and the files that it names.
#include <gmock/gmock.h>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hscene.hpp"
#include "import/tiny_gltf.hpp"
#include "recipes/compile_mesh.hpp"

namespace assetc::recipes {
namespace {

using importer::testing::TinyGltf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A yard with two cars (one mesh), a hidden spare part, a lamp with a camera, and a clip that turns a car's wheel.
std::string yard() {
  TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
  const std::string uv = std::to_string(g.vec2({0, 0, 1, 0, 0, 1}));
  const std::string times = std::to_string(g.scalar({0, 2})), turns = std::to_string(g.vec4({0, 0, 0, 1, 0, 0, 1, 0}));
  const std::string primitive = R"({"attributes":{"POSITION":)" + p + R"(,"TEXCOORD_0":)" + uv + R"(,"TEXCOORD_1":)" +
                                uv + R"(},"material":0,"extras":{"part":1},
      "extensions":{"KHR_materials_variants":{"mappings":[{"material":1,"variants":[0]}]}}})";
  return g.json(R"("extensionsUsed":["KHR_lights_punctual"],"extras":{"project":"yard"},"extensions":{
    "KHR_lights_punctual":{"lights":[{"type":"spot","intensity":5,"color":[1,0.5,0],"range":7,"name":"bulb",
      "spot":{"innerConeAngle":0.1,"outerConeAngle":0.6},"extras":{"watts":40}}]},
    "KHR_materials_variants":{"variants":[{"name":"red"}]}},
    "scenes":[{"name":"main","nodes":[0,4],"extras":{"season":"winter"}}],
    "nodes":[{"name":"car","children":[1,2],"translation":[1,2,3],"extras":{"speed":3,"tags":["a","b"]}},
      {"name":"wheel","mesh":0},
      {"name":"wheel","mesh":0,"matrix":[1,0,0,0, 1,1,0,0, 0,0,1,0, 5,0,0,1],"children":[3]},
      {"name":"spare","mesh":0,"extensions":{"KHR_node_visibility":{"visible":false}}},
      {"name":"lamp","camera":0,"extensions":{"KHR_lights_punctual":{"light":0},"MY_sound":{"hum":true}}}],
    "cameras":[{"type":"perspective","name":"eye","perspective":{"yfov":0.7,"znear":0.1,"zfar":50,"aspectRatio":1.5}}],
    "materials":[{"name":"paint","normalTexture":{"index":0,"texCoord":1},"extras":{"gloss":2},"extensions":{
        "KHR_materials_clearcoat":{"clearcoatFactor":0.5,"clearcoatTexture":{"index":0,
          "extensions":{"KHR_texture_transform":{"scale":[2,3]}}}}}},
      {"name":"rust"}],
    "textures":[{"source":0}],"images":[{"uri":"wood.png"}],
    "meshes":[{"name":"disc","primitives":[)" +
                primitive + R"(],"extras":{"lod":1}}],
    "animations":[{"name":"drive","extras":{"loop":true},"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}],
      "samplers":[{"input":)" +
                times + R"(,"output":)" + turns + "}]}]");
}

CompiledFiles compile(const std::string& text, SceneMode mode = SceneMode::kAuto) {
  return compile_mesh(text, {.scene = mode}, "models/yard.gltf", {"models/wood.png"});
}

TEST(SceneRecipe, keeps_everything_of_a_source) {
  const CompiledFiles c = compile(yard());
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), ::testing::Contains(::testing::HasSubstr("ClearcoatTex texture is image 0")));
  const Bytes file = c.output(".hscene");
  const auto opened = hscene::View::open(file);
  ASSERT_TRUE(opened) << opened.error().to_string();
  const hscene::View& scene = *opened;

  EXPECT_EQ(scene.name(), "main");
  EXPECT_EQ(scene.extra(), R"({"extras":{"season":"winter"}})");
  EXPECT_EQ(scene.asset_extra(), R"({"extras":{"project":"yard"}})");
  ASSERT_EQ(scene.nodes().size(), 5u);
  EXPECT_EQ(scene.find("lamp"), 4u);
  EXPECT_EQ(scene.find_path("car/wheel/spare"), 3u);
  const hscene::Node& car = scene.nodes()[0];
  EXPECT_THAT(car.transform.translation, ElementsAre(1, 2, 3));
  EXPECT_EQ(scene.text(car.extra), R"({"extras":{"speed":3,"tags":["a","b"]}})");
  EXPECT_EQ(car.end, 4u);
  EXPECT_EQ(scene.nodes()[1].mesh, 0u);
  EXPECT_EQ(scene.nodes()[2].mesh, 0u) << "one mesh, drawn twice";
  EXPECT_EQ(scene.local_matrix(2)[4], 1) << "the shear of the matrix";
  EXPECT_TRUE(scene.nodes()[3].is_hidden());
  EXPECT_FALSE(scene.nodes()[2].is_hidden());
  const hscene::Node& lamp = scene.nodes()[4];
  EXPECT_EQ(scene.text(lamp.extra), R"({"extensions":{"MY_sound":{"hum":true}}})");
  EXPECT_FALSE(lamp.has_box());
  // The second disc begins at x = 5 below the car at x = 1, and the spare part is sheared twice.
  ASSERT_NE(scene.box(), nullptr);
  EXPECT_THAT(scene.box()->low, ElementsAre(1, 2, 3));
  EXPECT_THAT(scene.box()->high, ElementsAre(8, 3, 3));

  const hscene::Camera& camera = scene.cameras()[lamp.camera];
  EXPECT_EQ(camera.y_fov_radians, 0.7f);
  EXPECT_EQ(camera.aspect_ratio, 1.5f);
  EXPECT_EQ(camera.z_near, 0.1f);
  EXPECT_EQ(camera.z_far, 50);
  EXPECT_EQ(scene.text(camera.name), "eye");
  const hscene::Light& light = scene.lights()[lamp.light];
  EXPECT_EQ(light.type, hscene::LightType::kSpot);
  EXPECT_THAT(light.color, ElementsAre(1, 0.5f, 0));
  EXPECT_EQ(light.intensity, 5);
  EXPECT_EQ(light.range, 7);
  EXPECT_EQ(light.inner_cone_radians, 0.1f);
  EXPECT_EQ(light.outer_cone_radians, 0.6f);
  EXPECT_EQ(scene.text(light.extra), R"({"extras":{"watts":40}})");

  ASSERT_EQ(scene.meshes().size(), 1u);
  EXPECT_EQ(scene.meshes()[0].file.hash(), hash_embed_ref("models/yard/mesh_0.hmesh"));
  EXPECT_EQ(scene.text(scene.meshes()[0].name), "disc");
  EXPECT_EQ(scene.text(scene.meshes()[0].extra), R"({"extras":{"lod":1},"primitives":[{"extras":{"part":1}}]})");
  const Bytes mesh_file = c.output("/mesh_0.hmesh");
  const auto mesh = hmesh::View::open(mesh_file);
  ASSERT_TRUE(mesh) << mesh.error().to_string();
  EXPECT_EQ(mesh->bounds().aabb_max[0], 1) << "in its own space";
  EXPECT_EQ(scene.meshes()[0].submesh_count, mesh->submeshes().size());

  ASSERT_EQ(scene.materials().size(), 2u);
  const hscene::Material& paint = scene.materials()[0];
  EXPECT_EQ(scene.text(paint.name), "paint");
  EXPECT_EQ(paint.file.hash(), hash_embed_ref("models/yard.hmat"));
  EXPECT_EQ(scene.materials()[1].row, 1u);
  EXPECT_EQ(hmat::View::open(c.output(".hmat"))->materials().size(), 2u);
  EXPECT_EQ(scene.text(paint.extra), R"({"extras":{"gloss":2}})");
  ASSERT_EQ(scene.parameters(paint).size(), 2u);  // also the roughness, which has a default
  EXPECT_EQ(scene.text(scene.parameters(paint)[0].name), "Clearcoat");
  EXPECT_EQ(scene.parameters(paint)[0].value[0], 0.5f);
  ASSERT_EQ(scene.textures(paint).size(), 2u);
  EXPECT_EQ(scene.text(scene.textures(paint)[0].name), "NormalTex");
  EXPECT_EQ(scene.textures(paint)[0].texcoord, 1u);
  EXPECT_EQ(scene.text(scene.textures(paint)[1].name), "ClearcoatTex");
  EXPECT_THAT(scene.textures(paint)[1].scale, ElementsAre(2, 3));
  EXPECT_EQ(scene.textures(paint)[1].file.hash(), hash_asset_ref("models/yard/tex_0_linear"));
  EXPECT_EQ(c.product->steps.size(), 2u) << "the picture as a normal map and as linear values";

  ASSERT_EQ(scene.variant_count(), 1u);
  EXPECT_EQ(scene.variant_name(0), "red");
  EXPECT_EQ(scene.variant_material(0, 0, 0), 1u);

  ASSERT_EQ(scene.clips().size(), 1u);
  EXPECT_EQ(scene.text(scene.clips()[0].name), "drive");
  EXPECT_EQ(scene.text(scene.clips()[0].extra), R"({"extras":{"loop":true}})");
  EXPECT_EQ(scene.clips()[0].duration_seconds, 2);
  EXPECT_THAT(scene.clip_nodes(scene.clips()[0]), ElementsAre(1));
  EXPECT_EQ(scene.clips()[0].file.hash(), hash_embed_ref("models/yard/clips.hanim"));
  EXPECT_FALSE(c.output("/clips.hanim").empty());
}

TEST(SceneRecipe, the_setting_chooses_between_the_mesh_and_the_scene) {
  const CompiledFiles both = compile(yard()), alone = compile(yard(), SceneMode::kAlways),
                      none = compile(yard(), SceneMode::kNever);
  EXPECT_FALSE(both.output(".hmesh").empty());
  EXPECT_TRUE(alone.output(".hmesh").empty());
  EXPECT_TRUE(none.output(".hscene").empty());
  EXPECT_TRUE(none.output("/mesh_0.hmesh").empty());
  EXPECT_FALSE(none.warnings().empty());
  ASSERT_FALSE(alone.output(".hscene").empty());
  // The scene of both is the same, but for the order of its materials, which is that of the flattened mesh.
  EXPECT_TRUE(std::ranges::equal(alone.output(".hscene").span(), both.output(".hscene").span()));
  EXPECT_TRUE(std::ranges::equal(alone.output("/mesh_0.hmesh").span(), both.output("/mesh_0.hmesh").span()));
}

// An engine would show these textures at the wrong places of the mesh.
TEST(SceneRecipe, a_mesh_alone_has_no_textures_that_need_other_texture_coordinates) {
  TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
  const std::string uv = std::to_string(g.vec2({0, 0, 1, 0, 0, 1}));
  const std::string model =
      g.json(R"("nodes":[{"mesh":0}],"meshes":[{"primitives":[{"material":0,"attributes":{"POSITION":)" + p +
             R"(,"TEXCOORD_0":)" + uv + R"(,"TEXCOORD_1":)" + uv + R"(}}]}],
    "images":[{"uri":"c.png"},{"uri":"n.png"},{"uri":"o.png"},{"uri":"e.png"}],
    "textures":[{"source":0},{"source":1},{"source":2},{"source":3}],
    "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0},
        "metallicRoughnessTexture":{"index":2,"texCoord":1}},"occlusionTexture":{"index":2},"emissiveFactor":[1,1,1],
      "normalTexture":{"index":1,"extensions":{"KHR_texture_transform":{"scale":[2,2]}}},
      "emissiveTexture":{"index":3,"texCoord":1}}])");
  const auto compiled = [&](SceneMode mode) {
    return compile_mesh(model, {.scene = mode}, "models/a.gltf",
                        {"models/c.png", "models/n.png", "models/o.png", "models/e.png"});
  };
  const CompiledFiles alone = compiled(SceneMode::kNever);
  ASSERT_TRUE(alone.product) << alone.product.error().to_string();
  EXPECT_THAT(
      alone.warnings(),
      ElementsAre("dropped: 2 textures on another texture coordinate set than the material's first texture "
                  "(/materials/0, ...)",
                  "dropped: 1 texture with another transform than the material's first texture (/materials/0)"));
  EXPECT_EQ(alone.product->steps.size(), 2u) << "pictures that nothing uses are not compiled";
  const Bytes table = alone.output(".hmat");
  const hmat::GpuMaterial& m = hmat::View::open(table)->materials()[0];
  EXPECT_NE(m.base_color_texture, 0u);
  EXPECT_NE(m.occlusion_texture, 0u);
  EXPECT_EQ(m.normal_texture, 0u);
  EXPECT_EQ(m.emissive_texture, 0u);
  EXPECT_EQ(m.metallic_roughness_texture, 0u);
  // Their factors alone would make the whole surface emit light, and metallic.
  EXPECT_THAT(m.emissive_factor, ElementsAre(0, 0, 0));
  EXPECT_EQ(m.metallic_factor, 0);

  const CompiledFiles both = compiled(SceneMode::kAuto);
  ASSERT_TRUE(both.product) << both.product.error().to_string();
  EXPECT_THAT(both.warnings(), IsEmpty());
  EXPECT_EQ(both.product->steps.size(), 4u);
  const Bytes all = both.output(".hmat");
  EXPECT_NE(hmat::View::open(all)->materials()[0].normal_texture, 0u);
  EXPECT_NE(hmat::View::open(all)->materials()[0].emissive_texture, 0u);
  EXPECT_EQ(hmat::View::open(all)->materials()[0].metallic_factor, 1);
}

TEST(SceneRecipe, a_mesh_that_loses_nothing_has_no_scene) {
  TinyGltf g;
  const std::string triangle =
      g.mesh(R"("attributes":{"POSITION":)" + std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})) + "}");
  EXPECT_EQ(compile(triangle).product->outputs.size(), 2u);
  EXPECT_FALSE(compile(triangle, SceneMode::kAlways).output(".hscene").empty());
}

TEST(SceneRecipe, a_source_without_meshes_is_a_scene) {
  const CompiledFiles c = compile(R"({"asset":{"version":"2.0"},"nodes":[{"name":"spawn"}]})");
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), IsEmpty());
  ASSERT_EQ(c.product->outputs.size(), 1u);
  EXPECT_EQ(hscene::View::open(c.output(".hscene"))->find("spawn"), 0u);
}

TEST(SceneRecipe, only_children_asks_for_the_textures_of_the_scene) {
  FakeInputs inputs;
  inputs.files["models/yard.gltf"] = yard();
  inputs.files["models/wood.png"] = "picture";
  Step step;
  step.recipe = find_recipe("mesh");
  step.source = step.input_path = "models/yard.gltf";
  step.stem = "models/yard";
  step.only_children = true;
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product);
  EXPECT_EQ(product->steps.size(), 2u);
  EXPECT_THAT(product->outputs, IsEmpty());
}

TEST(SceneRecipe, a_hundred_thousand_nodes_in_one_chain_are_compiled) {
  std::string nodes;
  constexpr std::uint32_t kCount = 100'000;
  for (std::uint32_t n = 0; n < kCount; ++n)
    nodes += (n == 0 ? "" : ",") +
             (n + 1 < kCount ? R"({"children":[)" + std::to_string(n + 1) + "]}" : std::string(R"({"name":"tip"})"));
  const CompiledFiles c = compile(R"({"asset":{"version":"2.0"},"nodes":[)" + nodes + "]}");
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const Bytes file = c.output(".hscene");
  EXPECT_EQ(hscene::View::open(file)->find("tip"), kCount - 1);
}

TEST(SceneRecipe, extras_that_are_nested_too_deeply_are_told) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const CompiledFiles c =
      compile(R"({"asset":{"version":"2.0"},"nodes":[{"name":"spawn","extras":{"a":)" + deep + "}}]}");
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), ElementsAre("dropped: 1 extra nested too deeply (/nodes/0)"));
}

}  // namespace
}  // namespace assetc::recipes
