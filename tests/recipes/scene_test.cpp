// Scenes that models become: values of the source in the .hscene, and the files that it names.
#include <gmock/gmock.h>

#include <map>
#include <random>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hscene.hpp"
#include "import/tiny_gltf.hpp"
#include "recipes/compile_mesh.hpp"
#include "recipes/mesh/parts.hpp"

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
  EXPECT_EQ(paint.file.hash(), hash_embed_ref("models/yard/materials.hmat"));
  EXPECT_EQ(scene.materials()[1].row, 1u);
  EXPECT_EQ(hmat::View::open(c.output("/materials.hmat"))->materials().size(), 2u);
  EXPECT_EQ(hmat::View::open(c.output(".hmat"))->materials().size(), 1u) << "the mesh uses no rust";
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
  EXPECT_THAT(
      both.warnings(),
      ElementsAre("/materials/0: models/a.hmesh lacks what models/a.hscene keeps: dropped: 2 textures on another "
                  "texture coordinate set than the material's first texture (/materials/0, ...); dropped: 1 "
                  "texture with another transform than the material's first texture (/materials/0); load the "
                  "scene, or accept the loss"));
  EXPECT_EQ(both.product->steps.size(), 4u);
  EXPECT_TRUE(std::ranges::equal(both.output(".hmat").span(), table.span()));
  const Bytes all = both.output("/materials.hmat");
  EXPECT_NE(hmat::View::open(all)->materials()[0].normal_texture, 0u);
  EXPECT_NE(hmat::View::open(all)->materials()[0].emissive_texture, 0u);
  EXPECT_EQ(hmat::View::open(all)->materials()[0].metallic_factor, 1);
}

