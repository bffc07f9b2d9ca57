// The records of a manager, and which of them need which.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/loader/record.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// Starts nothing: it says which records are new, and which wait no more. Not thread-safe.
class Graph {
 public:
  // A record that was made, and is to be read or to fail. Those that others need come first.
  struct Made {
    Record* record;
    bool is_cyclic = false;
  };

  Graph(Core* core, Residency& residency, Catalog catalog)
      : core_(core), residency_(residency), catalog_(std::make_shared<const Catalog>(std::move(catalog))) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // ---- types ----
  void add(AssetType type, AnyLoader loader);
  TypeEntry* entry_of(const void* type_tag) const;
  TypeEntry* entry_of(AssetType type) const;
  const std::vector<std::unique_ptr<TypeEntry>>& types() const { return types_; }
  // At the end of a manager, on the thread that pumps: the device objects of fallbacks.
  void release_fallbacks();
  // All of the loaders but what destroys values.
  std::vector<AnyLoader> take_loaders();

  // ---- the catalog ----
  const std::shared_ptr<const Catalog>& catalog() const { return catalog_; }
  std::shared_ptr<const Catalog> exchange_catalog(std::shared_ptr<const Catalog> next) {
    return std::exchange(catalog_, std::move(next));
  }
  AssetHandle find_in_catalog(const AssetHandle& asset) const { return find_in(*catalog_, asset); }

  // ---- records ----
  Record* find(const AssetHandle& asset) const;
  const std::unordered_map<AssetHandle, Record*>& listed() const { return listed_; }
  const std::vector<Record*>& apart() const { return apart_; }
  // asset: as it was asked for. found: as find_in_catalog() has it. Returns a record that nobody finds or holds.
  Record& create(const AssetHandle& asset, const AssetHandle& found, int priority);
  // The record of an asset as find_in_catalog() has it, counted for the caller. Where it is new, it is added to `made`
  // behind all that it needs and that is new too. sequence: 0 for the next one.
  Record& find_or_create(const AssetHandle& asset, int priority, std::uint64_t sequence, std::vector<Made>& made);
  void unlist(Record& record);
  void set_apart(Record& record);
  void free(Record& record);
  // Those that are loaded, each before what it needs.
  std::vector<Record*> loaded_users_first() const;
  std::uint64_t next_sequence() { return ++last_sequence_; }
  std::size_t live_count() const { return live_; }
  std::size_t loading_count() const { return loading_; }
  void stopped_loading() { --loading_; }

  // ---- needs ----
  void need(Record& record, Record& needed);
  void need_softly(Record& record, Record& needed);
  void drop_needs(Record& record);
  // Whether `target` is needed by `from`, now or when what is loaded anew has taken its place.
  static bool reaches(const Record& from, const Record& target);
  // The record whose failure fails one that waits for nothing any more; null where there is none.
  static const Record* failed_need(const Record& record);
  // Of a record that would fail: whether what failed is being loaded anew. It is waited for then.
  static bool awaits_reload(Record& record);
  // The state of an asset is decided. Returns those that waited for it and nothing else.
  static std::vector<Record*> settle(Record& asset);
  // The record that those wait for who need one that is not ready: itself, or the one loaded in its place.
  static Record* loading_of(Record& record);

  // ---- order ----
  static void raise(Record& record, int priority);
  static void set_priority(Record& record, int priority);
  static void make_awaited(Record& record);
  static void make_needs_awaited(Record& record) {
    for (Record* needed : record.hard) make_awaited(*needed);
  }

 private:
  Core* const core_;
  Residency& residency_;
  std::shared_ptr<const Catalog> catalog_;
  std::vector<std::unique_ptr<TypeEntry>> types_;
  std::unordered_map<AssetHandle, Record*> listed_;
  std::vector<Record*> apart_;
  std::uint64_t last_sequence_ = 0, last_id_ = 0;
  std::size_t live_ = 0, loading_ = 0;
};

}  // namespace assetc::runtime
