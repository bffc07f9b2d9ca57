#include "os/console.hpp"

#include <fcntl.h>
#include <io.h>

#include <cstdio>
#include <cstdlib>

#include "os/windows/system.hpp"

namespace assetc::os {
namespace {

// Whether it is a console that understands the codes for colors.
bool is_terminal(DWORD stream) {
  const HANDLE handle = GetStdHandle(stream);
  DWORD mode = 0;
  return GetConsoleMode(handle, &mode) != 0 && SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

int columns_of(DWORD stream) {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (GetConsoleScreenBufferInfo(GetStdHandle(stream), &info) == 0) return 80;
  const int columns = info.srWindow.Right - info.srWindow.Left + 1;
  return columns > 0 ? columns : 80;
}

}  // namespace

bool is_output_terminal() { return is_terminal(STD_OUTPUT_HANDLE); }
bool is_error_terminal() { return is_terminal(STD_ERROR_HANDLE); }

int terminal_columns() { return columns_of(STD_ERROR_HANDLE); }
int output_columns() { return columns_of(STD_OUTPUT_HANDLE); }

std::vector<Status> output_files() {
  std::vector<Status> files;
  for (const DWORD stream : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const auto found = status_of(GetStdHandle(stream));
    if (found && found->kind == FileKind::kRegular) files.push_back(*found);
  }
  return files;
}

// Handles have no numbers that a later file could get. Text is UTF-8 with the line ends that the program writes.
void hold_standard_streams() {
  for (std::FILE* stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
  std::setvbuf(stderr, nullptr, _IONBF, 0);  // so that its lines keep their order with those of standard output
  static const UINT before = GetConsoleOutputCP();
  if (before == 0 || before == CP_UTF8 || SetConsoleOutputCP(CP_UTF8) == 0) return;
  std::atexit([] { SetConsoleOutputCP(before); });
}

// Windows has no signal for them.
void survive_closed_pipes() {}

}  // namespace assetc::os
