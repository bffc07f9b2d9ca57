// What loaders say of the room that their assets take.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"

namespace assetc::runtime {

// Of an asset that is read where its bytes lie.
template <class T>
std::uint64_t held_bytes(const T& value) {
  return value.bytes.size();
}
inline std::uint64_t nothing(ByteSpan) { return 0; }

}  // namespace assetc::runtime
