#include "parallel/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <thread>

namespace assetc {
namespace parallel {
namespace {

using Range = tbb::blocked_range<std::size_t>;

}  // namespace

void run(std::size_t count, const Call& call) {
  tbb::parallel_for(Range(0, count), [&](const Range& r) { call.function(call.work, r.begin(), r.end()); });
}

void run_blocks(std::size_t count, std::size_t block_size, const Call& call) {
  tbb::parallel_for(
      Range(0, count, block_size), [&](const Range& r) { call.function(call.work, r.begin(), r.end()); },
      tbb::simple_partitioner());
}

void run_both(const Call& first, const Call& second) {
  tbb::parallel_invoke([&] { first.function(first.work, 0, 0); }, [&] { second.function(second.work, 0, 0); });
}

void isolate(const Call& call) {
  tbb::this_task_arena::isolate([&] { call.function(call.work, 0, 0); });
}

void yield() { std::this_thread::yield(); }

}  // namespace parallel

std::size_t thread_limit() { return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism); }
int max_concurrency() { return tbb::this_task_arena::max_concurrency(); }
int default_concurrency() { return tbb::info::default_concurrency(); }

struct ThreadLimit::Impl {
  tbb::global_control control;
};
ThreadLimit::ThreadLimit(std::size_t threads)
    : impl_(new Impl{tbb::global_control(tbb::global_control::max_allowed_parallelism, threads)}) {}
ThreadLimit::~ThreadLimit() = default;

struct Arena::Impl {
  tbb::task_arena arena;
};
Arena::Arena(int threads) : impl_(new Impl{tbb::task_arena(threads > 0 ? threads : tbb::task_arena::automatic)}) {}
Arena::~Arena() = default;
void Arena::call(const parallel::Call& call) {
  impl_->arena.execute([&] { call.function(call.work, 0, 0); });
}

struct TaskGroup::Impl {
  tbb::task_group group;
};
TaskGroup::TaskGroup() : impl_(new Impl) {}
TaskGroup::~TaskGroup() = default;
void TaskGroup::wait() { impl_->group.wait(); }
void TaskGroup::add(Arena* arena, std::unique_ptr<Task> task) {
  const auto call = [shared = std::shared_ptr<Task>(std::move(task))] { shared->call(); };
  if (arena == nullptr) {
    impl_->group.run(call);
  } else {
    arena->impl_->arena.enqueue(impl_->group.defer(call));
  }
}

struct ThreadSlots::Impl {
  tbb::enumerable_thread_specific<void*> slots{static_cast<void*>(nullptr)};
};
ThreadSlots::ThreadSlots() : impl_(new Impl) {}
ThreadSlots::~ThreadSlots() = default;
void*& ThreadSlots::local() { return impl_->slots.local(); }
void ThreadSlots::for_each(void (*work)(void* context, void*& slot), void* context) {
  for (void*& slot : impl_->slots) work(context, slot);
}

}  // namespace assetc
