// Hot reload of folders, found by comparing the folders themselves.
#include <gmock/gmock.h>

#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/manager.hpp"
#include "runtime/tree.hpp"

namespace assetc::runtime {
namespace {

// A folder of this machine; files are replaced by rename.
class ReloadsOfFolders : public Tree {
 protected:
  void replace(const std::string& path, ByteSpan bytes, const std::string& tree = "tree") {
    write(tree + "/" + path + ".new", bytes);
    std::filesystem::rename(folder_ / tree / (path + ".new"), folder_ / tree / path);
  }
  static void pump(Manager& manager) {
    while (manager.pump({.time = std::chrono::seconds(60)}).untold > 0 || manager.stats().loading > 0) continue;
  }
#ifdef _WIN32
  static constexpr bool kMapped = false;  // Windows cannot replace a mapped file
#else
  static constexpr bool kMapped = true;
#endif
};

TEST_F(ReloadsOfFolders, see_new_bytes_new_files_and_new_names) {
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(roots()[0], {.mapped = kMapped}));
  Manager manager(catalog, {.io_thread = false});
  manager.add<Bytes>(AssetType::kTexture2D, {.decode = [](LoadInput& in) -> Result<Bytes> { return in.bytes; }});
  const AssetRef<Bytes> texture = manager.load<Bytes>(*catalog.find_by_path("models/chair/tex_0.ktx2"));
  const Bytes first = *texture.get();
  const AssetRef<Bytes> missing =
      manager.load_async<Bytes>({.path_hash = hash_embed_ref("models/new.ktx2"), .type = AssetType::kTexture2D});
  pump(manager);
  EXPECT_EQ(missing.failure()->fault, Fault::kMissing);
  replace("models/chair/tex_0.ktx2", as_bytes("other bytes"));
  replace("models/new.ktx2", as_bytes("new bytes"));
  manager.changed({.written = {"models/chair/tex_0.ktx2", "models/new.ktx2"}});
  pump(manager);
  EXPECT_EQ(as_text(*texture.get()), "other bytes");
  EXPECT_EQ(as_text(*missing.get()), "new bytes");
  EXPECT_TRUE(std::ranges::equal(first.span(), one_texel_ktx2()));
  EXPECT_FALSE(manager.catalog().find(hash_asset_ref("models/new")));
  replace("assets.hman", hman::write({hman::texture_entry("models/new.ktx2", hman::Colorspace::kSrgb)}).value());
  manager.changed({.written = {"assets.hman"}});
  EXPECT_TRUE(manager.catalog().find(hash_asset_ref("models/new")));
  std::filesystem::remove(folder_ / "tree/models/new.ktx2");
  replace("later.ktx2", as_bytes("later"));
  manager.changed({.everything = true});
  pump(manager);
  EXPECT_TRUE(manager.catalog().find_by_path("later.ktx2"));
  EXPECT_EQ(as_text(*missing.get()), "new bytes");
  EXPECT_EQ(missing.reload_failure()->fault, Fault::kMissing);
}

// A file that appears in one folder is not new if the other has it, and a file that one folder loses may exist in the
// other.
TEST_F(ReloadsOfFolders, a_change_is_of_the_folder_that_has_the_file) {
  write("base/a.txt", as_bytes("base"));
  write("mod/z.txt", as_bytes("mod"));
  for (const std::string folder : {"base", "mod"}) write(folder + "/assets.hman", hman::write({}).value());
  Catalog catalog;
  ASSERT_TRUE(catalog.mount((folder_ / "base").string(), {.mapped = kMapped}));
  ASSERT_TRUE(catalog.mount((folder_ / "mod").string(), {.priority = 1, .mapped = kMapped}));
  Manager manager(catalog, {.io_thread = false});
  add_loaders(manager);
  const AssetRef<RawData> a = manager.load<RawData>(*catalog.find_by_path("a.txt"));
  replace("a.txt", as_bytes("base, edited"), "base");
  manager.changed({.written = {"a.txt"}});
  pump(manager);
  EXPECT_EQ(as_text(a.get()->bytes), "base, edited");
  EXPECT_EQ(a.reload_failure(), nullptr);
  replace("a.txt", as_bytes("mod"), "mod");
  manager.changed({.written = {"a.txt"}});
  pump(manager);
  EXPECT_EQ(as_text(a.get()->bytes), "mod");
  std::filesystem::remove(folder_ / "mod/a.txt");
  manager.changed({.removed = {"a.txt"}});
  pump(manager);
  EXPECT_EQ(as_text(a.get()->bytes), "base, edited");
  EXPECT_TRUE(manager.catalog().find_by_path("a.txt"));
  std::filesystem::remove(folder_ / "base/a.txt");
  manager.changed({.removed = {"a.txt"}});
  pump(manager);
  EXPECT_FALSE(manager.catalog().find_by_path("a.txt"));
  ASSERT_NE(a.reload_failure(), nullptr);
  EXPECT_EQ(a.reload_failure()->virtual_path, "a.txt");
}

TEST_F(ReloadsOfFolders, what_is_hidden_is_no_asset) {
  write("tree/.assetc-cache/state.db", as_bytes("a cache"));
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(roots()[0], {.mapped = kMapped}));
  write("tree/models/.later/a.ktx2", as_bytes("hidden"));
  Catalog::Reopened reopened = catalog.reopen({.written = {"models/.later/a.ktx2", ".assetc-cache/state.db"}});
  EXPECT_FALSE(reopened.any);
  reopened = catalog.reopen({.everything = true});
  EXPECT_TRUE(reopened.any);
  EXPECT_EQ(catalog.assets_in({.everything = true}).size(), files_.size());
  EXPECT_FALSE(catalog.find_by_path(".assetc-cache/state.db"));
  EXPECT_FALSE(catalog.find_by_path("models/.later/a.ktx2"));
}

