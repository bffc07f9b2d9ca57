// Files and their names. Paths are UTF-8 and '/'-separated, absolute or relative to the working folder.
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
  std::uint64_t inode = 0;    // unique among the files of a device
  std::uint64_t device = 0;
  std::uint64_t link_count = 1;  // number of names of the file
  bool is_read_only = false;     // nobody may write it, such as a file that Perforce has not checked out
  bool operator==(const Status&) const = default;
};
// Returns a number that differs between a file and its replacement. It is never 0.
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
    // The modes that write do not follow a link at the end of the path: kTooManyLinks. Folders of the path may be
    // links.
    kReadWrite,
    kReadWriteCreate,  // creates the file if it does not exist
    kCreate,           // for writing a new file; kExists if the name exists
    kDirectory,        // a folder, for locking or flushing
  };
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File();

  // Opens without waiting, so that a pipe is an open file of kind kOther. Started programs do not inherit it.
  static OsResult<File> open(const std::string& path, Mode mode);
  // Opens a file below a folder for reading, as kRead. Links are followed as long as they stay below the folder,
  // otherwise kOutside. Links that change meanwhile do not matter, because the opened file is what is checked. root:
  // may itself be reached through links.
  static OsResult<File> open_below(const std::string& root, const std::string& path);
  // Creates a file without a name in folder. It is deleted when the process ends. Fails if the file system does not
  // support it.
  static OsResult<File> open_nameless(const std::string& folder);
  // Gives a nameless file its name; kExists if the name is taken.
  OsResult<void> link_as(const std::string& path) const;

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  OsResult<Status> status() const;
  // Returns whether only this user and root may read and write it. Always true on Windows, where the folder decides.
  OsResult<bool> is_private() const;
  // Reads up to out.size() bytes; fewer only at the end of the file.
  OsResult<std::size_t> read_at(std::uint64_t offset_bytes, std::span<std::byte> out) const;
  OsResult<void> write_at(std::uint64_t offset_bytes, ByteSpan bytes) const;
  // Writes after the last byte that this handle wrote.
  OsResult<void> write(ByteSpan bytes) const;
  OsResult<void> truncate(std::uint64_t size_bytes) const;
  // Waits until the bytes survive a power failure.
  OsResult<void> sync() const;
  // The same for the whole file system of the file.
  OsResult<void> sync_file_system() const;
  // Takes an exclusive lock. It ends when the file is closed or the process ends.
  OsResult<void> lock() const;
  // Takes the lock if it is free; otherwise kBusy.
  OsResult<void> try_lock() const;

 private:
  int descriptor_ = -1;
};

// Follows links.
OsResult<Status> status(const std::string& path);
// Removes a file or link, not a folder.
OsResult<void> remove_file(const std::string& path);
OsResult<void> remove_directory(const std::string& path);
// kExists if the name exists.
OsResult<void> make_directory(const std::string& path);
// Atomic. An existing file with the name is replaced.
OsResult<void> rename(const std::string& from, const std::string& to);
// kExists if the name exists.
OsResult<void> rename_if_free(const std::string& from, const std::string& to);
// Exchanges the names of two files: `from` names the file that `to` named. kNotFound if one of them does not exist;
// kNotSupported if the file system cannot do it. Atomic, but on Windows `from` has no file for a moment.
OsResult<void> exchange(const std::string& from, const std::string& to);
// Sets the time of the last write to now; of a link itself.
OsResult<void> touch(const std::string& path);
// Returns the absolute path of an existing file or folder without links, "." and ".."; empty if there is none.
std::string canonical_path(const std::string& path);
// The same, but a path that does not exist may follow its existing part; empty if the system refuses the path.
std::string weakly_canonical_path(const std::string& path);
// Returns whether a folder is on a disk of another machine, as far as the system reports it.
bool is_remote(const std::string& path);
// Returns whether the system reports all changes in a folder to programs that watch it. Not those that other machines
// make on a network drive, nor those that the host makes in a folder that a virtual machine or a container shares.
bool reports_changes(const std::string& path);
// Returns the text of a small system file without line ends at its end; empty if it cannot be read.
std::string read_small(const std::string& path);
// Returns whether this user may execute the file. On Windows: whether its name ends with ".exe".
bool is_executable(const std::string& path);

// While it exists, only the owner can access new files and sockets. It applies to the whole process: no other thread
// may create files meanwhile. On Windows it does nothing: the folder decides who can access new files.
class PrivateFiles {
 public:
  PrivateFiles();
  ~PrivateFiles();
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  unsigned before_;
};

// The folder of temporary files of this user or of all users; empty if the system does not tell.
std::string temporary_path();
// Creates an empty folder for temporary files, which only this user can open. prefix: of its name.
OsResult<std::string> make_temporary_directory(const std::string& prefix);

}  // namespace assetc::os
