// .meta files on a disk: which ones an import reads, writes and leaves unchanged.
#include "engine/meta/import.hpp"

#include <gmock/gmock.h>

#include "crypto/sha.hpp"
#include "engine/config/platforms.hpp"
#include "engine/import_fixture.hpp"
#include "engine/meta/clean.hpp"
#include "engine/meta/importers.hpp"
#include "engine/meta/move.hpp"

namespace assetc::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Import, gives_every_source_below_the_folders_of_assets_a_uuid_for_good) {
  disk.put("repo/Demo/Minimal/Assets/table.obj", kTwo);
  disk.put("repo/Tools/Assets/tool.obj", kTriangle);
  disk.put("repo/build/Assets/made.obj", kTriangle);
  EXPECT_EQ(import().changes.size(), 3u);
  EXPECT_EQ(meta("Assets/chair.obj").virtual_path, "Engine/chair");
  EXPECT_EQ(meta("Demo/Minimal/Assets/table.obj").virtual_path, "Demo/Minimal/table");
  EXPECT_EQ(meta("Tools/Assets/tool.obj").virtual_path, "Tools/tool");
  EXPECT_FALSE(disk.has("repo/Source/other.obj.meta"));
  EXPECT_FALSE(disk.has("repo/build/Assets/made.obj.meta"));
  const identity::Meta before = meta("Assets/chair.obj");
  disk.put("repo/Assets/chair.obj", kTwo);
  import();
  EXPECT_EQ(meta("Assets/chair.obj").uuid, before.uuid);
}

TEST_F(Import, writes_nothing_where_nothing_changed) {
  import();
  const auto before = disk.tree("repo");
  const std::int64_t stamp = disk.mtime_ns("repo/Assets/chair.obj.meta");
  EXPECT_THAT(import().changes, IsEmpty());
  EXPECT_EQ(disk.tree("repo"), before);
  EXPECT_EQ(disk.mtime_ns("repo/Assets/chair.obj.meta"), stamp);
}

TEST_F(Import, checks_without_writing) {
  options.check = true;
  const auto before = disk.tree("repo");
  EXPECT_EQ(import().changes.size(), 1u);
  EXPECT_EQ(disk.tree("repo"), before);
}

TEST_F(Import, knows_a_file_that_moved_without_its_meta) {
  import();
  const Uuid uuid = meta("Assets/chair.obj").uuid;
  disk.move("repo/Assets/chair.obj", "repo/Assets/Furniture/seat.obj");
  const ImportReport report = import();
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].kind, identity::IdentityChange::Kind::kFound);
  EXPECT_EQ(meta("Assets/Furniture/seat.obj").uuid, uuid);
  EXPECT_FALSE(disk.has("repo/Assets/chair.obj.meta"));
}

TEST_F(Import, knows_a_file_that_came_back_elsewhere_after_imports_without_it) {
  import();
  const Uuid uuid = meta("Assets/chair.obj").uuid;
  disk.erase("repo/Assets/chair.obj");
  EXPECT_EQ(import().changes.at(0).kind, identity::IdentityChange::Kind::kOrphaned);
  import();
  disk.put("repo/Assets/seat.obj", kTriangle);
  import();
  EXPECT_EQ(meta("Assets/seat.obj").uuid, uuid);
}

TEST_F(Import, tells_what_changed_in_a_container) {
  import();
  disk.put("repo/Assets/chair.obj", kTwo);
  const ImportReport report = import();
  ASSERT_EQ(report.changes.size(), 1u);
  ASSERT_EQ(report.changes[0].sub_assets.size(), 1u);
  EXPECT_EQ(report.changes[0].sub_assets[0].to, "Back");
}

TEST_F(Import, leaves_a_meta_that_does_not_parse_as_it_is) {
  import();
  disk.put("repo/Assets/chair.obj.meta", "{\n<<<<<<< ours\n}\n");
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/chair.obj.meta")));
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), "{\n<<<<<<< ours\n}\n");
}

TEST_F(Import, keeps_the_meta_of_a_source_that_is_broken_for_now) {
  import();
  disk.put("repo/Assets/table.obj", kTriangle);
  const std::string before = disk.text("repo/Assets/chair.obj.meta");
  disk.put("repo/Assets/chair.obj", "v 0 0 nonsense\nf 1 2 3\n");
  options.prune = true;
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/chair.obj")));
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), before);
  EXPECT_TRUE(disk.has("repo/Assets/table.obj.meta"));
}