TEST_F(ReloadsOfFolders, a_material_has_its_texture_once_that_is_built) {
  std::filesystem::remove(folder_ / "tree/models/chair/tex_0.ktx2");
  write("tree/assets.hman", hman::write({}).value());
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(roots()[0], {.mapped = kMapped}));
  std::vector<std::string> reloaded;
  Manager manager(catalog, {.io_thread = false, .on_reloaded = [&](const AnyRef& asset, const AnyRef&) {
                              const auto desc = manager.catalog().desc(asset.handle());
                              reloaded.emplace_back(desc ? desc->virtual_path : "");
                            }});
  add_loaders(manager);
  const AssetRef<MaterialData> chair = manager.load<MaterialData>(*catalog.find_by_path("models/chair.hmat"));
  ASSERT_TRUE(chair.is_ready()) << chair.failure()->to_string();
  ASSERT_EQ(chair.get()->textures.size(), 1u);
  const AssetRef<TextureData> texture = manager.load<TextureData>(chair.get()->textures[0]);
  ASSERT_FALSE(texture.is_ready());
  EXPECT_EQ(texture.failure()->fault, Fault::kMissing);
  ASSERT_NE(texture.get_or_fallback(), nullptr);
  replace("models/chair/tex_0.ktx2", one_texel_ktx2());
  replace("assets.hman",
          hman::write({hman::texture_entry("models/chair/tex_0.ktx2", hman::Colorspace::kSrgb)}).value());
  manager.changed({.written = {"assets.hman", "models/chair/tex_0.ktx2"}});
  pump(manager);
  ASSERT_TRUE(texture.is_ready()) << texture.failure()->to_string();
  EXPECT_EQ(texture.get()->levels[0].width_texels, 1u);
  EXPECT_THAT(reloaded, testing::UnorderedElementsAre("models/chair/tex_0.ktx2", "models/chair.hmat"));
  // Later changes that name its file reload it too.
  reloaded.clear();
  replace("models/chair/tex_0.ktx2", one_texel_ktx2());
  manager.changed({.written = {"models/chair/tex_0.ktx2"}});
  pump(manager);
  EXPECT_EQ(reloaded.size(), 2u);
}

}  // namespace
}  // namespace assetc::runtime
