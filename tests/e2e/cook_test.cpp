// From sources with a .meta to Cooked/<Platform>: what is cooked, what is cooked again, what is refused.
#include "e2e/cook.hpp"

#include <gmock/gmock.h>

namespace assetc::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Cook, names_files_by_uuid_and_lists_who_needs_whom) {
  import();
  cook();
  const std::string texture = member("Engine/Textures/wood", "Uuid");
  const std::string material = member("Demo/Minimal/crate/Planks", "Uuid");
  EXPECT_EQ(member("Engine/Textures/wood", "Type"), "Texture2D");
  EXPECT_EQ(member("Engine/Textures/wood", "Width"), "16");
  EXPECT_EQ(member("Demo/Minimal/crate/Planks", "Dependencies"), "[\"" + texture + "\"]");
  EXPECT_EQ(member("Demo/Minimal/crate/Lid", "Dependencies"), "[\"" + material + "\"]");
  for (const std::string& uuid : {texture, material}) {
    const std::string blob = read("build/Cooked/Win64/Assets/" + uuid + ".bin");
    EXPECT_EQ(blob.substr(0, 4), "AAS1");
  }
  EXPECT_EQ(read("build/Cooked/Win64/Registry/AssetRegistry.bin").substr(0, 4), "AREG");
  const Finished valid = build("validate --platform Win64");
  EXPECT_THAT(valid.out, HasSubstr("no problem"));
}

TEST_F(Cook, can_be_inspected_as_a_folder) {
  cook();
  const Finished info = build("info build/Cooked/Win64");
  EXPECT_THAT(info.out, testing::HasSubstr("Registry/AssetRegistry.bin"));
  EXPECT_THAT(info.out, testing::Not(testing::HasSubstr("unreadable")));
}

TEST_F(Cook, cooks_nothing_twice_and_only_what_changed) {
  import();
  cook();
  EXPECT_THAT(cook().out, HasSubstr(": 0 built"));
  write("Assets/Textures/wood.png", png(16, 16, 2));
  import();
  EXPECT_THAT(cook().out, HasSubstr(": 1 built"));
}

TEST_F(Cook, gives_the_same_bytes_in_another_checkout) {
  import();
  cook();
  const auto here = tree("build/Cooked/Win64");
  fs::create_directories(root_ / "elsewhere");
  for (const char* folder : {"Assets", "Demo"})
    fs::copy(root_ / folder, root_ / "elsewhere" / folder, fs::copy_options::recursive);
  build("cook --platform Win64 --jobs 1 --root elsewhere");
  EXPECT_EQ(tree("elsewhere/build/Cooked/Win64"), here);
}

TEST_F(Cook, keeps_who_is_who_when_files_move) {
  import();
  cook();
  const std::string texture = member("Engine/Textures/wood", "Uuid");
  fs::create_directories(root_ / "Demo/Minimal/Assets/Pictures");
  build("mv Assets/Textures/wood.png Demo/Minimal/Assets/Pictures/planks.png");
  replace("Demo/Minimal/Assets/crate.mtl", "../../../Assets/Textures/wood.png", "Pictures/planks.png");
  import();
  cook();
  EXPECT_EQ(member("Demo/Minimal/Pictures/planks", "Uuid"), texture);
  EXPECT_EQ(member("Demo/Minimal/crate/Planks", "Dependencies"), "[\"" + texture + "\"]");
  EXPECT_THAT(registry(), HasSubstr("\"OldVirtualPath\":\"Engine/Textures/wood\""));
}

TEST_F(Cook, refuses_a_source_that_nobody_imported_and_cooks_the_others) {
  import();
  cook();
  const std::string before = registry();
  write("Assets/Textures/new.png", png(8, 8, 3));
  write("Assets/Textures/wood.png", png(16, 16, 9));
  const Finished done = run("cook --platform Win64 --frozen");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("Assets/Textures/new.png: has no .meta"));
  EXPECT_THAT(done.out, HasSubstr("1 built"));
  EXPECT_EQ(registry(), before);
}

