#include "runtime/loader/details.hpp"

#include <algorithm>

namespace assetc::runtime {
namespace {

bool has_begun(const std::vector<Details::Step>& begun, const Record* record) {
  return std::ranges::any_of(begun, [&](const Details::Step& step) { return step.record == record; });
}

// By how much a budget with so much room is exceeded; negative if there is room for others. It does not count against a
// record that needs no more of the budget.
std::int64_t excess(std::int64_t more, std::int64_t room) {
  return more > 0 ? more - room : std::min<std::int64_t>(0, -room);
}

}  // namespace

// Returns the finest level that is wanted of a value.
std::uint32_t Details::wanted_of(const Record& record) {
  const bool is_only_shared =
      !record.sharers.is_empty() && record.refs == 0 && record.user_count == record.sharers.size();
  const std::uint32_t of_sharers = record.sharers.wanted_level();
  return is_only_shared ? of_sharers : std::min(record.wanted_level, of_sharers);
}

// Returns the level that a record should have.
std::uint32_t Details::goal_of(const Record& record) {
  const Detail& detail = *record.detail;
  const std::uint32_t goal = std::min(std::max(wanted_of(record), detail.reachable), detail.coarsest);
  return detail.is_stuck ? std::min(goal, detail.levels.first) : goal;
}

// Returns the change of budget bytes if the record gets this level. The result is exact if it had the level before. An
// engine may keep nothing in one of the budgets.
Details::Bytes Details::change(const Record& record, std::uint32_t level) {
  if (const auto held = record.detail->held.find(level); held != record.detail->held.end()) {
    return {static_cast<std::int64_t>(held->second.cpu_bytes) - static_cast<std::int64_t>(record.cpu_bytes),
            static_cast<std::int64_t>(held->second.gpu_bytes) -
                static_cast<std::int64_t>(record.loaded.load()->gpu.size_bytes)};
  }
  const PartLevels& levels = record.detail->levels;
  const auto more = static_cast<std::int64_t>(levels.value_bytes[level]) -
                    static_cast<std::int64_t>(levels.value_bytes[levels.first]);
  return {record.cpu_bytes > 0 ? more : 0, record.loaded.load()->gpu.size_bytes > 0 ? more : 0};
}

void Details::update(Record& record) {
  if (!record.detail || !record.loaded.load()) return;
  Detail& detail = *record.detail;
  all_.insert(&record);
  detail.held[detail.levels.first] = {record.cpu_bytes, record.loaded.load()->gpu.size_bytes};
  if (!record.has_detail_coming()) forget_coming(detail);
  if (record.queue == &changing_) Queue::leave(record);
  if (is_free(record) && goal_of(record) != detail.levels.first) changing_.enter(record);
  Detail::Counted counted;
  if (record.is_held) {
    const std::int64_t freed = detail.is_stuck ? 0 : -change(record, detail.coarsest).gpu;
    counted.gpu_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, freed));
    counted.is_coarser = detail.levels.first > goal_of(record);
  }
  count(detail, counted);
}

void Details::remove(Record& record) {
  if (all_.erase(&record) == 0) return;
  if (record.queue == &changing_) Queue::leave(record);
  forget_coming(*record.detail);
  count(*record.detail, {});
}

void Details::count(Detail& detail, const Detail::Counted& counted) {
  totals_.gpu_bytes += counted.gpu_bytes - detail.counted.gpu_bytes;
  totals_.coarser += std::size_t{counted.is_coarser} - std::size_t{detail.counted.is_coarser};
  detail.counted = counted;
}

void Details::forget_coming(Detail& detail) {
  freeing_gpu_bytes_ -= std::max<std::int64_t>(0, -detail.coming_gpu_bytes);
  coming_.cpu -= std::exchange(detail.coming_cpu_bytes, 0);
  coming_.gpu -= std::exchange(detail.coming_gpu_bytes, 0);
}

Details::Bytes Details::room() const {
  return {residency_.cpu_room() - coming_.cpu, residency_.gpu_room() - coming_.gpu};
}

