// Checks whether all numbers are finite.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace assetc::importer {

inline bool all_finite(std::span<const float> values) {
  std::uint32_t bad = 0;
  for (float v : values) bad |= (std::bit_cast<std::uint32_t>(v) & 0x7F800000u) == 0x7F800000u;
  return bad == 0;
}

}  // namespace assetc::importer
