// Parts of bytes that share the owner.
#pragma once

#include "assetc/base/bytes.hpp"

namespace assetc::runtime {

// Returns the Bytes of a span that a view of `whole` returned.
inline Bytes slice_of(const Bytes& whole, ByteSpan part) {
  if (part.empty()) return {};
  return whole.slice(static_cast<std::size_t>(part.data() - whole.data()), part.size());
}

inline bool is_aas1_blob(ByteSpan bytes, std::uint32_t magic) {
  return bytes.size() >= sizeof magic && load<std::uint32_t>(bytes) == magic;
}

}  // namespace assetc::runtime
