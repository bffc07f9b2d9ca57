// See blocked_range.h.
#pragma once

#include <oneapi/tbb/blocked_range.h>

namespace oneapi::tbb {

class spin_mutex {
 public:
  struct scoped_lock {
    explicit scoped_lock(spin_mutex&) {}
  };
};

}  // namespace oneapi::tbb
