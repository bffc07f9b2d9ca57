// One asset of a manager: its stage of loading, its dependencies and its dependents.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "assetc/runtime/manager.hpp"
#include "base/few.hpp"
#include "runtime/loader/upload.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {

class Queue;

// Empty after it was canceled and while it is being called. Used only on the thread that pumps.
using Callback = std::function<void(AnyRef)>;

// Returns the type that an asset is loaded as. Registries may list an engine's own types as Raw.
inline AssetType type_of(AssetType listed, AssetType asked) {
  const bool is_own = listed == AssetType::kRaw && asked >= kFirstEngineType;
  return listed == kUnknownType || is_own ? asked : listed;
}

// Returns the type of an asset that was requested by a handle. If the asset was found by its path, the path shows that
// it is a texture, but not its shape.
inline AssetType type_of(const AssetHandle& listed, const AssetHandle& asked) {
  if (listed.type == asked.type) return listed.type;
  const bool is_shape = listed.uuid.is_nil() && aas1::is_texture(listed.type) && aas1::is_texture(asked.type);
  return is_shape ? asked.type : type_of(listed.type, asked.type);
}

// Returns the asset that a handle stands for, after redirectors and aliases. Its place may be unknown.
Catalog::Found find_in(const Catalog& catalog, const AssetHandle& asset);

// The text of to_string(Waits), which ends with a zero.
const char* trace_name(Waits what);

struct TypeEntry {
  AssetType type;
  AnyLoader loader;
  std::shared_ptr<void> fallback{};
  GpuObject fallback_gpu;
  std::atomic<bool> has_fallback_gpu = false;
  bool asked_for_fallback_gpu = false;  // used by the thread that pumps
  std::optional<Upload> fallback_upload{};
  double finalize_seconds_per_byte = 0;  // of recent ones; guarded by the mutex
};

// The value and the device object of an asset that is ready.
struct Loaded {
  void* value = nullptr;
  GpuObject gpu{};
  bool is_released = false;  // the device object is released before the value
  bool is_shared = false;    // both belong to another record: Record::original
};

// The versions of the mount's files that an asset was read from, by file number.
using FileVersions = std::map<std::uint32_t, std::uint64_t>;

// A range of an asset's content, and the number of stored ranges that contain it.
struct RangeRead {
  ContentRange range;
  std::size_t stored_count = 0;
};

// The rest of the transfer of a range, or of an asset in parts.
struct RangedTransfer {
  std::vector<RangeRead> pieces;    // Transfer::files has their stored ranges
  PartContent content;              // read earlier
  std::shared_ptr<void> progress;   // state of the loader
  std::uint64_t decoded_bytes = 0;  // as planned by the loader
  FileVersions versions;
};

// The ranges of a mount's files that contain an asset or a part of one, and the answers of their source.
struct Transfer {
  Few<StoredRange> files;
  Few<Bytes> answers;
  std::uint64_t content_bytes = kToEnd;    // kToEnd: unknown
  unsigned sizings = 0;                    // how often it was started with the file's size
  unsigned retries = 0;                    // after errors of the source
  std::unique_ptr<RangedTransfer> ranged;  // null for an asset that is read whole

  RangedTransfer& make_ranged() {
    if (ranged == nullptr) ranged = std::make_unique<RangedTransfer>();
    return *ranged;
  }
  // The bytes that were read earlier.
  std::uint64_t earlier_bytes() const { return ranged == nullptr ? 0 : ranged->content.size_bytes(); }
  void clear() {
    files.clear();
    answers.clear();
    content_bytes = kToEnd;
    sizings = retries = 0;
    ranged.reset();
  }
};

// What a record needs until its load is over.
struct Loading {
  std::shared_ptr<const Catalog> catalog;  // desc and place point into it
  AssetDesc desc;
  Catalog::Place place;
  Transfer transfer;  // in the stages Queued to Decoding; not a part of them, because it is large
  std::vector<AssetHandle> soft_wanted;
  std::vector<std::shared_ptr<Callback>> callbacks;
  std::uint64_t expected_gpu_bytes = 0;  // by Loader::gpu_bytes; 0: unknown
};

