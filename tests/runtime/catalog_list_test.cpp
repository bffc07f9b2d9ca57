// Enumeration of assets in every layout.
#include <gmock/gmock.h>

#include "runtime/allocations.hpp"
#include "runtime/cooked.hpp"
#include "runtime/tree.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> paths(const Catalog& catalog, const Query& query = {}) {
  std::vector<std::string> out;
  for (const AssetHandle& asset : catalog.list(query)) out.emplace_back(catalog.desc(asset)->virtual_path);
  return out;
}

// A model with its parts, and a tagged texture.
Cooked props() {
  Cooked cooked;
  cooked.add(uuid(1), {aas1::Type::kModel, "Engine/Props/Chair", raw_blob("model"), {}, {}, {"Furniture"}});
  cooked.add(uuid(2), {aas1::Type::kMesh, "Engine/Props/Chair/Seat", raw_blob("mesh"), {}, {}, {}, uuid(1)});
  cooked.add(uuid(3), {aas1::Type::kAnimation, "Engine/Props/Chair/Swing", raw_blob("clip"), {}, {}, {}, uuid(1)});
  cooked.add(uuid(4), {aas1::Type::kMaterial, "Engine/Renamed/Oak", raw_blob("oak"), {}, {}, {}, uuid(1)});
  cooked.add(uuid(5), {aas1::Type::kTexture2D, "Engine/Textures/Wood", texture_blob(), {}, {}, {"PBR", "Wood"}});
  cooked.add(uuid(6), {aas1::Type::kTexture2D, "engine/textures/brick", texture_blob(), {}, {}, {"PBR"}});
  return cooked;
}

class Lists : public testing::Test {
 protected:
  void mount(const Cooked& cooked, const std::string& folder, int priority = 0) {
    cooked.put(files_, folder + "/");
    const auto mounted = catalog_.mount(files_.source(), Layout::kCooked, folder, {.priority = priority});
    ASSERT_TRUE(mounted) << fault_text(mounted);
  }
  Files files_;
  Catalog catalog_;
};

TEST_F(Lists, are_selected_by_folder_prefix_type_tag_and_container) {
  mount(props(), "cooked");
  EXPECT_THAT(paths(catalog_), ElementsAre("Engine/Props/Chair", "Engine/Props/Chair/Seat", "Engine/Props/Chair/Swing",
                                           "Engine/Renamed/Oak", "engine/textures/brick", "Engine/Textures/Wood"));
  EXPECT_THAT(paths(catalog_, {.folder = "engine/props/CHAIR"}),
              ElementsAre("Engine/Props/Chair/Seat", "Engine/Props/Chair/Swing"));
  EXPECT_THAT(paths(catalog_, {.folder = "Engine/Textures/"}),
              ElementsAre("engine/textures/brick", "Engine/Textures/Wood"));
  EXPECT_THAT(paths(catalog_, {.folder = "Engine/Prop"}), IsEmpty());
  EXPECT_THAT(paths(catalog_, {.prefix = "Engine/Prop", .type = AssetType::kMesh}),
              ElementsAre("Engine/Props/Chair/Seat"));
  EXPECT_THAT(paths(catalog_, {.type = AssetType::kTexture2D}),
              ElementsAre("engine/textures/brick", "Engine/Textures/Wood"));
  EXPECT_THAT(paths(catalog_, {.tag = "pbr"}), ElementsAre("engine/textures/brick", "Engine/Textures/Wood"));
  EXPECT_THAT(paths(catalog_, {.tag = "PB"}), IsEmpty());
  const AssetHandle chair = *catalog_.find_by_path("Engine/Props/Chair");
  EXPECT_THAT(paths(catalog_, {.container = chair}),
              ElementsAre("Engine/Props/Chair/Seat", "Engine/Props/Chair/Swing", "Engine/Renamed/Oak"));
  EXPECT_THAT(paths(catalog_, {.type = AssetType::kAnimation, .container = chair}),
              ElementsAre("Engine/Props/Chair/Swing"));
  EXPECT_THAT(paths(catalog_, {.container = *catalog_.find_by_path("Engine/Textures/Wood")}), IsEmpty());
  EXPECT_EQ(catalog_.list({.type = AssetType::kMesh})[0].type, AssetType::kMesh);
  const AssetDesc wood = *catalog_.desc(*catalog_.find_by_path("Engine/Textures/Wood"));
  EXPECT_TRUE(wood.tags.contains("wood"));
  EXPECT_FALSE(wood.container);
  EXPECT_EQ(catalog_.desc({.uuid = uuid(2)})->container, chair);
}

