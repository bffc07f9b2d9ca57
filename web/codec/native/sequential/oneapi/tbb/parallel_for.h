// See blocked_range.h.
#pragma once

#include <oneapi/tbb/blocked_range.h>

namespace oneapi::tbb {

template <class Index, class Work>
void parallel_for(Index begin, Index end, const Work& work) {
  for (Index i = begin; i < end; ++i) work(i);
}
template <class Value, class Work>
void parallel_for(const blocked_range<Value>& range, const Work& work) {
  work(range);
}

}  // namespace oneapi::tbb
