#include "import/model/scene_message.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace assetc::importer {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A scene with something of every kind.
Imported rich() {
  Imported out;
  scene::Scene& s = out.scene;
  scene::Primitive p;
  p.name = "part";
  p.material = 0;
  p.indices = {0, 1, 2};
  p.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  p.normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  p.tangents = {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, -1}};
  p.texcoords = {{{0, 0}, {1, 0}, {0, 1}}};
  p.colors = {{{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}}};
  p.influences = {{{{0, 1, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}}, {{0.5f, 0.5f, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}}}};
  p.topology = scene::Topology::kTriangles;
  p.variant_materials = {{0, scene::kNone}, {1, 0}};
  p.custom.push_back({"_HEAT", scene::ComponentType::kU16, true, 2, 1, ByteVector(12, std::byte{1})});
  p.morphs.resize(2);
  p.morphs[0].vertices = {0, 2};
  p.morphs[0].positions = p.morphs[0].normals = p.morphs[0].tangents = {{0, 1, 0}, {0, 2, 0}};
  p.morphs[0].texcoords = {{{0, 1}, {1, 0}}};
  p.morphs[0].colors = {{{0, 1, 0, 0}, {1, 0, 0, 0}}};
  p.smoothing_groups = {1};
  p.clusters = {0};
  s.meshes.push_back({"mesh", {p}, {0.5f, 0}, {"smile", "frown"}, R"({"extras":{"a":[1,"]"]}})"});
  s.cameras.push_back({"eye", true, 0.5f, 2, 0, 0, 0.1f, 10, R"({"extras":1})"});
  s.lights.push_back({"sun", scene::LightType::kSpot, {1, 0.5f, 0}, 3, 4, 0.1f, 0.2f, {}});
  s.variants = {"day", "night"};
  s.name = "all";
  s.extra = s.asset_extra = R"({"extras":{}})";
  s.nodes.resize(2);
  s.nodes[0].camera = s.nodes[0].light = 0;
  s.nodes[0].is_visible = false;
  s.nodes[0].extra = R"({"extras":true})";
  s.nodes[0].lods = {1};
  s.nodes[1].morph_weights = {0, 1};
  s.nodes[0].name = "root";
  s.nodes[0].matrix = scene::Mat4{};
  s.nodes[0].holds_other = true;
  s.nodes[1].name = "leaf";
  s.nodes[1].parent = s.nodes[1].mesh = s.nodes[1].skin = 0;
  scene::Material& m = s.materials.emplace_back();
  m.name = "paint";
  m.alpha_mode = scene::AlphaMode::kMask;
  m.double_sided = true;
  m.base_color_texture = {1,
                          1,
                          {scene::Wrap::kMirror, scene::Wrap::kRepeat, sampling::Filter::kNearest,
                           sampling::Filter::kLinear, sampling::MipFilter::kNone},
                          {{0.5f, 0}, 0, {2, 2}}};
  s.images = {{"wood.png", "maps/wood.png", {}}, {"inside", {}, Bytes(ByteVector(3, std::byte{7}))}};
  m.scalars = {{"Clearcoat", 0.5f}};
  m.vectors = {{"SheenColor", {1, 0, 0}}};
  m.textures = {{"ClearcoatTex", scene::TextureUsage::kGray, m.base_color_texture}};
  m.extra = R"({"extras":2})";
  s.skins.push_back({"rig", {0, 1}, {scene::Mat4{}, scene::Mat4{}}});
  s.clips.push_back({"walk",
                     {{1, scene::ChannelPath::kRotation, scene::Interpolation::kStep, {0, 1}, {0, 0, 0, 1, 0, 0, 0, 1}},
                      {1, scene::ChannelPath::kWeights, scene::Interpolation::kLinear, {0, 1}, {0, 1, 1, 0}},
                      {scene::kNone,
                       scene::ChannelPath::kLightColor,
                       scene::Interpolation::kCubicSpline,
                       {1},
                       {0, 0, 0, 1, 1, 1, 0, 0, 0},
                       0}}});
  s.dropped.push_back({"cameras", "node \"Eye\"", 2, true, true});
  out.warnings.push_back({WarningKind::kMovedPicture, ErrorCode::kNotFound, "file", "place", "what", "hint"});
  return out;
}

ByteVector message_of(const Imported& imported) {
  process::MessageWriter writer;
  write_imported(writer, imported);
  return {writer.bytes().begin(), writer.bytes().end()};
}

Result<Imported> read(ByteSpan bytes) {
  process::MessageReader reader(bytes);
  return read_imported(reader);
}

TEST(SceneMessage, comes_back_whole) {
  const ByteVector bytes = message_of(rich());
  const auto again = read(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(message_of(*again), bytes);
  EXPECT_EQ(again->scene.nodes.at(1).name, "leaf");
  EXPECT_EQ(again->scene.images.at(1).inline_bytes.size(), 3u);
  EXPECT_EQ(again->warnings.at(0).to_string(), "file: place: what; hint");
  EXPECT_EQ(again->warnings.at(0).kind, WarningKind::kMovedPicture);
}

TEST(SceneMessage, every_prefix_is_refused) {
  const ByteVector bytes = message_of(rich());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const ByteVector prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(read(prefix)) << size;
  }
}

