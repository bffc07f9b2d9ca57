// Steps that need not be cooked, for a store has what they would make.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {

// What a store has of a step, all of it: verified bytes, and the same of every step whose bytes are inside its source.
struct Restorable {
  StoredProduct product;
  std::vector<Bytes> outputs;  // of its record, in order
  std::unordered_map<StepId, std::shared_ptr<const Restorable>> inside;
};

// What keeps a step from being restored.
struct Lacking {
  struct Blob {
    ContentHash key;  // of its product
    ContentHash hash;
    std::uint64_t size_bytes = 0;
  };
  std::vector<ContentHash> keys;  // of products
  std::vector<Blob> blobs;
  bool nothing() const { return keys.empty() && blobs.empty(); }
};

// Thread-safe while nobody changes the state.
class Restorer {
 public:
  Restorer(LocalStore& store, const Planner& planner, const Planner::Context& context)
      : store_(store), planner_(planner), c_(context) {}

  // Its key, once: what it is stored by. Left out where its input cannot be read: the step says so when it runs.
  void look_up_key(Node& node) const;
  // What small products of steps like it travel in, by their sources: about kBatchSources of the input's. The same in
  // all trees of about as many files. Nothing for a step whose bytes are inside another's source.
  std::optional<ContentHash> batch(const Node& node) const;
  // Null where the store lacks anything, or what it has was made of something else.
  std::shared_ptr<const Restorable> find(const Node& node) const;
  // The same of products that were found before.
  std::shared_ptr<const Restorable> choose(const Node& node, std::span<const StoredProduct> products) const;
  // What the store must get before it can find() the step, as far as that is known now: a product may name more.
  // found: products of its key that are known already. Nothing for a step that has no key.
  std::optional<Lacking> lacking(const Node& node, std::span<const StoredProduct> found = {}) const;

 private:
  bool add_lacking(const Node& node, std::span<const StoredProduct> found, Lacking& to) const;
  void add_lacking_of(const ContentHash& key, const StepRecord& record, Lacking& to) const;
  // Calls with each step whose bytes are inside the source of a record's and that must run, until one call says false.
  template <class Call>
  bool each_inside(const StepRecord& record, const Node& node, const Call& call) const;
  bool may_publish(const Node& node, const StepRecord& record) const;
  bool fits(const Node& node, const StepRecord& record) const;
  // All under its key; nothing for a step that has none.
  std::optional<std::vector<StoredProduct>> products(const Node& node) const;
  // Null where the store lacks an output of it or of a step inside.
  std::shared_ptr<const Restorable> complete(const Node& node, const StoredProduct& product) const;

  LocalStore& store_;
  const Planner& planner_;
  const Planner::Context c_;
};

}  // namespace assetc::engine
