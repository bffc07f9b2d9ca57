// UASTC to ASTC without the logical block. Both formats store the same endpoints and weights. Only their packing
// differs.
#include <array>
#include <cstdint>

#include "codec/block/astc_block.hpp"
#include "codec/block/bise_endpoint.hpp"
#include "codec/block/bits128.hpp"
#include "codec/block/uastc_fields.hpp"
#include "codec/transcode/uastc_batch.hpp"

namespace assetc::codec {
namespace {

// If the second RGB endpoint has a smaller sum than the first, ASTC decodes the pair with blue contraction. UASTC never
// uses blue contraction, so such a pair is swapped and its weights are mirrored.
template <unsigned kMode>
[[gnu::always_inline]] inline void swap_contracted(std::uint8_t* q, UastcPackedWeights& weights, unsigned partition) {
  using Fields = UastcFields<kMode>;
  constexpr UastcMode mode = Fields::kInfo;
  constexpr const auto& value = EndpointValues<mode.endpoint_range>::kTable;
  constexpr unsigned components = mode.component_count();
  for (unsigned s = 0; s < mode.subset_count(); ++s) {
    std::uint8_t* mine = q + s * components * 2;
    const int low = value[mine[0]] + value[mine[2]] + value[mine[4]];
    const int high = value[mine[1]] + value[mine[3]] + value[mine[5]];
    const std::uint64_t mask = 0 - static_cast<std::uint64_t>(high < low);
#pragma GCC unroll 4
    for (unsigned c = 0; c < components; ++c) {
      const auto exchange = static_cast<std::uint8_t>((mine[2 * c] ^ mine[2 * c + 1]) & mask);
      mine[2 * c] ^= exchange;
      mine[2 * c + 1] ^= exchange;
    }
    if constexpr (Fields::kInDouble) {
      weights.low ^= mask & ((std::uint64_t{1} << 40) - 1);
      weights.high ^= mask & ((std::uint64_t{1} << 40) - 1);
    } else if constexpr (mode.subset_count() == 1) {
      weights.low ^= mask & (~std::uint64_t{0} >> (64 - mode.weight_count() * mode.weight_bits));
    } else {
      weights.low ^= mask & uastc_splits<mode.partitions, mode.weight_bits>()[partition].subset[s];
    }
  }
}

// ASTC's integer sequence encoding of the endpoints.
template <unsigned kMode>
[[gnu::always_inline]] inline void put_endpoints(BitWriter& out, const std::uint8_t* q) {
  using Fields = UastcFields<kMode>;
  constexpr BiseRange range = Fields::kRange;
  constexpr unsigned count = Fields::kValues, group = Fields::kGroup;
  if constexpr (group == 0) {
#pragma GCC unroll 18
    for (unsigned i = 0; i < count; ++i) out.add(q[i], range.bits);
  } else {
    constexpr unsigned mask = (1u << range.bits) - 1;
#pragma GCC unroll 6
    for (unsigned first = 0; first < count; first += group) {
      const unsigned filled = std::min(group, count - first);
      unsigned number = 0;
      for (unsigned i = filled; i-- > 0;) number = number * range.base + (q[first + i] >> range.bits);
      unsigned packed = range.base == 3 ? kTritPacking[number] : kQuintPacking[number];
      for (unsigned i = 0; i < filled; ++i) {
        const unsigned slice = range.base == 3 ? kTritSlices[i] : kQuintSlices[i % 3];
        out.add((q[first + i] & mask) | (packed & ((1u << slice) - 1)) << range.bits, range.bits + slice);
        packed >>= slice;
      }
    }
  }
}

template <unsigned kMode>
[[gnu::always_inline]] inline Bits128 to_astc(Bits128 in) {
  using Fields = UastcFields<kMode>;
  constexpr UastcMode mode = Fields::kInfo;
  constexpr bool whole = mode.partitions == PartitionList::kNone;
  const unsigned partition = whole ? 0 : Fields::partition(in);
  std::uint8_t q[Fields::kValues];
  Fields::endpoints(in, q);
  UastcPackedWeights weights = Fields::weights(in, partition);
  if constexpr (mode.component_count() >= 3) swap_contracted<kMode>(q, weights, partition);

  BitWriter out;
  out.add(mode.astc_block_mode, kAstcBlockModeBits);
  out.add(mode.subset_count() - 1, kAstcSubsetBits);
  constexpr auto endpoint_mode = static_cast<unsigned>(mode.endpoint_kind);
  if constexpr (whole) {
    out.add(endpoint_mode, kAstcEndpointModeBits);
  } else {
    out.add(uastc_partitions(mode.partitions)[partition].astc_seed, kAstcSeedBits);
    out.add(endpoint_mode << 2, kAstcSharedModeBits);
  }
  put_endpoints<kMode>(out, q);
  Bits128 bits = out.bits();
  // Weights fill the block from its top, with their bits reversed. The component selector lies directly below them.
  if constexpr (mode.plane_count == 2)
    bits.put(128 - mode.weight_count() * mode.weight_bits - kAstcSelectorBits, kAstcSelectorBits, Fields::selector(in));
  if constexpr (Fields::kInDouble) {
    bits.high |= Bits128::reverse(weights.low | weights.high << 40);
    bits.low |= Bits128::reverse(weights.high >> 24);
  } else {
    bits.high |= Bits128::reverse(weights.low);
  }
  return bits;
}

}  // namespace

void batch_to_astc(const std::uint8_t* blocks, const UastcBatch& batch, std::uint8_t* out) {
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      to_astc<kMode>(Bits128::load(blocks + queue[i] * 16)).store(out + queue[i] * 16);
  });
  for_each_solid(
      batch, [&](std::size_t n) { pack_astc_solid(uastc_solid_color(Bits128::load(blocks + n * 16)), out + n * 16); });
}

}  // namespace assetc::codec
