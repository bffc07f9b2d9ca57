#include "os/machine.hpp"

#include <algorithm>

#include "os/windows/system.hpp"

namespace assetc::os {
namespace {

std::optional<std::string> variable(const char* name) {
  const std::wstring wide = utf16(name);
  std::wstring value(256, L'\0');
  for (;;) {
    SetLastError(ERROR_SUCCESS);
    const DWORD size = GetEnvironmentVariableW(wide.c_str(), value.data(), static_cast<DWORD>(value.size()));
    if (size == 0 && GetLastError() != ERROR_SUCCESS) return std::nullopt;
    const bool fits = size < value.size();
    value.resize(size);
    if (fits) return utf8(value);
  }
}

}  // namespace

std::uint64_t memory_bytes() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  std::uint64_t bytes = GlobalMemoryStatusEx(&memory) != 0 ? memory.ullTotalPhys : std::uint64_t{1} << 30;
  // The limit of a container.
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &limits, sizeof limits, nullptr) != 0 &&
      (limits.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0)
    bytes = std::min<std::uint64_t>(bytes, limits.JobMemoryLimit);
  return bytes;
}

// Windows counts its starts.
std::string boot_id() {
  DWORD count = 0, size = sizeof count;
  const LSTATUS read = RegGetValueW(
      HKEY_LOCAL_MACHINE, L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters",
      L"BootId", RRF_RT_REG_DWORD, nullptr, &count, &size);
  return read == ERROR_SUCCESS ? std::to_string(count) : "unknown";
}

std::string program_path() {
  std::wstring path(MAX_PATH, L'\0');
  for (;;) {
    const DWORD size = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    if (size == 0) return {};
    const bool fits = size < path.size();
    path.resize(fits ? size : 2 * path.size());
    if (fits) break;
  }
  std::ranges::replace(path, L'\\', L'/');
  return utf8(path);
}

// The limits of a process of Windows count this memory.
std::uint64_t address_space_bytes() {
  PROCESS_MEMORY_COUNTERS_EX memory{};
  memory.cb = sizeof memory;
  const auto counters = reinterpret_cast<PROCESS_MEMORY_COUNTERS*>(&memory);
  return K32GetProcessMemoryInfo(GetCurrentProcess(), counters, sizeof memory) != 0 ? memory.PrivateUsage : 0;
}

void keep_heap() {}
void trim_heap() { HeapCompact(GetProcessHeap(), 0); }

std::int64_t file_clock_ns() {
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  return ns_of(static_cast<std::int64_t>(joined(now.dwHighDateTime, now.dwLowDateTime)));
}

std::vector<std::string> utf8_arguments(int /*argc*/, const char* const* /*argv*/) {
  int count = 0;
  std::vector<std::string> arguments;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  for (int i = 0; words != nullptr && i < count; ++i) arguments.push_back(utf8(words[i]));
  LocalFree(words);
  return arguments;
}

std::optional<std::string> environment_variable(const char* name) {
  auto value = variable(name);
  const std::string_view asked = name;
  const char* const folder = asked == "XDG_CACHE_HOME"    ? "LOCALAPPDATA"
                             : asked == "XDG_CONFIG_HOME" ? "APPDATA"
                                                          : nullptr;
  if (!value && folder != nullptr) value = variable(folder);
  return value;
}

}  // namespace assetc::os
