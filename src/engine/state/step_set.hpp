// The steps that take part in a build: those that ran and those that were found up to date.
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
    std::uint32_t position = Positions::kNone;  // in the state that it was read from; none of one made in this build
    bool listed = false;                        // whether the index names its outputs
  };
  // made outlives the set.
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

  // Calls visit(record, member) for each; the record is gone afterwards, what its texts point to is not.
  template <class Visit>
  void each(const Visit& visit) const {
    StepRecord scratch;
    for (const Member& member : members_) visit(member.record.read(scratch), member);
  }

  // By position in the state, whether it is a step of these. The state has all of them.
  std::vector<bool> in(const State& state) const;
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
