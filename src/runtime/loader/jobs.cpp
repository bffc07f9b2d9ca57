#include "assetc/runtime/jobs.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "os/thread.hpp"

namespace assetc::runtime {

class ThreadPool::Impl {
 public:
  explicit Impl(unsigned threads) : queues_(threads == 0 ? 1 : threads) {
    for (std::size_t i = 0; i < queues_.size(); ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void submit(void (*run)(void*), void* data) {
    Queue& queue = queues_[next_.fetch_add(1, std::memory_order_relaxed) % queues_.size()];
    {
      const std::lock_guard lock(queue.mutex);
      queue.jobs.push_back({run, data});
    }
    {
      const std::lock_guard lock(mutex_);
      ++waiting_;
    }
    wake_.notify_one();
  }

  // Runs a job of the queue `home`, or of the next queue that has one.
  bool run_one(std::size_t home) {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      Queue& queue = queues_[(home + i) % queues_.size()];
      std::optional<Job> job;
      {
        const std::lock_guard lock(queue.mutex);
        if (queue.jobs.empty()) continue;
        job = queue.jobs.front();
        queue.jobs.pop_front();
      }
      {
        const std::lock_guard lock(mutex_);
        --waiting_;
      }
      job->run(job->data);
      return true;
    }
    return false;
  }

  unsigned concurrency() const { return static_cast<unsigned>(threads_.size()); }

 private:
  struct Job {
    void (*run)(void*);
    void* data;
  };
  struct Queue {
    std::mutex mutex;
    std::deque<Job> jobs;
  };

  void work(std::size_t home) {
    os::yield_to_other_threads();
    while (true) {
      if (run_one(home)) continue;
      std::unique_lock lock(mutex_);
      // A job is added to its queue before it is counted. It may be taken in between, so the count may be negative for
      // a moment.
      wake_.wait(lock, [this] { return stopping_ || waiting_ > 0; });
      if (stopping_ && waiting_ <= 0) return;
    }
  }

  std::vector<Queue> queues_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::ptrdiff_t waiting_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(unsigned threads) : impl_(std::make_unique<Impl>(threads)) {}
ThreadPool::~ThreadPool() = default;

JobSystem ThreadPool::jobs() {
  return {
      .context = impl_.get(),
      .submit = [](void* context, void (*job)(void*), void* data) { static_cast<Impl*>(context)->submit(job, data); },
      .concurrency = [](void* context) { return static_cast<Impl*>(context)->concurrency(); },
      .help = [](void* context) { return static_cast<Impl*>(context)->run_one(0); }};
}

}  // namespace assetc::runtime
