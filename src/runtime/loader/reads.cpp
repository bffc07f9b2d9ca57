#include "runtime/loader/reads.hpp"

#include <algorithm>

#include "base/plural.hpp"
#include "runtime/loader/graph.hpp"

namespace assetc::runtime {
namespace {

// The maximum number of reads at each source, so that an urgent read waits behind few.
constexpr std::size_t kMaxReads = 16;
// A source without an answer for this time is silent: others do not wait for the memory of its reads.
constexpr std::chrono::seconds kSilence{1};
// Limits of one batch, which is read in the order of the files. Assets that are neighbors in a pack become one read, so
// a batch of few reads may have many of them.
constexpr std::size_t kReadBatchAssets = 256, kReadBatchReads = 64;
constexpr std::uint64_t kReadBatchBytes = 4u << 20;
// Ranges with a gap of at most this size become one read.
constexpr std::uint64_t kMaxGapBytes = 64u << 10;
constexpr std::uint64_t kMaxReadBytes = 4u << 20;
// A file of unknown size is read with one request if it has at most this size.
constexpr std::uint64_t kUnknownBytes = 64u << 10;

// Returns whether only ranges of the record are read.
bool is_ranged(const Record& record) { return record.range || record.is_in_parts(); }

// The size that max_asset_bytes limits.
std::uint64_t limited_bytes(const Record& record) {
  if (record.range) return record.range->size_bytes;
  if (record.is_in_parts() && record.type.load()->loader.parts->is_never_whole) return 0;
  return record.loading->transfer.content_bytes;
}

Error too_large(std::uint64_t size_bytes, std::uint64_t most_bytes) {
  return {ErrorCode::kLimit,
          {},
          {},
          "found " + counted(size_bytes, "byte") + ", expected at most " + std::to_string(most_bytes),
          "raise max_asset_bytes"};
}

Error too_late(std::chrono::milliseconds timeout) {
  return {ErrorCode::kIo,
          {},
          {},
          "the source did not answer within " + std::to_string(timeout.count()) + " ms",
          "find out why it hangs, or raise RetryPolicy::timeout"};
}

std::unique_ptr<Error> too_short() {
  return std::make_unique<Error>(Error{ErrorCode::kTruncated, {}, {}, "found fewer bytes than requested", {}});
}

// Returns whether the file was replaced between the request for its size and its read. After several times, the
// source's answer is used as it is.
bool is_resized(const Transfer& transfer, const Completion& completion) {
  constexpr unsigned kMaxSizings = 3;
  if (transfer.sizings == 0 || transfer.sizings >= kMaxSizings || transfer.files.size() != 1) return false;
  return completion.answer ? completion.answer->file_size_bytes != transfer.content_bytes
                           : completion.answer.error().code == ErrorCode::kTruncated;
}

}  // namespace

void Reads::enter(Record& record) {
  record.become(stage::Queued{});
  lane_of(record.loading->place.mount->source()).queue.enter(record);
}

Reads::Lane& Reads::lane_of(const Source& source) {
  const auto found = std::ranges::find(lanes_, &source, &Lane::source);
  if (found != lanes_.end()) return *found;
  // Sources that were unmounted have no records any more.
  std::erase_if(lanes_, [](const Lane& lane) { return lane.queue.is_empty() && lane.read_count == 0; });
  return lanes_.emplace_back(source, memory_);
}

Reads::Lane* Reads::first_lane() {
  Lane* first = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.queue.is_empty() || lane.read_count >= kMaxReads) continue;
    if (first == nullptr || Before()(&lane.queue.first(), &first->queue.first())) first = &lane;
  }
  return first;
}

bool Reads::is_wanted() const { return !again_alone_.empty() || first_lane() != nullptr; }

bool Reads::is_worth_a_wake(bool makes_room) const {
  if (!cancels_.empty()) return true;
  const Lane* const lane = first_lane();
  if (lane == nullptr) return false;
  return lane->queue.first().urgency.is_awaited || residency_.is_worth_a_refill() || !(makes_room || expects_answers());
}

Waits Reads::waits_of(const Record& record) const {
  if (record.queue == &retrying_) return Waits::kRetry;
  const auto lane = std::ranges::find_if(lanes_, [&](const Lane& one) { return record.queue == &one.queue; });
  return lane == lanes_.end() || lane->read_count >= kMaxReads ? Waits::kSource : Waits::kRoomInFlight;
}

