#pragma once

#include <chrono>
#include <ctime>

namespace assetc::bench {

// Wall time and processor time of all threads, from its construction.
class Clock {
 public:
  void read(double& seconds, double& cpu_seconds) const {
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    cpu_seconds = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

}  // namespace assetc::bench
