// UUIDs survive edits by artists and git: assetc import in a real repository.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>
#include <set>

#include "e2e/repository.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

TEST_F(Repository, two_branches_add_move_and_edit_and_merge_without_conflict) {
  write("Assets/chair.obj", triangle(1));
  write("Assets/table.obj", triangle(2));
  write("Assets/lamp.obj", triangle(3));
  import();
  commit();
  const std::string chair = uuid("Assets/chair.obj"), table = uuid("Assets/table.obj"), lamp = uuid("Assets/lamp.obj");

  git("checkout -q -b left");
  write("Assets/vase.obj", triangle(4));
  git("mv Assets/chair.obj Assets/seat.obj");  // without its .meta
  replace("Assets/table.obj.meta", "\"Tags\": []", "\"Tags\": [\"Wood\"]");
  import();
  commit();

  git("checkout -q -b right main");
  write("Assets/bowl.obj", triangle(5));
  write("Assets/table.obj", triangle(2) + "o More\nv 0 0 9\nf 1 2 4\n");
  fs::create_directories(root_ / "Demo/Bar/Assets");
  git("mv Assets/lamp.obj Demo/Bar/Assets/lamp.obj");
  git("mv Assets/lamp.obj.meta Demo/Bar/Assets/lamp.obj.meta");
  import();
  commit();

  git("merge -q --no-edit left");
  EXPECT_EQ(uuid("Assets/seat.obj"), chair);
  EXPECT_EQ(uuid("Assets/table.obj"), table);
  EXPECT_EQ(uuid("Demo/Bar/Assets/lamp.obj"), lamp);
  EXPECT_EQ(member("Demo/Bar/Assets/lamp.obj", "VirtualPath"), "Demo/Bar/lamp");
  EXPECT_THAT(read("Assets/table.obj.meta"), HasSubstr("\"Wood\""));
  EXPECT_THAT(read("Assets/table.obj.meta"), HasSubstr("\"More\""));
  EXPECT_EQ(run("import --check").exit_code, 0);
}

// Each branch is right by itself. After the merge all clones decide alike, whatever they remember.
TEST_F(Repository, two_branches_add_assets_that_are_called_alike) {
  write("Assets/rock.obj", triangle(1));
  git("checkout -q -b left");
  import();
  commit();
  git("checkout -q -b right main");
  write("Assets/rock.png", png(8, 8, 1));
  import();
  commit();
  git("merge -q --no-edit left");
  git("clone -q . other");
  import();
  EXPECT_EQ(run("import --root other").exit_code, 0);
  for (const char* const source : {"Assets/rock.obj", "Assets/rock.png"}) {
    const std::string meta = std::string(source) + ".meta";
    EXPECT_EQ(read("other/" + meta), read(meta));
  }
  EXPECT_EQ(member("Assets/rock.obj", "VirtualPath"), "Engine/rock");
  EXPECT_EQ(member("Assets/rock.png", "VirtualPath"), "Engine/rock_png");
  EXPECT_EQ(run("cook --platform Linux").exit_code, 0);
}

// A switch of branches is no edit, though the virtual path differs.
TEST_F(Repository, a_switch_of_branches_writes_no_redirect) {
  write("Assets/chair.obj", triangle(1));
  import();
  commit();
  git("checkout -q -b renamed");
  replace("Assets/chair.obj.meta", "\"Engine/chair\"", "\"Engine/Seat\"");
  replace("Assets/chair.obj.meta", "\"Engine/chair/Part\"", "\"Engine/Seat/Part\"");
  commit();
  git("checkout -q main");
  import();
  git("checkout -q renamed");
  import();
  EXPECT_EQ(run("import --check").exit_code, 0);
  git("diff --exit-code");
  git("checkout -q main");
  import();
  git("diff --exit-code");
}

TEST_F(Repository, a_copied_pair_gets_a_uuid_of_its_own_and_the_same_one_on_every_machine) {
  write("Assets/chair.obj", triangle(1));
  import();
  const std::string chair = uuid("Assets/chair.obj");
  copy("Assets/chair.obj", "Assets/armchair.obj");
  copy("Assets/chair.obj.meta", "Assets/armchair.obj.meta");
  commit();
  // Another checkout without any history: the copy whose SourcePath equals its path is the original.
  git("clone -q . other");
  const Finished done = run("import --root other");
  EXPECT_THAT(done.out, HasSubstr("copied   Assets/armchair.obj: from Assets/chair.obj"));
  EXPECT_EQ(uuid("other/Assets/chair.obj"), chair);
  EXPECT_NE(uuid("other/Assets/armchair.obj"), chair);
}

