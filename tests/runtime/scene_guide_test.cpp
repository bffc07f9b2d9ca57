// The code of docs/guide/scenes.md.
#include <gtest/gtest.h>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hscene.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/scene.hpp"
#include "formats/sample_mesh.hpp"
#include "runtime/cooked.hpp"

namespace assetc {
namespace {

TEST(SceneGuide, draws_what_is_visible) {
  hscene::Model model;
  model.meshes = {{.file = hscene::Ref::of(hash_embed_ref("levels/yard/mesh_0.hmesh"))}};
  model.lights.resize(1);
  model.nodes.resize(3);
  for (std::uint32_t n = 0; n < 3; ++n) model.nodes[n].end = n + 1;
  model.nodes[0].name = model.add_text("box");
  model.nodes[0].mesh = 0;
  model.nodes[0].end = 2;
  model.nodes[1].name = model.add_text("small");
  model.nodes[1].parent = 0;
  model.nodes[1].mesh = 0;
  model.nodes[2].light = 0;
  runtime::Files files;
  files.files["levels/yard.hscene"] = Bytes(hscene::write(model).value());
  files.files["levels/yard/mesh_0.hmesh"] = Bytes(hmesh::write(formats_test::static_quad()).value());
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), runtime::Layout::kTree, "",
                            {.files = {"levels/yard.hscene", "levels/yard/mesh_0.hmesh"}}));
  runtime::Manager manager(catalog, {.io_thread = false});
  runtime::add_loaders(manager);
  int drawn = 0, lights = 0, attached = 0;
  const auto draw = [&](const runtime::AssetHandle& mesh, const runtime::Matrix&) { drawn += mesh ? 1 : 0; };
  const auto light = [&](const hscene::Light&, const runtime::Matrix&) { ++lights; };
  const auto attach = [&](const runtime::Matrix&) { ++attached; };

  const auto yard = manager.load_async<runtime::SceneData>("levels/yard.hscene");
  while (!yard.is_ready()) manager.pump();
  const hscene::View& scene = yard.get()->view;
  std::vector<runtime::Matrix> world(scene.nodes().size());  // once for each instance of the scene
  runtime::world_matrices(scene, {}, world);
  runtime::for_each_visible(scene, [&](std::uint32_t n, const hscene::Node& node) {
    if (node.mesh != hscene::kNone) draw(yard.get()->meshes[node.mesh], world[n]);
    if (node.light != hscene::kNone) light(scene.lights()[node.light], world[n]);
  });
  if (const auto hand = scene.find_path("box/small")) attach(world[*hand]);

  EXPECT_EQ(drawn, 2);
  EXPECT_EQ(lights, 1);
  EXPECT_EQ(attached, 1);
}

}  // namespace
}  // namespace assetc
