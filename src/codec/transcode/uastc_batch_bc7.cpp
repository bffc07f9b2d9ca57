// UASTC to BC7 without the logical block. Weights stay packed: the weights of both formats have the same order and
// nearly the same values. Each quantized endpoint gives its BC7 value by one table look-up.
#include <array>
#include <cstdint>

#include "codec/block/bc7_block.hpp"
#include "codec/block/bise_endpoint.hpp"
#include "codec/block/bits128.hpp"
#include "codec/block/uastc_fields.hpp"
#include "codec/transcode/uastc_batch.hpp"
#include "codec/transcode/uastc_bc7_ends.hpp"

namespace assetc::codec {
namespace {

// [quantized endpoint] -> bits 0 to 7: its value in BC7 with a p bit of 0; bits 8 to 15: with a p bit of 1; above,
// signed: by how much the squared error is larger with a p bit of 1.
template <unsigned kRange, unsigned kBits>
constexpr auto kEndsWithP = [] {
  std::array<std::int32_t, kBiseRanges[kRange].levels> t{};
  for (unsigned q = 0; q < t.size(); ++q) {
    const unsigned v = unquantize_endpoint(kBiseRanges[kRange], q);
    const Bc7End zero = kBc7EndWithP<kBits>[0][v], one = kBc7EndWithP<kBits>[1][v];
    t[q] = (one.error * one.error - zero.error * zero.error) * 65536 + one.value * 256 + zero.value;
  }
  return t;
}();

// [8-bit value] -> the nearest value of kBits bits.
template <unsigned kBits>
constexpr auto kWithoutP = [] {
  std::array<std::uint8_t, 256> t{};
  for (unsigned v = 0; v < 256; ++v) t[v] = bc7_end_without_p<kBits>(v);
  return t;
}();

// Two endpoints of a subset: [low, high] of each channel, and the p bit of each.
struct Bc7Ends {
  std::array<std::array<unsigned, 2>, 4> value{};
  std::array<unsigned, 2> p{};
};

// The endpoints of a subset with p bits. q: the quantized endpoints of the subset.
template <unsigned kMode, unsigned kBits, bool kShared = false>
[[gnu::always_inline]] inline Bc7Ends ends_with_p(const std::uint8_t* q) {
  constexpr UastcMode mode = kUastcModes[kMode];
  constexpr const auto& table = kEndsWithP<mode.endpoint_range, kBits>;
  constexpr bool gray = mode.component_count() == 2;
  constexpr unsigned channels = mode.has_alpha() ? 4 : 3;
  std::array<std::array<std::int32_t, 2>, 4> found{};
  std::array<std::int32_t, 2> worse{};
#pragma GCC unroll 4
  for (unsigned c = 0; c < channels; ++c) {
    const unsigned stored = gray ? (c == 3) : c;
    for (unsigned i = 0; i < 2; ++i) {
      found[c][i] = table[q[2 * stored + i]];
      worse[i] += found[c][i] >> 16;
    }
  }
  if constexpr (kShared) worse[0] = worse[1] = worse[0] + worse[1];
  Bc7Ends ends;
  for (unsigned i = 0; i < 2; ++i) {
    ends.p[i] = worse[i] < 0;
#pragma GCC unroll 4
    for (unsigned c = 0; c < channels; ++c)
      ends.value[c][i] = static_cast<unsigned>(found[c][i]) >> (8 * ends.p[i]) & 255;
  }
  return ends;
}

// The 63 bits of mode 6's indices.
template <unsigned kWeightBits>
[[gnu::always_inline]] inline std::uint64_t to_index4(UastcPackedWeights weights) {
  constexpr const auto& map = kBc7Index4[kWeightBits];
  std::uint64_t index = 0;
  if constexpr (kWeightBits == 4) {
    static_assert([] {
      for (unsigned w = 0; w < 16; ++w)
        if (map[w] != w) return false;
      return true;
    }());
    index = weights.low;
  } else if constexpr (kWeightBits == 3) {
    static_assert([] {
      for (unsigned w = 0; w < 8; ++w)
        if (map[w] != (w << 1 | w >> 2)) return false;
      return true;
    }());
    const auto widen = [](std::uint64_t v) {  // 16 fields of 3 bits to 4 bits
      v = (v & 0xffffffu) | (v & 0xffffff000000u) << 8;
      v = (v & 0x00000fff00000fffu) | (v & 0x00fff00000fff000u) << 4;
      v = (v & 0x003f003f003f003fu) | (v & 0x0fc00fc00fc00fc0u) << 2;
      return (v & 0x0707070707070707u) | (v & 0x3838383838383838u) << 1;
    };
    const std::uint64_t w = widen(weights.low);
    index = w << 1 | (w >> 2 & 0x1111111111111111u);
  } else if constexpr (kWeightBits == 2) {
    static_assert([] {
      for (unsigned w = 0; w < 4; ++w)
        if (map[w] != 5 * w) return false;
      return true;
    }());
    std::uint64_t w = weights.low & 0xffffffffu;
    w = (w | w << 16) & 0x0000ffff0000ffffu;
    w = (w | w << 8) & 0x00ff00ff00ff00ffu;
    w = (w | w << 4) & 0x0f0f0f0f0f0f0f0fu;
    w = (w | w << 2) & 0x3333333333333333u;
    index = w | w << 2;
  } else {
    // Two weights a look-up.
    static constexpr auto pairs = [] {
      std::array<std::uint8_t, 1024> t{};
      for (unsigned w = 0; w < 1024; ++w) t[w] = static_cast<std::uint8_t>(map[w & 31] | map[w >> 5] << 4);
      return t;
    }();
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i) {
      index |= std::uint64_t{pairs[weights.low >> (10 * i) & 1023]} << (8 * i);
      index |= std::uint64_t{pairs[weights.high >> (10 * i) & 1023]} << (8 * i + 32);
    }
  }
  return remove_bit(index, 3);  // the weight of the anchor, texel 0, has a top bit of 0
}

template <unsigned kMode>
[[gnu::always_inline]] inline Bits128 to_mode6(Bits128 in) {
  using Fields = UastcFields<kMode>;
  std::uint8_t q[Fields::kValues];
  Fields::endpoints(in, q);
  Bc7Ends ends = ends_with_p<kMode, 7>(q);
  if constexpr (!Fields::kInfo.has_alpha()) ends.value[3] = {127, 127};
  std::uint64_t low = 0x40;
#pragma GCC unroll 4
  for (unsigned c = 0; c < 4; ++c) low |= std::uint64_t{ends.value[c][0] | ends.value[c][1] << 7} << (7 + 14 * c);
  return {low | std::uint64_t{ends.p[0]} << 63, ends.p[1] | to_index4<Fields::kWeightBits>(Fields::weights(in, 0))
                                                                << 1};
}

template <unsigned kMode>
[[gnu::always_inline]] inline Bits128 to_mode5(Bits128 in) {
  using Fields = UastcFields<kMode>;
  constexpr UastcMode mode = Fields::kInfo;
  constexpr const auto& value = EndpointValues<mode.endpoint_range>::kTable;
  std::uint8_t q[Fields::kValues];
  Fields::endpoints(in, q);
  const unsigned selector = Fields::selector(in);

  // BC7 gives the second indices to alpha, then exchanges alpha with the rotated channel.
  std::array<std::uint32_t, 2> ends;
  for (unsigned i = 0; i < 2; ++i) {
    std::uint32_t e;
    if constexpr (mode.component_count() == 2)
      e = value[q[i]] * 0x010101u | std::uint32_t{value[q[2 + i]]} << 24;
    else
      e = value[q[i]] | value[q[2 + i]] << 8 | value[q[4 + i]] << 16 |
          (mode.component_count() == 4 ? std::uint32_t{value[q[6 + i]]} : 255u) << 24;
    const std::uint32_t exchange = (e >> (8 * selector) ^ e >> 24) & 255;
    ends[i] = e ^ exchange << 24 ^ exchange << (8 * selector);
    if (selector == 3) ends[i] = e;
  }
  Bits128 out{0x20u | ((selector + 1) & 3) << 6, 0};
#pragma GCC unroll 3
  for (unsigned c = 0; c < 3; ++c)
    out.low |= std::uint64_t{kWithoutP<7>[ends[0] >> (8 * c) & 255] |
                             static_cast<unsigned>(kWithoutP<7>[ends[1] >> (8 * c) & 255]) << 7}
               << (8 + 14 * c);
  out.put(50, 16, ends[0] >> 24 | ends[1] >> 24 << 8);

  const std::uint64_t planes = separate_planes<mode.weight_bits>(Fields::weights(in, 0).low);
  std::uint64_t first, second;
  if constexpr (mode.weight_bits == 2) {
    first = planes & 0xffffffffu, second = planes >> 32;
  } else {
    const auto widen = [](std::uint64_t v) {  // weights 0 and 1 are BC7's 0 and 3
      v = (v | v << 8) & 0x00ff00ffu;
      v = (v | v << 4) & 0x0f0f0f0fu;
      v = (v | v << 2) & 0x33333333u;
      return ((v | v << 1) & 0x55555555u) * 3;
    };
    first = widen(planes & 0xffffu), second = widen(planes >> 16 & 0xffffu);
  }
  out.put(66, 31, remove_bit(first, 1));
  out.put(97, 31, remove_bit(second, 1));
  return out;
}

// Modes with two or three subsets in BC7.
template <unsigned kMode>
[[gnu::always_inline]] inline Bits128 to_subsets(Bits128 in) {
  using Fields = UastcFields<kMode>;
  constexpr UastcMode mode = Fields::kInfo;
  constexpr bool whole = mode.partitions == PartitionList::kNone;  // mode 1: both subsets have the same endpoints
  constexpr unsigned bc7_mode = kMode == 2 ? 1 : kMode == 3 || kMode == 7 ? 2 : kMode == 1 || kMode == 4 ? 3 : 7;
  constexpr Bc7Mode to = kBc7Modes[bc7_mode];
  constexpr unsigned subsets = to.subset_count, channels = to.alpha_bits ? 4 : 3, bits = to.color_bits;
  constexpr unsigned index_bits = to.index_bits;
  static_assert(index_bits == mode.weight_bits);
  constexpr unsigned per_subset = 2 * mode.component_count();

  const unsigned number = whole ? 0 : Fields::partition(in);
  const auto& shape = [&]() -> const UastcPartition& {
    if constexpr (whole)
      return kUastcWhole;
    else
      return uastc_partitions(mode.partitions)[number];
  }();
  const UastcSplit& split = [&]() -> const UastcSplit& {
    if constexpr (whole)
      return kUastcTwoSplits2[0];  // BC7's partition 0
    else
      return uastc_splits<mode.partitions, mode.weight_bits>()[number];
  }();
  std::uint8_t q[Fields::kValues];
  Fields::endpoints(in, q);
  std::uint64_t index = Fields::weights(in, number).low;

  std::array<Bc7Ends, subsets> ends;
#pragma GCC unroll 3
  for (unsigned s = 0; s < subsets; ++s) {
    const std::uint8_t* mine = q + (whole ? 0 : shape.subset_of_bc7[s] * per_subset);
    if constexpr (to.p_bits != 0) {
      ends[s] = ends_with_p < kMode, bits, to.p_bits == 1 > (mine);
    } else {
      for (unsigned c = 0; c < channels; ++c)
        for (unsigned i = 0; i < 2; ++i)
          ends[s].value[c][i] = kWithoutP<bits>[EndpointValues<mode.endpoint_range>::kTable[mine[2 * c + i]]];
    }
    // The top bit of an anchor must be 0. The anchor of subset 0, texel 0, is also an anchor of UASTC.
    if (s > 0) {
      const std::uint64_t mirror = index >> split.bc7_anchor[s] & 1;
      index ^= split.bc7_subset[s] & (0 - mirror);
      for (unsigned c = 0; c < channels; ++c) {
        const unsigned exchange = (ends[s].value[c][0] ^ ends[s].value[c][1]) & (0 - static_cast<unsigned>(mirror));
        ends[s].value[c][0] ^= exchange;
        ends[s].value[c][1] ^= exchange;
      }
      const unsigned exchange = (ends[s].p[0] ^ ends[s].p[1]) & static_cast<unsigned>(mirror);
      ends[s].p[0] ^= exchange;
      ends[s].p[1] ^= exchange;
    }
  }

  BitWriter out;
  out.add(1u << bc7_mode, bc7_mode + 1);
  out.add(whole ? 0 : shape.bc7_partition, 6);
#pragma GCC unroll 4
  for (unsigned c = 0; c < channels; ++c)
#pragma GCC unroll 3
    for (unsigned s = 0; s < subsets; ++s) out.add(ends[s].value[c][0] | ends[s].value[c][1] << bits, 2 * bits);
#pragma GCC unroll 3
  for (unsigned s = 0; s < subsets; ++s)
#pragma GCC unroll 2
    for (unsigned i = 0; i < to.p_bits; ++i) out.add(ends[s].p[i], 1);
#pragma GCC unroll 3
  for (unsigned s = 0; s < subsets; ++s) index -= (index & split.from_bc7_anchor[s]) >> 1;
  out.add(index, kBlockTexels * index_bits - subsets);
  return out.bits();
}

template <unsigned kMode>
[[gnu::always_inline]] inline Bits128 to_bc7(Bits128 in) {
  if constexpr (kUastcModes[kMode].plane_count == 2)
    return to_mode5<kMode>(in);
  else if constexpr (kMode == 1 || kUastcModes[kMode].partitions != PartitionList::kNone)
    return to_subsets<kMode>(in);
  else
    return to_mode6<kMode>(in);
}

}  // namespace

void batch_to_bc7(const std::uint8_t* blocks, const UastcBatch& batch, std::uint8_t* out) {
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      to_bc7<kMode>(Bits128::load(blocks + queue[i] * 16)).store(out + queue[i] * 16);
  });
  for_each_solid(
      batch, [&](std::size_t n) { pack_bc7_solid(uastc_solid_color(Bits128::load(blocks + n * 16)), out + n * 16); });
}

}  // namespace assetc::codec
