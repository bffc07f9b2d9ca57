// External programs and their temporary folders, also of a process that is killed.
#include "process/program.hpp"

#include <gmock/gmock.h>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

namespace assetc::process {
namespace {

namespace fs = std::filesystem;

class Folders : public testing::Test {
 protected:
  Folders() {
    temporary_ = os::make_temporary_directory("assetc-test-").value();
    if (const char* const before = ::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", temporary_.c_str(), 1);
  }
  ~Folders() override {
    before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR");
    fs::remove_all(temporary_);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(temporary_)) found.push_back(entry.path().filename().string());
    return found;
  }
  std::string temporary_;
  std::optional<std::string> before_;
};

TEST_F(Folders, are_removed_with_their_contents) {
  {
    const auto folder = TemporaryFolder::create("picture");
    ASSERT_TRUE(folder);
    EXPECT_TRUE(write_file(folder->path() / "in/deep", as_bytes("source")));
    EXPECT_THAT(names(), testing::ElementsAre(testing::StartsWith("assetc-picture-")));
  }
  EXPECT_THAT(names(), testing::IsEmpty());
}

TEST_F(Folders, of_killed_processes_are_removed_by_others) {
  fs::create_directory(temporary_ + "/assetc-of-someone");  // not one of ours: it has no lock
  fs::create_symlink("..", temporary_ + "/assetc-link");
  auto [mine, its] = os::Channel::make_pair().value();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto folder = TemporaryFolder::create("picture");
    if (!folder || !write_file(folder->path() / "in.tif", as_bytes("source"))) ::_exit(1);
    os::send_all(its.descriptor(), as_bytes("r"), kNever);
    for (;;) ::pause();
  }
  std::byte ready{};
  ASSERT_TRUE(os::receive_all(mine.descriptor(), {&ready, 1}, kNever));
  TemporaryFolder::remove_leftovers();
  EXPECT_THAT(names(), testing::SizeIs(3)) << "the process still uses its folder";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  TemporaryFolder::remove_leftovers();
  EXPECT_THAT(names(), testing::UnorderedElementsAre("assetc-of-someone", "assetc-link"));
}

TEST_F(Folders, without_a_lock_are_removed_only_if_they_are_empty_and_named_as_ours) {
  fs::create_directory(temporary_ + "/assetc-slangc-aB3dE6");
  fs::create_directory(temporary_ + "/assetc-mine");
  fs::create_directories(temporary_ + "/assetc-picture-aB3dE6/work");
  fs::create_directory(temporary_ + "/assetc-shared-aB3dE6");
  for (const char* const name : {"/assetc-slangc-aB3dE6", "/assetc-mine", "/assetc-picture-aB3dE6"})
    fs::permissions(temporary_ + name, fs::perms::owner_all);
  TemporaryFolder::remove_leftovers();
  EXPECT_THAT(names(), testing::UnorderedElementsAre("assetc-mine", "assetc-picture-aB3dE6", "assetc-shared-aB3dE6"));
}

TEST_F(Folders, run_programs_that_leave_their_output_there) {
  const auto folder = TemporaryFolder::create("program");
  ASSERT_TRUE(folder);
  const auto log = folder->path() / "log";
  const auto exit = run_program({"sh", "-c", "pwd -P; echo problem >&2; exit 3"}, folder->path(), log, {}, {});
  ASSERT_TRUE(exit && *exit);
  EXPECT_TRUE((*exit)->is(3));
  EXPECT_EQ(read_text(log), fs::canonical(folder->path()).string() + "\nproblem\n");
  const auto none = run_program({"assetc-no-such-program"}, folder->path(), log, {}, {});
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace assetc::process
#endif
