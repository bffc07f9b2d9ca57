// See blocked_range.h.
#pragma once

#include <memory>

#include <oneapi/tbb/blocked_range.h>

namespace oneapi::tbb {

template <class Value>
class enumerable_thread_specific {
 public:
  Value& local() { return *value_; }

 private:
  std::unique_ptr<Value> value_ = std::make_unique<Value>();
};

}  // namespace oneapi::tbb
