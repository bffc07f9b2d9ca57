// .meta files of Unity beside sources: ours stand beside them, and theirs are never changed.
#include <random>

#include "engine/import_fixture.hpp"
#include "engine/meta/move.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kUnity = "fileFormatVersion: 2\nguid: 0123456789abcdef0123456789abcdef\nModelImporter:\n";

class UnityMeta : public Import {
 protected:
  UnityMeta() { disk.put("repo/Assets/chair.obj.meta", kUnity); }
  std::string unitys(const std::string& path) const { return disk.text("repo/" + path + ".meta"); }
  identity::Meta beside(const std::string& path) const {
    const auto file = identity::MetaFile::parse(disk.text("repo/" + path + ".assetc"));
    EXPECT_TRUE(file) << (file ? std::string() : file.error().to_string());
    return file ? file->meta() : identity::Meta();
  }
};

TEST_F(UnityMeta, ours_stands_beside_and_theirs_stays) {
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_EQ(unitys("Assets/chair.obj"), kUnity);
  const identity::Meta first = beside("Assets/chair.obj");
  EXPECT_EQ(first.source_path, "Assets/chair.obj");
  EXPECT_EQ(first.virtual_path, "Engine/chair");

  disk.put("repo/Assets/chair.obj", kTwo);
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_EQ(beside("Assets/chair.obj").uuid, first.uuid);
  EXPECT_EQ(beside("Assets/chair.obj").sub_assets.size(), first.sub_assets.size() + 1);
  EXPECT_EQ(unitys("Assets/chair.obj"), kUnity);
}

// Unity gives a .meta to a file when it sees it, perhaps after the import.
TEST_F(UnityMeta, all_new_ones_of_its_folder_of_assets_stand_beside) {
  disk.put("repo/Assets/stool.obj", kTriangle);
  disk.put("repo/Demo/one/Assets/lamp.obj", kTriangle);
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_FALSE(disk.has("repo/Assets/stool.obj.meta"));
  EXPECT_TRUE(disk.has("repo/Assets/stool.obj.assetc"));
  EXPECT_TRUE(disk.has("repo/Demo/one/Assets/lamp.obj.meta"));
}

TEST_F(UnityMeta, ours_of_before_stays_where_it_is) {
  disk.erase("repo/Assets/chair.obj.meta");
  import();
  const std::string text = disk.text("repo/Assets/chair.obj.meta");
  disk.put("repo/Assets/stool.obj", kTriangle);
  disk.put("repo/Assets/stool.obj.meta", kUnity);
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), text);
  EXPECT_FALSE(disk.has("repo/Assets/chair.obj.assetc"));
  EXPECT_TRUE(disk.has("repo/Assets/stool.obj.assetc"));
}

TEST_F(UnityMeta, a_source_whose_meta_unity_replaced_keeps_its_uuid) {
  disk.erase("repo/Assets/chair.obj.meta");
  import();
  const Uuid uuid = meta("Assets/chair.obj").uuid;
  disk.put("repo/Assets/chair.obj.meta", kUnity);
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_EQ(beside("Assets/chair.obj").uuid, uuid);
  EXPECT_EQ(unitys("Assets/chair.obj"), kUnity);
}

// Unity deletes a .meta file if it does not know the file that it belongs to.
TEST_F(UnityMeta, one_that_unity_deleted_comes_back) {
  import();
  const std::string ours = disk.text("repo/Assets/chair.obj.assetc");
  disk.erase("repo/Assets/chair.obj.assetc");
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.assetc"), ours);
}

TEST_F(UnityMeta, two_of_ours_are_an_error_that_changes_nothing) {
  import();
  const std::string ours = disk.text("repo/Assets/chair.obj.assetc");
  disk.put("repo/Assets/chair.obj.meta", ours);
  EXPECT_THAT(errors(import()),
              ElementsAre("Assets/chair.obj.assetc: is beside Assets/chair.obj.meta, and both give "
                          "Assets/chair.obj a UUID; delete one of the two: keep the one whose UUID other files "
                          "refer to"));
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.assetc"), ours);
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), ours);
}

TEST_F(UnityMeta, prune_removes_ours_alone) {
  import();
  disk.put("repo/Assets/gone.obj.meta", kUnity);
  disk.put("repo/Assets/Empty.meta", kUnity);
  disk.put("repo/Assets/lost.obj.assetc", disk.text("repo/Assets/chair.obj.assetc"));
  options.prune = true;
  const ImportReport report = import();
  EXPECT_THAT(errors(report), IsEmpty());
  EXPECT_THAT(report.pruned, ElementsAre("Assets/lost.obj.assetc"));
  EXPECT_EQ(unitys("Assets/gone.obj"), kUnity);
  EXPECT_EQ(unitys("Assets/Empty"), kUnity);
}