// A random model: a tree of nodes with meshes, skins, cameras and lights, clips, and materials that nothing uses.
std::string random_model(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  const auto one_in = [&](unsigned n) { return below(n) == 0; };
  const auto number = [&] { return std::to_string(static_cast<int>(below(7)) - 3); };
  const auto list = [](const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
    return "[" + text + "]";
  };
  const auto index = [](int accessor) { return std::to_string(accessor); };
  TinyGltf g;
  const std::string places = index(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})), uv = index(g.vec2({0, 0, 1, 0, 0, 1}));
  const std::string joints = index(g.accessor<std::uint8_t>(5121, "VEC4", std::vector<std::uint8_t>(12), 3));
  const std::string weights = index(g.vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}));
  const std::string times = index(g.scalar({0, 1})), moves = index(g.vec3({0, 0, 0, 1, 2, 3}));
  const std::string turns = index(g.vec4({0, 0, 0, 1, 0, 0, 1, 0}));

  const unsigned material_count = 1 + below(4), mesh_count = 1 + below(3), node_count = 2 + below(6);
  std::vector<std::string> materials, meshes, nodes, channels;
  for (unsigned m = 0; m < material_count; ++m) {
    const auto texture = [&](std::string_view slot) {
      return "\"" + std::string(slot) + R"(":{"index":)" + std::to_string(below(3)) + R"(,"texCoord":)" +
             (one_in(3) ? "1" : "0") + "}";
    };
    std::string text = R"({"name":"m)" + std::to_string(below(4)) + "\"";
    if (one_in(2)) text += R"(,"pbrMetallicRoughness":{)" + texture("baseColorTexture") + "}";
    if (one_in(3)) text += "," + texture("normalTexture");
    if (one_in(3)) text += R"(,"emissiveFactor":[1,1,1],)" + texture("emissiveTexture");
    if (one_in(4)) text += R"(,"extensions":{"KHR_materials_clearcoat":{)" + texture("clearcoatTexture") + "}}";
    materials.push_back(text + "}");
  }
  const bool has_skin = one_in(2);
  for (unsigned m = 0; m < mesh_count; ++m) {
    std::vector<std::string> primitives;
    for (unsigned p = 0; p <= below(2); ++p) {
      std::string text = R"({"attributes":{"POSITION":)" + places + R"(,"TEXCOORD_0":)" + uv + R"(,"TEXCOORD_1":)" + uv;
      if (has_skin && one_in(2)) text += R"(,"JOINTS_0":)" + joints + R"(,"WEIGHTS_0":)" + weights;
      text += "}";
      if (!one_in(4)) text += R"(,"material":)" + std::to_string(below(material_count));
      if (one_in(6)) text += R"(,"mode":1)";
      primitives.push_back(text + "}");
    }
    meshes.push_back(R"({"primitives":)" + list(primitives) + (one_in(4) ? R"(,"extras":{"a":1}})" : "}"));
  }
  // Each node is below the node before it, or a root.
  const bool is_placed = !one_in(3);
  for (unsigned n = 0; n < node_count; ++n) {
    std::string text = R"({"name":"n)" + std::to_string(n) + "\"";
    if (is_placed) text += R"(,"translation":[)" + number() + "," + number() + ",0]";
    if (n + 1 < node_count && one_in(2)) text += R"(,"children":[)" + std::to_string(n + 1) + "]";
    if (n == 0 || one_in(2)) {
      text += R"(,"mesh":)" + std::to_string(below(mesh_count));
      if (has_skin && one_in(2)) text += R"(,"skin":)" + std::to_string(below(2));
    }
    if (one_in(6)) text += R"(,"camera":0)";
    if (one_in(6)) text += R"(,"extensions":{"KHR_node_visibility":{"visible":false}})";
    nodes.push_back(text + "}");
    if (one_in(3)) {
      const bool turns_it = one_in(2);
      channels.push_back(R"({"sampler":)" + std::string(turns_it ? "1" : "0") + R"(,"target":{"node":)" +
                         std::to_string(n) + R"(,"path":")" + (turns_it ? "rotation" : "translation") + "\"}}");
    }
  }
  std::string rest = R"("materials":)" + list(materials) + R"(,"meshes":)" + list(meshes) + R"(,"nodes":)" +
                     list(nodes) + R"(,"cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":1}}])" +
                     R"(,"textures":[{"source":0},{"source":1},{"source":2}])" +
                     R"(,"images":[{"uri":"a.png"},{"uri":"b.png"},{"uri":"c.png"}])";
  if (has_skin) {
    const std::string last = std::to_string(node_count - 1), before = std::to_string(node_count - 2);
    rest += R"(,"skins":[{"joints":[)" + last + R"(]},{"joints":[)" + before + "," + last + "]}]";
  }
  if (!channels.empty()) {
    rest += R"(,"animations":[{"channels":)" + list(channels) + R"(,"samplers":[{"input":)" + times + R"(,"output":)" +
            moves + R"(},{"input":)" + times + R"(,"output":)" + turns + "}]}]";
  }
  return g.json(rest);
}

// A program that reads flat files alone gets the same with a scene as without one, and the build says the same of them.
TEST(SceneRecipe, flat_files_do_not_depend_on_the_scene) {
  unsigned compiled = 0, scenes = 0, clips = 0, smaller_tables = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const std::string model = random_model(seed);
    const auto files = [&](SceneMode mode) {
      return compile_mesh(model, {.scene = mode}, "a.gltf", {"a.png", "b.png", "c.png"});
    };
    const CompiledFiles flat = files(SceneMode::kNever), both = files(SceneMode::kAuto);
    if (!flat.product) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + model);
    ASSERT_TRUE(both.product) << both.product.error().to_string();
    for (const std::string_view suffix : {".hmesh", ".hmat", ".hanim"}) {
      ASSERT_TRUE(std::ranges::equal(both.output(suffix).span(), flat.output(suffix).span())) << suffix;
    }
    std::string said;
    for (const std::string& line : both.warnings()) said += line + "\n";
    for (const Diagnostic& d : flat.product->diagnostics) {
      ASSERT_THAT(said, ::testing::HasSubstr(d.what.what));
      if (!d.what.place.empty()) {
        ASSERT_THAT(said, ::testing::HasSubstr(d.what.place));
      }
    }
    ++compiled;
    const Bytes all = both.output("/materials.hmat"), used = both.output(".hmat");
    scenes += !both.output(".hscene").empty();
    clips += !both.output(".hanim").empty();
    smaller_tables += !all.empty() && all.size() > used.size();
  }
  EXPECT_GT(compiled, 300u);
  EXPECT_GT(scenes, 200u);
  EXPECT_GT(clips, 20u);
  EXPECT_GT(smaller_tables, 100u);
}

