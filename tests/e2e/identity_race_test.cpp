// Imports and watches while git, cp and people change the same files.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "e2e/repository.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

constexpr const char* kSettles = "ASSETC_SETTLE=1";

class RepositoryRace : public Repository {
 protected:
  void shell(const std::string& command) const {
    ASSERT_EQ(std::system(("cd '" + root_.string() + "' && " + command).c_str()), 0) << command;
  }
  void pictures(const std::string& folder, int count) const {
    for (int i = 0; i < count; ++i)
      write(folder + "/d" + std::to_string(i % 4) + "/n" + std::to_string(i) + ".png",
            png(8, 8, 3u + static_cast<std::uint32_t>(i)));
  }
  // Stops the command that start() started.
  Finished stop(pid_t child) const {
    kill(-child, SIGTERM);
    return finish(child);
  }
};

TEST_F(RepositoryRace, an_import_during_a_copy_keeps_the_uuids_of_the_copied_files) {
  pictures("there/Assets", 80);
  run("import", {}, "there");
  for (int round = 0; round < 3; ++round) {
    fs::remove_all(root_ / "Assets");
    fs::create_directories(root_ / "Assets");
    shell("cp -r there/Assets/d0 Assets/");  // an import that finds nothing is an error
    const pid_t import = start("import -q", kSettles);
    shell("for d in there/Assets/*; do cp -r $d Assets/; sleep 0.1; done");
    const Finished done = finish(import);
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    shell("diff -r there/Assets Assets");
  }
}

TEST_F(RepositoryRace, a_branch_keeps_its_uuids_if_it_is_checked_out_under_a_watch) {
  write("Assets/base.png", png(8, 8, 1));
  import();
  commit();
  git("checkout -q -b feature");
  pictures("Assets", 200);
  import();
  commit();
  git("checkout -q main");
  const pid_t watch = start("watch --platform Linux", std::string(kSettles) + " exec");
  for (int i = 0; i < 100 && read("stdout.txt").find("watching") == std::string::npos; ++i) shell("sleep 0.1");
  for (int round = 0; round < 2; ++round) {
    git("checkout -q feature");
    shell("sleep 2.5");
    shell("git status --porcelain --untracked-files=no > changed.txt");
    EXPECT_EQ(read("changed.txt"), "");
    git("checkout -q -f main");
    shell("sleep 1.5");
    EXPECT_FALSE(exists("Assets/d0/n0.png.meta"));
  }
  const Finished done = stop(watch);
  EXPECT_THAT(done.err, Not(HasSubstr("error:")));
}

TEST_F(RepositoryRace, files_that_arrive_while_a_watch_cooks_are_no_errors) {
  write("Assets/first.png", png(8, 8, 1));
  const pid_t watch = start("watch --platform Linux", std::string(kSettles) + " exec");
  for (int i = 0; i < 100 && read("stdout.txt").find("watching") == std::string::npos; ++i) shell("sleep 0.1");
  for (std::uint32_t i = 0; i < 25; ++i) {
    write("Assets/n" + std::to_string(i) + ".png", png(8, 8, 10 + i));
    shell("sleep 0.06");
  }
  for (int i = 0; i < 100 && !exists("Assets/n24.png.meta"); ++i) shell("sleep 0.1");
  const auto blob = [&] { return "build/Cooked/Linux/Assets/" + uuid("Assets/n24.png") + ".bin"; };
  for (int i = 0; i < 100 && !exists(blob()); ++i) shell("sleep 0.1");
  const Finished done = stop(watch);
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(exists(blob()));
}

TEST_F(RepositoryRace, a_lock_of_git_is_waited_for_and_named) {
  write("Assets/a.png", png(8, 8, 1));
  write(".git/index.lock", "");
  const pid_t import = start("import", kSettles);
  shell("sleep 1.5; rm .git/index.lock");
  EXPECT_EQ(finish(import).exit_code, 0);
  EXPECT_TRUE(exists("Assets/a.png.meta"));
}

TEST_F(RepositoryRace, a_folder_that_links_lead_to_has_each_asset_once) {
  write("Assets/S/s.png", png(8, 8, 1));
  fs::create_directory_symlink("S", root_ / "Assets/L");
  write("Shared/t.png", png(8, 8, 2));
  fs::create_directory_symlink("../Shared", root_ / "Assets/M");
  fs::create_directory_symlink("../Shared", root_ / "Assets/N");
  // A material that names a picture through a link finds the asset.
  write("Assets/wall.mat", "baseColorTexture: /Assets/L/s.png\n");
  import();
  const std::string first = read("Assets/S/s.png.meta"), second = read("Shared/t.png.meta");
  EXPECT_EQ(member("Assets/S/s.png", "SourcePath"), "Assets/S/s.png");
  EXPECT_EQ(member("Shared/t.png", "SourcePath"), "Assets/M/t.png");
  EXPECT_THAT(import(), HasSubstr("nothing changed"));
  EXPECT_EQ(read("Assets/S/s.png.meta"), first);
  EXPECT_EQ(read("Shared/t.png.meta"), second);
  import("--prune");
  EXPECT_EQ(read("Shared/t.png.meta"), second);
  const Finished cook = run("cook --platform Linux");
  EXPECT_EQ(cook.exit_code, 0) << cook.out << cook.err;
  EXPECT_THAT(run("registry query build/Cooked/Linux --json").out, HasSubstr(uuid("Assets/S/s.png")));
}

TEST_F(RepositoryRace, a_read_only_meta_is_named_and_stays) {
  write("Assets/m.obj", triangle(1));
  import();
  const fs::path meta = root_ / "Assets/m.obj.meta";
  const std::string before = read("Assets/m.obj.meta");
  ASSERT_EQ(chmod(meta.c_str(), 0444), 0);
  write("Assets/m.obj", triangle(1) + "o Two\nv 0 0 2\nf 1 2 4\n");
  const Finished refused = run("import");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("Assets/m.obj.meta: is read-only; check it out"));
  EXPECT_EQ(read("Assets/m.obj.meta"), before);
  const Finished stamped = run("cook --platform Linux --frozen --stamp");
  EXPECT_EQ(stamped.exit_code, 1);
  EXPECT_EQ(read("Assets/m.obj.meta"), before);
  ASSERT_EQ(chmod(meta.c_str(), 0644), 0);
  EXPECT_EQ(run("import").exit_code, 0);
}

TEST_F(RepositoryRace, the_time_to_settle_is_checked) {
  write("Assets/a.png", png(8, 8, 1));
  for (const char* wrong : {"-1", "soon", "3601", "1s"}) {
    const Finished refused = run("import", std::string("ASSETC_SETTLE=") + wrong);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("expected seconds from 0 to 3600")) << wrong;
  }
}

}  // namespace
}  // namespace assetc::e2e
