// The steps that take part in a build: those that ran and those that were found up to date.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/state/state.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

class StepSet {
 public:
  struct Member {
    std::shared_ptr<const StepRecord> record;  // not null
    bool listed = false;                       // whether the index names its outputs
  };
  void add(std::shared_ptr<const StepRecord> record, bool listed) { members_.push_back({std::move(record), listed}); }
  void add(StepSet other);

  std::size_t size() const { return members_.size(); }
  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }

  std::unordered_set<StepId> ids() const;
  // The files of all outputs, in byte order.
  std::vector<std::string> files(const Target& target) const;

 private:
  std::vector<Member> members_;
};

// The files of a step's outputs, in their order.
std::vector<std::string> files_of(const StepRecord& record, const Target& target);
// All files that a state answers for: those of its steps, and those still to be removed.
std::vector<std::string> files_of(const State& state, const Target& target);

}  // namespace assetc::engine
