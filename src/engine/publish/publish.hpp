// The output tree: checks, writes and removes its files.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/disk/path_index.hpp"
#include "engine/publish/notes.hpp"
#include "engine/publish/shared_files.hpp"
#include "engine/state/state.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// Writes outputs below a root. Thread-safe, except that two calls must not write the same path.
class Publisher {
 public:
  struct Settings {
    bool verify = false;  // read written files back, and compare all other files by their bytes
    // The machine went down (see WritingMark): signatures do not prove anything of files changed at this time or later.
    std::optional<std::int64_t> distrusted_since_ns = {};
  };
  // tree: the output tree before the build. tree and target outlive the publisher.
  Publisher(Disk& disk, std::string root, const Tree& tree, const Target& target, Settings settings);

  enum class Condition : std::uint8_t { kIntact, kMissing, kModified };
  // Whether the file on the disk still has the recorded bytes. If the bytes are right but the signature differs,
  // updates record.signature and sets `renewed`.
  Condition check(std::string_view output, OutputRecord& record, bool& renewed);

  // Notes a path as ours and writes the bytes. A file that already has these bytes is not written.
  Result<FileSignature> publish(std::string_view path, ByteSpan bytes);
  // Outputs with the same bytes may lie in one file, if the target has a name for it. check(), read() and publish()
  // look there.
  SharedFiles& shared() { return shared_; }
  // Exactly these will lie in shared files. Each file is made before an index names it, and a file that is of no use
  // any more is removed by share() after the index was written. Both must not run while other threads publish.
  Result<void> make_files_for(const SharedFiles::Table& wanted);
  Result<void> share(const SharedFiles::Table& wanted);

  // Writes one of the target's index files, which are never noted and never removed.
  Result<FileSignature> publish_index(std::string_view path, ByteSpan bytes);
  Result<Bytes> read(std::string_view path);
  // Whether the disk takes a small file. Distinguishes a path that cannot be written from a disk that is full or
  // read-only.
  bool takes_files();

  // Removes half-written files of killed builds, and half-written bundles beside the output.
  Result<void> remove_leftovers();
  static bool holds_temporaries(const Tree& tree);
  // Whether there was a directory at this path before the build.
  bool has_directory(std::string_view path) const;
  // Whether a folder above the path is a link. Files below it do not belong to the output tree.
  bool is_beyond_link(std::string_view path) const;
  // Removes a file, then its directory and the parent directories while they are empty.
  Result<void> remove(std::string_view path);

  // The outputs that another program changed or removed during the build: those that differ from what this build wrote,
  // or, if it did not write them, from the tree before the build. now: the current output tree. Must not run while
  // other threads publish.
  std::vector<std::string> changed_meanwhile(const Tree& now) const;

  // Begins another build. Updates the tree to the state that this build left. tree: the one of the constructor. Must
  // not run while other threads publish.
  void begin(Tree& tree);
  // Whether there may be something at this path, as far as the walk and this build know.
  bool may_hold(std::string_view path) const { return index_.find(path) || written_.contains(path); }

  OutputNotes& notes() { return notes_; }
  // The paths whose bytes were changed, in byte order. Must not run while other threads publish.
  std::vector<std::string> changed() const { return {changed_.begin(), changed_.end()}; }
  std::uint64_t files_written() const { return files_written_; }
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  std::string full(std::string_view path) const { return root_ + "/" + std::string(path); }
  Result<FileSignature> write(std::string_view path, ByteSpan bytes);
  void remove_empty(std::string_view folder);  // and its parents
  Result<FileSignature> put(std::string_view path, ByteSpan bytes);
  Result<void> remove_file(std::string_view path);
  Result<FileSignature> write_shared(const std::string& file, ByteSpan bytes);
  bool is_ours(std::string_view path) const;
  Result<void> verify_written(const std::string& path, ByteSpan bytes);

  Disk& disk_;
  std::string root_;
  const Tree& tree_;
  const Target& target_;
  Settings settings_;
  PathIndex index_;
  std::vector<std::string_view> links_;  // links to folders, in the tree
  OutputNotes notes_;
  std::mutex mutex_;
  SharedFiles shared_;
  std::mutex sharing_;  // one thread at a time writes shared files; locked before mutex_
  std::map<std::string, FileSignature, std::less<>> written_;
  std::set<std::string, std::less<>> changed_;  // subset of the written ones; the others already had their bytes
  std::set<std::string, std::less<>> removed_;
  std::atomic<std::uint64_t> files_written_ = 0;
  std::atomic<std::uint64_t> bytes_written_ = 0;
};

}  // namespace assetc::engine
