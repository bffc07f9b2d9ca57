// What the engine remembers of earlier builds: one record a step, one a file it hashed, and the paths it still has to
// remove. Records are views into a text arena: a hundred thousand of them are a few large allocations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// Text that lives as long as the arena. Thread-safe.
class Arena {
 public:
  std::string_view keep(std::string_view text);
  void adopt(Bytes block) { blocks_.push_back(std::move(block)); }  // views into it stay valid

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::vector<Bytes> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

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
  recipes::Severity severity = recipes::Severity::kWarning;
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

struct State {
  Arena arena;
  std::vector<std::shared_ptr<const StepRecord>> steps;  // no null
  std::unordered_map<StepId, std::size_t> step_index;
  std::unordered_map<std::string_view, FileRecord> files;
  std::unordered_set<std::string_view> orphans;  // output paths that no record owns any more, not removed yet

  const StepRecord* find(const StepId& id) const;
  void put(const StepId& id, std::shared_ptr<const StepRecord> record);
  void erase(const StepId& id);
};

// The log: a sequence of changes to a State. A block is self-contained and decodes without its predecessors.
class LogWriter {
 public:
  void step(const StepRecord& record);
  void erase_step(const StepId& id);
  void file(std::string_view path, const FileRecord& record);
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

// A map of strings as one text and back; equal maps, equal text.
std::string encode_params(const recipes::Params& params);
recipes::Params decode_params(std::string_view text);

}  // namespace assetc::engine
