// Who publishes what in one build: two steps never write one file. Thread-safe.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/state/relations.hpp"
#include "engine/state/step_set.hpp"

namespace assetc::engine {

class OutputClaims {
 public:
  // state: does not change its steps while there are claims on it.
  // shares: whether several may ask for one step, as models do that use one picture of a UUID.
  // rest: steps that are as add_cached() would have them; may be null, and outlives the claims.
  OutputClaims(const Target& target, const State& state, bool shares, const AllBut* rest)
      : target_(target), state_(state), shares_(shares), rest_(rest), is_cached_(state.steps.size()) {}

  // What a step is made of, whoever asks for it.
  struct Wanted {
    std::string_view input_path, params;
    bool operator==(const Wanted&) const = default;
  };
  // A step of this build; texts outlive the claims. False where it is shared, and somebody asked for it before.
  // kConflict: another source has asked for it already, or for another one of its name.
  Result<bool> add_step(const StepId& step, std::string_view source, std::string_view stem, const Wanted& wanted);
  // Steps that need not run, and their files as their records have them.
  void add_cached(std::span<const StepSet::Member> steps);
  // A file that a step is about to write. kConflict: another step writes it; ASCII case is ignored.
  Result<void> add_file(const StepId& step, std::string_view source, std::string_view path);

 private:
  struct Owner {
    StepId step;
    std::string_view source;
  };
  bool is_cached(std::uint32_t position) const;
  std::optional<std::uint32_t> cached_owner(std::string_view lower_path);
  struct Asked {
    std::string_view source;
    Wanted wanted;
  };
  Asked cached_step(std::uint32_t position) const;

  const Target& target_;
  const State& state_;
  bool shares_;
  const AllBut* rest_;
  std::mutex mutex_;
  std::unordered_map<StepId, Asked> steps_;
  std::unordered_map<std::string, Owner> owner_of_file_;  // by lower-case path; of steps that run
  // There may be a hundred thousand of these, and one step that runs: their files are known by hashes of their paths.
  std::vector<bool> is_cached_;        // by position in the state
  std::vector<std::uint32_t> cached_;  // positions
  std::unordered_multimap<std::uint64_t, std::uint32_t> cached_by_file_;
  std::size_t cached_with_files_ = 0;  // of cached_, those that are in cached_by_file_
};

}  // namespace assetc::engine
