// The effect of assetc.yml and AssetPipeline.json on a cook; and the demo.
#include <gmock/gmock.h>

#include "e2e/cook.hpp"
#include "e2e/model.hpp"
#include "etc1s_files.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

using CookSettings = Cook;

// The same steps as in scripts/demo.
TEST_F(CookSettings, takes_the_demo_as_it_is) {
  remove("Assets");
  remove("Demo");
  fs::copy(fs::path(places::kSource) / "examples/demo/assets", root_ / "assets", fs::copy_options::recursive);
  fs::copy_file(fs::path(places::kSource) / "examples/demo/assetc.yml", root_ / "assetc.yml");
  const Finished checked = run("import --check");
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  build("cook --platform Linux --frozen");
  build("validate --platform Linux");
}

TEST_F(CookSettings, compiles_an_ignored_picture_that_a_model_asks_for) {
  write("assetc.yml", "ignore: [\"Textures/*\"]\n");
  write("Assets/Textures/other.png", png(16, 16, 2));
  import();
  EXPECT_TRUE(exists("Assets/Textures/wood.png.meta"));
  EXPECT_FALSE(exists("Assets/Textures/other.png.meta"));
  cook("--frozen");
  EXPECT_EQ(member("Engine/Textures/wood", "Width"), "16");
  EXPECT_EQ(member("Engine/Textures/other", "Width"), "(no asset)");
  EXPECT_THAT(import().out, HasSubstr("nothing changed"));
}

TEST_F(CookSettings, meshes_become_clusters_where_mesh_lod_says_so) {
  write("assetc.yml", "default: {mesh: {lod: cluster}}\n");
  import();
  cook();
  EXPECT_EQ(member("Demo/Minimal/crate/Lid", "Type"), "Clusters");
  EXPECT_EQ(member("Demo/Minimal/crate/Lid", "TriangleCount"), "1");
  EXPECT_EQ(member("Demo/Minimal/crate/Lid", "PageCount"), "1");
  EXPECT_NE(member("Demo/Minimal/crate/Lid", "Dependencies"), "[]") << "its material";
  build("validate --platform Win64");
  write("assetc.yml", "");
  cook();
  EXPECT_EQ(member("Demo/Minimal/crate/Lid", "Type"), "Mesh");
}

// A copied tree without the records of the cook is compared with its registry.
TEST_F(CookSettings, registries_have_hashes_where_integrity_is_asked_for) {
  import();
  cook();
  EXPECT_EQ(member("Engine/Textures/wood", "Sha256"), "(no member)");
  write("assetc.yml", "integrity: true\n");
  cook();
  const std::string file = "build/Cooked/Win64/" + member("Engine/Textures/wood", "CookedPath");
  const std::string said = member("Engine/Textures/wood", "Sha256");
  ASSERT_EQ(std::system(("sha256sum '" + (root_ / file).string() + "' >'" + (root_ / "sum").string() + "'").c_str()),
            0);
  EXPECT_EQ(read("sum").substr(0, 64), said);
  fs::create_directories(root_ / "copied");
  fs::copy(root_ / "build/Cooked/Win64", root_ / "copied/Win64", fs::copy_options::recursive);
  fs::remove_all(root_ / "copied/Win64/.assetc-cache");
  write("assetc.yml", "cooked: copied\n");
  build("validate --platform Win64");
  std::string bytes = read("copied/Win64/" + member("Engine/Textures/wood", "CookedPath"));
  bytes.back() ^= 1;
  write("copied/Win64/" + member("Engine/Textures/wood", "CookedPath"), bytes);
  EXPECT_THAT(run("validate --platform Win64").err, HasSubstr("has the SHA-256 "));
}

TEST_F(CookSettings, normal_maps_are_bc5_where_the_default_is_bc7) {
  write("Assets/AssetPipeline.json", R"({"Platforms": ["Win64"], "DefaultTextureFormat": "BC7"})");
  write("Assets/Textures/bumps.n.png", png(16, 16, 3));
  import();
  cook();
  EXPECT_EQ(member("Engine/Textures/wood", "Format"), "BC7");
  EXPECT_EQ(member("Engine/Textures/bumps", "Format"), "BC5");
}

