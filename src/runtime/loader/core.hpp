// The implementation of Manager. It owns the mutex, the thread that reads, and the callbacks.
//
//   Reads -> Decodes -> a job -> (waits for dependencies) -> the pump -> ready
//
// An asset without a device object that waits for nothing is ready after its job.
//
// A reload of an asset has its own record, which goes the same way. When it is ready, it replaces the first record's
// value.
//
// An asset in parts is ready when its first part is. Each other part is loaded through such a record too.
//
// One mutex guards Graph, Reads, Decodes, Residency, Reloads, Details and Notices. These classes call one another only
// downward. Sources, loaders, job systems and callbacks are never called while the mutex is locked.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory_resource>
#include <thread>
#include <vector>

#include "runtime/loader/decodes.hpp"
#include "runtime/loader/details.hpp"
#include "runtime/loader/graph.hpp"
#include "runtime/loader/node_memory.hpp"
#include "runtime/loader/notices.hpp"
#include "runtime/loader/pump_mutex.hpp"
#include "runtime/loader/reads.hpp"
#include "runtime/loader/reloads.hpp"
#include "runtime/loader/residency.hpp"
#include "runtime/loader/within.hpp"

// AddressSanitizer does not see into a pool.
#if defined(__SANITIZE_ADDRESS__)
#define ASSETC_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSETC_ASAN
#endif
#endif

namespace assetc::runtime {

// The memory of records, from the functions of an engine.
class EngineMemory final : public std::pmr::memory_resource {
 public:
  explicit EngineMemory(const Memory& memory) : memory_(memory) {}

 private:
  static constexpr const char* kTag = "records";
  void* do_allocate(std::size_t size_bytes, std::size_t alignment) override {
    if (memory_.allocate == nullptr) return std::pmr::new_delete_resource()->allocate(size_bytes, alignment);
    return memory_.allocate(memory_.context, size_bytes, alignment, kTag);
  }
  void do_deallocate(void* memory, std::size_t size_bytes, std::size_t alignment) override {
    if (memory_.allocate == nullptr) return std::pmr::new_delete_resource()->deallocate(memory, size_bytes, alignment);
    memory_.free(memory_.context, memory, size_bytes, alignment, kTag);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  const Memory memory_;
};

class Core {
 public:
  Core(Catalog catalog, ManagerOptions options);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // The functions of Manager, with the same names.
  void add(AssetType type, AnyLoader loader);
  AnyRef request(const AssetHandle& asset, const LoadOptions& options, const void* type_tag);
  AnyRef insert(const AssetHandle& asset, void* value, void (*destroy)(void*), int priority, const void* type_tag);
  Group preload(std::span<const AssetHandle> assets, int priority);
  // Requests the assets of preload() that were not requested yet: those of this group, and of groups before it.
  void finish_preload(const Group::State& group);
  static constexpr std::size_t kReleasedAtOnce = 256;
  // Takes the refs of a group of more, which was destroyed. Thread-safe.
  void release_later(std::unique_ptr<AnyRef[]> refs, std::size_t count);
  void set_priority(Record& record, int priority);
  void unload(const AssetHandle& asset);
  CallbackToken when_done(Record& record, Callback then);
  PumpReport pump(const PumpBudget& budget);
  // Returns the ref, or one that failed if the asset cannot become ready before the caller returns.
  AnyRef wait(AnyRef ref);
  Waiting why_waiting(const Record& asset);
  void set_budgets(const Budgets& budgets);
  ManagerStats stats();
  void want(Record& record, std::uint32_t level);
  AnyRef load_range(Record& asset, const ContentRange& range, int priority);
  // The handle of a path. If no mount has it, the handle has the hash of the path, and failures name the path.
  AssetHandle find(std::string_view path);
  void changed(const Changes& changes);
  // Changes a copy of the catalog and uses it from then on. If `change` fails, the catalog stays.
  Expected<void> remount(const std::function<Expected<void>(Catalog&)>& change);
  const Catalog& catalog() const { return *seen_catalog_.load(std::memory_order_acquire); }
  // Called when the manager is destroyed. Deletes this, now or with the last ref.
  void close();
  // Removes a ref to a record.
  static void release(Record& record);

 private:
  using Clock = PumpMutex::Clock;
  using Lock = std::unique_lock<PumpMutex>;
  static constexpr Clock::time_point kNoEnd = PumpMutex::kNoEnd;

  // A record whose finalize has run.
  struct Finalized {
    Record* record = nullptr;
    Result<GpuObject> made = GpuObject{};
    std::optional<Upload> upload{};  // if the object is pending
    double seconds = 0;
    std::uint64_t bytes = 0;  // the size before finalize
  };

