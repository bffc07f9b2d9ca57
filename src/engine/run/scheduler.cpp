#include "engine/run/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>

#include "os/machine.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {
namespace {

// How often smaller work may overtake the largest while that waits for memory. This keeps threads busy, but does not
// leave the largest to the end.
constexpr int kMaxOvertakes = 16;
// How long threads stay idle before they start waiting work all the same, as a fraction of the time that all waiting
// work would take here. Making work wait takes a little time itself, which is subtracted.
constexpr double kPatience = 0.04;
constexpr double kWaitingSeconds = 12e-6;
// While more than kFast times the work that the threads could do themselves is saved, they stay idle longer, by this
// fraction of the time that the saved work would have taken.
constexpr double kTrust = 0.25;
constexpr double kFast = 2;

// After work of at least this many bytes and at least 1/16 of the budget, the memory that the C library keeps is
// returned to the system.
constexpr std::uint64_t kTrimmedBytes = std::uint64_t{32} << 20;

double patience_for(double seconds) { return std::max(0.0, kPatience * seconds - kWaitingSeconds); }

}  // namespace

struct Scheduler::Impl {
  struct Item : Work {
    std::uint64_t serial = 0;
    double seconds = 0;  // only of waiting work
    double rank = 0;
  };
  struct LowestFirst {
    bool operator()(const std::shared_ptr<Item>& a, const std::shared_ptr<Item>& b) const {
      if (a->rank != b->rank) return a->rank < b->rank;
      return a->seconds != b->seconds ? a->seconds < b->seconds : a->serial < b->serial;
    }
  };
  struct LargestFirst {
    using is_transparent = void;
    bool operator()(const std::shared_ptr<Item>& a, const std::shared_ptr<Item>& b) const {
      if (a->estimate_bytes != b->estimate_bytes) return a->estimate_bytes > b->estimate_bytes;
      if (a->order != b->order) return a->order < b->order;
      return a->serial < b->serial;
    }
    // For searches by size alone: finds the first item that is no larger.
    bool operator()(const std::shared_ptr<Item>& a, std::uint64_t bytes) const { return a->estimate_bytes > bytes; }
    bool operator()(std::uint64_t bytes, const std::shared_ptr<Item>& a) const { return bytes > a->estimate_bytes; }
  };
  using Queue = std::set<std::shared_ptr<Item>, LargestFirst>;

