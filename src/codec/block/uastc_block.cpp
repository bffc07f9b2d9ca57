#include "codec/block/uastc_block.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "codec/block/bise.hpp"
#include "codec/block/bits128.hpp"
#include "codec/block/index_bits.hpp"
#include "codec/block/uastc_fields.hpp"

namespace assetc::codec {
namespace {

template <unsigned kMode>
bool unpack_mode(Bits128 bits, UastcBlock& out) {
  using Fields = UastcFields<kMode>;
  constexpr UastcMode mode = Fields::kInfo;
  BitReader in(bits, Fields::kHintsAt);

  UastcHints& h = out.hints;
  h.bc1_endpoints = in.take(1) != 0;
  h.bc1_weights = mode.has_bc1_hint1 && in.take(1) != 0;
  h.etc1_flip = in.take(1) != 0;
  h.etc1_diff = in.take(1) != 0;
  h.etc1_table[0] = static_cast<std::uint8_t>(in.take(3));
  h.etc1_table[1] = static_cast<std::uint8_t>(in.take(3));
  if constexpr (mode.has_etc1_bias) h.etc1_bias = static_cast<std::uint8_t>(in.take(5));
  if constexpr (mode.has_alpha()) {
    h.etc2_table = static_cast<std::uint8_t>(in.take(4));
    h.etc2_multiplier = static_cast<std::uint8_t>(in.take(4));
  }
  if constexpr (mode.partitions != PartitionList::kNone) {
    out.partition = static_cast<std::uint8_t>(Fields::partition(bits));
    if (out.partition >= uastc_partitions(mode.partitions).size()) return false;
  }
  if constexpr (mode.plane_count == 2) out.component_selector = static_cast<std::uint8_t>(Fields::selector(bits));
  Fields::endpoints(bits, out.endpoints.data());

  const UastcPackedWeights packed = Fields::weights(bits, out.partition);
  for (unsigned i = 0; i < mode.weight_count(); i += 8) {
    const std::uint64_t from = Fields::kInDouble && i > 0 ? packed.high : packed.low >> (mode.weight_bits * i);
    const std::uint64_t eight = spread_indices(from, mode.weight_bits);
    std::memcpy(&out.weights[i], &eight, 8);
  }
  return true;
}

void unpack_solid(Bits128 bits, UastcBlock& out) {
  BitReader in(bits, kUastcModes[kUastcSolidMode].code_bits);
  const auto byte = [&](unsigned count) { return static_cast<std::uint8_t>(in.take(count)); };
  out.solid_color.r = byte(8);
  out.solid_color.g = byte(8);
  out.solid_color.b = byte(8);
  out.solid_color.a = byte(8);
  out.solid_hints.etc1_diff = in.take(1) != 0;
  out.solid_hints.etc1_table = byte(3);
  out.solid_hints.etc1_selector = byte(2);
  for (auto& c : out.solid_hints.etc1_base) c = byte(5);
}

// Eight weights, one per byte.
using EightWeights = std::uint64_t;
constexpr EightWeights kEach = 0x0101010101010101u;

// 0xff in every byte of subsets that equals subset. Requires bytes below 4.
constexpr EightWeights bytes_of_subset(std::uint64_t subsets, unsigned subset) {
  const std::uint64_t differs = subsets ^ kEach * subset;
  return (~(differs | differs >> 1) & kEach) * 255;
}

// Makes the top bit of every anchor's weight 0. If it is 1, mirrors the weights of its subset and plane and swaps their
// endpoints.
template <unsigned kMode>
void normalize_anchors(const UastcBlock& block, const UastcPartition& partition, EightWeights (&weights)[4],
                       std::array<std::uint8_t, kUastcMaxEndpointValues>& endpoints) {
  constexpr UastcMode mode = kUastcModes[kMode];
  constexpr unsigned top = 1u << (mode.weight_bits - 1), all = (1u << mode.weight_bits) - 1;
  constexpr unsigned planes = mode.plane_count, components = mode.component_count(), subsets = mode.subset_count();
  for (unsigned subset = 0; subset < subsets; ++subset) {
    for (unsigned plane = 0; plane < planes; ++plane) {
      if (!(block.weights[partition.anchor[subset] * planes + plane] & top)) continue;
      for (unsigned i = 0; i < 2 * planes; ++i) {
        EightWeights mine = planes == 2 ? 0x00ff00ff00ff00ffu << 8 * plane : ~EightWeights{0};
        if constexpr (subsets > 1) {
          std::uint64_t of_texels;
          std::memcpy(&of_texels, &partition.subset[8 * i], 8);
          mine = bytes_of_subset(of_texels, subset);
        }
        weights[i] ^= kEach * all & mine;
      }
      for (unsigned c = 0; c < components; ++c) {
        const unsigned channel = components == 2 && c == 1 ? 3 : c;
        if (planes == 2 && (channel == block.component_selector) != (plane == 1)) continue;
        std::uint8_t* pair = &endpoints[(subset * components + c) * 2];
        std::swap(pair[0], pair[1]);
      }
    }
  }
}

// Writes the weights without the top bits of the anchors.
template <unsigned kMode>
void pack_weights(const EightWeights (&weights)[4], const UastcPartition& partition, BitWriter& out) {
  constexpr UastcMode mode = kUastcModes[kMode];
  constexpr unsigned wb = mode.weight_bits, count = mode.weight_count();
  if constexpr (count * wb > 64) {  // mode 18
    out.add(remove_bit(gather_indices(weights[0], wb), wb - 1), 8 * wb - 1);
    out.add(gather_indices(weights[1], wb), 8 * wb);
  } else {
    std::uint64_t packed = 0;
    for (unsigned i = 0; i < count / 8; ++i) packed |= gather_indices(weights[i], wb) << (8 * wb * i);
    // Remove at higher anchors first, because each removal moves the bits above it.
    if constexpr (mode.plane_count == 2) {
      packed = remove_bit(remove_bit(packed, 2 * wb - 1), wb - 1);
    } else {
      std::array<std::uint8_t, 3> anchors = partition.anchor;
      std::sort(anchors.begin(), anchors.begin() + mode.subset_count());
      for (unsigned s = mode.subset_count(); s-- > 0;) packed = remove_bit(packed, anchors[s] * wb + wb - 1);
    }
    out.add(packed, count * wb - mode.plane_count * mode.subset_count());
  }
}

template <unsigned kMode>
void pack_mode(const UastcBlock& block, BitWriter& out) {
  constexpr UastcMode mode = kUastcModes[kMode];
  constexpr BiseRange range = kBiseRanges[mode.endpoint_range];
  constexpr unsigned count = mode.endpoint_value_count();
  constexpr unsigned group = group_size(range);
  const UastcPartition& partition = uastc_partition(block);
  EightWeights weights[4];
  std::memcpy(weights, block.weights.data(), sizeof weights);
  std::array<std::uint8_t, kUastcMaxEndpointValues> endpoints = block.endpoints;
  normalize_anchors<kMode>(block, partition, weights, endpoints);

  out.add(mode.code, mode.code_bits);
  const UastcHints& h = block.hints;
  out.add(h.bc1_endpoints, 1);
  if constexpr (mode.has_bc1_hint1) out.add(h.bc1_weights, 1);
  out.add(h.etc1_flip, 1);
  out.add(h.etc1_diff, 1);
  out.add(h.etc1_table[0], 3);
  out.add(h.etc1_table[1], 3);
  if constexpr (mode.has_etc1_bias) out.add(h.etc1_bias, 5);
  if constexpr (mode.has_alpha()) {
    out.add(h.etc2_table, 4);
    out.add(h.etc2_multiplier, 4);
  }
  if constexpr (mode.partitions != PartitionList::kNone) out.add(block.partition, mode.partition_bits());
  if constexpr (mode.stores_selector) out.add(block.component_selector, 2);

  if constexpr (group != 0) {
    for (unsigned first = 0; first < count; first += group) {
      const unsigned filled = std::min(group, count - first);
      unsigned number = 0;
      for (unsigned i = filled; i-- > 0;) number = number * range.base + (endpoints[first + i] >> range.bits);
      out.add(number, group_bits(range, filled));
    }
  }
  for (unsigned i = 0; i < count; ++i) out.add(endpoints[i] & ((1u << range.bits) - 1), range.bits);
  pack_weights<kMode>(weights, partition, out);
}

void pack_solid(const UastcBlock& block, BitWriter& out) {
  out.add(kUastcModes[kUastcSolidMode].code, kUastcModes[kUastcSolidMode].code_bits);
  const UastcSolidHints& h = block.solid_hints;
  for (unsigned c = 0; c < 4; ++c) out.add(block.solid_color[c], 8);
  out.add(h.etc1_diff, 1);
  out.add(h.etc1_table, 3);
  out.add(h.etc1_selector, 2);
  for (auto c : h.etc1_base) out.add(c, 5);
}

}  // namespace

const UastcPartition& uastc_partition(const UastcBlock& block) {
  const UastcMode& mode = kUastcModes[block.mode];
  return uastc_partitions(mode.partitions)[mode.partitions == PartitionList::kNone ? 0 : block.partition];
}

UastcBytes pack_uastc(const UastcBlock& block) {
  BitWriter out;
  switch (block.mode) {
    case 0:
      pack_mode<0>(block, out);
      break;
    case 1:
      pack_mode<1>(block, out);
      break;
    case 2:
      pack_mode<2>(block, out);
      break;
    case 3:
      pack_mode<3>(block, out);
      break;
    case 4:
      pack_mode<4>(block, out);
      break;
    case 5:
      pack_mode<5>(block, out);
      break;
    case 6:
      pack_mode<6>(block, out);
      break;
    case 7:
      pack_mode<7>(block, out);
      break;
    case 8:
      pack_solid(block, out);
      break;
    case 9:
      pack_mode<9>(block, out);
      break;
    case 10:
      pack_mode<10>(block, out);
      break;
    case 11:
      pack_mode<11>(block, out);
      break;
    case 12:
      pack_mode<12>(block, out);
      break;
    case 13:
      pack_mode<13>(block, out);
      break;
    case 14:
      pack_mode<14>(block, out);
      break;
    case 15:
      pack_mode<15>(block, out);
      break;
    case 16:
      pack_mode<16>(block, out);
      break;
    case 17:
      pack_mode<17>(block, out);
      break;
    case 18:
      pack_mode<18>(block, out);
      break;
    default:
      assert(false);
  }
  UastcBytes bytes;
  out.bits().store(bytes.data());
  return bytes;
}

std::optional<UastcBlock> unpack_uastc(std::span<const std::uint8_t, kUastcBlockBytes> block) {
  std::optional<UastcBlock> out(std::in_place);
  if (!unpack_uastc_into(block.data(), *out)) out.reset();
  return out;
}

bool unpack_uastc_into(const std::uint8_t* block, UastcBlock& out) {
  const Bits128 bits = Bits128::load(block);
  out.mode = kUastcModeOfCode[bits.low & 127];
  switch (out.mode) {
    case 0:
      return unpack_mode<0>(bits, out);
    case 1:
      return unpack_mode<1>(bits, out);
    case 2:
      return unpack_mode<2>(bits, out);
    case 3:
      return unpack_mode<3>(bits, out);
    case 4:
      return unpack_mode<4>(bits, out);
    case 5:
      return unpack_mode<5>(bits, out);
    case 6:
      return unpack_mode<6>(bits, out);
    case 7:
      return unpack_mode<7>(bits, out);
    case 8:
      unpack_solid(bits, out);
      return true;
    case 9:
      return unpack_mode<9>(bits, out);
    case 10:
      return unpack_mode<10>(bits, out);
    case 11:
      return unpack_mode<11>(bits, out);
    case 12:
      return unpack_mode<12>(bits, out);
    case 13:
      return unpack_mode<13>(bits, out);
    case 14:
      return unpack_mode<14>(bits, out);
    case 15:
      return unpack_mode<15>(bits, out);
    case 16:
      return unpack_mode<16>(bits, out);
    case 17:
      return unpack_mode<17>(bits, out);
    case 18:
      return unpack_mode<18>(bits, out);
    default:
      out.mode = kUastcSolidMode;
      return false;
  }
}

std::array<Rgba8, 2> uastc_endpoints(const UastcBlock& block, unsigned subset) {
  const UastcMode& mode = kUastcModes[block.mode];
  const auto& value = endpoint_range(mode.endpoint_range).unquantized;
  const unsigned components = mode.component_count();
  const std::uint8_t* q = &block.endpoints[subset * components * 2];
  std::array<Rgba8, 2> ends;
  for (unsigned i = 0; i < 2; ++i) {
    if (components == 2) {
      const std::uint8_t l = value[q[i]];
      ends[i] = {l, l, l, value[q[2 + i]]};
    } else {
      ends[i] = {value[q[i]], value[q[2 + i]], value[q[4 + i]], components == 4 ? value[q[6 + i]] : std::uint8_t{255}};
    }
  }
  return ends;
}

namespace {

// ASTC's interpolation of two endpoints that are widened to 16 bits. Returns the top 8 bits.
inline std::uint32_t interpolate(std::uint32_t low, std::uint32_t high, std::uint32_t weight) {
  return (low * (64 - weight) + high * weight + 32) >> 14;
}

inline Rgba8 interpolate_texel(const std::array<std::array<std::uint32_t, 4>, 2>& ends, unsigned weight) {
  const auto& [low, high] = ends;
  return {static_cast<std::uint8_t>(interpolate(low[0], high[0], weight)),
          static_cast<std::uint8_t>(interpolate(low[1], high[1], weight)),
          static_cast<std::uint8_t>(interpolate(low[2], high[2], weight)),
          static_cast<std::uint8_t>(interpolate(low[3], high[3], weight))};
}

}  // namespace

BlockTexels decode_uastc(const UastcBlock& block, AstcDecode decode) {
  BlockTexels texels;
  decode_uastc(block, texels, decode);
  return texels;
}

void decode_uastc(const UastcBlock& block, BlockTexels& texels, AstcDecode decode) {
  if (block.mode == kUastcSolidMode) return texels.fill(block.solid_color);
  const UastcMode& mode = kUastcModes[block.mode];
  const auto& weight_value = kWeightValues[mode.weight_bits];
  const unsigned levels = 1u << mode.weight_bits;
  std::array<std::array<Rgba8, 32>, 3> palette;
  for (unsigned s = 0; s < mode.subset_count(); ++s) {
    const std::array<Rgba8, 2> ends = uastc_endpoints(block, s);
    std::array<std::array<std::uint32_t, 4>, 2> wide;
    for (unsigned i = 0; i < 2; ++i)
      for (unsigned c = 0; c < 4; ++c)
        wide[i][c] = ends[i][c] << 8 | (decode == AstcDecode::kSrgb ? 0x80u : ends[i][c]);
    // If the mode has no alpha, the texels are opaque, however colors are widened.
    if (!mode.has_alpha()) wide[0][3] = wide[1][3] = 0xffff;
    for (unsigned w = 0; w < levels; ++w) palette[s][w] = interpolate_texel(wide, weight_value[w]);
  }
  if (mode.plane_count == 2) {
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      texels[t] = palette[0][block.weights[2 * t]];
      texels[t].set(block.component_selector, palette[0][block.weights[2 * t + 1]][block.component_selector]);
    }
  } else {
    const UastcPartition& partition = uastc_partition(block);
    for (unsigned t = 0; t < kBlockTexels; ++t) texels[t] = palette[partition.subset[t]][block.weights[t]];
  }
}

}  // namespace assetc::codec
