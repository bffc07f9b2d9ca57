// The memory of a manager: budgets, assets in use, the cache of unused assets, and values that are destroyed later.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/loader/record.hpp"

namespace assetc::runtime {

// Values that the next pump() destroys. A record that failed may be loaded again before that.
struct Dropping {
  Record* record = nullptr;  // holds a ref
  const AnyLoader* loader = nullptr;
  std::optional<Loaded> loaded{};
  void* value = nullptr;  // a value that was not finalized yet
  bool has_needs = false;
};

// A value that a reload replaced in a frame that may not be over.
struct Retired {
  std::uint64_t frame = 0;
  Record* record = nullptr;  // holds a ref
  std::unique_ptr<const Failure> failure{};
  std::unique_ptr<const Loaded> loaded{};
  std::shared_ptr<const Catalog> catalog{};
};

// Has no access to queues, sources, jobs or clocks. Not thread-safe: the mutex of Core guards it.
class Residency {
 public:
  struct Limits {
    std::uint64_t in_flight_bytes, cpu_bytes, gpu_bytes;
  };
  explicit Residency(const Limits& limits);
  // Takes effect with the next reads, and with the next pump for loaded assets.
  void set_limits(const Limits& limits);

  // ---- refs and dependencies ----
  void retain(Record& record) {
    if (record.refs.fetch_add(1, std::memory_order_relaxed) > 0) return;
    uncache(record);
    if (!record.is_held) set_held(record, true);
  }
  void release(Record& record) {
    if (record.refs.fetch_sub(1, std::memory_order_acq_rel) == 1) note(record);
  }
  // Adds or removes a dependency of `user` on `needed`. The caller updates Record::hard and soft.
  void link(Record& user, Record& needed);
  void unlink(const Record& user, Record& needed);
  // Exchanges the dependencies of two records.
  void swap_needs(Record& a, Record& b);
  // Notes that the record may no longer be in use.
  void note(Record& record);
  // Returns whether take_idle() or take_turned() may return one.
  bool has_idle() const { return !noted_.empty() || !turned_.empty(); }
  // Takes one of the noted records that is not wanted; null if there is none.
  Record* take_idle();
  // Takes a loaded asset in parts that came into use or went out of use; null if there is none.
  Record* take_turned();

  // ---- the cache: the longest unused first ----
  void cache(Record& record);
  // Returns false if it was not cached.
  bool uncache(Record& record);
  std::size_t cached_count() const { return cached_.size(); }
  // Removes the oldest record from the cache and returns it; null if the cache is empty.
  Record* take_oldest();
  // The same for a record that keeps bytes of an exceeded budget: its own bytes, or those of dependencies that only
  // cached records need. Also null while an earlier victim still has its dependencies, and when the looks of this pump
  // are used up.
  Record* take_victim();
  // Each pump looks at a bounded number of records, regardless of the size of the cache. A record that freed nothing is
  // not looked at again until something changes.
  void begin_looks() { looks_left_ = kMaxLooks; }
  std::uint64_t look_count() const { return look_count_; }

  // ---- memory in flight ----
  // Returns whether memory was freed.
  bool reserve(Record& record, std::uint64_t bytes);
  // Returns whether this many more bytes may be read. The decoded size is known only when an asset is decoded, so some
  // memory is left for that.
  bool has_room_to_read(std::uint64_t bytes) const {
    return in_flight_ == 0 || in_flight_ + bytes + decode_room_ <= in_flight_limit();
  }
  bool has_room_to_decode(const Record& record, std::uint64_t bytes) const {
    return in_flight_ - record.reserved_bytes + bytes <= in_flight_limit();
  }
  // Returns whether a record may be read beyond the limit, because no other one is being read or decoded beyond it.
  // exceed(): it does, until its memory is freed. A part that must be read further gives way to more urgent records.
  bool may_exceed() const { return exceeding_ == nullptr || exceeding_->is<stage::Queued>(); }
  void exceed(const Record& record) {
    if (may_exceed()) exceeding_ = &record;
  }
  // The bytes to reserve for a first part: its levels are known only after it was read.
  std::uint64_t most_unplanned_bytes() const {
    constexpr std::uint64_t kMost = 1u << 20;
    return std::min(kMost, in_flight_limit() / 4);
  }
  // Learns from a decoded size. Follows the largest recent size and decays slowly.
  void learn_decoded(std::uint64_t bytes) {
    decode_room_ = std::min(std::max(bytes, decode_room_ - decode_room_ / 16), in_flight_limit() / 2);
  }
  // Waking a thread takes longer than reading a small asset. Therefore reads resume only when a quarter of the memory
  // is free.
  bool is_worth_a_refill() const { return in_flight_ <= in_flight_limit() / 4 * 3; }
  std::uint64_t in_flight_bytes() const { return in_flight_; }
  std::uint64_t peak_in_flight_bytes() const { return peak_in_flight_; }

