// What the engine remembers of earlier builds: one record a step, one a file it hashed, and the paths it still has to
// remove. Records stay encoded in the blocks of the log that they were read from: of a hundred thousand, a build that
// changes one file looks into each for a moment and holds none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/positions.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// Who a step is across builds: its recipe's name and its stem.
using StepId = ContentHash;
StepId step_id(std::string_view recipe, std::string_view stem);

enum class DependencyKind : std::uint8_t {
  kRead,
  kPresent,
  kAbsent,
  kListing,
  kListingAbsent,
  kAsset,  // what a file becomes on its own, if anything
  kUuid,   // of a source or of what is in it, if it has one
};

struct Dependency {
  std::string_view path;
  DependencyKind kind = DependencyKind::kRead;
  ContentHash hash;  // of the bytes, the listing or the asset
  bool operator==(const Dependency&) const = default;
};

struct OutputRecord {
  std::string_view suffix;
  ContentHash hash;
  FileSignature signature;  // size included
  recipes::Descriptor descriptor;
};

// A step that another step asked for: enough to plan it without running its parent.
struct ChildRecord {
  std::string_view recipe;
  std::string_view source;
  std::string_view input_path;  // empty: the input is inside the parent's
  std::string_view stem;
  std::string_view params;  // encode_params()
  std::string_view pins;    // encode_pins()
  ContentHash inline_hash;
  bool listed = false;
};

struct DiagnosticRecord {
  recipes::Severity severity = recipes::Severity::kNote;
  std::optional<WarningKind> kind;  // of a warning
  ErrorCode code = ErrorCode::kInvalidData;
  std::string_view file, place, what, hint;
};

// The last successful run of a step.
struct StepRecord {
  std::string_view recipe;
  std::uint32_t version = 0;
  std::string_view stem;
  std::string_view source;
  std::string_view input_path;
  std::string_view settings;  // canonical text of the recipe's groups
  std::string_view params;
  std::string_view toolchain;  // Toolchain: its recipe's libraries, and the programs it ran
  ContentHash inline_hash;     // of the inline input; zero when it was a file
  ContentHash key;             // all that decides the outputs of a shareable step
  bool shareable = false;      // it read nothing but its input and asked for no steps: equal keys, equal outputs
  std::vector<Dependency> dependencies;
  std::vector<OutputRecord> outputs;
  std::vector<ChildRecord> children;
  std::vector<std::string_view> references;
  std::vector<DiagnosticRecord> diagnostics;
};

struct FileRecord {
  FileSignature signature;
  ContentHash hash;
};

// A block of the log, kept for what is encoded in it.
struct LogBlock {
  Bytes bytes;
  std::vector<std::string_view> shared_texts;  // in the order of their first mention
};

// What lives as long as a state: texts, blocks, records made in this build. Thread-safe.
class Arena {
 public:
  std::string_view keep(std::string_view text);
  const StepRecord& keep(std::unique_ptr<const StepRecord> record);
  LogBlock& adopt(Bytes block);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::deque<LogBlock> blocks_;
  std::vector<std::unique_ptr<const StepRecord>> records_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

// A record: encoded in a block of the log, or as it was made. Either outlives the reference.
class StepRef {
 public:
  StepRef() = default;
  explicit StepRef(const StepRecord& made) : made_(&made) {}
  StepRef(const LogBlock& block, std::uint32_t offset) : block_(&block), offset_(offset) {}

  explicit operator bool() const { return made_ != nullptr; }
  // Decodes into scratch what is encoded. Valid as long as scratch is left alone; texts live as long as the state.
  const StepRecord& read(StepRecord& scratch) const;

 private:
  static constexpr std::uint32_t kMade = ~0u;
  union {
    const StepRecord* made_ = nullptr;
    const LogBlock* block_;
  };
  std::uint32_t offset_ = kMade;
};

// Records by position, in no order that means anything; positions last until a step is erased.
class StepTable {
 public:
  std::size_t size() const { return steps_.size(); }
  StepRef operator[](std::size_t position) const { return steps_[position].record; }
  const StepId& id(std::size_t position) const { return steps_[position].id; }
  std::optional<std::uint32_t> find(const StepId& id) const;
  void put(const StepId& id, StepRef record);
  void erase(const StepId& id);

 private:
  struct Step {
    StepId id;
    StepRef record;
  };
  std::vector<Step> steps_;
  Positions positions_;
};

// Records of files by path, encoded.
class FileRecords {
 public:
  std::size_t size() const { return files_.size(); }
  std::string_view path(std::size_t i) const { return {files_[i].path, files_[i].path_size}; }
  FileRecord operator[](std::size_t i) const;
  std::optional<FileRecord> find(std::string_view path) const;
  // Both outlive the table. encoded: encode_file_record().
  void put(std::string_view path, std::string_view encoded);
  void erase(std::string_view path);

 private:
  struct File {
    const char* path;
    const char* encoded;
    std::uint32_t path_size;
    std::uint32_t encoded_size;
  };
  std::uint32_t position(std::string_view path) const;

  std::vector<File> files_;
  Positions positions_;
};
std::string encode_file_record(const FileRecord& record);

struct State {
  Arena arena;
  StepTable steps;
  FileRecords files;
  std::unordered_set<std::string_view> orphans;  // output paths that no record owns any more, not removed yet
};

// The log: a sequence of changes to a State. A block is self-contained and decodes without its predecessors.
class LogWriter {
 public:
  void step(const StepRecord& record);
  void erase_step(const StepId& id);
  void file(std::string_view path, const FileRecord& record);
  void file_record(const FileRecord& record);  // the part of file() behind the path
  void forget_file(std::string_view path);
  void orphan(std::string_view path);
  void forget_orphan(std::string_view path);

  bool empty() const { return out_.empty(); }
  std::size_t size() const { return out_.size(); }
  ByteVector take();

 private:
  void tag(std::uint8_t value);
  void number(std::uint64_t value);
  void text(std::string_view value);
  void shared_text(std::string_view value);  // spelt once a block
  void hash(const ContentHash& value);
  void signature(const FileSignature& value);

  ByteVector out_;
  std::unordered_map<std::string, std::uint64_t> shared_;
};

// Applies a block to a state, which keeps the block. kInvalidData when it is not whole; the state then holds the
// changes before the fault.
Result<void> replay(State& state, const Bytes& block);

}  // namespace assetc::engine
