// Which sources are left to the steps of others that take them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "engine/state/state.hpp"

namespace assetc::engine {

// A source that a step of another asks for a step on is none of its own, unless a product refers to what it makes.
class Taken {
 public:
  // A step that may take sources; the record outlives this.
  void add(const StepRecord& record);
  // Whether a source is made only as others take it.
  bool leaves(std::string_view path, std::string_view stem) const;

 private:
  std::unordered_set<std::string_view> paths_;
  std::unordered_set<std::string> references_;  // in lower case
};

}  // namespace assetc::engine
