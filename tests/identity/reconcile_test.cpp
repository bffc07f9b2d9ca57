#include "identity/reconcile.hpp"

#include <set>

#include "identity/folder.hpp"
#include "os/process.hpp"

namespace assetc::identity {
namespace {

TEST(Reconcile, a_new_source_gets_a_meta_and_a_second_import_changes_nothing) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  EXPECT_EQ(said(folder.import()), "created Assets/Wood.png; ");
  EXPECT_EQ(folder.meta("Assets/Wood.png").virtual_path, "Engine/Wood");
  const auto before = folder.files;
  EXPECT_EQ(said(folder.import()), "");
  EXPECT_EQ(folder.files, before);
  EXPECT_EQ(folder.contents_asked_for, 0u);
}

TEST(Reconcile, a_move_of_file_and_meta_keeps_the_uuid_and_redirects_the_path) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  folder.import();
  const Uuid uuid = folder.meta("Assets/Wood.png").uuid;
  folder.move("Assets/Wood.png", "Assets/New/Oak.png");
  folder.move("Assets/Wood.png.meta", "Assets/New/Oak.png.meta");
  EXPECT_EQ(said(folder.import()), "moved Assets/New/Oak.png < Assets/Wood.png; ");
  const Meta meta = folder.meta("Assets/New/Oak.png");
  EXPECT_EQ(meta.uuid, uuid);
  EXPECT_EQ(meta.virtual_path, "Engine/New/Oak");
  ASSERT_EQ(meta.redirects.size(), 1u);
  EXPECT_EQ(meta.redirects[0].virtual_path, "Engine/Wood");
  EXPECT_NE(meta.redirects[0].uuid, uuid);
  // Moved back: an asset that has its old name again needs no redirect from it.
  folder.move("Assets/New/Oak.png", "Assets/Wood.png");
  folder.move("Assets/New/Oak.png.meta", "Assets/Wood.png.meta");
  folder.import();
  ASSERT_EQ(folder.meta("Assets/Wood.png").redirects.size(), 1u);
  EXPECT_EQ(folder.meta("Assets/Wood.png").redirects[0].virtual_path, "Engine/New/Oak");
}

TEST(Reconcile, a_virtual_path_that_a_person_chose_survives_a_move) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  folder.import();
  std::string& text = folder.files["Assets/Wood.png.meta"];
  text.replace(text.find("Engine/Wood"), 11, "Engine/Best");
  folder.move("Assets/Wood.png", "Assets/Oak.png");
  folder.move("Assets/Wood.png.meta", "Assets/Oak.png.meta");
  folder.import();
  EXPECT_EQ(folder.meta("Assets/Oak.png").virtual_path, "Engine/Best");
  ASSERT_EQ(folder.meta("Assets/Oak.png").redirects.size(), 1u);
  EXPECT_EQ(folder.meta("Assets/Oak.png").redirects[0].virtual_path, "Engine/Wood");
}

TEST(Reconcile, a_file_that_moved_alone_is_found_by_its_content) {
  Folder folder{{{"Assets/Wood.png", "wood"}, {"Assets/Stone.png", "stone"}}};
  folder.import();
  const Uuid uuid = folder.meta("Assets/Wood.png").uuid;
  folder.move("Assets/Wood.png", "Assets/Oak.png");
  EXPECT_EQ(said(folder.import()), "found Assets/Oak.png < Assets/Wood.png; ");
  EXPECT_EQ(folder.meta("Assets/Oak.png").uuid, uuid);
  EXPECT_FALSE(folder.files.contains("Assets/Wood.png.meta"));
}

TEST(Reconcile, a_file_that_moved_and_changed_at_once_is_new_and_its_meta_is_reported) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  folder.import();
  folder.move("Assets/Wood.png", "Assets/Oak.png");
  folder.files["Assets/Oak.png"] = "oak";
  const Reconciled result = folder.import();
  EXPECT_EQ(said(result), "created Assets/Oak.png; orphaned Assets/Wood.png.meta; ");
  EXPECT_EQ(result.orphans, std::vector<std::string>{"Assets/Wood.png.meta"});
  EXPECT_TRUE(folder.files.contains("Assets/Wood.png.meta"));
}

