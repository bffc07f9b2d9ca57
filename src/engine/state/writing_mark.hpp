// A value of the cache that stands while a build writes: one that is found at the start was left by a build that did
// not come to its end.
#pragma once

#include "engine/disk/disk.hpp"
#include "engine/state/cache.hpp"

namespace assetc::engine {

class WritingMark {
 public:
  // Both outlive the mark.
  WritingMark(Cache& cache, Disk& disk) : cache_(cache), disk_(disk) {}

  bool stands() const;
  // The machine went down while a build wrote: what signatures say of outputs proves nothing.
  bool machine_went_down() const;

  Result<void> set();
  Result<void> clear();

 private:
  Cache& cache_;
  Disk& disk_;
};

}  // namespace assetc::engine
