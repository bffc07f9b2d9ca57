// The two loops that opening a large mesh spends its time in, shared by the mesh formats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace assetc::formats {

// The first element that is limit or more, or indices.size(). One maximum over all of them, which compilers
// vectorise; the search for which one runs only on failure.
template <class T>
std::size_t first_not_below(std::span<const T> indices, std::uint64_t limit) {
  T greatest = 0;
  for (const T index : indices) greatest = std::max(greatest, index);
  if (indices.empty() || greatest < limit) return indices.size();
  std::size_t i = 0;
  while (indices[i] < limit) ++i;
  return i;
}

// The first of count positions (three floats at the start of every stride_bytes) that is not inside the box, a NaN
// included, or count.
std::size_t first_position_outside(const void* positions, std::size_t stride_bytes, std::size_t count, const float* box_min,
                                   const float* box_max);

}  // namespace assetc::formats
