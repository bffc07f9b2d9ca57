// Threads that run tasks in the order in which they are posted. They start with the first task.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assetc::engine {

// Thread-safe.
class Workers {
 public:
  explicit Workers(int threads) : wanted_(threads) {}
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;

  void post(std::function<void()> task);
  // Finishes running tasks. Drops waiting tasks and all that are posted later.
  void stop();

 private:
  void run();

  const int wanted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace assetc::engine
