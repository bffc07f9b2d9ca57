// Steps that need not be cooked, for a store has what they would make.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {

// What a store has of a step, all of it: verified bytes, and the same of every step whose bytes are inside its source.
struct Restorable {
  StoredProduct product;
  std::vector<Bytes> outputs;  // of its record, in order
  std::unordered_map<StepId, std::shared_ptr<const Restorable>> inside;
};

// Thread-safe while nobody changes the state.
class Restorer {
 public:
  Restorer(LocalStore& store, const Planner& planner, const Planner::Context& context)
      : store_(store), planner_(planner), c_(context) {}

  // What it is stored by: all that decides its outputs and is known before it has run; the rest is in its record.
  Result<ContentHash> key(const Node& node) const;
  // Null where the store lacks anything, or what it has was made of something else.
  std::shared_ptr<const Restorable> find(const Node& node) const;

 private:
  bool fits(const Node& node, const StepRecord& record) const;
  bool complete(const Node& node, Restorable& found) const;

  LocalStore& store_;
  const Planner& planner_;
  const Planner::Context c_;
};

}  // namespace assetc::engine