  // ---- loaded values ----
  void add(const Record& record);
  void remove(const Record& record);
  // The rest of the budgets after replaced values are destroyed and the cache is emptied. Negative if they are
  // exceeded.
  std::int64_t cpu_room() const { return room(cpu_); }
  std::int64_t gpu_room() const { return room(gpu_) - static_cast<std::int64_t>(promised_gpu_bytes_); }
  std::uint64_t cpu_bytes() const { return cpu_.used_bytes; }
  std::uint64_t gpu_bytes() const { return gpu_.used_bytes; }

  // Counts bytes of the budget for an object that is being created.
  void promise_gpu(Record& record, std::uint64_t bytes) {
    promised_gpu_bytes_ += bytes;
    promised_gpu_bytes_ -= record.promised_gpu_bytes;
    record.promised_gpu_bytes = bytes;
  }
  // Without replaced values.
  std::uint64_t gpu_in_use_bytes() const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(gpu_.limit_bytes) - room(gpu_));
  }
  std::uint64_t gpu_limit_bytes() const { return gpu_.limit_bytes; }

  // ---- destroyed later ----
  void drop_later(Record& record);
  bool has_dropping() const { return !dropping_.empty(); }
  Dropping take_dropping();
  void retire(Retired retired) { retired_.push_back(std::move(retired)); }
  bool has_retired() const { return !retired_.empty(); }
  std::vector<Retired> take_retired() { return std::exchange(retired_, {}); }
  void put_back(std::vector<Retired> retired);
  // Moves items that may be destroyed to the end, and returns where they begin. Calls is_over, so the mutex must not be
  // locked.
  static std::vector<Retired>::iterator split_over(std::vector<Retired>& retired,
                                                   const std::function<bool(std::uint64_t frame)>& is_over);

 private:
  static constexpr std::int64_t kMaxLooks = 4096;
  struct Budget {
    std::uint64_t limit_bytes;
    std::uint64_t (*bytes_of)(const Record&);
    std::uint64_t used_bytes = 0;
    std::uint64_t loose_bytes = 0;    // part of used_bytes that is not in use: emptying the cache would free it
    std::uint64_t looked_at_use = 0;  // cached records with this last_use or an older one keep none of its bytes
  };
  struct LongestUnused {
    using is_transparent = void;
    bool operator()(const Record* a, const Record* b) const {
      return a->last_use != b->last_use ? a->last_use < b->last_use : a->urgency.id < b->urgency.id;
    }
    bool operator()(std::uint64_t use, const Record* b) const { return use < b->last_use; }
    bool operator()(const Record* a, std::uint64_t use) const { return a->last_use < use; }
  };
  void set_held(Record& first, bool is_held);
  void count(const Record& record);
  bool keeps(Record& record, const Budget& budget);
  void look_again() {
    for (Budget* budget : {&cpu_, &gpu_}) budget->looked_at_use = 0;
  }
  std::int64_t room(const Budget& budget) const;

  std::uint64_t in_flight_limit() const { return in_flight_limit_.load(std::memory_order_relaxed); }

  std::atomic<std::uint64_t> in_flight_limit_;  // jobs read it without the mutex
  std::uint64_t in_flight_ = 0, peak_in_flight_ = 0, decode_room_;
  const Record* exceeding_ = nullptr;
  Budget cpu_, gpu_;
  std::uint64_t promised_gpu_bytes_ = 0;
  std::vector<Record*> noted_, turned_;
  std::vector<Record*> open_;  // stack of a walk
  std::set<Record*, LongestUnused> cached_;
  std::uint64_t last_use_ = 0, walks_ = 0, look_count_ = 0;
  std::int64_t looks_left_ = kMaxLooks;
  std::size_t letting_go_ = 0;  // number of records in dropping_ that have dependencies
  std::vector<Dropping> dropping_;
  std::vector<Retired> retired_;  // ordered by frame
};

}  // namespace assetc::runtime
