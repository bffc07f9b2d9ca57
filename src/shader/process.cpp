#include "shader/process.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>

namespace assetc::shader {
namespace {

constexpr std::string_view kGrows = "look for macros, includes or loops that multiply, or split the shader";

std::string gibibytes(std::uint64_t bytes) {
  return bytes % (1u << 30) == 0 ? std::to_string(bytes >> 30) + " GiB" : std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

bool wait_until_ready(int fd, short events, Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
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

void kill_and_reap(pid_t child) {
  ::kill(child, SIGKILL);
  reap(child);
}

Error crash_error(int status, const ProcessLimits& limits) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    return {ErrorCode::kLimit,
            {},
            {},
            "the compiler took more than " + std::to_string(limits.processor_seconds) + " s of processor time",
            std::string(kGrows)};
  }
  const char* const name = WIFSIGNALED(status) ? ::sigdescr_np(WTERMSIG(status)) : nullptr;
  const std::string how = name != nullptr       ? name
                          : WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                                : "exit code " + std::to_string(WEXITSTATUS(status));
  return {ErrorCode::kInvalidData,
          {},
          {},
          "the compiler crashed on this source (" + how + ") and gave no line",
          "look for a mistake in what changed last; undefined names, stray words and very deep nesting are known to do "
          "this"};
}

Error memory_error(const ProcessLimits& limits) {
  return {ErrorCode::kLimit,
          {},
          {},
          "the compiler needs more than " + gibibytes(limits.memory_bytes) + " of memory",
          std::string(kGrows)};
}

Error hang_error(const ProcessLimits& limits) {
  return {ErrorCode::kLimit,
          {},
          {},
          "the compiler gave no answer for " + std::to_string(limits.seconds) + " s",
          std::string(kGrows)};
}

}  // namespace assetc::shader
