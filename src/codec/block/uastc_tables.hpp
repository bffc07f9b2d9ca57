// UASTC LDR 4x4 in tables: the 19 modes and the partitions that ASTC and BC7 share.
//
// UASTC is a subset of ASTC 4x4 with its own bit packing. The fields of a block, from bit 0: the prefix code of the
// mode, the hints for BC1 and ETC, the partition, the component selector, the endpoints, the weights.
// Source: the UASTC LDR 4x4 texture specification (Binomial LLC).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "assetc/codec/texel.hpp"

namespace assetc::codec {

inline constexpr unsigned kUastcModeCount = 19;
inline constexpr unsigned kUastcSolidMode = 8;
inline constexpr unsigned kUastcMaxEndpointValues = 18;
inline constexpr unsigned kUastcMaxWeights = 32;

// ASTC's numbers for the color endpoint modes that UASTC uses.
enum class EndpointKind : std::uint8_t { kLuminanceAlpha = 4, kRgb = 8, kRgba = 12 };

// The list that a mode's partitions are from.
enum class PartitionList : std::uint8_t {
  kNone,
  kTwo,         // 2 subsets, the same in ASTC and BC7
  kThree,       // 3 subsets, the same in ASTC and BC7
  kTwoOfThree,  // 2 subsets in ASTC; BC7 splits one of them to make 3
};

struct UastcMode {
  std::uint8_t code;  // the prefix code: the low code_bits bits of the block
  std::uint8_t code_bits;
  std::uint8_t weight_bits;
  std::uint8_t plane_count;     // 2: the channel of the component selector has its own weights
  std::uint8_t endpoint_range;  // index into kBiseRanges
  EndpointKind endpoint_kind;
  PartitionList partitions;
  bool has_bc1_hint1;
  bool has_etc1_bias;
  bool stores_selector;  // 2 bits; mode 17 does not store it: its second plane is always alpha (3)
  std::uint16_t astc_block_mode;

