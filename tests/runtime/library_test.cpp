#include "assetc/runtime/library.hpp"

#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/stat.h>
#endif

#include <optional>

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
    const auto library = Library::open(root);
    ASSERT_TRUE(library) << library.error().to_string();
    const auto materials = library->materials("models/chair.hmat");
    ASSERT_TRUE(materials) << materials.error().to_string();
    const auto texture = library->texture(materials->view.materials()[0].base_color_texture);
    ASSERT_TRUE(texture) << texture.error().to_string();
    EXPECT_EQ(texture->path, "models/chair/tex_0.ktx2");
    EXPECT_EQ(texture->view.width_texels(), 1u);
  }
}

TEST_F(Tree, bytes_outlive_the_mount) {
  for (const std::string& root : roots()) {
    std::optional<Texture> texture;
    {
      const auto library = Library::open(root);
      texture.emplace(library->texture(hash_asset_ref("models/chair/tex_0")).value());
    }
    EXPECT_EQ(load<std::uint32_t>(texture->bytes, 0), load<std::uint32_t>(files_[2].bytes, 0));
    EXPECT_EQ(texture->view.levels().size(), 1u);
  }
}

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
  for (const std::string& root : roots()) {
    const auto library = Library::open(root);
    EXPECT_EQ(library->mesh("models/table.hmesh").error().file, "models/table.hmesh");
    EXPECT_EQ(library->texture(std::uint64_t{0xabc}).error().to_string(),
              "hash 0000000000000abc is not in assets.hman");
    EXPECT_EQ(library->mesh("models/chair.hmat").error().file, "models/chair.hmat");
  }
  EXPECT_EQ(FileTree::open((folder_ / "nothing").string()).error().code, ErrorCode::kNotFound);
}

TEST_F(Tree, without_a_manifest_the_error_says_what_to_do) {
  std::filesystem::remove(folder_ / "tree/assets.hman");
  EXPECT_EQ(Library::open(roots()[0]).error().to_string(),
            "assets.hman: no such file; build with assetc until nothing fails: the manifest is written last");
}

TEST_F(Tree, a_file_that_is_no_pack_is_refused_with_its_name) {
  write("bad.hpack", as_bytes("HPAK, or so it says"));
  const auto mount = FileTree::open((folder_ / "bad.hpack").string());
  ASSERT_FALSE(mount);
  EXPECT_EQ(mount.error().file, (folder_ / "bad.hpack").string());
}

}  // namespace
}  // namespace assetc::runtime