TEST(Reconcile, the_copy_of_a_pair_gets_a_uuid_of_its_own_whichever_name_is_first) {
  for (const char* copy : {"Assets/A.png", "Assets/Z.png"}) {
    Folder folder{{{"Assets/Wood.png", "wood"}}};
    folder.import();
    const Uuid uuid = folder.meta("Assets/Wood.png").uuid;
    folder.files[copy] = "wood";
    folder.files[std::string(copy) + ".meta"] = folder.files["Assets/Wood.png.meta"];
    EXPECT_EQ(said(folder.import()), std::string("copied ") + copy + " < Assets/Wood.png; ");
    EXPECT_EQ(folder.meta("Assets/Wood.png").uuid, uuid);
    const Meta meta = folder.meta(copy);
    EXPECT_NE(meta.uuid, uuid);
    // References to the original must not lead to a copy after the original is removed.
    EXPECT_TRUE(meta.redirects.empty());
    EXPECT_EQ(said(folder.import()), "");
  }
}

TEST(Reconcile, of_two_copies_of_what_went_away_the_first_by_path_is_the_original) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  folder.import();
  const Uuid uuid = folder.meta("Assets/Wood.png").uuid;
  for (const char* copy : {"Assets/B.png", "Assets/A.png"}) {
    folder.files[copy] = "wood";
    folder.files[std::string(copy) + ".meta"] = folder.files["Assets/Wood.png.meta"];
  }
  folder.files.erase("Assets/Wood.png");
  folder.files.erase("Assets/Wood.png.meta");
  EXPECT_EQ(said(folder.import()), "moved Assets/A.png < Assets/Wood.png; copied Assets/B.png < Assets/A.png; ");
  EXPECT_EQ(folder.meta("Assets/A.png").uuid, uuid);
}

TEST(Reconcile, a_meta_that_is_gone_or_anothers_is_given_back) {
  Folder folder{{{"Assets/Wood.png", "wood"}, {"Assets/Oak.png", "oak"}}};
  folder.import();
  const Meta wood = folder.meta("Assets/Wood.png"), oak = folder.meta("Assets/Oak.png");
  folder.files.erase("Assets/Wood.png.meta");
  EXPECT_EQ(said(folder.import()), "restored Assets/Wood.png; ");
  EXPECT_EQ(folder.meta("Assets/Wood.png"), wood);
  folder.files["Assets/Wood.png.meta"] = folder.files["Assets/Oak.png.meta"];
  EXPECT_EQ(said(folder.import()), "restored Assets/Wood.png; ");
  EXPECT_EQ(folder.meta("Assets/Wood.png").uuid, wood.uuid);
  EXPECT_EQ(folder.meta("Assets/Wood.png").virtual_path, "Engine/Wood");
  EXPECT_EQ(folder.meta("Assets/Oak.png"), oak);
  // A UUID that moved to another path is not given to a new file at the old path.
  folder.move("Assets/Wood.png", "Assets/Elm.png");
  folder.move("Assets/Wood.png.meta", "Assets/Elm.png.meta");
  folder.files["Assets/Wood.png"] = "another";
  EXPECT_EQ(said(folder.import()), "moved Assets/Elm.png < Assets/Wood.png; created Assets/Wood.png; ");
  EXPECT_NE(folder.meta("Assets/Wood.png").uuid, wood.uuid);
}

TEST(Reconcile, an_older_asset_never_gives_its_path_to_a_newer_one) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  folder.import();
  folder.files["Assets/Wood.mat"] = "newer";  // sorts before the moved file
  EXPECT_EQ(said(folder.import(), true), "created Assets/Wood.mat; ");
  EXPECT_EQ(folder.meta("Assets/Wood.png").virtual_path, "Engine/Wood");
  EXPECT_EQ(folder.meta("Assets/Wood.mat").virtual_path, "Engine/Wood_mat");
  // The same for an older path: references to it must still find the asset.
  folder.move("Assets/Wood.png", "Assets/Oak.png");
  folder.move("Assets/Wood.png.meta", "Assets/Oak.png.meta");
  folder.files["Assets/Wood.png"] = "new";
  EXPECT_EQ(said(folder.import(), true),
            "moved Assets/Oak.png < Assets/Wood.png; path Engine/Wood -> Engine/Oak; created Assets/Wood.png; ");
  EXPECT_EQ(folder.meta("Assets/Wood.png").virtual_path, "Engine/Wood_png");
  EXPECT_EQ(said(folder.import(), true), "");
}

