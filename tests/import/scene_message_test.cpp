#include "import/scene_message.hpp"

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
  s.meshes.push_back({"mesh", {p}});
  s.nodes.resize(2);
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
  s.skins.push_back({"rig", {0, 1}, {scene::Mat4{}, scene::Mat4{}}});
  s.clips.push_back(
      {"walk", {{1, scene::ChannelPath::kRotation, scene::Interpolation::kStep, {0, 1}, {0, 0, 0, 1, 0, 0, 0, 1}}}});
  s.dropped.push_back({"cameras", "node \"Eye\"", 2});
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
  };
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    Imported imported = rich();
    breaks[i](imported.scene);
    EXPECT_FALSE(read(message_of(imported))) << i;
  }
}

}  // namespace
}  // namespace assetc::importer
