#include "codec/block/bc7_block.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "codec/block/bits128.hpp"

namespace assetc::codec {
namespace {

// Mirrors the indices of one subset if the top bit of its anchor's index is 1. Returns whether it did.
bool normalize(TexelIndices& index, unsigned bits, const Bc7Mode& mode, unsigned partition, unsigned subset) {
  if (!(index[bc7_anchor(mode.subset_count, partition, subset)] >> (bits - 1))) return false;
  const unsigned all = (1u << bits) - 1;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    if (bc7_subset(mode.subset_count, partition, t) == subset) index[t] = static_cast<std::uint8_t>(all - index[t]);
  return true;
}

// Writes the indices of a plane without the top bits of the anchors.
void put_indices(BitWriter& out, const TexelIndices& index, unsigned bits, const Bc7Mode& mode, unsigned partition) {
  std::uint64_t packed = pack_indices(index.data(), bits);
  std::array<unsigned, 3> anchors = {0, 0, 0};
  for (unsigned s = 1; s < mode.subset_count; ++s) anchors[s] = bc7_anchor(mode.subset_count, partition, s);
  if (mode.subset_count == 3 && anchors[1] > anchors[2]) std::swap(anchors[1], anchors[2]);
  for (unsigned s = mode.subset_count; s-- > 0;) packed = remove_bit(packed, anchors[s] * bits + bits - 1);
  out.add(packed, kBlockTexels * bits - mode.subset_count);
}

void take_indices(BitReader& in, TexelIndices& index, unsigned bits, const Bc7Mode& mode, unsigned partition) {
  std::uint32_t anchors = 0;
  for (unsigned s = 0; s < mode.subset_count; ++s) anchors |= 1u << bc7_anchor(mode.subset_count, partition, s);
  for (unsigned t = 0; t < kBlockTexels; ++t) index[t] = static_cast<std::uint8_t>(in.take(bits - (anchors >> t & 1)));
}

template <unsigned kMode>
void pack_mode(const Bc7Block& source, std::uint8_t* bytes) {
  constexpr Bc7Mode mode = kBc7Modes[kMode];
  constexpr bool two_planes = mode.second_index_bits != 0;
  Bc7Block block = source;
  const unsigned index_bits = mode.index_bits, second_bits = mode.second_index_bits;
  for (unsigned s = 0; s < mode.subset_count; ++s) {
    auto& [low, high] = block.ends[s];
    if constexpr (two_planes) {
      // With index_select, the second indices belong to the colors.
      const bool first = normalize(block.index, index_bits, mode, 0, 0);
      const bool second = normalize(block.second_index, second_bits, mode, 0, 0);
      const bool color = block.index_select ? second : first;
      if (color) std::swap(low, high);
      if (first != second) std::swap(low.a, high.a);
    } else if (normalize(block.index, index_bits, mode, block.partition, s)) {
      std::swap(low, high);
      if constexpr (mode.p_bits == 2) std::swap(block.p[s][0], block.p[s][1]);
    }
  }

  BitWriter out;
  out.add(1u << kMode, kMode + 1);
  out.add(block.partition, mode.partition_bits);
  out.add(block.rotation, mode.rotation_bits);
  out.add(block.index_select, mode.index_select_bits);
  constexpr unsigned channels = mode.alpha_bits ? 4 : 3;
  for (unsigned c = 0; c < channels; ++c) {
    const unsigned bits = c == 3 ? mode.alpha_bits : mode.color_bits;
    for (unsigned s = 0; s < mode.subset_count; ++s)
      out.add(block.ends[s][0][c] | static_cast<unsigned>(block.ends[s][1][c]) << bits, 2 * bits);
  }
  for (unsigned s = 0; s < mode.subset_count; ++s)
    for (unsigned i = 0; i < mode.p_bits; ++i) out.add(block.p[s][i], 1);
  put_indices(out, block.index, index_bits, mode, block.partition);
  if constexpr (two_planes) put_indices(out, block.second_index, second_bits, mode, 0);
  out.bits().store(bytes);
}

// Widens a channel of an endpoint to 8 bits.
unsigned widen(unsigned value, unsigned bits) {
  value <<= 8 - bits;
  return value | value >> bits;
}

std::uint8_t lerp(unsigned low, unsigned high, unsigned weight) {
  return static_cast<std::uint8_t>((low * (64 - weight) + high * weight + 32) >> 6);
}

unsigned weight_of(unsigned bits, unsigned index) {
  return bits == 2 ? kBc7Weights2[index] : bits == 3 ? kBc7Weights3[index] : kBc7Weights4[index];
}

// BC7 mode 5 with index 1: for every 8-bit value, a pair of 7-bit endpoints whose interpolation gives it exactly.
struct SolidPair {
  std::uint8_t low, high;
};
constexpr auto kSolidMode5 = [] {
  std::array<SolidPair, 256> t{};
  std::array<bool, 256> found{};
  // Close pairs are tried first. The endpoints of a pair differ by at most 3.
  for (unsigned apart = 0; apart < 8; ++apart) {
    for (unsigned low = 0; low + apart < 128; ++low) {
      const unsigned high = low + apart, wide_low = low << 1 | low >> 6, wide_high = high << 1 | high >> 6;
      const unsigned v = (wide_low * 43 + wide_high * 21 + 32) >> 6;
      if (!found[v]) found[v] = true, t[v] = {static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high)};
    }
  }
  for (bool f : found)
    if (!f) std::unreachable();  // a color has no pair
  return t;
}();

}  // namespace

