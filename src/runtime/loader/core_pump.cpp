#include <algorithm>
#include <limits>
#include <unordered_map>

#include "runtime/loader/core.hpp"
#include "runtime/loader/trace_scope.hpp"

namespace assetc::runtime {
namespace {

// The cost of a small asset is as if it were that large, for the estimate.
constexpr std::uint64_t kSmallBytes = 16u << 10;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void Core::finalize_fallbacks(Lock& lock) {
  const auto& types = graph_.types();
  for (std::size_t i = 0; i < types.size(); ++i) {
    TypeEntry& type = *types[i];
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

void Core::finalize(Lock& lock, Record& record, PumpReport& report, Clock::time_point end) {
  Queue::leave(record);
  void* const value = record.as<stage::Decoded>().value;
  record.become(stage::Finalizing{value});
  ++finalizing_;
  const AnyLoader& loader = record.type.load()->loader;
  Finalized done{.record = &record, .bytes = record.cpu_bytes};
  lock.unlock();
  const auto start = Clock::now();
  if (loader.finalize) {
    const TraceScope scope(options_.trace, "finalize", record.desc.virtual_path);
    done.made = loader.finalize(value, record.desc);
  }
  if (loader.size_bytes) record.cpu_bytes = loader.size_bytes(value);
  done.seconds = seconds_between(start, Clock::now());
  if (lock.try_lock_until(end)) return register_finalized(std::move(done), report);
  finalized_.push_back(std::move(done));
}

void Core::register_finalized(Finalized done, PumpReport& report) {
  Record& record = *done.record;
  --finalizing_;
  decodes_.retry();
  // Quick to learn that it got slower, slower to forget it.
  const double rate = done.seconds / static_cast<double>(done.bytes + kSmallBytes);
  double& lately = record.type.load()->finalize_seconds_per_byte;
  lately = std::max(rate, lately * 0.8 + rate * 0.2);
  if (!done.made) return fail(record, std::move(done.made).error());
  record.loaded.store(new Loaded{record.as<stage::Finalizing>().value, *done.made}, std::memory_order_release);
  residency_.add(record);
  ++report.finalized;
  report.finalized_bytes += done.bytes;
  record.state.store(LoadState::kReady, std::memory_order_release);
  if (record.refs == 0) discard_callbacks(record);
  residency_.retain(record);
  // After it, and after whatever is as urgent.
  const int priority = std::max(record.urgency.priority, std::numeric_limits<int>::min() + 1) - 1;
  for (const AssetHandle& wanted : std::exchange(record.soft_wanted, {})) {
    Record& needed = find_or_start(graph_.find_in_catalog(wanted), priority);
    if (Graph::reaches(needed, record)) {
      residency_.release(needed);
    } else {
      record.soft.push_back(&needed);
    }
  }
  finish(record);
  residency_.release(record);
  settle_idle();
}

// Requires the mutex, on the thread that pumps.
void Core::register_done(PumpReport& report) {
  for (Finalized& done : std::exchange(finalized_, {})) register_finalized(std::move(done), report);
  for (Record* record : std::exchange(dropped_, {})) residency_.release(*record);
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
    // An earlier call may have let go of the asset of this one.
    const bool is_held = record.refs.load(std::memory_order_acquire) > left[&record];
    --left[&record];
    if (is_held) call(std::move(ref));
    ref = {};
  }
  calls.clear();
  unwanted.clear();
  lock.lock();
}

void Core::evict() {
  while (Record* const victim = residency_.take_victim()) drop(*victim);
}

bool Core::drop_one(Lock& lock, PumpReport& report, Clock::time_point end) {
  if (!residency_.has_dropping()) return false;
  const Dropping dropping = residency_.take_dropping();
  const AnyLoader& loader = *dropping.loader;
  lock.unlock();
  if (dropping.loaded != nullptr) {
    const TraceScope scope(options_.trace, "release");
    if (loader.release) loader.release(dropping.loaded->gpu);
    loader.destroy(dropping.loaded->value);
  }
  if (dropping.value != nullptr) loader.destroy(dropping.value);
  ++report.dropped;
  if (lock.try_lock_until(end)) {
    residency_.release(*dropping.record);
    settle_idle();
  } else {
    dropped_.push_back(dropping.record);
  }
  return true;
}

// Those that need what was replaced, directly or not, are told of it too: what they made of the last one is of no use.
void Core::tell_reloaded(Lock& lock) {
  if (!reloads_.has_replaced()) return;
  const std::vector<Record*> replaced = reloads_.take_replaced();
  std::vector<std::pair<AnyRef, AnyRef>> events;
  if (options_.on_reloaded) {
    for (const auto& [asset, cause] : reloads_.events_of(replaced)) events.emplace_back(AnyRef(asset), AnyRef(cause));
  }
  for (Record* record : replaced) residency_.release(*record);
  settle_idle();
  lock.unlock();
  for (const auto& [asset, cause] : events) options_.on_reloaded(asset, cause);
  events.clear();
  lock.lock();
}

// Called with the mutex, which is let go while is_over and destructors run.
void Core::release_retired(Lock& lock, bool all) {
  if (!residency_.has_retired()) return;
  std::vector<Retired> retired = residency_.take_retired();
  const std::uint64_t now = frame_;
  lock.unlock();
  const auto gone = Residency::split_over(retired, [&](std::uint64_t frame) {
    if (all) return true;
    return options_.is_over ? options_.is_over(frame) : frame + options_.frames_in_flight <= now;
  });
  std::vector<Record*> records;
  for (auto old = gone; old != retired.end(); ++old) {
    if (old->record != nullptr) records.push_back(old->record);
  }
  retired.erase(gone, retired.end());  // catalogs and failures go here, without the mutex
  lock.lock();
  for (Record* record : records) residency_.release(*record);
  residency_.put_back(std::move(retired));
  settle_idle();
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
  has_missed_ = !lock.try_lock_until(has_missed_ ? kNoEnd : end);
  if (has_missed_) return report;
  register_done(report);
  release_retired(lock, false);
  reload(reloads_.take_again());
  finalize_fallbacks(lock);
  bool has_decoded = false, has_finalized = false;
  while (true) {
    if (!options_.io_thread) exchange_reads(lock, end);
    if (finalize_queue_.is_empty()) {
      const bool is_over = has_decoded && elapsed() > allowed;
      if (options_.jobs.submit != nullptr || is_over || !decode_some(lock)) break;
      has_decoded = true;
      continue;
    }
    Record& record = finalize_queue_.first();
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
  const unsigned jobs = options_.jobs.submit == nullptr || life_ != Life::kOpen ? 0 : decodes_.claim_jobs();
  const auto failures = std::exchange(failures_, {});
  report.failed = failures.size();
  const std::pair<const char*, std::uint64_t> counters[] = {{"in_flight_bytes", residency_.in_flight_bytes()},
                                                            {"cpu_bytes", residency_.cpu_bytes()},
                                                            {"gpu_bytes", residency_.gpu_bytes()},
                                                            {"loading", graph_.loading_count()}};
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
  Graph::make_awaited(record);
  wake_io();
  while (record.is_loading()) {
    if (!options_.io_thread) exchange_reads(lock);
    finalize_fallbacks(lock);
    if (!finalize_queue_.is_empty()) {
      finalize(lock, finalize_queue_.first(), report);
      continue;
    }
    if (decodes_here && decode_some(lock)) continue;
    start_jobs(lock);
    if (help(lock)) continue;
    if (!record.is_loading() || !finalize_queue_.is_empty()) continue;
    if (!options_.io_thread && reads_.has_unanswered()) {
      awaits_answers_ = true;
      lock.unlock();
      on_answer(completions_.wait());
      lock.lock();
      awaits_answers_ = false;
    } else if (options_.io_thread || decodes_.job_count() > 0) {
      ++sleepers_;
      changed_.wait(lock);
      --sleepers_;
    }
  }
  finalizing_ += outer;
  // Callers that only ever wait have budgets too.
  evict();
  while (drop_one(lock, report)) evict();
}

}  // namespace assetc::runtime