void Reads::plan_whole(Record& record, std::vector<StoredRange>& ranges) {
  Transfer& transfer = record.loading->transfer;
  const auto& [mount, entry] = record.loading->place;
  if (mount == nullptr || record.type == nullptr || is_ranged(record)) return;
  if (transfer.content_bytes == kToEnd) transfer.content_bytes = mount->size_bytes(entry);
  if (!transfer.files.empty()) return;
  mount->parts(entry, ranges);
  for (StoredRange& file : ranges) {
    if (file.size_bytes == kToEnd) file.size_bytes = transfer.content_bytes;
    transfer.files.push_back(file);
  }
  ranges.clear();
}

// Finds the ranges of a record and their sizes. Returns false if the size must be requested first.
bool Reads::plan(Record& record) {
  Transfer& transfer = record.loading->transfer;
  if (!is_ranged(record)) {
    plan_whole(record, ranges_);
    return transfer.content_bytes != kToEnd;
  }
  const MountPoint& mount = *record.loading->place.mount;
  const auto take_ranges = [&] {
    for (const StoredRange& range : ranges_) transfer.files.push_back(range);
    ranges_.clear();
  };
  if (transfer.content_bytes == kToEnd) transfer.content_bytes = mount.size_bytes(record.loading->place.entry);
  if (transfer.content_bytes == kToEnd) {
    mount.parts(record.loading->place.entry, ranges_);
    take_ranges();
    return false;
  }
  if (!transfer.files.empty()) return true;
  RangedTransfer& ranged = transfer.make_ranged();
  if (ranged.pieces.empty()) {
    const std::uint64_t first = record.range ? 0 : record.type.load()->loader.parts->first_read_bytes;
    ranged.pieces.push_back({record.range.value_or(ContentRange{0, std::min(first, transfer.content_bytes)})});
    ranged.decoded_bytes = record.range ? 0 : residency_.most_unplanned_bytes();
  }
  for (RangeRead& piece : ranged.pieces) {
    const auto [offset, size] = piece.range;
    const std::size_t before = transfer.files.size();
    if (size > 0 && range_fits(offset, size, transfer.content_bytes))
      mount.cover(record.loading->place.entry, offset, size, ranges_);
    take_ranges();
    piece.stored_count = transfer.files.size() - before;
  }
  return true;
}

std::uint64_t Reads::most_unknown_bytes() const {
  return std::min({kUnknownBytes, residency_.most_unplanned_bytes(), max_asset_bytes_});
}

