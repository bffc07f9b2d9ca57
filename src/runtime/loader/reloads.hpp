// What is loaded anew, and what becomes of what was loaded before.
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

// A reload is a record of its own beside the one that refs point to. Not thread-safe.
class Reloads {
 public:
  // The records that a change concerns. `made` are new, and load beside those in `held`; all of both are counted.
  // `dropped` were cached, and are not any more.
  struct Begun {
    std::vector<Record*> made, held, dropped;
  };
  struct Refusal {
    Fault fault;
    Error error;
  };
  // An asset that is told of, and the one that was replaced; both are counted.
  using Event = std::pair<Record*, Record*>;

  Reloads(Graph& graph, Residency& residency) : graph_(graph), residency_(residency) {}

  // ---- changes ----
  Begun begin(const std::vector<AssetHandle>& assets);
  // Links a record of begin() to what it needs now; `needed` as of Graph::find_or_create. Why it cannot be loaded.
  std::optional<Refusal> expand(Record& made, std::vector<Graph::Made>& needed);
  // Assets that failed; a change elsewhere may have mended them.
  void add_failed(std::vector<AssetHandle>& assets) const;
  // The virtual paths of assets that are in no mount any more, and those that are there again.
  void set_gone(std::vector<std::pair<AssetHandle, std::string>> gone);
  std::string path_of(const Record& record) const;
  // What a build could not make. Returns failures that were not told of yet.
  std::vector<Failure> mark_unbuilt(const Changes& changes, std::uint64_t frame);

  // ---- what changed while it was loaded ----
  void again(Record& record);
  std::size_t again_count() const { return again_.size(); }
  // To be given to begin(); empty where there is nothing.
  std::vector<AssetHandle> take_again();

  // ---- the end of a reload ----
  // A record that is ready or has failed gives its value, or its failure, to the one that it was made for, which is
  // returned. A failure that is new is added to `told`.
  Record& take_place(Record& made, std::uint64_t frame, std::vector<Failure>& told);
  // Nobody wants it any more.
  void stop(Record& record);
  // A record that is to make another level of an asset in parts, and to be read or to fail.
  Record& begin_detail(Record& record, std::uint32_t level);
  // Assets in parts that became finer or coarser; counted.
  std::vector<Record*> take_changed_details() { return std::exchange(changed_details_, {}); }
  std::vector<Record*> take_replaced() { return std::exchange(replaced_, {}); }
  // Each of those, as its own cause, and all that need it, directly or not.
  std::vector<Event> events_of(const std::vector<Record*>& replaced);

 private:
  std::vector<Record*> records_of(const std::vector<AssetHandle>& assets) const;
  Record& load_beside(Record& record, const AssetHandle& found);
  void take_detail(Record& record, Record& made);
  bool has_become_its_type(const Record& record) const;
  void retire(const Failure* failure, std::uint64_t frame);

  Graph& graph_;
  Residency& residency_;
  std::vector<AssetHandle> again_;
  std::vector<Record*> replaced_, changed_details_;    // counted
  std::set<std::string> unbuilt_;                      // errors of the last build that were told
  std::unordered_map<AssetHandle, std::string> gone_;  // virtual paths of what the last changes took away
};

}  // namespace assetc::runtime
