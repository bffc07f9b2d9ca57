// The engine's only door to the file system. Recipes never see it: they read through recipes::Inputs.
//
// RealDisk is the operating system; tests use a fake with a fake clock that can fail or stop at any operation. Paths
// are UTF-8, '/'-separated, absolute or relative to the working directory; "" is never a path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"

namespace assetc::engine {

// What tells that a file was not touched since we read it, without reading it again.
struct FileSignature {
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileSignature&) const = default;
};

// Whether a file with this signature changed at a time or later.
inline bool changed_since(const FileSignature& signature, std::int64_t time_ns) {
  return std::max(signature.mtime_ns, signature.ctime_ns) >= time_ns;
}

enum class FileType : std::uint8_t { kFile, kDirectory, kOther };

struct FileStatus {
  FileType type = FileType::kFile;
  FileSignature signature;
  bool is_aliased = false;  // a file that has other names
};

// What a walk does with an entry.
enum class Visit : std::uint8_t {
  kTake,
  kLeaveOut,        // and all below it
  kTell,            // the same, and Tree::left_out names it
  kLeaveOutFolder,  // the folder that the entry lies in is left out empty, and named; not for entries of the root
};

// Why Tree::left_out names something.
enum class LeftOut : std::uint8_t {
  kTold,        // Visit::kTell
  kFolder,      // Visit::kLeaveOutFolder, of an entry in it
  kNowhere,     // a link to nothing
  kLoop,        // a link to a folder that it lies in
  kSpecial,     // a pipe, socket or device
  kOutside,     // a link to something that does not lie below the root
  kUnreadable,  // a folder whose names, or a file whose status, the system does not give
};

// Which symbolic links a walk follows.
enum class Links : std::uint8_t {
  kAll,
  kInside,  // those to what lies below the root; Tree::left_out names the others
  kFiles,   // those to files; a link to a directory is an entry of type kOther
};

// A directory tree as one block of text and one array: a hundred thousand files cost two allocations.
// Entries come depth-first, the names of a directory in byte order, a directory before what is in it.
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
    std::string detail;  // of kUnreadable: what the system says
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
  // kIo for a tree below root that is not all that is there, naming the first thing that could not be read.
  Result<void> whole(const std::string& root) const;
  // Equal when paths, types and signatures are, and what is left out.
  ContentHash fingerprint() const;
  void add(std::string_view path, FileType type, const FileSignature& signature) {
    entries_.push_back({text_.size(), static_cast<std::uint32_t>(path.size()), type, signature});
    text_.append(path);
  }
  // Some of it is reached through links or has other names: one change may be of several entries.
  bool is_aliased() const { return is_aliased_; }
  void set_aliased() { is_aliased_ = true; }
  // Of a tree that is kept after its walk: add() puts what is new at its end, so that the order is lost, and what is
  // gone is an entry without a path.
  void set(std::size_t i, FileType type, const FileSignature& signature) {
    entries_[i].type = type;
    entries_[i].signature = signature;
  }
  void drop(std::size_t i) { entries_[i] = {entries_[i].path_offset, 0, FileType::kOther, {}}; }

 private:
  std::string text_;
  std::vector<Entry> entries_;
  std::vector<Note> left_out_;
  bool is_aliased_ = false;
};

// Holds a lock for its lifetime; the operating system lets go of it when the process dies.
class DiskLock {
 public:
  virtual ~DiskLock() = default;
};

// A file open for reads and writes anywhere in it: what SQLite needs.
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

// A file written beside its name from start to end. Nothing is published before commit(); destroyed without it, the
// bytes are gone.
class StreamFile {
 public:
  virtual ~StreamFile() = default;
  virtual Result<void> write(ByteSpan bytes) = 0;
  // Makes the bytes durable and gives the file its name in one step.
  virtual Result<void> commit() = 0;
};

// Files that publish() and create() leave behind when they are killed start with this.
inline constexpr std::string_view kTemporaryPrefix = ".assetc-tmp.";

// All functions may be called from any thread, except where two calls write the same path.
class Disk {
 public:
  // Called with a path relative to the walked root. Any thread.
  using Skip = std::function<Visit(std::string_view path, bool directory)>;

  virtual ~Disk() = default;

  // Follows symbolic links. kNotFound when nothing is there.
  virtual Result<FileStatus> status(const std::string& path) = 0;
  // Whether both are there and are one file or directory, through links of any kind or in another letter case.
  virtual bool same_file(const std::string& a, const std::string& b) = 0;
  // The path without links, "." and "..", absolute; of what is not there yet, as far as it is there.
  virtual std::string real_path(const std::string& path) = 0;
  // Everything below root, which may be a link itself; an absent root is an empty tree. What is neither file nor
  // directory is named in Tree::left_out unless skip leaves it out, and so is what cannot be read: Tree::whole.
  virtual Result<Tree> walk(const std::string& root, const Skip& skip, int threads, Links links = Links::kAll) = 0;
  // Names of the files directly in a directory, in byte order.
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
  // All bytes of a file, and its signature at the time they were read: if the file changed meanwhile, it is read again.
  virtual Result<Bytes> read(const std::string& path, FileSignature* signature = nullptr) = 0;

  // content_hash() of a file's bytes and its signature, as of read(), without holding the bytes.
  virtual Result<ContentHash> hash(const std::string& path, FileSignature* signature = nullptr) = 0;
  // A file's first size bytes, and zeros in place of the rest: what a look at a header costs.
  virtual Result<Bytes> head(const std::string& path, std::size_t size) = 0;

  // The bytes of a file without reading them all: pages come when they are looked at. For bundles alone, which no
  // program but ours writes: a file that shrinks meanwhile is undefined behavior.
  virtual Result<Bytes> peek(const std::string& path) = 0;

  // Writes beside and renames: path holds its old bytes or all the new ones, never a part. Makes its directories.
  virtual Result<FileSignature> publish(const std::string& path, ByteSpan bytes) = 0;
  virtual Result<std::unique_ptr<StreamFile>> create(const std::string& path) = 0;
  virtual Result<std::unique_ptr<RandomFile>> open(const std::string& path, bool create) = 0;
  virtual Result<void> make_directories(const std::string& path) = 0;
  // Removing what is not there is fine.
  virtual Result<void> remove(const std::string& path) = 0;
  // Gives a file the stamp of now, its bytes left as they are.
  virtual Result<void> mark_used(const std::string& path) = 0;
  // Gives a file another name, and makes the directories of that. kConflict where something has the name already.
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  // Whether the directory is gone now; false when it is not empty.
  virtual bool remove_empty_directory(const std::string& path) = 0;
  // Removes what publish() and create() of processes that are dead have left directly in a directory.
  virtual Result<void> sweep(const std::string& directory) = 0;
  // Waits until everything written below path would survive a power cut.
  virtual Result<void> flush(const std::string& path) = 0;

  // Takes an exclusive lock on a file, without waiting; on its folder where there can be no such file. kConflict names
  // the process that holds it, if it can be told.
  virtual Result<std::unique_ptr<DiskLock>> lock(const std::string& path) = 0;

  // Whether a folder is on another machine's disk (NFS, SMB ...), as far as the system says.
  virtual bool is_remote(const std::string& path) = 0;

  virtual std::int64_t now_ns() = 0;  // of the clock that stamps files
  // Changes with every start of the machine: tells a killed process from a power cut.
  virtual std::string boot_id() = 0;
  virtual std::uint64_t memory_bytes() = 0;  // of the machine
};

// The operating system's file system (Linux).
std::unique_ptr<Disk> make_real_disk();

}  // namespace assetc::engine
