// Chooses the levels of detail of assets in parts: which become finer or coarser next, within the budgets.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "runtime/loader/record.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// Loads nothing. It only returns which loads to begin. Not thread-safe.
class Details {
 public:
  struct Step {
    Record* record;
    std::uint32_t level;
  };
  explicit Details(const Residency& residency, std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : residency_(residency), changing_(memory) {}

  // Call it after a change of a record's detail, wanted level or load beside it.
  void update(Record& record);
  // Call it before the record's value is destroyed, or replaced by one that is not in parts.
  void remove(Record& record);
  // Returns the loads to begin now, in this order:
  // 1. Assets that are finer than wanted become coarser.
  // 2. If a budget is exceeded, the finest parts of the least urgent assets are dropped.
  // 3. The most urgent assets become finer by one level, if there is room or less urgent assets can free some.
  // For each record, the caller must begin a load beside it and call update().
  std::vector<Step> take();
  // For an object whose bytes were promised: returns whether it may be created now. If not, loads of coarser levels
  // will free memory; `steps` gets those to begin, as from take().
  bool admit(std::vector<Step>& steps);

  struct Totals {
    std::uint64_t gpu_bytes = 0;  // that coarser levels would free
    std::size_t coarser = 0;      // number of assets that are coarser than wanted
  };
  const Totals& totals() const { return totals_; }
  // For a ready asset in parts: returns whether it has the level that it should have.
  static bool is_at_goal(const Record& record) { return goal_of(record) == record.detail->levels.first; }
  static bool is_coarser(const Record& record) { return goal_of(record) < record.detail->levels.first; }
  // For one that could be finer: returns the budget that has no room, or kPump if its load begins in the next pump.
  Waits waits_of(const Record& record) const;

 private:
  struct Bytes {
    std::int64_t cpu = 0, gpu = 0;
  };
  static bool is_free(const Record& record) { return record.is_held && record.reload == nullptr; }
  static std::uint32_t wanted_of(const Record& record);
  static std::uint32_t goal_of(const Record& record);
  static Bytes change(const Record& record, std::uint32_t level);
  Record* least_urgent(const Record* below, const Bytes& over, const std::vector<Step>& begun) const;
  std::vector<Step> make_room(const Record* below, Bytes over, const std::vector<Step>& begun) const;
  void forget_coming(Detail& detail);
  void count(Detail& detail, const Detail::Counted& counted);
  void begin(Record& record, std::uint32_t level, std::vector<Step>& steps);
  Bytes room() const;

  const Residency& residency_;
  std::unordered_set<Record*> all_;
  Queue changing_;  // ready records whose level is not the wanted one
  Totals totals_;
  Bytes coming_;
  std::int64_t freeing_gpu_bytes_ = 0;  // the part of coming_ that loads of coarser levels will free
};

}  // namespace assetc::runtime
