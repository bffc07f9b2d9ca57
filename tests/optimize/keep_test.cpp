// What optimize removes if it is not asked to keep it, and that the surfaces stay where they are.
#include "optimize/keep.hpp"

#include <gmock/gmock.h>

#include "export/png.hpp"
#include "optimize/support.hpp"

namespace assetc::optimize {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

OptimizeOptions keeping(const char* what) {
  OptimizeOptions options = usual();
  options.keep = *parse_keep(what);
  return options;
}

std::vector<Vec3> all_shown(const scene::Scene& scene, const scene::Clip* clip, float time) {
  std::vector<Vec3> out;
  for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
    if (scene.nodes[n].mesh == kNone) continue;
    for (std::size_t p = 0; p < scene.meshes[scene.nodes[n].mesh].primitives.size(); ++p) {
      const std::vector<Vec3> points = shown(scene, n, p, clip, time);
      out.insert(out.end(), points.begin(), points.end());
    }
  }
  return out;
}

// Every surface is where it was, also in the middle of clips.
void expect_same_surfaces(const Pair& pair) {
  ASSERT_EQ(pair.source.clips.size(), pair.made.clips.size());
  for (std::size_t c = 0; c <= pair.source.clips.size(); ++c) {
    const scene::Clip* of_source = c == 0 ? nullptr : &pair.source.clips[c - 1];
    const scene::Clip* of_made = c == 0 ? nullptr : &pair.made.clips[c - 1];
    const auto before = all_shown(pair.source, of_source, 0.37f), after = all_shown(pair.made, of_made, 0.37f);
    const float bound = (pair.source.skins.empty() ? 3e-4f : 1e-3f) * extent_of(before) + 1e-6f;
    EXPECT_LE(largest_gap(before, after), bound);
    EXPECT_LE(largest_gap(after, before), bound);
  }
}

std::size_t triangles_of(const scene::Scene& scene) {
  std::size_t count = 0;
  for (const Node& node : scene.nodes) {
    if (node.mesh == kNone) continue;
    for (const scene::Primitive& p : scene.meshes[node.mesh].primitives) count += p.indices.size() / 3;
  }
  return count;
}

std::uint32_t add_node(scene::Scene& scene, const char* name, std::uint32_t parent, std::uint32_t mesh, Vec3 at) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.mesh = mesh;
  node.transform.translation = at;
  scene.nodes.push_back(node);
  return static_cast<std::uint32_t>(scene.nodes.size() - 1);
}
std::uint32_t add_mesh(scene::Scene& scene) {
  scene.meshes.push_back(scene.meshes[0]);
  // Equal meshes are stored once, so that they would come back as one mesh of several nodes.
  for (scene::Primitive& p : scene.meshes.back().primitives)
    for (Vec3& v : p.positions) v.y += 0.01f * static_cast<float>(scene.meshes.size()) * v.x;
  return static_cast<std::uint32_t>(scene.meshes.size() - 1);
}
void move_in_clip(scene::Scene& scene, std::uint32_t node) {
  scene::Channel c;
  c.node = node;
  c.times_seconds = {0, 1};
  c.values = {0, 0, 0, 3, 2, 1};
  if (scene.clips.empty()) scene.clips.push_back({"Move", {}});
  scene.clips[0].channels.push_back(c);
}

// A house of a sheet below a folder, a mirrored and a sheared sheet, and a door that a clip moves, with a handle.
scene::Scene house() {
  scene::Scene scene = sheet(4, 1, true);
  scene.nodes[0].transform.rotation = {0, 0.6f, 0, 0.8f};
  const std::uint32_t folder = add_node(scene, "Folder", kNone, kNone, {5, 1, 2});
  scene.nodes[folder].transform.scale = {1, 2, 1};
  add_node(scene, "Roof", folder, add_mesh(scene), {0, 3, 0});
  scene.nodes.back().transform.scale = {-1, 1, 1};
  add_node(scene, "Wall", folder, add_mesh(scene), {2, 0, 0});
  scene.nodes.back().transform.rotation = {0.6f, 0, 0, 0.8f};
  const std::uint32_t door = add_node(scene, "Door", folder, kNone, {1, 0, 0});
  add_node(scene, "Handle", door, add_mesh(scene), {0, 1, 0});
  add_node(scene, "Lock", door, add_mesh(scene), {0, 2, 0});
  move_in_clip(scene, door);
  return scene;
}

