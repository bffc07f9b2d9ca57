// One asset of a manager: where it stands on its way to being ready, what it needs, and who needs it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "assetc/runtime/manager.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {

class Queue;

// Where it was canceled, or is being called, it is empty. On the thread that pumps alone.
using Callback = std::function<void(AnyRef)>;

// The type an asset is loaded as. An engine's own types are Raw to whoever does not know them.
inline AssetType type_of(AssetType listed, AssetType asked) {
  const bool is_own = listed == AssetType::kRaw && asked >= kFirstEngineType;
  return listed == kUnknownType || is_own ? asked : listed;
}

// The type of an asset that was asked for by a handle. A path says of a texture that it is one, and not of what shape.
inline AssetType type_of(const AssetHandle& listed, const AssetHandle& asked) {
  const bool is_shape = listed.uuid.is_nil() && aas1::is_texture(listed.type) && aas1::is_texture(asked.type);
  return is_shape ? asked.type : type_of(listed.type, asked.type);
}

// The asset that a handle stands for, by redirectors and other names of it.
AssetHandle find_in(const Catalog& catalog, const AssetHandle& asset);

struct TypeEntry {
  AssetType type;
  AnyLoader loader;
  void* fallback = nullptr;
  GpuObject fallback_gpu;
  std::atomic<bool> has_fallback_gpu = false;
  bool asked_for_fallback_gpu = false;   // under the mutex
  double finalize_seconds_per_byte = 0;  // of the last ones; under the mutex
};

// The value and the device object behind the refs of an asset that is ready.
struct Loaded {
  void* value = nullptr;
  GpuObject gpu{};
  bool is_released = false;  // the device object, before the value
};

// The versions of a mount's files, by their numbers, that the ranges of an asset came from.
using FileVersions = std::map<std::uint32_t, std::uint64_t>;

// A range of an asset's content, and how many of the stored ranges hold it.
struct RangeRead {
  ContentRange range;
  std::size_t stored_count = 0;
};

// Ranges of a mount's files that hold an asset or a part of one, and the answers of their source.
struct Transfer {
  std::vector<StoredRange> files;
  std::vector<Bytes> answers;
  std::uint64_t content_bytes = kToEnd;  // until it is known
  unsigned sizings = 0;                  // how often it was begun with the file's size
  // Of an asset in parts.
  std::vector<RangeRead> pieces;    // whose stored ranges are `files`
  PartContent content;              // that was read before
  std::shared_ptr<void> progress;   // of its loader
  std::uint64_t decoded_bytes = 0;  // that its loader plans
  FileVersions versions;
};

// The levels of an asset in parts that is ready, and the changes of them that are under way.
struct Detail {
  PartLevels levels{};
  std::uint32_t coarsest = 0;   // that of the first part, which stays
  std::uint32_t reachable = 0;  // finer ones failed
  std::uint64_t content_bytes = 0;
  FileVersions versions{};
  // The bytes of the budgets that levels had when they were there.
  struct Held {
    std::uint64_t cpu_bytes = 0, gpu_bytes = 0;
  };
  std::map<std::uint32_t, Held> held{};
  // What the budgets will have less room for when the load beside is over; negative where it gives back.
  std::int64_t coming_cpu_bytes = 0, coming_gpu_bytes = 0;
};

// Why a record is loaded beside another.
enum class Beside : std::uint8_t { kChange, kDetail };

namespace stage {
// The needs are being looked up.
struct Expanding {};
// In the queue of Reads.
struct Queued {
  Transfer transfer;
};
// Sources read it. It stays here until the last answer, also when it was canceled.
struct Reading {
  Transfer transfer;
  std::size_t unanswered = 0;
  std::optional<Error> error{};
  bool is_replaced = false;  // its file, since the last range of it was read
};
// In the queue of Decodes.
struct Read {
  Transfer transfer;
  std::optional<Bytes> content;  // of a whole asset, once it was assembled
};
// A job has it to itself, also when it was canceled.
struct Decoding {
  Transfer transfer;
  std::optional<Bytes> content;
};
// For assets that it needs.
struct Waiting {
  void* value;
};
// In the queue of the pump.
struct Decoded {
  void* value;
};
// The pump has it to itself.
struct Finalizing {
  void* value;
};
// Ready or failed. A value that did not become ready is left here until it is dropped.
struct Done {
  void* value = nullptr;
};
}  // namespace stage
using Stage = std::variant<stage::Expanding, stage::Queued, stage::Reading, stage::Read, stage::Decoding,
                           stage::Waiting, stage::Decoded, stage::Finalizing, stage::Done>;

// How others find a record.
enum class Listed : std::uint8_t {
  kNot,
  kByHandle,
  kApart,  // by nobody but changes: it is of another type than others ask for
};

namespace idle {
struct No {};
// Its last ref went away, and the consequences are to be drawn.
struct Noted {};
// Ready, without refs, and no record needs it.
struct Cached {};
}  // namespace idle
using Idle = std::variant<idle::No, idle::Noted, idle::Cached>;

enum class WhenIdle : std::uint8_t { kCache, kDrop };

// Whose failure a record has.
enum class FailureOf : std::uint8_t { kLoad, kBuild };