TEST_F(UnityMeta, a_move_takes_both_along) {
  disk.put("repo/Assets/Props/chair.obj", kTriangle);
  disk.put("repo/Assets/Props/chair.obj.meta", kUnity);
  disk.put("repo/Assets/Props.meta", kUnity);
  import();
  const Uuid uuid = beside("Assets/Props/chair.obj").uuid;
  disk.put("repo/Assets/Props/chair.obj.assetc.meta", kUnity);  // which Unity writes for our file
  EXPECT_THAT(import().changes, IsEmpty());
  ASSERT_TRUE(move_assets(options, "Assets/Props/chair.obj", "Assets/seat.obj", disk));
  EXPECT_EQ(beside("Assets/seat.obj").uuid, uuid);
  EXPECT_EQ(unitys("Assets/seat.obj"), kUnity);
  EXPECT_EQ(unitys("Assets/seat.obj.assetc"), kUnity);
  EXPECT_FALSE(disk.has("repo/Assets/Props/chair.obj.meta"));
  EXPECT_FALSE(disk.has("repo/Assets/Props/chair.obj.assetc.meta"));
  EXPECT_EQ(unitys("Assets/Props"), kUnity);

  ASSERT_TRUE(remove_assets(options, "Assets/seat.obj", false, disk));
  EXPECT_FALSE(disk.has("repo/Assets/seat.obj.meta"));
  EXPECT_FALSE(disk.has("repo/Assets/seat.obj.assetc"));
  EXPECT_FALSE(disk.has("repo/Assets/seat.obj.assetc.meta"));
}

TEST_F(UnityMeta, a_source_that_moved_with_theirs_alone_is_found) {
  import();
  const Uuid uuid = beside("Assets/chair.obj").uuid;
  disk.move("repo/Assets/chair.obj", "repo/Assets/Props/seat.obj");
  disk.move("repo/Assets/chair.obj.meta", "repo/Assets/Props/seat.obj.meta");
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_EQ(beside("Assets/Props/seat.obj").uuid, uuid);
  EXPECT_FALSE(disk.has("repo/Assets/chair.obj.assetc"));
  EXPECT_EQ(unitys("Assets/Props/seat.obj"), kUnity);
}

// A second import of the same files changes nothing, whatever came before.
TEST_F(UnityMeta, random_changes_never_touch_theirs_and_keep_uuids) {
  std::mt19937 random(7);
  const std::vector<std::string> names{"Assets/a.obj", "Assets/b.obj", "Assets/P/c.obj", "Demo/x/Assets/d.obj"};
  std::map<std::string, Uuid> known;
  for (int round = 0; round < 200; ++round) {
    const std::string& name = names[random() % names.size()];
    const std::string file = "repo/" + name;
    switch (random() % 4) {
      case 0:
        disk.put(file, random() % 2 == 0 ? kTriangle : kTwo);
        break;
      case 1:
        if (!disk.has(file + ".meta")) disk.put(file + ".meta", kUnity);
        break;
      case 2:
        if (disk.has(file + ".meta") && identity::is_unity_meta(disk.text(file + ".meta"))) disk.erase(file + ".meta");
        break;
      default:
        if (disk.has(file + ".meta") && disk.has(file)) disk.put(file + ".meta", kUnity);
        break;
    }
    std::map<std::string, std::string> theirs;
    for (const std::string& of : names) {
      const std::string at = "repo/" + of + ".meta";
      if (disk.has(at) && identity::is_unity_meta(disk.text(at))) theirs[at] = disk.text(at);
    }
    options.prune = false;
    ASSERT_THAT(errors(import()), IsEmpty()) << round;
    for (const auto& [at, text] : theirs) ASSERT_EQ(disk.text(at), text) << at << " in round " << round;
    for (const std::string& of : names) {
      if (!disk.has("repo/" + of)) continue;
      const bool is_beside = disk.has("repo/" + of + ".assetc");
      ASSERT_TRUE(is_beside || disk.has("repo/" + of + ".meta")) << of << " in round " << round;
      const Uuid uuid = is_beside ? beside(of).uuid : meta(of).uuid;
      const auto [at, is_new] = known.emplace(of, uuid);
      ASSERT_EQ(at->second, uuid) << of << " in round " << round;
    }
    ASSERT_THAT(import().changes, IsEmpty()) << round;
  }
  EXPECT_EQ(known.size(), names.size());
}

TEST(UnityMetaText, is_recognized_by_its_lines) {
  const struct {
    const char* text;
    bool is_unitys;
  } kRows[] = {
      {kUnity, true},
      {"guid: 00\nfileFormatVersion: 2", true},
      {"\xEF\xBB\xBF"
       "fileFormatVersion: 2\r\nguid: 00\r\n",
       true},
      {"", false},
      {"fileFormatVersion: 2\n", false},
      {"guid: 00\n", false},
      {"{\"fileFormatVersion:\": 1,\nguid: 2}", false},
      {"a: fileFormatVersion: 2\n guid: 00\n", false},
  };
  for (const auto& row : kRows) EXPECT_EQ(identity::is_unity_meta(row.text), row.is_unitys) << row.text;
}

TEST(UnityMetaText, the_owner_of_a_meta) {
  EXPECT_EQ(identity::owner_of_meta("a/b.png.meta"), "a/b.png");
  EXPECT_EQ(identity::owner_of_meta("a/b.png.assetc"), "a/b.png");
  EXPECT_EQ(identity::owner_of_meta("a/b.png.assetc.meta"), "a/b.png.assetc") << "Unity has a .meta of our file";
  EXPECT_EQ(identity::owner_of_meta("a/b.png"), "");
}

}  // namespace
}  // namespace assetc::engine