// What most glTF files with KHR_texture_basisu hold: no other block format decodes it, so a cook compiles its texels.
TEST_F(CookSettings, takes_etc1s_of_a_gltf) {
  const ByteVector texture = etc1s::Writer(etc1s::shapes().front().second, 3).file();
  write("Assets/bark.ktx2", std::string(as_text(texture)));
  Model model = grid_model("leaf", "bark.ktx2", 4);
  const std::string plain = R"("textures":[{"source":0}])";
  model.gltf.replace(
      model.gltf.find(plain), plain.size(),
      R"("extensionsUsed":["KHR_texture_basisu"],"textures":[{"extensions":{"KHR_texture_basisu":{"source":0}}}])");
  write("Assets/leaf.gltf", model.gltf);
  write("Assets/leaf.bin", model.bin);
  import();
  cook();
  build("validate --platform Win64");
  EXPECT_EQ(member("Engine/bark", "Type"), "Texture2D");
  EXPECT_EQ(member("Engine/bark", "Width"), "64");
}

// Each option that a cook shares with a build does in a cook what it says, and changes no byte.
TEST_F(Cook, options_of_builds_work_on_cooks) {
  import();
  cook();
  const auto plain = tree("build/Cooked/Win64");
  for (const char* option : {"--verify", "--no-cache", "--no-cache --verify", "-j 1", "--memory 512M", "--strict",
                             "--explain", "-v", "-q", "--warnings", "--report report.json", "--trace trace.json",
                             "--sarif cook.sarif", "--json", "--frozen --verify", "--stamp"}) {
    cook(option);
    EXPECT_EQ(tree("build/Cooked/Win64"), plain) << option;
    EXPECT_THAT(cook().out, HasSubstr(" 0 built")) << "after " << option;
  }
  for (const char* file : {"report.json", "trace.json", "cook.sarif"}) EXPECT_TRUE(exists(file)) << file;
  remove("build");
  cook("--dry-run");
  EXPECT_FALSE(exists("build/Cooked/Win64/Registry"));
  cook("--verify");
  EXPECT_EQ(tree("build/Cooked/Win64"), plain);
}

// The same for a watch, which cooks once and is then ended.
TEST_F(Cook, options_of_builds_work_on_a_watch_that_cooks) {
  import();
  cook();
  const auto plain = tree("build/Cooked/Win64");
  const auto watch = [&](const std::string& options, const std::string& until) {
    const pid_t child = start("watch --platform Win64 " + options, "exec");
    for (int i = 0; i < 300 && (read("stdout.txt") + read("stderr.txt")).find(until) == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill(-child, SIGINT);
    const Finished done = finish(child);
    EXPECT_THAT(done.out + done.err, HasSubstr(until)) << options;
    EXPECT_EQ(done.err.find("error:"), std::string::npos) << options << done.err;
  };
  for (const char* options :
       {"--verify", "--no-cache", "-j 1", "--memory 512M", "--strict", "--explain", "-v", "--warnings",
        "--report report.json", "--trace trace.json", "--sarif cook.sarif", "--websocket 0"}) {
    remove("build");
    watch(options, " built, ");
    auto left = tree("build/Cooked/Win64");
    EXPECT_EQ(left, plain) << options;
    EXPECT_THAT(cook().out, HasSubstr(" 0 built")) << "after " << options;
  }
  for (const char* file : {"report.json", "trace.json", "cook.sarif"}) EXPECT_TRUE(exists(file)) << file;
  remove("build");
  watch("--json", "\"event\":\"summary\",\"ok\":true");
  EXPECT_EQ(tree("build/Cooked/Win64"), plain);
  remove("build");
  remove("Assets/Textures/wood.png.meta");
  const pid_t child = start("watch --platform Win64 --dry-run", "exec");
  for (int i = 0; i < 300 && read("stderr.txt").find("Assets/Textures/wood.png") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(-child, SIGINT);
  EXPECT_THAT(finish(child).err, HasSubstr("Assets/Textures/wood.png"));
  EXPECT_FALSE(exists("Assets/Textures/wood.png.meta"));
  EXPECT_FALSE(exists("build/Cooked/Win64/Registry"));
  for (const char* options : {"-o out", "--pack", "--preset mobile"})
    EXPECT_EQ(run(std::string("watch --platform Win64 ") + options).exit_code, 2) << options;
}

TEST_F(Cook, lists_licenses_and_fails_with_one_that_is_not_allowed) {
  import();
  replace("Assets/Textures/wood.png.meta", "\"License\": \"\"", "\"License\": \"CC0-1.0\"");
  replace("Demo/Minimal/Assets/crate.obj.meta", "\"License\": \"\"", "\"License\": \"Bought from *Ada*\"");
  cook();
  const Finished listed = run("registry licenses build/Cooked/Win64 --credits CREDITS.md");
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("CC0-1.0                  1 asset\n"));
  EXPECT_THAT(listed.out, HasSubstr("\"Bought from *Ada*\""));
  EXPECT_THAT(read("CREDITS.md"), HasSubstr("## Bought from \\*Ada\\*\n- Demo/Minimal/crate\n"));
  EXPECT_THAT(read("CREDITS.md"), HasSubstr("## CC0-1.0\n- Engine/Textures/wood\n"));
  EXPECT_THAT(run("registry licenses build/Cooked/Win64 --json").out,
              HasSubstr(R"("license":"CC0-1.0","is_spdx":true,"assets":1,"virtual_paths":["Engine/Textures/wood"])"));
  const auto before = read("build/Cooked/Win64/Registry/AssetRegistry.bin");
  write("assetc.yml", "platforms: [Win64]\nlicenses: {allow: [MIT, CC0-1.0]}\n");
  const Finished refused = run("cook --platform Win64");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("Demo/Minimal/Assets/crate.obj.meta: /License: found \"Bought from *Ada*\", which "
                                     "licenses: does not allow"));
  EXPECT_EQ(read("build/Cooked/Win64/Registry/AssetRegistry.bin"), before);
  write("assetc.yml", "platforms: [Win64]\nlicenses: {allow: [MIT, CC0-1.0, Bought from *Ada*, \"\"]}\n");
  cook();
  replace("Assets/Textures/wood.png.meta", "CC0-1.0", "GPL-3.0-only");
  EXPECT_EQ(run("cook --platform Win64").exit_code, 1);
  replace("Assets/Textures/wood.png.meta", "GPL-3.0-only", "GPL-3.0-only OR MIT");
  cook();
}

