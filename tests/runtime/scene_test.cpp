// Scenes in a manager: their assets, matrices, visibility and reloads.
#include "assetc/runtime/scene.hpp"

#include <gmock/gmock.h>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hscene.hpp"
#include "assetc/runtime/assets.hpp"
#include "formats/sample_mesh.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;

hscene::Ref ref_of(std::string_view path) { return hscene::Ref::of(hash_embed_ref(path)); }

// A car with two wheels (one mesh), one of them hidden, and a lamp.
hscene::Model yard() {
  hscene::Model m;
  m.meshes = {{.file = ref_of("yard/mesh_0.hmesh"), .box = {{0, 0, 0}, {1, 1, 0}}, .submesh_count = 1}, {}};
  m.materials = {{.file = ref_of("yard.hmat"), .row = 0}};
  m.textures = {{.name = m.add_text("BaseColorTex"), .file = hscene::Ref::of(hash_asset_ref("yard/tex_0"))}};
  m.materials[0].texture_count = 1;
  m.clips = {{.file = ref_of("yard/clips.hanim")}};
  m.lights = {{.intensity = 3}};
  const auto node = [&](std::string_view name, std::int32_t parent, std::uint32_t end) -> hscene::Node& {
    hscene::Node& n = m.nodes.emplace_back();
    n.name = m.add_text(name);
    n.parent = parent;
    n.end = end;
    return n;
  };
  node("car", -1, 4).transform.translation = {1, 2, 3};
  hscene::Node& wheel = node("wheel", 0, 2);
  wheel.mesh = 0;
  wheel.transform.translation = {10, 0, 0};
  node("spare", 0, 4).flags = hscene::Node::kHidden;
  node("bolt", 2, 4).mesh = 0;
  node("lamp", -1, 5).light = 0;
  return m;
}

class Scenes : public testing::Test {
 protected:
  Scenes() {
    files.files["yard.hscene"] = Bytes(hscene::write(yard()).value());
    files.files["yard/mesh_0.hmesh"] = Bytes(hmesh::write(formats_test::static_quad()).value());
    const hmat::GpuMaterial rows[1];
    files.files["yard.hmat"] = Bytes(hmat::write(rows).value());
  }
  void start() {
    std::vector<std::string> names;
    for (const auto& [path, bytes] : files.files) names.push_back(path);
    Catalog catalog;
    const auto mounted = catalog.mount(files.source(), Layout::kTree, "", {.files = names});
    ASSERT_TRUE(mounted) << fault_text(mounted);
    manager.emplace(std::move(catalog), ManagerOptions{.io_thread = false});
    add_loaders(*manager);
  }
  AssetRef<SceneData> load() { return manager->load<SceneData>(*manager->catalog().find_by_path("yard.hscene")); }

  Files files;
  std::optional<Manager> manager;
};

TEST_F(Scenes, load_with_their_meshes_and_materials) {
  start();
  const AssetRef<SceneData> ref = load();
  ASSERT_TRUE(ref.is_ready()) << ref.failure()->to_string();
  const SceneData& scene = *ref.get();
  EXPECT_EQ(scene.model(), nullptr);
  ASSERT_EQ(scene.meshes.size(), 2u);
  EXPECT_FALSE(scene.meshes[1]) << "it draws nothing";
  EXPECT_EQ(scene.meshes[0].type, AssetType::kMesh);
  EXPECT_EQ(manager->load_async<MeshData>(scene.meshes[0]).get()->hmesh()->submeshes().size(), 2u)
      << "loaded before the scene";
  EXPECT_EQ(manager->load_async<MaterialData>(scene.materials[0]).get()->hmat()->materials().size(), 1u);
  EXPECT_EQ(scene.clips[0].type, AssetType::kAnimation);
  const AssetHandle texture =
      texture_of(manager->catalog(), scene.view, scene.view.textures(scene.view.materials()[0])[0]);
  EXPECT_EQ(texture.path_hash, hash_asset_ref("yard/tex_0"));
}

TEST_F(Scenes, a_missing_mesh_has_its_fallback_until_it_is_built) {
  files.files.erase("yard/mesh_0.hmesh");
  start();
  const AssetRef<SceneData> ref = load();
  ASSERT_TRUE(ref.is_ready());
  const auto mesh = manager->load<MeshData>(ref.get()->meshes[0]);
  EXPECT_NE(mesh.failure(), nullptr);
  EXPECT_NE(mesh.get_or_fallback(), nullptr);
}

