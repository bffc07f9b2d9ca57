// Plays clips of a file without a mesh on the mesh of another file.
#include <gmock/gmock.h>

#include <cmath>

#include "assetc/runtime/animation.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/file_tree.hpp"
#include "assetc/runtime/manager.hpp"
#include "assetc/runtime/scene.hpp"
#include "e2e/project.hpp"
#include "import/tiny_gltf.hpp"

namespace assetc::e2e {
namespace {

using runtime::Matrix;
using runtime::Transform;
using testing::HasSubstr;

// A rig of three joints below an armature of half its size, with one clip that moves all joints and one that moves only
// the last. with_mesh: a mesh is skinned to the joints; otherwise there is no skin, and nodes are in another order.
std::string rig(bool with_mesh) {
  importer::testing::TinyGltf g;
  const int p = g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
  const int joints = g.accessor<std::uint8_t>(5121, "VEC4", {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}, 3);
  const int weights = g.vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const int times = g.scalar({0, 0.5f, 1}), moves = g.vec3({0, 1, 0, 0, 1.5f, 0, 1, 1, 0});
  const int turns = g.vec4({0, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0, 0.6f, 0, 0.8f}),
            sizes = g.vec3({1, 1, 1, 1, 2, 1, 1, 1, 3});
  const auto n = [](int i) { return std::to_string(i); };
  const std::array<int, 3> at = with_mesh ? std::array{2, 3, 4} : std::array{3, 2, 1};  // hip, knee, foot
  std::array<std::string, 5> nodes;
  nodes[0] = with_mesh ? R"({"mesh":0,"skin":0})" : R"({"name":"armature","scale":[0.5,0.5,0.5],"children":[3]})";
  nodes[with_mesh ? 1 : 4] =
      with_mesh ? R"({"name":"armature","scale":[0.5,0.5,0.5],"children":[2]})" : R"({"name":"Eye"})";
  nodes[static_cast<std::size_t>(at[0])] = R"({"name":"hip","translation":[0,1,0],"children":[)" + n(at[1]) + "]}";
  nodes[static_cast<std::size_t>(at[1])] = R"({"name":"knee","translation":[0,-1,0],"children":[)" + n(at[2]) + "]}";
  nodes[static_cast<std::size_t>(at[2])] = R"({"name":"foot","translation":[0,-1,0]})";
  std::string list;
  for (const std::string& node : nodes) list += (list.empty() ? "" : ",") + node;
  const std::string mesh = R"("meshes":[{"name":"Body","primitives":[{"attributes":{"POSITION":)" + n(p) +
                           R"(,"JOINTS_0":)" + n(joints) + R"(,"WEIGHTS_0":)" + n(weights) +
                           R"(}}]}],"skins":[{"joints":[2,3,4]}],)";
  const auto channel = [&](int sampler, int node, const char* path) {
    return R"({"sampler":)" + n(sampler) + R"(,"target":{"node":)" + n(at[static_cast<std::size_t>(node)]) +
           R"(,"path":")" + path + "\"}}";
  };
  const auto sampler = [&](int output) { return R"({"input":)" + n(times) + R"(,"output":)" + n(output) + "}"; };
  return g.json((with_mesh ? mesh : "") + R"("scene":0,"scenes":[{"nodes":[0,)" + (with_mesh ? "1" : "4") +
                R"(]}],"nodes":[)" + list + R"(],"animations":[{"name":"walk","channels":[)" +
                channel(0, 0, "translation") + "," + channel(1, 1, "rotation") + "," + channel(2, 2, "scale") +
                R"(],"samplers":[)" + sampler(moves) + "," + sampler(turns) + "," + sampler(sizes) +
                R"(]},{"name":"nod","channels":[)" + channel(0, 2, "scale") + R"(],"samplers":[)" + sampler(sizes) +
                "]}]");
}

// The largest difference between two lists of matrices.
float difference(std::span<const Matrix> a, std::span<const Matrix> b) {
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t e = 0; e < 16; ++e) most = std::max(most, std::fabs(a[i][e] - b[i][e]));
  return most;
}

class ClipLibrary : public Project {
 protected:
  void put(const std::string& folder) const {
    write(folder + "hero.gltf", rig(true));
    write(folder + "moves.gltf", rig(false));
  }
};

