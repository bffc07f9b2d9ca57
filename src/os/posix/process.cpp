#include "os/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "os/file.hpp"

#ifndef _GNU_SOURCE  // unistd.h declares it
extern char** environ;
#endif

namespace assetc::os {
namespace {

// Returns whether fd became ready for events (of poll), or was closed by its other end, before the deadline.
bool wait_until_ready(int fd, short events, Deadline deadline) {
  for (;;) {
    // Rounded up, so that the timeout never ends before the deadline.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd one{fd, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::clamp<long long>(left, 0, INT_MAX)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// Both directions of a channel. operation(bytes done) transfers a part of size bytes and returns the results of send
// and recv.
template <class Operation>
bool transfer(int channel, short events, std::size_t size, Deadline deadline, const Operation& operation) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t moved = operation(done);
    if (moved > 0) {
      done += static_cast<std::size_t>(moved);
    } else if (moved < 0 && errno == EINTR) {
      continue;
    } else if (moved == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) ||
               !wait_until_ready(channel, events, deadline)) {
      return false;
    }
  }
  return true;
}

Exit exit_of(int status) {
  if (WIFEXITED(status)) return {.status = WEXITSTATUS(status)};
  if (!WIFSIGNALED(status)) return {.status = 0};
  if (WTERMSIG(status) == SIGXCPU) return {.status = std::nullopt, .took_too_long = true};
  const char* name = nullptr;
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
  name = ::sigdescr_np(WTERMSIG(status));
#endif
#endif
  return {.status = std::nullopt, .signal = name != nullptr ? name : "signal " + std::to_string(WTERMSIG(status))};
}

int reap(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 0;  // the host program ignores SIGCHLD
  }
  return status;
}

using Limit = decltype(RLIMIT_AS);

// Sets the soft limit. At the hard limit of processor time, SIGKILL ends the process, which does not show the reason.
void limit(Limit resource, rlim_t value, rlimit now) {
  now.rlim_cur = std::min(value, now.rlim_max);
  ::setrlimit(resource, &now);
}
void limit_self(Limit resource, rlim_t value) {
  rlimit now{};
  if (::getrlimit(resource, &now) == 0) limit(resource, value, now);
}
void limit_child(pid_t child, Limit resource, rlim_t value) {
#ifdef __linux__
  rlimit now{};
  if (::prlimit(child, resource, nullptr, &now) != 0) return;
  now.rlim_cur = std::min(value, now.rlim_max);
  ::prlimit(child, resource, &now, nullptr);
#else
  static_cast<void>(child), static_cast<void>(resource), static_cast<void>(value);
#endif
}

// What a new process does before it becomes the program. It shares the memory of this process until then (vfork), so
// that starting costs the same in a process of many gigabytes. It may only make system calls.
struct Launch {
  const char* program;
  char* const* arguments;
  int input;  // a descriptor; -1: none
  const char* output;
  int output_flags;
  const char* folder;  // null: that of this process
  bool ends_with_thread;
  pid_t parent;
  sigset_t mask;
  int error = 0;
};

int opened_as(int descriptor, const char* path, int flags) {
  const int file = ::open(path, flags, 0600);
  if (file == descriptor || file < 0) return file;
  const int copy = ::dup2(file, descriptor);
  ::close(file);
  return copy;
}

bool prepare(const Launch& launch) {
#ifdef __linux__
  if (launch.ends_with_thread) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
    if (::getppid() != launch.parent) ::_exit(kNotStartedStatus);  // it ended before the call
  }
#endif
  // This process must not run handlers of the other one. The program gets the default for each.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
      continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    ::sigaction(signal, &action, nullptr);
  }
  // dup2() of a descriptor to itself keeps it closed at exec. A channel is never standard input itself.
  if (launch.input >= 0 ? ::dup2(launch.input, kInheritedChannel) < 0 : opened_as(0, "/dev/null", O_RDONLY) < 0)
    return false;
  return opened_as(1, launch.output, launch.output_flags) >= 0 && ::dup2(1, 2) >= 0 &&
         (launch.folder == nullptr || ::chdir(launch.folder) == 0) &&
         ::sigprocmask(SIG_SETMASK, &launch.mask, nullptr) == 0;
}

[[gnu::noinline]] pid_t launch_process(Launch& launch) {
  // posix_spawn() cannot make the program end with the thread that waits for it.
  const pid_t pid = ::vfork();  // NOLINT(bugprone-unsafe-functions)
  if (pid != 0) return pid;
  if (prepare(launch)) ::execve(launch.program, launch.arguments, environ);
  launch.error = errno;
  ::_exit(kNotStartedStatus);
}

}  // namespace

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

OsResult<std::pair<Channel, Channel>> Channel::make_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::unexpected(Fault::last());
  return std::pair(Channel(ends[0]), Channel(ends[1]));
}