TEST_F(Import, refuses_a_picture_whose_header_is_broken) {
  disk.put("repo/Assets/ground.array/0.png", "no picture");
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/ground.array/0.png")));
  disk.remove_all("repo/Assets/ground.array");
  disk.put("repo/Assets/wood.png", "no picture");
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/wood.png")));
  EXPECT_FALSE(disk.has("repo/Assets/wood.png.meta"));
}

TEST_F(Import, refuses_what_is_broken_behind_its_header) {
  const std::string empty_sound(
      "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0\x88\x58\x01\0\x02\0\x10\0data\0\0\0\0", 44);
  disk.put("repo/Assets/step.wav", empty_sound);
  disk.put("repo/Assets/door.lua", "print('\xff')\n");
  disk.put("repo/Assets/warm.lut.cube", "LUT_3D_SIZE 2\n0 0 0\n");
  std::string picture("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\x18\0", 30);
  picture.resize(54);
  picture.resize(60, 'x');  // of 70
  disk.put("repo/Assets/wood.bmp", picture);
  EXPECT_THAT(errors(import()),
              ElementsAre(HasSubstr("Assets/door.lua: the text is not UTF-8"), HasSubstr("Assets/step.wav"),
                          HasSubstr("Assets/warm.lut.cube"), HasSubstr("Assets/wood.bmp")));
  picture.resize(70, 'x');
  disk.put("repo/Assets/wood.bmp", picture);
  EXPECT_EQ(errors(import()).size(), 3u);
}

TEST_F(Import, refuses_a_name_that_is_not_utf_8_and_goes_on) {
  disk.put("repo/Assets/l\xe4mp.obj", kTriangle);
  disk.put("repo/Assets/table.gltf", R"({"asset":{"version":"2.0"},"images":[{"uri":"%FF.png"}]})");
  EXPECT_THAT(errors(import()),
              ElementsAre("Assets/l\xe4mp.obj: has a name that is not UTF-8; rename it",
                          "Assets/table.gltf: names \"Assets/\xff.png\", which is not UTF-8; rename it"));
  EXPECT_FALSE(disk.has("repo/Assets/l\xe4mp.obj.meta"));
  EXPECT_TRUE(disk.has("repo/Assets/chair.obj.meta"));
}

TEST_F(Import, tells_names_that_only_some_systems_tell_apart) {
  disk.put("repo/Assets/caf\xc3\xa9.obj", kTriangle);
  disk.put("repo/Assets/cafe\xcc\x81.obj", kTriangle);
  disk.put("repo/Assets/Chair.obj", kTriangle);
  EXPECT_THAT(errors(import()),
              ElementsAre("Assets/caf\xc3\xa9.obj: differs from Assets/cafe\xcc\x81.obj in letter case or Unicode "
                          "normalization alone; on many systems the two are one file; rename one of them",
                          "Assets/chair.obj: differs from Assets/Chair.obj in letter case or Unicode normalization "
                          "alone; on many systems the two are one file; rename one of them"));
}

TEST_F(Import, prunes_the_meta_of_what_is_gone_when_asked_to) {
  import();
  disk.erase("repo/Assets/chair.obj");
  import();
  EXPECT_TRUE(disk.has("repo/Assets/chair.obj.meta"));
  options.prune = true;
  EXPECT_THAT(import().pruned, ElementsAre("Assets/chair.obj.meta"));
  EXPECT_FALSE(disk.has("repo/Assets/chair.obj.meta"));
}

TEST_F(Import, leaves_a_meta_that_is_somebody_elses) {
  disk.put("repo/Assets/notes.txt", "text");
  disk.put("repo/Assets/notes.txt.meta", "fileFormatVersion: 2\n");
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_EQ(disk.text("repo/Assets/notes.txt.meta"), "fileFormatVersion: 2\n");
}

