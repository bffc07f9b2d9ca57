// The fields of a UASTC block at their places in its 16 bytes. Each mode has one class, so that every position is a
// constant. unpack_uastc and the transcoders read blocks through it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "codec/block/bise.hpp"
#include "codec/block/bits128.hpp"
#include "codec/block/index_bits.hpp"
#include "codec/block/uastc_tables.hpp"

namespace assetc::codec {

// [number of digits] -> the bits of a last group of trits or quints that may be partly filled.
inline constexpr std::array<std::uint8_t, 6> kTritGroupBits = {0, 2, 4, 5, 7, 8};
inline constexpr std::array<std::uint8_t, 4> kQuintGroupBits = {0, 3, 5, 7};

constexpr unsigned group_size(BiseRange range) { return range.base == 3 ? 5 : range.base == 5 ? 3 : 0; }
constexpr unsigned group_bits(BiseRange range, unsigned filled) {
  return range.base == 3 ? kTritGroupBits[filled] : kQuintGroupBits[filled];
}

// [number] -> its digits of base 3 or 5, one a byte, the first lowest. UASTC stores a group of digits as a plain
// number. A number that is too large for its group is accepted: the digits above the group's last are dropped.
// A member, because GCC exports variable templates from shared objects.
template <unsigned kBase>
struct UastcDigits {
  static constexpr auto kTable = [] {
    std::array<std::uint64_t, 256> t{};
    for (unsigned i = 0; i < t.size(); ++i)
      for (unsigned number = i, at = 0; at < 8 * (kBase == 3 ? 5u : 3u); at += 8, number /= kBase)
        t[i] |= std::uint64_t{number % kBase} << at;
    return t;
  }();
};

// The weights of a UASTC block, packed side by side. high is used only by mode 18, whose weights need 80 bits: low has
// the first eight weights and high the others.
struct UastcPackedWeights {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// The color of a solid block.
inline Rgba8 uastc_solid_color(Bits128 bits) {
  const auto color = static_cast<std::uint32_t>(bits.low >> kUastcModes[kUastcSolidMode].code_bits);
  return {static_cast<std::uint8_t>(color), static_cast<std::uint8_t>(color >> 8),
          static_cast<std::uint8_t>(color >> 16), static_cast<std::uint8_t>(color >> 24)};
}

// Separates the weights of two planes, 32 fields of 1 or 2 bits: those of plane 0 go to the low half of
// the fields, those of plane 1 to the high half.
template <unsigned kBits>
constexpr std::uint64_t separate_planes(std::uint64_t v) {
  const auto exchange = [&v](unsigned by, std::uint64_t mask) {
    const std::uint64_t t = (v ^ v >> by) & mask;
    v ^= t ^ t << by;
  };
  if (kBits == 1) exchange(1, 0x2222222222222222u);
  exchange(2, 0x0c0c0c0c0c0c0c0cu);
  exchange(4, 0x00f000f000f000f0u);
  exchange(8, 0x0000ff000000ff00u);
  if (kBits == 2) exchange(16, 0x00000000ffff0000u);
  return v;
}

template <unsigned kMode>
struct UastcFields {
  static constexpr UastcMode kInfo = kUastcModes[kMode];
  static constexpr BiseRange kRange = kBiseRanges[kInfo.endpoint_range];
  static constexpr unsigned kValues = kInfo.endpoint_value_count();
  static constexpr unsigned kGroup = group_size(kRange);
  static constexpr unsigned kWeightBits = kInfo.weight_bits;

  static constexpr bool kInDouble = kInfo.weight_count() * kWeightBits > 64;  // the weights need both words
  static constexpr unsigned kHintsAt = kInfo.code_bits;
  static constexpr unsigned kPartitionAt = kHintsAt + kInfo.hint_bits();
  static constexpr unsigned kSelectorAt = kPartitionAt + kInfo.partition_bits();
  static constexpr unsigned kDigitsAt = kSelectorAt + (kInfo.stores_selector ? 2 : 0);
  static constexpr unsigned kBitsAt =
      kDigitsAt + (kGroup == 0 ? 0
                               : kValues / std::max(kGroup, 1u) * group_bits(kRange, kGroup) +
                                     group_bits(kRange, kValues % std::max(kGroup, 1u)));
  static constexpr unsigned kWeightsAt = kBitsAt + kValues * kRange.bits;
  static_assert(kWeightsAt + kInfo.weight_count() * kWeightBits - kInfo.plane_count * kInfo.subset_count() <= 128,
                "the mode fits its block");
  static_assert(kValues * kRange.bits <= 64);

  static unsigned partition(Bits128 bits) { return bits.get(kPartitionAt, kInfo.partition_bits()); }

  // The channel of plane 1. Requires a mode with two planes.
  static unsigned selector(Bits128 bits) { return kInfo.stores_selector ? bits.get(kSelectorAt, 2) : 3; }

  // The quantized endpoints, in the order of UastcBlock::endpoints.
  [[gnu::always_inline]] static void endpoints(Bits128 bits, std::uint8_t* out) {
    const std::uint64_t low_bits = bits.window(kBitsAt);
    constexpr std::uint64_t mask = (1u << kRange.bits) - 1;
    if constexpr (kGroup == 0) {
#pragma GCC unroll 18
      for (unsigned i = 0; i < kValues; ++i) out[i] = static_cast<std::uint8_t>(low_bits >> (i * kRange.bits) & mask);
    } else {
      constexpr unsigned whole = group_bits(kRange, kGroup);
#pragma GCC unroll 6
      for (unsigned first = 0; first < kValues; first += kGroup) {
        const unsigned filled = std::min(kGroup, kValues - first);
        const unsigned number = bits.get(kDigitsAt + first / kGroup * whole, group_bits(kRange, filled));
        const std::uint64_t digits = UastcDigits<kRange.base>::kTable[number] << kRange.bits;
#pragma GCC unroll 5
        for (unsigned i = 0; i < filled; ++i)
          out[first + i] =
              static_cast<std::uint8_t>((digits >> (8 * i)) | (low_bits >> ((first + i) * kRange.bits) & mask));
      }
    }
  }

  // The weights, with the top bits of the anchors, which are not stored and are 0. partition: of the block; ignored by
  // modes with one subset.
  [[gnu::always_inline]] static UastcPackedWeights weights(Bits128 bits, unsigned partition) {
    const std::uint64_t stored = bits.window(kWeightsAt);
    if constexpr (kInDouble) {
      static_assert(kWeightBits == 5);
      return {insert_zero(stored & ((std::uint64_t{1} << 39) - 1), 4), bits.window(kWeightsAt + 39)};
    } else if constexpr (kInfo.plane_count == 2) {
      return {insert_zero(insert_zero(mask_stored(stored), kWeightBits - 1), 2 * kWeightBits - 1)};
    } else if constexpr (kInfo.subset_count() == 1) {
      return {insert_zero(mask_stored(stored), kWeightBits - 1)};
    } else {
      std::uint64_t w = mask_stored(stored);
      const auto& from_anchor = uastc_splits<kInfo.partitions, kWeightBits>()[partition].from_anchor;
      for (unsigned s = 0; s < kInfo.subset_count(); ++s) w += w & from_anchor[s];
      return {w};
    }
  }

 private:
  static constexpr std::uint64_t mask_stored(std::uint64_t w) {
    constexpr unsigned count = kInfo.weight_count() * kWeightBits - kInfo.plane_count * kInfo.subset_count();
    return w & ((std::uint64_t{1} << count) - 1);
  }
};

}  // namespace assetc::codec
