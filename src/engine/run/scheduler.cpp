#include "engine/run/scheduler.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace assetc::engine {
namespace {

// How often smaller work may overtake the largest while it waits for room: enough to keep threads busy, not enough to
// leave the largest to the end.
constexpr int kMaxOvertakes = 16;

}  // namespace

struct Scheduler::Impl {
  struct Item : Work {
    std::uint64_t serial = 0;
  };
  struct LargestFirst {
    using is_transparent = void;
    bool operator()(const std::shared_ptr<Item>& a, const std::shared_ptr<Item>& b) const {
      if (a->estimate_bytes != b->estimate_bytes) return a->estimate_bytes > b->estimate_bytes;
      if (a->order != b->order) return a->order < b->order;
      return a->serial < b->serial;
    }
    // For searches by size alone: the first item that is no larger.
    bool operator()(const std::shared_ptr<Item>& a, std::uint64_t bytes) const { return a->estimate_bytes > bytes; }
    bool operator()(std::uint64_t bytes, const std::shared_ptr<Item>& a) const { return bytes > a->estimate_bytes; }
  };
  using Queue = std::set<std::shared_ptr<Item>, LargestFirst>;

  Impl(int job_count, std::uint64_t budget_bytes)
      : jobs(std::max(1, job_count)),
        budget(budget_bytes),
        threads(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(jobs)),
        arena(jobs) {}

  int jobs;
  std::uint64_t budget;
  tbb::global_control threads;  // the user may ask for more threads than there are cores
  tbb::task_arena arena;
  tbb::task_group group;

  mutable std::mutex mutex;
  Queue plain;
  Queue holding;  // work that holds bytes while it waits: running it makes room
  std::uint64_t next_serial = 0;
  std::uint64_t used = 0;  // of running work, and held by waiting work
  std::uint64_t peak = 0;
  int running = 0;
  int peak_running = 0;
  int overtakes = 0;
  bool started = false;

  std::shared_ptr<Item> take(Queue& queue, Queue::iterator it) {
    auto item = *it;
    queue.erase(it);
    return item;
  }

  // What to start now, or null.
  std::shared_ptr<Item> choose() {
    if (running >= jobs || (plain.empty() && holding.empty())) return nullptr;
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
    if (running > 0) return nullptr;  // room will come
    overtakes = 0;
    return holding.empty() ? take(plain, plain.begin()) : take(holding, std::prev(holding.end()));
  }

  void pump() {
    const std::lock_guard lock(mutex);
    if (!started) return;
    while (auto item = choose()) {
      ++running;
      used += item->estimate_bytes;
      peak = std::max(peak, used);
      peak_running = std::max(peak_running, running);
      group.run([this, item] {
        item->run();
        item->run = nullptr;  // lets go of what it captured before its bytes are given back
        {
          const std::lock_guard inner(mutex);
          --running;
          used -= item->estimate_bytes + item->held_bytes;
        }
        pump();
      });
    }
  }
};

Scheduler::Scheduler(int jobs, std::uint64_t budget_bytes) : impl_(std::make_unique<Impl>(jobs, budget_bytes)) {}
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

void Scheduler::cancel() {
  const std::lock_guard lock(impl_->mutex);
  for (const auto& item : impl_->holding) impl_->used -= item->held_bytes;
  impl_->plain.clear();
  impl_->holding.clear();
}

void Scheduler::run() {
  impl_->arena.execute([this] {
    {
      const std::lock_guard lock(impl_->mutex);
      impl_->started = true;
    }
    impl_->pump();
    impl_->group.wait();
  });
}

void Scheduler::execute(const std::function<void()>& function) {
  impl_->arena.execute([&] { function(); });
}

std::uint64_t Scheduler::budget_bytes() const { return impl_->budget; }
std::uint64_t Scheduler::peak_bytes() const { return impl_->peak; }
int Scheduler::peak_running() const { return impl_->peak_running; }

}  // namespace assetc::engine