TEST_F(Cook, imports_first) {
  const Finished first = cook();
  EXPECT_THAT(first.out, HasSubstr("created  Assets/Textures/wood.png"));
  EXPECT_TRUE(exists("Assets/Textures/wood.png.meta"));
  EXPECT_THAT(cook().out, Not(HasSubstr("created")));
  // An edit of a source changes no .meta, so a frozen cook accepts it.
  const std::string meta = read("Demo/Minimal/Assets/crate.obj.meta");
  replace("Demo/Minimal/Assets/crate.obj", "v 1 0 0", "v 2 0 0");
  EXPECT_THAT(build("cook --platform Win64 --frozen").out, HasSubstr("1 built"));
  EXPECT_EQ(read("Demo/Minimal/Assets/crate.obj.meta"), meta);
  write("Assets/Textures/new.png", png(8, 8, 3));
  EXPECT_EQ(run("cook --platform Win64 --dry-run").exit_code, 1);
  EXPECT_FALSE(exists("Assets/Textures/new.png.meta"));
  EXPECT_NE(run("cook --platform Win64 --shard 1/1").exit_code, 0);
  EXPECT_FALSE(exists("Assets/Textures/new.png.meta"));
  EXPECT_THAT(cook("--json").out, HasSubstr("{\"event\":\"import_change\",\"change\":\"created\""));
}

TEST_F(Cook, obeys_platforms_and_import_settings) {
  write("assetc.yml", "platforms:\n  Win64: {texture: {format: bc7}}\n  Phone: {texture: {format: astc4x4}}\n");
  import();
  replace("Assets/Textures/wood.png.meta", "\"ImportSettings\": {}",
          "\"ImportSettings\": {\"SRGB\": false, \"MipGen\": \"None\"}");
  cook();
  EXPECT_EQ(member("Engine/Textures/wood", "Format"), "BC7");
  EXPECT_EQ(member("Engine/Textures/wood", "MipCount"), "1");
  build("cook --platform Phone");
  EXPECT_THAT(registry("Phone"), HasSubstr("\"Format\":\"ASTC4x4\""));
  const Finished unknown = run("cook --platform Win32");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("the platforms are: Win64, Phone"));
}

TEST_F(Cook, writes_a_key_of_all_that_decided_an_assets_bytes) {
  import();
  cook();
  const std::string texture = member("Engine/Textures/wood", "Uuid");
  const auto key = [&](const std::string& uuid, const std::string& platform = "Win64") {
    const std::string text = read("build/Cache/CookKeys.json");
    const std::size_t from = text.find("\"" + platform + "\"");
    const std::size_t at = text.find(uuid, from == text.npos ? text.size() : from);
    return at == text.npos ? std::string() : text.substr(at + uuid.size() + 4, 64);
  };
  const std::string before = key(texture), lid = key(member("Demo/Minimal/crate/Lid", "Uuid"));
  EXPECT_EQ(before.find_first_not_of("0123456789abcdef"), before.npos) << before;
  EXPECT_EQ(before.size(), 64u);
  EXPECT_NE(before, lid);
  build("cook --platform Mobile");
  EXPECT_EQ(key(texture), before) << "keys of other platforms stay";
  EXPECT_NE(key(texture, "Mobile"), "");
  EXPECT_NE(key(texture, "Mobile"), before);
  const std::string all = read("build/Cache/CookKeys.json");
  remove("build");
  import();
  build("cook --platform Mobile");
  cook();
  EXPECT_EQ(read("build/Cache/CookKeys.json"), all) << "the same keys in another checkout, in another order";
  write("Assets/Textures/wood.png", png(16, 16, 2));
  import();
  cook();
  EXPECT_NE(key(texture), before);
  EXPECT_EQ(key(member("Demo/Minimal/crate/Lid", "Uuid")), lid);
}

TEST_F(Cook, keys_follow_a_cook_that_could_not_write_them) {
  import();
  cook();
  const std::string before = read("build/Cache/CookKeys.json");
  write("Assets/Textures/wood.png", png(16, 16, 2));
  import();
  remove("build/Cache/CookKeys.json");
  write("build/Cache/CookKeys.json/in_the_way", "");
  const Finished held = run("cook --platform Win64");
  EXPECT_EQ(held.exit_code, 1);
  EXPECT_THAT(held.err, HasSubstr("CookKeys.json"));
  remove("build/Cache/CookKeys.json");
  write("build/Cache/CookKeys.json", before);
  cook();
  EXPECT_NE(read("build/Cache/CookKeys.json"), before);
}

