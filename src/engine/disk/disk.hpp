// The engine's interface to the file system. All file access of the engine goes through it. Recipes do not use it: they
// read through recipes::Inputs.
//
// RealDisk uses the operating system. Tests use a fake disk with a fake clock that can fail or stop at any operation.
// Paths are UTF-8 with '/' as separator, absolute or relative to the working directory. "" is never a valid path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"

namespace assetc::engine {

// Shows that a file has not changed since it was read, without reading it again.
struct FileSignature {
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileSignature&) const = default;
};

ContentHash hash_of(const FileSignature& signature);

// Whether a file with this signature changed at `time_ns` or later.
inline bool changed_since(const FileSignature& signature, std::int64_t time_ns) {
  return std::max(signature.mtime_ns, signature.ctime_ns) >= time_ns;
}

enum class FileType : std::uint8_t { kFile, kDirectory, kOther };

struct FileStatus {
  FileType type = FileType::kFile;
  FileSignature signature;    // of a directory: changes when an entry gets or loses its name; zero on some disks
  bool is_aliased = false;    // a file with more than one name (hard links)
  bool is_read_only = false;  // nobody may write it, such as a file that Perforce has not checked out
};

// How a walk treats an entry.
enum class Visit : std::uint8_t {
  kTake,
  kLeaveOut,  // leave out the entry and everything below it
  kTell,      // the same, and name it in Tree::left_out
  // leave out everything in the entry's folder and name the folder; not allowed for entries of the root
  kLeaveOutFolder,
};

// Why Tree::left_out names an entry.
enum class LeftOut : std::uint8_t {
  kTold,        // Visit::kTell
  kFolder,      // Visit::kLeaveOutFolder, for an entry of this folder
  kNowhere,     // a link whose target does not exist
  kLoop,        // a link to one of the folders that contain it
  kSpecial,     // a pipe, socket or device
  kOutside,     // a link to a target outside the root
  kUnreadable,  // the system refuses to list the folder or to give the file's status
};

// Which symbolic links a walk follows.
enum class Links : std::uint8_t {
  kAll,
  kInside,  // links to targets below the root; Tree::left_out names the others
  kFiles,   // links to files; a link to a directory is an entry of type kOther
};

// A directory tree stored as one block of text and one array: 100,000 files cost two allocations. Entries come
// depth-first. The names in a directory are in byte order, and a directory comes before its contents.
class Tree {
 public:
  struct Entry {
    std::uint64_t path_offset;
    std::uint32_t path_size;
    FileType type;
    FileSignature signature;  // of files; zero for directories
  };
  struct Note {
    std::string path;
    LeftOut why;
    bool directory;
    std::string detail;  // for kUnreadable: the system's error
  };
  std::size_t size() const { return entries_.size(); }
  const Entry& operator[](std::size_t i) const { return entries_[i]; }
  std::string_view path(std::size_t i) const {
    return std::string_view(text_).substr(entries_[i].path_offset, entries_[i].path_size);
  }
  void reserve(std::size_t entries, std::size_t text_bytes) {
    entries_.reserve(entries);
    text_.reserve(text_bytes);
  }
  // In the order of the walk.
  const std::vector<Note>& left_out() const { return left_out_; }
  void leave_out(std::string_view path, LeftOut why, bool directory, std::string detail = {}) {
    left_out_.push_back({std::string(path), why, directory, std::move(detail)});
  }
  // Succeeds if everything below root could be read. Otherwise kIo, naming the first entry that could not be read.
  Result<void> whole(const std::string& root) const;
  // Equal for two trees with the same paths, types, signatures and left-out entries.
  ContentHash fingerprint() const;
  void add(std::string_view path, FileType type, const FileSignature& signature) {
    entries_.push_back({text_.size(), static_cast<std::uint32_t>(path.size()), type, signature});
    text_.append(path);
  }
  // Folders that another path of the tree leads to, too, because one of them is a link. path is not below another twin.
  struct Twin {
    std::string path;   // "Assets/L"
    std::string first;  // "Assets/S": no link, or the first link in the order of the walk
  };
  const std::vector<Twin>& twins() const { return twins_; }
  // Whether a path is below one of them.
  bool is_twin(std::string_view path) const;
  void add_twin(std::string_view path, std::string first) { twins_.push_back({std::string(path), std::move(first)}); }
  // Whether some entries are reached through links or have other names. Then one change may affect several entries.
  bool is_aliased() const { return is_aliased_; }
  void set_aliased() { is_aliased_ = true; }
  // For trees that are updated after their walk: add() appends new entries at the end, so the order is lost. drop()
  // turns a deleted entry into one without a path.
  void set(std::size_t i, FileType type, const FileSignature& signature) {
    entries_[i].type = type;
    entries_[i].signature = signature;
  }
  void drop(std::size_t i) { entries_[i] = {entries_[i].path_offset, 0, FileType::kOther, {}}; }

