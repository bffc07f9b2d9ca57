// Schedules the reads of a manager: which ranges are requested from which sources, and when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/loader/record.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// Never calls submit() or cancel() of a source. It returns the requests to submit and to cancel, and receives the
// answers. It has no clock: callers pass the time. Not thread-safe.
class Reads {
 public:
  using Clock = std::chrono::steady_clock;
  // A request to submit, with `id` as its user.
  struct Outgoing {
    std::uint64_t id;
    std::shared_ptr<Source> source;
    ReadRequest request;
  };
  // A record whose reads are all complete. If there is no error, it must now be decoded.
  struct Over {
    Record* record;
    std::unique_ptr<Error> error{};  // null: none
    bool is_replaced = false;        // its ranges come from different versions of the file
  };
  using Canceling = std::pair<std::shared_ptr<Source>, Ticket>;

  Reads(Residency& residency, std::uint64_t max_asset_bytes,
        std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : residency_(residency), max_asset_bytes_(max_asset_bytes), memory_(memory), retrying_(memory), reads_(&memory) {}

  // Finds the ranges of an asset that is read whole. Otherwise take() does. ranges: kept for its memory. Thread-safe.
  static void plan_whole(Record& record, std::vector<StoredRange>& ranges);
  // Adds a record, whose transfer is read when there is memory for it.
  void enter(Record& record);
  // Returns whether take() may return something.
  bool is_wanted() const;
  // Returns whether it is worth waking a thread to call take(). makes_room: as for take().
  bool is_worth_a_wake(bool makes_room) const;
  // Returns the most urgent reads, ordered by their place in the files. Ranges close together become one read. Records
  // that need no read or are too large are added to `over`. makes_room: whether records that were read will free memory
  // in flight. If nothing does, and no answer is expected soon, one record is read beyond the limit.
  std::vector<Outgoing> take(bool makes_room, Clock::time_point now, std::vector<Over>& over);
  void submitted(std::uint64_t id, Ticket ticket);
  // Handles the answer to a read. Records whose last read it was are added to `over`.
  // Records whose source failed are read again after a delay, if its retry policy says so.
  void answered(Completion completion, bool is_closing, Clock::time_point now, std::vector<Over>& over);
  // Does what is due at this time: queues the records whose delay is over, and fails reads that a source did not answer
  // within the timeout of its policy. Their records are added to `over`, or are read again after a delay.
  void pass_time(Clock::time_point now, std::vector<Over>& over);
  // Returns when pass_time() has to be called next, unless something else happens before.
  std::optional<Clock::time_point> next_due() const;
  std::size_t retrying_count() const { return retrying_.size(); }
  // Call it for a canceled record in stage Reading.
  void abandon(const Record& record);
  // Takes the requests that no record needs any more. The caller must cancel them at the source.
  std::vector<Canceling> take_cancels() { return std::exchange(cancels_, {}); }
  bool has_cancels() const { return !cancels_.empty(); }
  // is_idle(): no answer is outstanding, and no combined read has to be repeated range by range.
  bool is_idle() const { return reads_.empty() && late_.empty() && again_alone_.empty(); }
  // Also true for reads that failed because of their timeout: their source must answer before it may be destroyed.
  bool has_unanswered() const { return !reads_.empty() || !late_.empty(); }
  // Returns whether a source that answered lately will answer again.
  bool expects_answers() const {
    return std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.read_count > 0 && !lane.is_silent; });
  }
  // Returns what a record in one of the queues or in stage Reading waits for.
  Waits waits_of(const Record& record) const;
  // Calls visit(most urgent record, number of records) for each queue that is not empty.
  template <class Visit>
  void each_queue(const Visit& visit) const {
    for (const Lane& lane : lanes_) {
      if (!lane.queue.is_empty()) visit(lane.queue.first(), lane.queue.size());
    }
    if (!retrying_.is_empty()) visit(retrying_.first(), retrying_.size());
  }
  // Returns the number of reads submitted so far.
  std::size_t count() const { return static_cast<std::size_t>(last_id_); }

 private:
  // A range inside a read, and its record.
  struct Piece {
    Record* record;
    std::size_t file;
    std::uint64_t offset_bytes;  // within the read
    std::uint64_t size_bytes;
  };
  // The records and the reads of one source. A source that does not answer holds back no other source.
  struct Lane {
    Lane(const Source& of, std::pmr::memory_resource& memory) : source(&of), queue(memory) {}
    const Source* source;
    Queue queue;
    std::size_t read_count = 0;     // submitted, not answered and not late
    Clock::time_point last_sign{};  // of life: its last answer, or its first read after a pause
    bool is_silent = false;         // it gave no sign for a while, although it has reads
  };
  struct Read {
    Lane* lane = nullptr;
    const MountPoint* mount = nullptr;
    std::uint32_t file = 0;
    std::uint64_t offset_bytes = 0, size_bytes = 0;
    Few<Piece> pieces;
    std::size_t live = 0;  // pieces whose record is not canceled
    std::optional<Ticket> ticket{};
    Clock::time_point submitted{};
    std::chrono::milliseconds timeout{};                    // 0: none
    bool is_whole() const { return size_bytes == kToEnd; }  // a file of unknown size
  };
  // A range of a file that a record needs.
  struct Wanted {
    const MountPoint* mount;
    std::uint32_t file;
    std::uint64_t offset_bytes, size_bytes;
    Record* record;
    std::size_t part = 0;             // of Transfer::files
    std::uint64_t max_gap_bytes = 0;  // to another range in the same read
    bool has_range() const { return size_bytes != 0 && size_bytes != kToEnd; }
    std::uint64_t end() const { return offset_bytes + size_bytes; }
    // Returns whether one read may contain this range and `last`, where the ranges of that read end at last_end.
    bool follows(const Wanted& last, std::uint64_t last_end) const {
      return last.has_range() && has_range() && last.mount == mount && last.file == file &&
             offset_bytes >= last.offset_bytes &&
             offset_bytes <= last_end + std::min(last.max_gap_bytes, max_gap_bytes);
    }
    bool operator<(const Wanted& other) const {
      if (mount != other.mount) return std::less<>()(mount, other.mount);
      if (file != other.file) return file < other.file;
      return offset_bytes < other.offset_bytes;
    }
  };
  bool plan(Record& record);
  Lane& lane_of(const Source& source);
  // Returns the lane with the most urgent record that may be read now; null if there is none.
  Lane* first_lane();
  const Lane* first_lane() const { return const_cast<Reads*>(this)->first_lane(); }
  void send(Read read, Clock::time_point now, std::vector<Outgoing>& out);
  void join(std::vector<Wanted>& wanted, Clock::time_point now, std::vector<Outgoing>& out);
  void fail_late(std::uint64_t id, Read read, Clock::time_point now, std::vector<Over>& over);
  void settle(const Read& read, Completion completion, bool is_closing, Clock::time_point now, std::vector<Over>& over);

  Residency& residency_;
  const std::uint64_t max_asset_bytes_;
  std::pmr::memory_resource& memory_;
  std::uint64_t most_unknown_bytes() const;
  bool take_whole(const Read& read, Record& record, const ReadAnswer& answer);
  bool retries(Record& record, Clock::time_point now);
  std::list<Lane> lanes_;
  Queue retrying_;                                      // wait for the end of a delay
  std::pmr::unordered_map<std::uint64_t, Read> reads_;  // by id
  // Reads that failed because of their timeout, by id. Their answers are ignored.
  std::unordered_map<std::uint64_t, std::weak_ptr<Source>> late_;
  std::uint64_t last_id_ = 0;
  std::vector<Read> again_alone_;  // ranges of combined reads that failed
  std::vector<Canceling> cancels_;
  std::vector<StoredRange> ranges_;  // kept for its memory
  std::vector<Wanted> wanted_;       // the same
};

}  // namespace assetc::runtime
