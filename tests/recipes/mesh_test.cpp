#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "import/tiny_gltf.hpp"
#include "recipes/compile_mesh.hpp"

namespace assetc::recipes {
namespace {

using importer::testing::TinyGltf;
using ::testing::ElementsAre;

const std::vector<float> kTriangle{0, 0, 0, 1, 0, 0, 0, 1, 0};

// A triangle that is drawn by nodes of the given JSON, with the given materials and further members.
std::string triangle(const std::string& nodes, const std::string& primitive_more = "", const std::string& more = "") {
  TinyGltf g;
  const int p = g.vec3(kTriangle), n = g.vec3({0, 0, 1, 0, 0, 1, 0, 0, 1}), uv = g.vec2({0, 0, 1, 0, 0, 1});
  return g.json(R"("meshes":[{"name":"tri","primitives":[{"attributes":{"POSITION":)" + std::to_string(p) +
                ",\"NORMAL\":" + std::to_string(n) + ",\"TEXCOORD_0\":" + std::to_string(uv) + "}" + primitive_more +
                R"(}]}],"nodes":[)" + nodes + "]" + more);
}

TEST(MeshRecipe, bakes_every_instance_into_one_mesh) {
  const CompiledFiles c = compile_mesh(triangle(R"({"mesh":0},{"mesh":0,"translation":[5,0,0]})"));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_EQ(c.mesh().submeshes().size(), 2u);
  EXPECT_EQ(c.mesh().bounds().aabb_max[0], 6);
}

TEST(MeshRecipe, keeps_geometry_source_local_without_merge) {
  MeshSettings settings;
  settings.merge = false;
  const CompiledFiles c = compile_mesh(triangle(R"({"mesh":0,"translation":[5,0,0]},{"mesh":0})"), settings);
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_EQ(c.mesh().submeshes().size(), 1u);
  EXPECT_EQ(c.mesh().bounds().aabb_max[0], 1);
}

TEST(MeshRecipe, turns_the_winding_of_mirrored_nodes) {
  const CompiledFiles c = compile_mesh(triangle(R"({"mesh":0,"scale":[-1,1,1]})"));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const auto mesh = c.mesh();
  const auto at = [&](std::size_t i) {
    const float* p = mesh.vertices()[mesh.index(i)].position;
    return scene::Vec3{p[0], p[1], p[2]};
  };
  EXPECT_GT(cross(at(1) - at(0), at(2) - at(0)).z, 0);  // still faces its normal, +z
  EXPECT_EQ(mesh.bounds().aabb_min[0], -1);
}

TEST(MeshRecipe, hashes_materials_by_unique_name_in_first_use_order) {
  // The example of the manual: submeshes use materials 2, then 0, of "Wood", "", "Leather", "Wood".
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const std::string primitive = R"({"attributes":{"POSITION":)" + std::to_string(p) + "},\"material\":";
  const CompiledFiles c = compile_mesh(
      g.json(R"("meshes":[{"primitives":[)" + primitive + "2}," + primitive + R"(0}]}],"nodes":[{"mesh":0}],)" +
             R"("materials":[{"name":"Wood"},{},{"name":"Leather"},{"name":"Wood"}])"),
      {}, "models/Chair.gltf");
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.mesh().materials(),
              ElementsAre(hash_asset_ref("models/chair/leather"), hash_asset_ref("models/chair/material_0")));
  EXPECT_EQ(c.mesh().submeshes()[1].material_slot, 1u);
  EXPECT_EQ(hmat::View::open(c.output(".hmat"))->materials().size(), 2u);
  ASSERT_EQ(c.product->diagnostics.size(), 1u);
  EXPECT_EQ(
      c.product->diagnostics[0].what.to_string(),
      "/materials/0: another material has the same name \"Wood\", ignoring letter case, so its ref is material_0; "
      "give each material a unique name");
}

TEST(MeshRecipe, says_that_two_materials_have_one_ref) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const std::string primitive = R"({"attributes":{"POSITION":)" + std::to_string(p) + "},\"material\":";
  const CompiledFiles c =
      compile_mesh(g.json(R"("meshes":[{"primitives":[)" + primitive + "0}," + primitive +
                          R"(1}]}],"nodes":[{"mesh":0}],)" + R"("materials":[{"name":"Material_1"},{}])"),
                   {}, "a.gltf");
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  ASSERT_EQ(c.product->diagnostics.size(), 1u);
  EXPECT_EQ(c.product->diagnostics[0].what.to_string(),
            "/materials/1: it has the same ref as material 0, material_1; give each material a unique name");
}

