#include "import/model/lod_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/gltf/gltf.hpp"
#include "import/obj/obj.hpp"
#include "import/tiny_gltf.hpp"

namespace assetc::importer {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using testing::files;
using ::testing::IsEmpty;

// Nodes with these names and one mesh each. A name that begins with '>' is a child of the node before it.
scene::Scene nodes(const std::vector<std::string>& names) {
  scene::Scene scene;
  scene.meshes.resize(1);
  for (const std::string& name : names) {
    scene::Node node;
    node.name = name.starts_with('>') ? name.substr(1) : name;
    if (name.starts_with('>')) node.parent = static_cast<std::uint32_t>(scene.nodes.size() - 1);
    node.mesh = 0;
    scene.nodes.push_back(node);
  }
  link_levels_by_name(scene);
  return scene;
}

TEST(LodNames, siblings_of_one_stem_are_levels) {
  EXPECT_THAT(nodes({"lod0", "lod1", "lod2"}).nodes[0].lods, ElementsAre(1, 2));
  EXPECT_THAT(nodes({"Chair_LOD1", "Chair_LOD0", "Table_LOD0"}).nodes[1].lods, ElementsAre(0));
  EXPECT_THAT(nodes({"Chair", "chair.lod1", "Chair LOD2"}).nodes[0].lods, ElementsAre(1, 2));
  EXPECT_THAT(nodes({"a-lod0", "b-lod0", "b-lod1", "a-lod1"}).nodes[0].lods, ElementsAre(3));
}

TEST(LodNames, what_may_be_something_else_is_left_alone) {
  for (const auto& names : std::vector<std::vector<std::string>>{{"Chair_LOD0", "Chair_LOD2"},
                                                                 {"Chair_LOD1", "Chair_LOD2"},
                                                                 {"Chair_LOD0", "Chair_LOD1", "Chair_LOD1"},
                                                                 {"Chair", "Chair_LOD0", "Chair_LOD1"},
                                                                 {"explod0", "explod1"},
                                                                 {"lod", "lod1"},
                                                                 {"a_lod0", ">a_lod1"},
                                                                 {"1", "lod1"}}) {
    for (const scene::Node& node : nodes(names).nodes) EXPECT_THAT(node.lods, IsEmpty()) << names[1];
  }
}

std::string gltf(const std::string& nodes, const std::string& scene) {
  return R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],)"
         R"("bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],)"
         R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":)" +
         nodes + R"(,"scenes":[{"nodes":)" + scene + "}]}";
}
Result<Imported> import(const std::string& text) { return import_gltf("a.gltf", bytes_of(text), files()); }

TEST(LodNames, the_extension_links_nodes_that_no_scene_has) {
  const auto imported = import(gltf(
      R"([{"children":[1],"translation":[0,5,0]},{"mesh":0,"extensions":{"MSFT_lod":{"ids":[2,3]}}},{"mesh":0},{"mesh":0,"scale":[2,2,2]}])",
      "[0]"));
  ASSERT_TRUE(imported) << imported.error().to_string();
  EXPECT_THAT(imported->scene.nodes[1].lods, ElementsAre(2, 3));
  EXPECT_EQ(imported->scene.nodes[3].parent, 0u) << "a level has the place of its node";
  EXPECT_EQ(imported->scene.nodes[3].mesh, 0u);
  EXPECT_THAT(imported->scene.dropped, IsEmpty());
}

TEST(LodNames, levels_that_cannot_be_are_told_or_refused) {
  const auto imported =
      import(gltf(R"([{"mesh":0,"extensions":{"MSFT_lod":{"ids":[0,1,2,2]}}},{"name":"empty"},{"mesh":0}])", "[0]"));
  ASSERT_TRUE(imported) << imported.error().to_string();
  EXPECT_THAT(imported->scene.nodes[0].lods, ElementsAre(2));
  ASSERT_EQ(imported->scene.dropped.size(), 1u);
  EXPECT_EQ(describe(imported->scene.dropped[0]),
            "dropped: 3 unusable levels of detail (/nodes/0/extensions/MSFT_lod/ids/0, ...)");
  const auto refused = import(gltf(R"([{"mesh":0,"extensions":{"MSFT_lod":{"ids":[9]}}}])", "[0]"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "/nodes/0/extensions/MSFT_lod/ids/0: found 9, expected an index below 1, the number of nodes");
}

TEST(LodNames, groups_of_an_obj_are_levels_too) {
  const auto imported =
      import_obj("a.obj", bytes_of("v 0 0 0\nv 1 0 0\nv 0 1 0\no Box_LOD0\nf 1 2 3\no Box_LOD1\nf 1 3 2\n"), files());
  ASSERT_TRUE(imported);
  EXPECT_THAT(imported->scene.nodes[0].lods, ElementsAre(1));
}

}  // namespace
}  // namespace assetc::importer