TEST(Reconcile, what_is_in_a_container_redirects_when_it_moves) {
  Folder folder{{{"Assets/Chair.png", "chair"}}};
  folder.parts["chair"] = {{"Mesh", "Seat", "a"}, {"Material", "Wood", "b"}};
  folder.import();
  folder.move("Assets/Chair.png", "Assets/Props/Stool.png");
  folder.move("Assets/Chair.png.meta", "Assets/Props/Stool.png.meta");
  EXPECT_EQ(said(folder.import(), true),
            "moved Assets/Props/Stool.png < Assets/Chair.png; path Engine/Chair -> Engine/Props/Stool; "
            "path Engine/Chair/Seat -> Engine/Props/Stool/Seat; path Engine/Chair/Wood -> Engine/Props/Stool/Wood; ");
  const Meta meta = folder.meta("Assets/Props/Stool.png");
  ASSERT_EQ(meta.sub_assets.at(0).redirects.size(), 1u);
  EXPECT_EQ(meta.sub_assets[0].redirects[0].virtual_path, "Engine/Chair/Seat");
  EXPECT_NE(meta.sub_assets[0].redirects[0].uuid, meta.sub_assets[0].uuid);
  // A new material does not take over the name of a mesh.
  folder.files["Assets/Props/Stool.png"] = "more";
  folder.parts["more"] = {{"Material", "Seat", "c"}, {"Mesh", "Seat", "a"}, {"Material", "Wood", "b"}};
  EXPECT_EQ(said(folder.import(), true), "updated Assets/Props/Stool.png; ");
  EXPECT_EQ(folder.meta("Assets/Props/Stool.png").sub_assets.at(0).virtual_path, "Engine/Props/Stool/Seat_Material");
  EXPECT_EQ(folder.meta("Assets/Props/Stool.png").sub_assets.at(1).virtual_path, "Engine/Props/Stool/Seat");
  EXPECT_EQ(said(folder.import(), true), "");
}

TEST(Reconcile, a_virtual_path_that_a_person_edits_redirects) {
  Folder folder{{{"Assets/Chair.png", "chair"}}};
  folder.parts["chair"] = {{"Mesh", "Seat", "a"}};
  folder.import();
  std::string& text = folder.files["Assets/Chair.png.meta"];
  text.replace(text.find("\"Engine/Chair\""), 14, "\"Engine/Best\"");
  EXPECT_EQ(said(folder.import(), true),
            "updated Assets/Chair.png; path Engine/Chair -> Engine/Best; "
            "path Engine/Chair/Seat -> Engine/Best/Seat; ");
  const Meta meta = folder.meta("Assets/Chair.png");
  ASSERT_EQ(meta.redirects.size(), 1u);
  EXPECT_EQ(meta.redirects[0].virtual_path, "Engine/Chair");
  EXPECT_EQ(said(folder.import(), true), "");
}

TEST(Reconcile, an_old_name_leads_to_one_asset_that_is_told_from_those_that_live) {
  Folder folder{{{"Assets/A.png", "a"}, {"Assets/B.png", "b"}, {"Assets/C.png", "c"}}};
  folder.import();
  const auto redirect = [&](const std::string& source, const std::string& uuid, const std::string& path) {
    std::string& text = folder.files[source + ".meta"];
    text.insert(text.rfind('}') - 1,
                ",\n  \"Redirects\": [{\"OldUuid\": \"" + uuid + "\", \"OldVirtualPath\": \"" + path + "\"}]");
  };
  const std::string old = "11111111-1111-4111-8111-111111111111";
  redirect("Assets/A.png", old, "Engine/Old");
  redirect("Assets/B.png", old, "Engine/old");
  redirect("Assets/C.png", folder.meta("Assets/A.png").uuid.to_string(), "Engine/B");
  const Reconciled result = folder.import();
  std::string errors;
  for (const Error& error : result.errors) errors += error.to_string() + "\n";
  EXPECT_EQ(
      errors,
      "Assets/B.png.meta: /Redirects/0/OldUuid: " + old +
          " is also an old UUID of Assets/A.png; remove it from "
          "Redirects of one of them\n"
          "Assets/B.png.meta: /Redirects/0/OldVirtualPath: \"Engine/old\" is also an old virtual path of "
          "Assets/A.png; remove it from Redirects of one of them\n"
          "Assets/C.png.meta: /Redirects/0/OldUuid: " +
          folder.meta("Assets/A.png").uuid.to_string() +
          " is the UUID of Assets/A.png; remove it from Redirects of one of them\n"
          "Assets/C.png.meta: /Redirects/0/OldVirtualPath: \"Engine/B\" is the virtual path of Assets/B.png; remove "
          "it from Redirects of one of them\n");
}