TEST_F(Cook, stamps_keys_into_metas_where_asked) {
  import();
  cook();
  const std::string meta = "Assets/Textures/wood.png.meta";
  const std::string clean = read(meta);
  EXPECT_THAT(clean, Not(HasSubstr("CookKey")));
  cook("--stamp --dry-run");
  EXPECT_EQ(read(meta), clean);
  cook("--stamp");
  const std::string stamped = read(meta);
  const std::string key = member("Engine/Textures/wood", "Uuid");
  const std::string keys = read("build/Cache/CookKeys.json");
  EXPECT_THAT(stamped, HasSubstr("\"CookKey\": \"sha256:" + keys.substr(keys.find(key) + key.size() + 4, 64) + "\""));
  EXPECT_THAT(stamped, testing::ContainsRegex("\"LastCooked\": \"20[0-9-]{8}T[0-9:]{8}Z\""));
  EXPECT_THAT(read("Demo/Minimal/Assets/crate.obj.meta"), HasSubstr("\"CookKey\": \"sha256:"));
  EXPECT_EQ(build("import --check").exit_code, 0);
  const std::string registry_before = registry();
  cook("--stamp");
  EXPECT_EQ(read(meta), stamped) << "nothing was cooked anew";
  EXPECT_EQ(registry(), registry_before);
  write("Assets/Textures/wood.png", png(16, 16, 2));
  import();
  EXPECT_EQ(read(meta), stamped) << "imports keep stamps";
  cook("--stamp");
  EXPECT_NE(read(meta), stamped);
  write(meta, clean);
  write("Demo/Minimal/Assets/crate.obj.meta", "{");
  const Finished broken = run("cook --platform Win64 --stamp");
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_EQ(read("Demo/Minimal/Assets/crate.obj.meta"), "{");
}

TEST_F(Cook, takes_scripts_and_data_as_they_are) {
  write("Assets/AssetPipeline.json", R"({"Platforms": ["Win64"]})");
  write("Assets/Scripts/door.lua", "return { opens = true }\n");
  write("Assets/Data/levels.json", "[1, 2, 3]");
  write("Assets/Data/blob.bytes", std::string("\x00\xff\x01", 3));
  import();
  cook();
  const auto blob = [&](const std::string& path) {
    return read("build/Cooked/Win64/Assets/" + member(path, "Uuid") + ".bin");
  };
  EXPECT_EQ(member("Engine/Scripts/door", "Type"), "Script");
  EXPECT_TRUE(blob("Engine/Scripts/door").ends_with("return { opens = true }\n"));
  EXPECT_EQ(member("Engine/Data/levels", "Type"), "Raw");
  EXPECT_TRUE(blob("Engine/Data/levels").ends_with("[1, 2, 3]"));
  EXPECT_TRUE(blob("Engine/Data/blob").ends_with(std::string("\x00\xff\x01", 3)));
  EXPECT_EQ(member("Engine/AssetPipeline", "Type"), "(no asset)") << "the configuration";
  build("validate --platform Win64");
  write("Assets/Scripts/door.lua", "return '\xff'\n");
  EXPECT_THAT(run("import").err, HasSubstr("Assets/Scripts/door.lua: the text is not UTF-8"));
  const Finished done = run("cook --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("Assets/Scripts/door.lua"));
  EXPECT_THAT(done.err, HasSubstr("UTF-8"));
}

TEST_F(Cook, of_one_demo_leaves_the_others_as_they_are) {
  write("Demo/Large/Assets/sofa.obj", std::string(kCrate).replace(7, 9, "sof.mtl"));
  write("Demo/Large/Assets/sof.mtl", "newmtl Planks\nKd 1 1 1\nmap_Kd cloth.png\n");
  write("Demo/Large/Assets/cloth.png", png(16, 16, 2));
  import();
  EXPECT_THAT(cook("--demo Minimal").out, HasSubstr("2 sources"));
  EXPECT_EQ(member("Demo/Minimal/crate", "Type"), "Model");
  EXPECT_EQ(member("Demo/Large/sofa", "Type"), "(no asset)");
  build("validate --platform Win64");

  cook();
  const std::string all = registry();
  EXPECT_THAT(all, HasSubstr("Demo/Large/cloth"));
  write("Demo/Large/Assets/sof.mtl", "newmtl Planks\nKd 0 1 1\nmap_Kd cloth.png\n");
  write("Demo/Minimal/Assets/crate.mtl", "newmtl Planks\nKd 0 1 1\nmap_Kd ../../../Assets/Textures/wood.png\n");
  import();
  EXPECT_THAT(cook("--demo minimal").out, HasSubstr(": 1 built"));
  EXPECT_EQ(registry(), all);
  build("validate --platform Win64");
  EXPECT_THAT(cook("--demo Minimal").out, HasSubstr(": 0 built"));
  EXPECT_THAT(cook().out, HasSubstr(": 1 built")) << "the sofa, which --demo left out";
  build("validate --platform Win64");
  EXPECT_THAT(cook().out, HasSubstr(": 0 built"));

  const Finished done = run("cook --platform Win64 --demo Tiny");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("no demo is named \"Tiny\"; the demos are: Large, Minimal"));
}

