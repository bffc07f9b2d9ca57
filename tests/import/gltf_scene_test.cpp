// Nodes, materials, skins and clips.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/gltf/gltf.hpp"
#include "import/tiny_gltf.hpp"

namespace assetc::importer {
namespace {

using namespace testing;
using scene::Vec3;
using scene::Vec4;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Gltf, refuses_cycles_and_second_parents) {
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[0]}]})")),
            "/nodes/0: the node is its own ancestor, expected a tree of nodes");
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"2.0"},"nodes":[{"children":[0]}]})")),
            "/nodes/0: the node is its own ancestor, expected a tree of nodes");
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"2.0"},"nodes":[{"children":[2]},{"children":[2]},{}]})")),
            "/nodes/1/children/0: node 2 is already a child of node 0, expected one parent a node");
}

TEST(Gltf, refuses_numbers_of_objects_that_do_not_exist) {
  const auto refusal = [](const std::string& rest) {
    return message(import_text(R"({"asset":{"version":"2.0"},)" + rest + "}"));
  };
  EXPECT_EQ(
      refusal(R"("nodes":[{"camera":1}],"cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":0.1}}])"),
      "/nodes/0/camera: found 1, expected an index below 1, the number of cameras");
  const auto lights = [](const std::string& light, int number) {
    return R"("nodes":[{"extensions":{"KHR_lights_punctual":{"light":)" + std::to_string(number) +
           R"(}}}],"extensions":{"KHR_lights_punctual":{"lights":[)" + light + "]}}";
  };
  EXPECT_EQ(refusal(lights(R"({"type":"point"})", 1)),
            "/nodes/0/extensions/KHR_lights_punctual/light: found 1, expected an index below 1, the number of lights");
  EXPECT_EQ(
      refusal(lights(R"({"type":"point","intensity":1e39})", 0)),
      "/extensions/KHR_lights_punctual/lights/0/intensity: found 1e+39, expected a number that a 32-bit float can "
      "hold");
  EXPECT_THAT(refusal(lights(R"({"type":"point","intensity":NaN})", 0)), HasSubstr("not valid JSON"));
  TinyGltf g;
  const std::string position = std::to_string(g.vec3(kTriangle));
  const auto variants = [&](const std::string& mapping) {
    return message(import_text(
        g.json(R"("materials":[{}],"extensions":{"KHR_materials_variants":{"variants":[{"name":"a"}]}},)"
               R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" +
               position + R"(},"extensions":{"KHR_materials_variants":{"mappings":[)" + mapping + "]}}}]}]")));
  };
  const std::string mappings = "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0";
  EXPECT_EQ(variants(R"({"material":0,"variants":[1]})"),
            mappings + "/variants/0: found 1, expected an index below 1, the number of variants");
  EXPECT_EQ(variants(R"({"material":1,"variants":[0]})"),
            mappings + "/material: found 1, expected an index below 1, the number of materials");
}

TEST(Gltf, nodes_have_a_weight_for_each_target_of_their_mesh) {
  TinyGltf g;
  const std::string position = std::to_string(g.vec3(kTriangle)), offsets = std::to_string(g.vec3(kTriangle));
  const auto imported = import_text(
      g.json(R"("nodes":[{"mesh":0,"weights":[0.5]},{"mesh":0,"weights":[0.25,1]},{"weights":[1]}],"meshes":[)"
             R"({"primitives":[{"attributes":{"POSITION":)" +
             position + R"(},"targets":[{"POSITION":)" + offsets + "}]}]}]"));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(imported->scene.nodes[0].morph_weights, ElementsAre(0.5f));
  EXPECT_THAT(imported->scene.nodes[1].morph_weights, ElementsAre(0.25f));
  EXPECT_THAT(imported->scene.nodes[2].morph_weights, ElementsAre());
  ASSERT_EQ(imported->warnings.size(), 2u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "/nodes/1/weights: found 2 weights, expected 1, one for each morph target of the node's mesh; the others "
            "are ignored");
  EXPECT_EQ(imported->warnings[1].place, "/nodes/2/weights");
}

