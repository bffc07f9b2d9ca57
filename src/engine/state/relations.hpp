// Who has to do with what, over all records of a state: what a build asks that looks at what changed alone.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/state/state.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

class Relations {
 public:
  enum class Kind : std::uint8_t {
    kLooksAt,  // a path below the input that the step read or looked for
    kLists,    // a folder below the input
    kWrites,   // a file of its outputs, in lower case
    kHasKey,   // a shareable step: the bytes of its key
    kAsksFor,  // the bytes of a step's StepId
    kTakes,    // the path of a source that it asks for a step on
  };

  void add(const StepId& id, const StepRecord& record, const Target& target);
  // As it was added.
  void remove(const StepId& id, const StepRecord& record, const Target& target);

  // Steps related to a text, in no order; by its hash: others may be among them.
  std::vector<StepId> find(Kind kind, std::string_view text) const;
  // Names in all records of outputs of others.
  std::uint64_t reference_count() const { return reference_count_; }

 private:
  std::unordered_multimap<std::uint64_t, StepId> steps_;
  std::uint64_t reference_count_ = 0;
};

inline std::string_view bytes_text(const ContentHash& hash) { return as_text(object_bytes(hash)); }

// The steps of a state that a build takes as they are recorded: all but these.
struct AllBut {
  const Relations& relations;
  std::unordered_set<StepId> steps;
};

}  // namespace assetc::engine