TEST(MeshRecipe, asks_for_one_texture_step_an_image_and_use) {
  const CompiledFiles c = compile_mesh(
      triangle(
          R"({"mesh":0})", ",\"material\":0",
          R"(,"images":[{"uri":"unused.png"},{"uri":"orm.png"},{"uri":"color.png"}],"samplers":[{"wrapS":33071,"wrapT":33071}],
      "textures":[{"source":1},{"source":2,"sampler":0}],"materials":[{"alphaMode":"MASK","alphaCutoff":0.25,"pbrMetallicRoughness":{"baseColorTexture":{"index":1},"metallicRoughnessTexture":{"index":0}},
      "occlusionTexture":{"index":0},"normalTexture":{"index":0}}])"),
      {}, "models/a.gltf", {"models/orm.png", "models/color.png"});
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  ASSERT_EQ(c.product->steps.size(), 3u);
  const Step& color = c.product->steps[0];
  EXPECT_EQ(color.stem, "models/a/tex_2");
  EXPECT_EQ(color.input_path, "models/color.png");
  EXPECT_TRUE(color.listed);
  EXPECT_THAT(color.params, ElementsAre(std::pair<const std::string, std::string>{"alpha_cutoff", "0.25"},
                                        std::pair<const std::string, std::string>{"mode", "color"}));
  EXPECT_THAT(color.pins, ElementsAre(std::pair<const std::string, std::string>{"texture.wrap", "clamp"}));
  EXPECT_TRUE(c.product->steps[1].pins.empty());
  EXPECT_EQ(c.product->steps[1].stem, "models/a/tex_1");
  EXPECT_EQ(c.product->steps[1].params.at("mode"), "linear");
  EXPECT_EQ(c.product->steps[2].stem, "models/a/tex_1_normal");
  EXPECT_EQ(c.product->steps[2].params.at("mode"), "normal");
  const auto row = hmat::View::open(c.output(".hmat"))->materials()[0];
  EXPECT_EQ(row.base_color_texture, hash_asset_ref("models/a/tex_2"));
  EXPECT_EQ(row.normal_texture, hash_asset_ref("models/a/tex_1_normal"));
  EXPECT_EQ(row.occlusion_texture, row.metallic_roughness_texture);
  EXPECT_EQ(row.alpha_mode(), hmat::AlphaMode::kMask);
  EXPECT_EQ(row.sampler(hmat::Slot::kBaseColor), (sampling::Sampler{sampling::Wrap::kClamp, sampling::Wrap::kClamp}));
  EXPECT_EQ(row.sampler(hmat::Slot::kNormal), sampling::Sampler{});
  EXPECT_THAT(
      c.warnings(),
      ElementsAre("/materials/0: \"orm.png\" is named as orm, but it is used as the normal texture and compiled as "
                  "normal; assign it to the matching slot, or rename it",
                  "/materials/0: its normal texture is image 1 (orm.png), compiled as normal for it and as "
                  "linear for another use; it is stored once for each use; if one use is a mistake, give each "
                  "use its own image"));
}