TEST(Gltf, reads_matrix_and_trs_nodes) {
  const auto imported = import_text(R"({"asset":{"version":"2.0"},"nodes":[
    {"matrix":[2,0,0,0,0,2,0,0,0,0,2,0,5,6,7,1],"children":[1]},{"translation":[1,0,0],"rotation":[0,0,0.70710678,0.70710678],"scale":[1,3,1]}]})");
  ASSERT_TRUE(imported) << message(imported);
  const auto world = world_matrices(imported->scene);
  const Vec3 p =
      transform_point(world[1], {0, 1, 0});  // scaled to y = 3, turned to x = -3, moved to -2; doubled, moved
  EXPECT_NEAR(p.x, 1, 1e-5f);
  EXPECT_NEAR(p.y, 6, 1e-5f);
  EXPECT_NEAR(p.z, 7, 1e-5f);
}

TEST(Gltf, reads_materials_and_their_extensions) {
  const auto imported = import_text(R"({"asset":{"version":"2.0"},"extensionsRequired":["KHR_texture_basisu"],
    "images":[{"uri":"a.png"},{"uri":"sub/b.ktx2"},{"uri":"c.webp"}],"samplers":[{"wrapS":33071,"wrapT":33648}],
    "textures":[{"source":0,"sampler":0},{"source":0,"extensions":{"KHR_texture_basisu":{"source":1}}},{"source":0,"extensions":{"EXT_texture_webp":{"source":2}}}],
    "materials":[{"name":"m","pbrMetallicRoughness":{"baseColorFactor":[0.1,0.2,0.3,0.4],"metallicFactor":0.5,"roughnessFactor":0.6,
      "baseColorTexture":{"index":0,"extensions":{"KHR_texture_transform":{"offset":[0.5,0.25],"rotation":1.5,"scale":[2,3],"texCoord":1}}},
      "metallicRoughnessTexture":{"index":1}},"normalTexture":{"index":2,"scale":0.7},"occlusionTexture":{"index":1,"strength":0.8},
      "emissiveFactor":[1,0.5,0],"alphaMode":"MASK","alphaCutoff":0.3,"doubleSided":true,
      "extensions":{"KHR_materials_emissive_strength":{"emissiveStrength":4},"KHR_materials_unlit":{}}}]})");
  ASSERT_TRUE(imported) << message(imported);
  const scene::Material& m = imported->scene.materials.at(0);
  EXPECT_EQ(m.base_color, (Vec4{.1f, .2f, .3f, .4f}));
  EXPECT_EQ(m.emissive, (Vec3{4, 2, 0}));
  EXPECT_EQ(m.metallic, .5f);
  EXPECT_EQ(m.roughness, .6f);
  EXPECT_EQ(m.normal_scale, .7f);
  EXPECT_EQ(m.occlusion_strength, .8f);
  EXPECT_EQ(m.alpha_cutoff, .3f);
  EXPECT_EQ(m.alpha_mode, scene::AlphaMode::kMask);
  EXPECT_TRUE(m.double_sided);
  EXPECT_TRUE(m.unlit);
  EXPECT_EQ(m.base_color_texture.image, 0u);
  EXPECT_EQ(m.base_color_texture.texcoord, 1u);
  EXPECT_EQ(m.base_color_texture.sampler, (scene::Sampler{scene::Wrap::kClamp, scene::Wrap::kMirror}));
  EXPECT_EQ(m.metallic_roughness_texture.sampler, scene::Sampler{});
  EXPECT_EQ(m.base_color_texture.transform, (scene::TexcoordTransform{{.5f, .25f}, 1.5f, {2, 3}}));
  EXPECT_EQ(m.metallic_roughness_texture.image, 1u);
  EXPECT_EQ(m.normal_texture.image, 2u);
  EXPECT_EQ(imported->scene.images[1].path, "models/sub/b.ktx2");
  EXPECT_TRUE(imported->scene.dropped.empty());
}

