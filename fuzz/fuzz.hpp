// Functions that the fuzz targets share.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "assetc/base/bytes.hpp"

namespace assetc::fuzz {

inline ByteSpan bytes(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

// Ends the process if an invariant does not hold.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// Reads every byte, so that a sanitizer sees a span that leaves its buffer.
inline void touch(ByteSpan span) {
  unsigned sum = 0;
  for (const std::byte b : span) sum += static_cast<unsigned>(b);
  [[maybe_unused]] static volatile unsigned sink;
  sink = sum;
}

}  // namespace assetc::fuzz
