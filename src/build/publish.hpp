// The output tree: what is there, what is written, what is removed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assetc/base/result.hpp"
#include "build/config.hpp"
#include "build/disk.hpp"
#include "build/state.hpp"

namespace assetc::build {

inline constexpr std::string_view kManifestName = "assets.hman";

// What a walk of the output directory leaves out: the engine's own files and hidden names, packs, and the outputs of
// other presets that lie inside. Half-written files are shown.
Disk::Skip output_skip(const Profile& profile);

// kInvalidData unless path can be an output: relative, no empty, hidden or ".." part, not the manifest.
Result<void> check_output_path(std::string_view path);

// Writes outputs below a root. Thread-safe, except that two calls may not write the same path.
class Publisher {
 public:
  struct Settings {
    bool verify = false;    // read written files back
    bool distrust = false;  // signatures prove nothing: the machine went down while a build ran
  };
  // tree: the output tree before the build; outlives the publisher.
  Publisher(Disk& disk, std::string root, const Tree& tree, Settings settings);

  enum class Condition : std::uint8_t { kIntact, kMissing, kModified };
  // Whether the file on the disk still has the bytes that were recorded. record.signature is renewed when the bytes are
  // right but the signature is not; renewed tells so.
  Condition check(std::string_view path, OutputRecord& record, bool& renewed);

  // Brings path to these bytes. A file that has them already is left alone. known: the cache knows that this path is
  // ours; otherwise a note is made first, so that a build killed right after can still find the file.
  Result<FileSignature> publish(std::string_view path, ByteSpan bytes, bool known);
  Result<Bytes> read(std::string_view path);

  // Paths noted by this build and by earlier ones that were killed before they could record them. After publish().
  Result<std::vector<std::string>> take_notes();
  // Forgets the notes: everything noted is recorded.
  Result<void> drop_notes();
  // Removes half-written files of killed builds.
  Result<void> remove_leftovers();

  Result<void> remove(std::string_view path);
  // Removes the directory of a removed file, and its parents, as long as they are empty.
  void remove_empty_parents(std::string_view path);

  std::uint64_t files_written() const { return files_written_; }
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  std::string full(std::string_view path) const { return root_ + "/" + std::string(path); }
  Result<void> note(std::string_view path);
  Result<void> verify_written(const std::string& path, ByteSpan bytes);

  Disk& disk_;
  std::string root_;
  const Tree& tree_;
  Settings settings_;
  std::unordered_map<std::string_view, std::uint32_t> index_;
  std::atomic<std::uint64_t> files_written_ = 0;
  std::atomic<std::uint64_t> bytes_written_ = 0;

  std::mutex notes_mutex_;
  std::unique_ptr<RandomFile> notes_;
  std::uint64_t notes_end_ = 0;
};

}  // namespace assetc::build
