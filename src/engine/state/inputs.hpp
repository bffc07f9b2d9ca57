// The input tree as one build sees it, and the interface through which recipes read it.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/disk/disk.hpp"
#include "engine/disk/path_index.hpp"
#include "engine/state/child_settings.hpp"
#include "engine/state/state.hpp"
#include "engine/state/toolchain.hpp"
#include "engine/target/identities.hpp"
#include "engine/target/target.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// A path below the input root without "." and "..". kInvalidData if the path is absolute or leads out of the root.
Result<std::string> normalized_input_path(std::string_view path);

// Which files a table may access.
enum class Reach : std::uint8_t {
  kRoot,      // files below the root after links are resolved
  kLinks,     // also the targets of links below the root
  kAnywhere,  // any file: paths may be absolute or contain "..", and are used unchanged
};

// Hashes of file contents. A file is hashed at most once per build, and not at all if its signature is unchanged.
// Thread-safe.
class FileTable {
 public:
  // tree and state must outlive the table. The state is only read.
  FileTable(Disk& disk, std::string root, const Tree& tree, const State& state, Disk::Skip skip, Reach reach);

  Disk& disk() const { return disk_; }
  // The form of a path that this table uses. Errors: those of normalized_input_path.
  Result<std::string> name_of(std::string_view path) const;

  // The hash of a file's bytes, or nothing if the file does not exist.
  Result<std::optional<ContentHash>> hash(std::string_view path);
  // Also true for paths in a folder that cannot be read. Reading such a path reports the error.
  bool exists(std::string_view path);
  // Names of the files directly in a directory, without .meta files of others and files that `skip` leaves out. Nothing
  // if the directory does not exist.
  Result<std::optional<std::vector<std::string>>> list(std::string_view directory);
  // The paths of the walked files whose names have the same loose_name(), sorted by byte value.
  std::vector<std::string> named(std::string_view name);
  // Whether a walked file proves this set of pictures: see recipes::picture_set.
  bool has_set(std::string_view set);
  // kNotFound if the file does not exist.
  Result<Bytes> read(std::string_view path, ContentHash& hash);
  Result<Bytes> head(std::string_view path, std::size_t size);
  // compute(bytes), called once for equal bytes: many models contain the same picture. compute: always the same
  // function.
  ContentHash content_of(ByteSpan bytes, ContentHash (*compute)(ByteSpan));
  // Whether the file's bytes no longer have this hash, or cannot be read.
  bool differs_from(std::string_view path, const ContentHash& hash);

  // Starts another build: forgets what the last one saw. Do not call this or add_entry() while other threads use the
  // table.
  void begin();
  // Call after an entry was appended to the tree.
  void add_entry();

  // Position in the tree, or nothing.
  std::optional<std::size_t> find(std::string_view path) const;
  std::size_t tree_size() const { return tree_.size(); }
  std::uint64_t size_bytes(std::size_t position) const { return tree_[position].signature.size_bytes; }
  // Whether the walk would have found a file at this path if it existed.
  bool covers(std::string_view path) const;

  // The signature that a file outside the walk had when the table looked at it. Nothing if it did not look.
  std::optional<FileSignature> signature_of_uncovered(std::string_view path) const;

  // Files whose new records must be saved. Do not call while other threads use the table.
  std::vector<std::pair<std::string_view, FileRecord>> learned() const;
  // Whether a file of the tree had another signature than during the walk.
  bool changed_meanwhile() const { return changed_meanwhile_; }
  // Whether a later change could leave this signature unchanged, because the file was stamped too shortly before
  // `read_at_ns`. Such a signature proves nothing in the next build.
  static bool is_racy(const FileSignature& signature, std::int64_t read_at_ns);

 private:
  struct Seen {
    std::size_t position;
    bool learn;
    FileRecord record;
  };
  struct Extra {
    bool exists = false;
    bool learn = false;
    FileRecord record;
  };
  std::string full(std::string_view path) const;
  // Whether a path outside the walk goes through a link that the walk did not follow.
  bool leaves_root(std::string_view path) const;
  // Whether the walk could not read the path or one of its folders, so that its content is unknown.
  bool is_unreadable(std::string_view path) const;
  void add_to_sets(std::size_t position);
  void settle(std::size_t position, const FileRecord& record, bool learn);
  Result<Extra> extra(std::string_view path);
  // Records the result of look(path, its signature): a hash, or bytes that digest() hashes.
  template <class Look, class Digest>
  auto look_at(std::string_view path, const Look& look, const Digest& digest);