TEST(SceneMessage, broken_promises_are_refused) {
  using scene::Scene;
  const std::vector<std::function<void(Scene&)>> breaks{
      [](Scene& s) { s.meshes[0].primitives[0].indices[1] = 3; },
      [](Scene& s) { s.meshes[0].primitives[0].indices.pop_back(); },
      [](Scene& s) { s.meshes[0].primitives[0].material = 1; },
      [](Scene& s) { s.meshes[0].primitives[0].positions[0].x = kNan; },
      [](Scene& s) { s.meshes[0].primitives[0].normals.pop_back(); },
      [](Scene& s) { s.meshes[0].primitives[0].normals[2].z = kNan; },
      [](Scene& s) { s.meshes[0].primitives[0].tangents.pop_back(); },
      [](Scene& s) { s.meshes[0].primitives[0].texcoords[0].pop_back(); },
      [](Scene& s) { s.meshes[0].primitives[0].colors[0][0].y = kNan; },
      [](Scene& s) { s.meshes[0].primitives[0].influences[0].joints.pop_back(); },
      [](Scene& s) { s.nodes[0].parent = 0; },
      [](Scene& s) { s.nodes[0].parent = 1; },
      [](Scene& s) { s.nodes[0].matrix->m[3] = kNan; },
      [](Scene& s) { s.nodes[1].transform.scale.y = kNan; },
      [](Scene& s) { s.nodes[1].mesh = 1; },
      [](Scene& s) { s.nodes[1].skin = 1; },
      [](Scene& s) { s.materials[0].base_color_texture.image = 2; },
      [](Scene& s) { s.materials[0].base_color_texture.transform.offset.x = kNan; },
      [](Scene& s) { s.materials[0].roughness = kNan; },
      [](Scene& s) { s.skins[0].joints[0] = 2; },
      [](Scene& s) { s.skins[0].inverse_bind.pop_back(); },
      [](Scene& s) { s.clips[0].channels[0].node = 2; },
      [](Scene& s) { s.clips[0].channels[0].times_seconds[1] = 0; },
      [](Scene& s) { s.clips[0].channels[0].values.pop_back(); },
      [](Scene& s) { s.clips[0].channels[0].path = scene::ChannelPath::kWeights; },
      [](Scene& s) { s.clips[0].channels[0].times_seconds.clear(); },
      [](Scene& s) { s.clips[0].channels[1].values.pop_back(); },
      [](Scene& s) { s.clips[0].channels[1].node = 0; },
      [](Scene& s) { s.clips[0].channels[2].object = 1; },
      [](Scene& s) { s.clips[0].channels[2].path = scene::ChannelPath::kCameraFar; },
      [](Scene& s) { s.meshes[0].primitives[0].topology = scene::Topology::kLines; },
      [](Scene& s) { s.meshes[0].primitives[0].variant_materials[1].variant = 0; },
      [](Scene& s) { s.meshes[0].primitives[0].variant_materials[1].variant = 2; },
      [](Scene& s) { s.meshes[0].primitives[0].variant_materials[1].material = 1; },
      [](Scene& s) { s.meshes[0].primitives[0].custom[0].values.pop_back(); },
      [](Scene& s) { s.meshes[0].primitives[0].custom[0].columns = 0; },
      [](Scene& s) { s.meshes[0].primitives[0].morphs.pop_back(); },
      [](Scene& s) { s.meshes[0].primitives[0].morphs[0].vertices[1] = 3; },
      [](Scene& s) { s.meshes[0].primitives[0].morphs[0].vertices[0] = 2; },
      [](Scene& s) { s.meshes[0].primitives[0].morphs[0].positions[0].y = kNan; },
      [](Scene& s) { s.meshes[0].primitives[0].morphs[0].colors[0].pop_back(); },
      [](Scene& s) { s.meshes[0].primitives[0].smoothing_groups.push_back(1); },
      [](Scene& s) { s.meshes[0].morph_names.pop_back(); },
      [](Scene& s) { s.meshes[0].morph_weights[0] = kNan; },
      [](Scene& s) { s.meshes[0].extra = "[1]"; },
      [](Scene& s) { s.meshes[0].extra = "{\"extras\":"; },
      [](Scene& s) { s.extra = "{\"extras\":" + std::string(64, '[') + std::string(64, ']') + "}"; },
      [](Scene& s) { s.nodes[0].camera = 1; },
      [](Scene& s) { s.nodes[0].light = 1; },
      [](Scene& s) { s.nodes[0].lods[0] = 0; },
      [](Scene& s) { s.nodes[1].morph_weights.pop_back(); },
      [](Scene& s) { s.materials[0].scalars[0].name = "Unknown"; },
      [](Scene& s) { s.materials[0].scalars[0].value = kNan; },
      [](Scene& s) { s.materials[0].textures[0].use.image = 2; },
      [](Scene& s) { s.cameras[0].z_far = kNan; },
      [](Scene& s) { s.lights[0].color.y = kNan; },
  };
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    Imported imported = rich();
    breaks[i](imported.scene);
    EXPECT_FALSE(read(message_of(imported))) << i;
  }
}

}  // namespace
}  // namespace assetc::importer