TEST(MeshRecipe, a_normal_map_with_y_down_is_turned_and_told_in_a_gltf) {
  const auto compiled = [](const std::string& name, const std::string& slot) {
    return compile_mesh(
        triangle(R"({"mesh":0})", ",\"material\":0",
                 R"(,"images":[{"uri":")" + name + R"("}],"textures":[{"source":0}],"materials":[{)" + slot + "}]"),
        {}, "models/a.gltf", {"models/" + name});
  };
  const std::string normal = R"("normalTexture":{"index":0})";
  const CompiledFiles down = compiled("rock_nor_dx.png", normal);
  ASSERT_TRUE(down.product) << down.product.error().to_string();
  EXPECT_TRUE(down.product->steps.at(0).params.contains(kYDownParam));
  EXPECT_THAT(
      down.warnings(),
      ElementsAre("/materials/0: \"rock_nor_dx.png\" is named as a normal map with Y down (DirectX), so its Y is "
                  "turned up; glTF says that Y is up; if its Y is up, set texture.normal_y: opengl in a rule "
                  "for the model, or rename the picture"));
  const CompiledFiles up = compiled("rock_nor_gl.png", normal);
  EXPECT_FALSE(up.product->steps.at(0).params.contains(kYDownParam));
  EXPECT_TRUE(up.warnings().empty());
}

TEST(MeshRecipe, names_an_image_that_is_not_there) {
  const CompiledFiles c = compile_mesh(triangle(
      R"({"mesh":0})", ",\"material\":0",
      R"(,"images":[{"uri":"gone.png"}],"textures":[{"source":0}],"materials":[{"normalTexture":{"index":0}}])"));
  ASSERT_FALSE(c.product);
  EXPECT_EQ(c.product.error().to_string(),
            "/images/0/uri: the image file \"models/gone.png\" is not there; put it beside the model, or export again "
            "with its images");
}

TEST(MeshRecipe, bakes_texture_transforms_that_all_textures_share) {
  const CompiledFiles c = compile_mesh(
      triangle(
          R"({"mesh":0})", ",\"material\":0",
          R"(,"images":[{"uri":"c.png"}],"textures":[{"source":0}],"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0,
      "extensions":{"KHR_texture_transform":{"offset":[0.5,0.25],"rotation":1.5707963267948966,"scale":[2,4]}}}}}])"),
      {}, "models/a.gltf", {"models/c.png"});
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_TRUE(c.warnings().empty());
  // Scaled to (2, 0) and (0, 4), rotated to (0, -2) and (4, 0), moved.
  std::vector<std::pair<float, float>> uvs;
  for (const auto& v : c.mesh().vertices())
    uvs.emplace_back(std::round(v.uv[0] * 1e4f) / 1e4f, std::round(v.uv[1] * 1e4f) / 1e4f);
  EXPECT_THAT(uvs,
              ::testing::UnorderedElementsAre(std::pair(.5f, .25f), std::pair(.5f, -1.75f), std::pair(4.5f, .25f)));
}

TEST(MeshRecipe, keeps_names_unless_told_not_to) {
  MeshSettings settings;
  const std::string source = triangle(R"({"mesh":0,"name":"seat"})");
  EXPECT_EQ(compile_mesh(source, settings).mesh().to_model().names.submeshes, std::vector<std::string>{"tri"});
  EXPECT_EQ(compile_mesh(source, settings).mesh().to_model().names.nodes, std::vector<std::string>{"seat"});
  settings.names = false;
  EXPECT_TRUE(compile_mesh(source, settings).mesh().to_model().names.empty());
}

TEST(MeshRecipe, says_in_one_line_what_it_drops) {
  TinyGltf g;
  const int p = g.vec3(kTriangle), uv = g.vec2({0, 0, 1, 0, 0, 1});
  const std::string attributes = R"({"attributes":{"POSITION":)" + std::to_string(p) +
                                 ",\"COLOR_0\":" + std::to_string(p) + ",\"TEXCOORD_0\":" + std::to_string(uv) +
                                 ",\"TEXCOORD_1\":" + std::to_string(uv) + "}}";
  const std::string camera = R"({"type":"perspective","perspective":{"yfov":1,"znear":0.1}})";
  const CompiledFiles c =
      compile_mesh(g.json(R"("cameras":[)" + camera + "," + camera + R"(],"meshes":[{"primitives":[)" + attributes +
                          "," + attributes + R"(]}],"nodes":[{"mesh":0},{"mesh":0}])"));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(
      c.warnings(),
      ElementsAre("dropped: 2 cameras (/cameras/0, ...)",
                  "/meshes/0/primitives/0/attributes/TEXCOORD_1: 2 vertex attributes are left out, because no material "
                  "uses them; the first is TEXCOORD_1; to keep attributes, set mesh.attributes to all or to a list of "
                  "names"));
}