TEST(Keep, its_words_are_read_and_written) {
  EXPECT_EQ(*parse_keep("all"), Keep{});
  EXPECT_EQ(to_string(Keep{}), "names,nodes,extras,materials");
  EXPECT_EQ(*parse_keep("materials,names"), (Keep{true, false, false, true}));
  EXPECT_EQ(to_string(*parse_keep("extras,nodes")), "nodes,extras");
  EXPECT_EQ(to_string(*parse_keep("none")), "none");
  for (const char* text : {"", "name", "names,", "names,,nodes", "none,names"}) EXPECT_FALSE(parse_keep(text)) << text;
}

TEST(Keep, without_nodes_static_meshes_of_a_material_become_one) {
  const Pair pair = pair_of(house(), keeping("names,extras,materials"));
  expect_same_surfaces(pair);
  EXPECT_EQ(triangles_of(pair.source), triangles_of(pair.made));
  std::vector<std::string> names;
  for (const Node& node : pair.made.nodes)
    if (!node.name.empty()) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("Folder", "Door", "Sheet"));
  // The sheet of the root, those below the folder, and those on the door.
  EXPECT_EQ(pair.made.meshes.size(), 3u);
  for (const scene::Mesh& mesh : pair.made.meshes) EXPECT_EQ(mesh.primitives.size(), 1u);
}

TEST(Keep, a_joined_mirror_keeps_its_front) {
  const Pair pair = pair_of(house(), keeping("names,extras,materials"));
  for (const scene::Mesh& mesh : pair.made.meshes) {
    for (const scene::Primitive& p : mesh.primitives) {
      for (std::size_t i = 0; i < p.indices.size(); i += 3) {
        const std::uint32_t a = p.indices[i], b = p.indices[i + 1], c = p.indices[i + 2];
        const Vec3 face = scene::cross(p.positions[b] - p.positions[a], p.positions[c] - p.positions[a]);
        EXPECT_GT(scene::dot(face, p.normals[a]), 0);
      }
    }
  }
}

TEST(Keep, a_mesh_of_several_nodes_is_not_copied) {
  scene::Scene scene = sheet(4, 1, false);
  const std::uint32_t folder = add_node(scene, "Folder", kNone, kNone, {5, 1, 2});
  for (int i = 0; i < 5; ++i) add_node(scene, "Chair", folder, 0, {static_cast<float>(i) * 4, 0, 0});
  const Pair pair = pair_of(scene, keeping("none"));
  expect_same_surfaces(pair);
  EXPECT_EQ(pair.made.meshes.size(), 1u);
  EXPECT_EQ(pair.made.nodes.size(), 6u);
}

TEST(Keep, equal_meshes_are_not_joined) {
  scene::Scene scene = sheet(4, 1, false);
  for (int i = 0; i < 3; ++i) {
    scene.meshes.push_back(scene.meshes[0]);
    add_node(scene, "Chair", kNone, static_cast<std::uint32_t>(i + 1), {static_cast<float>(i) * 4, 1, 0});
  }
  EXPECT_EQ(pair_of(scene, keeping("none")).made.meshes.size(), 1u);
}

TEST(Keep, meshes_that_differ_in_material_or_attributes_stay_apart) {
  scene::Scene scene = sheet(4, 1, true);
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "Stone";
  for (int i = 0; i < 3; ++i) add_node(scene, "Part", kNone, add_mesh(scene), {0, 1, 0});
  scene.meshes[1].primitives[0].material = 1;
  scene.meshes[2].primitives[0].colors.clear();
  const Pair pair = pair_of(scene, keeping("materials"));
  expect_same_surfaces(pair);
  ASSERT_EQ(pair.made.meshes.size(), 1u);
  EXPECT_EQ(pair.made.meshes[0].primitives.size(), 3u);
  // Both materials look the same.
  EXPECT_EQ(pair_of(scene, keeping("none")).made.meshes.at(0).primitives.size(), 2u);
}