TEST_F(ClipLibrary, moves_a_mesh_of_another_file_as_its_own_clip_does) {
  put("assets/");
  build("-q");
  EXPECT_TRUE(exists("runtime/moves.hanim"));
  EXPECT_FALSE(exists("runtime/moves.hmesh"));
  EXPECT_FALSE(exists("runtime/moves.hmat"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
  EXPECT_THAT(
      build("info runtime/moves.hanim").out,
      HasSubstr("2 clips (\"walk\", 1.00 s, 3 channels, 9 keys; \"nod\", 1.00 s, 1 channel, 3 keys), 4 named joints"));

  const auto bytes_of = [&](const char* path) {
    return runtime::map_file((root_ / "runtime" / path).string()).value_or(Bytes());
  };
  const Bytes mesh_file = bytes_of("hero.hmesh"), own_file = bytes_of("hero.hanim"),
              moves_file = bytes_of("moves.hanim");
  const auto mesh = hmesh::View::open(mesh_file);
  const auto own = hanim::View::open(own_file), moves = hanim::View::open(moves_file);
  ASSERT_TRUE(mesh && own && moves);
  EXPECT_TRUE(runtime::match_joints(*own, *mesh).empty());
  const std::vector<hanim::Match> joints = runtime::match_joints(*moves, *mesh);
  EXPECT_THAT(joints, testing::SizeIs(4));
  const runtime::Hierarchy skeleton(mesh->joints());
  const auto skinning = [&](const hanim::View& clips, std::size_t clip, float time, std::span<const hanim::Match> map) {
    std::vector<Transform> pose(skeleton.rest().begin(), skeleton.rest().end());
    runtime::sample(clips.clips()[clip], time, {}, pose, map);
    std::vector<Matrix> model(pose.size()), skin(pose.size());
    skeleton.model_matrices(pose, model);
    runtime::skinning_matrices(mesh->joints(), {}, model, skin);
    return skin;
  };
  for (const std::size_t clip : {0u, 1u}) {
    const std::vector<Matrix> start = skinning(*own, clip, 0, {});
    for (const float time : {0.0f, 0.25f, 0.5f, 0.8f, 1.0f}) {
      const std::vector<Matrix> expected = skinning(*own, clip, time, {});
      EXPECT_LT(difference(expected, skinning(*moves, clip, time, joints)), 1e-6f) << clip << " at " << time;
      EXPECT_EQ(difference(expected, start) > 0.1f, time > 0) << clip << " at " << time;
    }
  }

  // Copied beside a mesh, the clips belong to that mesh, by the same names.
  fs::copy_file(root_ / "runtime/hero.hmesh", root_ / "dancer.hmesh");
  fs::copy_file(root_ / "runtime/moves.hanim", root_ / "dancer.hanim");
  build("convert dancer.hmesh dancer.glb");
  EXPECT_THAT(read("dancer.glb"), HasSubstr(R"("name":"walk")"));
  EXPECT_EQ(run("convert assets/moves.gltf moves.hmesh").exit_code, 1);
  EXPECT_THAT(
      run("convert assets/moves.gltf moves.hmesh").err,
      HasSubstr("the model has clips but no mesh, so nothing can be written to moves.hmesh; build it to get a .hanim"));
  EXPECT_FALSE(exists("moves.hanim"));
}

TEST_F(ClipLibrary, moves_a_cooked_mesh_too) {
  put("Assets/Hero/");
  build("import");
  build("cook --platform Win64");
  EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("no problem"));
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount((root_ / "build/Cooked/Win64").string()));
  runtime::Manager manager(catalog);
  runtime::add_loaders(manager);
  const auto find = [&](const char* path) { return catalog.find_by_path(path).value_or(runtime::AssetHandle{}); };
  const auto own = manager.load<runtime::AnimationData>(find("Engine/Hero/hero/walk"));
  const auto moves = manager.load<runtime::AnimationData>(find("Engine/Hero/moves/walk"));
  ASSERT_TRUE(own.is_ready() && moves.is_ready());
  const auto hero = manager.load<runtime::SceneData>(own.get()->model);
  const auto nodes = manager.load<runtime::SceneData>(moves.get()->model);
  ASSERT_TRUE(hero.is_ready() && nodes.is_ready());
  const std::vector<hanim::Match> map = runtime::match_nodes(*nodes.get()->model(), *hero.get()->model());
  const runtime::Hierarchy tree(hero.get()->model()->nodes());
  for (const float time : {0.0f, 0.3f, 1.0f}) {
    std::vector<Transform> expected(tree.rest().begin(), tree.rest().end()), got = expected;
    runtime::sample(own.get()->clips.clips()[0], time, {}, expected);
    runtime::sample(moves.get()->clips.clips()[0], time, {}, got, map);
    EXPECT_EQ(got, expected) << time;
  }
}

}  // namespace
}  // namespace assetc::e2e
