// The memory of a manager: budgets, what is held, the cache of what nobody holds, and what is destroyed later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/loader/record.hpp"

namespace assetc::runtime {

// Values that the next pump() destroys. A record that failed may be loaded anew before that.
struct Dropping {
  Record* record = nullptr;  // counted
  const AnyLoader* loader = nullptr;
  std::unique_ptr<const Loaded> loaded{};
  void* value = nullptr;  // that was not loaded yet
};

// What a reload has replaced in a frame that may not be over.
struct Retired {
  std::uint64_t frame = 0;
  Record* record = nullptr;  // counted
  std::unique_ptr<const Failure> failure{};
  std::shared_ptr<const Catalog> catalog{};
};

// Knows no queue, source, job or clock. Not thread-safe: the coordinator's mutex guards it.
class Residency {
 public:
  struct Limits {
    std::uint64_t in_flight_bytes, cpu_bytes, gpu_bytes;
  };
  explicit Residency(const Limits& limits) : limits_(limits), decode_room_(limits.in_flight_bytes / 2) {}

  // ---- refs ----
  void retain(Record& record) {
    if (record.refs.fetch_add(1, std::memory_order_relaxed) == 0) uncache(record);
  }
  void release(Record& record) {
    if (record.refs.fetch_sub(1, std::memory_order_acq_rel) == 1) note(record);
  }
  // That nobody may hold it any more.
  void note(Record& record);
  // Of those noted one that nobody holds; null where there is none.
  Record* take_idle();

  // ---- the cache: the longest unused first ----
  void cache(Record& record);
  // False where it was not cached.
  bool uncache(Record& record);
  std::size_t cached_count() const { return cached_.size(); }
  // Takes the oldest one out; null where there is none.
  Record* take_oldest();
  // The same of those that help a budget that is exceeded.
  Record* take_victim();

  // ---- memory in flight ----
  // Returns whether memory came free.
  bool reserve(Record& record, std::uint64_t bytes);
  // Whether so much more may be read. Of what has been read only its decode tells what it becomes: some is left for it.
  bool has_room_to_read(std::uint64_t bytes) const {
    return in_flight_ == 0 || in_flight_ + bytes + decode_room_ <= limits_.in_flight_bytes;
  }
  bool has_room_to_decode(const Record& record, std::uint64_t bytes) const {
    return in_flight_ - record.reserved_bytes + bytes <= limits_.in_flight_bytes;
  }
  // Of a first part: what its levels are is known only then.
  std::uint64_t most_unplanned_bytes() const {
    constexpr std::uint64_t kMost = 1u << 20;
    return std::min(kMost, limits_.in_flight_bytes / 4);
  }
  // What something became. As for the largest of the last ones, slow to forget it.
  void learn_decoded(std::uint64_t bytes) {
    decode_room_ = std::min(std::max(bytes, decode_room_ - decode_room_ / 16), limits_.in_flight_bytes / 2);
  }
  // To wake a thread takes longer than to read a small asset: memory is refilled in pieces.
  bool is_worth_a_refill() const { return in_flight_ <= limits_.in_flight_bytes / 4 * 3; }
  std::uint64_t in_flight_bytes() const { return in_flight_; }
  std::uint64_t peak_in_flight_bytes() const { return peak_in_flight_; }

  // ---- loaded values ----
  void add(const Record& record);
  void remove(const Record& record);
  // What is left of the budgets once replaced values are destroyed and the cache is empty; negative where they are
  // exceeded.
  std::int64_t cpu_room() const;
  std::int64_t gpu_room() const;
  std::uint64_t cpu_bytes() const { return cpu_; }
  std::uint64_t gpu_bytes() const { return gpu_; }

  // ---- destroyed later ----
  void drop_later(Record& record);
  bool has_dropping() const { return !dropping_.empty(); }
  Dropping take_dropping();
  void retire(Retired retired) { retired_.push_back(std::move(retired)); }
  bool has_retired() const { return !retired_.empty(); }
  std::vector<Retired> take_retired() { return std::exchange(retired_, {}); }
  void put_back(std::vector<Retired> retired);
  // Moves what may go to the end; returns where that begins. Calls is_over, so not under the mutex.
  static std::vector<Retired>::iterator split_over(std::vector<Retired>& retired,
                                                   const std::function<bool(std::uint64_t frame)>& is_over);

 private:
  bool helps(const Record& record) const;

  const Limits limits_;
  std::uint64_t in_flight_ = 0, peak_in_flight_ = 0, decode_room_, cpu_ = 0, gpu_ = 0;
  std::uint64_t cached_cpu_ = 0, cached_gpu_ = 0;
  std::vector<Record*> noted_;
  std::list<Record*> cached_;
  std::vector<Dropping> dropping_;
  std::vector<Retired> retired_;  // by frame
};

}  // namespace assetc::runtime
