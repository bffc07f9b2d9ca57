#include "engine/run/journal.hpp"

#include <algorithm>
#include <iterator>

namespace assetc::engine {
namespace {

// The longest time whose results a killed build can lose.
constexpr auto kCommitEvery = std::chrono::milliseconds(500);
constexpr std::size_t kCommitBytes = 4u << 20;

}  // namespace

void Journal::add(const StepRecord& record, std::vector<std::string> orphans) {
  const std::lock_guard lock(mutex_);
  log_.step(record);
  for (const std::string& path : orphans) log_.orphan(path);
  records_.push_back(&record);
  std::ranges::move(orphans, std::back_inserter(orphans_));
}

Result<void> Journal::commit() {
  const std::lock_guard lock(mutex_);
  return hand_over();
}

Result<void> Journal::commit_if_due() {
  const std::lock_guard lock(mutex_);
  if (Clock::now() - last_commit_ < kCommitEvery && log_.size() < kCommitBytes) return {};
  return hand_over();
}

Result<void> Journal::hand_over() {
  last_commit_ = Clock::now();
  if (!log_.empty()) refused_.push_back(log_.take());
  while (!refused_.empty()) {
    ASSETC_CHECK(cache_.append(refused_.front()));
    refused_.pop_front();
  }
  return {};
}

void Journal::apply(State& state) {
  const std::lock_guard lock(mutex_);
  for (const StepRecord* record : records_) state.steps.put(step_id(record->recipe, record->stem), StepRef(*record));
  records_.clear();
  for (const std::string& path : orphans_) state.orphans.insert(state.arena.keep(path));
  orphans_.clear();
}

}  // namespace assetc::engine
