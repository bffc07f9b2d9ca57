// The memory of a manager: budgets, what is held, the cache of what nobody holds, and what is destroyed later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/loader/record.hpp"

namespace assetc::runtime {

// Values that the next pump() destroys. A record that failed may be loaded anew before that.
struct Dropping {
  Record* record = nullptr;  // counted
  const AnyLoader* loader = nullptr;
  std::unique_ptr<const Loaded> loaded{};
  void* value = nullptr;  // that was not loaded yet
  bool has_needs = false;
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
  explicit Residency(const Limits& limits);

  // ---- refs and needs ----
  void retain(Record& record) {
    if (record.refs.fetch_add(1, std::memory_order_relaxed) > 0) return;
    uncache(record);
    if (!record.is_held) set_held(record, true);
  }
  void release(Record& record) {
    if (record.refs.fetch_sub(1, std::memory_order_acq_rel) == 1) note(record);
  }
  // `user` needs `needed` from now on, or no more. The caller keeps Record::hard and soft.
  void link(Record& user, Record& needed);
  void unlink(const Record& user, Record& needed);
  // Exchanges what two records need.
  void swap_needs(Record& a, Record& b);
  // That nobody may hold it any more.
  void note(Record& record);
  // Of those noted one that is not wanted; null where there is none.
  Record* take_idle();
  // A loaded asset in parts that is held now, or is not any more; null where there is none.
  Record* take_turned();

  // ---- the cache: the longest unused first ----
  void cache(Record& record);
  // False where it was not cached.
  bool uncache(Record& record);
  std::size_t cached_count() const { return cached_.size(); }
  // Takes the oldest one out; null where there is none.
  Record* take_oldest();
  // The same of those that keep bytes of a budget that is exceeded: their own, or those of what only they and others
  // like them need. Null also while an earlier one has not let go of its needs, and where the looks of this pump are
  // used up.
  Record* take_victim();
  // Each pump looks at a bounded number of records, however many are cached. What it has looked at in vain it does not
  // look at again before something changes.
  void begin_looks() { looks_left_ = kMaxLooks; }
  std::uint64_t look_count() const { return look_count_; }

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
  std::int64_t cpu_room() const { return room(cpu_); }
  std::int64_t gpu_room() const { return room(gpu_); }
  std::uint64_t cpu_bytes() const { return cpu_.used_bytes; }
  std::uint64_t gpu_bytes() const { return gpu_.used_bytes; }

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
  static constexpr std::int64_t kMaxLooks = 4096;
  struct Budget {
    std::uint64_t limit_bytes;
    std::uint64_t (*bytes_of)(const Record&);
    std::uint64_t used_bytes = 0;
    std::uint64_t loose_bytes = 0;    // of those, what is not held: an empty cache would free them
    std::uint64_t looked_at_use = 0;  // what is cached, and unused for as long or longer, keeps nothing of it
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

  const Limits limits_;
  std::uint64_t in_flight_ = 0, peak_in_flight_ = 0, decode_room_;
  Budget cpu_, gpu_;
  std::vector<Record*> noted_, turned_;
  std::vector<Record*> open_;  // of a walk
  std::set<Record*, LongestUnused> cached_;
  std::uint64_t last_use_ = 0, walks_ = 0, look_count_ = 0;
  std::int64_t looks_left_ = kMaxLooks;
  std::size_t letting_go_ = 0;  // of those that are destroyed later, how many need others
  std::vector<Dropping> dropping_;
  std::vector<Retired> retired_;  // by frame
};

}  // namespace assetc::runtime
