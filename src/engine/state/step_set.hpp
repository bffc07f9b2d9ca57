// The steps of a build: those that ran and those that were up to date.
#pragma once

#include <iterator>
#include <string>
#include <vector>

#include "engine/state/state.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

class StepSet {
 public:
  struct Member {
    StepRef record;                             // not null
    std::uint32_t position = Positions::kNone;  // in the state that it came from; kNone if made in this build
    bool listed = false;                        // the index contains its outputs
  };
  // made must outlive the set.
  void add(const StepRecord& made, bool listed) { members_.push_back({StepRef(made), Positions::kNone, listed}); }
  void add(std::vector<Member> members) {
    if (members_.empty()) {
      members_ = std::move(members);
    } else {
      members_.insert(members_.end(), members.begin(), members.end());
    }
  }

  std::size_t size() const { return members_.size(); }
  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }

  // Calls visit(record, member) for each step. The record is valid only during the call; its texts stay valid.
  template <class Visit>
  void each(const Visit& visit) const {
    StepRecord scratch;
    for (const Member& member : members_) visit(member.record.read(scratch), member);
  }

  // For each position in the state, whether the set contains its step. The state must contain all steps of the set.
  std::vector<bool> in(const State& state) const;
  // The files of all outputs, sorted in byte order.
  std::vector<std::string> files(const Target& target) const;

 private:
  std::vector<Member> members_;
};

// The files of a step's outputs, in order.
std::vector<std::string> files_of(const StepRecord& record, const Target& target);
// All files that a state owns: the outputs of its steps, and files that still have to be removed.
std::vector<std::string> files_of(const State& state, const Target& target);

}  // namespace assetc::engine