TEST(Gltf, reads_filters_of_samplers) {
  using sampling::Filter, sampling::MipFilter;
  const auto sampled = [](const std::string& sampler) {
    return import_text(R"({"asset":{"version":"2.0"},"images":[{"uri":"a.png"}],"samplers":[)" + sampler +
                       R"(],"textures":[{"source":0,"sampler":0}],"materials":[{"emissiveTexture":{"index":0}}]})");
  };
  const auto sampler_of = [&](const std::string& sampler) {
    const auto imported = sampled(sampler);
    EXPECT_TRUE(imported && imported->warnings.empty()) << message(imported);
    return imported ? imported->scene.materials.at(0).emissive_texture.sampler : scene::Sampler{};
  };
  EXPECT_EQ(sampler_of("{}"), scene::Sampler{});
  const std::pair<Filter, MipFilter> filters[] = {
      {Filter::kNearest, MipFilter::kNone},    {Filter::kLinear, MipFilter::kNone},
      {Filter::kNearest, MipFilter::kNearest}, {Filter::kLinear, MipFilter::kNearest},
      {Filter::kNearest, MipFilter::kLinear},  {Filter::kLinear, MipFilter::kLinear}};
  const int codes[] = {9728, 9729, 9984, 9985, 9986, 9987};
  for (std::size_t i = 0; i < std::size(codes); ++i) {
    const scene::Sampler sampler = sampler_of(R"({"minFilter":)" + std::to_string(codes[i]) + "}");
    EXPECT_EQ(sampler, (scene::Sampler{.min = filters[i].first, .mip = filters[i].second})) << codes[i];
  }
  EXPECT_EQ(sampler_of(R"({"magFilter":9728})"), scene::Sampler{.mag = Filter::kNearest});
  EXPECT_EQ(sampler_of(R"({"magFilter":9729})"), scene::Sampler{.mag = Filter::kLinear});

  const auto imported = sampled(R"({"magFilter":1,"minFilter":9988})");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(imported->scene.materials.at(0).emissive_texture.sampler, scene::Sampler{});
  ASSERT_EQ(imported->warnings.size(), 2u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "/samplers/0/magFilter: found 1, expected 9728 (nearest) or 9729 (linear); it is ignored");
  EXPECT_EQ(imported->warnings[1].to_string(),
            "/samplers/0/minFilter: found 9988, expected 9728, 9729 or 9984 to 9987; it is ignored");
  EXPECT_EQ(message(sampled(R"({"wrapS":1})")),
            "/samplers/0/wrapS: found 1, expected 10497 (repeat), 33071 (clamp) or 33648 (mirror)");
}

TEST(Gltf, reads_skins_and_clips) {
  TinyGltf g;
  const int times = g.scalar({0, 1}), values = g.vec3({0, 0, 0, 1, 2, 3});
  const auto imported = import_text(
      g.json(R"("nodes":[{"children":[1]},{}],"skins":[{"joints":[0,1]}],"animations":[{"name":"walk","channels":[
    {"sampler":0,"target":{"node":1,"path":"translation"}},{"sampler":0,"target":{"path":"translation"}}],
    "samplers":[{"input":)" +
             std::to_string(times) + R"(,"output":)" + std::to_string(values) + "}]}]"));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(imported->scene.skins.at(0).joints, ElementsAre(0, 1));
  EXPECT_EQ(imported->scene.skins[0].inverse_bind.at(1), scene::Mat4{});
  ASSERT_EQ(imported->scene.clips.at(0).channels.size(), 1u);
  EXPECT_THAT(imported->scene.clips[0].channels[0].values, ElementsAre(0, 0, 0, 1, 2, 3));
  EXPECT_THAT(dropped(imported),
              ElementsAre("dropped: 1 animation channel without a node to move (/animations/0/channels/1)"));
}