TEST_F(Lists, have_an_asset_of_several_mounts_once_and_a_mod_in_the_place_of_the_original) {
  mount(props(), "base");
  Cooked mod;
  mod.add(uuid(5), {aas1::Type::kTexture2D, "Engine/Textures/Wood2", texture_blob(), {}, {}});   // the same UUID
  mod.add(uuid(60), {aas1::Type::kTexture2D, "Engine/Textures/Brick", texture_blob(), {}, {}});  // the same path
  mod.add(uuid(61), {aas1::Type::kScript, "Engine/Renamed/Oak", raw_blob("script"), {}, {}});    // another type
  mount(mod, "mod", 1);
  const std::vector<AssetHandle> textures = catalog_.list({.type = AssetType::kTexture2D});
  EXPECT_THAT(textures, ElementsAre(AssetHandle{.uuid = uuid(60)}, AssetHandle{.uuid = uuid(5)}));
  EXPECT_THAT(paths(catalog_, {.folder = "Engine/Textures"}),
              ElementsAre("Engine/Textures/Brick", "Engine/Textures/Wood2"));
  EXPECT_EQ(catalog_.list({.folder = "Engine/Renamed"}).size(), 2u);
  for (const AssetHandle& asset : catalog_.list()) EXPECT_EQ(catalog_.find(asset.uuid), asset);
  ASSERT_TRUE(catalog_.unmount("mod/"));
  EXPECT_EQ(catalog_.list().size(), 6u);
}

TEST_F(Lists, leave_out_what_no_mount_stores) {
  props().put(files_, "cooked/");
  ASSERT_TRUE(catalog_.mount(files_.source(), Layout::kRegistry, "cooked"));
  EXPECT_THAT(catalog_.list(), IsEmpty());
  ASSERT_TRUE(catalog_.mount(files_.source(), Layout::kCooked, "cooked"));
  EXPECT_EQ(catalog_.list().size(), 6u);
}

TEST_F(Lists, of_json_registries_have_tags_and_containers) {
  const std::string json = R"({"SchemaVersion": 1, "Assets": [
{"Uuid":")" + uuid(1).to_string() +
                           R"(","Type":"Model","VirtualPath":"Engine/Chair","Tags":["Furniture"],"Dependencies":[]},
{"Uuid":")" + uuid(2).to_string() +
                           R"(","Type":"Mesh","VirtualPath":"Engine/Chair/Seat","Dependencies":[],"Container":")" +
                           uuid(1).to_string() + R"(","OuterDependencies":[")" + uuid(70).to_string() +
                           R"("],"OuterSoftDependencies":[")" + uuid(71).to_string() + R"("]}]})";
  files_.files["Registry/AssetRegistry.json"] = Bytes(ByteVector(as_bytes(json).begin(), as_bytes(json).end()));
  const auto mounted = catalog_.mount(files_.source(), Layout::kCooked, "");
  ASSERT_TRUE(mounted) << fault_text(mounted);
  EXPECT_THAT(paths(catalog_, {.tag = "furniture"}), ElementsAre("Engine/Chair"));
  EXPECT_THAT(paths(catalog_, {.container = {.uuid = uuid(1)}}), ElementsAre("Engine/Chair/Seat"));
  const Dependencies needs = catalog_.dependencies({.uuid = uuid(2)});
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs.hard_count(), 1u);
  EXPECT_EQ(needs[0], AssetHandle{.uuid = uuid(70)});
  EXPECT_EQ(needs[1], AssetHandle{.uuid = uuid(71)});
}

TEST_F(Lists, allocate_nothing_for_each_asset) {
  mount(props(), "cooked");
  std::size_t count = 0;
  const std::function<void(const AssetHandle&, std::string_view)> visit =
      [&](const AssetHandle&, std::string_view path) { count += path.size(); };
  const std::size_t before = allocations;
  catalog_.each({.prefix = "Engine", .tag = "PBR"}, visit);
  EXPECT_EQ(allocations, before);
  EXPECT_GT(count, 0u);
}

TEST_F(Tree, lists_its_files_as_a_folder_and_as_a_pack) {
  for (const std::string& root : roots()) {
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(root));
    EXPECT_THAT(paths(catalog), ElementsAre("empty.bin", "models/chair.hmat", "models/chair/tex_0.ktx2"));
    EXPECT_THAT(paths(catalog, {.folder = "Models/chair"}), ElementsAre("models/chair/tex_0.ktx2"));
    EXPECT_THAT(paths(catalog, {.type = AssetType::kMaterial}), ElementsAre("models/chair.hmat"));
    EXPECT_THAT(paths(catalog, {.tag = "any"}), IsEmpty());
    const AssetHandle material = *catalog.find_by_path("models/chair.hmat");
    EXPECT_THAT(paths(catalog, {.container = material}), ElementsAre("models/chair/tex_0.ktx2"));
    EXPECT_THAT(paths(catalog, {.container = {.path_hash = 1}}), IsEmpty());
  }
}

