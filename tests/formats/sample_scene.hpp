// A .hscene with every chunk.
#pragma once

#include "assetc/formats/hscene.hpp"

namespace assetc::formats_test {

// car ─ body ─ wheel (twice the same mesh), and a lamp with a camera beside the car.
inline hscene::Model sample_scene() {
  using namespace hscene;
  Model m;
  m.desc.name = m.add_text("yard");
  m.desc.asset_extra = m.add_text(R"({"extras":{"author":"us"}})");
  m.meshes = {{Ref::of(7u), {{-1, -1, -1}, {1, 1, 1}}, m.add_text("box"), kNone, 2, 0, {}}};
  m.skins = {{{}, kNone, 0, 2, kNone}};
  m.joints = {1, 2};
  m.inverse_bind.resize(2);
  m.cameras = {{.y_fov_radians = 0.7f, .z_near = 0.1f}};
  m.lights = {{.type = LightType::kSpot, .intensity = 5, .outer_cone_radians = 0.5f, .name = m.add_text("bulb")}};
  m.variants = {m.add_text("red"), m.add_text("blue")};
  m.materials = {{Ref::of(9u), 0, m.add_text("paint"), kNone, 0, 1, 0, 1, 0}, {Ref::of(9u), 1}};
  m.parameters = {{m.add_text("Clearcoat"), 1, {0.5f}}};
  m.textures = {{.name = m.add_text("NormalTex"), .texcoord = 1, .file = Ref::of(11u), .scale = {2, 2}}};
  m.variant_materials = {{0, 0, 1, 1}, {0, 1, 0, 1}};
  m.weights = {0.25f, 0.75f};
  m.matrices.resize(1);
  m.matrices[0][1] = 3;
  const auto node = [&](std::string_view name, std::int32_t parent, std::uint32_t end) {
    Node& n = m.nodes.emplace_back();
    n.name = m.add_text(name);
    n.parent = parent;
    n.end = end;
    n.source = static_cast<std::uint32_t>(m.nodes.size()) - 1;
    return &n;
  };
  node("car", -1, 3)->transform.translation = {1, 2, 3};
  node("body", 0, 3)->mesh = 0;
  node("wheel", 1, 3)->matrix = 0;
  m.nodes[2].mesh = 0;
  m.nodes[2].weight_count = 2;
  node("wheel", -1, 4)->flags = Node::kHidden;
  m.nodes[3].camera = m.nodes[3].light = 0;
  m.clips = {{Ref::of(13u), 0, m.add_text("drive"), 1.5f, 0, 2, kNone, {}}};
  m.clip_nodes = {0, 2};
  return m;
}

}  // namespace assetc::formats_test
