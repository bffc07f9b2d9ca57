// What stands behind a manager: one record an asset, and the queues that it goes through.
//
//   read_queue_ -> reads_ -> decode_queue_ -> a job -> (waits for what it needs) -> finalize_queue_ -> ready
//
// What is loaded anew goes the same way as a record of its own, and takes the place of the first in the end.
//
// One mutex guards all of it. Sources, loaders, job systems and callbacks are never called under it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "assetc/runtime/manager.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {

// What an asset is loaded as. An engine's own types are Raw to whoever does not know them.
inline AssetType type_of(AssetType listed, AssetType asked) {
  const bool is_own = listed == AssetType::kRaw && asked >= kFirstEngineType;
  return listed == kUnknownType || is_own ? asked : listed;
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
  double finalize_seconds_per_byte = 0;  // that it took, lately; under the mutex
};

// What is behind the refs of an asset that is ready.
struct Loaded {
  void* value = nullptr;
  GpuObject gpu;
};

// The most urgent first.
struct Before {
  bool operator()(const Record* a, const Record* b) const;
};
using Queue = std::set<Record*, Before>;

class Record {
 public:
  enum class Stage : std::uint8_t {
    kExpanding,  // what it needs is being looked up
    kQueued,     // in read_queue_
    kReading,
    kRead,  // in decode_queue_
    kDecoding,
    kWaiting,     // for what it needs
    kFinalizing,  // in finalize_queue_
    kFinishing,   // finalize is running
    kDone,        // ready or failed
  };

