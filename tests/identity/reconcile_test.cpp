#include "identity/reconcile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "identity/virtual_path.hpp"
#include "os/process.hpp"

namespace assetc::identity {
namespace {

Uuid numbered(std::uint32_t number) {
  std::array<std::uint8_t, 16> random{};
  for (std::size_t i = 0; i < 4; ++i) random[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return Uuid::from_random(random);
}

// A folder of sources, on which import runs as in the command.
struct Folder {
  std::map<std::string, std::string> files;  // .meta files too
  std::map<std::string, ContentHash> remembered = {};
  std::map<std::string, Meta> remembered_metas = {};
  std::map<std::string, std::vector<FoundSubAsset>> parts = {};  // by the content of a file
  std::uint32_t next_uuid = 1;
  bool by_hand = true, is_of_checkout = false;
  std::size_t contents_asked_for = 0;

  Reconciled import() {
    ReconcileInput input;
    for (const auto& [path, text] : files) {
      if (path.ends_with(".meta")) {
        if (Result<MetaFile> file = MetaFile::parse(text)) {
          input.metas.push_back({path, file->meta()});
        } else {
          input.unreadable_metas.push_back(path);
        }
      } else {
        const std::string suffix = path.substr(path.rfind('.'));
        input.sources.push_back({path, suffix, "Texture2D", "Texture", 1, {}, parts[text]});
      }
    }
    const auto metas_before = remembered_metas;
    input.remembered_at = [&](const std::string& path) {
      const auto at = metas_before.find(path);
      return at == metas_before.end() ? nullptr : &at->second;
    };
    input.remembered = [&](const Uuid& asset) -> const Meta* {
      for (const auto& [path, meta] : metas_before) {
        if (meta.uuid == asset) return &meta;
      }
      return nullptr;
    };
    input.old_content = [&](const std::string& path) -> std::optional<ContentHash> {
      const auto at = remembered.find(path);
      return at == remembered.end() ? std::nullopt : std::optional(at->second);
    };
    input.content = [&](const std::string& path) -> std::optional<ContentHash> {
      ++contents_asked_for;
      return content_hash(as_bytes(files.at(path)));
    };
    input.by_hand = by_hand;
    input.is_of_checkout = [&](const std::string&) { return is_of_checkout; };
    input.new_uuid = [&] { return numbered(next_uuid++); };
    // The result must not depend on the order of directories.
    std::mt19937 random(next_uuid);
    std::shuffle(input.sources.begin(), input.sources.end(), random);
    std::shuffle(input.metas.begin(), input.metas.end(), random);
    Reconciled result = reconcile(std::move(input));
    std::map<std::string, std::string> written;
    for (const MetaWrite& write : result.writes) {
      const Meta& next = result.assets.at(write.asset);
      written[write.path] =
          write.from.empty() ? MetaFile::create(next).text() : MetaFile::parse(files.at(write.from))->with(next).text();
    }
    for (const std::string& path : result.removals) files.erase(path);
    for (auto& [path, text] : written) files[path] = std::move(text);
    remembered.clear();
    for (const auto& [path, text] : files) {
      if (!path.ends_with(".meta")) remembered[path] = content_hash(as_bytes(text));
    }
    remembered_metas.clear();
    for (const Meta& asset : result.assets) {
      const auto is_of_it = [&](const UnredirectedEdit& edit) {
        return !edit.is_of_checkout && edit.path == asset.source_path;
      };
      const auto before = metas_before.find(asset.source_path);
      remembered_metas[asset.source_path] = std::ranges::any_of(result.unredirected, is_of_it) ? before->second : asset;
    }
    return result;
  }
  Meta meta(const std::string& source) const {
    const auto at = files.find(source + ".meta");
    return at == files.end() ? Meta{} : MetaFile::parse(at->second)->meta();
  }
  void move(const std::string& from, const std::string& to) {
    auto node = files.extract(from);
    node.key() = to;
    files.insert(std::move(node));
  }
};

std::string said(const Reconciled& result, bool tells_paths = false) {
  static constexpr const char* kKinds[] = {"created", "moved", "found", "copied", "restored", "updated", "orphaned"};
  std::string text;
  for (const IdentityChange& c : result.changes) {
    text +=
        std::string(kKinds[static_cast<int>(c.kind)]) + " " + c.path + (c.from.empty() ? "" : " < " + c.from) + "; ";
    for (const auto& path : c.paths) {
      if (tells_paths) text += "path " + path.from + (path.is_redirected ? " -> " : " | ") + path.to + "; ";
    }
  }
  for (const UnredirectedEdit& edit : result.unredirected)
    text += "note " + edit.path + " " + edit.member + " " + edit.from + " -> " + edit.to + "; ";
  for (const Error& e : result.errors) text += "error " + e.to_string() + "; ";
  return text;
}

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

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// Two branches each added one of two assets that are called alike. After the merge every clone decides alike.
TEST(Reconcile, what_two_branches_called_alike_gets_a_longer_name) {
  Folder obj{{{"Assets/rock.obj", "model"}}}, png{{{"Assets/rock.png", "picture"}}};
  obj.parts["model"] = {{"Mesh", "Stone", "a"}};
  obj.import();
  png.next_uuid = 100;
  png.import();
  ASSERT_EQ(png.meta("Assets/rock.png").virtual_path, "Engine/rock");
  const auto merged = [](const Folder& here, const Folder& there) {
    Folder both = here;
    both.files.insert(there.files.begin(), there.files.end());
    both.parts.insert(there.parts.begin(), there.parts.end());
    return both;
  };
  Folder one = merged(obj, png), other = merged(png, obj), fresh = merged(obj, png);
  fresh.remembered.clear();
  fresh.remembered_metas.clear();
  for (Folder* const clone : {&one, &other, &fresh}) {
    EXPECT_EQ(said(clone->import(), true), "updated Assets/rock.png; path Engine/rock | Engine/rock_png; ");
    EXPECT_EQ(clone->meta("Assets/rock.obj").sub_assets.at(0).virtual_path, "Engine/rock/Stone");
    EXPECT_EQ(clone->files, one.files);
    EXPECT_EQ(said(clone->import(), true), "");
  }
}

// The same for a part of a model and a file in a folder of its name, and for parts of two models.
TEST(Reconcile, parts_that_two_branches_called_alike_get_longer_names) {
  Folder folder{{{"Assets/rock.obj", "model"}}}, file{{{"Assets/rock/Stone.png", "picture"}}};
  folder.parts["model"] = {{"Mesh", "Stone", "a"}, {"Mesh", "Moss", "b"}};
  folder.import();
  file.next_uuid = 100;
  file.import();
  Folder model{{{"Assets/rock.fbx", "other"}}};
  model.parts["other"] = {{"Mesh", "Stone", "c"}};
  model.next_uuid = 200;
  model.import();
  for (const Folder* const branch : {&file, &model}) folder.files.insert(branch->files.begin(), branch->files.end());
  folder.parts.insert(model.parts.begin(), model.parts.end());
  const Reconciled result = folder.import();
  EXPECT_TRUE(result.errors.empty()) << said(result);
  EXPECT_EQ(folder.meta("Assets/rock/Stone.png").virtual_path, "Engine/rock/Stone");
  EXPECT_EQ(folder.meta("Assets/rock.fbx").virtual_path, "Engine/rock");
  EXPECT_EQ(folder.meta("Assets/rock.fbx").sub_assets.at(0).virtual_path, "Engine/rock/Stone_Mesh");
  EXPECT_EQ(folder.meta("Assets/rock.obj").virtual_path, "Engine/rock_obj");
  EXPECT_EQ(folder.meta("Assets/rock.obj").sub_assets.at(0).virtual_path, "Engine/rock_obj/Stone");
  EXPECT_EQ(folder.meta("Assets/rock.obj").sub_assets.at(1).virtual_path, "Engine/rock_obj/Moss");
  EXPECT_EQ(said(folder.import(), true), "");
}

TEST(Reconcile, a_path_that_a_person_chose_goes_before_one_that_was_made) {
  Folder folder{{{"Assets/A.png", "a"}, {"Assets/B.png", "b"}, {"Assets/C.png", "c"}}};
  folder.import();
  folder.remembered_metas.clear();
  replace(folder.files["Assets/B.png.meta"], "Engine/B", "Engine/A");
  EXPECT_EQ(said(folder.import(), true), "updated Assets/A.png; path Engine/A | Engine/A_png; ");
  // Two that people chose: an error at each of the two lines.
  replace(folder.files["Assets/C.png.meta"], "Engine/C", "Engine/a");
  const Reconciled result = folder.import();
  ASSERT_EQ(result.errors.size(), 2u);
  EXPECT_EQ(result.errors[0].to_string(),
            "Assets/B.png.meta: /VirtualPath: \"Engine/A\" is also the virtual path of Assets/C.png, except for case: "
            "\"Engine/a\"; give one of them another virtual path");
  EXPECT_EQ(result.errors[1].file, "Assets/C.png.meta");
}

TEST(Reconcile, long_names_that_begin_alike_do_not_meet) {
  const std::string start(kMaxVirtualName + 20, 'x');
  Folder folder{
      {{"Assets/" + start + "1.png", "1"}, {"Assets/" + start + "2.png", "2"}, {"Assets/" + start + "3.png", "3"}}};
  const Reconciled result = folder.import();
  EXPECT_TRUE(result.errors.empty()) << said(result);
  EXPECT_EQ(said(folder.import(), true), "");
}

TEST(Reconcile, an_edit_is_redirected_when_a_person_imports_and_not_after_a_checkout) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  folder.import();
  const Uuid old = folder.meta("Assets/Wood.png").uuid, now = numbered(77);
  std::string& text = folder.files["Assets/Wood.png.meta"];
  replace(text, old.to_string(), now.to_string());
  replace(text, "\"Engine/Wood\"", "\"Engine/Best\"");
  const std::string notes = "note Assets/Wood.png VirtualPath Engine/Wood -> Engine/Best; note Assets/Wood.png Uuid " +
                            old.to_string() + " -> " + now.to_string() + "; ";
  const auto edited = folder.files;
  folder.by_hand = false;  // a watch
  EXPECT_EQ(said(folder.import(), true), notes);
  EXPECT_EQ(said(folder.import(), true), notes);
  EXPECT_EQ(folder.files, edited);
  const Folder watched = folder;
  folder.by_hand = true;
  EXPECT_EQ(said(folder.import(), true), "updated Assets/Wood.png; path Engine/Wood -> Engine/Best; ");
  const Meta meta = folder.meta("Assets/Wood.png");
  EXPECT_EQ(meta.uuid, now);
  ASSERT_EQ(meta.redirects.size(), 2u);
  EXPECT_EQ(meta.redirects[0], (Redirect{old, ""}));
  EXPECT_EQ(meta.redirects[1].virtual_path, "Engine/Wood");
  EXPECT_EQ(said(folder.import(), true), "");

  Folder checked_out = watched;
  checked_out.is_of_checkout = true;
  EXPECT_EQ(said(checked_out.import(), true), "");  // of a watch
  checked_out = watched;
  checked_out.is_of_checkout = checked_out.by_hand = true;
  EXPECT_EQ(said(checked_out.import(), true), notes);
  EXPECT_EQ(checked_out.files, edited);
  EXPECT_EQ(said(checked_out.import(), true), "");
}

TEST(Reconcile, an_old_uuid_that_another_asset_has_is_not_redirected) {
  Folder folder{{{"Assets/A.png", "a"}, {"Assets/B.png", "b"}}};
  folder.import();
  const std::string a = folder.meta("Assets/A.png").uuid.to_string(), b = folder.meta("Assets/B.png").uuid.to_string();
  replace(folder.files["Assets/A.png.meta"], a, b);
  replace(folder.files["Assets/B.png.meta"], b, a);
  EXPECT_EQ(said(folder.import(), true), "");
  EXPECT_TRUE(folder.meta("Assets/A.png").redirects.empty());
}

// What this machine remembers gives way to what a .meta says.
TEST(Reconcile, a_restored_meta_takes_nothing_that_another_has) {
  Folder folder{{{"Assets/Wood.png", "wood"}}};
  folder.import();
  folder.move("Assets/Wood.png", "Assets/Oak.png");
  folder.move("Assets/Wood.png.meta", "Assets/Oak.png.meta");
  folder.import();
  const Uuid oak = folder.meta("Assets/Oak.png").uuid;
  folder.files.erase("Assets/Oak.png.meta");
  Folder other{{{"Assets/Wood.png", "other"}}};  // a branch in which Engine/Wood is another asset
  other.next_uuid = 50;
  other.import();
  folder.files.insert(other.files.begin(), other.files.end());
  const Reconciled result = folder.import();
  EXPECT_EQ(said(result), "restored Assets/Oak.png; ");
  EXPECT_EQ(folder.meta("Assets/Oak.png").uuid, oak);
  EXPECT_TRUE(folder.meta("Assets/Oak.png").redirects.empty());
}

TEST(Reconcile, a_meta_of_another_letter_case_is_an_error_and_no_new_uuid) {
  Folder folder{{{"Assets/Wood.png", "wood"}, {"Assets/caf\xc3\xa9.png", "cafe"}}};
  folder.import();
  folder.move("Assets/Wood.png.meta", "Assets/wood.png.meta");
  folder.move("Assets/caf\xc3\xa9.png.meta", "Assets/cafe\xcc\x81.png.meta");
  const auto before = folder.files;
  const Reconciled result = folder.import();
  EXPECT_EQ(folder.files, before);
  EXPECT_TRUE(result.changes.empty());
  ASSERT_EQ(result.errors.size(), 2u);
  EXPECT_EQ(result.errors[1].file, "Assets/cafe\xcc\x81.png.meta");
  EXPECT_EQ(result.errors[0].to_string(),
            "Assets/wood.png.meta: differs from Assets/Wood.png.meta in letter case or Unicode normalization alone; "
            "rename it, so that Assets/Wood.png has its UUID on every system");
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
