// The functions of an engine that a manager is calling on this thread. A function that waits for the manager would wait
// for itself there.
#pragma once

#include <cstdint>

namespace assetc::runtime {

class Core;

class Within {
 public:
  enum class Call : std::uint8_t {
    kDecode,    // decode, plan and the sizes of values, on a thread of the job system
    kFinalize,  // finalize, finalize_async
    kDevice,    // poll, release, is_over, destructors of values
  };
  Within(const Core& core, Call call) : core_(&core), call_(call), outer_(innermost) { innermost = this; }
  ~Within() { innermost = outer_; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

  // Returns whether a call of this manager is under way on this thread.
  static bool is(const Core& core, Call call) {
    for (const Within* at = innermost; at != nullptr; at = at->outer_) {
      if (at->core_ == &core && at->call_ == call) return true;
    }
    return false;
  }

 private:
  static inline thread_local const Within* innermost = nullptr;
  const Core* core_;
  Call call_;
  const Within* outer_;
};

}  // namespace assetc::runtime
