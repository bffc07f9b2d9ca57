// What the command loads when it starts.
#include <gmock/gmock.h>

#include <sstream>

#include "e2e/project.hpp"

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
    EXPECT_THAT(libraries, HasSubstr("libstdc++"));
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

}  // namespace
}  // namespace assetc::e2e