std::vector<Reads::Outgoing> Reads::take(bool makes_room, Clock::time_point now, std::vector<Over>& over) {
  std::vector<Outgoing> out;
  if (!again_alone_.empty()) {
    for (Read& read : std::exchange(again_alone_, {})) send(std::move(read), now, out);
    return out;
  }
  std::vector<Wanted>& wanted = wanted_;
  wanted.clear();
  std::uint64_t batch_bytes = 0;
  std::size_t reads = 0;  // if the files are asked for in order
  const auto want = [&](const Wanted& one) {
    reads += wanted.empty() || !one.follows(wanted.back(), wanted.back().end());
    wanted.push_back(one);
  };
  for (std::size_t count = 0; count < kReadBatchAssets && reads < kReadBatchReads && batch_bytes < kReadBatchBytes;
       ++count) {
    Lane* const lane = first_lane();
    if (lane == nullptr) break;
    Record& record = lane->queue.first();
    Transfer& planned = record.loading->transfer;
    const auto take = [&]() -> stage::Reading& {
      Queue::leave(record);
      return record.become(stage::Reading{});
    };
    const MountPoint* const mount = record.loading->place.mount;
    if (!plan(record)) {
      const std::uint32_t file = planned.files[0].file;
      if (!is_ranged(record) && residency_.has_room_to_read(most_unknown_bytes())) {
        stage::Reading& reading = take();
        residency_.reserve(record, most_unknown_bytes());
        Graph::make_needs_awaited(record);
        batch_bytes += most_unknown_bytes();
        planned.answers.resize(1);
        reading.unanswered = 1;
        want({mount, file, 0, kToEnd, &record});
        continue;
      }
      take();
      want({mount, file, 0, 0, &record});
      continue;
    }
    if (const std::uint64_t size = limited_bytes(record); size > max_asset_bytes_) {
      take();
      over.push_back({&record, std::make_unique<Error>(too_large(size, max_asset_bytes_))});
      continue;
    }
    std::uint64_t stored = 0;
    for (const StoredRange& file : planned.files) stored += file.size_bytes;
    // Ranges that are joined or decompressed need memory twice for a while.
    const bool is_whole = planned.files.size() == 1 && stored == planned.content_bytes;
    const std::uint64_t bytes = is_ranged(record) ? planned.earlier_bytes() + stored + planned.ranged->decoded_bytes
                                : is_whole        ? stored
                                                  : stored + planned.content_bytes;
    // The rule for progress: if nothing frees memory, a record is still read. This applies to one record at a time, and
    // to each one that something in flight waits for.
    const auto passes = [&] {
      return wanted.empty() && !makes_room && !expects_answers() &&
             (record.urgency.is_awaited || residency_.may_exceed());
    };
    if (!residency_.has_room_to_read(bytes)) {
      if (!passes()) break;
      residency_.exceed(record);
    }
    stage::Reading& reading = take();
    residency_.reserve(record, bytes);
    Graph::make_needs_awaited(record);
    batch_bytes += stored;
    Transfer& transfer = record.loading->transfer;
    // the loader already planned the gaps of ranges
    const std::uint64_t max_gap_bytes = is_ranged(record) ? 0 : kMaxGapBytes;
    transfer.answers.clear();
    transfer.answers.resize(transfer.files.size());
    for (std::size_t i = 0; i < transfer.files.size(); ++i) {
      const StoredRange& file = transfer.files[i];
      if (file.size_bytes == 0) continue;
      ++reading.unanswered;
      want({mount, file.file, file.offset_bytes, file.size_bytes, &record, i, max_gap_bytes});
    }
    if (reading.unanswered == 0) over.push_back({&record});
  }
  join(wanted, now, out);
  return out;
}

void Reads::join(std::vector<Wanted>& wanted, Clock::time_point now, std::vector<Outgoing>& out) {
  if (!std::ranges::is_sorted(wanted, std::less<>())) std::ranges::sort(wanted, std::less<>());
  Read read;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Wanted& one = wanted[i];
    const Wanted* const last = read.pieces.empty() ? nullptr : &wanted[i - 1];
    const std::uint64_t last_end = read.offset_bytes + read.size_bytes;
    const std::uint64_t end = std::max(last_end, one.end());
    if (last != nullptr && one.follows(*last, last_end) && end - read.offset_bytes <= kMaxReadBytes) {
      read.size_bytes = end - read.offset_bytes;
    } else {
      if (last != nullptr) send(std::exchange(read, {}), now, out);
      read.mount = one.mount;
      read.file = one.file;
      read.offset_bytes = one.offset_bytes;
      read.size_bytes = one.size_bytes;
    }
    read.pieces.push_back({one.record, one.part, one.offset_bytes - read.offset_bytes, one.size_bytes});
  }
  if (!read.pieces.empty()) send(std::move(read), now, out);
}

void Reads::send(Read read, Clock::time_point now, std::vector<Outgoing>& out) {
  const std::uint64_t id = ++last_id_;
  read.live = read.pieces.size();
  read.submitted = now;
  read.timeout = read.mount->source().retry_policy().timeout;
  read.lane = &lane_of(read.mount->source());
  if (read.lane->read_count++ == 0) read.lane->last_sign = now;
  out.push_back(
      {id, read.mount->shared_source(), {read.mount->file(read.file), read.offset_bytes, read.size_bytes, id, kToEnd}});
  if (read.is_whole()) out.back().request.most_bytes = most_unknown_bytes();
  reads_.emplace(id, std::move(read));
}

void Reads::submitted(std::uint64_t id, Ticket ticket) {
  const auto read = reads_.find(id);
  if (read == reads_.end()) {
    const auto late = late_.find(id);
    if (late == late_.end()) return;
    if (auto source = late->second.lock()) cancels_.emplace_back(std::move(source), ticket);
    return;
  }
  read->second.ticket = ticket;
  if (read->second.live == 0) cancels_.emplace_back(read->second.mount->shared_source(), ticket);
}