// As the example of the document for cooks.
TEST(Reconcile, a_meta_that_a_person_began_gets_the_path_of_its_source) {
  Folder folder{{{"Assets/A.png", "a"}, {"Assets/B.png", "b"}}};
  folder.import();
  const Uuid uuid = folder.meta("Assets/A.png").uuid;
  std::string& text = folder.files["Assets/A.png.meta"];
  const std::string path = "  \"SourcePath\": \"Assets/A.png\",\n";
  text.erase(text.find(path), path.size());
  // Old UUIDs without an old path, as of an asset that kept its virtual path.
  const std::string redirects =
      ",\n  \"Redirects\": [{\"OldUuid\": \"11111111-1111-4111-8111-111111111111\"}, "
      "{\"OldUuid\": \"21111111-1111-4111-8111-111111111111\"}]";
  text.insert(text.rfind('}') - 1, redirects);
  const Reconciled result = folder.import();
  EXPECT_TRUE(result.errors.empty());
  ASSERT_EQ(result.changes.size(), 1u);
  EXPECT_EQ(result.changes[0].kind, IdentityChange::Kind::kUpdated);
  EXPECT_EQ(folder.meta("Assets/A.png").source_path, "Assets/A.png");
  EXPECT_EQ(folder.meta("Assets/A.png").uuid, uuid);
  EXPECT_EQ(folder.meta("Assets/A.png").redirects.size(), 2u);
  EXPECT_TRUE(folder.import().changes.empty());
}

TEST(Reconcile, names_that_are_written_alike_in_ascii_do_not_meet) {
  Folder folder{
      {{"Assets/uber.png", "1"}, {"Assets/\xc3\xbc\x62\x65r.png", "2"}, {"Assets/\xc3\xbb\x62\x65r.png", "3"}}};
  const Reconciled result = folder.import();
  EXPECT_TRUE(result.errors.empty()) << said(result);
  std::set<std::string> paths;
  for (const Meta& asset : result.assets) {
    EXPECT_TRUE(asset.virtual_path.starts_with("Engine/uber")) << asset.virtual_path;
    EXPECT_TRUE(paths.insert(asset.virtual_path).second) << asset.virtual_path;
  }
  EXPECT_EQ(said(folder.import(), true), "");
}

TEST(Reconcile, another_branch_is_no_edit) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  folder.import();
  const auto main = folder.files;
  folder.move("Assets/Wood.png", "Assets/Oak.png");
  folder.move("Assets/Wood.png.meta", "Assets/Oak.png.meta");
  folder.import();
  folder.files = main;
  EXPECT_EQ(said(folder.import(), true), "");
  std::string& text = folder.files["Assets/Wood.png.meta"];
  text.replace(text.find("Engine/Wood"), 11, "Engine/Best");
  EXPECT_EQ(said(folder.import(), true), "updated Assets/Wood.png; path Engine/Wood -> Engine/Best; ");
  const auto edited = folder.files;
  folder.files = main;
  EXPECT_EQ(said(folder.import(), true), "");
  folder.files = edited;
  EXPECT_EQ(said(folder.import(), true), "");
  EXPECT_EQ(folder.files, edited);
}

TEST(Reconcile, two_that_change_places_redirect_nothing) {
  Folder folder{{{"Assets/A.png", "a"}, {"Assets/B.png", "b"}}};
  folder.import();
  const Uuid a = folder.meta("Assets/A.png").uuid;
  for (const char* suffix : {"", ".meta"})
    std::swap(folder.files[std::string("Assets/A.png") + suffix], folder.files[std::string("Assets/B.png") + suffix]);
  EXPECT_EQ(said(folder.import(), true),
            "moved Assets/A.png < Assets/B.png; path Engine/B | Engine/A; "
            "moved Assets/B.png < Assets/A.png; path Engine/A | Engine/B; ");
  EXPECT_EQ(folder.meta("Assets/B.png").uuid, a);
  EXPECT_TRUE(folder.meta("Assets/B.png").redirects.empty());
  EXPECT_EQ(said(folder.import(), true), "");
}

TEST(Reconcile, a_meta_that_does_not_parse_is_left_alone_with_its_source) {
  Folder folder{{{"Assets/Wood.png", "wood"}, {"Assets/Wood.png.meta", "{ broken"}}};
  EXPECT_EQ(said(folder.import()), "");
  EXPECT_EQ(folder.files["Assets/Wood.png.meta"], "{ broken");
}