// A scene that refers to the flattened mesh shows what it would show with a mesh of its own.
TEST(SceneRecipe, a_flattened_mesh_in_a_scene_has_the_geometry_of_the_mesh) {
  unsigned shared = 0, skinned = 0, own = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const std::string model = random_model(seed);
    const auto files = [&](SceneMode mode) {
      return compile_mesh(model, {.scene = mode}, "a.gltf", {"a.png", "b.png", "c.png"});
    };
    const CompiledFiles both = files(SceneMode::kAuto);
    if (!both.product || both.output(".hscene").empty() || both.output(".hmesh").empty()) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + model);
    const CompiledFiles alone = files(SceneMode::kAlways);
    ASSERT_TRUE(alone.product) << alone.product.error().to_string();
    const Bytes scene_file = both.output(".hscene"), alone_file = alone.output(".hscene");
    const auto scene = hscene::View::open(scene_file), expected = hscene::View::open(alone_file);
    ASSERT_TRUE(scene && expected);
    ASSERT_EQ(scene->meshes().size(), expected->meshes().size());
    for (std::size_t m = 0; m < scene->meshes().size(); ++m) {
      if (scene->meshes()[m].file.is_none()) continue;
      const std::string suffix = "/mesh_" + std::to_string(m) + ".hmesh";
      const bool is_flat = scene->meshes()[m].file.hash() == hash_embed_ref("a.hmesh");
      ASSERT_EQ(both.output(suffix).empty(), is_flat);
      if (!is_flat) {
        ++own;
        continue;
      }
      ++shared;
      const Bytes flat_file = both.output(".hmesh"), mesh_file = alone.output(suffix);
      const auto flat = hmesh::View::open(flat_file), mesh = hmesh::View::open(mesh_file);
      ASSERT_TRUE(flat && mesh);
      // Names, numbers of names and materials are those of each file. Everything else is the same.
      const auto chunks_of = [](const hmesh::View& view, const Bytes& file) {
        std::map<std::uint32_t, std::vector<std::byte>> chunks;
        for (const chunks::ChunkEntry& c : view.chunk_table()) {
          const ByteSpan bytes = file.span().subspan(c.offset_bytes, c.size_bytes);
          chunks[c.id].assign(bytes.begin(), bytes.end());
        }
        for (const std::uint32_t id :
             {hmesh::kNamesId, hmesh::kMaterialsId, hmesh::kPrimitivesId, hmesh::kDescId, hmesh::kSubmeshesId})
          chunks.erase(id);
        return chunks;
      };
      ASSERT_EQ(chunks_of(*flat, flat_file), chunks_of(*mesh, mesh_file));
      EXPECT_EQ(flat->desc().vertex_count, mesh->desc().vertex_count);
      EXPECT_EQ(flat->desc().flags, mesh->desc().flags);
      skinned += !flat->joints().empty();
      ASSERT_EQ(flat->submeshes().size(), mesh->submeshes().size());
      for (std::size_t i = 0; i < flat->submeshes().size(); ++i) {
        const hmesh::SubMesh &a = flat->submeshes()[i], &b = mesh->submeshes()[i];
        EXPECT_EQ(a.first_index, b.first_index);
        EXPECT_EQ(a.index_count, b.index_count);
        const auto material = [](const hscene::View& of, std::uint32_t slot) {
          return slot == hmesh::kNoMaterial ? "none" : std::string(of.text(of.materials()[slot].name));
        };
        EXPECT_EQ(material(*scene, a.material_slot), material(*expected, b.material_slot));
      }
      EXPECT_EQ(scene->meshes()[m].submesh_count, expected->meshes()[m].submesh_count);
      EXPECT_THAT(scene->meshes()[m].box.low, ::testing::ElementsAreArray(expected->meshes()[m].box.low));
    }
  }
  EXPECT_GT(shared, 5u);
  EXPECT_GT(skinned, 1u);
  EXPECT_GT(own, 100u);
}

