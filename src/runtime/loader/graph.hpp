// The records of a manager, and their dependencies.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include "assetc/base/hash.hpp"
#include "runtime/loader/record.hpp"
#include "runtime/loader/record_table.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// Starts nothing. It returns which records are new, and which no longer wait. Not thread-safe.
class Graph {
 public:
  // A new record that must now be read or fail. Dependencies come before their dependents.
  struct Made {
    Record* record;
    bool is_cyclic = false;
  };

  Graph(Core* core, Residency& residency, Catalog catalog,
        std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : core_(core),
        residency_(residency),
        memory_(&memory),
        catalog_(std::make_shared<const Catalog>(std::move(catalog))),
        listed_(memory),
        offered_(&memory) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // ---- types ----
  void add(AssetType type, AnyLoader loader);
  TypeEntry* entry_of(const void* type_tag) const;
  TypeEntry* entry_of(AssetType type) const;
  const std::vector<std::unique_ptr<TypeEntry>>& types() const { return types_; }
  // Releases the device objects of fallbacks. Call it when the manager is destroyed, on the thread that pumps.
  void release_fallbacks();
  // Takes the loaders, except for their functions that destroy values.
  std::vector<AnyLoader> take_loaders();

  // ---- the catalog ----
  const std::shared_ptr<const Catalog>& catalog() const { return catalog_; }
  std::shared_ptr<const Catalog> exchange_catalog(std::shared_ptr<const Catalog> next) {
    return std::exchange(catalog_, std::move(next));
  }
  AssetHandle find_in_catalog(const AssetHandle& asset) const { return find_in(*catalog_, asset).asset; }

  // ---- records ----
  Record* find(const AssetHandle& asset, const LoadSettings& settings = {}) const;
  // Returns the records of an asset with any settings.
  std::vector<Record*> find_all(const AssetHandle& asset) const;
  const RecordTable& listed() const { return listed_; }
  const std::vector<Record*>& apart() const { return apart_; }
  // Calls `visit` for every record that is listed or apart, except for ranges.
  template <class Visit>
  void each(const Visit& visit) const {
    for (Record* record : listed_.all()) visit(*record);
    for (const Record* record : apart_) {
      if (!record->range) visit(*record);
    }
  }
  std::uint64_t last_id() const { return last_id_; }  // of the record that was created last
  // Makes room for more listed records.
  void reserve(std::size_t count) { listed_.reserve(count); }
  // asset: as requested. found: the result of find_in_catalog(). Returns a record that is not listed and has no refs.
  Record& create(const AssetHandle& asset, const AssetHandle& found, int priority, const LoadSettings& settings = {});
  // The same in steps. prepare() takes most of the time and is thread-safe: it reads the loaders, which do not change
  // after the first load. A prepared record is passed to find_or_create() or discarded.
  struct Blank {
    Record* record = nullptr;
    Loading* loading = nullptr;
  };
  Blank blank();  // memory without objects
  Record& prepare(const Blank& blank, const AssetHandle& asset, const Catalog::Found& found,
                  const std::shared_ptr<const Catalog>& catalog, const LoadSettings& settings = {}) const;
  void discard(Record& prepared);
  // Returns the record of an asset, which must be a result of find_in_catalog(). The caller gets a ref. A new record is
  // appended to `made`, after all of its new dependencies. sequence: 0 for the next one. prepared: a record for this
  // asset, prepared with the current catalog, which is used or discarded.
  Record& find_or_create(const AssetHandle& asset, int priority, std::uint64_t sequence, std::vector<Made>& made,
                         const LoadSettings& settings = {}, Record* prepared = nullptr);
  // Lists a record that is not listed. Requires that find() does not find its handle and settings.
  void list(Record& record);
  void unlist(Record& record);
  void set_apart(Record& record);
  // Call it when the load is over, also if it was canceled.
  void end_load(Record& record);
  void free(Record& record);
  // Returns the loaded records, each before its dependencies.
  std::vector<Record*> loaded_users_first() const;
  std::uint64_t next_sequence() { return ++last_sequence_; }
  std::size_t live_count() const { return live_; }
  std::size_t loading_count() const { return loading_; }
  void stopped_loading() { --loading_; }

  // ---- dependencies ----
  void need(Record& record, Record& needed);
  void need_softly(Record& record, Record& needed);
  void drop_needs(Record& record);
  // Returns whether `from` depends on `target`, now or after current reloads are complete.
  static bool reaches(const Record& from, const Record& target);
  // For a record that waits for nothing: returns the dependency whose failure makes it fail, or null.
  static const Record* failed_need(const Record& record);
  // For a record that would fail: returns whether its failed dependency is being reloaded. The record then waits for
  // it.
  static bool awaits_reload(Record& record);
  // Call it when the state of an asset is final. Returns the records that waited for this asset and for nothing else.
  static std::vector<Record*> settle(Record& asset);
  // For a record that is not ready: returns the record that its dependents wait for. This is the record itself or its
  // reload.
  static Record* loading_of(Record& record);

  // Returns whether a record that is loading waits for `target`, directly or indirectly, or is `target`.
  static bool awaits(Record& from, const Record& target);

  // ---- records with the same bytes ----
  // Returns a record that a new one can share the value of: one that is ready, or that is loading it. Null: none.
  Record* original_of(const Record& record) const;
  // For a record that is about to be read: others with the same bytes can share its value.
  void offer(Record& record);
  // Makes a record wait for the value of another. unshare() leaves it without one.
  void share(Record& record, Record& original);
  void unshare(Record& record);
  // The original of a record becomes another one, which has the value.
  void follow(Record& record, Record& original);
  // For a record whose value is replaced by that of `made`, which gets the old one.
  void swap_contents(Record& record, Record& made);
  std::size_t sharing_count() const { return sharing_; }

  // ---- order ----
  static void raise(Record& record, int priority);
  static void set_priority(Record& record, int priority);
  static void make_awaited(Record& record);
  static void make_needs_awaited(Record& record) {
    for (Record* needed : record.hard) make_awaited(*needed);
  }

 private:
  struct HashContent {
    std::size_t operator()(const ContentId& id) const { return static_cast<std::size_t>(xxh3_64(object_bytes(id))); }
  };
  Record& add(Record& prepared, int priority);
  void leave_original(Record& record);

  Core* const core_;
  Residency& residency_;
  std::pmr::polymorphic_allocator<> memory_;
  std::shared_ptr<const Catalog> catalog_;
  std::vector<std::unique_ptr<TypeEntry>> types_;
  RecordTable listed_;
  std::vector<Record*> apart_;
  std::pmr::unordered_map<ContentId, Record*, HashContent> offered_;  // records that may have failed since
  std::size_t sharing_ = 0;
  std::uint64_t last_sequence_ = 0, last_id_ = 0;
  std::size_t live_ = 0, loading_ = 0;
  std::size_t listed_with_settings_ = 0;
  // A record whose dependencies are being looked up.
  struct Frame {
    Record* record;
    Dependencies needs;
    std::size_t next = 0;
    bool is_cyclic = false;
  };
  std::vector<Frame> frames_;  // of find_or_create(); kept for its memory
};

}  // namespace assetc::runtime
