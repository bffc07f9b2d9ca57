// Steps of equal keys have equal outputs: one of them is cooked, the others wait for it and copy. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

class EqualSteps {
 public:
  // A finished step that others may copy.
  void add(std::shared_ptr<const StepRecord> record);
  // Records of this key, the newest few.
  std::vector<std::shared_ptr<const StepRecord>> finished(const ContentHash& key) const;

  // True: another step of this key runs, and the node waits until it has ended. False: the caller is the one that
  // runs; it calls end().
  bool wait(const ContentHash& key, const Node& node);
  // The nodes that waited; they have retried set and do not wait again.
  std::vector<Node> end(const ContentHash& key);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<ContentHash, std::vector<std::shared_ptr<const StepRecord>>> finished_;
  std::unordered_map<ContentHash, std::vector<Node>> waiting_;  // a key that runs has an entry
};

}  // namespace assetc::engine