// Nothing to do is not success: the command was started in the wrong place, or a rule left everything out.
TEST_F(Project, nothing_found_is_an_error) {
  fs::create_directories(root_ / "assets");
  const auto refuses = [&](const std::string& command, const std::string& why) {
    const Finished done = run(command);
    EXPECT_NE(done.exit_code, 0) << command;
    EXPECT_THAT(done.err, HasSubstr(why)) << command;
  };
  refuses("", "assets: has no file that assetc compiles; add sources");
  refuses("--dry-run", "has no file that assetc compiles");
  write("assets/notes.xyz", "-");
  refuses("", "has no file that assetc compiles");
  refuses("import", "has no source to import; sources lie in Assets/");
  refuses("cook --platform Linux", "has no file that assetc compiles");
  refuses("validate --platform Linux", "has no assets; add sources, and cook again");
  refuses("bundle create x.pak --cooked build/Cooked/Linux", "has no assets; add sources, and cook again");
  EXPECT_FALSE(exists("x.pak"));
  write("assets/a.png", png(8, 8, 1));
  write("assetc.yml", "ignore: [\"*.png\"]\n");
  refuses("", "has no file that assetc compiles and that ignore: does not list");
  write("assetc.yml", "");
  EXPECT_EQ(run("").exit_code, 0);
  EXPECT_EQ(run("import").exit_code, 0);
  EXPECT_EQ(run("cook --platform Linux").exit_code, 0);
  EXPECT_EQ(run("validate --platform Linux").exit_code, 0);
}

TEST_F(Cook, a_folder_of_the_repository_will_do_and_no_repository_will_not) {
  import();
  cook();
  // An import writes this file once nothing has changed for a while.
  const auto files = [&] {
    auto all = tree(".");
    all.erase("build/Cache/Sources.mark");
    return all.size();
  };
  const std::size_t before = files();
  for (const char* folder : {"Assets", "Assets/Textures", "Demo", "Demo/Minimal", "Demo/Minimal/Assets"}) {
    for (const char* command : {"import", "cook --platform Win64", "validate --platform Win64"}) {
      const Finished done = run(command, {}, folder);
      EXPECT_EQ(done.exit_code, 0) << folder << ": " << command << done.err;
    }
    EXPECT_EQ(files(), before) << folder;
  }
  fs::create_directories(root_ / "elsewhere/x");
  remove("Assets");
  remove("Demo");
  for (const char* command :
       {"import", "cook --platform Win64", "validate --platform Win64", "clean --cooked", "rm a"}) {
    const Finished refused = run(command, {}, "elsewhere/x");
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr("there is no folder of assets here or above")) << command;
  }
}

}  // namespace
}  // namespace assetc::e2e