TEST_F(Import, reads_a_source_again_when_what_it_reads_changed) {
  disk.put("repo/Assets/lamp.obj", std::string("mtllib lamp.mtl\nusemtl Red\n") + kTriangle);
  disk.put("repo/Assets/lamp.mtl", "newmtl Red\nKd 1 0 0\n");
  import();
  EXPECT_THAT(meta("Assets/lamp.obj").source_dependencies, Contains("Assets/lamp.mtl"));
  disk.put("repo/Assets/lamp.mtl", "newmtl Red\nKd 0 1 0\nmap_Kd red.png\n");
  EXPECT_EQ(import().changes.size(), 1u);
  EXPECT_THAT(meta("Assets/lamp.obj").source_dependencies, Contains("Assets/red.png"));
}

TEST_F(Import, writes_no_meta_where_an_artist_worked_and_nobody_became_somebody_else) {
  import();
  const std::string before = disk.text("repo/Assets/chair.obj.meta");
  disk.put("repo/Assets/chair.obj", "o Seat\nv 0 0 0\nv 9 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_THAT(import().changes, IsEmpty());
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), before);
  // The edit was noticed: the import recognizes the mesh by its content under another name.
  disk.put("repo/Assets/chair.obj",
           "o Leg\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf 1 2 3\no Bank\nv 0 0 0\nv 9 0 0\nv 0 1 0\nf 4 5 6\n");
  const ImportReport report = import();
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].sub_assets.at(1).from, "Seat");
  EXPECT_EQ(report.changes[0].sub_assets.at(1).to, "Bank");
  EXPECT_TRUE(report.changes[0].sub_assets.at(1).by_content);
}

TEST_F(Import, leaves_a_meta_alone_that_says_what_its_source_is_not) {
  import();
  const std::string good = disk.text("repo/Assets/chair.obj.meta");
  const auto said = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    disk.put("repo/Assets/chair.obj.meta", text);
    const ImportReport report = import();
    EXPECT_THAT(report.changes, IsEmpty());
    EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), text);
    return report.errors.size() == 1 ? report.errors[0].to_string() : "no error";
  };
  EXPECT_EQ(said("\"Container\"", "\"Texture2D\""),
            "Assets/chair.obj.meta: line 3, /Type: found \"Texture2D\", expected \"Container\", the type of "
            "Assets/chair.obj; "
            "correct it, or restore the .meta from version control");
  EXPECT_THAT(said("\"ImporterVersion\": 1", "\"ImporterVersion\": 99"),
              HasSubstr("/ImporterVersion: found 99, expected at most "));
  disk.put("repo/Assets/chair.obj.meta", good);
  EXPECT_THAT(errors(import()), IsEmpty());
}

TEST_F(Import, leaves_out_what_the_configuration_ignores) {
  import();
  disk.put("repo/assetc.yml", "ignore: [\"wip/*\", \"Assets/chair.obj\"]\n");
  disk.put("repo/Assets/wip/table.obj", "broken");
  const ImportReport report = import();
  EXPECT_EQ(report.sources, 0u);
  EXPECT_THAT(errors(report), IsEmpty());
  EXPECT_THAT(report.changes, IsEmpty());  // its .meta waits for the source
}

TEST_F(Import, tells_of_a_folder_that_cannot_be_read) {
  disk.put("repo/Assets/Shut/table.obj", kTriangle);
  import();
  const std::string before = disk.text("repo/Assets/Shut/table.obj.meta");
  disk.unreadable.insert("repo/Assets/Shut");
  options.prune = true;
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/Shut: cannot be read: Permission denied")));
  EXPECT_EQ(disk.text("repo/Assets/Shut/table.obj.meta"), before);
}

TEST_F(Import, remembers_below_the_build_root_of_the_configuration) {
  disk.put("repo/Assets/AssetPipeline.json", R"({"CookedOutputRoot": "made/here/Cooked"})");
  import();
  EXPECT_TRUE(disk.has("repo/made/here/Cache/Sources.bin"));
  const auto pipeline = load_pipeline(disk, options.root);
  ASSERT_TRUE(pipeline);
  EXPECT_EQ(build_root_of(*pipeline), "repo/made/here");
  const auto gone = clean(*pipeline, {.cache = true}, disk);
  ASSERT_TRUE(gone) << gone.error().to_string();
  EXPECT_THAT(*gone, ElementsAre("repo/made/here/Cache/Sources.mark", "repo/made/here/Cache/Sources.bin"));
}