TEST_F(Cook, shares_a_picture_between_models) {
  write("Demo/Minimal/Assets/box.obj", std::string(kCrate).replace(7, 9, "box.mtl"));
  write("Demo/Minimal/Assets/box.mtl", "newmtl Planks\nKd 1 1 1\nmap_Kd ../../../Assets/Textures/wood.png\n");
  import();
  EXPECT_EQ(cook().err, "");
  const std::string texture = "[\"" + member("Engine/Textures/wood", "Uuid") + "\"]";
  EXPECT_EQ(member("Demo/Minimal/crate/Planks", "Dependencies"), texture);
  EXPECT_EQ(member("Demo/Minimal/box/Planks", "Dependencies"), texture);
  EXPECT_THAT(cook().out, HasSubstr(": 0 built"));
  write("Assets/Textures/wood.png", png(16, 16, 3));
  import();
  const std::string would = cook("--dry-run").out;
  EXPECT_EQ(would.find("wood.png"), would.rfind("wood.png")) << would;
  cook();
  write("Demo/Minimal/Assets/box.mtl", "newmtl Planks\nKd 1 0 1\nmap_Kd ../../../Assets/Textures/wood.png\n");
  import();
  cook();
  build("rm Demo/Minimal/Assets/crate.obj");
  cook();
  EXPECT_EQ(member("Demo/Minimal/box/Planks", "Dependencies"), texture);
  build("validate --platform Win64");

  // A second usage of the same picture is an error, because there is only one file for it.
  write("Demo/Minimal/Assets/other.obj", std::string(kCrate).replace(7, 9, "oth.mtl"));
  write("Demo/Minimal/Assets/oth.mtl", "newmtl Planks\nKd 1 1 1\nnorm ../../../Assets/Textures/wood.png\n");
  import();
  const Finished done = run("cook --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("Assets/Textures/wood.png with mode "));
  EXPECT_THAT(done.err, HasSubstr("make a copy of the picture for one of them"));
}

TEST_F(Cook, a_material_that_names_assets_survives_their_renames) {
  import();
  const std::string uuid = read("Assets/Textures/wood.png.meta").substr(13, 36);
  write("Assets/gold.mat", "base_color_texture: Engine/Textures/wood\nemissive_texture: " + uuid + "\n");
  import();
  EXPECT_EQ(cook().err, "");
  EXPECT_EQ(member("Engine/gold", "Dependencies"), "[\"" + uuid + "\"]");
  const std::string blob = read("build/Cooked/Win64/Assets/" + member("Engine/gold", "Uuid") + ".bin");
  build("mv Assets/Textures/wood.png Assets/Planks/oak.png");
  replace("Demo/Minimal/Assets/crate.mtl", "Textures/wood.png", "Planks/oak.png");
  import();
  EXPECT_EQ(cook().err, "");
  EXPECT_EQ(member("Engine/Planks/oak", "Uuid"), uuid);
  EXPECT_EQ(read("build/Cooked/Win64/Assets/" + member("Engine/gold", "Uuid") + ".bin"), blob);
  write("Assets/gold.mat", "base_color_texture: Engine/Textures/wod\n");
  import();
  const Finished unknown = run("cook --platform Win64");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("error: Assets/gold.mat: line 1: the base color texture \"Engine/Textures/wod\" "
                                     "matches no UUID and no virtual path of an asset of this build or of its base"));
}

