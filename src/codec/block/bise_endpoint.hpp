// The 8-bit endpoints of ASTC's quantization ranges, computed at compile time.
// Source: Khronos Data Format Specification 1.3, 23.13.
#pragma once

#include <string_view>

#include "codec/block/bise.hpp"

namespace assetc::codec {

// Repeats the bits of a value, from the top, until 8 bits are filled.
constexpr unsigned replicate_to_8(unsigned value, unsigned bits) {
  unsigned out = 0;
  for (int left = 8; left > 0; left -= static_cast<int>(bits)) {
    const int take = left < static_cast<int>(bits) ? left : static_cast<int>(bits);
    out |= (value >> (bits - take)) << (left - take);
  }
  return out;
}

// A row of the specification's table: how the bits b, c, d, e, f of a value are spread over B, most significant first.
struct UnquantizeRule {
  std::string_view spread;
  unsigned factor;  // C
};
constexpr UnquantizeRule endpoint_rule(BiseRange range) {
  if (range.base == 3) {
    switch (range.bits) {
      case 1:
        return {"000000000", 204};
      case 2:
        return {"b000b0bb0", 93};
      case 3:
        return {"cb000cbcb", 44};
      case 4:
        return {"dcb000dcb", 22};
      case 5:
        return {"edcb000ed", 11};
      default:
        return {"fedcb000f", 5};
    }
  }
  switch (range.bits) {
    case 1:
      return {"000000000", 113};
    case 2:
      return {"b0000bb00", 54};
    case 3:
      return {"cb0000cbc", 26};
    case 4:
      return {"dcb0000dc", 13};
    default:
      return {"edcb0000e", 6};
  }
}

constexpr unsigned unquantize_endpoint(BiseRange range, unsigned value) {
  if (range.base == 1) return replicate_to_8(value, range.bits);
  const unsigned low = value & ((1u << range.bits) - 1);
  const unsigned digit = value >> range.bits;
  const UnquantizeRule rule = endpoint_rule(range);
  unsigned spread = 0;
  for (char c : rule.spread) spread = spread << 1 | (c == '0' ? 0u : (low >> (c - 'a')) & 1u);
  const unsigned a = low & 1 ? 0x1ffu : 0u;
  const unsigned t = (digit * rule.factor + spread) ^ a;
  return (a & 0x80) | (t >> 2);
}

// [quantized endpoint] -> its 8-bit value. A member, because GCC exports variable templates from shared objects.
template <unsigned kRange>
struct EndpointValues {
  static constexpr auto kTable = [] {
    std::array<std::uint8_t, kBiseRanges[kRange].levels> t{};
    for (unsigned q = 0; q < t.size(); ++q)
      t[q] = static_cast<std::uint8_t>(unquantize_endpoint(kBiseRanges[kRange], q));
    return t;
  }();
};

}  // namespace assetc::codec
