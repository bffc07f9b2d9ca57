#ifndef _WIN32  // windows_test.cpp
#include "os/process.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "os/file.hpp"
#include "os/local_socket.hpp"

namespace assetc::os {
namespace {

StartOptions shell(const std::string& script) { return {.program = "sh", .arguments = {"sh", "-c", script}}; }
Exit exit_of(const StartOptions& options) { return Process::start(options).value().wait(kNever).value(); }

TEST(Process, says_how_it_ended) {
  EXPECT_TRUE(exit_of(shell("exit 0")).is(0));
  EXPECT_TRUE(exit_of(shell("exit 7")).is(7));
  const Exit killed = exit_of(shell("kill -SEGV $$"));
  EXPECT_FALSE(killed.status);
  EXPECT_FALSE(killed.took_too_long);
  EXPECT_EQ(killed.signal, "Segmentation fault");
}

TEST(Process, a_program_that_is_not_there_is_not_found) {
  auto process = Process::start({.program = "assetc-no-such-program", .arguments = {"x"}});
  if (process) {  // an emulator may fork instead of sharing memory with the child
    EXPECT_TRUE(process->wait(kNever).value().is(kNotStartedStatus));
  } else {
    EXPECT_TRUE(process.error().is(FaultKind::kNotFound));
  }
}

TEST(Process, output_and_working_folder_are_as_asked) {
  const std::string folder = make_temporary_directory("assetc-os-test-").value();
  StartOptions options = shell("pwd -P; echo to error >&2");
  options.output_path = folder + "/log";
  options.working_directory = folder;
  EXPECT_TRUE(exit_of(options).is(0));
  std::ifstream log(folder + "/log");
  const std::string text{std::istreambuf_iterator<char>(log), {}};
  EXPECT_EQ(text, std::filesystem::canonical(folder).string() + "\nto error\n");
  std::filesystem::remove_all(folder);
}

#ifdef __linux__
// Runs `work` in a process, kills it, and returns how the process ended whose number `work` wrote into the channel.
// Nothing if this system, such as an emulator, does not let a process adopt orphans.
std::optional<int> status_of_orphan(const std::function<void(int channel)>& work) {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return std::nullopt;  // orphans become children of this process
  auto [mine, its] = Channel::make_pair().value();
  const pid_t parent = ::fork();
  if (parent == 0) {
    work(its.descriptor());
    for (;;) ::pause();
  }
  pid_t orphan = 0;
  EXPECT_TRUE(receive_all(mine.descriptor(), std::as_writable_bytes(std::span(&orphan, 1)), kNever));
  ::kill(parent, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_EQ(::waitpid(orphan, &status, 0), orphan);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  return status;
}

TEST(Process, ends_with_the_thread_that_started_it_if_asked) {
  const std::optional<int> status = status_of_orphan([](int channel) {
    const Channel output(channel);
    // The shell writes to the standard input, which is the channel.
    StartOptions options = shell(
        "printf \"$(printf '\\\\%03o' $(($$ % 256)) $(($$ / 256 % 256)) $(($$ / 65536)) 0)\" >&0; "
        "exec sleep 30");
    options.standard_input = &output;
    options.ends_with_thread = true;
    auto process = Process::start(options);
    for (;;) ::pause();
  });
  if (!status) GTEST_SKIP() << "no process adopts orphans here";
  EXPECT_TRUE(WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL) << *status;
}

TEST(Process, that_serves_ends_with_its_peer) {
  const std::optional<int> status = status_of_orphan([](int channel) {
    auto [mine, its] = Channel::make_pair().value();
    const pid_t child = ::fork();
    if (child == 0) {
      mine = Channel();
      end_with_peer(its.descriptor());
      const pid_t self = ::getpid();
      send_all(channel, std::as_bytes(std::span(&self, 1)), kNever);
      ::sleep(30);
      ::_exit(7);
    }
    its = Channel();
    for (;;) ::pause();
  });
  if (!status) GTEST_SKIP() << "no process adopts orphans here";
  EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 0) << *status;
}
#endif

TEST(Process, more_processor_time_than_the_limit_is_said) {
  StartOptions options = shell("while :; do :; done");
  options.processor_seconds = 1;
  EXPECT_TRUE(exit_of(options).took_too_long);
}

TEST(Process, waiting_ends_at_the_deadline_and_kill_ends_the_process) {
  Process process = Process::start(shell("exec sleep 1000")).value();
  EXPECT_FALSE(process.wait(std::chrono::steady_clock::now() + std::chrono::milliseconds(10)));
  EXPECT_FALSE(process.ended());
  EXPECT_EQ(process.kill().signal, "Killed");
  EXPECT_TRUE(process.ended());
}

TEST(Channel, carries_bytes_to_a_child_and_back) {
  auto [mine, its] = Channel::make_pair().value();
  StartOptions options = shell("exec cat <&0 >&0");
  options.standard_input = &its;
  Process process = Process::start(options).value();
  its = Channel();
  const ByteVector sent(300'000, std::byte{42});
  ByteVector received(sent.size());
  std::jthread sender([&, channel = mine.descriptor()] { EXPECT_TRUE(send_all(channel, sent, kNever)); });
  EXPECT_TRUE(receive_all(mine.descriptor(), received, kNever));
  EXPECT_EQ(received, sent);
  process.kill();
  EXPECT_FALSE(receive_all(mine.descriptor(), std::span(received).first(1), kNever));
}

TEST(Channel, a_deadline_ends_the_wait) {
  auto [mine, its] = Channel::make_pair().value();
  std::byte byte{};
  EXPECT_FALSE(receive_all(mine.descriptor(), {&byte, 1}, std::chrono::steady_clock::now()));
}

TEST(Waker, wakes_who_waits_and_who_will_wait) {
  Waker waker;
  ASSERT_TRUE(waker);
  EXPECT_FALSE(waker.wait_for(std::chrono::milliseconds(0)));
  waker.wake();
  EXPECT_TRUE(waker.wait_for(std::chrono::milliseconds(0)));
}

TEST(LocalSocket, is_not_connected_where_nobody_listens) {
  EXPECT_FALSE(LocalSocket::connect("/assetc-no-such-socket"));
  EXPECT_FALSE(SocketAddress::has(std::string(200, 'a'))) << "the name alone is too long";
}

TEST(LocalSocket, may_lie_at_a_path_that_is_longer_than_an_address) {
  std::string folder = (std::filesystem::temp_directory_path() / "assetc-socket-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string deep = folder + "/" + std::string(60, 'a') + "/" + std::string(60, 'b'), path = deep + "/socket";
  EXPECT_TRUE(SocketAddress::has(path));
  EXPECT_EQ(SocketAddress(path).name(), "") << "the folder is not there";
  EXPECT_FALSE(LocalSocket::connect(path));
  std::filesystem::create_directories(deep);
  {
    const SocketAddress named(path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(named.name().size(), sizeof address.sun_path);
    named.name().copy(address.sun_path, sizeof address.sun_path - 1);
    const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(server, 1), 0);
    EXPECT_TRUE(std::filesystem::is_socket(path));
    EXPECT_TRUE(LocalSocket::connect(path));
    ::close(server);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace assetc::os
#endif