  Record(Core& of, const AssetHandle& asset) : core(of), handle(asset) {}
  ~Record() {
    delete loaded.load(std::memory_order_relaxed);
    delete failure.load(std::memory_order_relaxed);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  static AnyRef ref(Record& record) {
    record.refs.fetch_add(1, std::memory_order_relaxed);
    return AnyRef(&record);
  }

  Core& core;
  AssetHandle handle;                   // as it was asked for; not written once others see it
  std::atomic<std::uint32_t> refs = 0;  // from 0 to 1, and from 1 to 0, under the mutex alone
  std::atomic<LoadState> state = LoadState::kLoading;
  std::atomic<bool> canceled = false;
  // Each is written before state says that it is over. A reload writes another; what was there lives on until frames
  // are over, for who reads it.
  std::atomic<TypeEntry*> type = nullptr;
  std::atomic<const Loaded*> loaded = nullptr;    // owned
  std::atomic<const Failure*> failure = nullptr;  // owned

  // Under the mutex, except that a job or pump() has a record of kDecoding or kFinishing to itself.
  void* value = nullptr;                   // decoded, and not loaded yet
  AssetHandle found;                       // what that stands for: where redirectors and other names lead
  std::shared_ptr<const Catalog> catalog;  // that desc and place point into; none of them once it is done
  AssetDesc desc;
  Catalog::Place place;
  Stage stage = Stage::kExpanding;
  bool is_listed = false;  // found by its handle
  bool is_urgent = false;  // something in flight waits for it
  bool in_lru = false;
  bool is_noted = false;  // in idle_
  bool drop_when_idle = false;
  bool is_stale = false;    // changed while it was being loaded: it is to be loaded once more
  bool is_unbuilt = false;  // its failure is that of a build
  bool is_apart = false;    // in apart_
  int priority = 0;
  Record* reload = nullptr;   // counted: is loaded to take this one's place
  Record* reloads = nullptr;  // whose place this one is to take
  std::uint64_t sequence = 0;
  std::uint64_t id = 0;             // never given twice
  std::vector<Record*> hard, soft;  // counted
  std::vector<AssetHandle> soft_wanted;
  std::vector<Record*> waiters;  // that need this one; not counted
  std::size_t unready = 0;       // of hard
  std::vector<Part> parts;
  std::vector<Bytes> answers;
  std::size_t unanswered = 0;
  std::uint64_t content_bytes = kToEnd;  // until it is known
  unsigned sizings = 0;                  // how often its size was asked for
  std::optional<Error> read_error;
  Bytes content;
  bool is_assembled = false;
  std::uint64_t reserved_bytes = 0;  // of those in flight
  std::uint64_t cpu_bytes = 0;
  std::list<Record*>::iterator lru;
  Queue::node_type node;  // of the queue that it was in last
  std::vector<std::function<void(AnyRef)>> callbacks;
};

inline bool Before::operator()(const Record* a, const Record* b) const {
  if (a->is_urgent != b->is_urgent) return a->is_urgent;
  if (a->priority != b->priority) return a->priority > b->priority;
  if (a->sequence != b->sequence) return a->sequence < b->sequence;
  return a->id < b->id;
}

class Core {
 public:
  Core(Catalog catalog, ManagerOptions options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // What Manager does, by the same names.
  void add(AssetType type, AnyLoader loader);
  AnyRef request(const AssetHandle& asset, int priority, const void* type_tag);
  void preload(std::span<const AssetHandle> assets, int priority, std::vector<AnyRef>& out);
  void set_priority(Record& record, int priority);
  void unload(const AssetHandle& asset);
  void when_done(Record& record, std::function<void(AnyRef)> then);
  PumpReport pump(const PumpBudget& budget);
  void wait(Record& record);
  ManagerStats stats();
  void changed(const Changes& changes);
  const Catalog& catalog() const { return *seen_catalog_.load(std::memory_order_acquire); }
  // The end of the manager; deletes this, now or with the last ref.
  void close();
  // A ref to a record goes away.
  static void release(Record& record);

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  static constexpr Clock::time_point kNoEnd = Clock::time_point::max();
  // A range that was asked of a source, and whose parts it has.
  struct Piece {
    Record* record;
    std::size_t part;
    std::uint64_t offset_bytes;  // in the read
    std::uint64_t size_bytes;
  };
  struct Read {
    const MountPoint* mount = nullptr;
    std::uint32_t file = 0;
    std::uint64_t offset_bytes = 0, size_bytes = 0;
    std::vector<Piece> pieces;
    std::size_t live = 0;  // pieces whose record still wants them
    std::optional<Ticket> ticket;
  };
  struct Outgoing {
    std::uint64_t id;
    std::shared_ptr<Source> source;
    ReadRequest request;
  };

  // A record that a job has, and what becomes of it.
  struct Decoding {
    Record* record = nullptr;
    Result<void*> value = nullptr;
    std::uint64_t wanted_bytes = 0;  // of what it becomes
    std::vector<AssetHandle> hard{}, soft{};
  };

  // manager_graph.cpp: records, and what they need. What find_or_create and create_failed return is counted.
  Record& find_or_create(const AssetHandle& asset, int priority, std::uint64_t sequence);
  Record& create(const AssetHandle& asset, int priority);
  void leave_apart(const AssetHandle& asset, const TypeEntry& asked);
  void set_apart(Record& record);
  Record& create_failed(const AssetHandle& asset, TypeEntry* type, Fault fault, Error error);
  void enqueue(Record& record, std::uint64_t sequence);
  void need(Record& record, Record& needed);
  bool reaches(const Record& from, const Record& target) const;
  void raise(Record& record, int priority);
  void make_urgent(Record& record);
  // Whether memory in flight comes free by itself: something is read, decoded or about to be finalized.
  bool makes_room() const;
  static void enter(Queue& queue, Record& record);
  static void leave(Queue& queue, Record& record);
  template <class Change>
  void requeue(Record& record, const Change& change);
  Queue* queue_of(const Record& record);
  void fail(Record& record, Fault fault, Error error);
  void set_failure(Record& record, Fault fault, Error error);
  static Record* loading_of(Record& record);
  static const Record* failed_need(const Record& record);
  bool awaits_reload(Record& record);
  void finish(Record& first);
  void advance(Record& record);
  void drop_needs(Record& record);
  void retain(Record& record);
  void release_locked(Record& record);
  void note_idle(Record& record);
  void settle_idle();
  void go_idle(Record& record);
  void cancel(Record& record);
  void put_away(Record& record);
  void drop(Record& record);
  void leave_to_pump(Record& record);
  void unlist(Record& record);
  void free(Record& record);
  void reserve(Record& record, std::uint64_t bytes);

  // Others hold the mutex for less time than it takes to sleep and to be woken: unless the system has put them aside,
  // for milliseconds then. False where it was not to be had by the end; it is tried for a while however near that is.
  static bool lock_by(Lock& lock, Clock::time_point end) {
    constexpr int kTries = 64;
    constexpr std::chrono::microseconds kNap(20);
    do {
      for (int i = 0; i < kTries; ++i) {
        if (lock.try_lock()) return true;
      }
      if (end == kNoEnd) {
        lock.lock();
        return true;
      }
      std::this_thread::sleep_for(kNap);
    } while (Clock::now() < end);
    return lock.try_lock();
  }
  static void lock_soon(Lock& lock) { lock_by(lock, kNoEnd); }
  // Something to finalize, to decode, or done.
  void tell_waiters();

  // manager_io.cpp
  void io_loop();
  void wake_io();
  bool io_is_wanted() const;
  void start_reads(Lock& lock, Clock::time_point end = kNoEnd);
  bool plan(Record& record);
  std::vector<Outgoing> take_batch();
  void send(Read read, std::vector<Outgoing>& out);
  void add_reads(std::vector<Read> wanted, std::vector<Outgoing>& out);
  void on_answer(Completion completion);
  void all_read(Record& record);
  void abandon_reads(const Record& record);
  void exchange_reads(Lock& lock, Clock::time_point end = kNoEnd);

  // manager_reload.cpp
  std::shared_ptr<const Catalog> current_catalog();
  void mark_unbuilt(const Changes& changes, const Catalog& catalog);
  std::vector<Record*> records_of(const std::vector<AssetHandle>& assets) const;
  bool has_become_its_type(const Record& record) const;
  void reload(const std::vector<AssetHandle>& assets);
  void reload_again();
  void expand_reload(Record& made);
  Record& take_place(Record& made);
  void stop_reload(Record& record);
  void tell_reloaded(Lock& lock);
  void retire(const Failure* failure);
  void release_retired(Lock& lock, bool all);

  // manager_decode.cpp
  void start_jobs(Lock& lock);
  unsigned claim_jobs();
  void submit_jobs(unsigned count);
  static void run_job(void* core);
  bool help(Lock& lock);
  std::vector<Decoding> take_decodes();
  static void assemble(Decoding& one);
  bool admit(Decoding& one, bool is_only);
  void decode(Decoding& one) const;
  void decoded(Decoding& one);
  bool decode_some(Lock& lock);

  // manager_pump.cpp
  void finalize_fallbacks(Lock& lock);
  void finalize(Lock& lock, Record& record, PumpReport& report, Clock::time_point end = kNoEnd);
  void run_callbacks(Lock& lock);
  void discard_callbacks(Record& record);
  void evict();
  bool drop_one(Lock& lock, PumpReport& report, Clock::time_point end = kNoEnd);
  void register_done(PumpReport& report);
  TypeEntry* entry_of(const void* type_tag) const;

  // Values that go with the next pump(). A record that failed may be loaded anew before that.
  struct Dropping {
    Record* record = nullptr;  // counted
    const AnyLoader* loader = nullptr;
    std::unique_ptr<const Loaded> loaded{};
    void* value = nullptr;  // that was not loaded yet
  };

  // A record whose finalize has run.
  struct Finalized {
    Record* record = nullptr;
    Result<GpuObject> made = GpuObject{};
    double seconds = 0;
    std::uint64_t bytes = 0;  // as they were before
  };
  void register_finalized(Finalized done, PumpReport& report);

  // What a reload has replaced.
  struct Retired {
    std::uint64_t frame = 0;
    Record* record = nullptr;  // counted
    std::unique_ptr<const Failure> failure{};
    std::shared_ptr<const Catalog> catalog{};
  };

  const ManagerOptions options_;
  Completions completions_;

  std::mutex changing_;  // of changed(), before mutex_
  std::atomic<const Catalog*> seen_catalog_;
  std::mutex mutex_;
  std::shared_ptr<const Catalog> catalog_;
  std::condition_variable changed_;  // something to finalize, or done
  std::unordered_map<AssetHandle, Record*> records_;
  std::vector<std::unique_ptr<TypeEntry>> types_;
  Queue read_queue_, decode_queue_, finalize_queue_;
  std::unordered_map<std::uint64_t, Read> reads_;  // by id
  std::uint64_t last_read_ = 0, last_sequence_ = 0, last_record_ = 0;
  std::vector<Read> again_alone_;  // parts of reads of several that failed
  std::vector<std::pair<std::shared_ptr<Source>, Ticket>> cancels_;
  std::vector<Record*> idle_;  // to be settled
  std::list<Record*> lru_;     // ready and held by nobody, the longest unused first
  std::vector<Dropping> dropping_;
  std::vector<std::pair<AnyRef, std::function<void(AnyRef)>>> calls_;
  std::vector<std::function<void(AnyRef)>> unwanted_;  // callbacks that go with the next pump(): they may hold refs
  std::vector<Failure> failures_;
  std::atomic<std::uint64_t> frame_ = 0;
  std::vector<AssetHandle> again_;  // to be loaded anew with the next pump()
  std::vector<Record*> replaced_;   // counted: to be told of
  std::vector<Retired> retired_;    // by frame
  std::set<std::string> unbuilt_;   // errors of the last build that were told
  std::vector<Record*> apart_;      // that nobody finds, but who holds them: of another type than others ask for
  std::unordered_map<AssetHandle, std::string> gone_;  // virtual paths of what the last change took away
  std::uint64_t in_flight_ = 0, peak_in_flight_ = 0, cpu_ = 0, gpu_ = 0;
  std::uint64_t decode_room_;  // that reads leave: of what has been read, only its decode tells what it becomes
  std::size_t loading_ = 0, live_ = 0, read_count_ = 0;
  unsigned jobs_ = 0, decoding_ = 0, finalizing_ = 0;
  double decode_seconds_ = 0;  // that one took, lately; 0: none did
  unsigned job_limit_ = 1;     // as the job system said last
  bool decode_stalled_ = false, wake_pending_ = false;
  bool awaits_answers_ = false;  // wait() sleeps on completions_
  bool closing_ = false, orphaned_ = false;
  // Of the thread that pumps, without the mutex: what it did, and could not say before its time was over.
  std::vector<Finalized> finalized_;
  std::vector<Record*> dropped_;  // counted
  bool has_missed_ = false;       // the last pump() did not get the mutex
  std::thread io_;
};

}  // namespace assetc::runtime
