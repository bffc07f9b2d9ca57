// Replaces oneTBB where there are no threads, as in WebAssembly: the parts that the encoders use, on one thread.
#pragma once

#include <cstddef>

namespace oneapi::tbb {

template <class Value>
class blocked_range {
 public:
  blocked_range(Value begin, Value end, std::size_t /*grain_size*/ = 1) : begin_(begin), end_(end) {}
  Value begin() const { return begin_; }
  Value end() const { return end_; }

 private:
  Value begin_, end_;
};

}  // namespace oneapi::tbb

namespace tbb = oneapi::tbb;
