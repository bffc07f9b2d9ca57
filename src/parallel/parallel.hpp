// Work on all processors of the machine.
//
// parallel.cpp is the only file that includes oneTBB, because its templates take a second or more in each file that
// includes them. Without threads, as in WebAssembly, web/codec/native/sequential.cpp replaces it.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace assetc {

namespace parallel {

// A call of work that outlives it.
struct Call {
  void (*function)(const void* work, std::size_t begin, std::size_t end);
  const void* work;
};
void run(std::size_t count, const Call& call);
void run_blocks(std::size_t count, std::size_t block_size, const Call& call);
void run_both(const Call& first, const Call& second);
void isolate(const Call& call);
void yield();

template <class Work>
Call call_of(const Work& work) {
  return {[](const void* w, std::size_t, std::size_t) { (*static_cast<const Work*>(w))(); }, &work};
}
template <class Work>
Call range_call_of(const Work& work) {
  return {[](const void* w, std::size_t begin, std::size_t end) { (*static_cast<const Work*>(w))(begin, end); }, &work};
}

}  // namespace parallel

// The functions below return when all calls have returned, and pass on one of the exceptions that calls throw.

// Calls work(begin, end) for ranges that together are [0, count).
template <class Work>
void parallel_ranges(std::size_t count, const Work& work) {
  parallel::run(count, parallel::range_call_of(work));
}

// Calls work(i) for each i below count.
template <std::integral Count, class Work>
void parallel_for(Count count, const Work& work) {
  parallel_ranges(static_cast<std::size_t>(count), [&work](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i != end; ++i) work(static_cast<Count>(i));
  });
}

// As parallel_ranges, but ranges are divided until none is longer than block_size.
template <class Work>
void parallel_blocks(std::size_t count, std::size_t block_size, const Work& work) {
  parallel::run_blocks(count, block_size, parallel::range_call_of(work));
}

// Calls both.
template <class First, class Second>
void parallel_invoke(const First& first, const Second& second) {
  parallel::run_both(parallel::call_of(first), parallel::call_of(second));
}

// Calls work. While the thread waits for parallel calls in it, it starts no work from outside of it.
template <class Work>
void isolated(const Work& work) {
  parallel::isolate(parallel::call_of(work));
}

// How many threads work at most: in this process, and for this thread. ThreadLimit and Arena change them.
std::size_t thread_limit();
int max_concurrency();
// How many threads work without such limits.
int default_concurrency();

// While it lives, at most so many threads work in this process. It may be more than there are processors.
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Threads for some work.
class Arena {
 public:
  explicit Arena(int threads = 0);  // 0 or less: as many as work usually has
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Calls work in this arena, on this thread where possible, and returns its result.
  template <class Work>
  auto execute(const Work& work) {
    if constexpr (std::is_void_v<std::invoke_result_t<const Work&>>) {
      call(parallel::call_of(work));
    } else {
      std::unique_ptr<std::invoke_result_t<const Work&>> result;
      call(parallel::call_of([&] { result = std::make_unique<std::invoke_result_t<const Work&>>(work()); }));
      return std::move(*result);
    }
  }

 private:
  friend class TaskGroup;
  void call(const parallel::Call& call);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Tasks that are waited for together. Each is called once.
class TaskGroup {
 public:
  TaskGroup();
  ~TaskGroup();  // requires that wait() was called after the last task was added
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  template <class Work>
  void run(Work work) {
    add(nullptr, std::make_unique<TaskOf<Work>>(std::move(work)));
  }
  // From a thread that is not in the arena.
  template <class Work>
  void run_in(Arena& arena, Work work) {
    add(&arena, std::make_unique<TaskOf<Work>>(std::move(work)));
  }
  void wait();

 private:
  struct Task {
    virtual ~Task() = default;
    virtual void call() = 0;
  };
  template <class Work>
  struct TaskOf : Task {
    explicit TaskOf(Work&& w) : work(std::move(w)) {}
    void call() override { work(); }
    Work work;
  };
  void add(Arena* arena, std::unique_ptr<Task> task);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A value for each thread that asks for one.
class ThreadSlots {
 public:
  ThreadSlots();
  ~ThreadSlots();
  ThreadSlots(const ThreadSlots&) = delete;
  ThreadSlots& operator=(const ThreadSlots&) = delete;
  void*& local();  // null at first
  // Calls work for each thread's slot. Requires that no thread uses one.
  void for_each(void (*work)(void* context, void*& slot), void* context);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

template <class Value>
class PerThread {
 public:
  PerThread() : PerThread([] { return Value(); }) {}
  template <class Make>
  explicit PerThread(Make make) : maker_(std::make_unique<MakerOf<Make>>(std::move(make))) {}
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;
  ~PerThread() {
    slots_.for_each([](void*, void*& slot) { delete static_cast<Value*>(slot); }, nullptr);
  }

  Value& local() {
    void*& slot = slots_.local();
    if (slot == nullptr) slot = maker_->make();
    return *static_cast<Value*>(slot);
  }
  // Calls work with each value. Requires that no thread uses one.
  template <class Work>
  void for_each(Work work) {
    slots_.for_each(
        [](void* context, void*& slot) {
          if (slot != nullptr) (*static_cast<Work*>(context))(*static_cast<Value*>(slot));
        },
        &work);
  }

 private:
  struct Maker {
    virtual ~Maker() = default;
    virtual Value* make() = 0;
  };
  template <class Make>
  struct MakerOf : Maker {
    explicit MakerOf(Make&& m) : function(std::move(m)) {}
    Value* make() override { return new Value(function()); }
    Make function;
  };
  std::unique_ptr<Maker> maker_;
  ThreadSlots slots_;
};

// A lock for a few instructions: threads that wait stay ready to run.
class SpinLock {
 public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) parallel::yield();
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

}  // namespace assetc
