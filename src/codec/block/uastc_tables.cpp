#include "codec/block/uastc_tables.hpp"

#include <algorithm>
#include <utility>

#include "codec/block/bc7_tables.hpp"

namespace assetc::codec {
namespace {

// A partition that both formats have: its BC7 number and its ASTC seed.
struct SharedShape {
  std::uint8_t bc7_partition;
  std::uint16_t astc_seed;
};

constexpr std::array<SharedShape, kUastcTwoCount> kTwoShapes = {{
    {0, 28},   {1, 20},   {2, 16},   {3, 29},   {4, 91},   {5, 9},    {6, 107},  {7, 72},   {8, 149},  {9, 204},
    {10, 50},  {11, 114}, {12, 496}, {13, 17},  {14, 78},  {15, 39},  {17, 252}, {18, 828}, {19, 43},  {20, 156},
    {21, 116}, {22, 210}, {23, 476}, {24, 273}, {25, 684}, {26, 359}, {29, 246}, {32, 195}, {33, 694}, {52, 524},
}};
constexpr std::array<SharedShape, kUastcThreeCount> kThreeShapes = {{
    {4, 260},
    {8, 74},
    {9, 32},
    {10, 156},
    {11, 183},
    {12, 15},
    {13, 745},
    {20, 0},
    {35, 335},
    {36, 902},
    {57, 254},
}};
constexpr std::array<SharedShape, kUastcTwoOfThreeCount> kTwoOfThreeShapes = {{
    {10, 36},  {11, 48},  {0, 61},  {2, 137},  {8, 161},  {13, 183}, {1, 226},  {33, 281}, {40, 302}, {20, 307},
    {21, 479}, {58, 495}, {3, 593}, {32, 594}, {59, 605}, {34, 799}, {20, 812}, {14, 988}, {31, 993},
}};

// Does not compile if a BC7 subset has texels of two ASTC subsets.
consteval UastcPartition make_partition(SharedShape shape, unsigned astc_subsets, unsigned bc7_subsets) {
  UastcPartition p{shape.astc_seed, shape.bc7_partition, {}, {}, {}};
  std::array<int, 3> seen = {-1, -1, -1}, paired = {-1, -1, -1};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned s = astc_subset(shape.astc_seed, t % 4, t / 4, astc_subsets);
    const unsigned b = bc7_subset(bc7_subsets, shape.bc7_partition, t);
    p.subset[t] = static_cast<std::uint8_t>(s);
    if (seen[s] < 0) p.anchor[s] = static_cast<std::uint8_t>(seen[s] = static_cast<int>(t));
    if (paired[b] >= 0 && paired[b] != static_cast<int>(s)) std::unreachable();  // the shapes differ
    p.subset_of_bc7[b] = static_cast<std::uint8_t>(paired[b] = static_cast<int>(s));
  }
  for (unsigned s = 0; s < astc_subsets; ++s)
    if (seen[s] < 0) std::unreachable();  // an empty subset
  for (unsigned b = 0; b < bc7_subsets; ++b)
    if (paired[b] < 0) std::unreachable();  // an empty BC7 subset
  return p;
}

template <std::size_t N>
consteval std::array<UastcPartition, N> make_partitions(const std::array<SharedShape, N>& shapes, unsigned astc_subsets,
                                                        unsigned bc7_subsets) {
  std::array<UastcPartition, N> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = make_partition(shapes[i], astc_subsets, bc7_subsets);
  return all;
}

template <std::size_t N>
consteval std::array<UastcSplit, N> make_splits(const std::array<UastcPartition, N>& partitions, unsigned astc_subsets,
                                                unsigned bc7_subsets, unsigned weight_bits) {
  std::array<UastcSplit, N> all{};
  for (std::size_t i = 0; i < N; ++i) {
    const UastcPartition& p = partitions[i];
    UastcSplit& split = all[i];
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      const std::uint64_t mine = ((std::uint64_t{1} << weight_bits) - 1) << (t * weight_bits);
      split.subset[p.subset[t]] |= mine;
      split.bc7_subset[bc7_subset(bc7_subsets, p.bc7_partition, t)] |= mine;
    }
    const auto top_bit = [&](unsigned texel) {
      return static_cast<std::uint8_t>(texel * weight_bits + weight_bits - 1);
    };
    const auto up_from = [](unsigned bit) { return ~std::uint64_t{0} << bit; };
    std::array<std::uint8_t, 3> anchors = p.anchor;
    std::sort(anchors.begin(), anchors.begin() + astc_subsets);
    for (unsigned s = 0; s < astc_subsets; ++s) split.from_anchor[s] = up_from(top_bit(anchors[s]));
    for (unsigned s = 0; s < bc7_subsets; ++s)
      anchors[s] = split.bc7_anchor[s] = top_bit(bc7_anchor(bc7_subsets, p.bc7_partition, s));
    std::sort(anchors.begin(), anchors.begin() + bc7_subsets);
    for (unsigned s = 0; s < bc7_subsets; ++s) split.from_bc7_anchor[bc7_subsets - 1 - s] = up_from(anchors[s]);
  }
  return all;
}

constexpr unsigned kReservedCode = 0x45;
constexpr unsigned kReservedCodeBits = 7;

consteval std::array<std::uint8_t, 128> make_mode_of_code() {
  std::array<std::uint8_t, 128> t{};
  for (unsigned bits = 0; bits < 128; ++bits) {
    int found = (bits & ((1u << kReservedCodeBits) - 1)) == kReservedCode ? static_cast<int>(kUastcModeCount) : -1;
    for (unsigned m = 0; m < kUastcModeCount; ++m) {
      if ((bits & ((1u << kUastcModes[m].code_bits) - 1)) != kUastcModes[m].code) continue;
      if (found >= 0) std::unreachable();  // two codes fit
      found = static_cast<int>(m);
    }
    if (found < 0) std::unreachable();  // no code fits
    t[bits] = static_cast<std::uint8_t>(found);
  }
  return t;
}

}  // namespace

constinit const std::array<std::uint8_t, 128> kUastcModeOfCode = make_mode_of_code();
constexpr std::array<UastcPartition, kUastcTwoCount> kUastcTwo = make_partitions(kTwoShapes, 2, 2);
constexpr std::array<UastcPartition, kUastcThreeCount> kUastcThree = make_partitions(kThreeShapes, 3, 3);
constexpr std::array<UastcPartition, kUastcTwoOfThreeCount> kUastcTwoOfThree = make_partitions(kTwoOfThreeShapes, 2, 3);
constinit const std::array<UastcSplit, kUastcTwoCount> kUastcTwoSplits2 = make_splits(kUastcTwo, 2, 2, 2);
constinit const std::array<UastcSplit, kUastcTwoCount> kUastcTwoSplits3 = make_splits(kUastcTwo, 2, 2, 3);
constinit const std::array<UastcSplit, kUastcThreeCount> kUastcThreeSplits2 = make_splits(kUastcThree, 3, 3, 2);
constinit const std::array<UastcSplit, kUastcTwoOfThreeCount> kUastcTwoOfThreeSplits2 =
    make_splits(kUastcTwoOfThree, 2, 3, 2);
constinit const UastcPartition kUastcWhole{};

std::span<const UastcPartition> uastc_partitions(PartitionList list) {
  switch (list) {
    case PartitionList::kTwo:
      return kUastcTwo;
    case PartitionList::kThree:
      return kUastcThree;
    case PartitionList::kTwoOfThree:
      return kUastcTwoOfThree;
    case PartitionList::kNone:
      break;
  }
  return {&kUastcWhole, 1};
}

}  // namespace assetc::codec
