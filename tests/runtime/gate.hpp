// A gate that holds back a thread in a test.
#pragma once

#include <condition_variable>
#include <mutex>

namespace assetc::runtime {

// Opens once and stays open. (std::latch hangs in mingw-w64's library under wine.)
class Gate {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    opened_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

}  // namespace assetc::runtime