TEST_F(Cook, matches_rules_from_the_root_and_from_the_folder_of_assets) {
  for (const char* match : {"Textures/*", "Assets/Textures/*"}) {
    write("assetc.yml",
          "default:\n  rules:\n    - match: \"" + std::string(match) + "\"\n      texture: {mips: false}\n");
    import();
    EXPECT_EQ(cook().err, "") << match;
    EXPECT_EQ(member("Engine/Textures/wood", "MipCount"), "1") << match;
    write("assetc.yml", "default: {}\n");
    cook();
    EXPECT_EQ(member("Engine/Textures/wood", "MipCount"), "5");
  }
}

TEST_F(Cook, takes_both_configurations_and_names_what_both_say) {
  write(
      "Assets/AssetPipeline.json",
      R"({"Platforms": ["Win64"], "DefaultTextureFormat": "BC7", "AudioCodec": "OggVorbis", "CookedOutputRoot": "out/Cooked"})");
  import();
  cook();
  EXPECT_TRUE(exists("out/Cooked/Win64/Registry/AssetRegistry.json"));
  write("assetc.yml", "platforms: [Win64]\ncooked: build/Cooked\n");
  const Finished done = run("cook --platform Win64");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("AssetPipeline.json: /Platforms: sets what assetc.yml sets as platforms"));
  write("assetc.yml", "input: art\n");
  EXPECT_EQ(run("cook --platform Win64").exit_code, 0);
}

TEST_F(Cook, import_settings_that_are_none_are_errors_with_a_place) {
  import();
  replace("Assets/Textures/wood.png.meta", "\"ImportSettings\": {}",
          "\"ImportSettings\": {\"texture\": {\"qualty\": 1}}");
  const Finished done = run("import");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("Assets/Textures/wood.png.meta: /ImportSettings/texture.qualty"));
  EXPECT_THAT(done.err, HasSubstr("did you mean \"texture.quality\"?"));
}

TEST_F(Cook, validate_finds_a_flipped_byte_a_missing_file_and_a_changed_registry) {
  import();
  cook();
  const std::string uuid = member("Engine/Textures/wood", "Uuid");
  const std::string path = "build/Cooked/Win64/Assets/" + uuid + ".bin";
  const std::string good = read(path);
  std::string bad = good;
  bad.back() = static_cast<char>(bad.back() ^ 1);
  write(path, bad);
  Finished done = run("validate --platform Win64 --sarif report.sarif --junit report.xml");
  EXPECT_THAT(read("report.xml"), HasSubstr("<failure type="));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr(path + ": does not have the bytes that the cook wrote"));
  EXPECT_THAT(read("report.sarif"), HasSubstr("\"uri\":\"" + path + "\""));
  remove(path);
  done = run("validate --registry build/Cooked/Win64/Registry/AssetRegistry.json");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr(uuid));
  write(path, good);
  build("validate --platform Win64");
  replace("build/Cooked/Win64/Registry/AssetRegistry.json", "\"Width\":16", "\"Width\":17");
  EXPECT_THAT(run("validate --platform Win64").err, HasSubstr("has Width 16, but the registry says 17"));
  // A cook mends it.
  cook();
  build("validate --platform Win64");
}