// The levels of a ready asset in parts, and their pending changes.
struct Detail {
  PartLevels levels{};
  std::uint32_t coarsest = 0;   // level of the first part, which is never dropped
  std::uint32_t reachable = 0;  // finer levels failed to load
  bool is_stuck = false;        // a coarser level failed to load
  std::uint64_t content_bytes = 0;
  FileVersions versions{};
  // The budget bytes of levels that were loaded before.
  struct Held {
    std::uint64_t cpu_bytes = 0, gpu_bytes = 0;
  };
  std::map<std::uint32_t, Held> held{};
  // Budget bytes that the load beside it will add. Negative if it frees bytes.
  std::int64_t coming_cpu_bytes = 0, coming_gpu_bytes = 0;
  // Its part of Details::totals().
  struct Counted {
    std::uint64_t gpu_bytes = 0;
    bool is_coarser = false;
  };
  Counted counted{};
};

// Why a record is loaded beside another: a reload, or another level of detail.
enum class Beside : std::uint8_t { kChange, kDetail };

namespace stage {
// Its dependencies are being looked up.
struct Expanding {};
// It is in a queue of Reads.
struct Queued {
  std::chrono::steady_clock::time_point not_before{};
};
// Sources are reading it. It stays in this stage until the last answer, even if it is canceled.
struct Reading {
  std::size_t unanswered = 0;
  std::unique_ptr<Error> error{};  // null: none
  bool is_replaced = false;        // the file was replaced after one of its ranges was read
};
// It is in the queue of Decodes.
struct Read {
  std::optional<Bytes> content;  // for a whole asset, once it is assembled
};
// One job has exclusive access, even if the record is canceled.
struct Decoding {
  std::optional<Bytes> content;
};
// It waits for its dependencies.
struct Waiting {
  void* value;
};
// It is in the queue of the pump.
struct Decoded {
  void* value;
};
// The pump has exclusive access.
struct Finalizing {
  void* value;
};
// Its device object is not complete.
struct Pending {
  void* value;
  Upload upload;
};
// It is ready or has failed. If it did not become ready, its value is kept here until it is dropped.
struct Done {
  void* value = nullptr;
};
}  // namespace stage
using Stage = std::variant<stage::Expanding, stage::Queued, stage::Reading, stage::Read, stage::Decoding,
                           stage::Waiting, stage::Decoded, stage::Finalizing, stage::Pending, stage::Done>;

// How a record is found.
enum class Listed : std::uint8_t {
  kNot,
  kByHandle,
  kApart,  // only by changes: it has another type than other requests ask for
};

namespace idle {
struct No {};
// Its last ref was removed; go_idle() must still run.
struct Noted {};
// Ready, without refs and without dependents.
struct Cached {};
}  // namespace idle
using Idle = std::variant<idle::No, idle::Noted, idle::Cached>;

enum class WhenIdle : std::uint8_t { kCache, kDrop };

// The source of a record's failure: its load, or the build of its file.
enum class FailureOf : std::uint8_t { kLoad, kBuild };

// An asset that changed while it was loading is loaded again.
enum class AfterLoad : std::uint8_t { kNothing, kLoadAgain };

// Where the value of a record comes from. Changes of files do not affect inserted values.
enum class Origin : std::uint8_t { kMount, kInserted };

// The order of waiting records, most urgent first.
struct Urgency {
  bool is_awaited = false;  // something in flight waits for it
  int priority = 0;
  std::uint64_t sequence = 0;
  std::uint64_t id = 0;  // unique
  bool operator<(const Urgency& other) const {
    if (is_awaited != other.is_awaited) return is_awaited;
    if (priority != other.priority) return priority > other.priority;
    if (sequence != other.sequence) return sequence < other.sequence;
    return id < other.id;
  }
};
struct Before {
  bool operator()(const Record* a, const Record* b) const;
};

// The neighbors of a record in the list of its queue.
struct Queued {
  Record* previous = nullptr;
  Record* next = nullptr;
  bool is_listed = false;
};

// The records that show the value of another one. A pack may have a hundred thousand equal files, so all but all()
// takes constant time.
class Sharers {
 public:
  bool is_empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  const std::vector<Record*>& all() const { return all_; }
  void add(Record& one);
  void remove(Record& one);
  // Sets the level that one of them wants.
  void set_wanted(Record& one, std::uint32_t level);
  // Returns the finest level that one of them wants; kNoLevel if there is none.
  std::uint32_t wanted_level() const;

  static constexpr std::uint32_t kNoLevel = std::numeric_limits<std::uint32_t>::max();

 private:
  static constexpr std::uint32_t kLastLevel = 31;  // coarser ones count as this one
  std::uint32_t& count_of(const Record& one);

  std::vector<Record*> all_;
  std::unique_ptr<std::array<std::uint32_t, kLastLevel + 1>> counts_;  // of those that want each level
};

