// Memory given back before its owner goes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc {

// Empties a vector and frees what it held. `values = {}` does not: it assigns an empty list and keeps the capacity.
template <class T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

// Gives the pages that lie wholly inside back to the system, where that can be. What bytes holds is undefined
// afterwards.
void release_pages(std::span<std::byte> bytes);

// Makes empty bytes this long, all zero; a page is there when it is written to, so that what comes little by little
// takes its memory little by little.
void resize_without_pages(ByteVector& bytes, std::size_t size);

}  // namespace assetc
