#include <algorithm>
#include <chrono>

#include "base/plural.hpp"
#include "runtime/manager/manager_core.hpp"
#include "runtime/manager/trace_scope.hpp"

namespace assetc::runtime {

using Stage = Record::Stage;

// As many jobs as there is work and room for. Called with the mutex, which is let go while jobs are handed over.
void Core::start_jobs(Lock& lock) {
  const JobSystem& jobs = options_.jobs;
  if (jobs.submit == nullptr || closing_ || decode_stalled_ || decode_queue_.empty()) return;
  if (jobs.concurrency != nullptr) {
    lock.unlock();
    const unsigned limit = std::max(1u, jobs.concurrency(jobs.context));
    lock.lock();
    job_limit_ = limit;
  }
  const unsigned count = claim_jobs();
  if (count == 0) return;
  lock.unlock();
  submit_jobs(count);
  lock.lock();
}

// How many to submit; they count as running from now on.
unsigned Core::claim_jobs() {
  unsigned count = 0;
  while (options_.jobs.submit != nullptr && !closing_ && !decode_stalled_ && jobs_ < job_limit_ &&
         decode_queue_.size() > count) {
    ++jobs_;
    ++count;
  }
  return count;
}

void Core::submit_jobs(unsigned count) {
  for (unsigned i = 0; i < count; ++i) options_.jobs.submit(options_.jobs.context, run_job, this);
}

void Core::run_job(void* core) {
  auto& self = *static_cast<Core*>(core);
  Lock lock(self.mutex_);
  while (!self.closing_ && self.decode_some(lock)) continue;
  --self.jobs_;
  self.tell_waiters();
}

// Runs a job that waits, instead of waiting. Called with the mutex, which is let go meanwhile.
bool Core::help(Lock& lock) {
  if (options_.jobs.help == nullptr) return false;
  lock.unlock();
  const bool helped = options_.jobs.help(options_.jobs.context);
  lock.lock();
  return helped;
}

// What one job takes at once: so many, so large.
constexpr std::size_t kDecodeBatchAssets = 16;
constexpr std::uint64_t kDecodeBatchBytes = 256u << 10;
// And no more than takes so long, as far as the last ones tell: what is more urgent waits for it.
constexpr double kDecodeBatchSeconds = 300e-6;

// The most urgent of what has been read. Several where they are small and others have enough left: the mutex is
// taken once for all of them.
std::vector<Core::Decoding> Core::take_decodes() {
  std::vector<Decoding> batch;
  std::size_t most = 1;
  if (jobs_ > 0 && decode_seconds_ > 0) {  // pump() has a budget, and takes one
    const double fair = static_cast<double>(decode_queue_.size()) / (2 * jobs_);
    const double in_time = kDecodeBatchSeconds / decode_seconds_;
    most = static_cast<std::size_t>(std::clamp(std::min(fair, in_time), 1.0, 1.0 * kDecodeBatchAssets));
  }
  std::uint64_t bytes = 0;
  while (!decode_queue_.empty() && batch.size() < most) {
    Record& record = **decode_queue_.begin();
    bytes += record.content_bytes;
    if (!batch.empty() && bytes > kDecodeBatchBytes) break;
    leave(decode_queue_, record);
    record.stage = Stage::kDecoding;
    batch.push_back({.record = &record});
  }
  decoding_ += static_cast<unsigned>(batch.size());
  return batch;
}

void Core::assemble(Decoding& one) {
  Record& record = *one.record;
  if (!record.is_assembled) {
    Result<Bytes> content = record.answers.empty() ? Result<Bytes>(Bytes())
                                                   : record.place.mount->assemble(record.place.entry, record.answers);
    if (content) {
      record.content = aligned(std::move(*content));
    } else {
      one.value = std::unexpected(std::move(content).error());
    }
    record.is_assembled = true;
  }
  const AnyLoader& loader = record.type.load()->loader;
  if (one.value) one.wanted_bytes = loader.decoded_bytes ? loader.decoded_bytes(record.content) : record.content.size();
}

// Of what is assembled; false where memory in flight has no room for it. Under the mutex.
bool Core::admit(Decoding& one, bool is_only) {
  Record& record = *one.record;
  record.answers.clear();
  const std::uint64_t total = record.content.size() + one.wanted_bytes;
  const bool has_room = is_only || in_flight_ - record.reserved_bytes + total <= options_.in_flight_bytes;
  if (one.value && !record.canceled && !has_room) {
    --decoding_;
    record.stage = Stage::kRead;
    enter(decode_queue_, record);
    decode_stalled_ = true;
    return false;
  }
  reserve(record, total);
  record.cpu_bytes = one.wanted_bytes;
  // As for the largest of late, slow to forget it.
  decode_room_ = std::min(std::max(one.wanted_bytes, decode_room_ - decode_room_ / 16), options_.in_flight_bytes / 2);
  if (one.value && one.wanted_bytes > options_.max_asset_bytes) {
    one.value = assetc::fail(ErrorCode::kLimit,
                             "becomes " + counted(one.wanted_bytes, "byte") + ", expected at most " +
                                 std::to_string(options_.max_asset_bytes),
                             "raise max_asset_bytes");
  }
  return true;
}

void Core::decode(Decoding& one) const {
  Record& record = *one.record;
  if (!one.value || record.canceled) return;
  const AnyLoader& loader = record.type.load()->loader;
  LoadInput input{
      .desc = record.desc, .bytes = record.content, .catalog = *record.catalog, .canceled = record.canceled};
  {
    const TraceScope scope(options_.trace, "decode", record.desc.virtual_path);
    one.value = loader.decode(input);
  }
  one.hard = std::move(input.hard);
  one.soft = std::move(input.soft);
  if (one.value && loader.size_bytes) record.cpu_bytes = loader.size_bytes(*one.value);
}

// False where there is nothing to decode, or no room for it.
bool Core::decode_some(Lock& lock) {
  std::vector<Decoding> batch = take_decodes();
  if (batch.empty()) return false;
  lock.unlock();
  for (Decoding& one : batch) assemble(one);
  lock_soon(lock);
  // One at a time always has room where nothing else makes some, so that whatever waits for memory ends: the most
  // urgent one, which comes first.
  bool is_only = decoding_ == batch.size() && finalize_queue_.empty() && finalizing_ == 0;
  std::erase_if(batch, [&](Decoding& one) { return !admit(one, std::exchange(is_only, false)); });
  if (batch.empty()) return false;
  lock.unlock();
  const auto start = Clock::now();
  for (Decoding& one : batch) decode(one);
  const double seconds =
      std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(batch.size());
  lock_soon(lock);
  // Quick to learn that it got slower, slow to forget it.
  decode_seconds_ = std::max(seconds, decode_seconds_ * 0.9 + seconds * 0.1);
  decoding_ -= static_cast<unsigned>(batch.size());
  decode_stalled_ = false;
  for (Decoding& one : batch) decoded(one);
  return true;
}

void Core::decoded(Decoding& one) {
  Record& record = *one.record;
  record.content = {};
  if (one.value) record.value = *one.value;
  if (record.canceled) return put_away(record);
  if (!one.value) {
    Error error = std::move(one.value).error();
    const Fault fault = fault_of(error.code);
    return fail(record, fault, std::move(error));
  }
  reserve(record, record.cpu_bytes);
  for (const AssetHandle& wanted : one.hard) {
    Record& needed = find_or_create(find_in(*catalog_, wanted), record.priority, record.sequence);
    if (reaches(needed, record)) {
      release_locked(needed);
      settle_idle();
      return fail(record, Fault::kCycle,
                  {ErrorCode::kInvalidData, {}, {}, "needs itself, by way of what it needs", {}});
    }
    need(record, needed);
    make_urgent(needed);
    release_locked(needed);
  }
  record.soft_wanted.insert(record.soft_wanted.end(), one.soft.begin(), one.soft.end());
  wake_io();
  advance(record);
}

}  // namespace assetc::runtime