bool send_all(int channel, ByteSpan bytes, Deadline deadline) {
  return transfer(channel, POLLOUT, bytes.size(), deadline, [&](std::size_t done) {
    return ::send(channel, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
  });
}

bool receive_all(int channel, std::span<std::byte> bytes, Deadline deadline) {
  return transfer(channel, POLLIN, bytes.size(), deadline, [&](std::size_t done) {
    return ::recv(channel, bytes.data() + done, bytes.size() - done, MSG_DONTWAIT);
  });
}

OsResult<Process> Process::start(const StartOptions& options) {
  std::vector<std::string> words = options.arguments;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const bool is_path = options.program.find('/') != options.program.npos;
  std::string program = is_path ? options.program : find_program(options.program);
  if (!is_path && !program.starts_with('/')) program = canonical_path(program);  // not relative to the new folder
  if (program.empty()) return std::unexpected(Fault(ENOENT));
  const bool drops_output = options.output_path.empty();
  Launch launch{.program = program.c_str(),
                .arguments = arguments.data(),
                .input = options.standard_input != nullptr ? options.standard_input->descriptor() : -1,
                .output = drops_output ? "/dev/null" : options.output_path.c_str(),
                .output_flags = drops_output ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC,
                .folder = options.working_directory.empty() ? nullptr : options.working_directory.c_str(),
                .ends_with_thread = options.ends_with_thread,
                .parent = ::getpid(),
                .mask = {}};
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &launch.mask);
  const pid_t pid = launch_process(launch);
  const int failed = errno;
  ::pthread_sigmask(SIG_SETMASK, &launch.mask, nullptr);
  if (pid < 0) return std::unexpected(Fault(failed));
  if (launch.error != 0) {
    reap(pid);
    return std::unexpected(Fault(launch.error));
  }
  if (!options.writes_core) limit_child(pid, RLIMIT_CORE, 0);
  if (kLimitsMemory && options.memory_bytes != 0) limit_child(pid, RLIMIT_AS, options.memory_bytes);
  if (options.processor_seconds != 0) limit_child(pid, RLIMIT_CPU, options.processor_seconds);
  return Process(pid);
}

OsResult<Process> Process::start_self(StartOptions options) {
  options.program = "/proc/self/exe";
  return start(options);
}

Process::~Process() {
  if (pid_ != 0) kill();
}

std::optional<Exit> Process::wait(Deadline deadline) {
#ifdef SYS_pidfd_open  // Linux 5.3
  const Channel end(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (end.descriptor() >= 0 && !wait_until_ready(end.descriptor(), POLLIN, deadline)) return std::nullopt;
#endif
  constexpr std::chrono::milliseconds kShortest{1}, kLongest{10};
  for (std::chrono::milliseconds pause = kShortest;; pause = std::min(2 * pause, kLongest)) {
    int status = 0;
    const pid_t reaped = ::waitpid(pid_, &status, WNOHANG);
    if (reaped == pid_ || (reaped < 0 && errno != EINTR)) {
      pid_ = 0;
      return exit_of(status);
    }
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(pause);
  }
}

Exit Process::kill() {
  ::kill(pid_, SIGKILL);  // a process that has ended keeps its status
  return exit_of(reap(std::exchange(pid_, 0)));
}

std::string find_program(std::string_view name) {
  const char* set = ::getenv("PATH");
  std::string_view rest = set != nullptr ? set : "/bin:/usr/bin";
  for (bool last = false; !last;) {
    const std::size_t end = rest.find(':');
    last = end == rest.npos;
    const std::string_view folder = rest.substr(0, end);
    if (!last) rest.remove_prefix(end + 1);
    std::string path = std::string(folder.empty() ? "." : folder).append("/").append(name);
    if (is_executable(path)) return path;
  }
  return {};
}

void open_in_desktop(const std::string& address) {
  auto started = Process::start({.program = "xdg-open", .arguments = {"xdg-open", address}});
  if (started) started->wait(std::chrono::steady_clock::now() + std::chrono::seconds(5));
}

void exit_now(int status) { ::_exit(status); }
void end_with_peer(int channel) {
  std::thread([channel] {
    pollfd closed{channel, 0, 0};
    while (::poll(&closed, 1, -1) < 0 && errno == EINTR) continue;
    ::_exit(0);
  }).detach();
}
void forbid_core_files() { limit_self(RLIMIT_CORE, 0); }
void limit_memory(std::uint64_t address_space_bytes) {
  if (kLimitsMemory) limit_self(RLIMIT_AS, address_space_bytes);
}
void limit_processor_seconds(std::uint64_t seconds) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto used_seconds = static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
  limit_self(RLIMIT_CPU, used_seconds + seconds);
}
int process_id() { return ::getpid(); }

}  // namespace assetc::os
