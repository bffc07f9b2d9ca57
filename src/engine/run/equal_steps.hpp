// Steps of equal keys have equal outputs: one of them is cooked, the others wait for it and copy. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/state/relations.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

class EqualSteps {
 public:
  // earlier: records of earlier builds, which may be copied too. They must not change.
  // relations: of those records. May be null; outlives this object.
  EqualSteps(const StepTable* earlier, const Relations* relations) : earlier_(earlier), relations_(relations) {}
  // Adds a finished step, which others may copy.
  void add(const StepRecord& record);
  // The newest few records with this key.
  std::vector<StepRef> finished(const ContentHash& key);

  // Returns true if another step of this key runs; the node then waits until that step has ended. Returns false if the
  // caller is to run the step; the caller then calls end().
  bool wait(const ContentHash& key, const Node& node);
  // Returns the nodes that waited. They have `has_waited` set and do not wait again.
  std::vector<Node> end(const ContentHash& key);

 private:
  // Adds records of earlier builds.
  void find_earlier(const ContentHash& key, std::vector<StepRef>& found);

  struct Earlier {
    ContentHash key;
    std::uint32_t position;
  };

  std::mutex mutex_;
  const StepTable* earlier_;
  const Relations* relations_;
  std::optional<std::vector<Earlier>> earlier_by_key_;  // sorted; filled when first needed
  std::unordered_map<ContentHash, std::vector<StepRef>> finished_;
  std::unordered_map<ContentHash, std::vector<Node>> waiting_;  // a key has an entry while a step of it runs
};

}  // namespace assetc::engine
