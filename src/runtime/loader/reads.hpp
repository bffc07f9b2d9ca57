// The reads of a manager: which ranges are asked of which sources, and when.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/loader/record.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// It never speaks to a source: it says what to submit and to cancel, and is told the answers. Not thread-safe.
class Reads {
 public:
  // To be submitted, with `id` as its user.
  struct Outgoing {
    std::uint64_t id;
    std::shared_ptr<Source> source;
    ReadRequest request;
  };
  // A record that all reads are over of. Without an error it is to be decoded.
  struct Over {
    Record* record;
    std::optional<Error> error{};
    bool is_replaced = false;  // ranges of it are of different files
  };
  using Canceling = std::pair<std::shared_ptr<Source>, Ticket>;

  Reads(Residency& residency, std::uint64_t max_asset_bytes)
      : residency_(residency), max_asset_bytes_(max_asset_bytes) {}

  // To be read, as soon as there is room for it.
  void enter(Record& record, Transfer transfer = {});
  // Whether take() may have something.
  bool is_wanted() const;
  // Whether it is worth waking a thread for that.
  bool is_worth_a_wake() const;
  // What is most urgent, in the order in which it lies; what lies close together is one read. Records that need no read
  // or are too large are added to `over`. makes_room: whether memory in flight comes free by itself.
  std::vector<Outgoing> take(bool makes_room, std::vector<Over>& over);
  void submitted(std::uint64_t id, Ticket ticket);
  // The answer to a read. Records that it was the last one of are added to `over`.
  void answered(Completion completion, bool is_closing, std::vector<Over>& over);
  // Of a record in Reading that was canceled.
  void abandon(const Record& record);
  // Requests that nobody waits for any more; the source is to hear of it.
  std::vector<Canceling> take_cancels() { return std::exchange(cancels_, {}); }
  bool has_cancels() const { return !cancels_.empty(); }
  // Whether sources owe answers, or reads of several are to be repeated one by one.
  bool is_idle() const { return reads_.empty() && again_alone_.empty(); }
  bool has_unanswered() const { return !reads_.empty(); }
  // That were ever submitted.
  std::size_t count() const { return static_cast<std::size_t>(last_id_); }

 private:
  // A range that was asked of a source, and the records whose ranges are in it.
  struct Piece {
    Record* record;
    std::size_t file;
    std::uint64_t offset_bytes;  // in the read
    std::uint64_t size_bytes;
  };
  struct Read {
    const MountPoint* mount = nullptr;
    std::uint32_t file = 0;
    std::uint64_t offset_bytes = 0, size_bytes = 0;
    std::vector<Piece> pieces;
    std::uint64_t max_gap_bytes = 0;  // to another range that is read with it
    std::size_t live = 0;             // pieces whose record still wants them
    std::optional<Ticket> ticket{};
  };
  bool plan(const Record& record, Transfer& transfer) const;
  bool has_queued_content() const;
  void send(Read read, std::vector<Outgoing>& out);
  void join(std::vector<Read> wanted, std::vector<Outgoing>& out);

  Residency& residency_;
  const std::uint64_t max_asset_bytes_;
  Queue queue_;
  std::unordered_map<std::uint64_t, Read> reads_;  // by id
  std::uint64_t last_id_ = 0;
  std::vector<Read> again_alone_;  // parts of reads of several that failed
  std::vector<Canceling> cancels_;
};

}  // namespace assetc::runtime
