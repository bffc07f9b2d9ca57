#include <algorithm>
#include <cassert>
#include <chrono>

#include "runtime/loader/core.hpp"
#include "runtime/loader/trace_scope.hpp"

namespace assetc::runtime {
namespace {

// For the estimate, a smaller asset costs as much as one of this size.
constexpr std::uint64_t kSmallBytes = 16u << 10;
// How often wait() asks for objects that the device still creates.
constexpr std::chrono::microseconds kPollInterval{500};

// The answer of finalize or finalize_async.
struct Begun {
  Result<GpuObject> made = GpuObject{};
  std::optional<Upload> upload{};  // set if the object is pending
};
Begun begin_upload(const AnyLoader& loader, void* value, const AssetDesc& desc) {
  Begun begun;
  if (loader.finalize_async) {
    begun.upload.emplace(loader, value, desc);
  } else if (loader.finalize) {
    begun.made = loader.finalize(value, desc);
    if (begun.made && begun.made->is_pending) begun.upload.emplace(*begun.made);
  }
  return begun;
}

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

bool Core::finalize_fallbacks(Lock& lock, Clock::time_point end) {
  std::vector<TypeEntry*> types;
  for (const auto& type : graph_.types()) {
    if (type->fallback == nullptr) continue;
    if (!std::exchange(type->asked_for_fallback_gpu, true) || type->fallback_upload) types.push_back(type.get());
  }
  if (!types.empty()) {
    lock.unlock();
    for (TypeEntry* const type : types) finalize_fallback(*type);
    if (!lock.try_lock_until(end)) return false;
  }
  for (Failure& fault : fallback_faults_) notices_.add(std::move(fault));
  fallback_faults_.clear();
  return true;
}

void Core::finalize_fallback(TypeEntry& type) {
  const Within within(*this, type.fallback_upload ? Within::Call::kDevice : Within::Call::kFinalize);
  Begun begun;
  if (!type.fallback_upload) {
    begun = begin_upload(type.loader, type.fallback.get(), AssetDesc{.handle = {.type = type.type}});
  } else if (auto made = type.fallback_upload->poll(type.loader)) {
    begun.made = std::move(*made);
  } else {
    begun.upload = std::move(type.fallback_upload);
  }
  type.fallback_upload = std::move(begun.upload);
  if (begun.made && !type.fallback_upload) {
    type.fallback_gpu = *begun.made;
    type.has_fallback_gpu.store(true, std::memory_order_release);
  }
  if (!begun.made) {
    const Fault fault = fault_of(begun.made.error().code);
    fallback_faults_.push_back({fault, {.type = type.type}, {}, std::move(begun.made).error()});
  }
}

// Requires that the pump has exclusive access to the record.
Core::Finalized Core::finalize(Record& record) const {
  void* const value = record.as<stage::Finalizing>().value;
  const AnyLoader& loader = record.type.load()->loader;
  Finalized done{.record = &record, .bytes = record.cpu_bytes};
  const auto start = Clock::now();
  if (loader.finalize || loader.finalize_async) {
    const Within within(*this, Within::Call::kFinalize);
    finalizes_.push_back(&record);
    const TraceScope scope(options_.trace, "finalize", record.loading->desc.virtual_path);
    Begun begun = begin_upload(loader, value, record.loading->desc);
    done.made = std::move(begun.made);
    done.upload = std::move(begun.upload);
    finalizes_.pop_back();
  }
  if (loader.size_bytes && !loader.finalize_async) record.cpu_bytes = loader.size_bytes(value);
  done.seconds = seconds_between(start, Clock::now());
  return done;
}

void Core::take_to_finalize(Record& record) {
  Queue::leave(record);
  record.become(stage::Finalizing{record.as<stage::Decoded>().value});
  ++finalizing_;
  residency_.promise_gpu(record, more_gpu_bytes(record));
}

// Returns the most urgent record that may be finalized; null if there is none. If it needs room in the GPU budget,
// begins loads of coarser levels of others.
Record* Core::next_to_finalize() {
  Record* const first = finalize_queue_.is_empty() ? nullptr : &finalize_queue_.first();
  if (room_queue_.is_empty() || lacks_room_) return first;
  Record& record = room_queue_.first();
  if (first != nullptr && Before()(first, &record)) return first;
  residency_.promise_gpu(record, more_gpu_bytes(record));
  std::vector<Details::Step> steps;
  const bool has_room = details_.admit(steps);
  change_details(steps);
  if (has_room) return &record;
  lacks_room_ = true;
  keep_going();  // those that become coarser may need memory beyond the limit
  return first;
}

// Takes the most urgent records that fit the rest of the budget. A batch is small, so that other threads do not wait
// long for the mutex.
void Core::take_batch(double seconds_left, std::uint64_t bytes_left, bool is_first) {
  constexpr std::size_t kMaxAssets = 16;
  constexpr double kMaxSeconds = 250e-6;
  double seconds = 0;
  std::uint64_t bytes = 0;
  while (taken_.size() < kMaxAssets && seconds < kMaxSeconds) {
    Record* const next = next_to_finalize();
    if (next == nullptr) return;
    Record& record = *next;
    seconds += record.type.load()->finalize_seconds_per_byte * static_cast<double>(record.cpu_bytes + kSmallBytes);
    bytes += record.cpu_bytes;
    if (!std::exchange(is_first, false) && (seconds > seconds_left || bytes > bytes_left)) return;
    take_to_finalize(record);
    taken_.push_back(&record);
  }
}

// Returns records that were taken and not finalized. Others may be more urgent by now, and a wait() within finalize
// needs them.
void Core::return_taken() {
  if (taken_.empty()) return;
  for (Record* record : std::span(taken_).subspan(std::exchange(finalized_count_, 0))) {
    --finalizing_;
    record->become(stage::Decoded{record->as<stage::Finalizing>().value});
    residency_.promise_gpu(*record, 0);
    enter_finalize(*record);
    if (!record->is_wanted()) residency_.note(*record);
  }
  taken_.clear();
  settle_idle();
}

void Core::register_finalized(Finalized done, PumpReport& report) {
  Record& record = *done.record;
  --finalizing_;
  decodes_.retry();
  // Adapts fast when finalize becomes slower, and slowly when it becomes faster.
  const double rate = done.seconds / static_cast<double>(done.bytes + kSmallBytes);
  double& lately = record.type.load()->finalize_seconds_per_byte;
  lately = std::max(rate, lately * 0.8 + rate * 0.2);
  report.finalized_bytes += done.bytes;
  if (done.upload) {
    record.become(stage::Pending{record.as<stage::Finalizing>().value, std::move(*done.upload)});
    uploads_.push_back(&record);
    if (!record.is_wanted()) residency_.note(record);
    return;
  }
  register_upload(record, std::move(done.made), report);
}

// Requires a record in stage Finalizing.
void Core::register_upload(Record& record, Result<GpuObject> made, PumpReport& report) {
  if (!made) return fail(record, std::move(made).error());
  ++report.finalized;
  become_ready(record, {record.as<stage::Finalizing>().value, *made});
  finish(record);
}

bool Core::poll_uploads(Lock& lock, PumpReport& report, Clock::time_point end) {
  const std::size_t count = uploads_.size();
  bool any = false;
  for (std::size_t i = 0; i < count && !uploads_.empty() && (i == 0 || Clock::now() < end); ++i) {
    next_upload_ %= uploads_.size();
    Record& record = *uploads_[next_upload_];
    const AnyLoader& loader = record.type.load()->loader;
    // The stage keeps other threads from canceling it meanwhile.
    stage::Pending pending = std::move(record.as<stage::Pending>());
    record.become(stage::Finalizing{pending.value});
    lock.unlock();
    std::optional<Result<GpuObject>> made;
    {
      const Within within(*this, Within::Call::kDevice);
      made = pending.upload.poll(loader);
      if (made && loader.size_bytes) record.cpu_bytes = loader.size_bytes(pending.value);
    }
    lock.lock();
    if (made) {
      std::erase(uploads_, &record);
      decodes_.retry();
      register_upload(record, std::move(*made), report);
      any = true;
    } else {
      record.become(std::move(pending));
      if (!record.is_wanted()) residency_.note(record);
      ++next_upload_;
    }
  }
  if (count > 0) settle_idle();
  return any;
}

// Called when the load is canceled. The device may still use the value, and the object must be released.
void Core::leave_upload(Record& record) {
  std::erase(uploads_, &record);
  auto& [value, upload] = record.as<stage::Pending>();
  const Upload::Left left = upload.leave(value, record.type.load()->loader.destroy);
  void* const own = left.owns_value ? nullptr : value;
  if (left.gpu) {
    record.loaded.store(record.keep({own, *left.gpu}));
    record.become(stage::Done{});
  } else {
    record.become(stage::Done{own});
  }
}

// Requires the mutex, on the thread that pumps.
void Core::register_done(PumpReport& report) {
  // register_finalized() does not run this function again.
  for (Finalized& done : finalized_) register_finalized(std::move(done), report);
  finalized_.clear();
  for (Record* record : dropped_) residency_.release(*record);
  dropped_.clear();
  settle_idle();
}

// Delivers notices until the end. Each pump delivers at least one, however late it is.
bool Core::tell(Lock& lock, PumpReport& report, Clock::time_point end, bool& has_told) {
  struct Teller {
    const ManagerOptions& options;
    PumpReport& report;
    void operator()(const Notices::Unwanted&) const {}
    void operator()(Notices::Call& call) const {
      if (!call.is_wanted) return;
      if (const Callback then = std::exchange(*call.then, nullptr)) then(std::move(call.ref));
    }
    void operator()(const Notices::Reloaded& one) const { options.on_reloaded(one.asset, one.cause); }
    void operator()(const Notices::Detailed& one) const { options.on_detail(one.asset); }
    void operator()(const Failure& failure) const {
      ++report.failed;
      if (options.on_failure) options.on_failure(failure);
    }
  };
  while (!notices_.is_empty() && (!has_told || Clock::now() < end)) {
    has_told = true;
    Notices::Notice next = notices_.take();
    lock.unlock();
    {
      Notices::Notice notice = std::move(next);  // destroyed here, without the mutex
      std::visit(Teller{options_, report}, notice);
    }
    if (!lock.try_lock_until(end)) return false;
  }
  return true;
}

void Core::evict() {
  while (Record* const victim = residency_.take_victim()) drop(*victim);
}

bool Core::drop_one(Lock& lock, PumpReport& report, Clock::time_point end) {
  if (!residency_.has_dropping()) return false;
  const Dropping dropping = residency_.take_dropping();
  const AnyLoader& loader = *dropping.loader;
  lock.unlock();
  {
    const Within within(*this, Within::Call::kDevice);
    if (dropping.loaded) {
      const TraceScope scope(options_.trace, "release");
      if (loader.release && !dropping.loaded->is_released) loader.release(dropping.loaded->gpu);
      loader.destroy(dropping.loaded->value);
    }
    if (dropping.value != nullptr) loader.destroy(dropping.value);
  }
  ++report.dropped;
  if (lock.try_lock_until(end)) {
    residency_.release(*dropping.record);
    settle_idle();
  } else {
    dropped_.push_back(dropping.record);
  }
  return true;
}

// Begins loads of finer and coarser levels beside assets in parts. Objects in room_queue_ wait for the coarser ones.
void Core::change_details(const std::vector<Details::Step>& steps) {
  for (const auto& [asset, level] : steps) {
    Record& made = reloads_.begin_detail(*asset, level);
    made.urgency.is_awaited = level > asset->detail->levels.first;
    if (made.loading->place.mount == nullptr || made.type.load() != asset->type.load()) {
      start(made);
      continue;
    }
    made.loading->transfer.content_bytes = asset->detail->content_bytes;
    made.loading->transfer.make_ranged().versions = asset->detail->versions;
    decodes_.enter(made);  // its loader plans the reads
  }
}

// Direct and indirect dependents of a replaced asset are reported too, because data that they derived from the old
// value is outdated.
void Core::note_reloaded() {
  const std::vector<Record*> replaced = reloads_.take_replaced(), details = reloads_.take_changed_details();
  if (options_.on_reloaded && !replaced.empty()) {
    for (const auto& [asset, cause] : reloads_.events_of(replaced))
      notices_.add(Notices::Reloaded{AnyRef(asset), AnyRef(cause)});
  }
  for (Record* record : details) {
    if (!options_.on_detail) {
      residency_.release(*record);
    } else {
      notices_.add(Notices::Detailed{AnyRef(record)});
    }
  }
  for (Record* record : replaced) residency_.release(*record);
  settle_idle();
}

// Called with the mutex, which is unlocked while is_over and destructors run.
void Core::release_retired(Lock& lock, bool all) {
  if (!residency_.has_retired()) return;
  std::vector<Retired> retired = residency_.take_retired();
  const std::uint64_t now = frame_;
  lock.unlock();
  const auto gone = Residency::split_over(retired, [&](std::uint64_t frame) {
    if (all) return true;
    const Within within(*this, Within::Call::kDevice);
    return options_.is_over ? options_.is_over(frame) : frame + options_.frames_in_flight <= now;
  });
  std::vector<Record*> records;
  for (auto old = gone; old != retired.end(); ++old) {
    if (old->record != nullptr) records.push_back(old->record);
  }
  retired.erase(gone, retired.end());  // catalogs and failures are destroyed here, without the mutex
  lock.lock();
  for (Record* record : records) residency_.release(*record);
  residency_.put_back(std::move(retired));
  settle_idle();
}

PumpReport Core::pump(const PumpBudget& budget) {
  using Call = Within::Call;
  if (Within::is(*this, Call::kFinalize) || Within::is(*this, Call::kDevice) || Within::is(*this, Call::kDecode)) {
    assert(!"pump() was called in a function of a loader");
    return {};
  }
  const Entered entered(entered_);
  const auto start = Clock::now();
  const std::chrono::microseconds time(budget.time.count);
  const double allowed = std::chrono::duration<double>(time).count();
  const auto elapsed = [&] { return seconds_between(start, Clock::now()); };
  const auto end = start + std::min<std::chrono::microseconds>(time, std::chrono::hours(1));
  PumpReport report{.frame = ++frame_};
  const TraceScope scope(options_.trace, "pump");
  Lock lock(mutex_, std::defer_lock);
  // Give up only once in a row, so that everything completes.
  has_missed_ = !lock.try_lock_until(has_missed_ ? kNoEnd : end);
  if (has_missed_) return report;
  return_taken();
  register_done(report);
  release_retired(lock, false);
  reload(reloads_.take_again(), false);
  if (!finalize_fallbacks(lock, end)) return report;
  poll_uploads(lock, report, end);
  // At least some in each pump, so that all are released.
  while (release_some() && elapsed() < allowed / 2) {
    lock.unlock();  // for other threads
    if (!lock.try_lock_until(end)) return report;
  }
  lacks_room_ = false;
  // First deliver notices that earlier pumps had no time for, so that the queue does not grow.
  bool has_told = false;
  if (!tell(lock, report, end, has_told)) return report;
  bool has_decoded = false, has_finalized = false;
  Batch batch;
  while (true) {
    if (!options_.io_thread) exchange_reads(lock, end);
    if (!can_finalize()) {
      const bool is_over = has_decoded && elapsed() > allowed;
      if (options_.jobs.submit != nullptr || is_over || !decode_some(lock, batch)) break;
      has_decoded = true;
      continue;
    }
    const bool had_room = !lacks_room_;
    take_batch(allowed - elapsed(), budget.bytes - std::min(budget.bytes, report.finalized_bytes), !has_finalized);
    if (taken_.empty() && had_room && lacks_room_) continue;  // others become coarser
    if (taken_.empty()) break;
    lock.unlock();
    bool is_late = false;
    while (finalized_count_ < taken_.size() && !is_late) {
      Record& record = *taken_[finalized_count_++];
      finalized_.push_back(finalize(record));
      is_late = elapsed() > allowed;
    }
    has_finalized = true;
    if (!lock.try_lock_until(end)) return report;
    return_taken();
    register_done(report);
  }
  note_reloaded();
  if (!tell(lock, report, end, has_told)) return report;
  residency_.begin_looks();
  evict();
  change_details(details_.take());
  while (drop_one(lock, report, end)) {
    if (!lock.owns_lock()) return report;
    evict();
    if (elapsed() > allowed) break;
  }
  keep_going();
  const unsigned jobs = options_.jobs.submit == nullptr || life_ != Life::kOpen ? 0 : decodes_.claim_jobs();
  report.untold = notices_.size();
  const std::pair<const char*, std::uint64_t> counters[] = {{"in_flight_bytes", residency_.in_flight_bytes()},
                                                            {"cpu_bytes", residency_.cpu_bytes()},
                                                            {"gpu_bytes", residency_.gpu_bytes()},
                                                            {"loading", graph_.loading_count()}};
  const std::vector<Waiter> waiting = waiters();
  lock.unlock();
  submit_jobs(jobs);
  for (const auto& [name, value] : counters)
    options_.trace({.kind = TraceEvent::Kind::kCounter, .name = name, .value = value});
  for (const auto& [reason, path, count] : waiting)
    options_.trace({.kind = TraceEvent::Kind::kWaits, .name = reason, .detail = path, .value = count});
  return report;
}

bool Core::needs_outer(Record& record) const {
  return std::ranges::any_of(finalizes_, [&](const Record* outer) { return Graph::awaits(record, *outer); });
}

AnyRef Core::wait(AnyRef ref) {
  Record& record = *ref.record_;
  if (!record.is_loading()) return ref;
  const Entered entered(entered_);
  if (Within::is(*this, Within::Call::kDecode) || Within::is(*this, Within::Call::kDevice)) {
    assert(!"load() or wait() was called in a function of a loader that must not wait");
    const Lock lock(mutex_);
    return refused(
        record.handle, record.type, Fault::kCycle,
        {ErrorCode::kUsage, {}, {}, "load() was called in a function that must not wait", "use load_async()"});
  }
  Lock lock(mutex_);
  const bool decodes_here = options_.jobs.submit == nullptr;
  PumpReport report;
  return_taken();
  register_done(report);
  // If finalize called wait(), the asset being finalized frees no memory before wait() returns.
  const unsigned outer = std::exchange(finalizing_, 0);
  const Record* const outer_awaited = std::exchange(awaited_, &record);
  Graph::make_awaited(record);
  wake_io();
  Batch batch;
  while (record.is_loading()) {
    if (!options_.io_thread) exchange_reads(lock);
    finalize_fallbacks(lock, kNoEnd);
    if (poll_uploads(lock, report, Clock::time_point())) continue;
    if (!finalize_queue_.is_empty() || !room_queue_.is_empty()) {
      // The caller is blocked, and frames do not end meanwhile, so this does not wait for room in the GPU budget.
      const bool is_first = room_queue_.is_empty() ||
                            (!finalize_queue_.is_empty() && Before()(&finalize_queue_.first(), &room_queue_.first()));
      Record& first = is_first ? finalize_queue_.first() : room_queue_.first();
      take_to_finalize(first);
      lock.unlock();
      Finalized done = finalize(first);
      lock.lock();
      register_finalized(std::move(done), report);
      continue;
    }
    if (decodes_here && decode_some(lock, batch)) continue;
    start_jobs(lock);
    if (help(lock)) continue;
    if (!record.is_loading() || !finalize_queue_.is_empty() || !room_queue_.is_empty()) continue;
    if (needs_outer(record)) break;
    const bool was_stalled = decodes_.is_stalled();
    keep_going();
    if (was_stalled && !decodes_.is_stalled()) continue;
    // Uploads, and sources that are tried again or do not answer, do not wake this thread.
    std::optional<Clock::time_point> until;
    if (!uploads_.empty()) until = Clock::now() + kPollInterval;
    if (const auto due = reads_.next_due(); due && !options_.io_thread) until = std::min(until.value_or(kNoEnd), *due);
    if (!options_.io_thread && (reads_.has_unanswered() || (until && uploads_.empty()))) {
      awaits_answers_ = true;
      lock.unlock();
      if (auto completion = until ? completions_.wait_until(*until) : completions_.wait())
        on_answer(std::move(*completion));
      lock.lock();
      awaits_answers_ = false;
    } else if (options_.io_thread || decodes_.job_count() > 0) {
      ++sleepers_;
      if (until) {
        changed_.wait_until(lock, *until);
      } else {
        changed_.wait(lock);
      }
      --sleepers_;
    }
  }
  finalizing_ += outer;
  awaited_ = outer_awaited;
  // Budgets also apply to callers that only use wait().
  while (release_some()) continue;
  residency_.begin_looks();
  evict();
  while (drop_one(lock, report)) evict();
  if (!record.is_loading()) return ref;
  return refused(record.handle, record.type, Fault::kCycle,
                 {ErrorCode::kUsage,
                  {},
                  {},
                  "load() was called in the finalize of an asset that it needs",
                  "use load_async(), or make the other one a dependency"});
}

}  // namespace assetc::runtime