// One triangle, with a material.
std::string triangle_with(const std::string& material, const std::string& node, const std::string& rest = {}) {
  TinyGltf g;
  return g.json(
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})) +
      R"(},"material":0}]}],"materials":[{"name":"paint")" + material + R"(}],"nodes":[{"mesh":0)" + node + "}" + rest);
}

TEST(SceneRecipe, only_what_an_engine_may_need_is_worth_a_second_copy_of_the_geometry) {
  const std::string moved = R"(,"translation":[1,2,3])";
  const std::string exporter = R"(,"extras":{"fromFBX":{"shadingModel":"Phong","isTruePBR":false}})";
  const std::string user = R"(,"extras":{"fromFBX":{"userProperties":{"strength":{"value":3}}}})";
  const std::string camera =
      R"(,{"camera":0}],"cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":0.1}}])";
  struct Case {
    std::string model;
    std::vector<std::string_view> outputs;
    std::string warning;
  };
  const std::vector<std::string_view> flat{".hmesh", ".hmat"}, with_scene{".hmesh", ".hmat", ".hscene"},
      with_copy{".hmesh", ".hmat", "/mesh_0.hmesh", ".hscene"};
  const Case cases[] = {
      {triangle_with(exporter, "", "]"), with_scene, "1 extra of an exporter (/materials/0/extras)"},
      {triangle_with(exporter, moved, "]"), flat, "1 extra of an exporter (/materials/0/extras)"},
      {triangle_with(user, "", "]"), with_scene, "1 extra (/materials/0/extras)"},
      {triangle_with(user, moved, "]"), with_copy, "1 extra (/materials/0/extras)"},
      {triangle_with("", moved, camera), flat, "1 camera (/cameras/0)"},
      {triangle_with("", "", camera), with_scene, "1 camera (/cameras/0)"},
      {triangle_with("", moved, R"(,{"name":"Empty"}])"), flat, R"(the empty node "Empty" is dropped)"},
      {triangle_with("", moved, R"(,{"name":"hand","translation":[0,1,0]}])"), with_copy,
       R"(the empty node "hand" is dropped)"},
      {triangle_with(R"(,"extensions":{"KHR_materials_ior":{"ior":1.5},"KHR_materials_specular":{},
                        "KHR_materials_clearcoat":{"clearcoatFactor":0},
                        "KHR_materials_sheen":{"sheenColorFactor":[0,0,0]}})",
                     moved, "]"),
       flat, ""},
      {triangle_with(R"(,"extensions":{"KHR_materials_ior":{"ior":1.4}})", moved, "]"), with_copy,
       "1 extension KHR_materials_ior (/materials/0)"},
      {triangle_with(R"(,"extensions":{"KHR_materials_specular":{"later":1}})", moved, "]"), with_copy,
       "1 extension KHR_materials_specular (/materials/0)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.model);
    const CompiledFiles made = compile(c.model);
    ASSERT_TRUE(made.product) << made.product.error().to_string();
    std::vector<std::string_view> outputs;
    for (const Output& o : made.product->outputs) outputs.push_back(o.suffix);
    EXPECT_EQ(outputs, c.outputs);
    if (c.warning.empty()) {
      EXPECT_THAT(made.warnings(), IsEmpty());
    } else {
      EXPECT_THAT(made.warnings(), ElementsAre(::testing::HasSubstr(c.warning)));
    }
  }
}

