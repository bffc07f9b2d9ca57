// Functions with which loaders report the memory that their assets use.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"

namespace assetc::runtime {

// For an asset that is read in place.
template <class T>
std::uint64_t held_bytes(const T& value) {
  return value.bytes.size();
}
inline std::uint64_t nothing(ByteSpan) { return 0; }

}  // namespace assetc::runtime
