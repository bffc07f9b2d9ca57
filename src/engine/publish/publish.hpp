// The output tree: what is there, what is written, what is removed.
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
#include "engine/state/state.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// Writes outputs below a root. Thread-safe, except that two calls may not write the same path.
class Publisher {
 public:
  struct Settings {
    bool verify = false;  // read written files back, and compare all others by their bytes
    // Signatures prove nothing of what changed at this time or later: the machine went down (WritingMark).
    std::optional<std::int64_t> distrusted_since_ns = {};
  };
  // tree: the output tree before the build; it and target outlive the publisher.
  Publisher(Disk& disk, std::string root, const Tree& tree, const Target& target, Settings settings);

  enum class Condition : std::uint8_t { kIntact, kMissing, kModified };
  // Whether the file on the disk still has the bytes that were recorded. record.signature is renewed when the bytes are
  // right but the signature is not; renewed tells so.
  Condition check(std::string_view path, OutputRecord& record, bool& renewed);

  // Notes a path as ours and brings it to these bytes. A file that has them already is left alone.
  Result<FileSignature> publish(std::string_view path, ByteSpan bytes);
  // One of the target's index files: never noted, never removed.
  Result<FileSignature> publish_index(std::string_view path, ByteSpan bytes);
  Result<Bytes> read(std::string_view path);
  // Whether the disk takes a small file: tells a path that cannot be written from a disk that is full or read-only.
  bool takes_files();

  // Removes half-written files of killed builds, and half-written bundles beside the output.
  Result<void> remove_leftovers();
  static bool holds_temporaries(const Tree& tree);
  // Whether a directory lay in this place before the build.
  bool has_directory(std::string_view path) const;
  // Whether a folder on the way to a path is a link: what lies there is not the output tree's.
  bool is_beyond_link(std::string_view path) const;
  // Removes a file, then its directory and that one's parents as long as they are empty.
  Result<void> remove(std::string_view path);

  // What is not as it was left, by this build where it wrote or removed a file and before it elsewhere: outputs that
  // something else changed or removed meanwhile. now: the output tree as it is. Not while other threads publish.
  std::vector<std::string> changed_meanwhile(const Tree& now) const;

  // Another build begins: the tree is as this one left it. tree: that of the constructor. Not while others publish.
  void begin(Tree& tree);
  // Whether something may lie in this place, as far as the walk and this build know.
  bool may_hold(std::string_view path) const { return index_.find(path) || written_.contains(path); }

  OutputNotes& notes() { return notes_; }
  // The paths whose bytes were changed, in byte order. Not while other threads publish.
  std::vector<std::string> changed() const { return {changed_.begin(), changed_.end()}; }
  std::uint64_t files_written() const { return files_written_; }
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  std::string full(std::string_view path) const { return root_ + "/" + std::string(path); }
  Result<FileSignature> write(std::string_view path, ByteSpan bytes);
  void remove_empty(std::string_view folder);  // and its parents
  Result<FileSignature> put(std::string_view path, ByteSpan bytes);
  bool is_ours(std::string_view path) const;
  Result<void> verify_written(const std::string& path, ByteSpan bytes);

  Disk& disk_;
  std::string root_;
  const Tree& tree_;
  const Target& target_;
  Settings settings_;
  PathIndex index_;
  std::vector<std::string_view> links_;  // to folders, in the tree
  OutputNotes notes_;
  std::mutex mutex_;
  std::map<std::string, FileSignature, std::less<>> written_;
  std::set<std::string, std::less<>> changed_;  // of the written ones: others had their bytes already
  std::set<std::string, std::less<>> removed_;
  std::atomic<std::uint64_t> files_written_ = 0;
  std::atomic<std::uint64_t> bytes_written_ = 0;
};

}  // namespace assetc::engine