TEST_F(Import, reads_no_source_and_no_meta_where_nothing_changed) {
  for (int i = 0; i < 50; ++i) disk.put("repo/Assets/" + std::to_string(i) + ".obj", kTriangle);
  import();
  disk.sleep(1'000'000'000);
  const std::int64_t reads = disk.reads(), writes = disk.writes();
  const ImportReport report = import();
  EXPECT_EQ(report.sources, 51u);
  EXPECT_EQ(report.sub_assets, 51u);
  EXPECT_LE(disk.reads() - reads, 4);  // three possible configuration files, and the mark
  EXPECT_EQ(disk.writes(), writes);
  options.list_assets = true;
  EXPECT_EQ(import().assets.size(), 51u);
}

TEST_F(Import, reads_what_changed_alone) {
  for (int i = 0; i < 50; ++i) disk.put("repo/Assets/" + std::to_string(i) + ".obj", kTriangle);
  import();
  disk.put("repo/Assets/7.obj", kTwo);
  const std::int64_t reads = disk.reads();
  EXPECT_EQ(import().changes.size(), 1u);
  EXPECT_LE(disk.reads() - reads, 7);  // the record, the source, and the .meta that is written again
}

TEST_F(Import, sees_every_change_behind_what_it_remembers) {
  disk.put("repo/Shared/lamp.mtl", "newmtl Red\nKd 1 0 0\n");
  disk.put("repo/Assets/lamp.obj", std::string("mtllib ../Shared/lamp.mtl\nusemtl Red\n") + kTriangle);
  import();
  disk.sleep(1'000'000'000);
  EXPECT_THAT(import().changes, IsEmpty());
  disk.put("repo/Shared/lamp.mtl", "newmtl Red\nKd 0 1 0\nmap_Kd x.png\n");  // outside of the walked folders
  EXPECT_EQ(import().changes.size(), 1u);
  const std::string good = disk.text("repo/Assets/chair.obj.meta");
  disk.put("repo/Assets/chair.obj.meta", "{");
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/chair.obj.meta")));
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/chair.obj.meta")));
  disk.put("repo/Assets/chair.obj.meta", good);
  EXPECT_THAT(import().changes, IsEmpty());
  disk.erase("repo/Assets/chair.obj.meta");
  EXPECT_EQ(import().changes.size(), 1u);
}

TEST_F(Import, trusts_no_signature_that_a_later_change_may_have_too) {
  import();
  disk.stand_still = true;
  disk.overwrite("repo/Assets/chair.obj", "o Seat\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  import();
  disk.overwrite("repo/Assets/chair.obj", "o Back\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(import().changes.size(), 1u);
}

TEST_F(Import, overwrites_no_meta_that_changes_while_it_runs) {
  import();
  disk.put("repo/Assets/chair.obj", kTwo);
  std::string edited = disk.text("repo/Assets/chair.obj.meta");
  edited.replace(edited.find("\"License\": \"\""), 13, "\"License\": \"CC0\"");
  disk.after_read = [&](const std::string& path) {
    if (path != "repo/Assets/chair.obj") return;
    disk.after_read = nullptr;
    disk.put("repo/Assets/chair.obj.meta", edited);
  };
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/chair.obj.meta: was changed by something else")));
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), edited);
  import();
  EXPECT_EQ(meta("Assets/chair.obj").license, "CC0");
  EXPECT_EQ(meta("Assets/chair.obj").sub_assets.size(), 2u);
}

TEST_F(Import, refuses_a_platform_that_no_cook_knows) {
  options.platform = "Win65";
  EXPECT_THAT(import_assets(options, disk).error().to_string(), HasSubstr("no platform is named \"Win65\""));
  EXPECT_FALSE(disk.has("repo/Assets/chair.obj.meta"));
  options.platform = "Win64";
  EXPECT_EQ(import().changes.size(), 1u);
}

TEST_F(Import, forgets_alone_what_imports_remember) {
  import();
  disk.put("repo/build/Cooked/Win64/Registry/AssetRegistry.bin", "a registry");
  disk.put("repo/build/Imported/notes.txt", "a person's");
  const auto pipeline = load_pipeline(disk, options.root);
  ASSERT_TRUE(pipeline);
  const auto gone = clean(*pipeline, {.imported = true}, disk);
  ASSERT_TRUE(gone) << gone.error().to_string();
  EXPECT_THAT(*gone, ElementsAre("repo/build/Cache/Sources.mark", "repo/build/Cache/Sources.bin"));
  EXPECT_TRUE(disk.has("repo/build/Cooked/Win64/Registry/AssetRegistry.bin"));
  EXPECT_TRUE(disk.has("repo/build/Imported/notes.txt"));
  EXPECT_THAT(import().changes, IsEmpty());
}

TEST_F(Import, writes_nothing_under_a_configuration_that_does_not_parse) {
  disk.put("repo/assetc.yml", "platforms: [\n");
  const auto before = disk.tree("repo");
  EXPECT_EQ(import_assets(options, disk).error().code, ErrorCode::kUsage);
  EXPECT_EQ(disk.tree("repo"), before);
}

TEST(Importers, have_a_row_for_every_recipe) {
  for (const recipes::Recipe* recipe : recipes::cooked_recipes())
    EXPECT_NE(std::ranges::find(importers(), recipe->name, &Importer::recipe), importers().end()) << recipe->name;
}

class Move : public Import {
 protected:
  Move() {
    disk.put("repo/Assets/Lamps/lamp.obj", std::string("mtllib lamp.mtl\nusemtl Red\n") + kTriangle);
    disk.put("repo/Assets/Lamps/lamp.mtl", "newmtl Red\nKd 1 0 0\nmap_Kd ../wood.png\n");
    import();
  }
};

TEST_F(Move, takes_the_meta_along_and_redirects) {
  const identity::Meta before = meta("Assets/chair.obj");
  const auto report = move_assets(options, "Assets/chair.obj", "Demo/Minimal/Assets/seat.obj", disk);
  ASSERT_TRUE(report) << report.error().to_string();
  const identity::Meta after = meta("Demo/Minimal/Assets/seat.obj");
  EXPECT_EQ(after.uuid, before.uuid);
  EXPECT_EQ(after.virtual_path, "Demo/Minimal/seat");
  ASSERT_EQ(after.redirects.size(), 1u);
  EXPECT_EQ(after.redirects[0].virtual_path, "Engine/chair");
  EXPECT_FALSE(disk.has("repo/Assets/chair.obj.meta"));
}

TEST_F(Move, moves_a_folder_and_leaves_no_empty_one) {
  const Uuid uuid = meta("Assets/Lamps/lamp.obj").uuid;
  const auto report = move_assets(options, "Assets/Lamps/", "./Assets/Lights", disk);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(meta("Assets/Lights/lamp.obj").uuid, uuid);
  EXPECT_THAT(disk.paths_below("repo/Assets/Lamps"), IsEmpty());
  EXPECT_TRUE(disk.has("repo/Assets/Lights/lamp.mtl"));
}

TEST_F(Move, into_a_folder_that_is_there) {
  ASSERT_TRUE(move_assets(options, "Assets/chair.obj", "Assets/Lamps", disk));
  EXPECT_TRUE(disk.has("repo/Assets/Lamps/chair.obj"));
}

TEST_F(Move, names_who_refers_to_it) {
  const auto report = move_assets(options, "Assets/Lamps/lamp.mtl", "Assets/red.mtl", disk);
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_EQ(report->referrers.size(), 1u);
  EXPECT_EQ(report->referrers[0].source, "Assets/Lamps/lamp.obj");
}

TEST_F(Move, refuses_a_name_that_is_not_utf_8_and_moves_from_one) {
  const auto before = disk.tree("repo");
  const auto refused = move_assets(options, "Assets/chair.obj", "Assets/\xff.obj", disk);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(), "Assets/\xff.obj: is not UTF-8; name it in UTF-8");
  EXPECT_EQ(disk.tree("repo"), before);
  disk.put("repo/Assets/\xff.obj", kTwo);
  const auto moved = move_assets(options, "Assets/\xff.obj", "Assets/bench.obj", disk);
  ASSERT_TRUE(moved) << moved.error().to_string();
  EXPECT_TRUE(disk.has("repo/Assets/bench.obj.meta"));
}

TEST_F(Move, removes_what_has_a_name_that_is_not_utf_8) {
  disk.put("repo/Assets/\xff.obj", kTwo);
  const auto removed = remove_assets(options, "Assets/\xff.obj", false, disk);
  ASSERT_TRUE(removed) << removed.error().to_string();
  EXPECT_FALSE(disk.has("repo/Assets/\xff.obj"));
}

TEST_F(Move, overwrites_nothing_and_stays_among_the_assets) {
  const auto before = disk.tree("repo");
  EXPECT_EQ(move_assets(options, "Assets/chair.obj", "Assets/Lamps/lamp.obj", disk).error().code, ErrorCode::kConflict);
  EXPECT_EQ(move_assets(options, "Assets/chair.obj", "Source/chair.obj", disk).error().code, ErrorCode::kUsage);
  for (const char* out : {"Assets/../Source/chair.obj", "Assets/../../chair.obj", "../chair.obj", "/tmp/chair.obj"})
    EXPECT_EQ(move_assets(options, "Assets/chair.obj", out, disk).error().code, ErrorCode::kUsage) << out;
  EXPECT_EQ(move_assets(options, "Assets/../Source/other.obj", "Assets/a.obj", disk).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(remove_assets(options, "Assets/../../other.obj", true, disk).error().code, ErrorCode::kUsage);
  EXPECT_EQ(move_assets(options, "Assets/nothing.obj", "Assets/a.obj", disk).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(disk.tree("repo"), before);
}

TEST_F(Move, of_shaders_knows_marked_functions_and_stages_outside_of_folders) {
  disk.put("repo/Assets/lit.shader/lit.hlsl",
           "#include \"b.hlsli\"\n[shader(\"vertex\")] float4 VSMain() : SV_Position { return 0; }\n");
  disk.put("repo/Assets/lit.shader/b.hlsli", "");
  disk.put("repo/Assets/one.slang", "[shader(\"compute\")] [numthreads(1, 1, 1)] void blur() {}\n");
  disk.put("repo/Assets/two.slang", "float two() { return 2; }\n");
  disk.put("repo/Assets/blur.comp", "#include \"b.glsl\"\nvoid main() {}\n");
  disk.put("repo/Assets/b.glsl", "");
  import();
  const std::vector<identity::SubAsset> stages = meta("Assets/lit.shader").sub_assets;
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].name, "VSMain");
  // By the names of files, as versions without marked functions wrote them.
  disk.put("repo/Assets/plain.shader/vertex.glsl", "void main() {}\n");
  disk.put("repo/Assets/plain.shader/fragment.glsl", "void main() {}\n");
  import();
  EXPECT_EQ(meta("Assets/plain.shader").sub_assets.at(0).name, "fragment");
  EXPECT_EQ(meta("Assets/plain.shader").sub_assets.at(1).name, "vertex");
  ASSERT_EQ(meta("Assets/one.slang").sub_assets.size(), 1u);
  EXPECT_EQ(meta("Assets/one.slang").sub_assets[0].name, "blur");
  EXPECT_TRUE(meta("Assets/two.slang").sub_assets.empty());
  EXPECT_TRUE(meta("Assets/blur.comp").sub_assets.empty());
  EXPECT_THAT(meta("Assets/blur.comp").source_dependencies, ElementsAre("Assets/b.glsl"));
}

TEST_F(Move, knows_who_refers_through_materials_and_shader_includes) {
  disk.put("repo/Assets/Materials/gold.mat", "base_color_texture: ../wood.png\n");
  disk.put("repo/Assets/sky.shader/vertex.glsl", "#include \"common.glsl\"\nvoid main() {}\n");
  disk.put("repo/Assets/sky.shader/common.glsl", "#include <Assets/Lib/light.glsl>\n");
  disk.put("repo/Assets/Lib/light.glsl", "vec4 light() { return vec4(1); }\n");
  import();
  EXPECT_THAT(meta("Assets/Materials/gold.mat").source_dependencies, ElementsAre("Assets/wood.png"));
  const std::vector<identity::SubAsset> stages = meta("Assets/sky.shader").sub_assets;
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].name, "vertex");
  EXPECT_EQ(stages[0].virtual_path, "Engine/sky/vertex");
  EXPECT_EQ(stages[0].uuid, crypto::uuid_of_name(meta("Assets/sky.shader").uuid, as_bytes(std::string("vertex"))));
  EXPECT_THAT(meta("Assets/sky.shader").source_dependencies,
              ElementsAre("Assets/Lib/light.glsl", "Assets/sky.shader/common.glsl", "Assets/sky.shader/vertex.glsl"));
  disk.put("repo/Assets/wood.png", "");
  EXPECT_THAT(remove_assets(options, "Assets/wood.png", false, disk).error().what,
              HasSubstr("refers to Assets/wood.png"));
  EXPECT_THAT(remove_assets(options, "Assets/Lib", false, disk).error().what,
              HasSubstr("Assets/sky.shader refers to Assets/Lib/light.glsl"));
  const auto moved = move_assets(options, "Assets/Lib/light.glsl", "Assets/Lib/lamp.glsl", disk);
  ASSERT_TRUE(moved) << moved.error().to_string();
  ASSERT_EQ(moved->referrers.size(), 1u);
  EXPECT_EQ(moved->referrers[0].source, "Assets/sky.shader");
  const auto whole = move_assets(options, "Assets/sky.shader", "Assets/air.shader", disk);
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_THAT(whole->referrers, IsEmpty());
}

