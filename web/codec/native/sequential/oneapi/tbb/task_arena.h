// See blocked_range.h.
#pragma once

#include <oneapi/tbb/blocked_range.h>

namespace oneapi::tbb::this_task_arena {

template <class Work>
void isolate(const Work& work) {
  work();
}

}  // namespace oneapi::tbb::this_task_arena
