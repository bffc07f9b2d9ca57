// What an import makes of values that a person edited, and of values that version control wrote.
#include "engine/import_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ImportEdit : public Import {
 protected:
  ImportEdit() {
    options.by_hand = true;
    disk.put("repo/.git/logs/HEAD", "clone");
    disk.put("repo/Assets/chair.obj", kTriangle);
    first = import();
    old_uuid = meta(kChair).uuid;
  }
  void edit(const std::string& from, const std::string& to) {
    std::string text = disk.text("repo/Assets/chair.obj.meta");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    disk.put("repo/Assets/chair.obj.meta", text.replace(at, from.size(), to));
  }
  void edit_both() {
    edit("\"Engine/chair\"", "\"Engine/Best\"");
    edit(old_uuid.to_string(), kNewUuid);
  }
  std::vector<std::string> notes(const ImportReport& report) {
    std::vector<std::string> lines;
    lines.reserve(report.notes.size());
    for (const recipes::Diagnostic& note : report.notes) lines.push_back(note.what.to_string());
    return lines;
  }

  static constexpr const char* kChair = "Assets/chair.obj";
  static constexpr const char* kNewUuid = "11111111-1111-4111-8111-111111111111";
  ImportReport first;
  Uuid old_uuid;
};

TEST_F(ImportEdit, a_person_who_edits_and_imports_gets_redirects) {
  edit_both();
  const ImportReport report = import();
  EXPECT_THAT(notes(report), IsEmpty());
  const identity::Meta chair = meta(kChair);
  EXPECT_EQ(chair.uuid.to_string(), kNewUuid);
  ASSERT_EQ(chair.redirects.size(), 2u);
  EXPECT_EQ(chair.redirects[0].uuid, old_uuid);
  EXPECT_EQ(chair.redirects[1].virtual_path, "Engine/chair");
  EXPECT_EQ(chair.sub_assets.at(0).virtual_path, "Engine/Best/Seat");
  EXPECT_THAT(import().changes, IsEmpty());
}

TEST_F(ImportEdit, a_watch_leaves_them_to_the_person) {
  edit_both();
  options.by_hand = false;
  for (int time = 0; time < 2; ++time) {
    const ImportReport report = import();
    EXPECT_THAT(
        notes(report),
        ElementsAre(HasSubstr("VirtualPath Engine/chair, now it is Engine/Best; nothing redirects the old one yet; "
                              "run `assetc import` by hand for a redirect"),
                    HasSubstr("saw the Uuid " + old_uuid.to_string() + ", now it is " + kNewUuid)));
    EXPECT_THAT(meta(kChair).redirects, IsEmpty());
  }
  options.by_hand = true;
  import();
  EXPECT_EQ(meta(kChair).redirects.size(), 2u);
}

TEST_F(ImportEdit, what_version_control_wrote_stays_as_it_is) {
  edit_both();
  disk.put("repo/.git/logs/HEAD", "checkout");
  const ImportReport report = import();
  EXPECT_THAT(notes(report), ElementsAre(HasSubstr("version control wrote the file since"), HasSubstr("the Uuid")));
  EXPECT_THAT(meta(kChair).redirects, IsEmpty());
  // The part follows its container on every machine, because the path of the file says where it was.
  EXPECT_EQ(meta(kChair).sub_assets.at(0).virtual_path, "Engine/Best/Seat");
  EXPECT_THAT(notes(import()), IsEmpty());
}

TEST_F(ImportEdit, in_the_middle_of_a_merge_nothing_is_an_edit) {
  disk.put("repo/.git/MERGE_HEAD", "other");
  edit_both();
  import();
  EXPECT_THAT(meta(kChair).redirects, IsEmpty());
}

TEST_F(ImportEdit, without_git_every_change_is_an_edit) {
  disk.erase("repo/.git/logs/HEAD");
  edit_both();
  import();
  EXPECT_EQ(meta(kChair).redirects.size(), 2u);
}

TEST_F(ImportEdit, an_edited_uuid_that_another_asset_has_is_not_redirected) {
  disk.put("repo/Assets/table.obj", kTriangle);
  import();
  std::string table = disk.text("repo/Assets/table.obj.meta");
  const std::string table_uuid = meta("Assets/table.obj").uuid.to_string();
  edit(old_uuid.to_string(), table_uuid);
  disk.put("repo/Assets/table.obj.meta", table.replace(table.find(table_uuid), 36, old_uuid.to_string()));
  EXPECT_THAT(import().errors, IsEmpty());
  EXPECT_THAT(meta(kChair).redirects, IsEmpty());
}

TEST_F(ImportEdit, members_that_nothing_reads_are_named_once) {
  edit("  \"Tags\": []",
       "  \"Licence\": \"MIT\",\n  \"RuntimeDependencies\": [],\n  \"x\": 1,\n  \"CookKey\": \"-\",\n  \"Tags\": []");
  edit("\"Name\": \"Seat\"", "\"Name\": \"Seat\", \"Virtualpath\": \"\"");
  const ImportReport report = import();
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(
      notes(report),
      testing::UnorderedElementsAre(
          "Assets/chair.obj.meta: /Licence: is not a member that assetc reads; it stays as it is; did you mean "
          "\"License\"?",
          HasSubstr("/RuntimeDependencies: is not a member"),
          "Assets/chair.obj.meta: /x: is not a member that assetc reads; it stays as it is",
          HasSubstr("/SubAssets/0/Virtualpath: is not a member that assetc reads; it stays as it is; did you mean "
                    "\"VirtualPath\"?")));
  EXPECT_THAT(notes(import()), IsEmpty());
}

TEST_F(ImportEdit, a_path_that_people_chose_twice_names_both_lines) {
  disk.put("repo/Assets/table.obj", kTriangle);
  import();
  edit("\"Engine/chair\"", "\"Engine/Best\"");
  std::string table = disk.text("repo/Assets/table.obj.meta");
  const std::string path = "\"Engine/table\"";
  disk.put("repo/Assets/table.obj.meta", table.replace(table.find(path), path.size(), "\"Engine/best\""));
  EXPECT_THAT(errors(import()),
              ElementsAre("Assets/chair.obj.meta: line 4, /VirtualPath: \"Engine/Best\" is also the virtual path of "
                          "Assets/table.obj, except for case: \"Engine/best\"; give one of them another virtual path",
                          HasSubstr("Assets/table.obj.meta: line 4, /VirtualPath: \"Engine/best\" is also")));
}

}  // namespace
}  // namespace assetc::engine
