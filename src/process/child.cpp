#include "process/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

namespace assetc::process {
namespace {

constexpr int kSocket = 0;        // of the child: its standard input
constexpr int kNotStarted = 127;  // the status of a child that could not start the program, where spawning says nothing

std::atomic<bool> starts_children = false;

std::uint64_t address_space_bytes() {
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

void limit(decltype(RLIMIT_AS) resource, std::uint64_t value) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min<rlim_t>(value, now.rlim_max);
  ::setrlimit(resource, &now);
}

std::uint64_t processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
}

std::unexpected<Error> cannot_start(const Words& words, int error) {
  return fail(ErrorCode::kIo, "cannot start " + std::string(words.who) + ": " + std::strerror(error));
}

}  // namespace

std::optional<int> run_as(std::span<const Role* const> roles, int argc, const char* const* argv) {
  for (const Role* const role : roles) {
    if (argc == 2 && std::strcmp(argv[1], role->argument) == 0) return role->serve(kSocket);
  }
  starts_children = true;
  return std::nullopt;
}

bool can_start() { return starts_children; }

std::uint64_t prepare_to_serve() {
  std::set_new_handler([] { ::_exit(kOutOfMemoryStatus); });
  limit(RLIMIT_CORE, 0);
  return address_space_bytes();
}

void limit_source(const Limits& limits, std::uint64_t started_bytes) {
  if (kLimitsMemory) limit(RLIMIT_AS, started_bytes + limits.memory_bytes);
  limit(RLIMIT_CPU, processor_seconds() + limits.processor_seconds);
}

Result<std::optional<Child>> Child::start(const Role& role, const Words& words) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return cannot_start(words, errno);
  FileHandle mine(ends[0]);
  const FileHandle its(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, its.get(), kSocket);
  for (const int output : {1, 2}) posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  std::string program = "assetc", argument = role.argument;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOEXEC || error == ENOENT) {
    starts_children = false;
    return std::nullopt;
  }
  if (error != 0) return cannot_start(words, error);
  return Child(pid, std::move(mine));
}

Error Child::end(const Limits& limits, Deadline deadline, const Words& words) {
  const bool late = std::chrono::steady_clock::now() >= deadline;
  ::kill(pid_, SIGKILL);  // one that ended keeps its status; one that lives broke the protocol, or is late
  const int status = reap(std::exchange(pid_, 0));
  if (late) return hang_error(limits, words);
  started_ = !WIFEXITED(status) || WEXITSTATUS(status) != kNotStarted;
  out_of_memory_ = WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemoryStatus;
  if (!started_) starts_children = false;
  return crash_error(status, limits, words);
}

}  // namespace assetc::process
