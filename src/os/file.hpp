// Files and names of files. Paths are UTF-8 and '/'-separated, absolute or relative to the working folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "assetc/base/bytes.hpp"
#include "os/fault.hpp"

namespace assetc::os {

enum class FileKind : std::uint8_t { kRegular, kDirectory, kLink, kOther };

struct Status {
  FileKind kind = FileKind::kOther;
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;  // of the last write, since 1970
  std::int64_t ctime_ns = 0;  // of the last change of the bytes or the entry
  std::uint64_t inode = 0;    // tells files of one device apart
  std::uint64_t device = 0;
  std::uint64_t link_count = 1;  // names that the file has
  bool operator==(const Status&) const = default;
};
// Tells a file from one that replaces it, as one number that is not 0.
inline std::uint64_t version_of(const Status& status) {
  std::uint64_t version = 0;
  for (const std::uint64_t value : {status.inode, status.size_bytes, static_cast<std::uint64_t>(status.mtime_ns)})
    version = (version ^ value) * 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
  return version | 1;
}

// An open file or folder; the destructor closes it. Thread safety: const, and reads and writes of different ranges.
class File {
 public:
  enum class Mode : std::uint8_t {
    kRead,
    kReadWrite,
    kReadWriteCreate,  // makes the file if it is absent
    kReplace,          // to write: makes the file, or empties it
    kDirectory,        // a folder, to lock or to flush it
  };
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File();

  // Opens without waiting, so that a pipe is an open file of kind kOther. Programs that are started do not inherit it.
  static OsResult<File> open(const std::string& path, Mode mode);
  // A file in folder that has no name yet and is gone when the process ends. Fails where the file system has none.
  static OsResult<File> open_nameless(const std::string& folder);
  // Gives a nameless file its name; kExists if the name is taken.
  OsResult<void> link_as(const std::string& path) const;

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  OsResult<Status> status() const;
  // Up to out.size() bytes; fewer only at the end of the file.
  OsResult<std::size_t> read_at(std::uint64_t offset_bytes, std::span<std::byte> out) const;
  OsResult<void> write_at(std::uint64_t offset_bytes, ByteSpan bytes) const;
  // Behind what this handle wrote last.
  OsResult<void> write(ByteSpan bytes) const;
  OsResult<void> truncate(std::uint64_t size_bytes) const;
  // Waits until the bytes would survive a power cut.
  OsResult<void> sync() const;
  // The same for the whole file system that the file lies in.
  OsResult<void> sync_file_system() const;
  // Reads wait for the disk from now on, as io_uring requires.
  void make_blocking() const;
  // Takes an exclusive lock, which ends when the process does or the file is closed.
  OsResult<void> lock() const;
  // Takes it only if it is free; kBusy otherwise.
  OsResult<void> try_lock() const;

 private:
  int descriptor_ = -1;
};

// Follows links.
OsResult<Status> status(const std::string& path);
// Removes a name that is no folder.
OsResult<void> remove_file(const std::string& path);
OsResult<void> remove_directory(const std::string& path);
// kExists if something has the name.
OsResult<void> make_directory(const std::string& path);
// In one step; a file that has the name is replaced.
OsResult<void> rename(const std::string& from, const std::string& to);
// kExists if something has the name.
OsResult<void> rename_if_free(const std::string& from, const std::string& to);
// Sets the time of the last write to now.
OsResult<void> touch(const std::string& path);
// Whether a folder lies on another machine's disk, as far as the system says.
bool is_remote(const std::string& path);
// The text of a small file of the system, without line ends behind it; empty if it cannot be read.
std::string read_small(const std::string& path);
// Whether this user may run the file.
bool is_executable(const std::string& path);

// Files and sockets that are made while this lives are for their owner alone. Of the whole process: no other thread may
// make files meanwhile.
class PrivateFiles {
 public:
  PrivateFiles();
  ~PrivateFiles();
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  unsigned before_;
};

// A new empty folder for temporary files, or the fault. prefix: of its name.
OsResult<std::string> make_temporary_directory(const std::string& prefix);

}  // namespace assetc::os