// Takes the answer for a file of unknown size. Returns false if the file has more bytes than were asked for: it is read
// again, with its size.
bool Reads::take_whole(const Read& read, Record& record, const ReadAnswer& answer) {
  stage::Reading& reading = record.as<stage::Reading>();
  Transfer& transfer = record.loading->transfer;
  const std::uint64_t size = answer.file_size_bytes;
  if (answer.bytes.empty() && size > 0) {
    ++transfer.sizings;
    transfer.files.clear();
    transfer.answers.clear();
    transfer.content_bytes = size;
    residency_.reserve(record, 0);
    enter(record);
    return false;
  }
  transfer.content_bytes = size;
  transfer.files.clear();
  transfer.files.push_back({read.file, 0, size});
  if (answer.bytes.size() != size) {
    reading.error = too_short();
  } else if (size > max_asset_bytes_) {
    reading.error = std::make_unique<Error>(too_large(size, max_asset_bytes_));
  } else {
    residency_.reserve(record, size);
    transfer.answers[0] = answer.bytes;
  }
  reading.unanswered = 0;
  return true;
}

// Requires a record whose reads are complete, with an error.
bool Reads::retries(Record& record, Clock::time_point now) {
  stage::Reading& reading = record.as<stage::Reading>();
  const RetryPolicy policy = record.loading->place.mount->source().retry_policy();
  if (reading.error->code != ErrorCode::kIo || policy.retries == 0) return false;
  Transfer& transfer = record.loading->transfer;
  if (transfer.retries >= policy.retries) {
    reading.error->what += " (tried " + counted(transfer.retries + 1, "time") + ")";
    return false;
  }
  constexpr std::chrono::milliseconds kNone{0}, kMost = std::chrono::hours(24);
  const auto longest = std::clamp(policy.longest_delay, kNone, kMost);
  auto delay = std::clamp(policy.first_delay, kNone, longest);
  for (unsigned i = 0; i < transfer.retries && delay > kNone && delay < longest; ++i)
    delay = std::min(longest, delay * 2);
  ++transfer.retries;
  transfer.files.clear();
  transfer.answers.clear();
  residency_.reserve(record, 0);
  record.become(stage::Queued{now + delay});
  retrying_.enter(record);
  return true;
}

void Reads::pass_time(Clock::time_point now, std::vector<Over>& over) {
  retrying_.each([&](Record& record) {
    if (record.as<stage::Queued>().not_before <= now) {
      Queue::leave(record);
      lane_of(record.loading->place.mount->source()).queue.enter(record);
    }
    return true;
  });
  bool any_late = false;
  for (auto& [id, read] : reads_) any_late |= read.timeout.count() > 0 && now - read.submitted >= read.timeout;
  if (any_late) {
    std::vector<std::uint64_t> late;
    for (auto& [id, read] : reads_) {
      if (read.timeout.count() > 0 && now - read.submitted >= read.timeout) late.push_back(id);
    }
    std::ranges::sort(late);
    for (const std::uint64_t id : late) fail_late(id, std::move(reads_.extract(id).mapped()), now, over);
  }
  for (Lane& lane : lanes_) lane.is_silent |= lane.read_count > 0 && now - lane.last_sign >= kSilence;
}

// The source did not answer a read in time. Its answer may still come and is ignored then.
void Reads::fail_late(std::uint64_t id, Read read, Clock::time_point now, std::vector<Over>& over) {
  Lane& lane = *read.lane;
  late_.emplace(id, read.mount->shared_source());
  if (read.ticket) cancels_.emplace_back(read.mount->shared_source(), *read.ticket);
  --lane.read_count;
  const Error error = too_late(read.timeout);
  settle(read, {id, std::unexpected(error)}, false, now, over);
  // A source that answered nothing during that time would only let the records in its queue wait as long, one after
  // another.
  if (lane.read_count > 0 || now - lane.last_sign < read.timeout) return;
  lane.queue.each([&](Record& record) {
    Queue::leave(record);
    record.become(stage::Reading{.error = std::make_unique<Error>(error)});
    if (!retries(record, now)) over.push_back({&record, std::move(record.as<stage::Reading>().error)});
    return true;
  });
}

