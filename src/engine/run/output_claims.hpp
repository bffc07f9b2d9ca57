// Who publishes what in one build: two steps never write one file. Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/state/step_set.hpp"

namespace assetc::engine {

class OutputClaims {
 public:
  explicit OutputClaims(const Target& target) : target_(target) {}

  // A step of this build. kConflict: another source has asked for it already.
  Result<void> add_step(const StepId& step, std::string_view source, std::string_view stem);
  // A step that need not run, and its files as its record has them.
  void add_cached(const StepId& step, std::string_view source, const StepRecord& record);
  // A file that a step is about to write. kConflict: another step writes it; ASCII case is ignored.
  Result<void> add_file(const StepId& step, std::string_view source, std::string_view path);

 private:
  struct Owner {
    StepId step;
    std::string source;
  };
  const Target& target_;
  std::mutex mutex_;
  std::unordered_map<StepId, std::string> source_of_step_;
  std::unordered_map<std::string, Owner> owner_of_file_;  // by lower-case path
};

}  // namespace assetc::engine
