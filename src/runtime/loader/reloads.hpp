// Reloads of assets, and the values that they replace.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/loader/graph.hpp"

namespace assetc::runtime {

// A reload has its own record, beside the one that refs point to. Not thread-safe.
class Reloads {
 public:
  // The records that a change affects. `made` are new and load beside those in `held`; both hold refs. `dropped` were
  // removed from the cache.
  struct Begun {
    std::vector<Record*> made, held, dropped;
  };
  struct Refusal {
    Fault fault;
    Error error;
  };
  // The asset to report, and the asset that was replaced. Both hold refs.
  using Event = std::pair<Record*, Record*>;

  Reloads(Graph& graph, Residency& residency) : graph_(graph), residency_(residency) {}

  // ---- changes ----
  // is_told: the engine reported the change. Otherwise it was found while parts of an asset were read.
  Begun begin(const std::vector<AssetHandle>& assets, bool is_told);
  // Links a record from begin() to its current dependencies; `needed` as in Graph::find_or_create. Returns a refusal if
  // it cannot be loaded.
  std::optional<Refusal> expand(Record& made, std::vector<Graph::Made>& needed);
  // Adds assets that failed, because a change elsewhere may have fixed them.
  void add_failed(std::vector<AssetHandle>& assets) const;
  // Sets the virtual paths of assets that are in no mount, or not any more. Removes those that exist again.
  void set_gone(std::vector<std::pair<AssetHandle, std::string>> gone);
  std::string path_of(const Record& record) const;
  // Marks assets that a build could not make. Returns failures that were not reported yet.
  std::vector<Failure> mark_unbuilt(const Changes& changes, std::uint64_t frame);

  // ---- assets that changed while they were loading ----
  void again(Record& record);
  std::size_t again_count() const { return again_.size(); }
  // Returns the assets to pass to begin(). May be empty.
  std::vector<AssetHandle> take_again();

  // ---- the end of a reload ----
  // Moves the value or failure of a finished record to the record that it was made for, and returns that record. New
  // failures are added to `told`.
  Record& take_place(Record& made, std::uint64_t frame, std::vector<Failure>& told);
  // Call it when the reload is not wanted any more.
  void stop(Record& record);
  // Creates a record that will load another level of an asset in parts. The caller must read it or let it fail.
  Record& begin_detail(Record& record, std::uint32_t level);
  // Creates a record whose value the caller has.
  Record& begin_insert(Record& record) { return load_beside(record, record.found); }
  // Takes the assets in parts that became finer or coarser. Each holds a ref.
  std::vector<Record*> take_changed_details() { return std::exchange(changed_details_, {}); }
  std::vector<Record*> take_replaced() { return std::exchange(replaced_, {}); }
  // Returns each replaced asset as its own cause, and all of its direct and indirect dependents.
  std::vector<Event> events_of(const std::vector<Record*>& replaced);

 private:
  std::vector<Record*> records_of(const std::vector<AssetHandle>& assets) const;
  Record& load_beside(Record& record, const AssetHandle& found);
  void take_detail(Record& record, Record& made);
  void update_sharers(Record& record, Record& made, std::uint64_t frame);
  bool has_become_its_type(const Record& record) const;
  void retire(const Failure* failure, std::uint64_t frame);

  Graph& graph_;
  Residency& residency_;
  std::vector<AssetHandle> again_;
  std::vector<Record*> replaced_, changed_details_;    // each holds a ref
  std::set<std::string> unbuilt_;                      // errors of the last build that were reported
  std::unordered_map<AssetHandle, std::string> gone_;  // virtual paths of assets that the last changes removed
};

}  // namespace assetc::runtime
