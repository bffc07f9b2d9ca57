// Restores steps from a store instead of cooking them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/store/store.hpp"

namespace assetc::engine {

// The complete stored product of a step: verified bytes, and the same for every step inside its source.
struct Restorable {
  StoredProduct product;
  std::vector<Bytes> outputs;  // outputs of its record, in order
  std::unordered_map<StepId, std::shared_ptr<const Restorable>> inside;
};

// The data that the store lacks to restore a step.
struct Lacking {
  struct Blob {
    ContentHash key;  // of the product that names the blob
    ContentHash hash;
    std::uint64_t size_bytes = 0;
  };
  std::vector<ContentHash> keys;  // keys of products
  std::vector<Blob> blobs;
  bool nothing() const { return keys.empty() && blobs.empty(); }
};

// Thread-safe while the state does not change.
class Restorer {
 public:
  Restorer(Store& store, const Planner& planner, const Planner::Context& context)
      : store_(store), planner_(planner), c_(context) {}

  // Sets node.key, so that it is computed only once. Leaves it unset if the input cannot be read: the step reports that
  // when it runs.
  void look_up_key(Node& node) const;
  // The batch in which small products of similar steps travel, by their sources: about kBatchSources sources of the
  // input. It is the same in all trees with about as many files. nullopt for a step inside another source.
  std::optional<ContentHash> batch(const Node& node) const;
  // Null if the store lacks any part, or if its product was made from other inputs.
  std::shared_ptr<const Restorable> find(const Node& node) const;
  // The same for products that were found before.
  std::shared_ptr<const Restorable> choose(const Node& node, std::span<const StoredProduct> products) const;
  // The data that the store needs before find() succeeds, as far as it is known now: a product may name more. found:
  // products of the step's key that are already known. nullopt for a step without a key.
  std::optional<Lacking> lacking(const Node& node, std::span<const StoredProduct> found = {}) const;

 private:
  bool add_lacking(const Node& node, std::span<const StoredProduct> found, Lacking& to) const;
  void add_lacking_of(const ContentHash& key, const StepRecord& record, Lacking& to) const;
  // Calls `call` for each step that is inside the source of the record's step and must run, until it returns false.
  template <class Call>
  bool each_inside(const StepRecord& record, const Node& node, const Call& call) const;
  bool may_publish(const Node& node, const StepRecord& record) const;
  bool fits(const Node& node, const StepRecord& record) const;
  // All products under its key; nullopt if it has no key.
  std::optional<std::vector<StoredProduct>> products(const Node& node) const;
  // Null if the store lacks an output of the step or of a step inside it.
  std::shared_ptr<const Restorable> complete(const Node& node, const StoredProduct& product) const;

  Store& store_;
  const Planner& planner_;
  const Planner::Context c_;
};

}  // namespace assetc::engine
