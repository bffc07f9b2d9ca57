// The choice of a mesh's skin, and clips without a mesh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/hanim.hpp"
#include "import/tiny_gltf.hpp"
#include "recipes/compile_mesh.hpp"

namespace assetc::recipes {
namespace {

using importer::testing::TinyGltf;
using ::testing::ElementsAre;

// A triangle with a skin of two joints below an armature that doubles sizes, and a clip that moves both joints. skins:
// the skins of the file, in which $B is replaced with the matrices of the two joints. skin: the mesh's skin.
std::string arm(const std::string& skins, int skin, bool with_mesh = true) {
  TinyGltf g;
  const int p = g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
  const int joints = g.accessor<std::uint8_t>(5121, "VEC4", {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 3);
  const int weights = g.vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const int times = g.scalar({0, 2}), moves = g.vec3({1, 0, 0, 0, 3, 0});
  const int turns = g.vec4({0, 0, 0, 1, 0, 0, 0.6f, 0.8f});
  const int bind = g.accessor<float>(
      5126, "MAT4", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -2, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -4, 0, 0, 1},
      2);
  std::string listed = skins;
  if (const std::size_t at = listed.find("$B"); at != listed.npos) listed.replace(at, 2, std::to_string(bind));
  const std::string mesh = R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + std::to_string(p) +
                           R"(,"JOINTS_0":)" + std::to_string(joints) + R"(,"WEIGHTS_0":)" + std::to_string(weights) +
                           "}}]}],";
  return g.json(
      (with_mesh ? mesh : "") + R"("nodes":[)" +
      (with_mesh ? R"({"mesh":0,"skin":)" + std::to_string(skin) + "}" : std::string("{}")) +
      R"(,{"name":"armature","scale":[2,2,2],"children":[2]},{"name":"hip","translation":[1,0,0],"children":[3]},)"
      R"({"name":"knee","translation":[1,0,0]},{}])" +
      (skins.empty() ? "" : ",\"skins\":[" + listed + "]") +
      R"(,"animations":[{"name":"bend","channels":[{"sampler":0,"target":{"node":2,"path":"translation"}},)"
      R"({"sampler":1,"target":{"node":3,"path":"rotation"}}],"samplers":[{"input":)" +
      std::to_string(times) + R"(,"output":)" + std::to_string(moves) + R"(},{"input":)" + std::to_string(times) +
      R"(,"output":)" + std::to_string(turns) + "}]}]");
}

constexpr const char* kArmSkin = R"({"joints":[2,3],"inverseBindMatrices":$B})";

TEST(MeshRecipe, takes_the_skin_that_the_scene_uses) {
  const CompiledFiles alone = compile_mesh(arm(kArmSkin, 0));
  ASSERT_TRUE(alone.product) << alone.product.error().to_string();
  EXPECT_TRUE(alone.warnings().empty()) << alone.warnings()[0];
  const hmesh::View mesh = alone.mesh();
  ASSERT_EQ(mesh.joints().size(), 2u);
  EXPECT_EQ(mesh.joints()[1].inverse_bind[12], -4);

  const CompiledFiles second = compile_mesh(arm(std::string(R"({"joints":[4]},)") + kArmSkin, 1));
  ASSERT_TRUE(second.product) << second.product.error().to_string();
  EXPECT_THAT(second.warnings(), ElementsAre("dropped: 1 skin that no mesh of the scene uses (/skins/0)"));
  for (const char* suffix : {".hmesh", ".hanim"}) {
    EXPECT_FALSE(second.output(suffix).empty()) << suffix;
    EXPECT_TRUE(std::ranges::equal(second.output(suffix).span(), alone.output(suffix).span())) << suffix;
  }
  const auto clips = hanim::View::open(second.output(".hanim"))->to_clips();
  ASSERT_EQ(clips.size(), 1u);
  ASSERT_EQ(clips[0].channels.size(), 2u);
  EXPECT_EQ(clips[0].channels[0].joint, 0u);
  EXPECT_THAT(clips[0].channels[0].values, ElementsAre(2, 0, 0, 0, 6, 0));  // multiplied by the armature's scale
  EXPECT_EQ(clips[0].channels[1].joint, 1u);
}

TEST(MeshRecipe, warns_of_skins_that_are_used_alone) {
  const std::string text = arm(std::string(R"({"joints":[4]},)") + kArmSkin + R"(,{"joints":[4]})", 1);
  const std::string node = R"({"mesh":0,"skin":1})";
  std::string twice = text;
  twice.replace(twice.find(node), node.size(), R"({"mesh":0,"skin":1,"children":[5]})");
  const std::string last = R"({}])";
  twice.replace(twice.find(last), last.size(), R"({},{"mesh":0,"skin":2}])");
  const CompiledFiles both = compile_mesh(twice);
  ASSERT_TRUE(both.product) << both.product.error().to_string();
  EXPECT_THAT(both.warnings(),
              ElementsAre("/skins/2: found 2 skins; only /skins/1 is exported, and others only if they use its "
                          "joints; join the armatures, or export each skinned mesh to a separate file",
                          "dropped: 1 skin that no mesh of the scene uses (/skins/0)"));
}

TEST(MeshRecipe, a_mesh_that_no_joint_moves_has_a_joint_of_its_own) {
  std::string text = arm(kArmSkin, 0);
  const std::string last = R"({}])";
  text.replace(text.find(last), last.size(), R"({"name":"crate","mesh":0,"translation":[5,0,0]}])");
  const CompiledFiles c = compile_mesh(text);
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const hmesh::View mesh = c.mesh();
  ASSERT_EQ(mesh.joints().size(), 3u) << "the joints of the skin keep their numbers";
  EXPECT_EQ(mesh.to_model().names.joints, (std::vector<std::string>{"hip", "knee", "static"}));
  EXPECT_EQ(mesh.joints()[2].parent, hmesh::kNoParent);
  EXPECT_EQ(mesh.joints()[2].inverse_bind[12], 0);
  std::size_t still = 0;
  for (std::size_t v = 0; v < mesh.vertices().size(); ++v) {
    if (mesh.vertices()[v].position[0] < 4.5f) continue;
    ++still;
    EXPECT_EQ(mesh.skin()[v].joints[0], 2);
    EXPECT_EQ(mesh.skin()[v].weights[0], 1);
  }
  EXPECT_EQ(still, 3u);
  const Bytes clips = c.output(".hanim");
  const std::vector<hanim::Clip> moved = hanim::View::open(clips)->to_clips();
  for (const hanim::Channel& channel : moved.at(0).channels) EXPECT_LT(channel.joint, 2u);
  EXPECT_EQ(compile_mesh(arm(kArmSkin, 0)).mesh().joints().size(), 2u) << "only where it is needed";
}

TEST(MeshRecipe, a_level_of_detail_does_not_choose_the_skin) {
  std::string text = arm(std::string(R"({"joints":[4,4]},)") + kArmSkin, 1);
  const std::string node = R"({"mesh":0,"skin":1})", last = R"({}])";
  text.replace(text.find(node), node.size(), R"({"mesh":0,"skin":1,"extensions":{"MSFT_lod":{"ids":[5]}}})");
  text.replace(text.find(last), last.size(), R"({},{"mesh":0,"skin":0}])");
  const CompiledFiles c = compile_mesh(text);
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_EQ(c.mesh().to_model().names.joints, (std::vector<std::string>{"hip", "knee", "static"}))
      << "the level has other joints, so it rests";
  EXPECT_FALSE(c.output(".hanim").empty());
}

// The keys of each joint, by the joint's name.
std::map<std::string, std::vector<float>> keys_by_joint(const std::vector<hanim::Clip>& clips,
                                                        const std::vector<std::string>& joints) {
  std::map<std::string, std::vector<float>> keys;
  for (const hanim::Clip& clip : clips) {
    for (const hanim::Channel& channel : clip.channels) {
      std::vector<float>& to = keys[joints.at(channel.joint) + (channel.path == hanim::Path::kRotation ? " r" : " t")];
      to.insert(to.end(), channel.times.begin(), channel.times.end());
      to.insert(to.end(), channel.values.begin(), channel.values.end());
    }
  }
  return keys;
}

TEST(MeshRecipe, clips_without_a_mesh_have_joints_of_their_own) {
  const CompiledFiles mesh = compile_mesh(arm(kArmSkin, 0));
  ASSERT_TRUE(mesh.product) << mesh.product.error().to_string();
  const Bytes clips_of_mesh = mesh.output(".hanim");
  const auto own = hanim::View::open(clips_of_mesh);
  EXPECT_TRUE(own->joints().empty());
  const auto expected = keys_by_joint(own->to_clips(), {"hip", "knee"});
  EXPECT_EQ(expected.size(), 2u);

  // With a skin that lists its joints in another order, and without a skin.
  for (const char* skin : {R"({"joints":[3,2]})", ""}) {
    const CompiledFiles c = compile_mesh(arm(skin, 0, false));
    ASSERT_TRUE(c.product) << c.product.error().to_string();
    EXPECT_TRUE(c.warnings().empty()) << c.warnings()[0];
    ASSERT_EQ(c.product->outputs.size(), 1u);
    EXPECT_EQ(c.product->outputs[0].suffix, ".hanim");
    EXPECT_TRUE(c.product->steps.empty());
    const Bytes file = c.output(".hanim");
    const auto view = hanim::View::open(file);
    ASSERT_TRUE(view) << view.error().to_string();
    ASSERT_EQ(view->clips().size(), 1u);
    EXPECT_EQ(view->clips()[0].name, "bend");
    EXPECT_EQ(view->clips()[0].duration_seconds, 2);
    const std::vector<hanim::Joint> joints(view->joints().begin(), view->joints().end());
    EXPECT_EQ(joints, (std::vector<hanim::Joint>{{"armature", -1, {.scale = {2, 2, 2}}},
                                                 {"hip", 0, {.translation = {1, 0, 0}}},
                                                 {"knee", 1, {.translation = {1, 0, 0}}}}));
    // On the mesh they move it as its own clip does.
    const auto matches = hanim::match_joints(joints, std::vector<std::string_view>{"hip", "knee"});
    std::vector<hanim::Clip> clips = view->to_clips();
    for (hanim::Channel& channel : clips[0].channels) {
      const hanim::Match& match = matches[channel.joint];
      ASSERT_LT(match.joint, 2u);
      channel.joint = match.joint;
      for (std::size_t i = 0; match.has_above && i < channel.values.size(); i += 3) {
        ASSERT_EQ(channel.path, hanim::Path::kTranslation);
        const auto moved = hanim::value_below(match.above, channel.path,
                                              {channel.values[i], channel.values[i + 1], channel.values[i + 2], 0});
        std::copy_n(moved.begin(), 3, channel.values.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    EXPECT_EQ(keys_by_joint(clips, {"hip", "knee"}), expected);
  }
}

TEST(MeshRecipe, a_scene_with_neither_triangles_nor_clips_is_an_error) {
  TinyGltf g;
  const int times = g.scalar({0, 1}), weights = g.scalar({0, 1});
  const CompiledFiles c = compile_mesh(g.json(
      R"("nodes":[{}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"weights"}}],"samplers":[{"input":)" +
      std::to_string(times) + R"(,"output":)" + std::to_string(weights) + "}]}]"));
  ASSERT_FALSE(c.product);
  EXPECT_THAT(c.product.error().to_string(), ::testing::HasSubstr("the model draws no triangles, lines or points"));
}

}  // namespace
}  // namespace assetc::recipes