// A web server gives files by name and lists nothing.
TEST_F(Lists, of_a_tree_on_a_web_server_come_from_its_manifest) {
  std::vector<hman::Entry> entries{hman::texture_entry("ui/logo.ktx2", hman::Colorspace::kSrgb),
                                   hman::file_entry("models/chair.hmesh", hman::Kind::kMesh),
                                   hman::file_entry("models/chair.hanim", hman::Kind::kAnimation),
                                   hman::file_entry("sounds/step.wav", hman::Kind::kEmbed)};
  files_.files["game/assets.hman"] = Bytes(hman::write(entries).value());
  files_.files["game/models/chair.hmesh"] = Bytes(raw_blob("a mesh"));
  ASSERT_TRUE(catalog_.mount(files_.source(), Layout::kTree, "game", {.files = {"later.bin"}}));
  EXPECT_THAT(paths(catalog_),
              ElementsAre("later.bin", "models/chair.hanim", "models/chair.hmesh", "sounds/step.wav", "ui/logo.ktx2"));
  EXPECT_THAT(paths(catalog_, {.folder = "models", .type = AssetType::kMesh}), ElementsAre("models/chair.hmesh"));
  EXPECT_EQ(catalog_.find_by_path("models/chair.hmesh"), catalog_.find(hash_embed_ref("models/chair.hmesh")));
  EXPECT_TRUE(catalog_.read(*catalog_.find_by_path("models/chair.hmesh")));
  EXPECT_EQ(catalog_.find(hash_asset_ref("ui/logo")), catalog_.find_by_path("ui/logo.ktx2"));
}

// Files of a folder are known from the folder, so files of the manifest that were removed are not there.
TEST_F(Tree, lists_no_file_that_only_its_manifest_has) {
  write("tree/assets.hman", hman::write({hman::file_entry("models/table.hmesh", hman::Kind::kMesh)}).value());
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(roots()[0]));
  EXPECT_FALSE(catalog.find_by_path("models/table.hmesh"));
  EXPECT_THAT(paths(catalog), ElementsAre("empty.bin", "models/chair.hmat", "models/chair/tex_0.ktx2"));
}

// An engine loads them as its own type, or as bytes.
TEST_F(Lists, clusters_are_no_meshes) {
  files_.files["game/assets.hman"] =
      Bytes(hman::write({hman::file_entry("models/statue.hcluster", hman::Kind::kMesh)}).value());
  files_.files["game/models/statue.hcluster"] = Bytes(raw_blob("clusters"));
  ASSERT_TRUE(catalog_.mount(files_.source(), Layout::kTree, "game"));
  EXPECT_THAT(paths(catalog_, {.type = AssetType::kClusters}), ElementsAre("models/statue.hcluster"));
  EXPECT_THAT(paths(catalog_, {.type = AssetType::kMesh}), IsEmpty());
}

// A mod of a tree: a file with the same path.
TEST_F(Tree, lists_the_file_of_a_mod_and_finds_it_by_the_hash_in_the_material_of_the_game) {
  write("mod/assets.hman", hman::write({}).value());
  write("mod/Models/chair/tex_0.ktx2", as_bytes("of the mod"));
  for (const std::string& root : roots()) {
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(root));
    ASSERT_TRUE(catalog.mount((folder_ / "mod").string() + "/", {.priority = 1}));
    EXPECT_THAT(paths(catalog), ElementsAre("empty.bin", "models/chair.hmat", "Models/chair/tex_0.ktx2"));
    const auto texture = catalog.find(hash_asset_ref("models/chair/tex_0"));
    ASSERT_TRUE(texture);
    EXPECT_EQ(as_text(catalog.read(*texture).value()), "of the mod");
    ASSERT_TRUE(catalog.unmount((folder_ / "mod").string()));
    EXPECT_EQ(catalog.read(*texture)->size(), one_texel_ktx2().size());
  }
}

TEST_F(Lists, a_slash_at_the_end_of_a_path_makes_no_difference) {
  mount(props(), "cooked");
  EXPECT_FALSE(catalog_.unmount("cooke"));
  EXPECT_FALSE(catalog_.unmount("/"));
  EXPECT_TRUE(catalog_.unmount("cooked/"));
  props().put(files_, "cooked/");
  ASSERT_TRUE(catalog_.mount(files_.source(), Layout::kCooked, "cooked/"));
  EXPECT_TRUE(catalog_.unmount("cooked"));
  EXPECT_TRUE(catalog_.mounts().empty());
}

}  // namespace
}  // namespace assetc::runtime
