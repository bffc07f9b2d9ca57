// Converts a POSIX file status to Status.
#pragma once

#include <sys/stat.h>

#include <string_view>

#include "os/file.hpp"

namespace assetc::os {

// The folder in which the system names the open files of this process (Linux).
inline constexpr std::string_view kOpenFiles = "/proc/self/fd/";

inline std::int64_t ns_of(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

inline Status status_of(const struct stat& s) {
#ifdef __APPLE__
  const timespec written = s.st_mtimespec, changed = s.st_ctimespec;
#else
  const timespec written = s.st_mtim, changed = s.st_ctim;
#endif
  return {.kind = S_ISREG(s.st_mode)   ? FileKind::kRegular
                  : S_ISDIR(s.st_mode) ? FileKind::kDirectory
                  : S_ISLNK(s.st_mode) ? FileKind::kLink
                                       : FileKind::kOther,
          .size_bytes = static_cast<std::uint64_t>(s.st_size),
          .mtime_ns = ns_of(written),
          .ctime_ns = ns_of(changed),
          .inode = s.st_ino,
          .device = s.st_dev,
          .link_count = s.st_nlink,
          .is_read_only = (s.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0};
}

}  // namespace assetc::os
