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
  // earlier: records of earlier builds that may be copied, too; they stay as they are.
  // relations: of those records; may be null, and outlives this.
  EqualSteps(const StepTable* earlier, const Relations* relations) : earlier_(earlier), relations_(relations) {}
  // A finished step that others may copy.
  void add(const StepRecord& record);
  // Records of this key, the newest few.
  std::vector<StepRef> finished(const ContentHash& key);

  // True: another step of this key runs, and the node waits until it has ended. False: the caller is the one that
  // runs; it calls end().
  bool wait(const ContentHash& key, const Node& node);
  // The nodes that waited; they have retried set and do not wait again.
  std::vector<Node> end(const ContentHash& key);

 private:
  // Adds those of earlier builds.
  void find_earlier(const ContentHash& key, std::vector<StepRef>& found);

  struct Earlier {
    ContentHash key;
    std::uint32_t position;
  };

  std::mutex mutex_;
  const StepTable* earlier_;
  const Relations* relations_;
  std::optional<std::vector<Earlier>> earlier_by_key_;  // sorted; when first needed
  std::unordered_map<ContentHash, std::vector<StepRef>> finished_;
  std::unordered_map<ContentHash, std::vector<Node>> waiting_;  // a key that runs has an entry
};

}  // namespace assetc::engine