  // A call of pump() or wait() that has not returned.
  class Entered {
   public:
    explicit Entered(std::atomic<unsigned>& count) : count_(count) { ++count_; }
    ~Entered() { --count_; }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    std::atomic<unsigned>& count_;
  };

  // core_changes.cpp: changed(), remount() and insert().
  void use_catalog(std::shared_ptr<const Catalog> next);
  // is_told: the engine reported the change.
  void reload(const std::vector<AssetHandle>& assets, bool is_told);

  // core.cpp: requests, and the next stage of records.
  std::shared_ptr<const Catalog> current_catalog();
  bool request_preloads(Lock& lock);
  // Requests some, or waits until another thread has. Requires a group that is not complete.
  void request_or_wait(Lock& lock);
  void finish_preloads(Lock& lock);
  // Releases some refs of groups that were destroyed. Returns false if there are none.
  bool release_some();
  static Error gone();  // the error of requests while the manager is destroyed
  AnyRef refused(const AssetHandle& asset, TypeEntry* type, Fault fault, Error error);
  void set_wanted(Record& record, std::uint32_t level);
  void leave_apart(const AssetHandle& asset, const LoadSettings& settings, const TypeEntry& asked, bool is_unknown);
  Record& find_or_start(const AssetHandle& asset, int priority, std::uint64_t sequence = 0,
                        const LoadSettings& settings = {}, Record* prepared = nullptr);
  void start(const std::vector<Graph::Made>& made);
  void start(Record& record);
  bool adopt(Record& record);
  void advance(Record& record, void* value);
  void become_ready(Record& record, const Loaded& loaded);
  void request_soft(Record& record);
  void set_failure(Record& record, Fault fault, Error error);
  void fail(Record& record, Fault fault, Error error);
  void fail(Record& record, Error error) {
    const Fault fault = fault_of(error.code);
    fail(record, fault, std::move(error));
  }
  void finish(Record& first);
  void reserve(Record& record, std::uint64_t bytes);
  // Handles all records that are no longer in use, and dependencies that they kept in use, at any depth.
  void settle_idle() {
    if (residency_.has_idle()) settle_all_idle();
  }
  void settle_all_idle();
  void go_idle(Record& record);
  void cancel(Record& record);
  void put_away(Record& record);
  void drop(Record& record);
  void free(Record& record);
  void discard_callbacks(Record& record);
  void tell_waiters();
  static Completion wake_up();

  // core_close.cpp: close().
  void release_gpu_objects(Lock& lock);
  void forget_engine(Lock& lock);

  // core_io.cpp: threads and jobs.
  void io_loop();
  void wake_io() {
    if (options_.io_thread && !wake_pending_) wake_io_if_wanted();
  }
  void wake_io_if_wanted();
  bool io_is_wanted() const;
  // Returns whether memory in flight will be freed by work that has begun: something is being decoded or finalized, or
  // can be.
  bool frees_memory() const;
  // The same, or something that was read can be decoded.
  bool makes_room() const { return !decodes_.is_empty() || frees_memory(); }
  // The rule for progress: something that is loading goes on, beyond the limits if nothing frees memory. Call it when
  // work has ended that others may have waited for.
  void keep_going() {
    if (!frees_memory()) decodes_.retry();
    wake_io();
  }
  // Returns whether the pump can finalize something now.
  bool can_finalize() const { return !finalize_queue_.is_empty() || (!room_queue_.is_empty() && !lacks_room_); }
  void start_reads(Lock& lock, Clock::time_point end = kNoEnd);
  void on_answer(Completion completion);
  void trace_answers(std::span<const Completion> answers) const;
  void take_answers(std::span<Completion> answers);
  void reads_over(std::vector<Reads::Over> over);
  void exchange_reads(Lock& lock, Clock::time_point end = kNoEnd);
  void start_jobs(Lock& lock);
  void submit_jobs(unsigned count);
  static void run_job(void* core);
  bool help(Lock& lock);
  using Batch = std::vector<Decodes::Job>;
  bool decode_some(Lock& lock, Batch& batch);
  void read_more(Decodes::Job& job);
  void is_replaced(Record& record);
  void decoded(Decodes::Job& job);