  Impl(int job_count, std::uint64_t budget_bytes, const Clock& time)
      : clock(time),
        jobs(std::max(1, job_count)),
        budget(budget_bytes),
        threads(static_cast<std::size_t>(jobs)),
        arena(jobs) {}
  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    ticks.notify_all();
    if (ticker.joinable()) ticker.join();
    arena.execute([this] { group.wait(); });  // for pumps from outside that came too late
  }

  const Clock& clock;
  int jobs;
  std::uint64_t budget;
  ThreadLimit threads;  // the user may ask for more threads than there are cores
  assetc::Arena arena;
  TaskGroup group;

  mutable std::mutex mutex;
  Queue plain;
  Queue holding;  // work that holds bytes while it waits: running it frees memory
  std::uint64_t next_serial = 0;
  std::uint64_t used = 0;  // bytes of running work, and bytes held by waiting work
  std::uint64_t peak = 0;
  int running = 0;
  int peak_running = 0;
  int overtakes = 0;
  bool started = false;

  std::set<std::shared_ptr<Item>, LowestFirst> waiting;
  std::unordered_map<std::uint64_t, std::shared_ptr<Item>> waiting_by_serial;
  double patience = 0;                       // seconds that threads may still stay idle
  std::optional<Clock::Time> idle_since;     // set while threads are free and only waiting work is left
  std::optional<Clock::Time> waiting_since;  // when the first waiting work was pushed
  double spared_seconds = 0;                 // of waiting work that became unnecessary
  // Notify only a thread that sleeps: with small steps, a wake-up takes longer than the step.
  std::condition_variable changed;  // for run(): any of the above has changed
  bool run_sleeps = false;
  std::condition_variable ticks;  // for the ticker: a thread became idle
  bool ticker_sleeps = false;
  std::thread ticker;  // starts waiting work in time if all other threads are busy
  bool stopping = false;
  bool patient = false;  // waiting work starts only when it has arrived

  bool records_waits = false;
  std::vector<WaitRecord> waits;
  std::vector<Clock::Time> waiting_threads;  // since when each thread waits
  WaitKind wait_kind = WaitKind::kSteps;     // the same for all waiting threads

  std::shared_ptr<Item> take(Queue& queue, Queue::iterator it) {
    auto item = *it;
    queue.erase(it);
    return item;
  }

  Clock::Time patience_ends() const {
    return *idle_since + std::chrono::duration_cast<Clock::Duration>(std::chrono::duration<double>(patience));
  }

  void end_idleness() {
    if (idle_since) patience = std::max(0.0, patience - seconds_between(*idle_since, clock.now()));
    idle_since.reset();
  }

  std::shared_ptr<Item> take_waiting(const std::shared_ptr<Item>& item) {
    auto taken = item;
    waiting.erase(taken);
    waiting_by_serial.erase(taken->serial);
    return taken;
  }

  std::shared_ptr<Item> choose_waiting() {
    if (waiting.empty() || patient) return nullptr;
    if (!idle_since) idle_since = clock.now();
    const std::uint64_t room = budget > used ? budget - used : 0;
    if (clock.now() < patience_ends() || (running > 0 && (*waiting.begin())->estimate_bytes > room)) {
      if (ticker_sleeps) ticks.notify_all();
      return nullptr;
    }
    end_idleness();
    return take_waiting(*waiting.begin());
  }

  // The work to start now, or null.
  std::shared_ptr<Item> choose() {
    if (running >= jobs) return nullptr;
    if (plain.empty() && holding.empty()) return choose_waiting();
    end_idleness();
    const std::uint64_t room = budget > used ? budget - used : 0;
    Queue& larger =
        holding.empty() || (!plain.empty() && LargestFirst()(*plain.begin(), *holding.begin())) ? plain : holding;
    if ((*larger.begin())->estimate_bytes <= room) {
      overtakes = 0;
      return take(larger, larger.begin());
    }
    if (const auto it = holding.lower_bound(room); it != holding.end()) return take(holding, it);
    if (overtakes < kMaxOvertakes) {
      if (const auto it = plain.lower_bound(room); it != plain.end()) {
        ++overtakes;
        return take(plain, it);
      }
    }
    if (running > 0) return nullptr;  // running work will free memory
    overtakes = 0;
    return holding.empty() ? take(plain, plain.begin()) : take(holding, std::prev(holding.end()));
  }

  // Call from a thread that is not in the arena.
  void pump_from_outside() {
    if (jobs > 1) group.run_in(arena, [this] { pump(); });
  }

  // Body of the `ticker` thread.
  void watch_the_time() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      if (!idle_since || waiting.empty() || running >= jobs) {
        ticker_sleeps = true;
        ticks.wait(lock);
        ticker_sleeps = false;
      } else {
        clock.wait_until(ticks, lock, patience_ends());
        const bool is_due = idle_since && !waiting.empty() && running < jobs && clock.now() >= patience_ends();
        if (stopping || !is_due) continue;
        lock.unlock();
        pump_from_outside();
        lock.lock();
        // Until the pump has run, nothing has changed.
        ticks.wait_for(lock, std::chrono::milliseconds(1));
      }
    }
  }

  bool is_done() const { return plain.empty() && holding.empty() && waiting.empty(); }

  // Why threads have no work when choose() finds none; nullopt if all threads have work.
  std::optional<WaitKind> wait_now() const {
    if (running >= jobs) return std::nullopt;
    if (!plain.empty() || !holding.empty()) return WaitKind::kMemory;
    if (!waiting.empty()) return WaitKind::kSharedCache;
    return running > 0 ? std::optional(WaitKind::kSteps) : std::nullopt;
  }

  // Call whenever the result of wait_now() may have changed.
  void note_waits() {
    if (!records_waits || !started) return;
    const std::optional<WaitKind> kind = wait_now();
    const std::size_t threads_now = kind ? static_cast<std::size_t>(jobs - running) : 0;
    const bool is_same_kind = kind == wait_kind;
    if (threads_now == waiting_threads.size() && (threads_now == 0 || is_same_kind)) return;
    const Clock::Time now = clock.now();
    while (waiting_threads.size() > (is_same_kind ? threads_now : 0)) {
      const auto thread = static_cast<std::uint32_t>(waiting_threads.size() - 1);
      waits.push_back({waiting_threads.back(), now, wait_kind, thread});
      waiting_threads.pop_back();
    }
    if (kind) wait_kind = *kind;
    waiting_threads.resize(threads_now, now);
  }

  void wake_run() {
    if (run_sleeps) changed.notify_all();
  }

  void pump() {
    const std::lock_guard lock(mutex);
    if (!started) return;
    wake_run();
    while (auto item = choose()) {
      ++running;
      used += item->estimate_bytes;
      peak = std::max(peak, used);
      peak_running = std::max(peak_running, running);
      group.run([this, item] {
        item->run();
        item->run = nullptr;  // frees what it captured before its bytes are given back
        // The C library keeps freed memory per thread. Without this, the next large step, on another thread, would take
        // its memory in addition.
        if (item->estimate_bytes >= std::max(kTrimmedBytes, budget / 16)) os::trim_heap();
        {
          const std::lock_guard inner(mutex);
          --running;
          used -= item->estimate_bytes + item->held_bytes;
        }
        pump();
      });
    }
    note_waits();
  }
};

