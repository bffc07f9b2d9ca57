// Records which step publishes which file in one build, so that two steps never write the same file. Thread-safe.
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
  // state: its steps must not change while there are claims.
  // shares: whether several steps may ask for the same step, like models that use one picture with a UUID.
  // rest: cached steps, as if they were passed to add_cached(). May be null; outlives the claims.
  OutputClaims(const Target& target, const State& state, bool shares, const AllBut* rest)
      : target_(target), state_(state), shares_(shares), rest_(rest), is_cached_(state.steps.size()) {}

  // The input and parameters of a step, independent of the step that asks for it.
  struct Wanted {
    std::string_view input_path, params;
    bool operator==(const Wanted&) const = default;
  };
  // Adds a step of this build; its texts outlive the claims. Returns false if the step is shared and was already added.
  // kConflict: another source has already asked for this step, or for another step of the same name.
  Result<bool> add_step(const StepId& step, std::string_view source, std::string_view stem, const Wanted& wanted);
  // Adds steps that need not run, with the files in their records.
  void add_cached(std::span<const StepSet::Member> steps);
  // Claims a file that a step is about to write. kConflict: another step writes it. ASCII case is ignored.
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
  std::unordered_map<std::string, Owner> owner_of_file_;  // by lower-case path; only steps that run
  // There may be a hundred thousand cached steps and one step that runs. Therefore files of cached steps are found by
  // the hash of their paths.
  std::vector<bool> is_cached_;        // by position in the state
  std::vector<std::uint32_t> cached_;  // positions
  std::unordered_multimap<std::uint64_t, std::uint32_t> cached_by_file_;
  std::size_t cached_with_files_ = 0;  // how many of cached_ are in cached_by_file_
};

}  // namespace assetc::engine
