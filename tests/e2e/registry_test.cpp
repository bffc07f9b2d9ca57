// assetc registry: query, diff and export of cooked folders. Python's SQLite reads what export writes.
#include "assetc/formats/registry.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "assetc/formats/aas1_mesh_view.hpp"
#include "e2e/cook.hpp"
#include "parsed_json.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class Registry : public Cook {
 protected:
  void SetUp() override {
    Cook::SetUp();
    import();
    cook();
  }
  static constexpr const char* kCooked = "build/Cooked/Win64";
};

TEST_F(Registry, query_lists_assets_by_path_uuid_type_and_folder) {
  const std::string all = build(std::string("registry query ") + kCooked).out;
  EXPECT_THAT(all, HasSubstr("Texture2D        Engine/Textures/wood\n"));
  EXPECT_THAT(all, HasSubstr("Demo/Minimal/crate"));
  const std::string wood = build(std::string("registry query ") + kCooked + " engine/textures/WOOD").out;
  EXPECT_THAT(wood, testing::EndsWith("  Texture2D        Engine/Textures/wood\n"));
  const std::string uuid = wood.substr(0, wood.find(' '));
  EXPECT_EQ(build(std::string("registry query ") + kCooked + "/Registry/AssetRegistry.bin " + uuid).out, wood);
  EXPECT_EQ(build(std::string("registry query ") + kCooked + " --type texture2d").out, wood);
  EXPECT_EQ(build(std::string("registry query ") + kCooked + " --below Engine").out, wood);
  EXPECT_EQ(build(std::string("registry query ") + kCooked + " --below Eng").out, "") << "not a folder";
  const Finished missing = run(std::string("registry query ") + kCooked + " Engine/Nothing");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("lists no asset \"Engine/Nothing\""));
}

TEST_F(Registry, the_binary_form_has_vertex_formats_and_texture_bindings) {
  const std::string text = read(std::string(kCooked) + "/Registry/AssetRegistry.bin");
  std::vector<std::uint64_t> aligned((text.size() + 7) / 8);
  std::memcpy(aligned.data(), text.data(), text.size());
  const auto view = registry::View::open(std::as_bytes(std::span(aligned)).first(text.size()));
  ASSERT_TRUE(view);
  const registry::AssetView lid = view->asset(*view->find("Demo/Minimal/crate/Lid"));
  ASSERT_GE(lid.vertex_attributes.size(), 3u);
  for (std::size_t i = 0; i < lid.vertex_attributes.size(); ++i)
    EXPECT_EQ(lid.vertex_attributes[i].stride_bytes, lid.vertex_attributes[0].stride_bytes);
  EXPECT_EQ(member("Demo/Minimal/crate/Lid", "VertexFormat").substr(0, 21), "[\"Position0 RGB32F\",\"");
  EXPECT_EQ(lid.vertex_attributes[0].format, static_cast<std::uint8_t>(aas1::VertexFormat::kRgb32F));
  const registry::AssetView planks = view->asset(*view->find("Demo/Minimal/crate/Planks"));
  ASSERT_EQ(planks.texture_bindings.size(), 1u);
  EXPECT_EQ(planks.texture_bindings[0].texture.to_string(), member("Engine/Textures/wood", "Uuid"));
}

TEST_F(Registry, query_names_dependencies_as_json) {
  const std::string uuid = member("Engine/Textures/wood", "Uuid");
  bool is_needed = false;
  for (const std::string& line : lines_after(build(std::string("registry query --json ") + kCooked).out, "")) {
    const auto event = parsed_json(line);
    EXPECT_EQ(event["event"], "asset");
    for (const Json& needed : event["dependencies"].items()) is_needed |= needed == uuid;
  }
  EXPECT_TRUE(is_needed) << "the material of the crate needs its texture";
}

TEST_F(Registry, diff_lists_what_was_added_removed_renamed_and_changed) {
  fs::copy(root_ / kCooked, root_ / "old", fs::copy_options::recursive);
  EXPECT_EQ(build(std::string("registry diff old ") + kCooked).out, "no differences\n");
  write("Assets/Textures/new.png", png(8, 8, 2));
  build("mv Assets/Textures/wood.png Assets/Textures/oak.png");
  write("Demo/Minimal/Assets/crate.mtl", "newmtl Planks\nKd 1 1 1\nmap_Kd ../../../Assets/Textures/oak.png\n");
  write("Assets/Textures/oak.png", png(32, 32, 3));
  import();
  cook();
  const std::string changes = build(std::string("registry diff old ") + kCooked).out;
  EXPECT_THAT(changes, HasSubstr("added    Engine/Textures/new\n"));
  EXPECT_THAT(changes, HasSubstr("renamed  Engine/Textures/oak: it was Engine/Textures/wood\n"));
  EXPECT_THAT(changes, HasSubstr("changed  Engine/Textures/oak: "));
  const std::string back = build(std::string("registry diff ") + kCooked + " old --json").out;
  EXPECT_THAT(back, HasSubstr(R"("change":"removed")"));
}

TEST_F(Registry, export_is_a_database_that_sqlite_reads) {
  EXPECT_THAT(build(std::string("registry export ") + kCooked + " assets.sqlite").out, HasSubstr("assets.sqlite: "));
  write("read.py",
        "import sqlite3\n"
        "base = sqlite3.connect('assets.sqlite')\n"
        "names = {row[0] for row in base.execute(\"SELECT name FROM sqlite_master WHERE type = 'table'\")}\n"
        "assert {'asset', 'dependency', 'redirector'} <= names, names\n"
        "print(base.execute('SELECT count(*) FROM asset').fetchone()[0], "
        "base.execute('PRAGMA integrity_check').fetchone()[0])\n");
  const std::string all = build(std::string("registry query ") + kCooked).out;
  ASSERT_EQ(std::system(("cd '" + root_.string() + "' && python3 read.py >read.txt").c_str()), 0);
  EXPECT_EQ(read("read.txt"), std::to_string(std::ranges::count(all, '\n')) + " ok\n");
}

TEST_F(Registry, a_damaged_registry_is_an_error_that_names_the_file) {
  std::string bytes = read(std::string(kCooked) + "/Registry/AssetRegistry.bin");
  bytes.resize(bytes.size() / 2);
  write("half.bin", bytes);
  for (const char* command :
       {"registry query half.bin", "registry diff half.bin half.bin", "registry export half.bin x.sqlite"}) {
    const Finished done = run(command);
    EXPECT_EQ(done.exit_code, 1) << command;
    EXPECT_THAT(done.err, HasSubstr("half.bin")) << command;
  }
  EXPECT_FALSE(exists("x.sqlite"));
}

}  // namespace
}  // namespace assetc::e2e
