#include <algorithm>

#include "base/plural.hpp"
#include "runtime/manager/manager_core.hpp"
#include "runtime/manager/trace_scope.hpp"

namespace assetc::runtime {

using Stage = Record::Stage;

// As many jobs as there is work and room for. Called with the mutex, which is let go while jobs are handed over.
void Core::start_jobs(Lock& lock) {
  const JobSystem& jobs = options_.jobs;
  if (jobs.submit == nullptr || closing_ || decode_stalled_ || decode_queue_.empty()) return;
  unsigned limit = 1;
  if (jobs.concurrency != nullptr) {
    lock.unlock();
    limit = std::max(1u, jobs.concurrency(jobs.context));
    lock.lock();
  }
  unsigned count = 0;
  while (!closing_ && !decode_stalled_ && jobs_ < limit && decode_queue_.size() > count) {
    ++jobs_;
    ++count;
  }
  if (count == 0) return;
  lock.unlock();
  for (unsigned i = 0; i < count; ++i) jobs.submit(jobs.context, run_job, this);
  lock.lock();
}

void Core::run_job(void* core) {
  auto& self = *static_cast<Core*>(core);
  Lock lock(self.mutex_);
  while (!self.closing_ && self.decode_one(lock)) continue;
  --self.jobs_;
  self.changed_.notify_all();
}

// Runs a job that waits, instead of waiting. Called with the mutex, which is let go meanwhile.
bool Core::help(Lock& lock) {
  if (options_.jobs.help == nullptr) return false;
  lock.unlock();
  const bool helped = options_.jobs.help(options_.jobs.context);
  lock.lock();
  return helped;
}

// The most urgent of what has been read; false where there is none, or no room for it.
bool Core::decode_one(Lock& lock) {
  if (decode_queue_.empty()) return false;
  Record& record = **decode_queue_.begin();
  decode_queue_.erase(decode_queue_.begin());
  record.stage = Stage::kDecoding;
  ++decoding_;
  const AnyLoader& loader = record.type.load()->loader;
  lock.unlock();
  std::optional<Error> error;
  if (!record.is_assembled) {
    Result<Bytes> content = record.answers.empty() ? Result<Bytes>(Bytes())
                                                   : record.place.mount->assemble(record.place.entry, record.answers);
    if (content) {
      record.content = aligned(std::move(*content));
    } else {
      error = std::move(content).error();
    }
    record.is_assembled = true;
  }
  const std::uint64_t wanted = error                  ? 0
                               : loader.decoded_bytes ? loader.decoded_bytes(record.content)
                                                      : record.content.size();
  lock.lock();
  record.answers.clear();
  const std::uint64_t total = record.content.size() + wanted;
  // One at a time always has room, so that whatever waits for memory ends.
  const bool has_room =
      record.is_urgent || decoding_ == 1 || in_flight_ - record.reserved_bytes + total <= options_.in_flight_bytes;
  if (!error && !record.canceled && !has_room) {
    --decoding_;
    record.stage = Stage::kRead;
    decode_queue_.insert(&record);
    decode_stalled_ = true;
    return false;
  }
  reserve(record, total);
  record.cpu_bytes = wanted;
  LoadInput input{
      .desc = record.desc, .bytes = record.content, .catalog = *record.catalog, .canceled = record.canceled};
  Result<void*> value = nullptr;
  if (error) {
    value = std::unexpected(std::move(*error));
  } else if (wanted > options_.max_asset_bytes) {
    value = assetc::fail(
        ErrorCode::kLimit,
        "becomes " + counted(wanted, "byte") + ", expected at most " + std::to_string(options_.max_asset_bytes),
        "raise max_asset_bytes");
  } else {
    lock.unlock();
    {
      const TraceScope scope(options_.trace, "decode", record.desc.virtual_path);
      value = loader.decode(input);
    }
    if (value && loader.size_bytes) record.cpu_bytes = loader.size_bytes(*value);
    lock.lock();
  }
  --decoding_;
  decode_stalled_ = false;
  decoded(record, std::move(value), input);
  return true;
}

void Core::decoded(Record& record, Result<void*> value, LoadInput& input) {
  record.content = {};
  input.bytes = {};
  if (value) record.value = *value;
  if (record.canceled) return put_away(record);
  if (!value) {
    Error error = std::move(value).error();
    const Fault fault = fault_of(error.code);
    return fail(record, fault, std::move(error));
  }
  reserve(record, record.cpu_bytes);
  for (const AssetHandle& wanted : input.hard) {
    Record& needed = find_or_create(wanted, record.priority, record.sequence);
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
  record.soft_wanted.insert(record.soft_wanted.end(), input.soft.begin(), input.soft.end());
  wake_io();
  advance(record);
}

}  // namespace assetc::runtime