 private:
  std::string text_;
  std::vector<Entry> entries_;
  std::vector<Note> left_out_;
  std::vector<Twin> twins_;
  bool is_aliased_ = false;
};

// The twin that a path is below; null if there is none.
const Tree::Twin* find_twin(std::string_view path, const std::vector<Tree::Twin>& twins);

// Holds a lock for its lifetime. If the process dies, the operating system releases the lock.
class DiskLock {
 public:
  virtual ~DiskLock() = default;
};

// A file open for reads and writes at any position, as SQLite needs it.
class RandomFile {
 public:
  virtual ~RandomFile() = default;
  // Reads up to size bytes, fewer only at the end of the file.
  virtual Result<std::size_t> read(std::uint64_t offset, std::byte* out, std::size_t size) = 0;
  virtual Result<void> write(std::uint64_t offset, ByteSpan bytes) = 0;
  virtual Result<void> truncate(std::uint64_t size) = 0;
  virtual Result<void> sync() = 0;
  virtual Result<std::uint64_t> size() = 0;
};

// A file written sequentially under a temporary name. Nothing is published before commit(). If it is destroyed before,
// its bytes are deleted.
class StreamFile {
 public:
  virtual ~StreamFile() = default;
  virtual Result<void> write(ByteSpan bytes) = 0;
  // Makes the bytes durable and gives the file its final name in one step.
  virtual Result<void> commit() = 0;
};

// A file open for reading in pieces. If another file takes its name, the bytes stay those of this one.
struct OpenedFile {
  std::uint64_t size_bytes = 0;
  std::uint64_t version = 0;  // differs between this file and its replacement
  // Returns fewer bytes only at the end of the file. Thread-safe.
  std::function<Result<Bytes>(std::uint64_t offset, std::size_t size)> read;
  // Whether another program has written into the file since it was opened. Thread-safe.
  std::function<bool()> is_changed;
};

// Prefix of the temporary files of publish() and create(). A killed process may leave such files behind.
inline constexpr std::string_view kTemporaryPrefix = ".assetc-tmp.";

// Thread-safe, but two concurrent calls must not write the same path.
class Disk {
 public:
  // Called from any thread. `path` is relative to the root of the walk.
  using Skip = std::function<Visit(std::string_view path, bool directory)>;

  virtual ~Disk() = default;

  // Follows symbolic links. kNotFound if nothing exists there.
  virtual Result<FileStatus> status(const std::string& path) = 0;
  // Whether both exist and are the same file or directory, also through links or with other letter case.
  virtual bool same_file(const std::string& a, const std::string& b) = 0;
  // The absolute path without links, "." and "..". If the path does not exist yet, only its existing part is resolved.
  virtual std::string real_path(const std::string& path) = 0;
  // Everything below root, which may itself be a link. If root does not exist, the tree is empty. Tree::left_out names
  // entries that cannot be read, and entries that are neither file nor directory unless `skip` leaves them out. See
  // Tree::whole.
  virtual Result<Tree> walk(const std::string& root, const Skip& skip, int threads, Links links = Links::kAll) = 0;
  // Names of the files directly in a directory, in byte order.
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
  // read() for a key, token or password. kUsage if other users may read or write the file, unless may_be_shared.
  virtual Result<Bytes> read_secret(const std::string& path, bool may_be_shared) = 0;
  // All bytes of a file, and its signature when they were read. If the file changes meanwhile, it is read again.
  virtual Result<Bytes> read(const std::string& path, FileSignature* signature = nullptr) = 0;

