// Imports while another program writes the same files: version control, copies, exporters.
#include <deque>
#include <random>

#include "engine/import_fixture.hpp"
#include "engine/meta/move.hpp"
#include "engine/sequences.hpp"

namespace assetc::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string model(const std::string& name) { return "o " + name + "\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"; }

class ImportRace : public Import {
 protected:
  ImportRace() { disk.remove_all("repo"); }
  // The .meta of a source on another machine, where it was imported and committed.
  static std::string committed(const std::string& path, const std::string& content) {
    FakeDisk other;
    other.put("repo/" + path, content);
    ImportOptions there;
    there.root = "repo";
    EXPECT_TRUE(import_assets(there, other));
    return other.text("repo/" + path + ".meta");
  }
};

TEST_F(ImportRace, a_meta_that_appears_before_ours_is_written_stays) {
  disk.put("repo/Assets/a.obj", model("A"));
  const std::string theirs = committed("Assets/a.obj", model("A"));
  disk.before_replace = [&](const std::string& path) {
    disk.before_replace = nullptr;
    disk.put(path, theirs);
  };
  const ImportReport report = import();
  EXPECT_TRUE(report.is_busy);
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(report.errors[0].code, ErrorCode::kConflict);
  EXPECT_THAT(report.changes, IsEmpty()) << "nothing was written";
  EXPECT_EQ(disk.text("repo/Assets/a.obj.meta"), theirs);
  EXPECT_THAT(import().errors, IsEmpty());
  EXPECT_EQ(disk.text("repo/Assets/a.obj.meta"), theirs);
}

TEST_F(ImportRace, a_meta_that_changes_before_ours_is_written_stays) {
  disk.put("repo/Assets/a.obj", model("A"));
  import();
  disk.put("repo/Assets/a.obj", model("A") + "o B\nv 0 0 2\nf 1 2 4\n");
  const std::string theirs = committed("Assets/a.obj", model("A"));
  disk.before_replace = [&](const std::string& path) {
    disk.before_replace = nullptr;
    disk.put(path, theirs);
  };
  EXPECT_TRUE(import().is_busy);
  EXPECT_EQ(disk.text("repo/Assets/a.obj.meta"), theirs);
}

TEST_F(ImportRace, a_meta_that_changes_before_it_is_pruned_stays) {
  disk.put("repo/Assets/gone.obj.meta", committed("Assets/gone.obj", model("A")));
  options.prune = true;
  disk.before_replace = [&](const std::string& path) { disk.put(path, "someone writes here"); };
  EXPECT_THAT(import().pruned, IsEmpty());
  EXPECT_EQ(disk.text("repo/Assets/gone.obj.meta"), "someone writes here");
}

TEST_F(ImportRace, waits_for_the_meta_that_follows_its_source) {
  disk.stand_still = true;
  disk.put("repo/Assets/a.obj", model("A"));
  const std::string theirs = committed("Assets/a.obj", model("A"));
  disk.while_waiting = [&] {
    disk.while_waiting = nullptr;
    disk.put("repo/Assets/a.obj.meta", theirs);
  };
  EXPECT_THAT(import().changes, IsEmpty());
  EXPECT_EQ(disk.text("repo/Assets/a.obj.meta"), theirs);
}

TEST_F(ImportRace, a_folder_that_a_checkout_removes_is_no_error) {
  disk.put("repo/Assets/a.obj", model("A"));
  disk.put("repo/Assets/d/b.obj", model("B"));
  import();
  disk.put("repo/Assets/a.obj", model("C"));
  disk.put("repo/Assets/d/b.obj.meta", disk.text("repo/Assets/d/b.obj.meta"));  // is read again
  disk.after_read = [&](const std::string& path) {
    if (!path.ends_with("a.obj")) return;
    disk.after_read = nullptr;
    disk.remove_all("repo/Assets/d");
  };
  const ImportReport report = import();
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_EQ(report.sources, 1u);
}

TEST_F(ImportRace, waits_once_if_nothing_follows) {
  disk.stand_still = true;
  disk.put("repo/Assets/a.obj", model("A"));
  int waits = 0;
  disk.while_waiting = [&] { ++waits; };
  EXPECT_EQ(import().changes.size(), 1u);
  EXPECT_EQ(waits, 1);
}

