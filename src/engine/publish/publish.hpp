// The output tree: what is there, what is written, what is removed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

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

  // Brings path to these bytes. A file that has them already is left alone. Before the first byte of a new path is
  // written, the path is noted: whatever happens then, a later build can tell that the file is ours.
  Result<FileSignature> publish(std::string_view path, ByteSpan bytes);
  // The manifest: never noted, never removed.
  Result<FileSignature> publish_manifest(ByteSpan bytes);
  Result<Bytes> read(std::string_view path);

  // All paths that builds noted and that were not removed since, also when the cache was lost. Not while others
  // publish.
  Result<std::vector<std::string>> noted();
  // Replaces the notes.
  Result<void> set_noted(const std::vector<std::string>& paths);
  // Removes half-written files of killed builds.
  Result<void> remove_leftovers();

  Result<void> remove(std::string_view path);
  // Removes the directory of a removed file, and its parents, as long as they are empty.
  void remove_empty_parents(std::string_view path);

  std::uint64_t files_written() const { return files_written_; }
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  std::string full(std::string_view path) const { return root_ + "/" + std::string(path); }
  Result<FileSignature> write(std::string_view path, ByteSpan bytes, bool note_first);
  Result<void> load_notes();
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
  std::optional<std::unordered_set<std::string>> noted_;  // loaded when first needed
  std::unique_ptr<RandomFile> notes_file_;
  std::uint64_t notes_end_ = 0;
};

}  // namespace assetc::engine