Scheduler::Scheduler(int jobs, std::uint64_t budget_bytes, const Clock& clock)
    : impl_(std::make_unique<Impl>(jobs, budget_bytes, clock)) {}
Scheduler::~Scheduler() = default;

void Scheduler::push(Work work) {
  auto item = std::make_shared<Impl::Item>();
  static_cast<Work&>(*item) = std::move(work);
  {
    const std::lock_guard lock(impl_->mutex);
    item->serial = impl_->next_serial++;
    impl_->used += item->held_bytes;
    impl_->peak = std::max(impl_->peak, impl_->used);
    (item->held_bytes != 0 ? impl_->holding : impl_->plain).insert(std::move(item));
  }
  impl_->pump();
}

std::uint64_t Scheduler::push_waiting(Work work, double seconds, double rank) {
  auto item = std::make_shared<Impl::Item>();
  static_cast<Work&>(*item) = std::move(work);
  item->seconds = seconds;
  item->rank = rank;
  {
    const std::lock_guard lock(impl_->mutex);
    item->serial = impl_->next_serial++;
    impl_->used += item->held_bytes;
    impl_->peak = std::max(impl_->peak, impl_->used);
    impl_->waiting.insert(item);
    impl_->waiting_by_serial.emplace(item->serial, item);
    impl_->patience += patience_for(seconds) / impl_->jobs;
    if (!impl_->waiting_since) impl_->waiting_since = impl_->clock.now();
    if (!impl_->ticker.joinable() && impl_->jobs > 1)
      impl_->ticker = std::thread([impl = impl_.get()] { impl->watch_the_time(); });
    impl_->wake_run();
    impl_->note_waits();
  }
  return item->serial;
}

void Scheduler::arrived(std::uint64_t waiting, bool is_spared) {
  bool has_room = false;
  {
    const std::lock_guard lock(impl_->mutex);
    const auto at = impl_->waiting_by_serial.find(waiting);
    if (at == impl_->waiting_by_serial.end()) return;
    auto item = impl_->take_waiting(at->second);
    if (is_spared) {
      impl_->spared_seconds += item->seconds;
      const double here = seconds_between(*impl_->waiting_since, impl_->clock.now()) * impl_->jobs;
      if (impl_->spared_seconds > kFast * here) impl_->patience += kTrust * item->seconds / impl_->jobs;
    }
    (item->held_bytes != 0 ? impl_->holding : impl_->plain).insert(std::move(item));
    impl_->wake_run();
    has_room = impl_->running < impl_->jobs;  // otherwise the next work that ends calls pump()
  }
  if (has_room) impl_->pump_from_outside();
}

void Scheduler::record_waits() { impl_->records_waits = true; }

const std::vector<WaitRecord>& Scheduler::waits() const { return impl_->waits; }

void Scheduler::wait_forever() { impl_->patient = true; }

void Scheduler::expect(std::uint64_t waiting, double seconds, double rank) {
  const std::lock_guard lock(impl_->mutex);
  const auto at = impl_->waiting_by_serial.find(waiting);
  if (at == impl_->waiting_by_serial.end()) return;
  const auto item = at->second;
  impl_->waiting.erase(item);
  const double more = patience_for(seconds) - patience_for(item->seconds);
  impl_->patience = std::max(0.0, impl_->patience + more / impl_->jobs);
  item->seconds = seconds;
  item->rank = rank;
  impl_->waiting.insert(item);
}

void Scheduler::cancel() {
  const std::lock_guard lock(impl_->mutex);
  for (const auto& item : impl_->holding) impl_->used -= item->held_bytes;
  for (const auto& item : impl_->waiting) impl_->used -= item->held_bytes;
  impl_->plain.clear();
  impl_->holding.clear();
  impl_->waiting.clear();
  impl_->waiting_by_serial.clear();
  impl_->wake_run();
}

void Scheduler::run() {
  impl_->arena.execute([this] {
    {
      const std::lock_guard lock(impl_->mutex);
      impl_->started = true;
    }
    for (;;) {
      impl_->pump();
      impl_->group.wait();
      std::unique_lock lock(impl_->mutex);
      if (impl_->running == 0 && impl_->is_done()) {
        impl_->note_waits();
        break;
      }
      if (impl_->running > 0 || !impl_->plain.empty() || !impl_->holding.empty()) continue;
      impl_->run_sleeps = true;
      if (impl_->idle_since) {
        impl_->clock.wait_until(impl_->changed, lock, impl_->patience_ends());
      } else {
        impl_->changed.wait(lock);
      }
      impl_->run_sleeps = false;
    }
  });
}

void Scheduler::execute(const std::function<void()>& function) {
  impl_->arena.execute([&] { function(); });
}

std::uint64_t Scheduler::budget_bytes() const { return impl_->budget; }
std::uint64_t Scheduler::peak_bytes() const { return impl_->peak; }
int Scheduler::peak_running() const { return impl_->peak_running; }

}  // namespace assetc::engine
