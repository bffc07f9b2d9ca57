// An index over all records of a state: finds the steps that are affected by a change, without looking at all records.
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
    kLooksAt,  // path below the input that the step read or looked for
    kLists,    // folder below the input
    kSeeks,    // loose_name() of files anywhere below the input
    kWrites,   // file of its outputs, in lower case
    kHasKey,   // for a shareable step: the bytes of its key
    kAsksFor,  // the bytes of the StepId of a step that it asks for
    kTakes,    // path of a source for which it asks for a step
  };

  void add(const StepId& id, const StepRecord& record, const Target& target);
  // The record must be the same as when it was added.
  void remove(const StepId& id, const StepRecord& record, const Target& target);

  // Steps with this relation to `text`, in no particular order. May contain other steps, because only hashes are
  // compared.
  std::vector<StepId> find(Kind kind, std::string_view text) const;
  // Number of references to outputs of other steps, in all records.
  std::uint64_t reference_count() const { return reference_count_; }

 private:
  std::unordered_multimap<std::uint64_t, StepId> steps_;
  std::uint64_t reference_count_ = 0;
};

inline std::string_view bytes_text(const ContentHash& hash) { return as_text(object_bytes(hash)); }

// The recorded steps that a build reuses unchanged: all of the state except these.
struct AllBut {
  const Relations& relations;
  std::unordered_set<StepId> steps;
};

}  // namespace assetc::engine
