// Sources that cannot be read or that change while they are compiled; records that are lost.
#include <gmock/gmock.h>

#include "engine/engine_fixture.hpp"
#include "engine/look/check.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kShut =
    "assets/shut: cannot be read: Permission denied; check who may read it, or list it under ignore:; its earlier "
    "outputs are kept\n";

class Unreadable : public Engine {
 protected:
  void project() {
    disk.put("assets/a.pic", "a");
    disk.put("assets/shut/b.pic", "b");
    disk.put("assets/shut/deep/c.model", "clip\n");
    disk.put("assets/user.model", "picture shut/w.paint\n");
    disk.put("assets/shut/w.paint", "wood");
    disk.put("assets/try.model", "try shut/b.pic\n");
  }
};

TEST_F(Unreadable, a_folder_that_cannot_be_read_stops_nothing_else_of_a_first_build) {
  project();
  disk.unreadable.insert("assets/shut");
  const auto report = try_build();
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_FALSE(report->ok);
  EXPECT_FALSE(report->index_written);
  EXPECT_THAT(messages(*report), HasSubstr(kShut));
  EXPECT_TRUE(disk.has("runtime/a.ktx2"));
  disk.unreadable.clear();
  build();
  expect_tree_as_clean();
}

TEST_F(Unreadable, outputs_of_a_folder_that_cannot_be_read_stay_and_so_do_those_that_take_from_it) {
  project();
  build();
  const auto before = disk.tree("runtime");
  disk.unreadable.insert("assets/shut");
  disk.put("assets/a.pic", "changed");
  request.dry_run = true;
  const auto dry = try_build();
  ASSERT_TRUE(dry) << dry.error().to_string();
  EXPECT_THAT(dry->removed, IsEmpty());
  EXPECT_FALSE(dry->ok);
  request.dry_run = false;
  for (int round = 0; round < 2; ++round) {
    const auto report = try_build();
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_FALSE(report->ok);
    EXPECT_THAT(messages(*report), HasSubstr(kShut));
    EXPECT_THAT(report->removed, IsEmpty());
    auto now = disk.tree("runtime");
    EXPECT_THAT(now["a.ktx2"], HasSubstr("changed"));
    now["a.ktx2"] = before.at("a.ktx2");
    EXPECT_EQ(now, before);
  }
  disk.unreadable.clear();
  build();
  expect_tree_as_clean();
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Unreadable, a_pack_or_a_check_of_a_folder_that_cannot_be_read_is_an_error) {
  project();
  build();
  disk.unreadable.insert("runtime/shut");
  const auto report = check("runtime", disk);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().to_string(), "runtime/shut: cannot be read: Permission denied; check who may read it");
}

TEST_F(Unreadable, a_source_that_changes_under_its_step_is_read_again) {
  disk.put("assets/m.model", "include half.txt\n");
  disk.put("assets/half.txt", "half");
  disk.put("assets/p.pic", "broken, as far as it is written");
  int reads = 0;
  disk.after_read = [&](const std::string& path) {
    if (path == "assets/p.pic" && ++reads == 2) disk.put(path, "whole");
  };
  build();
  EXPECT_EQ(reads, 4);  // to plan, to cook, to notice the change, to cook again
  disk.after_read = nullptr;
  expect_tree_as_clean();
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Unreadable, a_source_that_keeps_changing_is_an_error_in_the_end) {
  disk.put("assets/p.pic", "broken 0");
  int reads = 0;
  disk.after_read = [&](const std::string& path) {
    if (path == "assets/p.pic") disk.put(path, "broken " + std::to_string(++reads));
  };
  const auto report = try_build();
  disk.after_read = nullptr;
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_FALSE(report->ok);
  EXPECT_THAT(toy::cooked().take(), ElementsAre("p.pic", "p.pic", "p.pic"));
}

TEST_F(Unreadable, files_that_no_record_names_are_told_once_where_records_are_lost) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  disk.put("assets/m.model", "clip\n");
  EXPECT_EQ(messages(build()), "");
  disk.erase("runtime/.assetc-cache");
  disk.erase("runtime/.assetc-cache-outputs");
  disk.erase("assets/b.pic");
  disk.erase("assets/m.model");
  EXPECT_EQ(
      messages(build()),
      "runtime/b.ktx2: was not written by this build, and no record says which build wrote it; the same is true of "
      "2 other files; if its source is gone, delete it, or delete the output folder and build again\n");
  EXPECT_EQ(messages(build()), "");
  const auto checked = check("runtime", disk);
  ASSERT_TRUE(checked) << checked.error().to_string();
  EXPECT_THAT(checked->unrecorded, ElementsAre("b.ktx2", "m.hanim", "m.hmesh"));
}

}  // namespace
}  // namespace assetc::engine
