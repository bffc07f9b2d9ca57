// assetc new: the projects that it makes compile, and the steps that it prints work as printed.
#include <gmock/gmock.h>

#include "e2e/project.hpp"
#include "parsed_json.hpp"

namespace assetc::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NewProject : public Project {
 protected:
  // The steps that a run printed.
  static std::vector<std::string> steps(const Finished& done) { return lines_after(done.out, "  "); }
  // Runs words in a shell, in a folder below the root, with assetc on PATH.
  Finished shell(const std::string& words, const std::string& folder = ".") const {
    const std::string program = places::kProgram;
    const std::string path = program.substr(0, program.rfind('/'));
    const std::string command = "cd '" + (root_ / folder).string() + "' && PATH='" + path + "':\"$PATH\" && { " +
                                words + "; } >'" + (root_ / "stdout.txt").string() + "' 2>'" +
                                (root_ / "stderr.txt").string() + "'";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), read("stdout.txt"), read("stderr.txt")};
  }
  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> found;
    for (const auto& [path, text] : tree(folder)) found.push_back(path);
    return found;
  }
};

TEST_F(NewProject, for_an_engine_compiles_without_a_warning_and_its_program_loads_it) {
  const Finished made = build("new game");
  EXPECT_EQ(made.out,
            "wrote game, a project of 8 files. Next steps:\n"
            "  cd game && assetc\n  cmake -B build && cmake --build build\n  build/game\n");
  EXPECT_THAT(files("game"),
              ElementsAre(".gitignore", "CMakeLists.txt", "README.md", "assetc.yml", "assets/crate/crate.mtl",
                          "assets/crate/crate.obj", "assets/crate/crate.png", "main.cpp"));
  EXPECT_TRUE(read("game/README.md").starts_with("# game\n"));
  EXPECT_EQ(shell(steps(made)[0]).err, "");
  const Finished checked = run("check", "", "game");
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("no problems"));
  // The same source, which CMake compiles against the runtime library.
  const Finished loaded = shell("'" + std::string(places::kBinary) + "/new_project_probe'", "game");
  EXPECT_EQ(loaded.exit_code, 0) << loaded.err;
  EXPECT_THAT(loaded.out, testing::MatchesRegex("crate: 24 vertices, . levels? of detail\n"
                                                "texture: 128 x 128 texels, 8 levels\n"));
}

TEST_F(NewProject, for_the_web_compiles_to_the_scene_that_its_page_draws) {
  const Finished made = build("new page --for web");
  const auto printed = steps(made);
  ASSERT_EQ(printed.size(), 3u);
  EXPECT_TRUE(printed[1].starts_with("npm install"));
  EXPECT_EQ(printed[2], "npm start");
  EXPECT_EQ(shell(printed[0]).err, "");
  EXPECT_EQ(run("check", "", "page").exit_code, 0);
  EXPECT_TRUE(exists("page/runtime/crate/crate.hscene"));
  EXPECT_THAT(read("page/main.js"), HasSubstr("'crate/crate.hscene'"));
  // The page finds the packages without a bundler.
  const Json map = parsed_json(read("page/package.json"));
  for (const char* const name : {"@assetc/codec", "@assetc/three"}) {
    const std::string folder = "/web/" + std::string(name).substr(8);
    const Json package = parsed_json(read_file(places::kSource + folder + "/package.json"));
    EXPECT_EQ(map["dependencies"][name], package["version"]) << name;
    const std::string entry = package["exports"]["."]["default"].as_string().substr(1);
    EXPECT_THAT(read("page/index.html"),
                HasSubstr("\"" + std::string(name) + "\": \"./node_modules/" + name + entry + "\""));
  }
}

TEST_F(NewProject, for_cooks_works_as_its_steps_say) {
  const Finished made = build("new cooks --for cooked");
  const auto printed = steps(made);
  ASSERT_EQ(printed.size(), 3u);
  const Finished done = shell(printed[0] + " && " + printed[1] + " && " + printed[2]);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(done.out, HasSubstr("build/Cooked/Linux: 4 assets, 3 dependencies, 0 redirectors, no problems\n"));
  const Finished others = run("cook --platform Win64,Mobile", "", "cooks");
  EXPECT_EQ(others.exit_code, 0);
  EXPECT_EQ(others.err, "");
}

TEST_F(NewProject, has_a_name_with_spaces_quotes_and_other_letters) {
  const Finished made = build("new \"sub/it's größer – ゲーム\"");
  EXPECT_THAT(made.out, HasSubstr("  cd 'sub/it'\\''s größer – ゲーム' && assetc\n"));
  EXPECT_TRUE(read("sub/it's größer – ゲーム/README.md").starts_with("# it's größer – ゲーム\n"));
  const Finished done = shell(steps(made)[0]);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(exists("sub/it's größer – ゲーム/runtime/crate/crate.hmesh"));
}

TEST_F(NewProject, may_take_an_empty_folder_and_no_other) {
  fs::create_directories(root_ / "empty");
  build("new empty/");
  EXPECT_TRUE(exists("empty/assetc.yml"));
  write("full/.hidden", "mine");
  write("file", "mine");
  EXPECT_EQ(run("new full").exit_code, 2);
  EXPECT_EQ(run("new full").err,
            "error: full: already exists and contains .hidden; nothing was changed; choose another name, or use "
            "`assetc init` in a folder that has assets\n");
  EXPECT_EQ(run("new file").err, "error: file: already exists and is not a folder; choose another name\n");
  EXPECT_THAT(files("full"), ElementsAre(".hidden"));
  EXPECT_EQ(read("full/.hidden"), "mine");
  EXPECT_EQ(read("file"), "mine");
  EXPECT_EQ(run("new").exit_code, 2);
  EXPECT_EQ(run("new ''").exit_code, 2);
  EXPECT_EQ(run("new other --for console").exit_code, 2);
  EXPECT_FALSE(exists("other"));
}

TEST_F(NewProject, that_cannot_be_written_leaves_nothing) {
  const Finished done = run("new a/b/game", "trap '' XFSZ; ulimit -f 1;");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_TRUE(done.err.starts_with("error: a/b/game/")) << done.err;
  EXPECT_FALSE(exists("a"));
  fs::create_directories(root_ / "empty");
  EXPECT_EQ(run("new empty", "trap '' XFSZ; ulimit -f 1;").exit_code, 1);
  EXPECT_TRUE(exists("empty"));
  EXPECT_TRUE(fs::is_empty(root_ / "empty"));
}

TEST_F(NewProject, is_one_event_of_json) {
  const Json made = parsed_json(build("new 'a b' --for cooked --json").out);
  EXPECT_EQ(made["event"], "project_made");
  EXPECT_EQ(made["path"], "a b");
  EXPECT_EQ(made["purpose"], "cooked");
  EXPECT_EQ(made["files"].size(), files("a b").size());
  EXPECT_EQ(made["steps"].items()[0], "cd 'a b' && assetc import");
}

}  // namespace
}  // namespace assetc::e2e