TEST(MeshRecipe, says_what_of_the_tree_of_nodes_is_lost) {
  const std::string socket = R"({"mesh":0,"children":[1]},{"name":"Socket_Hand"})";
  const CompiledFiles one = compile_mesh(triangle(socket));
  ASSERT_TRUE(one.product) << one.product.error().to_string();
  EXPECT_THAT(one.warnings(),
              ElementsAre("/nodes/1: the empty node \"Socket_Hand\" is dropped: a mesh cannot store sockets; make them "
                          "joints of a skeleton: joints keep their names and transforms"));
  // A node with other contents or with children is not a socket.
  EXPECT_THAT(
      compile_mesh(
          triangle(R"({"name":"Root","children":[1]},{"mesh":0},{"name":"Eye","camera":0})", "",
                   R"(,"cameras":[{"type":"orthographic","orthographic":{"xmag":1,"ymag":1,"zfar":2,"znear":0}}])"))
          .warnings(),
      ElementsAre("dropped: 1 camera (/cameras/0)"));
  const std::string tree_json = R"({"mesh":0,"children":[1]},{"mesh":0,"translation":[1,0,0]})";
  const CompiledFiles tree = compile_mesh(triangle(tree_json));
  EXPECT_THAT(tree.warnings(),
              ElementsAre("/nodes/1: 2 nodes with meshes become one mesh, at the positions that the tree gives them; "
                          "the parts can no longer move separately; bind moving parts to joints, or export them to "
                          "separate files"));
  EXPECT_EQ(compile_mesh(triangle(R"({"mesh":0},{"mesh":0,"translation":[1,0,0]})")).warnings(), tree.warnings())
      << "nodes without a parent, of which one is moved";
  EXPECT_THAT(compile_mesh(triangle(R"({"mesh":0},{"mesh":0})")).warnings(), ElementsAre()) << "all are at the origin";
  MeshSettings apart = kNoScene;
  apart.merge = false;
  EXPECT_EQ(compile_mesh(triangle(socket), apart).warnings(), one.warnings());
  EXPECT_THAT(compile_mesh(triangle(tree_json), apart).warnings(), ElementsAre()) << "a library of independent meshes";
}

TEST(MeshRecipe, levels_of_the_source_are_levels_of_the_mesh) {
  const auto compiled = [](const std::string& nodes, std::uint32_t lods) {
    FakeInputs inputs;
    inputs.files["a.gltf"] = triangle(nodes);
    Step step;
    step.recipe = find_recipe("mesh");
    step.source = step.input_path = "a.gltf";
    step.stem = "a";
    step.settings.mesh.lods = lods;
    return CompiledFiles{step.recipe->cook(step, inputs)};
  };
  const std::string nodes = R"({"mesh":0,"name":"A_LOD0"},{"mesh":0,"name":"A_LOD1","translation":[0,0,3]})";
  const CompiledFiles c = compiled(nodes, 2);
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), ElementsAre());
  EXPECT_EQ(c.mesh().submeshes().size(), 1u);
  ASSERT_EQ(c.mesh().lod_count(), 1u);
  EXPECT_EQ(c.mesh().lod(0, 0).index_count, 3u);
  const hmesh::GpuVertex& v = c.mesh().vertices()[c.mesh().lod_indices()[0]];
  EXPECT_EQ(v.position[2], 3) << "at the place of its own node";
  EXPECT_EQ(compiled(nodes, 0).mesh().lod_count(), 0u);
}

TEST(MeshRecipe, refuses_a_model_without_triangles) {
  const CompiledFiles c = compile_mesh(R"({"asset":{"version":"2.0"}})");
  ASSERT_FALSE(c.product);
  EXPECT_EQ(c.product.error().to_string(),
            "/meshes: the model draws no triangles, lines or points; export it with meshes in its default scene");
}

