// Where a key lies in an ascending table of keys that are as good as random.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace assetc::formats {

// The first of `count` ascending keys that is not below `key`; at(i) is key i and rank the first 64 bits of `key` as
// they compare. A guess by the rank lands within a few; where a table was made to defeat that, halving takes over.
template <class Key, class At>
std::size_t first_not_below(std::size_t count, const Key& key, std::uint64_t rank, const At& at) {
  constexpr std::size_t kNear = 64;
  std::size_t low = 0, high = count;
  const auto guess = static_cast<std::size_t>(std::ldexp(static_cast<double>(rank), -64) * static_cast<double>(count));
  std::size_t step = kNear;
  std::size_t middle = std::min(guess, count);
  if (middle < count && at(middle) < key) {
    low = middle + 1;
    while (low < count && step < count && at(std::min(middle + step, count - 1)) < key) {
      low = std::min(middle + step, count - 1) + 1;
      step *= 4;
    }
    high = std::min(count, middle + step + 1);
  } else {
    high = middle;
    while (high > 0 && middle > step && !(at(middle - step) < key)) {
      high = middle - step;
      step *= 4;
    }
    low = middle > step ? middle - step : 0;
    low = std::min(low, high);
  }
  while (low < high) {
    const std::size_t half = low + (high - low) / 2;
    if (at(half) < key) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  return low;
}

}  // namespace assetc::formats