TEST(Reconcile, collisions_are_dodged_by_the_suffix_or_told) {
  ReconcileInput input;
  std::uint32_t next = 1;
  input.new_uuid = [&] { return numbered(next++); };
  input.sources = {{"Assets/Wood.png", ".png", "Texture2D", "Texture", 1, {}, {}},
                   {"Assets/wood.mat", ".mat", "Material", "Material", 1, {}, {}}};
  Reconciled result = reconcile(input);
  EXPECT_TRUE(result.errors.empty());
  EXPECT_EQ(result.assets.at(result.writes[0].asset).virtual_path, "Engine/Wood_png");
  EXPECT_EQ(result.assets.at(result.writes[1].asset).virtual_path, "Engine/wood");

  input.sources = {{"Assets/Wood.png", ".png", "Texture2D", "Texture", 1, {}, {}},
                   {"Assets/wood.png", ".png", "Texture2D", "Texture", 1, {}, {}},
                   {"Assets/WOOD.png", ".png", "Texture2D", "Texture", 1, {}, {}}};
  result = reconcile(input);
  ASSERT_EQ(result.errors.size(), 2u);
  EXPECT_NE(result.errors[0].to_string().find("in letter case"), std::string::npos) << result.errors[0].to_string();
}

TEST(Reconcile, a_source_outside_every_folder_of_assets_is_an_error_of_its_own) {
  Folder folder{{{"Wood.png", "wood"}, {"Assets/Stone.png", "stone"}}};
  const Reconciled result = folder.import();
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_EQ(result.errors[0].file, "Wood.png");
  EXPECT_TRUE(folder.files.contains("Assets/Stone.png.meta"));
}

// Random edits, moves, copies and removals, one between two imports: every asset keeps its UUID, and no two assets
// share one.
TEST(Reconcile, identities_hold_through_random_stories) {
  const std::uint32_t stories = os::kLimitsMemory ? 300 : 20;  // under a sanitizer they take fifteen times as long
  for (std::uint32_t seed = 0; seed < stories; ++seed) {
    std::mt19937 random(seed);
    Folder folder;
    std::map<std::string, Uuid> expected;
    std::uint32_t number = 0;
    const auto fresh = [&] {
      return std::string("Assets/") + (random() % 2 ? "a/" : "b/") + std::to_string(random() % 3) + "n" +
             std::to_string(number++) + ".png";
    };
    for (int step = 0; step < 12; ++step) {
      std::vector<std::string> paths;
      paths.reserve(expected.size());
      for (const auto& [path, uuid] : expected) paths.push_back(path);
      const std::string path = paths.empty() ? "" : paths[random() % paths.size()];
      const unsigned action = paths.empty() ? 0 : random() % 8;
      const std::string to = fresh();
      bool is_new = false;
      if (action <= 1) {  // a new file, sometimes a duplicate
        folder.files[to] = random() % 4 || paths.empty() ? "content " + std::to_string(number) : folder.files[path];
        is_new = true;
      } else if (action <= 3) {  // the file moves with its .meta
        folder.move(path, to);
        folder.move(path + ".meta", to + ".meta");
        expected[to] = expected[path];
        expected.erase(path);
      } else if (action == 4) {  // only the file moves
        folder.move(path, to);
        expected[to] = expected[path];
        expected.erase(path);
      } else if (action == 5) {  // a copy of the file and its .meta
        folder.files[to] = folder.files[path];
        folder.files[to + ".meta"] = folder.files[path + ".meta"];
        is_new = true;
      } else if (action == 6) {  // an edit
        folder.files[path] = "edited " + std::to_string(number);
      } else {  // the file and its .meta are removed
        folder.files.erase(path);
        folder.files.erase(path + ".meta");
        expected.erase(path);
      }
      const Reconciled result = folder.import();
      EXPECT_TRUE(result.errors.empty()) << seed << " " << said(result);
      if (is_new) expected[to] = folder.meta(to).uuid;
      std::set<Uuid> uuids;
      for (const auto& [source, uuid] : expected) {
        EXPECT_EQ(folder.meta(source).uuid, uuid) << seed << " " << step << " " << source;
        EXPECT_TRUE(uuids.insert(folder.meta(source).uuid).second) << seed;
      }
      EXPECT_EQ(said(folder.import()), "") << seed;
    }
  }
}

}  // namespace
}  // namespace assetc::identity
