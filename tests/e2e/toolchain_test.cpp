// External compilers: if one is replaced, its outputs are rebuilt.
#include <gmock/gmock.h>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

std::string compute(int size) {
  return "#version 450\nlayout(local_size_x=" + std::to_string(size) + ") in;\nvoid main() {}\n";
}

// A stand-in for slangc on PATH that compiles one program.
class AToolchain : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    write("assets/one.shader/compute.glsl", compute(1));
    write("assets/two.shader/compute.glsl", compute(2));
    build();
    write("v1.spv", read("runtime/one.shader/compute.spv"));
    write("v2.spv", read("runtime/two.shader/compute.spv"));
    write("assets/wave.shader/compute.slang", "[numthreads(1, 1, 1)] void main() {}\n");
    path_ = getenv("PATH");
    setenv("PATH", ((root_ / "bin").string() + ":" + path_).c_str(), 1);
    install("v1");
    build();
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    Project::TearDown();
  }
  void install(const std::string& version, const std::string& name = "slangc", const char* output = "-o",
               const char* asks = "-v") {
    remove("bin/" + name);
    write("bin/" + name, "#!/bin/sh\nif [ \"$1\" = " + std::string(asks) + " ]; then echo " + version +
                             "; echo asked >> '" + (root_ / "asked").string() + "'; exit; fi\nwhile [ \"$1\" != " +
                             output + " ]; do shift; done\ncp '" + (root_ / version).string() + ".spv' \"$2\"\n");
    fs::permissions(root_ / "bin" / name, fs::perms::owner_all);
  }
  std::vector<std::string> explained() { return lines_after(build("--explain").out, "built "); }

  std::string path_;
};

TEST_F(AToolchain, replacing_slangc_rebuilds_what_it_compiled) {
  EXPECT_EQ(read("runtime/wave.shader/compute.spv"), read("v1.spv"));
  install("v2");
  EXPECT_THAT(explained(),
              ElementsAre(MatchesRegex(
                  R"(wave\.shader \(shader\): toolchain changed: slangc v1 \([0-9a-f]+\) -> v2 \([0-9a-f]+\))")));
  EXPECT_EQ(read("runtime/wave.shader/compute.spv"), read("v2.spv"));
  EXPECT_THAT(explained(), IsEmpty());
  install("v1");
  EXPECT_THAT(explained(), testing::SizeIs(1));
  EXPECT_EQ(read("runtime/wave.shader/compute.spv"), read("v1.spv"));
}

TEST_F(AToolchain, dxc_takes_over_hlsl_when_it_is_installed_and_a_newer_one_compiles_again) {
  write("assets/flow.shader/compute.hlsl", "[numthreads(3, 1, 1)] void main() {}\n");
  build();
  const std::string own = read("runtime/flow.shader/compute.spv");
  install("v1", "dxc", "-Fo", "--version");
  EXPECT_THAT(explained(),
              ElementsAre(MatchesRegex(
                  R"(flow\.shader \(shader\): toolchain changed: dxc not installed -> v1 \([0-9a-f]+\))")));
  EXPECT_EQ(read("runtime/flow.shader/compute.spv"), read("v1.spv"));
  install("v2", "dxc", "-Fo", "--version");
  EXPECT_THAT(explained(), testing::SizeIs(1));
  EXPECT_EQ(read("runtime/flow.shader/compute.spv"), read("v2.spv"));
  write("assetc.yml", "default: {shader: {hlsl: glslang}}\n");
  build();
  EXPECT_EQ(read("runtime/flow.shader/compute.spv"), own);
  install("v1", "dxc", "-Fo", "--version");
  EXPECT_THAT(explained(), IsEmpty());
}

// Every program that assetc starts on sources.
TEST_F(AToolchain, programs_end_with_a_killed_build_and_their_folders_go_at_the_next_start) {
  struct Row {
    const char* program;
    const char* source;
    std::string text;
  };
  // The directory of a TIFF: 2 x 2 gray texels of 8 bits.
  std::string tiff("II*\0\x08\0\0\0", 8);
  const auto number = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) tiff += static_cast<char>(value >> 8 * i);
  };
  const std::pair<std::uint32_t, std::uint32_t> kTags[] = {{256, 2}, {257, 2}, {258, 8}, {259, 1}, {262, 1},
                                                           {273, 8}, {277, 1}, {278, 2}, {279, 4}};
  number(std::size(kTags), 2);
  for (const auto& [tag, value] : kTags) number(tag, 2), number(3, 2), number(1, 4), number(value, 4);
  number(0, 4);
  const Row kRows[] = {{"slangc", "assets/end.shader/compute.slang", "[numthreads(2, 1, 1)] void main() {}\n"},
                       {"dxc", "assets/end.shader/compute.hlsl", "[numthreads(2, 1, 1)] void main() {}\n"},
                       {"oiiotool", "assets/end.tif", tiff}};
  const std::string temporary = (root_ / "tmp").string(), pid_file = (root_ / "pid").string();
  const auto leftovers = [&] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(temporary)) names.push_back(entry.path().filename().string());
    return names;
  };
  fs::create_directory(temporary);
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.program);
    const auto stand_in = [&](const std::string& then) {
      write(std::string("bin/") + row.program, "#!/bin/sh\ncase \"$1\" in -v|--version) echo v1; exit;; esac\n" + then);
      fs::permissions(root_ / "bin" / row.program, fs::perms::owner_all);
    };
    stand_in("echo $$ > '" + pid_file + ".new'\nmv '" + pid_file + ".new' '" + pid_file + "'\nexec sleep 1000\n");
    write(row.source, row.text);
    const pid_t build = start("", "TMPDIR='" + temporary + "' exec");
    while (!exists("pid")) {
      ASSERT_EQ(waitpid(build, nullptr, WNOHANG), 0) << read("stderr.txt");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const pid_t program = static_cast<pid_t>(std::stol(read("pid")));
    EXPECT_THAT(leftovers(), testing::Not(IsEmpty()));
    kill(build, SIGKILL);
    finish(build);
    // It may be a zombie until some process adopts it.
    const auto runs = [&] {
      const std::string state = read_file("/proc/" + std::to_string(program) + "/stat");
      return !state.empty() && state[state.rfind(')') + 2] != 'Z';
    };
    while (runs()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stand_in("exit 1\n");
    run("", "TMPDIR='" + temporary + "'");
    EXPECT_THAT(leftovers(), IsEmpty());
    remove(row.source);
    remove("pid");
  }
}

TEST_F(AToolchain, a_slangc_that_is_only_written_anew_rebuilds_nothing) {
  install("v1");
  EXPECT_THAT(explained(), IsEmpty());
}

TEST_F(AToolchain, a_build_of_nothing_does_not_ask_slangc) {
  EXPECT_EQ(read("asked"), "asked\n");
  build();
  write("assets/one.shader/compute.glsl", compute(3));
  build();
  EXPECT_EQ(read("asked"), "asked\n");
}

TEST_F(AToolchain, without_slangc_its_outputs_are_not_taken_for_current) {
  setenv("PATH", path_.c_str(), 1);
  const Finished done = run("--explain");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, testing::HasSubstr("Slang needs the program slangc, which is not on PATH"));
}

}  // namespace
}  // namespace assetc::e2e