// A clip with one channel for each pointer, whose values have the given width.
struct Pointed {
  std::string pointer;
  int width = 1;
};
Result<Imported> import_pointers(const std::vector<Pointed>& pointers, const std::string& interpolation = "LINEAR") {
  TinyGltf g;
  const int times = g.scalar({0, 1});
  std::string channels, samplers;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const auto count = static_cast<std::size_t>(pointers[i].width) * 2;
    const std::vector<float> values(count, 0.5f);
    const int output = pointers[i].width == 4   ? g.vec4(values)
                       : pointers[i].width == 3 ? g.vec3(values)
                                                : g.scalar(values);
    const std::string comma = i == 0 ? "" : ",";
    channels += comma + R"({"sampler":)" + std::to_string(i) +
                R"(,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":")" +
                pointers[i].pointer + R"("}}}})";
    samplers += comma + R"({"input":)" + std::to_string(times) + R"(,"output":)" + std::to_string(output) +
                R"(,"interpolation":")" + interpolation + R"("})";
  }
  return import_text(g.json(R"("nodes":[{},{}],"cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":0.1}},)"
                            R"({"type":"orthographic","orthographic":{"xmag":1,"ymag":1,"znear":0.1,"zfar":9}}],)"
                            R"("extensions":{"KHR_lights_punctual":{"lights":[{"type":"spot","spot":{}}]}},)"
                            R"("animations":[{"channels":[)" +
                            channels + R"(],"samplers":[)" + samplers + "]}]"));
}

TEST(Gltf, clips_move_what_pointers_name) {
  using scene::ChannelPath;
  const struct {
    Pointed from;
    ChannelPath path;
    std::uint32_t object;
  } all[] = {{{"/nodes/1/translation", 3}, ChannelPath::kTranslation, 1},
             {{"/nodes/1/rotation", 4}, ChannelPath::kRotation, 1},
             {{"/nodes/0/scale", 3}, ChannelPath::kScale, 0},
             {{"/nodes/1/weights", 1}, ChannelPath::kWeights, 1},
             {{"/nodes/1/extensions/KHR_node_visibility/visible", 1}, ChannelPath::kVisible, 1},
             {{"/cameras/0/perspective/yfov", 1}, ChannelPath::kCameraYFov, 0},
             {{"/cameras/0/perspective/aspectRatio", 1}, ChannelPath::kCameraAspectRatio, 0},
             {{"/cameras/0/perspective/znear", 1}, ChannelPath::kCameraNear, 0},
             {{"/cameras/1/orthographic/zfar", 1}, ChannelPath::kCameraFar, 1},
             {{"/cameras/1/orthographic/xmag", 1}, ChannelPath::kCameraXMagnification, 1},
             {{"/cameras/1/orthographic/ymag", 1}, ChannelPath::kCameraYMagnification, 1},
             {{"/extensions/KHR_lights_punctual/lights/0/color", 3}, ChannelPath::kLightColor, 0},
             {{"/extensions/KHR_lights_punctual/lights/0/intensity", 1}, ChannelPath::kLightIntensity, 0},
             {{"/extensions/KHR_lights_punctual/lights/0/range", 1}, ChannelPath::kLightRange, 0},
             {{"/extensions/KHR_lights_punctual/lights/0/spot/innerConeAngle", 1}, ChannelPath::kLightInnerCone, 0},
             {{"/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle", 1}, ChannelPath::kLightOuterCone, 0}};
  std::vector<Pointed> pointers;
  for (const auto& one : all) pointers.push_back(one.from);
  const auto imported = import_pointers(pointers);
  ASSERT_TRUE(imported) << message(imported);
  const std::vector<scene::Channel>& channels = imported->scene.clips.at(0).channels;
  ASSERT_EQ(channels.size(), std::size(all));
  for (std::size_t i = 0; i < channels.size(); ++i) {
    EXPECT_EQ(channels[i].path, all[i].path) << all[i].from.pointer;
    EXPECT_EQ(is_of_node(all[i].path) ? channels[i].node : channels[i].object, all[i].object) << all[i].from.pointer;
    EXPECT_EQ(is_of_node(all[i].path) ? channels[i].object : channels[i].node, scene::kNone) << all[i].from.pointer;
  }
  EXPECT_EQ(channels[4].interpolation, scene::Interpolation::kStep);  // visibility is not a number
}

