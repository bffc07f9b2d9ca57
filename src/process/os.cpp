#include "process/os.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include "base/size_text.hpp"

namespace assetc::process {
namespace {

Error limit_error(std::string_view who, const std::string& what, const Words& words) {
  return {ErrorCode::kLimit, {}, {}, std::string(who).append(what), std::string(words.growing_hint)};
}

}  // namespace

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

bool wait_until_ready(int fd, short events, Deadline deadline) {
  for (;;) {
    // Rounded up: one that did not become ready is late.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd one{fd, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::clamp<long long>(left, 0, INT_MAX)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

int reap(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 0;  // the host ignores SIGCHLD
  }
  return status;
}

std::optional<int> reap(pid_t child, Deadline deadline) {
  for (;;) {
    int status = 0;
    const pid_t reaped = ::waitpid(child, &status, WNOHANG);
    if (reaped == child || (reaped < 0 && errno != EINTR)) return status;
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void kill_and_reap(pid_t child) {
  ::kill(child, SIGKILL);
  reap(child);
}

Error crash_error(int status, const Limits& limits, const Words& words) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    return limit_error(words.who,
                       " took more than " + std::to_string(limits.processor_seconds) + " s of processor time", words);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemoryStatus) return memory_error(limits, words);
  const char* const name = WIFSIGNALED(status) ? ::sigdescr_np(WTERMSIG(status)) : nullptr;
  const std::string how = name != nullptr       ? name
                          : WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                                : "exit code " + std::to_string(WEXITSTATUS(status));
  return {ErrorCode::kInvalidData,
          {},
          {},
          std::string(words.who) + " crashed on this source (" + how + ") and gave no line",
          std::string(words.crash_hint)};
}

Error memory_error(const Limits& limits, const Words& words) {
  return limit_error(words.who, " needs more than " + size_text(limits.memory_bytes) + " of memory", words);
}

Error hang_error(const Limits& limits, const Words& words) {
  return limit_error(words.who, " gave no answer for " + std::to_string(limits.seconds) + " s", words);
}

}  // namespace assetc::process