// A skin of two joints below an armature that doubles sizes. Vertex 0 has five influences, vertex 2 has none.
std::string skinned(const std::string& animations) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const int j0 = g.accessor<std::uint8_t>(5121, "VEC4", {0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0}, 3);
  const int w0 = g.vec4({.1f, .2f, .1f, .1f, 2, 0, 0, 0, 0, 0, 0, 0});
  const int j1 = g.accessor<std::uint8_t>(5121, "VEC4", {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 3);
  const int w1 = g.vec4({.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const int times = g.scalar({0, 2}), move = g.vec3({1, 0, 0, 0, 3, 0}),
            cubic = g.vec3({9, 9, 9, 1, 2, 3, 9, 9, 9, 9, 9, 9, 4, 5, 6, 9, 9, 9});
  std::string text = animations;
  for (const auto& [name, index] : {std::pair{"$T", times}, std::pair{"$M", move}, std::pair{"$C", cubic}}) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name))
      text.replace(at, 2, std::to_string(index));
  }
  const auto attribute = [](const char* n, int a) { return std::string(",\"") + n + "\":" + std::to_string(a); };
  return g.json(
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + std::to_string(p) + attribute("JOINTS_0", j0) +
      attribute("WEIGHTS_0", w0) + attribute("JOINTS_1", j1) + attribute("WEIGHTS_1", w1) +
      R"(}}]}],"nodes":[{"mesh":0,"skin":0,"translation":[100,0,0]},{"scale":[2,2,2],"children":[2]},{"name":"hip","translation":[1,0,0],"children":[3]},)" +
      R"({"name":"knee"}],"skins":[{"joints":[2,3]}])" + text);
}

TEST(MeshRecipe, writes_skin_and_skeleton) {
  const CompiledFiles c = compile_mesh(skinned(""));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const auto mesh = c.mesh();
  ASSERT_TRUE(mesh.is_skinned());
  EXPECT_EQ(mesh.bounds().aabb_max[0], 1);  // the node's own transform is ignored
  ASSERT_EQ(mesh.joints().size(), 2u);
  EXPECT_EQ(mesh.joints()[0].parent, hmesh::kNoParent);
  EXPECT_EQ(mesh.joints()[1].parent, 0);
  EXPECT_EQ(mesh.joints()[0].translation[0], 2);  // multiplied by the armature's scale
  EXPECT_EQ(mesh.joints()[0].scale[0], 2);
  EXPECT_EQ(mesh.joints()[1].scale[0], 1);
  for (std::size_t v = 0; v < 3; ++v) {
    const auto& at = mesh.vertices()[v].position;
    const auto& s = mesh.skin()[v];
    if (at[0] == 0 && at[1] == 0) {
      EXPECT_THAT(s.joints, ElementsAre(1, 1, 0, 0));
      EXPECT_NEAR(s.weights[0], .5 / .9, 1e-6);
      EXPECT_NEAR(s.weights[0] + s.weights[1] + s.weights[2] + s.weights[3], 1, 1e-6);
    } else if (at[0] == 1) {
      EXPECT_THAT(s.joints, ElementsAre(1, 0, 0, 0));
      EXPECT_THAT(s.weights, ElementsAre(1, 0, 0, 0));
    } else {
      EXPECT_THAT(s.joints, ElementsAre(0, 0, 0, 0));
      EXPECT_THAT(s.weights, ElementsAre(1, 0, 0, 0));
    }
  }
  EXPECT_THAT(
      c.warnings(),
      ElementsAre(
          "/meshes/0/primitives/0/attributes: the skin weights of 2 vertices are negative or do not add up to 1 "
          "(worst at vertex 1, where the sum is 2); negative weights become 0, and the others are scaled to a sum of "
          "1; a vertex without weights is bound to the first joint"));
  // The fifth influence is kept, relative to the four largest.
  ASSERT_EQ(mesh.further_skin().size(), 3u);
  for (std::size_t v = 0; v < 3; ++v) {
    const auto& at = mesh.vertices()[v].position;
    EXPECT_NEAR(mesh.further_skin()[v].weights[0], at[0] == 0 && at[1] == 0 ? .1 / .9 : 0, 1e-6);
  }
  MeshSettings four;
  four.attributes.mode = AttributeSelection::Mode::kNone;
  const CompiledFiles reduced = compile_mesh(skinned(""), four);
  EXPECT_TRUE(reduced.mesh().further_skin().empty());
  EXPECT_EQ(reduced.warnings().back(),
            "dropped: 1 influence beyond the four largest of a vertex (/meshes/0/primitives/0)");
  EXPECT_EQ(c.mesh().to_model().names.joints, (std::vector<std::string>{"hip", "knee"}));
  EXPECT_TRUE(c.output(".hanim").empty());
}