TEST(Keep, nodes_with_a_purpose_stay) {
  scene::Scene scene = house();
  scene.cameras.push_back({});
  scene.cameras[0].y_fov_radians = 1, scene.cameras[0].z_near = 0.1f;
  scene.nodes[add_node(scene, "Eye", 1, kNone, {0, 0, 9})].camera = 0;
  scene.nodes[add_node(scene, "Spawn", 1, kNone, {0, 0, 9})].extra = R"({"extras":{"team":1}})";
  scene.nodes[add_node(scene, "Hidden", 1, add_mesh(scene), {0, 0, 9})].is_visible = false;
  const Pair pair = pair_of(scene, keeping("names,extras,materials"));
  std::vector<std::string> names;
  for (const Node& node : pair.made.nodes)
    if (!node.name.empty()) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("Folder", "Door", "Eye", "Spawn", "Hidden", "Sheet"));
  EXPECT_THAT(pair.text, HasSubstr("\"team\":1"));
  EXPECT_THAT(pair_of(scene, keeping("names")).text, Not(HasSubstr("Spawn")));
}

TEST(Keep, without_names_clips_and_variants_keep_theirs) {
  scene::Scene scene = house();
  scene.variants = {"Red"};
  const Pair pair = pair_of(scene, keeping("nodes,extras,materials"));
  EXPECT_EQ(pair.source.nodes.size(), 7u);
  for (const char* name : {"Folder", "Roof", "Door", "Wood", "sheet"}) EXPECT_THAT(pair.text, Not(HasSubstr(name)));
  EXPECT_THAT(pair.text, HasSubstr("\"Move\""));
  EXPECT_EQ(pair.made.variants, scene.variants);
  expect_same_surfaces(pair);
}

TEST(Keep, without_extras_only_extras_go) {
  scene::Scene scene = sheet(4, 1, false);
  scene.nodes[0].extra = R"({"extensions":{"X_deep":{"extras":1}},"extras":{"team":7}})";
  scene.meshes[0].extra = R"({"extras":{"team":7},"primitives":[{"extras":{"team":7}}]})";
  scene.materials[0].extra = R"({"extras":"team"})";
  scene.asset_extra = R"({"asset":{"copyright":"Somebody","extras":{"team":7}}})";
  const Pair pair = pair_of(scene, keeping("names,nodes,materials"));
  EXPECT_THAT(pair.text, Not(HasSubstr("team")));
  EXPECT_THAT(pair.text, HasSubstr("X_deep"));
  EXPECT_THAT(pair.text, HasSubstr("Somebody"));
  EXPECT_THAT(pair_of(scene).text, HasSubstr("team"));
}

TEST(Keep, equal_pictures_of_other_names_become_one) {
  scene::Scene scene = sheet(4, 1, false);
  const scene::Image picture{.width_texels = 8, .height_texels = 8, .pixels = ByteVector(8 * 8 * 4, std::byte{200})};
  for (const char* name : {"a.png", "b.png"}) scene.images.push_back({name, {}, Bytes(*exporter::write_png(picture))});
  scene.materials.push_back(scene.materials[0]);
  scene.materials[0].base_color_texture.image = 0;
  scene.materials[1].base_color_texture.image = 1;
  scene.nodes[add_node(scene, "Other", kNone, add_mesh(scene), {})].mesh = 1;
  scene.meshes[1].primitives[0].material = 1;
  EXPECT_EQ(pair_of(scene).made.images.size(), 2u);
  const Pair pair = pair_of(scene, keeping("none"));
  EXPECT_EQ(pair.made.images.size(), 1u);
  EXPECT_EQ(pair.made.materials.size(), 1u);
}

TEST(Keep, all_that_goes_is_told) {
  scene::Scene scene = house();
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "Stone";
  scene.meshes[1].primitives[0].material = 1;
  scene.nodes[0].extra = R"({"extras":{"team":7}})";
  Files files;
  files.put("in.glb", glb_of(scene));
  const Converted made = optimized(files, "in.glb", keeping("none"));
  std::vector<std::string> said;
  said.reserve(made.diagnostics.size());
  for (const recipes::Diagnostic& d : made.diagnostics) said.push_back(d.what.what);
  EXPECT_THAT(said, ElementsAre("left out the extras of 1 object",
                                "merged 1 material into others that differ only in their name",
                                "joined 5 meshes of nodes that nothing moves into 3 meshes",
                                "left out 4 nodes that nothing moves or refers to", "left out 5 names"));
}

TEST(Keep, models_of_the_corpus_look_the_same_without_all_of_it) {
  const std::size_t checked = for_corpus(keeping("none"), [](const Pair& pair) {
    EXPECT_EQ(triangles_of(pair.source), triangles_of(pair.made));
    expect_same_surfaces(pair);
  });
  EXPECT_GT(checked, 2u);
}

}  // namespace
}  // namespace assetc::optimize
