// Where sources and outputs lie: however a folder is spelled, it is the same folder.
#include <gmock/gmock.h>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Paths : public Project {
 protected:
  // The first words of the summary: "2 sources: 0 built, 2 up to date".
  static std::string counts(const Finished& done) { return done.out.substr(0, done.out.find_first_of(";(")); }
};

TEST_F(Paths, an_output_inside_the_input_is_no_source_however_either_is_spelled) {
  fs::create_directory_symlink("project", root_ / "link");
  for (const std::string input : {".", "./", "../project", "../link", "sub/..", "../project/./"}) {
    for (const std::string output : {"runtime", "./out/", "../link/sub/out", "sub/../deep/er"}) {
      remove("project");
      write("project/a.png", png(4, 4, 1));
      write("project/sub/b.png", png(4, 4, 2));
      write("project/assetc.yml",
            "input: " + input + "\noutput: " + output + "\npresets:\n  mobile: {output: ./mobile}\n");
      const std::string spelled = input + " into " + output;
      for (const char* arguments : {"", "--preset mobile", "-o elsewhere/deep", "--pack", "--preset mobile --pack"}) {
        const Finished first = run(arguments, {}, "project");
        EXPECT_EQ(first.exit_code, 0) << spelled << "\n" << first.err;
        EXPECT_THAT(first.out, StartsWith("2 sources: ")) << spelled << " " << arguments;
        EXPECT_THAT(first.out, Not(HasSubstr("left out"))) << spelled << " " << arguments;
        const Finished second = run(arguments, {}, "project");
        EXPECT_EQ(counts(second), "2 sources: 0 built, 2 up to date") << spelled << " " << arguments;
      }
    }
  }
}

TEST_F(Paths, an_input_above_the_configuration_leaves_the_output_out) {
  write("project/a.png", png(4, 4, 1));
  write("project/build/assetc.yml", "input: ..\n");
  EXPECT_EQ(counts(run("", {}, "project/build")), "1 source: 1 built, 0 up to date");
  EXPECT_EQ(counts(run("", {}, "project/build")), "1 source: 0 built, 1 up to date");
}

TEST_F(Paths, an_output_reached_through_a_link_in_the_input_is_no_source) {
  write("assets/a.png", png(4, 4, 1));
  write("assetc.yml", "output: assets/runtime\n");
  fs::create_directory_symlink("runtime", root_ / "assets/again");
  build();
  EXPECT_EQ(counts(build()), "1 source: 0 built, 1 up to date");
  EXPECT_EQ(tree("assets/runtime").size(), 2u);
}

TEST_F(Paths, the_output_of_another_build_is_left_out_with_a_word) {
  write("assets/a.png", png(4, 4, 1));
  build("-o assets/first");
  const Finished done = build();
  EXPECT_THAT(done.out, StartsWith("1 source: 1 built"));
  EXPECT_THAT(done.err, HasSubstr("warning: first: is the output of another build, and is left out; move it out of the "
                                  "input, or name it under ignore:\n"));
  write("assetc.yml", "ignore: [first]\n");
  EXPECT_EQ(build().err, "");
}

TEST_F(Paths, an_output_that_contains_the_input_is_refused_however_it_is_spelled) {
  write("assets/a.png", png(4, 4, 1));
  fs::create_directory_symlink(".", root_ / "link");
  for (const char* output : {".", "assets", "./assets/", "link", "link/assets", "..", "/"}) {
    const Finished done = run(std::string("-o ") + output);
    EXPECT_EQ(done.exit_code, 2) << output;
    EXPECT_THAT(done.err, EndsWith("contains the input \"assets\"; build into a directory of its own\n")) << output;
  }
  EXPECT_FALSE(exists("assets.hman"));
}

TEST_F(Paths, check_and_info_look_at_one_output_and_name_those_inside_it) {
  write("assets/a.png", png(4, 4, 1));
  write("assets/b.n.png", png(4, 4, 2));
  write("assetc.yml", "presets:\n  desktop: {output: runtime/desktop}\n  mobile: {output: runtime/mobile}\n");
  build();
  build("--preset desktop");
  build("--preset mobile");
  for (const std::string command : {"check", "info"}) {
    const Finished done = build(command);
    EXPECT_EQ(done.err,
              "note: runtime/desktop: is an output of its own and is left out; -o names it\n"
              "note: runtime/mobile: is an output of its own and is left out; -o names it\n");
    EXPECT_THAT(done.out, Not(HasSubstr("mobile/"))) << done.out;
    EXPECT_THAT(done.out, HasSubstr("3 files"));
    EXPECT_EQ(build(command + " --preset mobile").err, "");
  }
}

TEST_F(Paths, check_and_info_work_inside_an_unpacked_artifact) {
  write("assets/a.png", png(4, 4, 1));
  build();
  build("-o runtime/mobile");
  remove("runtime/.assetc-cache");
  remove("runtime/mobile/.assetc-cache");
  for (const char* command : {"check -o .", "check -o ./", "check -o ../runtime", "info -o ."}) {
    const Finished done = run(command, {}, "runtime");
    EXPECT_EQ(done.exit_code, 0) << command << "\n" << done.err;
    EXPECT_THAT(done.out, HasSubstr("2 files")) << command;
  }
}

}  // namespace
}  // namespace assetc::e2e