// Joints below a mirror are where their matrices put them in the scene.
TEST(MeshRecipe, joints_below_a_mirror_are_where_they_are) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const int joints = g.accessor<std::uint8_t>(5121, "VEC4", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 3);
  const int weights = g.vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const int times = g.scalar({0, 1}), turns = g.vec4({.5f, .5f, .5f, .5f, .1f, .7f, .1f, .7f});
  const CompiledFiles c = compile_mesh(g.json(
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + std::to_string(p) + R"(,"JOINTS_0":)" +
      std::to_string(joints) + R"(,"WEIGHTS_0":)" + std::to_string(weights) +
      R"(}}]}],"nodes":[{"mesh":0,"skin":0},{"scale":[2,-2,2],"rotation":[0.6,0,0,0.8],"children":[2]},)"
      R"({"translation":[1,2,3],"rotation":[0.1,0.7,0.1,0.7]}],"skins":[{"joints":[2]}],"animations":[{"channels":[)"
      R"({"sampler":0,"target":{"node":2,"path":"rotation"}}],"samplers":[{"input":)" +
      std::to_string(times) + R"(,"output":)" + std::to_string(turns) + "}]}]"));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_TRUE(c.warnings().empty()) << c.warnings()[0];
  const hmesh::GpuJoint& joint = c.mesh().joints()[0];
  const auto clips = hanim::View::open(c.output(".hanim"))->to_clips();
  ASSERT_EQ(clips.size(), 1u);
  const std::vector<float>& keys = clips[0].channels[0].values;
  const auto matrix = [&](scene::Quat rotation) {
    return to_matrix(scene::Transform{{joint.translation[0], joint.translation[1], joint.translation[2]},
                                      rotation,
                                      {joint.scale[0], joint.scale[1], joint.scale[2]}});
  };
  const scene::Mat4 above = to_matrix(scene::Transform{{}, {.6f, 0, 0, .8f}, {2, -2, 2}});
  const auto expected = [&](scene::Quat rotation) {
    return above * to_matrix(scene::Transform{{1, 2, 3}, rotation, {1, 1, 1}});
  };
  const auto near = [](const scene::Mat4& a, const scene::Mat4& b) {
    for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(a.m[i], b.m[i], 1e-5f) << i;
  };
  near(matrix({joint.rotation[0], joint.rotation[1], joint.rotation[2], joint.rotation[3]}),
       expected({.1f, .7f, .1f, .7f}));
  near(matrix({keys[0], keys[1], keys[2], keys[3]}), expected({.5f, .5f, .5f, .5f}));
  near(matrix({keys[4], keys[5], keys[6], keys[7]}), expected({.1f, .7f, .1f, .7f}));
}

