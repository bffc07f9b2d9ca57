// Threads that do what they are given, in the order in which it comes. They start with the first of it.
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
  // Ends what has begun, and drops the rest and all that still comes.
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
