#include <algorithm>
#include <limits>

#include "base/plural.hpp"
#include "runtime/manager/manager_core.hpp"

namespace assetc::runtime {

using Stage = Record::Stage;

namespace {

// At most so many reads are at sources at a time, so that what becomes urgent waits behind few.
constexpr std::size_t kMaxReads = 16;
// What is taken from the queue at once, to be read in the order in which it lies.
constexpr std::size_t kReadBatchAssets = 64;
constexpr std::uint64_t kReadBatchBytes = 4u << 20;
// Ranges that are no further apart are one read.
constexpr std::uint64_t kMaxGapBytes = 64u << 10;
constexpr std::uint64_t kMaxReadBytes = 4u << 20;
// Of a Completion that only wakes the thread.
constexpr std::uint64_t kWake = std::numeric_limits<std::uint64_t>::max();

// Whether a file was replaced between the question for its size and its read. Who says so again and again is not
// believed.
bool is_resized(const Record& record, const Completion& completion) {
  constexpr unsigned kMaxSizings = 4;
  if (record.sizings == 0 || record.sizings >= kMaxSizings || record.parts.size() != 1) return false;
  return completion.answer ? completion.answer->file_size_bytes != record.content_bytes
                           : completion.answer.error().code == ErrorCode::kTruncated;
}

}  // namespace

// Whether the thread that reads has anything to do.
bool Core::io_is_wanted() const {
  if (closing_ || !cancels_.empty()) return true;
  if (options_.jobs.submit != nullptr && !decode_queue_.empty() && !decode_stalled_ && jobs_ < job_limit_) return true;
  if (read_queue_.empty() || reads_.size() >= kMaxReads) return false;
  // Memory in flight is refilled in pieces: to wake a thread takes longer than to read a small asset.
  return (*read_queue_.begin())->is_urgent || in_flight_ <= options_.in_flight_bytes / 4 * 3;
}

void Core::wake_io() {
  if (!options_.io_thread || wake_pending_ || !io_is_wanted()) return;
  wake_pending_ = true;
  completions_.post({kWake, ReadAnswer{}});
}

void Core::io_loop() {
  while (true) {
    on_answer(completions_.wait());
    Lock lock(mutex_);
    start_reads(lock);
    start_jobs(lock);
    if (closing_ && reads_.empty()) return;
  }
}

// What io_loop() does, without waiting, where there is no thread for it.
void Core::exchange_reads(Lock& lock, Clock::time_point end) {
  bool any = true;
  while (any) {
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

// The ranges of a record and what they will take; false where its size has to be asked first.
bool Core::plan(Record& record) {
  if (record.parts.empty()) {
    record.place.mount->parts(record.place.entry, record.parts);
    const std::uint64_t size = record.place.mount->size_bytes(record.place.entry);
    if (record.content_bytes == kToEnd) record.content_bytes = size;
  }
  if (record.content_bytes == kToEnd) return false;
  for (Part& part : record.parts) {
    if (part.size_bytes == kToEnd) part.size_bytes = record.content_bytes;
  }
  return true;
}

bool Core::makes_room() const {
  return !reads_.empty() || !decode_queue_.empty() || decoding_ > 0 || !finalize_queue_.empty() || finalizing_ > 0;
}

std::vector<Core::Outgoing> Core::take_batch() {
  std::vector<Outgoing> out;
  if (!again_alone_.empty()) {
    for (Read& read : std::exchange(again_alone_, {})) send(std::move(read), out);
    return out;
  }
  std::vector<Read> wanted;
  std::uint64_t batch_bytes = 0;
  for (std::size_t count = 0; count < kReadBatchAssets && batch_bytes < kReadBatchBytes && !read_queue_.empty();
       ++count) {
    Record& record = **read_queue_.begin();
    const auto take = [&] {
      leave(read_queue_, record);
      record.stage = Stage::kReading;
    };
    if (!plan(record)) {
      take();
      wanted.push_back({record.place.mount, record.parts[0].file, 0, 0, {{&record, 0, 0, 0}}, 0, {}});
      continue;
    }
    if (record.content_bytes > options_.max_asset_bytes) {
      take();
      fail(record, Fault::kLimit,
           {ErrorCode::kLimit,
            {},
            {},
            "found " + counted(record.content_bytes, "byte") + ", expected at most " +
                std::to_string(options_.max_asset_bytes),
            "raise max_asset_bytes"});
      continue;
    }
    std::uint64_t stored = 0;
    for (const Part& part : record.parts) stored += part.size_bytes;
    // Parts that are put together, or inflated, are there twice for a while.
    const bool is_whole = record.parts.size() == 1 && stored == record.content_bytes;
    const std::uint64_t bytes = is_whole ? stored : stored + record.content_bytes;
    // What something in flight waits for comes without room, one at a time, where nothing else makes some.
    const bool passes = record.is_urgent && wanted.empty() && !makes_room();
    if (!passes && in_flight_ > 0 && in_flight_ + bytes + decode_room_ > options_.in_flight_bytes) break;
    take();
    reserve(record, bytes);
    for (Record* needed : record.hard) make_urgent(*needed);
    batch_bytes += stored;
    record.answers.assign(record.parts.size(), {});
    record.unanswered = 0;
    for (std::size_t i = 0; i < record.parts.size(); ++i) {
      const Part& part = record.parts[i];
      if (part.size_bytes == 0) continue;
      ++record.unanswered;
      wanted.push_back({record.place.mount,
                        part.file,
                        part.offset_bytes,
                        part.size_bytes,
                        {{&record, i, 0, part.size_bytes}},
                        0,
                        {}});
    }
    if (record.unanswered == 0) all_read(record);
  }
  add_reads(std::move(wanted), out);
  return out;
}

// In the order in which they lie; what is near each other becomes one read.
void Core::add_reads(std::vector<Read> wanted, std::vector<Outgoing>& out) {
  std::ranges::sort(wanted, [](const Read& a, const Read& b) {
    if (a.mount != b.mount) return std::less<>()(a.mount, b.mount);
    if (a.file != b.file) return a.file < b.file;
    return a.offset_bytes < b.offset_bytes;
  });
  std::vector<Read> reads;
  for (Read& read : wanted) {
    if (!reads.empty() && read.size_bytes != 0 && reads.back().size_bytes != 0) {
      Read& last = reads.back();
      const std::uint64_t last_end = last.offset_bytes + last.size_bytes;
      const std::uint64_t end = std::max(last_end, read.offset_bytes + read.size_bytes);
      if (last.mount == read.mount && last.file == read.file && read.offset_bytes <= last_end + kMaxGapBytes &&
          end - last.offset_bytes <= kMaxReadBytes) {
        read.pieces[0].offset_bytes = read.offset_bytes - last.offset_bytes;
        last.pieces.push_back(read.pieces[0]);
        last.size_bytes = end - last.offset_bytes;
        continue;
      }
    }
    reads.push_back(std::move(read));
  }
  for (Read& read : reads) send(std::move(read), out);
}

void Core::send(Read read, std::vector<Outgoing>& out) {
  const std::uint64_t id = ++last_read_;
  read.live = read.pieces.size();
  out.push_back(
      {id, read.mount->shared_source(), {read.mount->file(read.file), read.offset_bytes, read.size_bytes, id}});
  reads_.emplace(id, std::move(read));
  ++read_count_;
}

// Called with the mutex, which is let go while sources are spoken to.
void Core::start_reads(Lock& lock, Clock::time_point end) {
  bool is_first = true;
  while ((std::exchange(is_first, false) || Clock::now() < end) &&
         (!again_alone_.empty() || (!closing_ && reads_.size() < kMaxReads && !read_queue_.empty()))) {
    std::vector<Outgoing> batch = take_batch();
    if (batch.empty()) break;  // no room, or all of them were empty or too large
    lock.unlock();
    std::vector<std::pair<std::uint64_t, Ticket>> tickets;
    tickets.reserve(batch.size());
    for (Outgoing& read : batch) {
      options_.trace({.kind = TraceEvent::Kind::kAsyncBegin, .name = "read", .value = read.id});
      tickets.emplace_back(read.id, read.source->submit(std::move(read.request), completions_));
    }
    lock.lock();
    for (const auto& [id, ticket] : tickets) {
      const auto read = reads_.find(id);
      if (read == reads_.end()) continue;
      read->second.ticket = ticket;
      if (read->second.live == 0) cancels_.emplace_back(read->second.mount->shared_source(), ticket);
    }
  }
  const auto cancels = std::exchange(cancels_, {});
  if (cancels.empty()) return;
  lock.unlock();
  for (const auto& [source, ticket] : cancels) source->cancel(ticket);
  lock.lock();
}

void Core::all_read(Record& record) {
  record.stage = Stage::kRead;
  enter(decode_queue_, record);
  tell_waiters();  // who waits may be who decodes
}

void Core::on_answer(Completion completion) {
  if (completion.user != kWake)
    options_.trace({.kind = TraceEvent::Kind::kAsyncEnd, .name = "read", .value = completion.user});
  const Lock lock(mutex_);
  if (completion.user == kWake) {
    wake_pending_ = false;
    return;
  }
  const auto found = reads_.find(completion.user);
  if (found == reads_.end()) return;
  const Read read = std::move(found->second);
  reads_.erase(found);
  const bool asks_size = read.size_bytes == 0;
  for (const Piece& piece : read.pieces) {
    Record& record = *piece.record;
    if (asks_size && !record.canceled && completion.answer) {
      ++record.sizings;
      record.content_bytes = completion.answer->file_size_bytes;
      record.stage = Stage::kQueued;
      enter(read_queue_, record);
      continue;
    }
    if (!completion.answer && read.pieces.size() > 1 && !record.canceled && !closing_) {
      // The fault may be in bytes of its neighbors.
      again_alone_.push_back({read.mount,
                              read.file,
                              read.offset_bytes + piece.offset_bytes,
                              piece.size_bytes,
                              {{&record, piece.part, 0, piece.size_bytes}},
                              0,
                              {}});
      continue;
    }
    const bool is_last = asks_size || --record.unanswered == 0;
    if (!asks_size && !record.canceled && is_resized(record, completion)) {
      reserve(record, 0);
      record.content_bytes = kToEnd;
      record.parts.clear();
      record.stage = Stage::kQueued;
      enter(read_queue_, record);
      continue;
    }
    if (!completion.answer) {
      record.read_error = completion.answer.error();
    } else if (!range_fits(piece.offset_bytes, piece.size_bytes, completion.answer->bytes.size())) {
      record.read_error = Error{ErrorCode::kTruncated, {}, {}, "found fewer bytes than were asked for", {}};
    } else if (!asks_size) {
      record.answers[piece.part] = completion.answer->bytes.slice(static_cast<std::size_t>(piece.offset_bytes),
                                                                  static_cast<std::size_t>(piece.size_bytes));
    }
    if (!is_last) continue;
    if (record.canceled) {
      put_away(record);
    } else if (record.read_error) {
      Error error = std::move(*record.read_error);
      const Fault fault = fault_of(error.code);
      fail(record, fault, std::move(error));
    } else {
      all_read(record);
    }
  }
  tell_waiters();
}

// Who waits without a thread that reads sleeps where answers arrive.
void Core::tell_waiters() {
  changed_.notify_all();
  if (!awaits_answers_ || wake_pending_) return;
  wake_pending_ = true;
  completions_.post({kWake, ReadAnswer{}});
}

// Sources hear of reads that nobody wants any more.
void Core::abandon_reads(const Record& record) {
  for (auto& [id, read] : reads_) {
    for (const Piece& piece : read.pieces) {
      if (piece.record != &record || --read.live > 0 || !read.ticket) continue;
      cancels_.emplace_back(read.mount->shared_source(), *read.ticket);
    }
  }
  wake_io();
}

}  // namespace assetc::runtime
