#ifdef _WIN32
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/absolute_path.hpp"
#include "os/directory.hpp"
#include "os/file.hpp"
#include "os/local_socket.hpp"
#include "os/machine.hpp"
#include "os/mapping.hpp"
#include "os/process.hpp"

namespace assetc::os {
namespace {

class Windows : public testing::Test {
 protected:
  void SetUp() override { folder_ = make_temporary_directory("assetc-os-test-").value(); }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(native_path(folder_), ignored);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, std::string_view text) const {
    const File file = File::open(path(name), File::Mode::kCreate).value();
    ASSERT_TRUE(file.write(as_bytes(text)));
  }
  std::string get(const std::string& name) const {
    const File file = File::open(path(name), File::Mode::kRead).value();
    ByteVector bytes(file.status().value().size_bytes);
    EXPECT_EQ(file.read_at(0, bytes).value(), bytes.size());
    return std::string(as_text(bytes));
  }

  std::string folder_;
};

TEST_F(Windows, refuses_names_of_devices_and_names_that_windows_changes) {
  for (const char* name : {"CON", "aux.png", "nul", "LPT1.txt", "com9", "a.", "a ", "a:b", "a?b", "a*", "CON /a"}) {
    EXPECT_TRUE(File::open(path(name), File::Mode::kCreate).error().is(FaultKind::kNotName)) << name;
    EXPECT_TRUE(status(path(name)).error().is(FaultKind::kNotName)) << name;
  }
  for (const char* name : {"CONS", "com0", "lpt", "auxx.png", ".a", "a.b.c", "con-1"}) {
    put(name, name);
    EXPECT_EQ(get(name), name);
  }
  EXPECT_EQ(status(path("aux.png")).error().text(), "Windows does not allow this name");
}

TEST_F(Windows, names_are_utf8_and_either_slash_separates) {
  put("\xc3\xa4\xe6\x9d\xb1\xf0\x9f\x8e\xb2.txt", "dice");
  Directory directory = Directory::open(folder_).value();
  EXPECT_EQ(directory.next().value()->name, "\xc3\xa4\xe6\x9d\xb1\xf0\x9f\x8e\xb2.txt");
  EXPECT_FALSE(directory.next().value());
  ASSERT_TRUE(make_directory(folder_ + "\\below"));
  put("below/a", "1");
  EXPECT_EQ(status(folder_ + "\\below\\a").value(), status(path("BELOW/A")).value());
}

TEST_F(Windows, paths_may_be_longer_than_260_characters) {
  std::string deep = folder_;
  for (int i = 0; i < 10; ++i) {
    deep += "/" + std::string(50, static_cast<char>('a' + i));
    ASSERT_TRUE(make_directory(deep)) << deep;
  }
  {
    const File file = File::open(deep + "/file", File::Mode::kCreate).value();
    ASSERT_TRUE(file.write(as_bytes("far")));
  }
  EXPECT_EQ(Directory::open(deep).value().status_of("file").value().size_bytes, 3u);
  ASSERT_TRUE(rename(deep + "/file", deep + "/renamed"));
  EXPECT_EQ(canonical_path(deep + "/../" + std::string(50, 'j') + "/renamed"), canonical_path(deep) + "/renamed");
  EXPECT_TRUE(remove_file(deep + "/renamed"));
  while (deep != folder_) {
    EXPECT_TRUE(remove_directory(deep));
    deep.resize(deep.rfind('/'));
  }
}

TEST_F(Windows, a_file_that_is_read_can_be_replaced_and_removed) {
  put("a", "old");
  put("b", "new");
  const File reader = File::open(path("a"), File::Mode::kRead).value();
  if (const auto renamed = rename(path("b"), path("a"))) {
    EXPECT_EQ(get("a"), "new");
  } else {  // Wine and file systems without POSIX semantics
    EXPECT_TRUE(renamed.error().is(FaultKind::kInUse)) << renamed.error().text();
    EXPECT_EQ(renamed.error().text(), "another program has the file open");
    EXPECT_EQ(get("a"), "old");
  }
  std::byte first{};
  EXPECT_EQ(reader.read_at(0, {&first, 1}).value(), 1u);
  EXPECT_EQ(first, std::byte{'o'});
  EXPECT_TRUE(remove_file(path("a")));
}

TEST_F(Windows, a_read_only_file_can_be_replaced_and_removed) {
  put("a", "old");
  put("b", "new");
  std::filesystem::permissions(native_path(path("a")), std::filesystem::perms::owner_read);
  ASSERT_TRUE(rename(path("b"), path("a")));
  EXPECT_EQ(get("a"), "new");
  std::filesystem::permissions(native_path(path("a")), std::filesystem::perms::owner_read);
  EXPECT_TRUE(remove_file(path("a")));
  EXPECT_TRUE(status(path("a")).error().is(FaultKind::kNotFound));
}

TEST_F(Windows, folders_are_not_files) {
  ASSERT_TRUE(make_directory(path("folder")));
  put("file", "");
  EXPECT_TRUE(File::open(path("folder"), File::Mode::kReadWrite).error().is(FaultKind::kIsDirectory));
  EXPECT_TRUE(File::open(path("folder"), File::Mode::kCreate).error().is(FaultKind::kExists));
  EXPECT_TRUE(File::open(path("file"), File::Mode::kDirectory).error().is(FaultKind::kNotDirectory));
  EXPECT_TRUE(remove_file(path("folder")).error().is(FaultKind::kIsDirectory));
  EXPECT_TRUE(rename(path("file"), path("folder")).error().is(FaultKind::kIsDirectory));
  EXPECT_TRUE(make_directory(path("file")).error().is(FaultKind::kExists));
  put("folder/a", "");
  EXPECT_TRUE(remove_directory(path("folder")).error().is(FaultKind::kNotEmpty));
}

TEST_F(Windows, canonical_paths_are_absolute_with_slashes) {
  put("a", "");
  const std::string real = canonical_path(path("a"));
  EXPECT_TRUE(is_absolute_path(real)) << real;
  EXPECT_EQ(real.find('\\'), real.npos) << real;
  EXPECT_EQ(canonical_path(folder_ + "/./b/../a"), real);
  EXPECT_EQ(canonical_path(path("absent")), "");
  EXPECT_EQ(weakly_canonical_path(path("absent/b")), canonical_path(folder_) + "/absent/b");
  EXPECT_EQ(with_slashes("C:\\a\\b"), "C:/a/b");
  EXPECT_TRUE(is_absolute_path("C:/a"));
  EXPECT_TRUE(is_absolute_path("//server/share/a"));
  EXPECT_FALSE(is_absolute_path("C:a"));
  EXPECT_EQ(status("C:").value(), status("C:/").value()) << "not the working folder of the drive";
}

TEST_F(Windows, times_of_files_are_those_of_the_clock) {
  const std::int64_t before = file_clock_ns();
  put("a", "1");
  const Status first = status(path("a")).value();
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  EXPECT_GT(first.mtime_ns, before - kSecondNs);
  EXPECT_LT(first.mtime_ns, file_clock_ns() + kSecondNs);
  EXPECT_NE(first.inode, 0u);
  EXPECT_TRUE(touch(path("a")));
}

StartOptions command(std::vector<std::string> words) {
  words.insert(words.begin(), {"cmd", "/c"});
  return {.program = "cmd", .arguments = std::move(words)};
}
Exit exit_of(const StartOptions& options) { return Process::start(options).value().wait(kNever).value(); }

TEST_F(Windows, a_process_says_how_it_ended) {
  EXPECT_TRUE(exit_of(command({"exit", "0"})).is(0));
  EXPECT_TRUE(exit_of(command({"exit", "7"})).is(7));
  const auto absent = Process::start({.program = "assetc-no-such-program", .arguments = {"x"}});
  ASSERT_FALSE(absent);
  EXPECT_TRUE(absent.error().is(FaultKind::kNotFound));
  EXPECT_TRUE(find_program("cmd").ends_with("/cmd.exe")) << find_program("cmd");
  EXPECT_EQ(find_program("assetc-no-such-program"), "");
}

TEST_F(Windows, output_and_working_folder_of_a_process_are_as_asked) {
  StartOptions options = command({"cd&echo", "said>&2"});
  options.output_path = path("log");
  options.working_directory = folder_;
  EXPECT_TRUE(exit_of(options).is(0));
  EXPECT_THAT(get("log"), testing::HasSubstr(folder_.substr(folder_.rfind('/') + 1)));
  EXPECT_THAT(get("log"), testing::HasSubstr("said"));
}

TEST_F(Windows, waiting_ends_at_the_deadline_and_kill_ends_the_process) {
  Process process = Process::start(command({"for", "/l", "%i", "in", "(0,0,1)", "do", "@rem"})).value();
  EXPECT_FALSE(process.wait(std::chrono::steady_clock::now() + std::chrono::milliseconds(10)));
  EXPECT_FALSE(process.ended());
  EXPECT_EQ(process.kill().signal, "Killed");
  EXPECT_TRUE(process.ended());
}

TEST_F(Windows, a_channel_carries_bytes_both_ways_until_it_is_closed) {
  auto [mine, its] = Channel::make_pair().value();
  const ByteVector sent(300'000, std::byte{42});
  ByteVector received(sent.size()), back(sent.size());
  {
    const std::jthread other([&, channel = its.descriptor()] {
      EXPECT_TRUE(receive_all(channel, received, kNever));
      EXPECT_TRUE(send_all(channel, received, kNever));
    });
    EXPECT_TRUE(send_all(mine.descriptor(), sent, kNever));
    EXPECT_TRUE(receive_all(mine.descriptor(), back, kNever));
  }
  EXPECT_EQ(back, sent);
  EXPECT_FALSE(receive_all(mine.descriptor(), std::span(back).first(1), std::chrono::steady_clock::now()));
  its = Channel();
  EXPECT_FALSE(receive_all(mine.descriptor(), std::span(back).first(1), kNever));
}

TEST_F(Windows, a_waker_wakes_who_waits_and_who_will_wait) {
  Waker waker;
  ASSERT_TRUE(waker);
  EXPECT_FALSE(waker.wait_for(std::chrono::milliseconds(0)));
  waker.wake();
  EXPECT_TRUE(waker.wait_for(std::chrono::milliseconds(0)));
}

TEST_F(Windows, a_socket_has_one_address_however_its_path_is_written) {
  EXPECT_FALSE(LocalSocket::connect(path("socket")));
  EXPECT_EQ(SocketAddress(path("absent/socket")).name(), "");
  EXPECT_EQ(SocketAddress(path("socket")).name(), SocketAddress(path("./SOCKET")).name());
  EXPECT_TRUE(SocketAddress(path("socket")).name().starts_with("\\\\.\\pipe\\assetc-"));
}

TEST_F(Windows, environment_variables_are_found) {
  EXPECT_TRUE(environment_variable("PATH"));
  EXPECT_FALSE(environment_variable("ASSETC_NO_SUCH_VARIABLE"));
  EXPECT_GT(memory_bytes(), 0u);
  EXPECT_TRUE(program_path().ends_with(".exe")) << program_path();
}

}  // namespace
}  // namespace assetc::os
#endif