  // core_pump.cpp: the thread that pumps. A function that takes an end may return without the lock if it could not get
  // it before the end. The next pump() then registers the completed work.
  // Returns whether it has the lock.
  bool finalize_fallbacks(Lock& lock, Clock::time_point end);
  void finalize_fallback(TypeEntry& type);
  // Asks for the pending objects of uploads, each once, until the end. Returns whether one of them is complete.
  void register_upload(Record& record, Result<GpuObject> made, PumpReport& report);
  bool poll_uploads(Lock& lock, PumpReport& report, Clock::time_point end);
  void leave_upload(Record& record);
  Finalized finalize(Record& record) const;
  void take_to_finalize(Record& record);
  static std::uint64_t more_gpu_bytes(const Record& record);
  void enter_finalize(Record& record);
  // Returns whether the record needs one that a function of the engine on the stack of this thread finalizes.
  bool needs_outer(Record& record) const;
  Record* next_to_finalize();
  void take_batch(double seconds_left, std::uint64_t bytes_left, bool is_first);
  void return_taken();
  void register_finalized(Finalized done, PumpReport& report);
  void register_done(PumpReport& report);
  bool tell(Lock& lock, PumpReport& report, Clock::time_point end, bool& has_told);
  void evict();
  bool drop_one(Lock& lock, PumpReport& report, Clock::time_point end = kNoEnd);
  void change_details(const std::vector<Details::Step>& steps);
  void note_reloaded();
  // The most urgent asset of each queue, for the trace.
  struct Waiter {
    const char* reason;
    std::string path;
    std::size_t count;
  };
  std::vector<Waiter> waiters() const;
  Waiting waiting_of(const Record& asset) const;
  void release_retired(Lock& lock, bool all);

  ManagerOptions options_;  // as passed by the engine, until close()
  // Of records, and of the nodes of their containers. Guarded by the mutex.
  EngineMemory engine_memory_;
#if defined(ASSETC_ASAN)
  std::pmr::memory_resource& memory_ = engine_memory_;
#else
  NodeMemory node_memory_{engine_memory_};
  std::pmr::memory_resource& memory_ = node_memory_;
#endif
  Completions completions_;

  std::mutex changing_;  // locked by changed() and remount(), before mutex_
  std::atomic<const Catalog*> seen_catalog_;
  PumpMutex mutex_;
  Residency residency_;
  Graph graph_;
  Reads reads_;
  Decodes decodes_;
  Reloads reloads_;
  Details details_;
  TypeEntry ranges_;  // the type of records for ranges of assets
  Queue finalize_queue_;
  Queue room_queue_;                     // the same, for objects that need room in the GPU budget
  bool lacks_room_ = false;              // the first of room_queue_ waits until others are coarser
  std::condition_variable_any changed_;  // something to finalize, or finished
  unsigned sleepers_ = 0;                // number of threads that wait for changed_
  const Record* awaited_ = nullptr;      // by the thread in wait()
  Notices notices_;                      // to be delivered
  // Assets to request, in order.
  struct Preload {
    std::weak_ptr<Group::State> group;
    std::vector<AssetHandle> assets;
    std::size_t next = 0;
    int priority = 0;
  };
  std::deque<Preload> preloads_;
  struct Leaving {
    std::unique_ptr<AnyRef[]> refs;
    std::size_t count = 0;
    std::size_t next = 0;  // the refs before it were released
  };
  std::deque<Leaving> leaving_;
  std::size_t preloading_ = 0;                              // assets in preloads_ that were not requested
  bool requests_preloads_ = false;                          // a thread is in request_preloads()
  std::vector<std::unique_ptr<const Loaded>> last_loaded_;  // of refs that outlive the manager; they may still be read
  std::atomic<std::uint64_t> frame_ = 0;
  std::vector<Record*> open_;      // of finish(); kept for its memory
  std::vector<Graph::Made> made_;  // of find_or_start(); the same
  unsigned finalizing_ = 0;
  std::vector<Record*> uploads_;       // in stage Pending
  std::size_t next_upload_ = 0;        // to poll
  std::atomic<unsigned> entered_ = 0;  // calls of pump() and wait(); for debug builds
  bool wake_pending_ = false;
  bool awaits_answers_ = false;  // wait() sleeps on completions_
  enum class Life : std::uint8_t { kOpen, kClosing, kOrphaned } life_ = Life::kOpen;
  // Used only by the thread that pumps, without the mutex: records that it took and has not finalized, and results that
  // it could not register before its time ran out.
  std::vector<Record*> taken_;
  std::size_t finalized_count_ = 0;  // of taken_
  std::vector<Finalized> finalized_;
  mutable std::vector<const Record*> finalizes_;  // their finalize is on the stack
  std::vector<Record*> dropped_;                  // each holds a ref
  std::vector<Failure> fallback_faults_;
  bool has_missed_ = false;  // the last pump() did not get the mutex
  std::thread io_;
};

}  // namespace assetc::runtime