  Disk& disk_;
  std::string root_;
  const Tree& tree_;
  const State& remembered_;
  Disk::Skip skip_;
  Reach reach_;
  std::string real_root_;  // empty: links may lead anywhere
  std::vector<std::string_view> unreadable_;
  PathIndex index_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> seen_at_;  // for each file of the tree: 1 + index in seen_; 0: none
  std::size_t seen_at_size_ = 0;
  mutable std::mutex mutex_;
  std::deque<Seen> seen_;  // files without a usable record, so they were read
  std::unordered_map<std::string, Extra> extras_;
  std::unordered_map<ContentHash, ContentHash> contents_;  // by the hash of the bytes
  // Files of the tree by the loose_name() of their names; built at the first search for a name.
  std::optional<std::unordered_multimap<std::string, std::size_t>> by_name_;
  // The hashes of the sets that files of the tree prove, with the positions of the files; built at the first question.
  // Entries that were dropped from the tree stay: they have no path, so they prove nothing.
  std::optional<std::unordered_multimap<std::size_t, std::uint32_t>> sets_;
  std::atomic<bool> changed_meanwhile_ = false;
};

// Rules that decide what a file becomes as a source of its own.
struct AssetRules {
  std::span<const recipes::Recipe* const> recipes;
  std::function<const recipes::Settings&(std::string_view path)> settings_of;  // settings of a source; thread-safe
  const Identities* identities = nullptr;                                      // set if outputs are named by UUID
  // The source for which Unity has this GUID; thread-safe. Empty: the project does not take from Unity.
  std::function<std::optional<std::string>(const Uuid& guid)> source_of_guid = {};
  // Thread-safe. Empty: steps are not shared.
  std::function<ChildSettings(const AskedSettings& asked)> settings_of_child = {};

  // The stem of a source's outputs. If the source was refused, the stem names no output.
  std::string stem_of(std::string_view path, const recipes::Claim& claim) const;
};

// The files that one step sees. Records what it accesses. Not thread-safe, like recipes::Inputs.
class TrackedInputs final : public recipes::Inputs {
 public:
  // All arguments must outlive the inputs.
  // rules_source: the source file whose rules apply to the step and its children.
  TrackedInputs(FileTable& files, Toolchain& toolchain, const AssetRules& assets, const Target& target,
                std::string_view rules_source = {})
      : files_(files), toolchain_(toolchain), assets_(assets), target_(target), rules_source_(rules_source) {}

  Result<Bytes> read(std::string_view path) override;
  bool exists(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view directory) override;
  std::vector<std::string> named(std::string_view name) override;
  std::optional<recipes::SourceAsset> asset(std::string_view path) override;
  std::uint64_t ref(std::string_view stem) override { return target_.asset_ref(stem); }
  std::optional<Uuid> uuid(std::string_view asset) override;
  std::optional<std::string> path_of(const Uuid& source) override;
  std::string_view base_type(const Uuid& asset) override;
  Result<recipes::TextureMaker> share(recipes::Step& child) override;
  void runs(const recipes::Program& program) override;
  Result<recipes::Product> make(const recipes::Step& step) override;
  // The function for make(); without one, steps are cooked.
  void make_with(std::function<Result<recipes::Product>(const recipes::Step&)> maker) { maker_ = std::move(maker); }

  struct Seen {
    std::string path;
    DependencyKind kind;
    ContentHash hash;
  };
  // In the order of the first access.
  const std::vector<Seen>& seen() const { return seen_; }
  // May contain duplicates.
  const std::vector<const recipes::Program*>& programs() const { return programs_; }
  // Set if a file changed between two accesses. Then the result belongs to no state of the tree.
  const std::optional<Error>& torn() const { return torn_; }
  // Whether the result does not belong to the current files: they changed between two accesses or since the last one.
  bool is_outdated() const;

 private:
  void remember(std::string path, DependencyKind kind, const ContentHash& hash);
  ChildSettings settings_of(const AskedSettings& asked);

  FileTable& files_;
  Toolchain& toolchain_;
  const AssetRules& assets_;
  const Target& target_;
  std::string_view rules_source_;
  std::vector<Seen> seen_;
  std::unordered_map<std::string, std::size_t> seen_at_;  // by path and class of the kind: the index in seen_
  std::vector<const recipes::Program*> programs_;
  std::optional<Error> torn_;
  std::function<Result<recipes::Product>(const recipes::Step&)> maker_;
};

// For estimates: reads without recording.
class PeekingInputs final : public recipes::Inputs {
 public:
  explicit PeekingInputs(FileTable& files) : files_(files) {}
  Result<Bytes> read(std::string_view path) override;
  Result<Bytes> head(std::string_view path, std::size_t size) override;
  bool exists(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view directory) override;
  std::vector<std::string> named(std::string_view name) override { return files_.named(name); }
  std::optional<recipes::SourceAsset> asset(std::string_view) override { return std::nullopt; }
  std::uint64_t ref(std::string_view) override { return 0; }

 private:
  FileTable& files_;
};

// Saves what was learned about files. Once many recorded files no longer exist, also forgets those. Do not call while
// other threads use the table.
void remember_files(const FileTable& files, State& state, LogWriter& log);
// Forgets the records of files whose time stamp is at or after `time_ns`.
void forget_changed_since(std::int64_t time_ns, State& state);

// The current state of a dependency. Equal to the recorded one if nothing changed.
Result<Dependency> dependency_now(FileTable& files, const AssetRules& assets, std::string_view path,
                                  DependencyKind recorded);
ContentHash listing_hash(const std::vector<std::string>& names);

}  // namespace assetc::engine