TEST_F(Scenes, reload_behind_the_same_refs) {
  start();
  const AssetRef<SceneData> ref = load();
  ASSERT_TRUE(ref.is_ready());
  EXPECT_EQ(ref.get()->view.lights()[0].intensity, 3);
  hscene::Model brighter = yard();
  brighter.lights[0].intensity = 9;
  files.files["yard.hscene"] = Bytes(hscene::write(brighter).value());
  manager->changed({.written = {"yard.hscene"}, .assets = {*manager->catalog().find_by_path("yard.hscene")}});
  for (int frame = 0; frame < 100 && ref.get()->view.lights()[0].intensity != 9; ++frame) manager->pump();
  EXPECT_EQ(ref.get()->view.lights()[0].intensity, 9);
}

TEST_F(Scenes, matrices_are_those_of_the_nodes_above) {
  start();
  const AssetRef<SceneData> ref = load();
  const hscene::View& view = ref.get()->view;
  std::vector<Matrix> world(view.nodes().size());
  world_matrices(view, {}, world);
  EXPECT_THAT(std::span(world[1]).subspan(12, 3), ElementsAre(11, 2, 3));
  std::vector<Transform> pose(view.nodes().size());
  rest_pose(view, pose);
  pose[0].translation = {0, 0, 0};
  world_matrices(view, pose, world);
  EXPECT_THAT(std::span(world[1]).subspan(12, 3), ElementsAre(10, 0, 0));
}

TEST_F(Scenes, hidden_nodes_and_those_below_them_are_not_visited) {
  start();
  const AssetRef<SceneData> ref = load();
  std::vector<std::string_view> names;
  for_each_visible(ref.get()->view,
                   [&](std::uint32_t n, const hscene::Node&) { names.push_back(ref.get()->view.node_name(n)); });
  EXPECT_THAT(names, ElementsAre("car", "wheel", "lamp"));
}

TEST_F(Scenes, skins_move_vertices_into_the_scene) {
  hscene::Model m = yard();
  m.skins = {{.joint_count = 2}};
  m.joints = {0, 1};
  m.inverse_bind = {hscene::Matrix{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -2, -3, 1},
                    hscene::Matrix{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
  const ByteVector file = hscene::write(m).value();
  const hscene::View view = hscene::View::open(file).value();
  std::vector<Matrix> world(view.nodes().size()), skin(3);
  world_matrices(view, {}, world);
  skinning_matrices(view, view.skins()[0], world, skin);
  EXPECT_THAT(std::span(skin[0]).subspan(12, 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(std::span(skin[1]).subspan(12, 3), ElementsAre(11, 2, 3));
  EXPECT_EQ(skin[2], to_matrix({}));
}

TEST(OpenScene, a_model_without_a_scene_becomes_one) {
  // The child comes first, and node 2 is a lower detail of node 0.
  std::vector<aas1::ModelNode> nodes{{1, -1, uuid(7), uuid(8), {1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                     {-1, -1, {}, {}, {0, 2, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                     {1, 0, uuid(9), {}, {1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  const std::vector<std::string> names{"hand", "body", "hand_far"};
  const auto scene = open_scene(Bytes(aas1::write_model(nodes, names).value()));
  ASSERT_TRUE(scene) << scene.error().to_string();
  ASSERT_NE(scene->model(), nullptr);
  const hscene::View& view = scene->view;
  ASSERT_EQ(view.nodes().size(), 3u);
  EXPECT_EQ(view.find_path("body/hand"), 1u);
  EXPECT_EQ(view.nodes()[1].source, 0u);
  EXPECT_EQ(view.nodes()[2].detail_of, 1u);
  EXPECT_EQ(view.meshes()[view.nodes()[1].mesh].file.uuid(), uuid(7));
  EXPECT_EQ(view.skins()[view.nodes()[1].skin].skeleton.uuid(), uuid(8));
}

TEST(OpenScene, the_scene_of_a_model_is_read_at_any_alignment) {
  hscene::Model from = yard();
  from.desc.flags = hscene::SceneDesc::kUuids;
  const ByteVector inner = hscene::write(from).value();
  for (std::size_t nodes = 1; nodes < 3; ++nodes) {  // the extension begins at another multiple of 4
    const std::vector<aas1::ModelNode> list(nodes, {-1, -1, {}, {}, {0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}});
    const auto scene = open_scene(Bytes(aas1::write_model(list, std::vector<std::string>(nodes, "a"), inner).value()));
    ASSERT_TRUE(scene) << scene.error().to_string();
    EXPECT_EQ(scene->view.nodes().size(), 5u);
    EXPECT_TRUE(scene->view.has_uuids());
  }
}

}  // namespace
}  // namespace assetc::runtime
