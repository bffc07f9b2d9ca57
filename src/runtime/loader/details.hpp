// The levels of detail of assets in parts: which become finer or coarser next, within the budgets.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "runtime/loader/record.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// It loads nothing: it says which load beside an asset is to begin. Not thread-safe.
class Details {
 public:
  struct Step {
    Record* record;
    std::uint32_t level;
  };
  explicit Details(const Residency& residency) : residency_(residency) {}

  // To be called after a change of a record's detail, wanted level or load beside it.
  void update(Record& record);
  // Before its value goes.
  void remove(Record& record);
  // The loads to begin now: what is not wanted any more becomes coarser; where a budget is exceeded, the finest parts
  // of the least urgent assets go; then the most urgent become finer by a level, where there is room or less urgent
  // ones can make some. Each record is to get a load beside it, and update().
  std::vector<Step> take();

 private:
  struct Bytes {
    std::int64_t cpu = 0, gpu = 0;
  };
  static bool is_free(const Record& record) { return record.is_held && record.reload == nullptr; }
  static std::uint32_t goal_of(const Record& record);
  static Bytes change(const Record& record, std::uint32_t level);
  Record* least_urgent(const Record* below, const Bytes& over, const std::vector<Step>& begun) const;
  std::vector<Step> make_room(const Record* below, Bytes over, const std::vector<Step>& begun) const;
  void begin(Record& record, std::uint32_t level, std::vector<Step>& steps);
  Bytes room() const;

  const Residency& residency_;
  std::unordered_set<Record*> all_;
  Queue changing_;  // ready ones whose level is not the one that is wanted
  Bytes coming_;
};

}  // namespace assetc::runtime