TEST(Gltf, names_pointers_that_it_cannot_follow) {
  const auto unknown =
      import_pointers({{"/materials/0/alphaCutoff"}, {"/nodes/x/scale", 3}, {"/nodes//scale", 3}, {""}});
  ASSERT_TRUE(unknown) << message(unknown);
  EXPECT_TRUE(unknown->scene.clips.at(0).channels.empty());
  EXPECT_THAT(
      dropped(unknown),
      ::testing::Contains(
          "dropped: 4 animation channels of properties that clips cannot move (/animations/0/channels/0, ...)"));
  EXPECT_EQ(message(import_pointers({{"/nodes/2/scale", 3}})),
            "/animations/0/channels/0/target/extensions/KHR_animation_pointer/pointer: found \"/nodes/2/scale\", "
            "expected an index below 2");
  EXPECT_THAT(message(import_pointers({{"/extensions/KHR_lights_punctual/lights/99999999999/range"}})),
              HasSubstr("expected an index below 1"));
  EXPECT_EQ(message(import_pointers({{"/cameras/0/perspective/yfov", 3}})),
            "/animations/0/samplers/0/output: found 2 elements of VEC3 of float, expected 2 of SCALAR");
}

TEST(Gltf, refuses_keys_that_go_back_in_time) {
  TinyGltf g;
  const int times = g.scalar({1, 0}), values = g.vec3({0, 0, 0, 1, 2, 3});
  EXPECT_THAT(
      message(import_text(g.json(
          R"("nodes":[{}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}],"samplers":[{"input":)" +
          std::to_string(times) + R"(,"output":)" + std::to_string(values) + "}]}]"))),
      HasSubstr("/animations/0/samplers/0/input: key 1 is at 0.000000 s, expected finite times that ascend"));
}

TEST(Gltf, two_keys_at_one_time_stay_a_jump) {
  TinyGltf g;
  const int times = g.scalar({0, 1, 1, 1, 2}), values = g.vec3(std::vector<float>(15, 1.0f));
  const auto imported = import_text(g.json(
      R"("nodes":[{}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}],"samplers":[{"input":)" +
      std::to_string(times) + R"(,"output":)" + std::to_string(values) + "}]}]"));
  ASSERT_TRUE(imported) << message(imported);
  constexpr float kStep = std::numeric_limits<float>::epsilon();
  EXPECT_THAT(imported->scene.clips.at(0).channels.at(0).times_seconds, ElementsAre(0, 1, 1 + kStep, 1 + 2 * kStep, 2));
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "/animations/0/samplers/0/input: 2 keys have the same time as the key before, expected ascending times; "
            "they are moved to the next possible time");
}