class Record {
 public:
  Record(Core* of, const AssetHandle& asset) : core(of), handle(asset) {}
  ~Record() {
    destroy(loaded.load(std::memory_order_relaxed));
    delete failure.load(std::memory_order_relaxed);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  template <class S>
  bool is() const {
    return std::holds_alternative<S>(stage);
  }
  template <class S>
  S& as() {
    return std::get<S>(stage);
  }
  // Changes the stage. The new value may use parts of the old one.
  template <class S>
  S& become(S next) {
    return stage.template emplace<S>(std::move(next));
  }
  // Returns a value for `loaded`. Most records have only one while they exist, which is a part of them.
  const Loaded* keep(const Loaded& one) {
    if (reloads != nullptr || std::exchange(has_first_loaded, true)) return new Loaded(one);
    first_loaded = one;
    return &first_loaded;
  }
  void destroy(const Loaded* old) const {
    if (old != &first_loaded) delete old;
  }
  bool is_in_parts() const { return !range && type.load()->loader.parts.has_value(); }
  bool has_detail_coming() const { return reload != nullptr && reload->beside == Beside::kDetail; }
  // Returns whether the last reload of a loaded asset found it nowhere. The next request must not find the old value.
  bool is_gone() const {
    const Failure* const of_reload = failure.load(std::memory_order_relaxed);
    return of_reload != nullptr && of_reload->fault == Fault::kMissing;
  }
  // Returns whether it has refs or dependents.
  bool is_wanted() const { return refs.load(std::memory_order_acquire) > 0 || user_count > 0; }
  bool is_loading() const { return state.load(std::memory_order_relaxed) == LoadState::kLoading; }
  bool is_failed() const { return state.load(std::memory_order_relaxed) == LoadState::kFailed; }

  Core* const core;                     // null in tests of the classes below
  AssetHandle handle;                   // as requested; not written after other threads see it
  LoadSettings settings;                // the same
  std::atomic<std::uint32_t> refs = 0;  // dependents not included; changes between 0 and 1 only under the mutex
  std::atomic<LoadState> state = LoadState::kLoading;
  std::atomic<bool> canceled = false;
  // Each is written before `state` becomes final. A reload writes a new value. The old one stays valid for readers
  // until the frames in flight are over.
  std::atomic<TypeEntry*> type = nullptr;
  std::atomic<const Loaded*> loaded = nullptr;    // owned; of keep()
  std::atomic<const Failure*> failure = nullptr;  // owned

  // Guarded by the mutex, except in Decoding and Finalizing, where a job or the pump has exclusive access.
  Stage stage = stage::Expanding{};
  Loading* loading = nullptr;  // of Graph; null when the load is over
  AssetHandle found;           // after redirectors and aliases; looked up once
  Listed listed = Listed::kNot;
  Idle idle;
  std::uint32_t user_count = 0;       // number of dependents
  std::uint32_t held_user_count = 0;  // number of dependents in use
  bool is_held = false;        // in use: it has refs, or a dependent is in use; otherwise only the cache keeps it
  std::uint64_t last_use = 0;  // when it was last in use; a count of Residency
  std::uint64_t visit = 0;     // the last walk of Residency that visited it
  bool has_first_loaded = false;
  Loaded first_loaded;
  WhenIdle when_idle = WhenIdle::kCache;
  FailureOf failure_of = FailureOf::kLoad;
  AfterLoad after_load = AfterLoad::kNothing;
  Origin origin = Origin::kMount;
  Urgency urgency;
  std::uint32_t wanted_level = 0;            // for an asset in parts
  std::uint32_t target_level = kFirstLevel;  // the level that this load produces
  std::unique_ptr<Detail> detail;            // for a ready asset in parts
  // How often its file was replaced while it was loading, since the engine reported a change or it had its wanted
  // level.
  std::uint8_t version_changes = 0;
  std::optional<ContentRange> range;  // if set: the record is this range of an asset
  Beside beside = Beside::kChange;    // for a record that is loaded beside another
  Record* reload = nullptr;           // the record that will replace this one; holds a ref
  Record* reloads = nullptr;          // the record that this one will replace
  std::vector<Record*> hard, soft;    // counted in their user_count
  // Records with the same bytes share one value. The one that was loaded is the original of the others, which have it
  // among `hard`.
  std::optional<ContentId> content;  // nothing: it is not known, or the record must have a value of its own
  Record* original = nullptr;
  Sharers sharers;                   // the records whose original this is
  std::size_t sharer_place = 0;      // among those of its original
  std::vector<Record*> waiters;      // records that wait for this one; holds no refs
  std::size_t unready = 0;           // number of `hard` that are not ready
  std::uint64_t reserved_bytes = 0;  // memory in flight
  std::uint64_t cpu_bytes = 0;
  std::uint64_t promised_gpu_bytes = 0;  // of the budget, until the object counts
  Queue* queue = nullptr;                // the queue that it is in
  Queued queued;                         // its place in the queue
  std::uint32_t queued_calls = 0;        // refs of calls that are not yet delivered
};

// Returns the bytes of the GPU budget that a loaded value uses.
inline std::uint64_t gpu_bytes_of(const Loaded* loaded) {
  return loaded == nullptr || loaded->is_shared ? 0 : loaded->gpu.size_bytes;
}

inline std::uint32_t& Sharers::count_of(const Record& one) {
  return (*counts_)[std::min(one.wanted_level, kLastLevel)];
}

inline void Sharers::add(Record& one) {
  if (counts_ == nullptr) counts_ = std::make_unique<std::array<std::uint32_t, kLastLevel + 1>>();
  ++count_of(one);
  one.sharer_place = all_.size();
  all_.push_back(&one);
}

inline void Sharers::remove(Record& one) {
  --count_of(one);
  all_[one.sharer_place] = all_.back();
  all_.back()->sharer_place = one.sharer_place;
  all_.pop_back();
}

inline void Sharers::set_wanted(Record& one, std::uint32_t level) {
  --count_of(one);
  one.wanted_level = level;
  ++count_of(one);
}

inline std::uint32_t Sharers::wanted_level() const {
  if (all_.empty()) return kNoLevel;
  std::uint32_t level = 0;
  while ((*counts_)[level] == 0) ++level;
  return level;
}

inline bool Before::operator()(const Record* a, const Record* b) const { return a->urgency < b->urgency; }

// Records ordered by urgency. A record is in one queue at most. Most records enter in their order and leave at the
// front: these are a list. The others are in a set.
class Queue {
 public:
  explicit Queue(std::pmr::memory_resource& memory) : others_(&memory) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  bool is_empty() const { return front_ == nullptr && others_.empty(); }
  std::size_t size() const { return listed_count_ + others_.size(); }
  // Requires !is_empty().
  Record& first() const { return next(front_, others_.begin()) ? *front_ : **others_.begin(); }
  // Calls visit(record) in order until it returns false. It may remove this record, and no other.
  template <class Visit>
  void each(const Visit& visit) const {
    Record* listed = front_;
    auto other = others_.begin();
    while (listed != nullptr || other != others_.end()) {
      Record& record = next(listed, other) ? *std::exchange(listed, listed->queued.next) : **other++;
      if (!visit(record)) return;
    }
  }
  void enter(Record& record) {
    record.queue = this;
    if (back_ == nullptr || Before()(back_, &record)) {
      link(record, back_, nullptr);
    } else if (Before()(&record, front_)) {
      link(record, nullptr, front_);
    } else {
      others_.insert(&record);
    }
  }
  static void leave(Record& record) {
    Queue& queue = *std::exchange(record.queue, nullptr);
    if (!record.queued.is_listed) {
      queue.others_.erase(&record);
      return;
    }
    const auto [previous, next, is_listed] = std::exchange(record.queued, {});
    (previous == nullptr ? queue.front_ : previous->queued.next) = next;
    (next == nullptr ? queue.back_ : next->queued.previous) = previous;
    --queue.listed_count_;
  }
  // Changes the urgency of a record, whether it is in a queue or not.
  template <class Change>
  static void reorder(Record& record, const Change& change) {
    Queue* const queue = record.queue;
    if (queue != nullptr) leave(record);
    change(record.urgency);
    if (queue != nullptr) queue->enter(record);
  }

 private:
  using Others = std::pmr::set<Record*, Before>;
  void link(Record& record, Record* previous, Record* next) {
    record.queued = {previous, next, true};
    (previous == nullptr ? front_ : previous->queued.next) = &record;
    (next == nullptr ? back_ : next->queued.previous) = &record;
    ++listed_count_;
  }
  // Returns whether the next record in order is the one in the list. Requires one in the list or in the set.
  bool next(const Record* listed, Others::const_iterator other) const {
    return listed != nullptr && (other == others_.end() || Before()(listed, *other));
  }

  Record* front_ = nullptr;
  Record* back_ = nullptr;
  std::size_t listed_count_ = 0;
  Others others_;
};

}  // namespace assetc::runtime