std::optional<Reads::Clock::time_point> Reads::next_due() const {
  std::optional<Clock::time_point> next;
  const auto at_most = [&](Clock::time_point at) {
    if (!next || at < *next) next = at;
  };
  retrying_.each([&](Record& record) {
    at_most(record.as<stage::Queued>().not_before);
    return true;
  });
  for (const auto& [id, read] : reads_) {
    if (read.timeout.count() > 0) at_most(read.submitted + read.timeout);
  }
  for (const Lane& lane : lanes_) {
    if (lane.read_count > 0 && !lane.is_silent) at_most(lane.last_sign + kSilence);
  }
  return next;
}

void Reads::answered(Completion completion, bool is_closing, Clock::time_point now, std::vector<Over>& over) {
  const auto found = reads_.find(completion.user);
  if (found == reads_.end()) {
    late_.erase(completion.user);
    return;
  }
  const Read read = std::move(found->second);
  reads_.erase(found);
  --read.lane->read_count;
  read.lane->last_sign = now;
  read.lane->is_silent = false;
  if (completion.answer) {
    if (auto right = read.mount->check_version(read.file, *completion.answer); !right)
      completion.answer = std::unexpected(std::move(right).error());
  }
  settle(read, std::move(completion), is_closing, now, over);
}

// Gives the answer of a read to its records.
void Reads::settle(const Read& read, Completion completion, bool is_closing, Clock::time_point now,
                   std::vector<Over>& over) {
  const bool is_late = late_.contains(completion.user);
  const bool asks_size = read.size_bytes == 0;
  over.reserve(over.size() + read.pieces.size());
  for (const Piece& piece : read.pieces) {
    Record& record = *piece.record;
    stage::Reading& reading = record.as<stage::Reading>();
    if (asks_size && !record.canceled && completion.answer) {
      ++record.loading->transfer.sizings;
      record.loading->transfer.files.clear();
      record.loading->transfer.content_bytes = completion.answer->file_size_bytes;
      enter(record);
      continue;
    }
    if (!completion.answer && read.pieces.size() > 1 && !record.canceled && !is_closing && !is_late) {
      // The error may be in the bytes of its neighbors.
      again_alone_.push_back({nullptr,
                              read.mount,
                              read.file,
                              read.offset_bytes + piece.offset_bytes,
                              piece.size_bytes,
                              {{&record, piece.file, 0, piece.size_bytes}}});
      continue;
    }
    if (read.is_whole() && !record.canceled && completion.answer) {
      if (take_whole(read, record, *completion.answer)) over.push_back({&record, std::move(reading.error)});
      continue;
    }
    const bool is_last = asks_size || --reading.unanswered == 0;
    if (!asks_size && !record.canceled && is_resized(record.loading->transfer, completion)) {
      residency_.reserve(record, 0);
      Transfer fresh;
      fresh.sizings = record.loading->transfer.sizings;
      record.loading->transfer = std::move(fresh);
      enter(record);
      continue;
    }
    if (!completion.answer) {
      reading.error = std::make_unique<Error>(completion.answer.error());
    } else if (!range_fits(piece.offset_bytes, piece.size_bytes, completion.answer->bytes.size())) {
      reading.error = too_short();
    } else if (!asks_size) {
      if (is_ranged(record) && completion.answer->file_version != 0) {
        const auto [known, is_new] =
            record.loading->transfer.make_ranged().versions.emplace(read.file, completion.answer->file_version);
        reading.is_replaced |= !is_new && known->second != completion.answer->file_version;
      }
      record.loading->transfer.answers[piece.file] = completion.answer->bytes.slice(
          static_cast<std::size_t>(piece.offset_bytes), static_cast<std::size_t>(piece.size_bytes));
    }
    if (!is_last) continue;
    if (reading.error && !record.canceled && !is_closing && retries(record, now)) continue;
    over.push_back({&record, std::move(reading.error), reading.is_replaced});
  }
}

void Reads::abandon(const Record& record) {
  for (auto& [id, read] : reads_) {
    for (const Piece& piece : read.pieces) {
      if (piece.record != &record || --read.live > 0 || !read.ticket) continue;
      cancels_.emplace_back(read.mount->shared_source(), *read.ticket);
    }
  }
}

}  // namespace assetc::runtime