// What changed while a record was loaded is loaded once more.
enum class AfterLoad : std::uint8_t { kNothing, kLoadAgain };

// The order of what waits: the most urgent first.
struct Urgency {
  bool is_awaited = false;  // something in flight waits for it
  int priority = 0;
  std::uint64_t sequence = 0;
  std::uint64_t id = 0;  // never given twice
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

class Record {
 public:
  Record(Core* of, const AssetHandle& asset) : core(of), handle(asset) {}
  ~Record() {
    delete loaded.load(std::memory_order_relaxed);
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
  // The next stage, of parts of this one.
  template <class S>
  S& become(S next) {
    stage = Stage(std::move(next));
    return std::get<S>(stage);
  }
  void leave_catalog() {
    desc = {};
    place = {};
    catalog.reset();
  }
  bool is_in_parts() const { return !range && type.load()->loader.parts.has_value(); }
  bool has_detail_coming() const { return reload != nullptr && reload->beside == Beside::kDetail; }
  // By a ref, or by a record that needs it.
  bool is_wanted() const { return refs.load(std::memory_order_acquire) > 0 || user_count > 0; }
  bool is_loading() const { return state.load(std::memory_order_relaxed) == LoadState::kLoading; }
  bool is_failed() const { return state.load(std::memory_order_relaxed) == LoadState::kFailed; }

  Core* const core;                     // null in tests of the classes below it
  AssetHandle handle;                   // as it was asked for; not written once others see it
  std::atomic<std::uint32_t> refs = 0;  // without needs; from 0 to 1, and from 1 to 0, under the mutex alone
  std::atomic<LoadState> state = LoadState::kLoading;
  std::atomic<bool> canceled = false;
  // Each is written before state says that it is over. A reload writes another; the last one lives on until frames
  // are over, for those who read it.
  std::atomic<TypeEntry*> type = nullptr;
  std::atomic<const Loaded*> loaded = nullptr;    // owned
  std::atomic<const Failure*> failure = nullptr;  // owned

  // Under the mutex, except that a job or the pump has a record of Decoding or Finalizing to itself.
  Stage stage = stage::Expanding{};
  AssetHandle found;                       // where redirectors and other names lead; looked up once
  std::shared_ptr<const Catalog> catalog;  // that desc and place point into; none of them once it is done
  AssetDesc desc;
  Catalog::Place place;
  Listed listed = Listed::kNot;
  Idle idle;
  std::uint32_t user_count = 0;       // records that need it
  std::uint32_t held_user_count = 0;  // of those, the held ones
  bool is_held = false;               // it has refs, or a held record needs it; else only the cache keeps it
  std::uint64_t last_use = 0;         // when it ceased to be held; of the clock of Residency
  std::uint64_t visit = 0;            // the last walk of Residency that came by
  WhenIdle when_idle = WhenIdle::kCache;
  FailureOf failure_of = FailureOf::kLoad;
  AfterLoad after_load = AfterLoad::kNothing;
  Urgency urgency;
  std::uint32_t wanted_level = 0;            // of an asset in parts
  std::uint32_t target_level = kFirstLevel;  // that this load makes
  std::optional<Detail> detail;              // of an asset in parts that is ready
  std::optional<ContentRange> range;         // it is that range of an asset
  Beside beside = Beside::kChange;           // of one that is loaded beside another
  Record* reload = nullptr;                  // counted: is loaded to take this one's place
  Record* reloads = nullptr;                 // whose place this one is to take
  std::vector<Record*> hard, soft;           // counted
  std::vector<AssetHandle> soft_wanted;
  std::vector<Record*> waiters;      // that need this one; not counted
  std::size_t unready = 0;           // of hard
  std::uint64_t reserved_bytes = 0;  // of those in flight
  std::uint64_t cpu_bytes = 0;
  Queue* queue = nullptr;                     // that it is in
  std::set<Record*, Before>::node_type node;  // of the queue that it was in last
  std::vector<std::shared_ptr<Callback>> callbacks;
  std::uint32_t queued_calls = 0;  // refs of calls that are to be told
};

inline bool Before::operator()(const Record* a, const Record* b) const { return a->urgency < b->urgency; }

// Records by urgency. A record is in one queue at most.
class Queue {
 public:
  bool is_empty() const { return records_.empty(); }
  std::size_t size() const { return records_.size(); }
  Record& first() const { return **records_.begin(); }
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }
  // Most go to the end, and the node of the set goes with its record from queue to queue.
  void enter(Record& record) {
    record.queue = this;
    if (record.node) {
      records_.insert(records_.end(), std::move(record.node));
    } else {
      records_.insert(records_.end(), &record);
    }
  }
  static void leave(Record& record) {
    auto& records = record.queue->records_;
    record.node = *records.begin() == &record ? records.extract(records.begin()) : records.extract(&record);
    record.queue = nullptr;
  }
  // Of a record's urgency, whether it is in a queue or not.
  template <class Change>
  static void reorder(Record& record, const Change& change) {
    Queue* const queue = record.queue;
    if (queue != nullptr) leave(record);
    change(record.urgency);
    if (queue != nullptr) queue->enter(record);
  }

 private:
  std::set<Record*, Before> records_;
};

}  // namespace assetc::runtime
