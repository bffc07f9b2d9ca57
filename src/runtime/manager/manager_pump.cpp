#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "runtime/manager/manager_core.hpp"
#include "runtime/manager/trace_scope.hpp"

namespace assetc::runtime {

using Stage = Record::Stage;

namespace {

// What a small asset costs as if it were that large, for the estimate.
constexpr std::uint64_t kSmallBytes = 16u << 10;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void Core::finalize_fallbacks(Lock& lock) {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    TypeEntry& type = *types_[i];
    if (type.fallback == nullptr || std::exchange(type.asked_for_fallback_gpu, true)) continue;
    lock.unlock();
    Result<GpuObject> made = GpuObject{};
    if (type.loader.finalize) made = type.loader.finalize(type.fallback, AssetDesc{});
    if (made) {
      type.fallback_gpu = *made;
      type.has_fallback_gpu.store(true, std::memory_order_release);
    }
    lock.lock();
    if (!made) {
      const Fault fault = fault_of(made.error().code);
      failures_.push_back({fault, {.type = type.type}, {}, std::move(made).error()});
    }
  }
}

void Core::finalize(Lock& lock, Record& record, PumpReport& report) {
  leave(finalize_queue_, record);
  record.stage = Stage::kFinishing;
  ++finalizing_;
  const AnyLoader& loader = record.type.load()->loader;
  const std::uint64_t bytes = record.cpu_bytes;
  lock.unlock();
  const auto start = Clock::now();
  Result<GpuObject> made = GpuObject{};
  if (loader.finalize) {
    const TraceScope scope(options_.trace, "finalize", record.desc.virtual_path);
    made = loader.finalize(record.value, record.desc);
  }
  if (loader.size_bytes) record.cpu_bytes = loader.size_bytes(record.value);
  const double seconds = seconds_between(start, Clock::now());
  lock_soon(lock);
  --finalizing_;
  decode_stalled_ = false;
  // Quick to learn that it got slower, slow to forget it.
  const double rate = seconds / static_cast<double>(bytes + kSmallBytes);
  finalize_seconds_per_byte_ = std::max(rate, finalize_seconds_per_byte_ * 0.95 + rate * 0.05);
  if (!made) {
    Error error = std::move(made).error();
    const Fault fault = fault_of(error.code);
    ++report.failed;
    return fail(record, fault, std::move(error));
  }
  record.loaded.store(new Loaded{std::exchange(record.value, nullptr), *made}, std::memory_order_release);
  cpu_ += record.cpu_bytes;
  gpu_ += made->size_bytes;
  ++report.finalized;
  report.finalized_bytes += bytes;
  record.state.store(LoadState::kReady, std::memory_order_release);
  if (record.refs == 0) discard_callbacks(record);
  retain(record);
  for (const AssetHandle& wanted : std::exchange(record.soft_wanted, {})) {
    Record& needed = find_or_create(wanted, record.priority - 1, 0);
    if (reaches(needed, record)) {
      release_locked(needed);
    } else {
      record.soft.push_back(&needed);
    }
  }
  finish(record);
  release_locked(record);
  settle_idle();
}

void Core::run_callbacks(Lock& lock) {
  auto calls = std::exchange(calls_, {});
  auto unwanted = std::exchange(unwanted_, {});
  if (calls.empty() && unwanted.empty()) return;
  lock.unlock();
  std::unordered_map<const Record*, std::uint32_t> left;  // refs of the calls themselves
  for (const auto& [ref, call] : calls) ++left[ref.record_];
  for (auto& [ref, call] : calls) {
    Record& record = *ref.record_;
    // An earlier one may have let go of what this one is of.
    const bool is_held = record.refs.load(std::memory_order_acquire) > left[&record];
    --left[&record];
    if (is_held) call(std::move(ref));
    ref = {};
  }
  calls.clear();
  unwanted.clear();
  lock.lock();
}

// What they hold cannot be let go of under the mutex.
void Core::discard_callbacks(Record& record) {
  std::ranges::move(std::exchange(record.callbacks, {}), std::back_inserter(unwanted_));
}

// What nobody holds goes, until the budgets hold.
void Core::evict() {
  while ((cpu_ > options_.cpu_bytes || gpu_ > options_.gpu_bytes) && !lru_.empty()) {
    Record& oldest = *lru_.front();
    lru_.pop_front();
    oldest.in_lru = false;
    drop(oldest);
  }
}

bool Core::drop_one(Lock& lock, PumpReport& report) {
  if (dropping_.empty()) return false;
  const Dropping dropping = std::move(dropping_.back());
  dropping_.pop_back();
  const AnyLoader& loader = *dropping.loader;
  lock.unlock();
  if (dropping.loaded != nullptr) {
    const TraceScope scope(options_.trace, "release");
    if (loader.release) loader.release(dropping.loaded->gpu);
    loader.destroy(dropping.loaded->value);
  }
  if (dropping.value != nullptr) loader.destroy(dropping.value);
  lock.lock();
  ++report.dropped;
  release_locked(*dropping.record);
  settle_idle();
  return true;
}

PumpReport Core::pump(const PumpBudget& budget) {
  const auto start = Clock::now();
  const double allowed = std::chrono::duration<double>(budget.time).count();
  const auto elapsed = [&] { return seconds_between(start, Clock::now()); };
  PumpReport report;
  const TraceScope scope(options_.trace, "pump");
  Lock lock(mutex_);
  report.frame = ++frame_;
  release_retired(lock, false);
  reload_again();
  finalize_fallbacks(lock);
  while (true) {
    if (!options_.io_thread) exchange_reads(lock);
    const bool is_first = report.finalized + report.failed == 0;
    if (finalize_queue_.empty()) {
      if (options_.jobs.submit != nullptr || (!is_first && elapsed() > allowed) || !decode_some(lock)) break;
      continue;
    }
    Record& record = **finalize_queue_.begin();
    const double estimate = finalize_seconds_per_byte_ * static_cast<double>(record.cpu_bytes + kSmallBytes);
    if (!is_first && (elapsed() + estimate > allowed || report.finalized_bytes + record.cpu_bytes > budget.bytes))
      break;
    finalize(lock, record, report);
  }
  run_callbacks(lock);
  tell_reloaded(lock);
  evict();
  while (drop_one(lock, report)) {
    evict();
    if (elapsed() > allowed) break;
  }
  start_jobs(lock);
  const auto failures = std::exchange(failures_, {});
  report.failed = failures.size();
  const std::pair<const char*, std::uint64_t> counters[] = {
      {"in_flight_bytes", in_flight_}, {"cpu_bytes", cpu_}, {"gpu_bytes", gpu_}, {"loading", loading_}};
  lock.unlock();
  for (const auto& [name, value] : counters)
    options_.trace({.kind = TraceEvent::Kind::kCounter, .name = name, .value = value});
  if (options_.on_failure) {
    for (const Failure& failure : failures) options_.on_failure(failure);
  }
  return report;
}

void Core::wait(Record& record) {
  Lock lock(mutex_);
  const bool decodes_here = options_.jobs.submit == nullptr;
  PumpReport report;
  // Where finalize asks for it, what is finalized makes no room before this has returned.
  const unsigned outer = std::exchange(finalizing_, 0);
  make_urgent(record);
  wake_io();
  while (record.state == LoadState::kLoading) {
    if (!options_.io_thread) exchange_reads(lock);
    finalize_fallbacks(lock);
    if (!finalize_queue_.empty()) {
      finalize(lock, **finalize_queue_.begin(), report);
      continue;
    }
    if (decodes_here && decode_some(lock)) continue;
    start_jobs(lock);
    if (help(lock)) continue;
    if (record.state != LoadState::kLoading || !finalize_queue_.empty()) continue;
    if (!options_.io_thread && !reads_.empty()) {
      lock.unlock();
      on_answer(completions_.wait());
      lock.lock();
    } else if (options_.io_thread || jobs_ > 0) {
      changed_.wait(lock);
    }
  }
  finalizing_ += outer;
}

}  // namespace assetc::runtime