TEST(SceneRecipe, names_the_files_of_the_flattened_mesh_where_they_are_the_same) {
  const CompiledFiles c = compile(triangle_with(R"(,"extras":{"mine":1})", "", "]"));
  const Bytes file = c.output(".hscene");
  const auto scene = hscene::View::open(file);
  ASSERT_TRUE(scene) << scene.error().to_string();
  EXPECT_EQ(scene->meshes()[0].file.hash(), hash_embed_ref("models/yard.hmesh"));
  EXPECT_EQ(scene->materials()[0].file.hash(), hash_embed_ref("models/yard.hmat"));
  EXPECT_EQ(scene->text(scene->materials()[0].extra), R"({"extras":{"mine":1}})");
}

// A few bytes can draw a mesh any number of times.
TEST(SceneRecipe, a_mesh_that_would_grow_without_bound_becomes_a_scene_alone) {
  TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
  const std::string at = std::to_string(g.raw_accessor(R"("componentType":5126,"count":70000,"type":"VEC3")"));
  const std::string model =
      g.json(R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + p +
             R"(}}]}],"nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":)" + at +
             R"(}}}}],"extensionsUsed":["EXT_mesh_gpu_instancing"])");
  const CompiledFiles c = compile(model);
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(),
              ElementsAre("/nodes: its nodes draw 70,000 primitives with 70,000 triangles, its meshes have 1 primitive "
                          "with 1 triangle; only a scene is written; load the scene, or set mesh.scene to false for a "
                          "flat mesh of that size"));
  EXPECT_TRUE(c.output(".hmesh").empty());
  EXPECT_EQ(hscene::View::open(c.output(".hscene"))->nodes().size(), 70'001u);
  EXPECT_FALSE(compile(model, SceneMode::kNever).output(".hmesh").empty());
}

// The estimate of a repeated mesh is small only where a scene alone is written.
TEST(SceneRecipe, the_estimate_of_a_scene_alone_is_small) {
  FakeInputs inputs;
  inputs.files["a.gltf"] =
      R"({"accessors":[{"count":3},{"count":70000}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],)"
      R"("nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":1}}}}]})";
  const auto estimate = [&](SceneMode scene, MeshFormat container) {
    Step step;
    step.recipe = find_recipe("mesh");
    step.source = step.input_path = "a.gltf";
    step.settings.mesh.scene = scene;
    step.settings.mesh.container = container;
    return step.recipe->estimate_peak_bytes(step, inputs);
  };
  const std::uint64_t flat = estimate(SceneMode::kNever, MeshFormat::kHmesh);
  EXPECT_LT(estimate(SceneMode::kAuto, MeshFormat::kHmesh), flat / 3);
  EXPECT_EQ(estimate(SceneMode::kAuto, MeshFormat::kHmeshV1), estimate(SceneMode::kNever, MeshFormat::kHmeshV1))
      << "version 1 has no scene";
}

TEST(SceneRecipe, only_much_repeated_meshes_outgrow) {
  const auto outgrows = [](std::uint64_t triangles, std::uint64_t own_triangles, std::uint64_t primitives,
                           std::uint64_t own_primitives) {
    return outgrows_flat({.triangle_count = triangles, .primitive_count = primitives},
                         {.triangle_count = own_triangles, .primitive_count = own_primitives});
  };
  EXPECT_FALSE(outgrows(10'000'000, 1, 1, 1));
  EXPECT_TRUE(outgrows(17'000'000, 1'000'000, 1, 1));
  EXPECT_FALSE(outgrows(16'000'000, 1'000'000, 1, 1));
  EXPECT_FALSE(outgrows(1, 1, 65'536, 1));
  EXPECT_TRUE(outgrows(1, 1, 65'537, 1));
  EXPECT_FALSE(outgrows(1, 1, 65'537, 5'000));
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
