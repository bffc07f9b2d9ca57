#include "assetc/runtime/file_tree.hpp"

#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/stat.h>
#endif

#include <optional>

#include "assetc/runtime/catalog.hpp"
#include "runtime/tree.hpp"

namespace assetc::runtime {
namespace {

TEST_F(Tree, a_folder_and_its_pack_read_the_same) {
  for (const std::string& root : roots()) {
    const auto mount = FileTree::open(root);
    ASSERT_TRUE(mount) << mount.error().to_string();
    EXPECT_EQ(mount->list(),
              (std::vector<std::string>{"assets.hman", "empty.bin", "models/chair.hmat", "models/chair/tex_0.ktx2"}));
    EXPECT_EQ(mount->list("models/chair/"), (std::vector<std::string>{"models/chair/tex_0.ktx2"}));
    for (const hpack::File& file : files_) {
      EXPECT_TRUE(mount->contains(file.path));
      const auto bytes = mount->read(file.path);
      ASSERT_TRUE(bytes) << bytes.error().to_string();
      EXPECT_EQ(as_text(*bytes), as_text(file.bytes));
    }
  }
}

TEST_F(Tree, a_material_texture_is_found_by_its_hash) {
  for (const std::string& root : roots()) {
    Catalog catalog;
    const auto mounted = catalog.mount(root);
    ASSERT_TRUE(mounted) << mounted.error().to_string();
    const auto path = catalog.find_by_path("models/chair.hmat");
    ASSERT_TRUE(path);
    const Bytes bytes = catalog.read(*path).value();
    const auto materials = hmat::View::open(bytes);
    ASSERT_TRUE(materials) << materials.error().to_string();
    const auto texture = catalog.find(materials->materials()[0].base_color_texture);
    ASSERT_TRUE(texture);
    EXPECT_EQ(catalog.desc(*texture)->virtual_path, "models/chair/tex_0.ktx2");
    EXPECT_EQ(as_text(catalog.read(*texture).value()), as_text(files_[2].bytes));
  }
}

TEST_F(Tree, bytes_outlive_the_mount) {
  for (const std::string& root : roots()) {
    const Bytes file = FileTree::open(root).value().read("models/chair/tex_0.ktx2").value();
    Bytes asset;
    {
      Catalog catalog;
      ASSERT_TRUE(catalog.mount(root));
      asset = catalog.read(*catalog.find(hash_asset_ref("models/chair/tex_0"))).value();
    }
    EXPECT_EQ(as_text(file), as_text(files_[2].bytes));
    EXPECT_EQ(as_text(asset), as_text(files_[2].bytes));
  }
}

#ifndef _WIN32  // a mapped file is neither replaced nor shortened there
TEST_F(Tree, a_pack_that_another_program_shortens_gives_no_more_bytes) {
  const auto pack = FileTree::open(roots()[1]);
  ASSERT_TRUE(pack);
  ASSERT_TRUE(pack->contains("models/chair.hmat"));
  write("tree.hpack", {});
  EXPECT_FALSE(pack->contains("models/chair.hmat"));
  EXPECT_TRUE(pack->list().empty());
  const auto bytes = pack->read("models/chair.hmat");
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::kConflict);
}
#endif

TEST_F(Tree, a_path_never_leaves_the_mount) {
  write("secret", as_bytes("x"));
  for (const std::string& root : roots()) {
    const auto mount = FileTree::open(root);
    for (const std::string path :
         {"../secret", "models/../../secret", "/etc/passwd", "", ".", "models//chair.hmat", "./assets.hman",
          // Spellings of the same files on Windows.
          "..\\secret", "models/.. /.. /../secret", "models\\chair.hmat", "assets.hman.", "assets.hman::$DATA"}) {
      const auto bytes = mount->read(path);
      ASSERT_FALSE(bytes) << path;
      EXPECT_EQ(bytes.error().code, ErrorCode::kNotFound) << path;
      EXPECT_FALSE(mount->contains(path)) << path;
    }
  }
}

TEST_F(Tree, paths_are_utf8) {
  const std::string name = "\xc3\xa4pfel/\xe6\xa4\x85\xe5\xad\x90.bin";
  write("tree/" + name, as_bytes("apples"));
  const auto mount = FileTree::open(roots()[0]);
  ASSERT_TRUE(mount) << mount.error().to_string();
  EXPECT_TRUE(mount->contains(name));
  EXPECT_EQ(mount->list("\xc3\xa4"), std::vector<std::string>{name});
  const auto bytes = mount->read(name);
  ASSERT_TRUE(bytes) << bytes.error().to_string();
  EXPECT_EQ(as_text(*bytes), "apples");
}

#ifndef _WIN32
TEST_F(Tree, a_pipe_is_refused_and_not_waited_for) {
  ASSERT_EQ(mkfifo((folder_ / "tree/pipe").c_str(), 0600), 0);
  EXPECT_EQ(FileTree::open(roots()[0])->read("pipe").error().to_string(), "pipe: not a regular file");
}
#endif

TEST_F(Tree, what_is_not_there_is_an_error_that_names_it) {
  for (const std::string& root : roots())
    EXPECT_EQ(FileTree::open(root)->read("models/table.hmesh").error().file, "models/table.hmesh");
  EXPECT_EQ(FileTree::open((folder_ / "nothing").string()).error().code, ErrorCode::kNotFound);
}

TEST_F(Tree, a_file_that_is_no_pack_is_refused_with_its_name) {
  write("bad.hpack", as_bytes("HPAK, or so it says"));
  const auto mount = FileTree::open((folder_ / "bad.hpack").string());
  ASSERT_FALSE(mount);
  EXPECT_EQ(mount.error().file, (folder_ / "bad.hpack").string());
}

}  // namespace
}  // namespace assetc::runtime
