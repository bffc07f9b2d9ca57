#include "export/glb.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>

namespace assetc::exporter {
namespace {

using namespace scene;

Scene triangle() {
  Scene scene;
  Primitive p;
  p.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}};
  p.indices = {0, 1, 2};
  scene.meshes.push_back({"tri", {p}});
  Node node;
  node.mesh = 0;
  scene.nodes.push_back(node);
  return scene;
}

TextureUse use_of(std::uint32_t image) {
  TextureUse use;
  use.image = image;
  return use;
}

std::string json_chunk(ByteSpan glb) { return std::string(as_text(glb.subspan(20, load<std::uint32_t>(glb, 12)))); }

TEST(Glb, container_lengths_add_up_and_chunks_are_aligned) {
  const auto glb = write_glb(triangle());
  ASSERT_TRUE(glb);
  EXPECT_EQ(as_text(ByteSpan(*glb).first(4)), "glTF");
  EXPECT_EQ(load<std::uint32_t>(*glb, 8), glb->size());
  const std::size_t json_size = load<std::uint32_t>(*glb, 12);
  EXPECT_EQ(json_size % 4, 0u);
  EXPECT_EQ(load<std::uint32_t>(*glb, 20 + json_size), glb->size() - 28 - json_size);
}

TEST(Glb, positions_are_exact_and_bounded) {
  const auto glb = write_glb(triangle());
  const std::string json = json_chunk(*glb);
  EXPECT_NE(json.find(R"("max":[1.0,2.0,0.0])"), std::string::npos) << json;
  const std::size_t bin = 28 + load<std::uint32_t>(*glb, 12);
  EXPECT_EQ(load<float>(*glb, bin + 28), 2.0f);
}

TEST(Glb, brings_normals_to_unit_length_and_leaves_broken_tangents_out) {
  Scene scene = triangle();
  Primitive& p = scene.meshes[0].primitives[0];
  p.normals = {{0, 0, 3}, {0, 0, 0}, {0, 0.6f, 0.8f}};
  p.tangents = {{1, 0, 0, 1}, {1, 0, 0, -1}, {1, 0, 0, 1}};
  const auto glb = write_glb(scene);
  ASSERT_TRUE(glb);
  const std::size_t normals = 28 + load<std::uint32_t>(*glb, 12) + 36;  // after the positions
  const float expected[] = {0, 0, 1, 0, 0, 1, 0, 0.6f, 0.8f};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(load<float>(*glb, normals + 4 * i), expected[i]) << i;
  EXPECT_NE(json_chunk(*glb).find("TANGENT"), std::string::npos);
  p.tangents[1].w = 0;
  EXPECT_EQ(json_chunk(*write_glb(scene)).find("TANGENT"), std::string::npos);
}

