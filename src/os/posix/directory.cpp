#include "os/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/posix/status.hpp"

namespace assetc::os {
namespace {

int descriptor_of(void* stream) { return ::dirfd(static_cast<DIR*>(stream)); }

std::optional<FileKind> kind_of(const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return FileKind::kRegular;
    case DT_DIR:
      return FileKind::kDirectory;
    case DT_LNK:
      return FileKind::kLink;
    case DT_UNKNOWN:
      return std::nullopt;
    default:
      return FileKind::kOther;
  }
}

}  // namespace

Directory::~Directory() {
  if (stream_ != nullptr) ::closedir(static_cast<DIR*>(stream_));
}

OsResult<Directory> Directory::open(const std::string& path) {
  DIR* const stream = ::opendir(path.c_str());
  if (stream == nullptr) return std::unexpected(Fault::last());
  return Directory(stream);
}

OsResult<Status> Directory::status() const {
  struct stat s{};
  if (::fstat(descriptor_of(stream_), &s) != 0) return std::unexpected(Fault::last());
  return os::status_of(s);
}

OsResult<std::optional<Directory::Entry>> Directory::next() {
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(static_cast<DIR*>(stream_));
    if (entry == nullptr && errno != 0) return std::unexpected(Fault::last());
    if (entry == nullptr) return std::nullopt;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return Entry{name, kind_of(*entry)};
  }
}

OsResult<Status> Directory::status_of(const std::string& name) const {
  struct stat s{};
  if (::fstatat(descriptor_of(stream_), name.c_str(), &s, 0) != 0) return std::unexpected(Fault::last());
  return os::status_of(s);
}

OsResult<Status> Directory::link_status_of(const std::string& name) const {
  struct stat s{};
  if (::fstatat(descriptor_of(stream_), name.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0)
    return std::unexpected(Fault::last());
  return os::status_of(s);
}

OsResult<File> Directory::open_file(const std::string& name) const {
  File file(::openat(descriptor_of(stream_), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return std::unexpected(Fault::last());
  return file;
}

OsResult<void> Directory::remove_file(const std::string& name) const {
  if (::unlinkat(descriptor_of(stream_), name.c_str(), 0) != 0) return std::unexpected(Fault::last());
  return {};
}

}  // namespace assetc::os
