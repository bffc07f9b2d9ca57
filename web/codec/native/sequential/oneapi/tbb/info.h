// See blocked_range.h.
#pragma once

#include <oneapi/tbb/blocked_range.h>

namespace oneapi::tbb::info {

inline int default_concurrency() { return 1; }

}  // namespace oneapi::tbb::info