void pack_bc7_solid(Rgba8 c, std::uint8_t* out) {
  // Mode 5. Every first index is 1. Every second index is 0, and both alpha endpoints are the alpha.
  Bits128 bits{0x20, 0};
  const std::array<SolidPair, 3> pairs = {kSolidMode5[c.r], kSolidMode5[c.g], kSolidMode5[c.b]};
  for (unsigned i = 0; i < 3; ++i) bits.put(8 + 14 * i, 14, pairs[i].low | static_cast<unsigned>(pairs[i].high) << 7);
  bits.put(50, 16, c.a * 257u);
  bits.put(66, 31, remove_bit(0x55555555u, 1));
  bits.store(out);
}

void pack_bc7(const Bc7Block& block, std::uint8_t* out) {
  switch (block.mode) {
    case 0:
      return pack_mode<0>(block, out);
    case 1:
      return pack_mode<1>(block, out);
    case 2:
      return pack_mode<2>(block, out);
    case 3:
      return pack_mode<3>(block, out);
    case 4:
      return pack_mode<4>(block, out);
    case 5:
      return pack_mode<5>(block, out);
    case 6:
      return pack_mode<6>(block, out);
    default:
      return pack_mode<7>(block, out);
  }
}

bool unpack_bc7(const std::uint8_t* bytes, Bc7Block& block) {
  if (bytes[0] == 0) return false;
  block.mode = static_cast<std::uint8_t>(std::countr_zero(bytes[0]));
  const Bc7Mode& mode = kBc7Modes[block.mode];
  BitReader in(Bits128::load(bytes), block.mode + 1u);
  const auto take = [&](unsigned bits) { return static_cast<std::uint8_t>(in.take(bits)); };
  block.partition = take(mode.partition_bits);
  block.rotation = take(mode.rotation_bits);
  block.index_select = take(mode.index_select_bits);
  block.ends = {};
  block.p = {};
  const unsigned channels = mode.alpha_bits ? 4 : 3;
  for (unsigned c = 0; c < channels; ++c)
    for (unsigned s = 0; s < mode.subset_count; ++s)
      for (auto& end : {&block.ends[s][0], &block.ends[s][1]})
        end->set(c, take(c == 3 ? mode.alpha_bits : mode.color_bits));
  for (unsigned s = 0; s < mode.subset_count; ++s)
    for (unsigned i = 0; i < mode.p_bits; ++i) block.p[s][i] = take(1);
  take_indices(in, block.index, mode.index_bits, mode, block.partition);
  if (mode.second_index_bits) take_indices(in, block.second_index, mode.second_index_bits, mode, 0);
  return true;
}

BlockTexels decode_bc7(const std::uint8_t* bytes) {
  BlockTexels texels{};
  Bc7Block block;
  if (!unpack_bc7(bytes, block)) return texels;
  const Bc7Mode& mode = kBc7Modes[block.mode];

  std::array<std::array<Rgba8, 2>, 3> ends{};
  const unsigned p_bit = mode.p_bits ? 1 : 0;
  for (unsigned s = 0; s < mode.subset_count; ++s) {
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned p = mode.p_bits == 1 ? block.p[s][0] : block.p[s][i];
      for (unsigned c = 0; c < 4; ++c) {
        const unsigned bits = c == 3 ? mode.alpha_bits : mode.color_bits;
        if (bits == 0) {
          ends[s][i].a = 255;
          continue;
        }
        const unsigned v = p_bit ? block.ends[s][i][c] << 1 | p : block.ends[s][i][c];
        ends[s][i].set(c, static_cast<std::uint8_t>(widen(v, bits + p_bit)));
      }
    }
  }

  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const auto& [low, high] = ends[bc7_subset(mode.subset_count, block.partition, t)];
    unsigned color_weight = weight_of(mode.index_bits, block.index[t]);
    unsigned alpha_weight = color_weight;
    if (mode.second_index_bits) {
      alpha_weight = weight_of(mode.second_index_bits, block.second_index[t]);
      if (block.index_select) std::swap(color_weight, alpha_weight);
    }
    Rgba8 texel = {lerp(low.r, high.r, color_weight), lerp(low.g, high.g, color_weight),
                   lerp(low.b, high.b, color_weight), lerp(low.a, high.a, alpha_weight)};
    if (block.rotation == 1) std::swap(texel.a, texel.r);
    if (block.rotation == 2) std::swap(texel.a, texel.g);
    if (block.rotation == 3) std::swap(texel.a, texel.b);
    texels[t] = texel;
  }
  return texels;
}

}  // namespace assetc::codec
