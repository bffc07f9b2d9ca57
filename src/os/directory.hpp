// A folder that is being read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "os/file.hpp"

namespace assetc::os {

// Thread safety: const functions from any thread.
class Directory {
 public:
  struct Entry {
    std::string_view name;         // valid until the next call of next()
    std::optional<FileKind> kind;  // nothing if the file system does not say
  };

  static OsResult<Directory> open(const std::string& path);
  Directory(Directory&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Directory& operator=(Directory&&) = delete;
  ~Directory();

  // Returns the status of the folder itself.
  OsResult<Status> status() const;
  // The next entry in the system's order, without "." and ".."; nothing at the end.
  OsResult<std::optional<Entry>> next();
  OsResult<Status> status_of(const std::string& name) const;
  // Returns the status of a link itself.
  OsResult<Status> link_status_of(const std::string& name) const;
  // Opens for reading; does not follow a link.
  OsResult<File> open_file(const std::string& name) const;
  OsResult<void> remove_file(const std::string& name) const;

 private:
  explicit Directory(void* stream) : stream_(stream) {}
  void* stream_;
};

}  // namespace assetc::os