TEST(MeshRecipe, writes_clips_of_joints_and_says_what_it_left_out) {
  const CompiledFiles c = compile_mesh(
      skinned(R"(,"animations":[{"name":"walk","channels":[{"sampler":0,"target":{"node":2,"path":"translation"}},
    {"sampler":1,"target":{"node":3,"path":"translation"}},{"sampler":0,"target":{"node":1,"path":"translation"}}],
    "samplers":[{"input":$T,"output":$M},{"input":$T,"output":$C,"interpolation":"CUBICSPLINE"}]}])"));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const auto clips = hanim::View::open(c.output(".hanim"))->to_clips();
  ASSERT_EQ(clips.size(), 1u);
  EXPECT_EQ(clips[0].name, "walk");
  EXPECT_EQ(clips[0].duration_seconds, 2);
  ASSERT_EQ(clips[0].channels.size(), 2u);
  EXPECT_THAT(clips[0].channels[0].values, ElementsAre(2, 0, 0, 0, 6, 0));  // multiplied by the armature's scale
  // A spline becomes straight pieces between its first and its last key.
  const hanim::Channel& spline = clips[0].channels[1];
  EXPECT_GT(spline.times.size(), 2u);
  EXPECT_THAT(std::span(spline.values).first(3), ElementsAre(1, 2, 3));
  EXPECT_THAT(std::span(spline.values).last(3), ElementsAre(4, 5, 6));
  EXPECT_EQ(spline.joint, 1u);
  EXPECT_THAT(c.warnings(),
              ::testing::Contains("dropped: 1 animation channel of nodes that are no joints (/animations/0)"));
}

TEST(MeshRecipe, leaves_out_pictures_that_an_obj_lacks) {
  FakeInputs inputs;
  inputs.files = {{"a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"},
                  {"a.mtl", "newmtl m\nmap_Kd gone.png\n"}};
  Step step;
  step.recipe = find_recipe("mesh");
  step.source = step.input_path = "a.obj";
  step.stem = "a";
  const CompiledFiles c{step.recipe->cook(step, inputs)};
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_TRUE(c.product->steps.empty());
  EXPECT_THAT(c.warnings(), ElementsAre("material \"m\": the image file \"gone.png\" is not there; the texture is left "
                                        "out; put it beside the model"));
}

// The MTL of an OBJ that names pictures/wood.png, which is elsewhere or has another name.
CompiledFiles compile_sought(std::initializer_list<std::string_view> pictures, std::string_view search = "all") {
  FakeInputs inputs;
  inputs.files = {{"a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"},
                  {"a.mtl", "newmtl m\nmap_Kd pictures/wood_a.png\n"}};
  for (const std::string_view picture : pictures) inputs.files.emplace(picture, "picture");
  Step step;
  step.recipe = find_recipe("mesh");
  step.source = step.input_path = "a.obj";
  step.stem = "a";
  EXPECT_TRUE(find_setting("mesh.search")->set(step.settings, search));
  return {step.recipe->cook(step, inputs)};
}

TEST(MeshRecipe, finds_the_only_picture_with_the_name) {
  const CompiledFiles c = compile_sought({"art/textures/wood_a.png", "art/wood_b.png"});
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  ASSERT_EQ(c.product->steps.size(), 1u);
  EXPECT_EQ(c.product->steps[0].input_path, "art/textures/wood_a.png");
  EXPECT_THAT(c.warnings(), ElementsAre("image \"pictures/wood_a.png\": it is not there; art/textures/wood_a.png, the "
                                        "only file of its name, is used; export the model with relative paths"));
}

TEST(MeshRecipe, refuses_two_pictures_with_the_name) {
  const CompiledFiles c = compile_sought({"art/wood_a.png", "old/wood_a.png"});
  ASSERT_FALSE(c.product);
  EXPECT_EQ(c.product.error().to_string(),
            "image \"pictures/wood_a.png\": it is not there, and 2 files of the project have its name: art/wood_a.png, "
            "old/wood_a.png; export the model with relative paths, or set mesh.search to the folder of the right one");
  EXPECT_EQ(compile_sought({"art/wood_a.png", "old/wood_a.png"}, "art").product->steps.at(0).input_path,
            "art/wood_a.png");
  EXPECT_TRUE(compile_sought({"art/wood_a.png", "artistic/wood_a.png"}, "none/here, ar").product->steps.empty());
  EXPECT_EQ(compile_sought({"art/wood_a.png", "old/wood_a.png", "pictures/wood_a.png"}).product->steps.at(0).input_path,
            "pictures/wood_a.png")
      << "a picture at its path is not sought";
}

