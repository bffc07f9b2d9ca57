// Virtual paths that several want, and values that a person edited.
#include "identity/folder.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// Two branches each added one of two assets that are called alike. After the merge every clone decides alike.
TEST(Naming, what_two_branches_called_alike_gets_a_longer_name) {
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
TEST(Naming, parts_that_two_branches_called_alike_get_longer_names) {
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

TEST(Naming, a_path_that_a_person_chose_goes_before_one_that_was_made) {
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

TEST(Naming, long_names_that_begin_alike_do_not_meet) {
  const std::string start(kMaxVirtualName + 20, 'x');
  Folder folder{
      {{"Assets/" + start + "1.png", "1"}, {"Assets/" + start + "2.png", "2"}, {"Assets/" + start + "3.png", "3"}}};
  const Reconciled result = folder.import();
  EXPECT_TRUE(result.errors.empty()) << said(result);
  EXPECT_EQ(said(folder.import(), true), "");
}

TEST(Naming, an_edit_is_redirected_when_a_person_imports_and_not_after_a_checkout) {
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

TEST(Naming, an_old_uuid_that_another_asset_has_is_not_redirected) {
  Folder folder{{{"Assets/A.png", "a"}, {"Assets/B.png", "b"}}};
  folder.import();
  const std::string a = folder.meta("Assets/A.png").uuid.to_string(), b = folder.meta("Assets/B.png").uuid.to_string();
  replace(folder.files["Assets/A.png.meta"], a, b);
  replace(folder.files["Assets/B.png.meta"], b, a);
  EXPECT_EQ(said(folder.import(), true), "");
  EXPECT_TRUE(folder.meta("Assets/A.png").redirects.empty());
}

// What this machine remembers gives way to what a .meta says.
TEST(Naming, a_restored_meta_takes_nothing_that_another_has) {
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

TEST(Naming, a_meta_of_another_letter_case_is_an_error_and_no_new_uuid) {
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

}  // namespace
}  // namespace assetc::identity
