// Frees memory before its owner is destroyed.
#pragma once

#include <vector>

namespace assetc {

// Empties a vector and frees its memory. `values = {}` does not: it assigns an empty list and keeps the capacity.
template <class T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

}  // namespace assetc