  // content_hash() of a file's bytes, and the signature as for read(). Does not hold the whole file in memory.
  virtual Result<ContentHash> hash(const std::string& path, FileSignature* signature = nullptr) = 0;
  // At least the first `size` bytes of a file. The result has the file's size; the remaining bytes may be zeros. A
  // cheap way to read a header.
  virtual Result<Bytes> head(const std::string& path, std::size_t size) = 0;

  // The bytes of a file without reading them all: pages are loaded on access. Only for bundles, which no other program
  // writes. If the file shrinks meanwhile, behavior is undefined.
  virtual Result<Bytes> peek(const std::string& path) = 0;
  // Opens a file below root, or a link to one. Errors: kNotFound if it is neither; kConflict if a link leads out of
  // root. The opened file is what is checked, so links that change meanwhile do not matter.
  virtual Result<OpenedFile> open_below(const std::string& root, const std::string& path) = 0;

  // Writes a temporary file and renames it: path has its old bytes or all of the new ones, never a part. Creates
  // missing directories.
  virtual Result<FileSignature> publish(const std::string& path, ByteSpan bytes) = 0;
  // publish() for a file that people and version control write too. before: what the caller read there, or nothing if
  // there was no file. kConflict if the file is another one now, which then stays. kIo if nobody may write it.
  virtual Result<FileSignature> replace(const std::string& path, std::optional<ByteSpan> before, ByteSpan bytes) = 0;
  // publish() for a file that only this user may read. Call it while no other thread creates files.
  virtual Result<FileSignature> publish_secret(const std::string& path, ByteSpan bytes) = 0;
  virtual Result<std::unique_ptr<StreamFile>> create(const std::string& path) = 0;
  // For files of the engine. kConflict if path is a link: it could lead to a file of someone else.
  virtual Result<std::unique_ptr<RandomFile>> open(const std::string& path, bool create) = 0;
  virtual Result<void> make_directories(const std::string& path) = 0;
  // Succeeds if the file does not exist.
  virtual Result<void> remove(const std::string& path) = 0;
  // remove(), with the same errors as replace().
  virtual Result<void> remove_unchanged(const std::string& path, ByteSpan before) = 0;
  // Sets the file's modification time to now. The bytes do not change.
  virtual Result<void> mark_used(const std::string& path) = 0;
  // Renames a file and creates the directories of the new path. kConflict if the new path already exists.
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  // Whether the directory no longer exists. False if it is not empty.
  virtual bool remove_empty_directory(const std::string& path) = 0;
  // Deletes the temporary files that publish() and create() of dead processes left directly in a directory.
  virtual Result<void> sweep(const std::string& directory) = 0;
  // Waits until everything written below path is safe from a power cut.
  virtual Result<void> flush(const std::string& path) = 0;

  // Takes an exclusive lock on a file without waiting. If the file cannot be created, locks its folder instead.
  // kConflict names the process that holds the lock, if it is known, or says that path is a link.
  virtual Result<std::unique_ptr<DiskLock>> lock(const std::string& path) = 0;

  // Whether a folder is on a network file system (NFS, SMB ...), as far as the system reports it.
  virtual bool is_remote(const std::string& path) = 0;
  // Whether a watch of this folder learns of every change: see os::reports_changes().
  virtual bool reports_changes(const std::string& path) = 0;

  virtual std::int64_t now_ns() = 0;  // from the clock that file time stamps use
  virtual void wait(std::int64_t duration_ns) = 0;
  // Changes with every boot. Distinguishes a killed process from a power cut.
  virtual std::string boot_id() = 0;
  virtual std::uint64_t memory_bytes() = 0;  // total of the machine
};

// The operating system's file system.
std::unique_ptr<Disk> make_real_disk();

}  // namespace assetc::engine