TEST_F(Cook, validate_checks_shaders_as_check_does) {
  write("Assets/Textures/good.comp",
        "#version 450\nlayout(local_size_x=1) in;\nlayout(binding=0) uniform A { vec4 a; };\n"
        "layout(binding=1) buffer B { vec4 b; };\nvoid main() { b = a; }\n");
  import();
  cook();
  build("validate --platform Win64");
  const std::string path = "build/Cooked/Win64/Assets/" + member("Engine/Textures/good", "Uuid") + ".bin";
  std::string blob = read(path);
  // OpDecorate %n Binding 1 becomes Binding 0.
  const std::string binding("\x21\0\0\0\1\0\0\0", 8);
  const std::size_t at = blob.find(binding);
  ASSERT_NE(at, blob.npos);
  blob[at + 4] = 0;
  write(path, blob);
  remove("build/Cooked/Win64/.assetc-cache");  // else it says that the bytes changed, and no more
  const Finished done = run("validate --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr(path + ": set 0, binding 0: "));
}

TEST_F(Cook, validate_holds_budgets_of_the_platform) {
  import();
  cook();
  const std::string size = std::to_string(
      fs::file_size(root_ / "build/Cooked/Win64/Assets" / (member("Engine/Textures/wood", "Uuid") + ".bin")));
  write("assetc.yml", "budgets:\n  - {match: \"Engine/*\", kind: texture, memory: " + size + "}\n");
  build("validate --platform Win64");
  write("assetc.yml", "budgets:\n  - {match: \"Engine/*\", texture_size: 15, platform: Win64}\n");
  const Finished done = run("validate --platform Win64 --sarif report.sarif");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err,
              HasSubstr("assetc.yml: line 2: textures of Engine/* have sides longer than the allowed 15 texels: "
                        "Engine/Textures/wood (16 texels)"));
  EXPECT_THAT(read("report.sarif"), HasSubstr("\"startLine\":2"));
}

TEST_F(Cook, validate_reads_every_byte_of_the_bundles) {
  import();
  cook();
  const std::string path = "build/Cooked/Win64/Bundles/base.pak";
  fs::create_directories(root_ / "build/Cooked/Win64/Bundles");
  build("bundle create " + path + " --cooked build/Cooked/Win64");
  EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("1 bundle, no problem"));
  EXPECT_THAT(build("check " + path).out, HasSubstr("no problem"));
  EXPECT_THAT(build("info " + path).out, HasSubstr("\"base\", for Win64, version 1, "));
  const std::string good = read(path);
  std::string bad = good;
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
  write(path, bad);
  EXPECT_EQ(run("check " + path).exit_code, 1);
  Finished done = run("validate --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr(path + ": "));
  EXPECT_THAT(done.err, HasSubstr("create the bundle again"));
  build("bundle create " + path + " --cooked build/Cooked/Win64 --platform Linux");
  done = run("validate --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("is for Linux, but lies in the folder of Win64"));
}

TEST_F(Cook, validate_says_where_it_has_nothing_to_compare_with) {
  import();
  cook();
  EXPECT_THAT(run("validate --platform Win64").err, Not(HasSubstr("note")));
  fs::create_directories(root_ / "other");
  fs::copy(root_ / "build/Cooked/Win64/Assets", root_ / "other/Assets", fs::copy_options::recursive);
  fs::copy(root_ / "build/Cooked/Win64/Registry", root_ / "other/Registry", fs::copy_options::recursive);
  const Finished done = run("validate --registry other/Registry/AssetRegistry.json");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("found no record of a build or pack to compare with"));
  EXPECT_THAT(run("validate --registry other/Registry/AssetRegistry.json --json").out, HasSubstr("\"compared\":0"));
}

TEST_F(Cook, validate_takes_a_registry_that_another_tool_wrote) {
  import();
  cook();
  const std::string uuid = member("Engine/Textures/wood", "Uuid");
  write("other/Assets/short.bin", read("build/Cooked/Win64/Assets/" + uuid + ".bin"));
  const auto registry = [&](const std::string& desc, const std::string& path) {
    write("other/Registry/AssetRegistry.json",
          R"({"SchemaVersion": 1, "Assets": [{"Uuid": ")" + uuid +
              R"(", "Type": "Texture2D", "VirtualPath": "Engine/Textures/wood", "CookedPath": ")" + path +
              R"(", "Dependencies": [], "Desc": )" + desc + R"(}], "Redirectors": []})");
    return run("validate --registry other/Registry/AssetRegistry.json");
  };
  EXPECT_EQ(registry(R"({"Width": 16, "Height": 16})", "Assets/short.bin").exit_code, 0);
  EXPECT_EQ(registry(R"({"Width": 17})", "Assets/short.bin").exit_code, 1);
  EXPECT_EQ(registry("{}", "../secret.bin").exit_code, 1);
  EXPECT_EQ(registry("[]", "Assets/short.bin").exit_code, 1);
  // A cook of assetc always writes the binary form too.
  remove("build/Cooked/Win64/Registry/AssetRegistry.bin");
  EXPECT_EQ(run("validate --platform Win64").exit_code, 1);
}