TEST(Gltf, a_clip_with_negative_times_is_moved_to_zero) {
  const auto import_clip = [](const std::vector<float>& first_times) {
    TinyGltf g;
    const int a = g.scalar(first_times), b = g.scalar({0.25f, 1});
    const int values = g.vec3({0, 0, 0, 1, 2, 3});
    const auto sampler = [&](int times) {
      return R"({"input":)" + std::to_string(times) + R"(,"output":)" + std::to_string(values) + "}";
    };
    return import_text(
        g.json(R"("nodes":[{}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}},)"
               R"({"sampler":1,"target":{"node":0,"path":"translation"}}],"samplers":[)" +
               sampler(a) + "," + sampler(b) + "]}]"));
  };
  const auto imported = import_clip({-1.75f, -0.5f});
  ASSERT_TRUE(imported) << message(imported);
  const std::vector<scene::Channel>& channels = imported->scene.clips.at(0).channels;
  EXPECT_THAT(channels.at(0).times_seconds, ElementsAre(0, 1.25f));
  EXPECT_THAT(channels.at(1).times_seconds, ElementsAre(2, 2.75f));
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(
      imported->warnings[0].to_string(),
      "/animations/0: the first key is at -1.750000 s, expected times of 0 or more; all keys of the clip are moved "
      "so that it starts at 0");
  EXPECT_THAT(message(import_clip({-3.4e38f, 3.4e38f})), HasSubstr("/animations/0: the keys go from -33999"));
  EXPECT_THAT(message(import_clip({-std::numeric_limits<float>::infinity(), 1})),
              HasSubstr("key 0 is at -inf s, expected finite times that ascend"));
}

TEST(Gltf, inverse_bind_matrices_become_affine) {
  const auto import_skin = [](float e3, float e15) {
    TinyGltf g;
    const int m = g.accessor<float>(5126, "MAT4", {1, 0, 0, e3, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, e15}, 1);
    return import_text(
        g.json(R"("nodes":[{}],"skins":[{"joints":[0],"inverseBindMatrices":)" + std::to_string(m) + "}]"));
  };
  for (const auto& [e3, e15, warned] :
       {std::tuple{0.0f, 1.0f, false}, {1e-7f, 0.9999999f, false}, {0.25f, 2.0f, true}}) {
    const auto imported = import_skin(e3, e15);
    ASSERT_TRUE(imported) << message(imported);
    EXPECT_THAT(imported->scene.skins.at(0).inverse_bind.at(0).m,
                ElementsAre(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1));
    ASSERT_EQ(imported->warnings.size(), warned ? 1u : 0u);
    if (!warned) continue;
    EXPECT_EQ(imported->warnings[0].to_string(),
              "/skins/0/inverseBindMatrices: the last row of the matrix of joint 0 is "
              "0.250000 0.000000 0.000000 2.000000, expected 0 0 0 1, which is used instead");
  }
  EXPECT_EQ(message(import_skin(std::numeric_limits<float>::infinity(), 1)),
            "/skins/0/inverseBindMatrices: the matrix of joint 0 holds a value that is not finite");
}

// Weights that sum to 2, to zero, to a negative value, and to 1.
TEST(Gltf, skin_weights_sum_to_one) {
  TinyGltf g;
  const int p = g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}), i = g.indices({0, 1, 2, 2, 1, 3});
  const int j = g.accessor<std::uint8_t>(5121, "VEC4", {1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0}, 4);
  const int w = g.vec4({1.5f, .5f, 0, 0, 0, 0, 0, 0, .5f, -.5f, 0, 0, .3f, .699f, 0, 0});
  const auto imported = import_mesh(
      g, attributes({{"POSITION", p}, {"JOINTS_0", j}, {"WEIGHTS_0", w}}, ",\"indices\":" + std::to_string(i)));
  ASSERT_TRUE(imported) << message(imported);
  const scene::Influences& set = first_primitive(imported).influences.at(0);
  EXPECT_THAT(set.weights,
              ElementsAre(Vec4{.75f, .25f, 0, 0}, Vec4{1, 0, 0, 0}, Vec4{1, 0, 0, 0}, Vec4{.3f, .699f, 0, 0}));
  EXPECT_EQ(set.joints[0][0], 1u);
  EXPECT_EQ(set.joints[1], (std::array<std::uint16_t, 4>{0, 0, 0, 0}));
  EXPECT_EQ(set.joints[2][0], 1u);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "/meshes/0/primitives/0/attributes: the skin weights of 3 vertices are negative or do not add up to 1 "
            "(worst at vertex 0, where the sum is 2); negative weights become 0, and the others are scaled to a sum of "
            "1; a vertex without weights is bound to the first joint");
}

