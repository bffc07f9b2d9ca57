#include "os/limits.hpp"

#include <sys/statvfs.h>

#include <charconv>

#include "os/file.hpp"

namespace assetc::os {

std::optional<std::uint64_t> free_bytes(const std::string& path) {
  struct statvfs disk{};
  if (::statvfs(path.c_str(), &disk) != 0) return std::nullopt;
  return std::uint64_t{disk.f_bavail} * std::uint64_t{disk.f_frsize};
}

std::optional<std::uint64_t> watch_limit() {
  const std::string text = read_small("/proc/sys/fs/inotify/max_user_watches");
  std::uint64_t count = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), count).ec != std::errc()) return std::nullopt;
  return count;
}

}  // namespace assetc::os