TEST_F(Cook, has_one_build_root_wherever_the_configuration_puts_it) {
  write("Assets/AssetPipeline.json", R"({"Platforms": ["Win64"], "CookedOutputRoot": "out/made/Cooked"})");
  import();
  cook();
  EXPECT_TRUE(exists("out/made/Cache/Sources.bin"));
  EXPECT_TRUE(exists("out/made/Cooked/Win64/Registry/AssetRegistry.json"));
  EXPECT_FALSE(exists("build"));
  build("clean --cache");
  EXPECT_FALSE(exists("out/made/Cache"));
}

TEST_F(Cook, takes_dependencies_that_a_person_wrote) {
  write("Assets/Textures/moss.png", png(16, 16, 5));
  import();
  replace("Assets/Textures/wood.png.meta", "\"Dependencies\": []", "\"Dependencies\": [\"engine/textures/MOSS\"]");
  cook();
  EXPECT_EQ(member("Engine/Textures/wood", "Dependencies"), "[\"" + member("Engine/Textures/moss", "Uuid") + "\"]");
  replace("Assets/Textures/wood.png.meta", "MOSS", "MUSS");
  Finished done = run("cook --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("Assets/Textures/wood.png.meta: /Dependencies/0: names \"engine/textures/MUSS\""));
  replace("Assets/Textures/wood.png.meta", "MUSS", "moss");
  replace("Assets/Textures/moss.png.meta", "\"Dependencies\": []", "\"Dependencies\": [\"Engine/Textures/wood\"]");
  done = run("cook --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("assets that depend on each other: "));
  EXPECT_THAT(done.err, HasSubstr("Engine/Textures/moss -> Engine/Textures/wood"));
}

TEST_F(Cook, a_copy_redirects_nobody_away_from_the_original) {
  import();
  fs::copy_file(root_ / "Assets/Textures/wood.png", root_ / "Assets/Textures/copy.png");
  fs::copy_file(root_ / "Assets/Textures/wood.png.meta", root_ / "Assets/Textures/copy.png.meta");
  import();
  cook();
  build("validate --platform Win64");
  EXPECT_NE(member("Engine/Textures/wood", "Uuid"), member("Engine/Textures/copy", "Uuid"));
  EXPECT_THAT(registry(), Not(HasSubstr("OldUuid")));
}

TEST_F(Cook, clean_takes_away_what_it_made_and_nothing_else) {
  import();
  cook();
  const auto cooked = tree("build/Cooked/Win64");
  write("build/Cooked/Win64/Bundles/base.pak", "a bundle");
  write("build/Cooked/Win64/Assets/notes.txt", "a person's");
  build("clean --cache");
  EXPECT_THAT(cook().out, Not(HasSubstr(": 0 built")));
  build("clean --cooked");
  EXPECT_EQ(tree("build/Cooked/Win64"),
            (std::map<std::string, std::string>{{"Assets/notes.txt", "a person's"}, {"Bundles/base.pak", "a bundle"}}));
  EXPECT_TRUE(exists("Assets/Textures/wood.png.meta"));
  EXPECT_EQ(run("clean").exit_code, 2);
  remove("build/Cooked/Win64/Assets/notes.txt");
  remove("build/Cooked/Win64/Bundles");
  cook();
  EXPECT_EQ(tree("build/Cooked/Win64"), cooked);
}

TEST_F(Cook, removes_what_has_no_source_and_leaves_bundles_alone) {
  import();
  cook();
  write("build/Cooked/Win64/Bundles/base.pak", "a bundle");
  EXPECT_THAT(cook().out, HasSubstr(": 0 built"));
  const std::string mesh = "build/Cooked/Win64/Assets/" + member("Demo/Minimal/crate/Lid", "Uuid") + ".bin";
  EXPECT_TRUE(exists(mesh));
  build("rm Demo/Minimal/Assets/crate.obj");
  cook();
  EXPECT_FALSE(exists(mesh));
  EXPECT_TRUE(exists("build/Cooked/Win64/Bundles/base.pak"));
  EXPECT_THAT(registry(), Not(HasSubstr("crate")));
}

}  // namespace
}  // namespace assetc::e2e
