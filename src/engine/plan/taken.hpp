// Decides which sources are compiled only by steps of other sources that take them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "engine/state/state.hpp"

namespace assetc::engine {

// If a step of another source asks for a step on a source, the source has no step of its own, unless a product refers
// to its outputs.
class Taken {
 public:
  // Adds a step that may take sources. The record outlives this object.
  void add(const StepRecord& record);
  // Whether a source is compiled only because others take it.
  bool leaves(std::string_view path, std::string_view stem) const;

 private:
  std::unordered_set<std::string_view> paths_;
  std::unordered_set<std::string> references_;  // in lower case
};

}  // namespace assetc::engine