TEST(MeshRecipe, names_pictures_with_similar_names) {
  const CompiledFiles c = compile_sought({"art/Wood-A.png", "art/wooda.PNG", "art/wood_b.png"});
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_TRUE(c.product->steps.empty());
  EXPECT_THAT(c.warnings(), ElementsAre("material \"m\": the image file \"pictures/wood_a.png\" is not there (did you "
                                        "mean art/Wood-A.png, art/wooda.PNG?); the texture is left out; put it beside "
                                        "the model"));
}

CompiledFiles compile_material(const std::string& text, std::initializer_list<std::string_view> pictures) {
  FakeInputs inputs;
  inputs.files["materials/bricks.mat"] = text;
  for (std::string_view p : pictures) inputs.files[std::string(p)] = "picture";
  Step step;
  step.recipe = find_recipe("material");
  step.source = step.input_path = "materials/bricks.mat";
  step.stem = "materials/bricks";
  return {step.recipe->cook(step, inputs)};
}

TEST(MaterialRecipe, refers_to_textures_by_the_stem_of_their_source) {
  const CompiledFiles c = compile_material(
      "base_color_texture: bricks.png\nnormal_texture: /shared/bricks.n.png\nocclusion_texture: "
      "bricks.ao.png\nroughness: 0.5\n",
      {"materials/bricks.png", "shared/bricks.n.png", "materials/bricks.ao.png"});
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.product->references, ElementsAre("materials/bricks", "shared/bricks.n", "materials/bricks.ao"));
  EXPECT_TRUE(c.product->steps.empty());
  const auto table = hmat::View::open(c.output(".hmat"));
  ASSERT_EQ(table->materials().size(), 1u);
  EXPECT_EQ(table->materials()[0].normal_texture, hash_asset_ref("shared/bricks.n"));
  EXPECT_EQ(table->materials()[0].roughness_factor, .5f);
}

TEST(MaterialRecipe, compiles_a_picture_again_where_its_name_says_color) {
  const CompiledFiles c =
      compile_material("metallic_roughness_texture: data.png\nocclusion_texture: data.png\n", {"materials/data.png"});
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_TRUE(c.product->references.empty());
  ASSERT_EQ(c.product->steps.size(), 1u);
  EXPECT_EQ(c.product->steps[0].stem, "materials/bricks/linear_data");
  EXPECT_EQ(c.product->steps[0].params.at("mode"), "linear");
  EXPECT_TRUE(c.product->steps[0].listed);
  const auto row = hmat::View::open(c.output(".hmat"))->materials()[0];
  EXPECT_EQ(row.metallic_roughness_texture, hash_asset_ref("materials/bricks/linear_data"));
  EXPECT_EQ(row.occlusion_texture, row.metallic_roughness_texture);
}

TEST(MaterialRecipe, takes_a_picture_as_it_is_where_its_name_says_what_the_slot_needs) {
  const CompiledFiles c =
      compile_material("metallic_roughness_texture: t_ORM.png\nocclusion_texture: t_AO.png\nnormal_texture: t_N.png\n",
                       {"materials/t_ORM.png", "materials/t_AO.png", "materials/t_N.png"});
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_TRUE(c.product->steps.empty());
  EXPECT_THAT(c.product->references,
              ::testing::UnorderedElementsAre("materials/t_ORM", "materials/t_AO", "materials/t_N"));
}

TEST(MaterialRecipe, names_the_line_of_a_picture_that_is_not_there) {
  const CompiledFiles c = compile_material("\nnormal_texture: gone.n.png\n", {});
  ASSERT_FALSE(c.product);
  EXPECT_EQ(c.product.error().to_string(),
            "line 2: the normal texture \"materials/gone.n.png\" is not there; write its path relative to this file, "
            "or from the input folder with a leading '/'");
}

}  // namespace
}  // namespace assetc::recipes