TEST_F(Move, knows_who_refers_by_uuid_or_virtual_path) {
  disk.put("repo/Assets/Materials/gold.mat", "base_color_texture: engine/CHAIR\n");
  disk.put("repo/Assets/Materials/tin.mat", "base_color_texture: " + meta("Assets/chair.obj").uuid.to_string() + "\n");
  import();
  EXPECT_THAT(meta("Assets/Materials/gold.mat").source_dependencies, IsEmpty());
  const auto refused = remove_assets(options, "Assets/chair.obj", false, disk);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "Assets/Materials/gold.mat refers to engine/CHAIR, and 1 more do");
  // A move keeps the UUID and the old virtual path, so no user has to change.
  const auto moved = move_assets(options, "Assets/chair.obj", "Assets/Props/seat.obj", disk);
  ASSERT_TRUE(moved) << moved.error().to_string();
  EXPECT_THAT(moved->referrers, IsEmpty());
  EXPECT_FALSE(remove_assets(options, "Assets/Props", false, disk));  // the old virtual path leads there
}

TEST_F(Move, takes_no_meta_by_its_own_name) {
  const auto before = disk.tree("repo");
  for (const auto& [from, to] :
       {std::pair("Assets/chair.obj.meta", "Assets/seat.obj.meta"), std::pair("Assets/chair.obj", "Assets/chair.meta"),
        std::pair("Assets/chair.obj.meta", "Assets/Lamps")}) {
    const auto moved = move_assets(options, from, to, disk);
    ASSERT_FALSE(moved) << from;
    EXPECT_EQ(moved.error().code, ErrorCode::kUsage);
    EXPECT_THAT(moved.error().what, HasSubstr("is a .meta"));
  }
  EXPECT_FALSE(remove_assets(options, "Assets/chair.obj.meta", true, disk));
  EXPECT_EQ(disk.tree("repo"), before);
}

TEST_F(Import, gives_no_uuid_of_a_folder_to_another_folder) {
  disk.put("repo/Assets/sky.shader/vertex.glsl", "void main() {}\n");
  import();
  const Uuid uuid = meta("Assets/sky.shader").uuid;
  disk.move("repo/Assets/sky.shader/vertex.glsl", "repo/Assets/air.shader/vertex.glsl");
  disk.put("repo/Assets/a.env/notes.txt", "another");
  import();
  EXPECT_NE(meta("Assets/a.env").uuid, uuid);
  EXPECT_EQ(meta("Assets/air.shader").uuid, uuid);
}

TEST_F(Move, removes_what_nobody_refers_to) {
  EXPECT_EQ(remove_assets(options, "Assets/Lamps/lamp.mtl", false, disk).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(disk.has("repo/Assets/Lamps/lamp.mtl"));
  EXPECT_TRUE(remove_assets(options, "Assets/chair.obj", false, disk));
  EXPECT_FALSE(disk.has("repo/Assets/chair.obj"));
  EXPECT_FALSE(disk.has("repo/Assets/chair.obj.meta"));
  EXPECT_TRUE(remove_assets(options, "Assets/Lamps", false, disk));
}

}  // namespace
}  // namespace assetc::engine