TEST_F(ImportRace, writes_nothing_in_a_folder_that_never_rests_but_elsewhere) {
  disk.put("repo/Assets/still/a.obj", model("A"));
  disk.put("repo/Assets/frames/0.obj", model("B"));
  disk.stand_still = true;
  int frames = 0;
  disk.while_waiting = [&] { disk.put("repo/Assets/frames/" + std::to_string(++frames) + ".obj", model("B")); };
  disk.put("repo/Assets/frames/x.obj", model("B"));
  const ImportReport report = import();
  EXPECT_TRUE(report.is_busy);
  ASSERT_EQ(report.errors.size(), 1u) << "one for the folder";
  EXPECT_EQ(report.errors[0].file, "Assets/frames");
  EXPECT_THAT(report.errors[0].what, HasSubstr("keeps changing files"));
  EXPECT_EQ(report.changes.size(), 1u);
  EXPECT_TRUE(disk.has("repo/Assets/still/a.obj.meta"));
  EXPECT_FALSE(disk.has("repo/Assets/frames/x.obj.meta"));
  EXPECT_EQ(frames, 10) << "ten seconds";
  disk.while_waiting = nullptr;
  disk.sleep(2'000'000'000);
  EXPECT_EQ(import().changes.size(), static_cast<std::size_t>(frames) + 2);
}

TEST_F(ImportRace, writes_nothing_while_git_holds_its_lock) {
  disk.put("repo/Assets/a.obj", model("A"));
  disk.put("repo/.git/index.lock", "");
  const ImportReport report = import();
  EXPECT_TRUE(report.is_busy);
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_THAT(report.errors[0].what, HasSubstr("/repo/.git/index.lock exists"));
  EXPECT_FALSE(disk.has("repo/Assets/a.obj.meta"));
  const auto moved = move_assets(options, "Assets/a.obj", "Assets/b.obj", disk);
  ASSERT_FALSE(moved);
  EXPECT_THAT(moved.error().what, HasSubstr("git changes files now"));
  EXPECT_TRUE(disk.has("repo/Assets/a.obj"));
  // In a worktree, .git is a file.
  disk.move("repo/.git/index.lock", "git/worktrees/repo/index.lock");
  disk.remove_all("repo/.git");
  disk.put("repo/.git", "gitdir: /project/git/worktrees/repo\r\n");
  EXPECT_TRUE(import().is_busy);
  disk.erase("git/worktrees/repo/index.lock");
  EXPECT_EQ(import().changes.size(), 1u);
}

TEST_F(ImportRace, a_read_only_meta_stays) {
  disk.put("repo/Assets/a.obj", model("A"));
  import();
  const std::string before = disk.text("repo/Assets/a.obj.meta");
  disk.put("repo/Assets/a.obj", model("A") + "o B\nv 0 0 2\nf 1 2 4\n");
  disk.protected_files.insert("repo/Assets/a.obj.meta");
  const ImportReport report = import();
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_FALSE(report.is_busy);
  EXPECT_THAT(report.errors[0].to_string(), HasSubstr("Assets/a.obj.meta: is read-only; check it out"));
  EXPECT_EQ(disk.text("repo/Assets/a.obj.meta"), before);
  disk.protected_files.clear();
  EXPECT_EQ(import().changes.size(), 1u);
}

TEST_F(ImportRace, a_source_that_is_looked_at_again_is_not_read_again) {
  disk.stand_still = true;
  disk.put("repo/Assets/a.obj", model("A"));
  disk.sleep(100'000'000);
  disk.put("repo/Assets/b.obj", model("B"));
  int reads = 0;
  disk.after_read = [&](const std::string& path) { reads += path == "repo/Assets/a.obj" ? 1 : 0; };
  disk.while_waiting = [&] {
    disk.while_waiting = nullptr;
    disk.sleep(2'000'000'000);
    disk.put("repo/Assets/b.obj", model("C"));
    disk.sleep(2'000'000'000);
  };
  EXPECT_EQ(import().changes.size(), 2u);
  EXPECT_EQ(reads, 1);
}

// Another program brings the tree from one commit to another, one file after the other, at any time of an import. It
// pauses for less than a second, and holds git's lock if it is git.
TEST_F(ImportRace, no_switch_of_branches_and_no_copy_changes_a_committed_uuid) {
  using Commit = std::map<std::string, std::string>;
  std::vector<Commit> commits(4);
  std::mt19937 random(56);
  const auto chance = [&](unsigned of) { return random() % of == 0; };
  std::map<std::string, std::string> metas;  // by path and content
  for (Commit& commit : commits) {
    for (int i = 0; i < 12; ++i) {
      if (chance(3)) continue;
      const std::string path = "Assets/d" + std::to_string(i % 3) + "/m" + std::to_string(i) + ".obj";
      const std::string content = model(chance(2) ? "Part" : "Other" + std::to_string(random() % 3));
      std::string& meta = metas[path + content];
      if (meta.empty()) meta = committed(path, content);
      commit[path] = content;
      commit[path + ".meta"] = meta;
    }
  }
  for (int round = 0; round < sequences(); ++round) {
    disk.remove_all("repo");
    disk.put("repo/README", "");
    Commit now;
    std::deque<std::function<void()>> work;  // of the other program
    const bool is_git = chance(2);
    const auto go_to = [&](const Commit& next) {
      std::vector<std::string> paths;
      for (const auto& [path, text] : now) paths.push_back(path);
      for (const auto& [path, text] : next) {
        if (!now.contains(path)) paths.push_back(path);
      }
      if (is_git) {
        std::ranges::shuffle(paths, random);  // it goes by name, but sources in git-lfs come last
      } else {                                // a copy ends with one folder before it begins the next
        std::ranges::shuffle(paths, random);
        std::ranges::stable_sort(paths, {}, [](const std::string& path) { return path.substr(0, path.rfind('/')); });
      }
      if (is_git) work.emplace_back([&] { disk.put("repo/.git/index.lock", ""); });
      for (const std::string& path : paths) {
        const auto at = next.find(path);
        if (at == next.end()) {
          work.emplace_back([&, path] { disk.erase("repo/" + path); });
        } else if (!now.contains(path) || now[path] != at->second) {
          if (now.contains(path)) work.emplace_back([&, path] { disk.erase("repo/" + path); });
          work.emplace_back([&, path, text = at->second] { disk.put("repo/" + path, text); });
        }
      }
      if (is_git) work.emplace_back([&] { disk.erase("repo/.git/index.lock"); });
      now = next;
    };
    disk.stand_still = true;
    const auto act = [&](unsigned most) {
      for (unsigned n = random() % (most + 1); n > 0 && !work.empty(); --n) {
        const auto step = std::move(work.front());
        work.pop_front();
        step();
        disk.sleep(1'000'000 * static_cast<std::int64_t>(random() % 300));
      }
    };
    // An act during an act would be of a second program.
    bool is_acting = false;
    const auto interfere = [&](unsigned least, unsigned most) {
      if (is_acting) return;
      is_acting = true;
      if (least == 1 && !work.empty()) {
        const auto step = std::move(work.front());
        work.pop_front();
        step();
      }
      act(most);
      is_acting = false;
    };
    disk.after_read = [&](const std::string&) {
      if (chance(8)) interfere(0, 2);
    };
    disk.before_replace = [&](const std::string&) {
      if (chance(2)) interfere(0, 3);
    };
    disk.while_waiting = [&] { interfere(1, 4); };
    go_to(commits[random() % commits.size()]);
    while (!work.empty()) {
      if (chance(3)) interfere(0, 5);
      import();
      if (chance(4) && work.empty()) go_to(commits[random() % commits.size()]);
    }
    disk.after_read = nullptr;
    disk.before_replace = nullptr;
    disk.while_waiting = nullptr;
    disk.sleep(5'000'000'000);
    import();
    for (const auto& [path, text] : now) {
      if (!path.ends_with(".meta")) continue;
      EXPECT_EQ(disk.text("repo/" + path), text) << "round " << round << ", " << path << (is_git ? ", git" : ", copy");
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace assetc::engine
