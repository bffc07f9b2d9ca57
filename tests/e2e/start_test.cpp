// What the command loads when it starts.
#include <gmock/gmock.h>

#include <sstream>

#include "e2e/project.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Runs the command, and returns what the system's loader says of the libraries that it initializes.
class ALoadedLibrary : public Project {
 protected:
  std::string loaded(const std::string& arguments) {
    const Finished done = run(arguments, "LD_DEBUG=files");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    std::string libraries;
    std::istringstream lines(done.err);
    for (std::string line; std::getline(lines, line);)
      if (line.find("calling init: ") != std::string::npos) libraries += line + "\n";
    EXPECT_THAT(libraries, HasSubstr("libm.so"));
    return libraries;
  }
};

TEST_F(ALoadedLibrary, is_one_that_the_sources_need) {
#ifndef ASSETC_DELAY
  GTEST_SKIP() << "this build links all libraries";
#endif
  const auto rarely_used = {"libsndfile", "libharfbuzz", "libfreetype", "libicu", "libastcenc"};
  write("assets/wood.png", png(8, 8, 1));
  const std::string first = loaded("");
  EXPECT_THAT(first, HasSubstr("libspng"));
  const std::string second = loaded("");
  for (const char* name : rarely_used) {
    EXPECT_THAT(first, Not(HasSubstr(name)));
    EXPECT_THAT(second, Not(HasSubstr(name)));
  }
  EXPECT_THAT(loaded("--version"), Not(HasSubstr("libspng")));
  write("assets/Größe.png", png(8, 8, 2));
  EXPECT_THAT(loaded(""), AllOf(HasSubstr("libicuuc"), Not(HasSubstr("libsndfile"))));
}

// The compilers of shaders are a program beside the command, or in lib/assetc of its installation.
class ProgramOfShaders : public Project {
 protected:
  void SetUp() override {
#ifndef ASSETC_SHADER_PROGRAM
    GTEST_SKIP() << "the command of this build has the compilers";
#endif
    Project::SetUp();
    write("assets/flat.shader/fragment.glsl",
          "#version 450\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(1); }\n");
    fs::create_directories(root_ / "copy/bin");
    fs::create_directories(root_ / "copy/lib/assetc");
    fs::copy_file(places::kProgram, root_ / "copy/bin/assetc");
  }
  Finished run_copy() const { return run("", "copy() { ./copy/bin/assetc; }; copy"); }
};

TEST_F(ProgramOfShaders, may_be_in_lib_or_beside_the_command) {
  for (const std::string place : {"copy/lib/assetc/", "copy/bin/"}) {
    const std::string program = place + "assetc-shaders";
    fs::copy_file(fs::path(places::kProgram).parent_path() / "assetc-shaders", root_ / program);
    remove("runtime");
    const Finished done = run_copy();
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(exists("runtime/flat.shader/fragment.spv")) << done.out;
    remove(program);
  }
}

TEST_F(ProgramOfShaders, is_named_if_it_is_missing) {
  write("assets/wood.png", png(8, 8, 1));
  const Finished done = run_copy();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("fragment.glsl: cannot start assetc-shaders: No such file or directory; it is a part "
                                  "of assetc; keep it beside assetc, or in lib/assetc beside its bin folder"));
  EXPECT_TRUE(exists("runtime/wood.ktx2"));
}

}  // namespace
}  // namespace assetc::e2e