TEST(Glb, leaves_empty_primitives_and_meshes_out) {
  Scene scene = triangle();
  scene.meshes[0].primitives.insert(scene.meshes[0].primitives.begin(), Primitive{});
  scene.meshes.insert(scene.meshes.begin(), {"lines", {Primitive{}}});
  scene.nodes[0].mesh = 1;
  Node lines;
  lines.mesh = 0;
  scene.nodes.push_back(lines);
  const auto glb = write_glb(scene);
  ASSERT_TRUE(glb) << glb.error().to_string();
  const std::string json = json_chunk(*glb);
  EXPECT_EQ(json.find("lines"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("nodes":[{"mesh":0},{}])"), std::string::npos) << json;
}

TEST(Glb, names_the_extension_of_an_image_that_no_texture_uses) {
  Scene scene = triangle();
  const std::string webp = std::string("RIFF\4\0\0\0WEBP", 12);
  ByteVector bytes(webp.size());
  std::memcpy(bytes.data(), webp.data(), webp.size());
  scene.images.push_back({"a", {}, Bytes(std::move(bytes))});
  const std::string json = json_chunk(*write_glb(scene));
  EXPECT_NE(json.find(R"("extensionsUsed":["EXT_texture_webp"])"), std::string::npos) << json;
}

TEST(Glb, names_only_the_extensions_it_uses) {
  Scene scene = triangle();
  EXPECT_EQ(json_chunk(*write_glb(scene)).find("extensionsUsed"), std::string::npos);
  scene.materials.push_back({});
  scene.materials[0].emissive = {4, 2, 0};
  const std::string json = json_chunk(*write_glb(scene));
  EXPECT_NE(json.find(R"("extensionsUsed":["KHR_materials_emissive_strength"])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("emissiveFactor":[1.0,0.5,0.0])"), std::string::npos) << json;
}

TEST(Glb, writes_samplers_and_linear_where_the_source_says_nothing) {
  using sampling::Filter, sampling::MipFilter;
  Scene scene = triangle();
  const std::string png = std::string("\x89PNG\r\n\x1a\n", 8);
  ByteVector bytes(png.size());
  std::memcpy(bytes.data(), png.data(), png.size());
  scene.images.push_back({"a", {}, Bytes(std::move(bytes))});
  Material& m = scene.materials.emplace_back();
  m.base_color_texture.image = m.normal_texture.image = m.emissive_texture.image = 0;
  m.normal_texture.sampler = {Wrap::kClamp, Wrap::kMirror, Filter::kNearest, Filter::kNearest, MipFilter::kNone};
  m.emissive_texture.sampler = {Wrap::kRepeat, Wrap::kRepeat, Filter::kLinear, Filter::kLinear, MipFilter::kNearest};
  const auto glb = write_glb(scene);
  ASSERT_TRUE(glb) << glb.error().to_string();
  const std::string json = json_chunk(*glb);
  EXPECT_NE(json.find(R"("samplers":[{"magFilter":9729,"minFilter":9987,"wrapS":10497,"wrapT":10497},)"
                      R"({"magFilter":9728,"minFilter":9728,"wrapS":33071,"wrapT":33648},)"
                      R"({"magFilter":9729,"minFilter":9985,"wrapS":10497,"wrapT":10497}])"),
            std::string::npos)
      << json;
}

TEST(Glb, the_widest_spot_light_is_in_range) {
  Scene scene = triangle();
  Light& light = scene.lights.emplace_back();
  light.type = LightType::kSpot;
  light.outer_cone_radians = static_cast<float>(std::numbers::pi / 2);  // rounded up
  const std::string json = json_chunk(*write_glb(scene));
  EXPECT_NE(json.find(R"("outerConeAngle":1.5707963267948966)"), std::string::npos) << json;
}

TEST(Glb, nodes_keep_their_own_morph_weights) {
  Scene scene = triangle();
  Mesh& mesh = scene.meshes[0];
  MorphTarget& target = mesh.primitives[0].morphs.emplace_back();
  target.vertices = {0};
  target.positions = {{1, 0, 0}};
  mesh.morph_weights = {0.25f};
  scene.nodes[0].morph_weights = {0.75f};
  scene.nodes.emplace_back().mesh = 0;
  const std::string json = json_chunk(*write_glb(scene));
  EXPECT_NE(json.find(R"("weights":[0.25])"), std::string::npos) << json;
  const std::size_t own = json.find(R"("weights":[0.75])");
  ASSERT_NE(own, std::string::npos) << json;
  EXPECT_EQ(json.find(R"("weights":[0.75])", own + 1), std::string::npos) << "only the node that has them";
}

TEST(Glb, leaves_out_weights_of_morph_targets_that_it_does_not_hold) {
  Scene scene = triangle();
  Channel weights{0, ChannelPath::kWeights, Interpolation::kLinear, {0, 1}, {0, 1}};
  scene.clips.push_back({"blend", {weights}});
  std::vector<Dropped> omitted;
  EXPECT_EQ(json_chunk(*write_glb(scene, &omitted)).find("animations"), std::string::npos);
  ASSERT_EQ(omitted.size(), 2u);
  EXPECT_EQ(omitted[0].what, "animation channels of properties that the file does not have");
  EXPECT_EQ(omitted[1].what, "animations without channels");
  EXPECT_EQ(omitted[1].where, "/animations/0");
  scene.clips[0].channels.push_back({0, ChannelPath::kTranslation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0, 0}});
  const std::string json = json_chunk(*write_glb(scene));
  EXPECT_NE(json.find(R"("path":"translation")"), std::string::npos);
  EXPECT_EQ(json.find("weights"), std::string::npos);
}

TEST(Glb, clips_move_cameras_lights_and_visibility_by_pointers) {
  Scene scene = triangle();
  scene.cameras.resize(2);
  scene.cameras[1].is_perspective = false;
  scene.lights.resize(1);
  scene.meshes[0].morph_weights = {0, 0};
  const auto channel = [](ChannelPath path, std::uint32_t object, std::vector<float> values) {
    Channel out{kNone, path, Interpolation::kLinear, {0, 1}, std::move(values)};
    (is_of_node(path) ? out.node : out.object) = object;
    return out;
  };
  scene.clips.push_back({"show", {}});
  scene.clips[0].channels = {channel(ChannelPath::kVisible, 0, {1, 0}),
                             channel(ChannelPath::kCameraFar, 0, {1, 2}),
                             channel(ChannelPath::kCameraXMagnification, 1, {1, 2}),
                             channel(ChannelPath::kLightOuterCone, 0, {1, 2}),
                             channel(ChannelPath::kLightColor, 0, {1, 1, 1, 2, 2, 2}),
                             channel(ChannelPath::kLightRange, 1, {1, 2}),
                             channel(ChannelPath::kWeights, 0, {0, 1, 1, 0})};
  const auto glb = write_glb(scene);
  ASSERT_TRUE(glb) << glb.error().to_string();
  const std::string json = json_chunk(*glb);
  for (const char* pointer :
       {"/nodes/0/extensions/KHR_node_visibility/visible", "/cameras/0/perspective/zfar",
        "/cameras/1/orthographic/xmag", "/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle",
        "/extensions/KHR_lights_punctual/lights/0/color"})
    EXPECT_NE(json.find(std::string("{\"pointer\":\"") + pointer + "\"}"), std::string::npos) << pointer << json;
  EXPECT_EQ(json.find("lights/1"), std::string::npos);  // there is no such light
  EXPECT_NE(json.find("\"path\":\"weights\""), std::string::npos);
  EXPECT_NE(json.find("KHR_animation_pointer\",\"KHR_"), std::string::npos);
}

// Two skins, whose joints are below two root nodes. The node of the mesh stays a root of the scene.
TEST(Glb, gives_joints_of_several_roots_one) {
  Scene scene = triangle();
  scene.nodes.resize(6);
  scene.nodes[2].parent = 1;
  scene.nodes[4].parent = 3;
  const std::vector<Mat4> one(1), two(2);
  scene.skins = {{"", {2}, one}, {"", {2, 3}, two}};
  std::string json = json_chunk(*write_glb(scene));
  EXPECT_NE(json.find(R"("nodes":[{"mesh":0},{"children":[2]},{},{"children":[4]},{},{},)"
                      R"({"children":[1,3],"name":"common root of joints"}])"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("scenes":[{"nodes":[0,5,6]}])"), std::string::npos) << json;
  // If a second skin needs a root too, that root also holds the first one.
  scene.skins.push_back({"", {4, 5}, two});
  json = json_chunk(*write_glb(scene));
  EXPECT_NE(json.find(R"({"children":[1,3],"name":"common root of joints"},)"
                      R"({"children":[5,6],"name":"common root of joints"}])"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("scenes":[{"nodes":[0,7]}])"), std::string::npos) << json;
  // If all joints are below one node, no root is added.
  scene.skins.resize(1);
  json = json_chunk(*write_glb(scene));
  EXPECT_EQ(json.find("common root"), std::string::npos) << json;
}

TEST(Glb, refuses_what_is_not_whole_with_its_place) {
  Scene scene = triangle();
  scene.meshes[0].primitives[0].indices[1] = 3;
  EXPECT_EQ(write_glb(scene).error().to_string(), "/meshes/0/primitives/0: an index is not below the vertex count 3");
  scene = triangle();
  scene.meshes[0].primitives[0].normals.resize(2);
  EXPECT_EQ(write_glb(scene).error().to_string(),
            "/meshes/0/primitives/0: NORMAL has 2 items, expected one for each of 3 vertices");
  scene = triangle();
  scene.images.push_back({"wood", "textures/wood.png", {}});
  EXPECT_EQ(write_glb(scene).error().to_string(),
            "/images/0: image \"wood\" has no bytes to embed; load the image before writing the GLB");
}

TEST(Glb, levels_of_detail_hang_on_their_node_and_not_in_the_scene) {
  Scene scene = triangle();
  scene.nodes.push_back(scene.nodes[0]);
  scene.nodes[0].lods = {1};
  const std::string json = json_chunk(*write_glb(scene));
  EXPECT_NE(json.find(R"("MSFT_lod":{"ids":[1]})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("scenes":[{"nodes":[0]}])"), std::string::npos) << json;
}

TEST(Glb, an_index_without_an_item_is_an_error) {
  const auto error_of = [](auto change) {
    Scene scene = triangle();
    scene.materials.emplace_back();
    change(scene);
    const auto glb = write_glb(scene);
    return glb ? std::string("none") : glb.error().to_string();
  };
  EXPECT_EQ(error_of([](Scene& s) { s.materials[0].emissive_texture.image = 3; }),
            "/materials/0: the emissive texture refers to image 3, but the scene has 0 images");
  EXPECT_EQ(error_of([](Scene& s) { s.materials[0].textures = {{"ClearcoatTex", TextureUsage::kLinear, use_of(0)}}; }),
            "/materials/0: the ClearcoatTex texture refers to image 0, but the scene has 0 images");
  EXPECT_EQ(error_of([](Scene& s) { s.meshes[0].primitives[0].material = 1; }),
            "/meshes/0/primitives/0: the primitive refers to material 1, but the scene has 1 material");
  EXPECT_EQ(error_of([](Scene& s) { s.meshes[0].primitives[0].variant_materials = {{0, 0}}; }),
            "/meshes/0/primitives/0: the primitive refers to variant 0, but the scene has 0 variants");
  EXPECT_EQ(error_of([](Scene& s) {
              s.meshes[0].primitives[0].morphs.resize(1), s.meshes[0].primitives[0].morphs[0].vertices = {3};
            }),
            "/meshes/0/primitives/0/targets/0: the target moves vertex 3, but the primitive has 3 vertices");
  EXPECT_EQ(error_of([](Scene& s) {
              s.meshes[0].primitives[0].morphs.resize(1), s.meshes[0].primitives[0].morphs[0].positions.resize(1);
            }),
            "/meshes/0/primitives/0/targets/0: an array does not have one item for each of the 0 vertices that the "
            "target moves");
  EXPECT_EQ(error_of([](Scene& s) { s.nodes[0].mesh = 1; }),
            "/nodes/0: the node refers to mesh 1, but the scene has 1 mesh");
  EXPECT_EQ(error_of([](Scene& s) { s.nodes[0].parent = 1; }),
            "/nodes/0: the node refers to node 1, but the scene has 1 node");
  EXPECT_EQ(error_of([](Scene& s) { s.nodes[0].lods = {7}; }),
            "/nodes/0: a level of detail refers to node 7, but the scene has 1 node");
  EXPECT_EQ(error_of([](Scene& s) { s.skins.push_back({"", {9}, {}}); }),
            "/skins/0: a joint refers to node 9, but the scene has 1 node");
  // A clip loses such a channel.
  EXPECT_EQ(error_of([](Scene& s) {
              Channel channel;
              channel.node = 5;
              channel.path = ChannelPath::kWeights;
              channel.times_seconds = channel.values = {0};
              s.clips.push_back({"", {channel}});
            }),
            "none");
}

TEST(Glb, very_many_sparse_targets_stay_sparse_in_a_packed_file) {
  scene::Scene scene;
  scene::Primitive p;
  p.positions.resize(70'000);
  p.indices = {0, 1, 2};
  p.morphs.resize(1000);
  for (scene::MorphTarget& target : p.morphs) {
    target.vertices = {7};
    target.positions = {{1, 0, 0}};
  }
  scene::Mesh mesh{"many", {std::move(p)}};
  mesh.morph_weights.resize(1000);
  scene.meshes.push_back(std::move(mesh));
  scene.nodes.emplace_back().mesh = 0;
  const auto glb = write_glb(scene, nullptr, {.packs = true, .coding = GlbCoding::kMeshopt});
  ASSERT_TRUE(glb);
  EXPECT_LT(glb->size(), 2'000'000u);
  EXPECT_NE(std::string(as_text(*glb)).find("\"sparse\""), std::string::npos);
}

}  // namespace
}  // namespace assetc::exporter