TEST_F(Repository, names_that_no_terminal_should_print_are_escaped) {
  write("Assets/l\xe4mp.obj", triangle(1));
  write("Assets/a\nb.obj", triangle(2));
  const Finished imported = run("import");
  EXPECT_EQ(imported.exit_code, 1);
  EXPECT_THAT(imported.err, HasSubstr("error: Assets/l\\xe4mp.obj: has a name that is not UTF-8; rename it\n"));
  EXPECT_THAT(imported.out, HasSubstr("created  Assets/a\\nb.obj\n"));
  EXPECT_EQ(run("mv Assets/chair.obj $'Assets/\\xff.obj'").exit_code, 1);
  const Finished moved = run("mv $'Assets/l\\xe4mp.obj' Assets/lamp.obj");
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_THAT(moved.out, HasSubstr("Assets/l\\xe4mp.obj -> Assets/lamp.obj\n"));
  write("Assets/\xff.obj", triangle(3));
  const Finished removed = run("rm $'Assets/\\xff.obj'");
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_THAT(removed.out, HasSubstr("removed Assets/\\xff.obj\n"));
}

TEST_F(Repository, nothing_follows_links_out_of_it) {
  write("outside/table.obj", triangle(1));
  write("repo/Assets/chair.obj", triangle(2));
  write("repo/Assets/Real/lamp.obj", triangle(3));
  fs::create_directory_symlink("../../outside", root_ / "repo/Assets/Out");
  fs::create_directory_symlink("Real", root_ / "repo/Assets/In");
  const Finished imported = run("import --root repo");
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.err, HasSubstr("warning: Assets/Out: is a link to a path outside the input; it is ignored"));
  EXPECT_FALSE(exists("outside/table.obj.meta"));
  EXPECT_EQ(run("mv --root repo Assets/chair.obj Assets/Out/chair.obj").exit_code, 2);
  EXPECT_EQ(run("mv --root repo Assets/chair.obj Assets/Out").exit_code, 2);
  EXPECT_TRUE(exists("repo/Assets/chair.obj"));
  EXPECT_EQ(run("rm --root repo Assets/Out/table.obj").exit_code, 1);
  // The link is removed, but not its target.
  EXPECT_EQ(run("rm --root repo Assets/Out").exit_code, 0);
  EXPECT_EQ(run("rm --force --root repo Assets/In").exit_code, 0);
  EXPECT_TRUE(exists("outside/table.obj"));
  EXPECT_TRUE(exists("repo/Assets/Real/lamp.obj"));
  EXPECT_FALSE(fs::is_symlink(root_ / "repo/Assets/Out"));
}

TEST_F(Repository, check_is_the_gate_of_a_build_server) {
  write("Assets/chair.obj", triangle(1));
  EXPECT_EQ(run("import --check").exit_code, 1);
  EXPECT_FALSE(exists("Assets/chair.obj.meta"));
  import();
  EXPECT_EQ(run("import --check").exit_code, 0);
  write("Assets/chair.obj", triangle(1) + "o More\nv 0 0 9\nf 1 2 4\n");
  const Finished done = run("import --check");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("Mesh \"More\" is new"));
}