  constexpr unsigned subset_count() const {
    return partitions == PartitionList::kNone ? 1 : partitions == PartitionList::kThree ? 3 : 2;
  }
  constexpr unsigned component_count() const {
    return endpoint_kind == EndpointKind::kLuminanceAlpha ? 2 : endpoint_kind == EndpointKind::kRgb ? 3 : 4;
  }
  constexpr bool has_alpha() const { return endpoint_kind != EndpointKind::kRgb; }
  constexpr unsigned endpoint_value_count() const { return subset_count() * component_count() * 2; }
  constexpr unsigned weight_count() const { return kBlockTexels * plane_count; }
  constexpr unsigned partition_bits() const {
    return partitions == PartitionList::kNone ? 0 : partitions == PartitionList::kThree ? 4 : 5;
  }
  // BC1 hint 0, hint 1, ETC1 flip, diff, two 3-bit tables, ETC1 bias, ETC2 alpha table and multiplier.
  constexpr unsigned hint_bits() const {
    return 9u + has_bc1_hint1 + (has_etc1_bias ? 5u : 0u) + (has_alpha() ? 8u : 0u);
  }
};

// Mode 8 is the solid color. Only the code of its row has a meaning.
inline constexpr std::array<UastcMode, kUastcModeCount> kUastcModes = [] {
  using enum EndpointKind;
  using enum PartitionList;
  return std::array<UastcMode, kUastcModeCount>{{
      // code, bits, weight bits, planes, range, kind, partitions, BC1 hint 1, ETC1 bias, selector, ASTC block mode
      {0x01, 4, 4, 1, 19, kRgb, kNone, true, true, false, 0x242},             // 0: BC7 mode 6
      {0x35, 6, 2, 1, 20, kRgb, kNone, true, true, false, 0x042},             // 1: BC7 mode 3
      {0x1d, 5, 3, 1, 8, kRgb, kTwo, true, true, false, 0x053},               // 2: BC7 mode 1
      {0x03, 5, 2, 1, 7, kRgb, kThree, true, true, false, 0x042},             // 3: BC7 mode 2
      {0x13, 5, 2, 1, 12, kRgb, kTwo, true, true, false, 0x042},              // 4: BC7 mode 3
      {0x0b, 5, 3, 1, 20, kRgb, kNone, true, true, false, 0x053},             // 5: BC7 mode 6
      {0x1b, 5, 2, 2, 18, kRgb, kNone, true, true, true, 0x442},              // 6: BC7 mode 5
      {0x07, 5, 2, 1, 12, kRgb, kTwoOfThree, true, true, false, 0x042},       // 7: BC7 mode 2
      {0x17, 5, 0, 0, 20, kRgba, kNone, false, false, false, 0x000},          // 8: solid; BC7 mode 5 or 6
      {0x0f, 5, 2, 1, 8, kRgba, kTwo, true, true, false, 0x042},              // 9: BC7 mode 7
      {0x02, 3, 4, 1, 13, kRgba, kNone, false, false, false, 0x242},          // 10: BC7 mode 6
      {0x00, 2, 2, 2, 13, kRgba, kNone, false, false, true, 0x442},           // 11: BC7 mode 5
      {0x06, 3, 3, 1, 19, kRgba, kNone, false, false, false, 0x053},          // 12: BC7 mode 6
      {0x1f, 5, 1, 2, 20, kRgba, kNone, true, true, true, 0x441},             // 13: BC7 mode 5
      {0x0d, 5, 2, 1, 20, kRgba, kNone, true, true, false, 0x042},            // 14: BC7 mode 6
      {0x05, 7, 4, 1, 20, kLuminanceAlpha, kNone, true, true, false, 0x242},  // 15: BC7 mode 6
      {0x15, 6, 2, 1, 20, kLuminanceAlpha, kTwo, true, true, false, 0x042},   // 16: BC7 mode 7
      {0x25, 6, 2, 2, 20, kLuminanceAlpha, kNone, true, true, false, 0x442},  // 17: BC7 mode 5
      {0x09, 4, 5, 1, 11, kRgb, kNone, true, true, false, 0x253},             // 18: BC7 mode 6
  }};
}();

// [low 7 bits of the first byte] -> the mode of the block. The one reserved code maps to kUastcModeCount.
extern const std::array<std::uint8_t, 128> kUastcModeOfCode;

// A partition that both ASTC and BC7 can represent.
struct UastcPartition {
  std::uint16_t astc_seed;
  std::uint8_t bc7_partition;
  // The subset of each texel, as ASTC numbers them. The endpoints have the same numbering.
  std::array<std::uint8_t, kBlockTexels> subset;
  // The first texel of each subset. Its weight is stored without the top bit, which is 0.
  std::array<std::uint8_t, 3> anchor;
  // [BC7 subset] -> the ASTC subset that contains its texels and has its endpoints.
  std::array<std::uint8_t, 3> subset_of_bc7;
};

inline constexpr unsigned kUastcTwoCount = 30;
inline constexpr unsigned kUastcThreeCount = 11;
inline constexpr unsigned kUastcTwoOfThreeCount = 19;
extern const std::array<UastcPartition, kUastcTwoCount> kUastcTwo;
extern const std::array<UastcPartition, kUastcThreeCount> kUastcThree;
extern const std::array<UastcPartition, kUastcTwoOfThreeCount> kUastcTwoOfThree;
// The partition of modes without subsets: every texel is in subset 0, and texel 0 is the anchor.
extern const UastcPartition kUastcWhole;

// The partitions that a mode can use. With one subset, only kUastcWhole.
std::span<const UastcPartition> uastc_partitions(PartitionList list);

// A partition as masks over weights that are packed side by side, texel 0 lowest.
struct UastcSplit {
  std::array<std::uint64_t, 3> from_anchor;  // all bits from the top bit of an anchor's weight up; anchors ascending
  std::array<std::uint64_t, 3> subset;       // [ASTC subset] -> the weights of its texels
  std::array<std::uint64_t, 3> bc7_subset;   // [BC7 subset] -> the weights of its texels
  std::array<std::uint64_t, 3> from_bc7_anchor;  // as from_anchor, for the anchors of BC7; anchors descending
  std::array<std::uint8_t, 3> bc7_anchor;        // [BC7 subset] -> the position of the top bit of its anchor's weight
};
extern const std::array<UastcSplit, kUastcTwoCount> kUastcTwoSplits2;  // weights of 2 bits
extern const std::array<UastcSplit, kUastcTwoCount> kUastcTwoSplits3;  // weights of 3 bits
extern const std::array<UastcSplit, kUastcThreeCount> kUastcThreeSplits2;
extern const std::array<UastcSplit, kUastcTwoOfThreeCount> kUastcTwoOfThreeSplits2;

// The masks of a list's partitions for weights of kWeightBits bits.
template <PartitionList kList, unsigned kWeightBits>
constexpr const auto& uastc_splits() {
  static_assert(kList != PartitionList::kNone &&
                (kWeightBits == 2 || (kList == PartitionList::kTwo && kWeightBits == 3)));
  if constexpr (kList == PartitionList::kTwo && kWeightBits == 3)
    return kUastcTwoSplits3;
  else if constexpr (kList == PartitionList::kTwo)
    return kUastcTwoSplits2;
  else if constexpr (kList == PartitionList::kThree)
    return kUastcThreeSplits2;
  else
    return kUastcTwoOfThreeSplits2;
}

// The subset of texel (x, y) of a block by ASTC's partition function. small_block: the block has fewer than 31 texels,
// so its coordinates are doubled. Source: Khronos Data Format Specification 1.3, 23.21.
constexpr unsigned astc_subset(unsigned seed, unsigned x, unsigned y, unsigned subset_count, bool small_block = true) {
  if (subset_count < 2) return 0;
  if (small_block) x <<= 1, y <<= 1;
  seed += (subset_count - 1) * 1024;
  std::uint32_t h = seed;
  h ^= h >> 15, h -= h << 17, h += h << 7, h += h << 4, h ^= h >> 5;
  h += h << 16, h ^= h >> 7, h ^= h >> 3, h ^= h << 6, h ^= h >> 17;
  const auto square = [h](unsigned at) { return (h >> at & 15) * (h >> at & 15); };
  const unsigned odd = seed & 2 ? 4 : 5;
  const unsigned even = subset_count == 3 ? 6 : 5;
  const unsigned shift_x = seed & 1 ? odd : even;
  const unsigned shift_y = seed & 1 ? even : odd;
  const auto line = [&](unsigned at_x, unsigned at_y, unsigned offset) {
    return ((square(at_x) >> shift_x) * x + (square(at_y) >> shift_y) * y + (h >> offset)) & 63;
  };
  const unsigned a = line(0, 4, 14);
  const unsigned b = line(8, 12, 10);
  const unsigned c = subset_count >= 3 ? line(16, 20, 6) : 0;
  const unsigned d = subset_count >= 4 ? line(24, 28, 2) : 0;
  if (a >= b && a >= c && a >= d) return 0;
  if (b >= c && b >= d) return 1;
  return c >= d ? 2 : 3;
}

}  // namespace assetc::codec
