#include "os/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "os/file.hpp"
#include "os/posix/status.hpp"

namespace assetc::os {

std::uint64_t memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PHYS_PAGES)));
  const std::uint64_t bytes = pages * static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PAGE_SIZE)));
  const std::string limit = read_small("/sys/fs/cgroup/memory.max");  // "max", or the limit of a container in bytes
  std::uint64_t value = 0;
  if (std::from_chars(limit.data(), limit.data() + limit.size(), value).ec == std::errc() && value != 0)
    return std::min(bytes, value);
  return bytes;
}

std::string boot_id() {
  std::string text = read_small("/proc/sys/kernel/random/boot_id");
  return text.empty() ? "unknown" : text;
}

std::vector<std::string> utf8_arguments(int argc, const char* const* argv) { return {argv, argv + argc}; }

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::string program_path() {
  std::string path(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size < 0 || static_cast<std::size_t>(size) == path.size() ? 0 : static_cast<std::size_t>(size));
  return path;
}

std::uint64_t address_space_bytes() {
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

void keep_heap() {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  ::mallopt(M_TOP_PAD, 4 << 20);
#endif
}

void trim_heap() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

std::int64_t file_clock_ns() {
  timespec t{};
#ifdef CLOCK_REALTIME_COARSE
  ::clock_gettime(CLOCK_REALTIME_COARSE, &t);
#else
  ::clock_gettime(CLOCK_REALTIME, &t);
#endif
  return ns_of(t);
}

}  // namespace assetc::os
