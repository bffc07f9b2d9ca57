// The input tree as one build sees it, and the door through which a recipe reads it.
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
#include "engine/state/state.hpp"
#include "engine/state/toolchain.hpp"
#include "engine/target/identities.hpp"
#include "engine/target/target.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// X.meta says something of the file or folder X beside it: it is no source of its own, and nobody has to take it.
// Recipes read it as any file.
inline constexpr std::string_view kSidecarSuffix = ".meta";

// A path below the input root without "." and "..", or kInvalidData when it is absolute or climbs out.
Result<std::string> normalized_input_path(std::string_view path);

// Which files the paths of a table may lead to.
enum class Reach : std::uint8_t {
  kRoot,      // those below the root, links followed
  kLinks,     // also those that links there lead to
  kAnywhere,  // any: paths may be absolute or climb, and are taken as they are
};

// Contents of files, hashed once a build at most and not at all when their signature is as it was. Thread-safe.
class FileTable {
 public:
  // tree and state outlive the table; state is only read.
  FileTable(Disk& disk, std::string root, const Tree& tree, const State& state, Disk::Skip skip, Reach reach);

  // What a path is called here. Errors: as of normalized_input_path.
  Result<std::string> name_of(std::string_view path) const;

  // The hash of a file's bytes; nothing when no file is there.
  Result<std::optional<ContentHash>> hash(std::string_view path);
  // Also of what lies in a folder that cannot be read: reading it says why.
  bool exists(std::string_view path);
  // Names of the files directly in a directory, without sidecars and those that sources leave out; nothing when it is
  // not there.
  Result<std::optional<std::vector<std::string>>> list(std::string_view directory);
  // kNotFound when it is not there.
  Result<Bytes> read(std::string_view path, ContentHash& hash);
  Result<Bytes> head(std::string_view path, std::size_t size);
  // Whether a file holds other bytes now than those of a hash, or cannot be read.
  bool differs_from(std::string_view path, const ContentHash& hash);

  // Another build begins: what this one saw is forgotten. Not while other threads use the table, as what follows.
  void begin();
  // The tree has a new entry, its last.
  void add_entry();

  // Position in the tree, or nothing.
  std::optional<std::size_t> find(std::string_view path) const;
  std::size_t tree_size() const { return tree_.size(); }
  std::uint64_t size_bytes(std::size_t position) const { return tree_[position].signature.size_bytes; }
  // Whether the walk would have met a file of this path if there was one.
  bool covers(std::string_view path) const;

  // The signature that a file the walk does not cover had when it was looked at; nothing when nobody did.
  std::optional<FileSignature> signature_of_uncovered(std::string_view path) const;

  // What was learned: files whose record is to be remembered. Not while other threads use the table.
  std::vector<std::pair<std::string_view, FileRecord>> learned() const;
  // Whether a file of the tree was seen with another signature than the walk saw.
  bool changed_meanwhile() const { return changed_meanwhile_; }
  // A stamp at or after this one may repeat for a later change: such a signature proves nothing next time.
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
  // Whether a path that the walk did not see is one through a link that it did not follow.
  bool leaves_root(std::string_view path) const;
  // Whether a path is one that the walk could not read, or lies in one: nobody knows what is there.
  bool is_unreadable(std::string_view path) const;
  void settle(std::size_t position, const FileRecord& record, bool learn);
  Result<Extra> extra(std::string_view path);
  // Takes note of what look(path, its signature) gives: a hash, or bytes that digest() hashes.
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
  std::unique_ptr<std::atomic<std::uint32_t>[]> seen_at_;  // of each file of the tree, one past its place in seen_
  std::size_t seen_at_size_ = 0;
  mutable std::mutex mutex_;
  std::deque<Seen> seen_;  // what was looked at because no record told
  std::unordered_map<std::string, Extra> extras_;
  std::atomic<bool> changed_meanwhile_ = false;
};

// What says what a file becomes on its own.
struct AssetRules {
  std::span<const recipes::Recipe* const> recipes;
  std::function<const recipes::Settings&(std::string_view path)> settings_of;  // a source's; thread-safe
  const Identities* identities = nullptr;                                      // where outputs are named by UUID

  // Of a source's outputs; that of one that is refused names no output.
  std::string stem_of(std::string_view path, const recipes::Claim& claim) const;
};

// One cook's view of the table; remembers what was asked for. Not thread-safe, as recipes::Inputs says.
class TrackedInputs final : public recipes::Inputs {
 public:
  // All outlive the inputs.
  TrackedInputs(FileTable& files, Toolchain& toolchain, const AssetRules& assets, const Target& target)
      : files_(files), toolchain_(toolchain), assets_(assets), target_(target) {}

  Result<Bytes> read(std::string_view path) override;
  bool exists(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view directory) override;
  std::optional<recipes::SourceAsset> asset(std::string_view path) override;
  std::uint64_t ref(std::string_view stem) override { return target_.asset_ref(stem); }
  std::optional<Uuid> uuid(std::string_view asset) override;
  std::optional<std::string> path_of(const Uuid& source) override;
  void runs(const recipes::Program& program) override;

  struct Seen {
    std::string path;
    DependencyKind kind;
    ContentHash hash;
  };
  // In the order of the first look.
  const std::vector<Seen>& seen() const { return seen_; }
  // Some perhaps twice.
  const std::vector<const recipes::Program*>& programs() const { return programs_; }
  // Set when a file changed between two looks: what was cooked is of no tree that ever was.
  const std::optional<Error>& torn() const { return torn_; }
  // Whether what was cooked is not of the files as they are now: they changed between two looks, or since the last.
  bool is_outdated() const;

 private:
  void remember(std::string path, DependencyKind kind, const ContentHash& hash);

  FileTable& files_;
  Toolchain& toolchain_;
  const AssetRules& assets_;
  const Target& target_;
  std::vector<Seen> seen_;
  std::vector<const recipes::Program*> programs_;
  std::optional<Error> torn_;
};

// For estimates: looks without being remembered.
class PeekingInputs final : public recipes::Inputs {
 public:
  explicit PeekingInputs(FileTable& files) : files_(files) {}
  Result<Bytes> read(std::string_view path) override;
  Result<Bytes> head(std::string_view path, std::size_t size) override;
  bool exists(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view directory) override;
  std::optional<recipes::SourceAsset> asset(std::string_view) override { return std::nullopt; }
  std::uint64_t ref(std::string_view) override { return 0; }

 private:
  FileTable& files_;
};

// Records what was learned, and forgets files that the tree has no more, once they are many. Not while other threads
// use the table.
void remember_files(const FileTable& files, State& state, LogWriter& log);
// Forgets what was read of files that changed at a time or later, as their stamps say.
void forget_changed_since(std::int64_t time_ns, State& state);

// The state of one dependency now; equal to the recorded one when nothing changed.
Result<Dependency> dependency_now(FileTable& files, const AssetRules& assets, std::string_view path,
                                  DependencyKind recorded);
ContentHash listing_hash(const std::vector<std::string>& names);

}  // namespace assetc::engine