TEST_F(Repository, the_merge_driver_merges_what_lines_cannot_and_marks_the_rest) {
  write("Assets/chair.obj", triangle(1));
  write(".gitattributes", "*.meta merge=assetc\n");
  git("config merge.assetc.driver '" + std::string(places::kProgram) + " merge-meta %O %A %B %P'");
  import();
  commit();
  const std::string chair = uuid("Assets/chair.obj");

  git("checkout -q -b left");
  replace("Assets/chair.obj.meta", "\"Tags\": []", "\"Tags\": [\"Oak\"]");
  replace("Assets/chair.obj.meta", "\"ImportSettings\": {}", "\"ImportSettings\": {\"mesh\": {\"names\": \"false\"}}");
  commit();
  git("checkout -q -b right main");
  replace("Assets/chair.obj.meta", "\"Tags\": []", "\"Tags\": [\"Sale\"]");
  commit();
  git("merge -q --no-edit left");
  EXPECT_EQ(uuid("Assets/chair.obj"), chair);
  EXPECT_THAT(read("Assets/chair.obj.meta"), HasSubstr("\"Sale\",\n    \"Oak\""));
  EXPECT_THAT(read("Assets/chair.obj.meta"), HasSubstr("{\"mesh\": {\"names\": \"false\"}}"));

  git("checkout -q left");
  replace("Assets/chair.obj.meta", "\"License\": \"\"", "\"License\": \"CC0\"");
  commit();
  git("checkout -q right");
  replace("Assets/chair.obj.meta", "\"License\": \"\"", "\"License\": \"MIT\"");
  commit();
  const std::string merge = "cd '" + root_.string() + "' && git merge --no-edit left > stdout.txt 2> stderr.txt";
  EXPECT_NE(std::system(merge.c_str()), 0);
  EXPECT_THAT(read("stderr.txt"), HasSubstr("Assets/chair.obj.meta: /License: was changed on both sides"));
  const std::string marked = read("Assets/chair.obj.meta");
  EXPECT_THAT(marked,
              HasSubstr("<<<<<<< ours\n  \"License\": \"MIT\"\n=======\n  \"License\": \"CC0\"\n>>>>>>> theirs\n"));
  EXPECT_EQ(run("import").exit_code, 1);
  EXPECT_EQ(read("Assets/chair.obj.meta"), marked);
}

// The expected assets, recorded beside the disk.
struct Asset {
  std::string path, uuid;
};

// Artists on two branches edit, move (with and without the .meta) and copy assets, and merge: every asset keeps its
// UUID. ASSETC_STORIES sets the number of runs.
TEST_F(Repository, random_stories_keep_every_identity) {
  const char* asked = std::getenv("ASSETC_STORIES");
  const int stories = asked != nullptr ? std::atoi(asked) : 6;
  std::uint32_t content = 100;
  for (int story = 0; story < stories; ++story) {
    SCOPED_TRACE("story " + std::to_string(story));
    std::mt19937 random(static_cast<std::uint32_t>(story));
    const std::string home = "Assets/s" + std::to_string(story) + "/";
    const auto fresh = [&](const std::string& side) { return home + side + std::to_string(++content) + ".obj"; };
    std::vector<Asset> all;
    for (int i = 0; i < 4; ++i) {
      all.push_back({fresh("base"), {}});
      write(all.back().path, triangle(content));
    }
    import();
    commit();
    for (Asset& asset : all) asset.uuid = uuid(asset.path);

    const auto play = [&](const std::string& side, std::vector<Asset> mine) {
      for (int step = 0; step < 4; ++step) {
        Asset& asset = mine[random() % mine.size()];
        const std::string to = fresh(side);
        switch (random() % 5) {
          case 0:
            write(asset.path, triangle(content));
            break;
          case 1:
            move(asset.path, to);
            move(asset.path + ".meta", to + ".meta");
            asset.path = to;
            break;
          case 2:
            move(asset.path, to);
            asset.path = to;
            break;
          case 3:
            copy(asset.path, to);
            copy(asset.path + ".meta", to + ".meta");
            mine.push_back({to, {}});
            break;
          default:
            write(to, triangle(content));
            mine.push_back({to, {}});
        }
        import();
        for (Asset& each : mine) {
          if (each.uuid.empty()) each.uuid = uuid(each.path);
          EXPECT_EQ(uuid(each.path), each.uuid) << each.path << " on " << side << ", step " << step;
        }
      }
      commit();
      return mine;
    };
    git("checkout -q -b left");
    const std::vector<Asset> left = play("left", {all[0], all[1]});
    git("checkout -q -b right main");
    const std::vector<Asset> right = play("right", {all[2], all[3]});
    git("merge -q --no-edit left");
    import("--prune");
    std::set<std::string> uuids;
    for (const std::vector<Asset>& side : {left, right}) {
      for (const Asset& asset : side) {
        EXPECT_EQ(uuid(asset.path), asset.uuid) << asset.path << " after the merge";
        EXPECT_TRUE(uuids.insert(asset.uuid).second) << asset.path << " shares its UUID";
      }
    }
    commit();
    git("checkout -q main");
    git("merge -q --no-edit right");
    git("branch -q -D left right");
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace assetc::e2e
