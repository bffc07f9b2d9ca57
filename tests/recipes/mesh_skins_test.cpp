// Which skin a mesh gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/hanim.hpp"
#include "import/tiny_gltf.hpp"
#include "recipes/compile_mesh.hpp"

namespace assetc::recipes {
namespace {

using importer::testing::TinyGltf;
using ::testing::ElementsAre;

// A triangle that hangs on a skin of two joints below an armature that doubles sizes, and a clip that moves both.
// skins: those that the file lists; $B is replaced with the matrices of the two joints. skin: the one of the mesh.
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
  EXPECT_THAT(clips[0].channels[0].values, ElementsAre(2, 0, 0, 0, 6, 0));  // through the armature's scale
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
              ElementsAre("/skins/2: found 2 skins; only /skins/1 is exported, and the others where they share its "
                          "joints; join the armatures, or export each skinned mesh to a file of its own",
                          "dropped: 1 skin that no mesh of the scene uses (/skins/0)"));
}

}  // namespace
}  // namespace assetc::recipes
