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
