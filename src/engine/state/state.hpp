// What the engine remembers of earlier builds: a record for each step, a record for each hashed file, and the paths
// that it still has to remove. Records stay encoded in the blocks of the log that they came from. With 100,000 records,
// a build that changes one file decodes each of them briefly and keeps none.
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

// Identifies a step across builds by its recipe's name and its stem.
using StepId = ContentHash;
StepId step_id(std::string_view recipe, std::string_view stem);

enum class DependencyKind : std::uint8_t {
  kRead,
  kPresent,
  kAbsent,
  kListing,
  kListingAbsent,
  kAsset,     // what the file becomes as a source of its own, if anything
  kUuid,      // UUID of a source or of an asset inside it, if it has one
  kNamed,     // the files with a name, anywhere; path: its loose_name()
  kSettings,  // those of a step that the step may ask for; path: AskedSettings::text()
};

struct Dependency {
  std::string_view path;
  DependencyKind kind = DependencyKind::kRead;
  ContentHash hash;  // of the bytes, the listing, the asset, the UUID or the paths
  bool operator==(const Dependency&) const = default;
};

struct OutputRecord {
  std::string_view suffix;
  ContentHash hash;
  FileSignature signature;  // includes the size
  recipes::Descriptor descriptor;
};

// A step that another step asked for. Contains enough to plan it without running its parent.
struct ChildRecord {
  std::string_view recipe;
  std::string_view source;
  std::string_view input_path;  // empty: the parent provides the input
  std::string_view stem;
  std::string_view params;  // see encode_params()
  std::string_view pins;    // see encode_pins()
  ContentHash inline_hash;
  bool listed = false;
};

struct DiagnosticRecord {
  recipes::Severity severity = recipes::Severity::kNote;
  std::optional<WarningKind> kind;  // for warnings
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
  std::string_view settings;  // canonical text of the setting groups that the recipe uses
  std::string_view params;
  std::string_view toolchain;  // see Toolchain: libraries of the recipe and programs that the step ran
  ContentHash inline_hash;     // hash of the inline input; zero if the input is a file
  ContentHash key;             // for a shareable step: hash of everything that affects its outputs
  bool shareable = false;      // read nothing but its input and asked for no steps, so equal keys mean equal outputs
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

// A block of the log. It is kept because records in it stay encoded.
struct LogBlock {
  Bytes bytes;
  std::vector<std::string_view> shared_texts;  // in the order in which they first occur
};

// Owns texts, blocks and new records for the lifetime of a state. Thread-safe.
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

// A reference to a record that is either encoded in a block of the log or was made in this build. The block or record
// must outlive it.
class StepRef {
 public:
  StepRef() = default;
  explicit StepRef(const StepRecord& made) : made_(&made) {}
  StepRef(const LogBlock& block, std::uint32_t offset) : block_(&block), offset_(offset) {}

  explicit operator bool() const { return made_ != nullptr; }
  // If the record is encoded, decodes it into `scratch`. The result is valid until `scratch` changes; its texts live as
  // long as the state.
  const StepRecord& read(StepRecord& scratch) const;

 private:
  static constexpr std::uint32_t kMade = ~0u;
  union {
    const StepRecord* made_ = nullptr;
    const LogBlock* block_;
  };
  std::uint32_t offset_ = kMade;
};

// Records by position, in no particular order. Positions stay valid until a step is erased.
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

// Encoded file records, found by path.
class FileRecords {
 public:
  std::size_t size() const { return files_.size(); }
  std::string_view path(std::size_t i) const { return {files_[i].path, files_[i].path_size}; }
  FileRecord operator[](std::size_t i) const;
  std::optional<FileRecord> find(std::string_view path) const;
  // Both must outlive the table. encoded: result of encode_file_record().
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
  // output paths that no record owns any more and that still have to be removed
  std::unordered_set<std::string_view> orphans;
};

// The log: a sequence of changes to a State. Each block can be decoded without the earlier ones.
class LogWriter {
 public:
  void step(const StepRecord& record);
  void erase_step(const StepId& id);
  void file(std::string_view path, const FileRecord& record);
  void file_record(const FileRecord& record);  // the part of file() after the path
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
  void shared_text(std::string_view value);  // written once per block
  void hash(const ContentHash& value);
  void signature(const FileSignature& value);

  ByteVector out_;
  std::unordered_map<std::string, std::uint64_t> shared_;
};

// Applies a block to a state, which keeps the block. If the block is incomplete, returns kInvalidData. The state then
// has the changes before the fault.
Result<void> replay(State& state, const Bytes& block);

}  // namespace assetc::engine
