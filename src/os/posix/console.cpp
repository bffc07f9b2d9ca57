#include "os/console.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "os/posix/status.hpp"

namespace assetc::os {
namespace {

int columns_of(int stream) {
  winsize size{};
  return ::ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool is_output_terminal() { return ::isatty(STDOUT_FILENO) != 0; }
bool is_error_terminal() { return ::isatty(STDERR_FILENO) != 0; }

int terminal_columns() { return columns_of(STDERR_FILENO); }
int output_columns() { return columns_of(STDOUT_FILENO); }

std::vector<Status> output_files() {
  std::vector<Status> files;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat found{};
    if (::fstat(stream, &found) == 0 && S_ISREG(found.st_mode)) files.push_back(status_of(found));
  }
  return files;
}

void hold_standard_streams() {
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

void survive_closed_pipes() {
  // A handler, because started programs would inherit SIG_IGN.
  struct sigaction action{};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace assetc::os