TEST(Gltf, finds_the_worst_skin_weights_in_a_part_of_an_accessor) {
  TinyGltf g;
  const int p = g.vec3({0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}), i = g.indices({2, 3, 4});
  const int j = g.accessor<std::uint8_t>(5121, "VEC4", std::vector<std::uint8_t>(20), 5);
  const int w = g.vec4({9, 9, 9, 9, 9, 9, 9, 9, 1.125f, 0, 0, 0, 1, -.25f, 0, 0, 1, 0, 0, 0});
  const auto imported = import_mesh(
      g, attributes({{"POSITION", p}, {"JOINTS_0", j}, {"WEIGHTS_0", w}}, ",\"indices\":" + std::to_string(i)));
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_THAT(imported->warnings[0].to_string(),
              HasSubstr("of 2 vertices are negative or do not add up to 1 (worst at vertex 3, where one is -0.25)"));
}

TEST(Gltf, turns_gpu_instances_into_nodes) {
  TinyGltf g;
  const int p = g.vec3(kTriangle), t = g.vec3({1, 0, 0, 2, 0, 0}), id = g.scalar({7, 8});
  const auto imported = import_text(g.json(
      R"("extensionsRequired":["EXT_mesh_gpu_instancing"],"meshes":[{"primitives":[{)" + attributes({{"POSITION", p}}) +
      R"(}]}],"nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":)" +
      std::to_string(t) + R"(,"_ID":)" + std::to_string(id) + "}}}}]"));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(dropped(imported), ElementsAre("dropped: 1 attribute _ID of EXT_mesh_gpu_instancing "
                                             "(/nodes/0/extensions/EXT_mesh_gpu_instancing/attributes/_ID)"));
  ASSERT_EQ(imported->scene.nodes.size(), 3u);
  EXPECT_EQ(imported->scene.nodes[0].mesh, scene::kNone);
  EXPECT_EQ(imported->scene.nodes[2].mesh, 0u);
  EXPECT_EQ(world_matrices(imported->scene)[2].m[12], 2.0f);
}

// Products of nodes, instances and primitives, which a few bytes of JSON name.
TEST(Gltf, more_drawn_primitives_than_the_limit_are_refused) {
  TinyGltf g;
  const std::string primitive = "{" + attributes({{"POSITION", g.vec3(kTriangle)}}) + "}";
  const int zeros = g.raw_accessor(R"("componentType":5126,"type":"VEC3","count":200000)");
  const auto repeated = [](std::size_t count, const std::string& item) {
    std::string all = item;
    for (std::size_t i = 1; i < count; ++i) all += "," + item;
    return all;
  };
  const auto refused = [&](std::size_t primitives, std::size_t nodes, const std::string& node, const std::string& place,
                           const std::string& count) {
    const auto imported = import_text(g.json(R"("meshes":[{"primitives":[)" + repeated(primitives, primitive) +
                                             R"(]}],"nodes":[)" + repeated(nodes, node) + "]"));
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.error().code, ErrorCode::kLimit);
    EXPECT_EQ(imported.error().place, place);
    EXPECT_EQ(imported.error().what, "found " + count +
                                         " drawn primitives up to here (nodes times instances times primitives), "
                                         "expected at most 1048576");
  };
  refused(1025, 1030, R"({"mesh":0})", "/nodes/1023", "1049600");
  const std::string instanced = R"({"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":)" +
                                std::to_string(zeros) + "}}}}";
  refused(40, 1, instanced, "/nodes/0/extensions/EXT_mesh_gpu_instancing", "8000000");
  refused(3, 2, instanced, "/nodes/1/extensions/EXT_mesh_gpu_instancing", "1200000");
}

}  // namespace
}  // namespace assetc::importer
