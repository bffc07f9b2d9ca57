// Who publishes what in one build: two steps never write one file. Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/state/step_set.hpp"

namespace assetc::engine {

class OutputClaims {
 public:
  explicit OutputClaims(const Target& target) : target_(target) {}

  // A step of this build; source outlives the claims. kConflict: another source has asked for it already.
  Result<void> add_step(const StepId& step, std::string_view source, std::string_view stem);
  // A step that need not run, and its files as its record has them; both outlive the claims.
  void add_cached(const StepId& step, std::string_view source, const StepRecord& record);
  // A file that a step is about to write. kConflict: another step writes it; ASCII case is ignored.
  Result<void> add_file(const StepId& step, std::string_view source, std::string_view path);

 private:
  struct Owner {
    StepId step;
    std::string_view source;
  };
  struct Cached {
    StepId step;
    std::string_view source;
    const StepRecord* record;
  };
  const Cached* cached_owner(std::string_view lower_path);

  const Target& target_;
  std::mutex mutex_;
  std::unordered_map<StepId, std::string_view> source_of_step_;
  std::unordered_map<std::string, Owner> owner_of_file_;  // by lower-case path; of steps that run
  // There may be a hundred thousand of these, and one step that runs: their files are known by hashes of their paths.
  std::vector<Cached> cached_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> cached_by_file_;
  std::size_t cached_with_files_ = 0;  // of cached_, those that are in cached_by_file_
};

}  // namespace assetc::engine
