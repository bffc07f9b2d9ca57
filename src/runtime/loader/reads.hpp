// Schedules the reads of a manager: which ranges are requested from which sources, and when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/loader/record.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// Never calls a source. It returns the requests to submit and to cancel, and receives the answers. Not thread-safe.
class Reads {
 public:
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
  using Clock = std::chrono::steady_clock;
  using Canceling = std::pair<std::shared_ptr<Source>, Ticket>;

  Reads(Residency& residency, std::uint64_t max_asset_bytes,
        std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : residency_(residency), max_asset_bytes_(max_asset_bytes), queue_(memory), retrying_(memory), reads_(&memory) {}

  // Finds the ranges of an asset that is read whole. Otherwise take() does. ranges: kept for its memory. Thread-safe.
  static void plan_whole(Record& record, std::vector<StoredRange>& ranges);
  // Adds a record, whose transfer is read when there is memory for it.
  void enter(Record& record);
  // Returns whether take() may return something.
  bool is_wanted() const;
  // Returns whether it is worth waking a thread to call take().
  bool is_worth_a_wake() const;
  // Returns the most urgent reads, ordered by their place in the files. Ranges close together become one read. Records
  // that need no read or are too large are added to `over`. makes_room: whether memory in flight will be freed without
  // further reads.
  std::vector<Outgoing> take(bool makes_room, std::vector<Over>& over);
  void submitted(std::uint64_t id, Ticket ticket);
  // Handles the answer to a read. Records whose last read it was are added to `over`.
  // Records whose source failed are read again after a delay, if its retry policy says so.
  void answered(Completion completion, bool is_closing, Clock::time_point now, std::vector<Over>& over);
  // Queues the records whose delay is over.
  void release_retries(Clock::time_point now);
  // Returns when the next delay is over.
  std::optional<Clock::time_point> next_retry() const;
  std::size_t retrying_count() const { return retrying_.size(); }
  // Call it for a canceled record in stage Reading.
  void abandon(const Record& record);
  // Takes the requests that no record needs any more. The caller must cancel them at the source.
  std::vector<Canceling> take_cancels() { return std::exchange(cancels_, {}); }
  bool has_cancels() const { return !cancels_.empty(); }
  // is_idle(): no answer is outstanding, and no combined read has to be repeated range by range.
  bool is_idle() const { return reads_.empty() && again_alone_.empty(); }
  bool has_unanswered() const { return !reads_.empty(); }
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
  struct Read {
    const MountPoint* mount = nullptr;
    std::uint32_t file = 0;
    std::uint64_t offset_bytes = 0, size_bytes = 0;
    Few<Piece> pieces;
    std::size_t live = 0;  // pieces whose record is not canceled
    std::optional<Ticket> ticket{};
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
  bool has_queued_content() const;
  void send(Read read, std::vector<Outgoing>& out);
  void join(std::vector<Wanted>& wanted, std::vector<Outgoing>& out);

  Residency& residency_;
  const std::uint64_t max_asset_bytes_;
  std::uint64_t most_unknown_bytes() const;
  bool take_whole(const Read& read, Record& record, const ReadAnswer& answer);
  bool retries(Record& record, Clock::time_point now);
  Queue queue_;
  Queue retrying_;                                      // wait for the end of a delay
  std::pmr::unordered_map<std::uint64_t, Read> reads_;  // by id
  std::uint64_t last_id_ = 0;
  std::vector<Read> again_alone_;  // ranges of combined reads that failed
  std::vector<Canceling> cancels_;
  std::vector<StoredRange> ranges_;  // kept for its memory
  std::vector<Wanted> wanted_;       // the same
};

}  // namespace assetc::runtime
