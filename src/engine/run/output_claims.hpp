// Who publishes what in one build: two steps never write one file. Thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/state/step_set.hpp"

namespace assetc::engine {

class OutputClaims {
 public:
  // state: does not change its steps while there are claims on it.
  OutputClaims(const Target& target, const State& state)
      : target_(target), state_(state), is_cached_(state.steps.size()) {}

  // A step of this build; source outlives the claims. kConflict: another source has asked for it already.
  Result<void> add_step(const StepId& step, std::string_view source, std::string_view stem);
  // Steps that need not run, and their files as their records have them.
  void add_cached(std::span<const StepSet::Member> steps);
  // A file that a step is about to write. kConflict: another step writes it; ASCII case is ignored.
  Result<void> add_file(const StepId& step, std::string_view source, std::string_view path);

 private:
  struct Owner {
    StepId step;
    std::string_view source;
  };
  std::optional<std::uint32_t> cached_owner(std::string_view lower_path);
  std::string_view cached_source(std::uint32_t position) const;

  const Target& target_;
  const State& state_;
  std::mutex mutex_;
  std::unordered_map<StepId, std::string_view> source_of_step_;
  std::unordered_map<std::string, Owner> owner_of_file_;  // by lower-case path; of steps that run
  // There may be a hundred thousand of these, and one step that runs: their files are known by hashes of their paths.
  std::vector<bool> is_cached_;        // by position in the state
  std::vector<std::uint32_t> cached_;  // positions
  std::unordered_multimap<std::uint64_t, std::uint32_t> cached_by_file_;
  std::size_t cached_with_files_ = 0;  // of cached_, those that are in cached_by_file_
};

}  // namespace assetc::engine
