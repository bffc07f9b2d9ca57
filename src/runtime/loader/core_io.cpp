#include <algorithm>
#include <limits>

#include "os/thread.hpp"
#include "runtime/loader/core.hpp"

namespace assetc::runtime {
namespace {

// The user value of a Completion that only wakes the thread.
constexpr std::uint64_t kWake = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Completion Core::wake_up() { return {kWake, ReadAnswer{}}; }

bool Core::frees_memory() const {
  return decodes_.running_count() > 0 || can_finalize() || finalizing_ > 0 || !uploads_.empty();
}

// Returns whether the I/O thread has work.
bool Core::io_is_wanted() const {
  if (life_ != Life::kOpen || !preloads_.empty() || reads_.is_worth_a_wake(makes_room())) return true;
  return options_.jobs.submit != nullptr && decodes_.wants_jobs();
}

void Core::wake_io_if_wanted() {
  if (!io_is_wanted()) return;
  wake_pending_ = true;
  completions_.post(wake_up());
}

void Core::io_loop() {
  os::yield_to_other_threads();
  std::optional<Clock::time_point> due;
  bool has_preloads = false;
  std::vector<Completion> arrived;
  while (true) {
    arrived.clear();
    completions_.take(arrived, has_preloads ? std::optional(Clock::time_point()) : due);
    trace_answers(arrived);
    Lock lock(mutex_);
    take_answers(arrived);
    start_reads(lock);
    start_jobs(lock);
    has_preloads = request_preloads(lock);
    if (has_preloads) continue;
    if (life_ != Life::kOpen && !reads_.has_unanswered()) return;
    due = reads_.next_due();
  }
}

// The work of io_loop() without waiting, for managers without an I/O thread.
void Core::exchange_reads(Lock& lock, Clock::time_point end) {
  bool any = true;
  while (any) {
    while (request_preloads(lock) && Clock::now() < end) continue;
    start_reads(lock, end);
    lock.unlock();
    any = false;
    while (auto completion = completions_.poll()) {
      on_answer(std::move(*completion));
      any = Clock::now() < end;
    }
    lock.lock();
  }
  start_jobs(lock);
}

// Called with the mutex, which is unlocked while sources are called.
void Core::start_reads(Lock& lock, Clock::time_point end) {
  bool is_first = true;
  std::vector<Reads::Over> late;
  reads_.pass_time(Clock::now(), late);
  if (!late.empty()) reads_over(std::move(late));
  while (reads_.is_wanted() && (std::exchange(is_first, false) || Clock::now() < end)) {
    std::vector<Reads::Over> over;
    const std::vector<Reads::Outgoing> batch = reads_.take(makes_room(), Clock::now(), over);
    const bool is_empty = batch.empty();
    reads_over(std::move(over));
    if (is_empty) break;  // no memory, or all records were empty or too large
    lock.unlock();
    std::vector<std::pair<std::uint64_t, Ticket>> tickets;
    tickets.reserve(batch.size());
    for (const Reads::Outgoing& read : batch) {
      options_.trace({.kind = TraceEvent::Kind::kAsyncBegin, .name = "read", .value = read.id});
      tickets.emplace_back(read.id, read.source->submit(read.request, completions_));
    }
    lock.lock();
    for (const auto& [id, ticket] : tickets) reads_.submitted(id, ticket);
  }
  const auto cancels = reads_.take_cancels();
  if (cancels.empty()) return;
  lock.unlock();
  for (const auto& [source, ticket] : cancels) source->cancel(ticket);
  lock.lock();
}

void Core::on_answer(Completion completion) {
  const std::span<Completion> one(&completion, 1);
  trace_answers(one);
  const Lock lock(mutex_);
  take_answers(one);
}

void Core::trace_answers(std::span<const Completion> answers) const {
  if (options_.trace.event == nullptr) return;
  for (const Completion& answer : answers) {
    if (answer.user != kWake)
      options_.trace({.kind = TraceEvent::Kind::kAsyncEnd, .name = "read", .value = answer.user});
  }
}

// Requires the mutex.
void Core::take_answers(std::span<Completion> answers) {
  std::vector<Reads::Over> over;
  const Clock::time_point now = Clock::now();
  for (Completion& answer : answers) {
    if (answer.user == kWake) {
      wake_pending_ = false;
    } else {
      reads_.answered(std::move(answer), life_ != Life::kOpen, now, over);
    }
  }
  if (!over.empty()) reads_over(std::move(over));
}

void Core::reads_over(std::vector<Reads::Over> over) {
  for (auto& [record, error, replaced] : over) {
    if (record->canceled) {
      put_away(*record);
    } else if (replaced) {
      is_replaced(*record);
    } else if (error) {
      // A source says kConflict if the file is another one than before. Formats say it about damaged files.
      const Fault fault = error->code == ErrorCode::kConflict ? Fault::kStale : fault_of(error->code);
      fail(*record, fault, std::move(*error));
    } else {
      decodes_.enter(*record);
    }
  }
  tell_waiters();  // a waiting thread may be the one that decodes
}

// Starts as many jobs as there is work and room for. Called with the mutex, which is unlocked while jobs are submitted.
void Core::start_jobs(Lock& lock) {
  const JobSystem& jobs = options_.jobs;
  if (jobs.submit == nullptr || life_ != Life::kOpen || !decodes_.wants_jobs()) return;
  if (jobs.concurrency != nullptr) {
    lock.unlock();
    const unsigned limit = std::max(1u, jobs.concurrency(jobs.context));
    lock.lock();
    decodes_.set_job_limit(limit);
  }
  const unsigned count = life_ == Life::kOpen ? decodes_.claim_jobs() : 0;
  if (count == 0) return;
  lock.unlock();
  submit_jobs(count);
  lock.lock();
}

void Core::submit_jobs(unsigned count) {
  for (unsigned i = 0; i < count; ++i) options_.jobs.submit(options_.jobs.context, run_job, this);
}

void Core::run_job(void* core) {
  auto& self = *static_cast<Core*>(core);
  Lock lock(self.mutex_);
  Batch batch;
  while (self.life_ == Life::kOpen && self.decode_some(lock, batch)) continue;
  self.decodes_.job_ended();
  self.tell_waiters();
}

// Runs a waiting job instead of sleeping. Called with the mutex, which is unlocked meanwhile.
bool Core::help(Lock& lock) {
  if (options_.jobs.help == nullptr) return false;
  lock.unlock();
  const bool helped = options_.jobs.help(options_.jobs.context);
  lock.lock();
  return helped;
}

// Returns false if there is nothing to decode, or no memory for it. batch: kept for its memory.
bool Core::decode_some(Lock& lock, Batch& batch) {
  decodes_.take(batch);
  if (batch.empty()) return false;
  for (Decodes::Job& job : batch) {
    Record* const asset = job.record->reloads;
    if (asset == nullptr || job.record->beside != Beside::kDetail) continue;
    residency_.retain(*asset);  // the job reads this value, so keep it
    job.beside = asset;
    job.last = asset->loaded.load()->value;
  }
  lock.unlock();
  {
    const Within within(*this, Within::Call::kDecode);
    for (Decodes::Job& job : batch) decodes_.assemble(job);
  }
  lock.lock();
  // If nothing else frees memory, one record at a time is admitted anyway, so that waiting for memory always ends. It
  // is the most urgent one, which comes first.
  bool is_only = decodes_.running_count() == batch.size() && !can_finalize() && finalizing_ == 0 && uploads_.empty();
  const std::size_t taken = batch.size();
  std::erase_if(batch, [&](Decodes::Job& job) {
    if (!job.lacking.empty() && job.value && !job.record->canceled) {
      read_more(job);
    } else if (decodes_.admit(job, std::exchange(is_only, false))) {
      return false;
    } else if (job.beside != nullptr) {
      residency_.release(*job.beside);
    }
    return true;
  });
  settle_idle();
  if (batch.empty()) {
    wake_io();
    return taken > 0 && !decodes_.is_stalled();
  }
  wake_io();
  lock.unlock();
  const auto start = Clock::now();
  {
    const Within within(*this, Within::Call::kDecode);
    for (Decodes::Job& job : batch) decodes_.decode(job);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  lock.lock();
  decodes_.finished(batch.size(), seconds / static_cast<double>(batch.size()));
  for (Decodes::Job& job : batch) decoded(job);
  return true;
}

// For an asset in parts.
void Core::read_more(Decodes::Job& job) {
  decodes_.left();
  Transfer& transfer = job.record->loading->transfer;
  transfer.files.clear();
  for (const ContentRange& range : job.lacking) transfer.make_ranged().pieces.push_back({range});
  reserve(*job.record, transfer.earlier_bytes());
  reads_.enter(*job.record);
  if (job.beside != nullptr) residency_.release(*job.beside);
}

// The file that the part or earlier parts were read from was replaced. After one change the asset is loaded again. A
// second one would only be followed by a third: servers behind one address that disagree, a file that is always
// written.
void Core::is_replaced(Record& record) {
  constexpr unsigned kMaxChanges = 2;
  const bool is_detail = record.reloads != nullptr && record.beside == Beside::kDetail;
  Record& of = record.range ? *record.hard.front() : record.reloads != nullptr ? *record.reloads : record;
  Record& asset = of.original != nullptr ? *of.original : of;  // whose value the reload replaces
  if (++asset.version_changes >= kMaxChanges) {
    fail(record, Fault::kStale,
         {ErrorCode::kConflict,
          {},
          {},
          "the file was replaced twice while it was read in parts",
          "find out what replaces it, then report the change or mount it again"});
  } else if (is_detail) {
    // The whole asset is reloaded.
    asset.after_load = AfterLoad::kLoadAgain;
    reloads_.again(asset);
    reloads_.stop(asset);
    details_.update(asset);
    settle_idle();
    put_away(record);
  } else if (record.range) {
    asset.after_load = AfterLoad::kLoadAgain;
    if (!asset.is_loading()) reloads_.again(asset);
    fail(record, Fault::kStale, {ErrorCode::kConflict, {}, {}, std::string(kReplacedMessage), "load it again"});
  } else {
    reserve(record, 0);
    Transfer fresh;
    fresh.sizings = record.loading->transfer.sizings + 1;
    record.loading->transfer = std::move(fresh);
    reads_.enter(record);
  }
}

void Core::decoded(Decodes::Job& job) {
  Record& record = *job.record;
  const std::uint64_t shared = job.beside == nullptr ? 0 : job.beside->cpu_bytes;  // bytes of the current value
  if (job.beside != nullptr) residency_.release(*job.beside);
  if (job.value && record.is_in_parts() && !record.canceled) {
    Transfer& transfer = record.loading->transfer;
    record.detail = std::make_unique<Detail>(Detail{.levels = std::move(job.levels),
                                                    .content_bytes = transfer.content_bytes,
                                                    .versions = std::move(transfer.make_ranged().versions)});
    record.detail->coarsest = record.detail->levels.first;
    record.detail->reachable = record.detail->levels.finest;
  }
  void* const value = job.value ? *job.value : nullptr;
  record.loading->transfer.clear();
  record.become(stage::Waiting{value});
  if (record.canceled) return put_away(record);
  if (!job.value) return fail(record, std::move(job.value).error());
  reserve(record, record.cpu_bytes - std::min(shared, record.cpu_bytes));
  for (const AssetHandle& wanted : job.hard) {
    Record& needed = find_or_start(graph_.find_in_catalog(wanted), record.urgency.priority, record.urgency.sequence);
    if (Graph::reaches(needed, record)) {
      residency_.release(needed);
      settle_idle();
      return fail(record, Fault::kCycle,
                  {ErrorCode::kInvalidData, {}, {}, "depends on itself through its dependencies", {}});
    }
    graph_.need(record, needed);
    Graph::make_awaited(needed);
    residency_.release(needed);
  }
  record.loading->soft_wanted.insert(record.loading->soft_wanted.end(), job.soft.begin(), job.soft.end());
  wake_io();
  const AnyLoader& loader = record.type.load()->loader;
  const bool has_object = loader.finalize || loader.finalize_async;
  // Plain data has no work for the thread that pumps, and a sound must not wait for a frame. A reload takes effect in a
  // pump, so that a frame does not see it half.
  if (!has_object && record.reloads == nullptr && record.unready == 0 && Graph::failed_need(record) == nullptr) {
    become_ready(record, {value});
    finish(record);
  } else {
    advance(record, value);
  }
}

}  // namespace assetc::runtime