// Finds the least urgent record whose finest part counts in an exceeded budget; of equals, the largest. below: only
// records that are less urgent than this one.
Record* Details::least_urgent(const Record* below, const Bytes& over, const std::vector<Step>& begun) const {
  Record* found = nullptr;
  std::int64_t most = 0;
  for (Record* record : all_) {
    const Detail& detail = *record->detail;
    if (!is_free(*record) || has_begun(begun, record)) continue;
    if (detail.is_stuck || detail.levels.first >= detail.coarsest) continue;
    if (below != nullptr && record->urgency.priority >= below->urgency.priority) continue;
    const Bytes freed = change(*record, detail.levels.first + 1);
    if ((over.cpu <= 0 || freed.cpu >= 0) && (over.gpu <= 0 || freed.gpu >= 0)) continue;
    const std::int64_t size = -std::min(freed.cpu, freed.gpu);
    const int priority = record->urgency.priority;
    if (found != nullptr &&
        (priority > found->urgency.priority || (priority == found->urgency.priority && size <= most)))
      continue;
    found = record;
    most = size;
  }
  return found;
}

// Returns coarser levels of the least urgent records that free enough bytes. If they cannot free enough, returns
// nothing if `below` is set, otherwise all that they can free.
std::vector<Details::Step> Details::make_room(const Record* below, Bytes over, const std::vector<Step>& begun) const {
  std::vector<Step> all = begun;
  const auto is_enough = [&](const Bytes& freed) { return over.cpu + freed.cpu <= 0 && over.gpu + freed.gpu <= 0; };
  while (!is_enough({})) {
    Record* const victim = least_urgent(below, over, all);
    if (victim == nullptr && below != nullptr) return {};
    if (victim == nullptr) break;
    std::uint32_t level = victim->detail->levels.first + 1;
    while (level < victim->detail->coarsest && !is_enough(change(*victim, level))) ++level;
    const Bytes freed = change(*victim, level);
    over.cpu += freed.cpu;
    over.gpu += freed.gpu;
    all.push_back({victim, level});
  }
  return {all.begin() + static_cast<std::ptrdiff_t>(begun.size()), all.end()};
}

void Details::begin(Record& record, std::uint32_t level, std::vector<Step>& steps) {
  const Bytes more = change(record, level);
  record.detail->coming_cpu_bytes = more.cpu;
  record.detail->coming_gpu_bytes = more.gpu;
  coming_.cpu += more.cpu;
  coming_.gpu += more.gpu;
  freeing_gpu_bytes_ += std::max<std::int64_t>(0, -more.gpu);
  if (record.queue == &changing_) Queue::leave(record);
  steps.push_back({&record, level});
}

bool Details::admit(std::vector<Step>& steps) {
  const std::int64_t over = -room().gpu;  // after loads that have begun
  if (over + freeing_gpu_bytes_ <= 0) return true;
  for (const auto& [victim, level] : make_room(nullptr, {excess(0, room().cpu), over}, steps))
    begin(*victim, level, steps);
  return freeing_gpu_bytes_ == 0;
}

Waits Details::waits_of(const Record& record) const {
  const Bytes more = change(record, record.detail->levels.first - 1), left = room();
  if (excess(more.gpu, left.gpu) > 0) return Waits::kGpuBudget;
  return excess(more.cpu, left.cpu) > 0 ? Waits::kCpuBudget : Waits::kPump;
}

std::vector<Details::Step> Details::take() {
  // Limits the number of records that a pump looks at if there is no room for any of them.
  constexpr std::size_t kMaxLooks = 64;
  std::vector<Step> steps;
  std::vector<Record*> finer;
  changing_.each([&](Record& record) {
    if (!is_free(record)) return true;
    if (goal_of(record) > record.detail->levels.first) {
      begin(record, goal_of(record), steps);
      return true;
    }
    if (finer.size() == kMaxLooks) return false;
    finer.push_back(&record);
    return true;
  });
  const Bytes before = room();
  for (const auto& [victim, level] : make_room(nullptr, {-before.cpu, -before.gpu}, steps))
    begin(*victim, level, steps);
  for (Record* record : finer) {
    if (has_begun(steps, record)) continue;
    const std::uint32_t level = record->detail->levels.first - 1;
    const Bytes more = change(*record, level), left = room();
    const Bytes over{excess(more.cpu, left.cpu), excess(more.gpu, left.gpu)};
    if (over.cpu > 0 || over.gpu > 0) {
      const std::vector<Step> victims = make_room(record, over, steps);
      if (victims.empty()) continue;
      for (const auto& [victim, coarser] : victims) begin(*victim, coarser, steps);
    }
    begin(*record, level, steps);
  }
  return steps;
}

}  // namespace assetc::runtime
