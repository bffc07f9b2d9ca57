#include <algorithm>
#include <iterator>
#include <limits>
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

// Afterwards the lock is held unless that was not to be had by the end: the next one who has it registers what was
// done.
void Core::finalize(Lock& lock, Record& record, PumpReport& report, Clock::time_point end) {
  leave(finalize_queue_, record);
  record.stage = Stage::kFinishing;
  ++finalizing_;
  const AnyLoader& loader = record.type.load()->loader;
  Finalized done{.record = &record, .bytes = record.cpu_bytes};
  lock.unlock();
  const auto start = Clock::now();
  if (loader.finalize) {
    const TraceScope scope(options_.trace, "finalize", record.desc.virtual_path);
    done.made = loader.finalize(record.value, record.desc);
  }
  if (loader.size_bytes) record.cpu_bytes = loader.size_bytes(record.value);
  done.seconds = seconds_between(start, Clock::now());
  if (lock_by(lock, end)) return register_finalized(std::move(done), report);
  finalized_.push_back(std::move(done));
}

void Core::register_finalized(Finalized done, PumpReport& report) {
  Record& record = *done.record;
  --finalizing_;
  decode_stalled_ = false;
  // Quick to learn that it got slower, slower to forget it.
  const double rate = done.seconds / static_cast<double>(done.bytes + kSmallBytes);
  double& lately = record.type.load()->finalize_seconds_per_byte;
  lately = std::max(rate, lately * 0.8 + rate * 0.2);
  if (!done.made) {
    Error error = std::move(done.made).error();
    const Fault fault = fault_of(error.code);
    ++report.failed;
    return fail(record, fault, std::move(error));
  }
  record.loaded.store(new Loaded{std::exchange(record.value, nullptr), *done.made}, std::memory_order_release);
  cpu_ += record.cpu_bytes;
  gpu_ += done.made->size_bytes;
  ++report.finalized;
  report.finalized_bytes += done.bytes;
  record.state.store(LoadState::kReady, std::memory_order_release);
  if (record.refs == 0) discard_callbacks(record);
  retain(record);
  // After it, and after whatever is as urgent.
  const int priority = std::max(record.priority, std::numeric_limits<int>::min() + 1) - 1;
  for (const AssetHandle& wanted : std::exchange(record.soft_wanted, {})) {
    Record& needed = find_or_create(find_in(*catalog_, wanted), priority, 0);
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

// Requires the mutex, on the thread that pumps.
void Core::register_done(PumpReport& report) {
  for (Finalized& done : std::exchange(finalized_, {})) register_finalized(std::move(done), report);
  for (Record* record : std::exchange(dropped_, {})) release_locked(*record);
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

// What nobody holds goes, until the budgets hold: of each budget what takes any of it.
void Core::evict() {
  for (auto at = lru_.begin(); at != lru_.end();) {
    const bool is_over_cpu = cpu_ > options_.cpu_bytes, is_over_gpu = gpu_ > options_.gpu_bytes;
    if (!is_over_cpu && !is_over_gpu) return;
    Record& oldest = **at;
    const bool helps =
        (is_over_cpu && oldest.cpu_bytes > 0) || (is_over_gpu && oldest.loaded.load()->gpu.size_bytes > 0);
    if (!helps) {
      ++at;
      continue;
    }
    at = lru_.erase(at);
    oldest.in_lru = false;
    drop(oldest);
  }
}

// The lock as after finalize().
bool Core::drop_one(Lock& lock, PumpReport& report, Clock::time_point end) {
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
  ++report.dropped;
  if (lock_by(lock, end)) {
    release_locked(*dropping.record);
    settle_idle();
  } else {
    dropped_.push_back(dropping.record);
  }
  return true;
}

PumpReport Core::pump(const PumpBudget& budget) {
  const auto start = Clock::now();
  const double allowed = std::chrono::duration<double>(budget.time).count();
  const auto elapsed = [&] { return seconds_between(start, Clock::now()); };
  const auto end = start + std::min<Clock::duration>(budget.time, std::chrono::hours(1));
  PumpReport report{.frame = ++frame_};
  const TraceScope scope(options_.trace, "pump");
  Lock lock(mutex_, std::defer_lock);
  // Not twice running, so that everything ends.
  has_missed_ = !lock_by(lock, has_missed_ ? kNoEnd : end);
  if (has_missed_) return report;
  register_done(report);
  release_retired(lock, false);
  reload_again();
  finalize_fallbacks(lock);
  bool has_decoded = false, has_finalized = false;
  while (true) {
    if (!options_.io_thread) exchange_reads(lock, end);
    if (finalize_queue_.empty()) {
      const bool is_over = has_decoded && elapsed() > allowed;
      if (options_.jobs.submit != nullptr || is_over || !decode_some(lock)) break;
      has_decoded = true;
      continue;
    }
    Record& record = **finalize_queue_.begin();
    const double estimate =
        record.type.load()->finalize_seconds_per_byte * static_cast<double>(record.cpu_bytes + kSmallBytes);
    if (has_finalized && (elapsed() + estimate > allowed || report.finalized_bytes + record.cpu_bytes > budget.bytes))
      break;
    finalize(lock, record, report, end);
    has_finalized = true;
    if (!lock.owns_lock()) return report;
  }
  run_callbacks(lock);
  tell_reloaded(lock);
  evict();
  while (drop_one(lock, report, end)) {
    if (!lock.owns_lock()) return report;
    evict();
    if (elapsed() > allowed) break;
  }
  const unsigned jobs = claim_jobs();
  const auto failures = std::exchange(failures_, {});
  report.failed = failures.size();
  const std::pair<const char*, std::uint64_t> counters[] = {
      {"in_flight_bytes", in_flight_}, {"cpu_bytes", cpu_}, {"gpu_bytes", gpu_}, {"loading", loading_}};
  lock.unlock();
  submit_jobs(jobs);
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
  register_done(report);
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
      awaits_answers_ = true;
      lock.unlock();
      on_answer(completions_.wait());
      lock.lock();
      awaits_answers_ = false;
    } else if (options_.io_thread || jobs_ > 0) {
      changed_.wait(lock);
    }
  }
  finalizing_ += outer;
  // Who only ever waits has budgets too.
  evict();
  while (drop_one(lock, report)) evict();
}

}  // namespace assetc::runtime
