#include "codec/block/astc_block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "codec/block/bise.hpp"
#include "codec/block/bits128.hpp"
#include "codec/block/index_bits.hpp"

namespace assetc::codec {
namespace {

// If the second RGB endpoint has a smaller sum than the first, ASTC decodes the pair with blue contraction. UASTC never
// uses blue contraction, so such a pair is swapped and its weights are mirrored.
void avoid_blue_contraction(const UastcMode& mode, UastcBlock& block) {
  const auto& value = endpoint_range(mode.endpoint_range).unquantized;
  const unsigned components = mode.component_count();
  for (unsigned s = 0; s < mode.subset_count(); ++s) {
    std::uint8_t* q = &block.endpoints[s * components * 2];
    if (value[q[1]] + value[q[3]] + value[q[5]] >= value[q[0]] + value[q[2]] + value[q[4]]) continue;
    for (unsigned c = 0; c < components; ++c) std::swap(q[2 * c], q[2 * c + 1]);
    const auto all = static_cast<std::uint8_t>((1u << mode.weight_bits) - 1);
    const UastcPartition& partition = uastc_partition(block);
    for (unsigned i = 0; i < mode.weight_count(); ++i)
      if (partition.subset[i / mode.plane_count] == s) block.weights[i] ^= all;
  }
}

}  // namespace

void pack_astc_solid(Rgba8 color, std::uint8_t* out) {
  // A void extent without coordinates (all ones) and with UNORM16 colors.
  Bits128 bits{0xdfc | ((std::uint64_t{1} << 52) - 1) << 12, 0};
  for (unsigned c = 0; c < 4; ++c) bits.put(64 + 16 * c, 16, color[c] * 257u);
  bits.store(out);
}

void pack_astc(const UastcBlock& source, std::uint8_t* out) {
  if (source.mode == kUastcSolidMode) return pack_astc_solid(source.solid_color, out);
  BitWriter bits;
  const UastcMode& mode = kUastcModes[source.mode];
  UastcBlock block = source;
  if (mode.component_count() >= 3) avoid_blue_contraction(mode, block);

  const unsigned subsets = mode.subset_count();
  const auto endpoint_mode = static_cast<unsigned>(mode.endpoint_kind);
  bits.add(mode.astc_block_mode, kAstcBlockModeBits);
  bits.add(subsets - 1, kAstcSubsetBits);
  if (subsets == 1) {
    bits.add(endpoint_mode, kAstcEndpointModeBits);
  } else {
    bits.add(uastc_partition(block).astc_seed, kAstcSeedBits);
    bits.add(endpoint_mode << 2, kAstcSharedModeBits);
  }
  bise_encode(bits, mode.endpoint_range, block.endpoints.data(), mode.endpoint_value_count());

  // Weights fill the block from its top, with their bits reversed. The component selector lies directly below them.
  Bits128 weights;
  const unsigned half = 8 * mode.weight_bits;
  for (unsigned i = 0; i < mode.weight_count(); i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, &block.weights[i], 8);
    weights.put(i / 8 * half, half, gather_indices(eight, mode.weight_bits));
  }
  if (mode.plane_count == 2)
    bits.bits().put(128 - mode.weight_count() * mode.weight_bits - kAstcSelectorBits, kAstcSelectorBits,
                    block.component_selector);
  (bits.bits() | weights.reversed()).store(out);
}

namespace {

struct Grid {
  unsigned width = 0, height = 0;
  unsigned weight_range = 0;
  bool dual_plane = false;
};

// Reads the weight grid from a block mode. False for reserved modes.
bool read_grid(unsigned mode, Grid& grid) {
  grid.dual_plane = mode >> 10 & 1;
  bool high_precision = mode >> 9 & 1;
  unsigned range = mode >> 4 & 1;
  const unsigned a = mode >> 5 & 3, b = mode >> 7 & 3;
  if (mode & 3) {
    range |= (mode & 3) << 1;
    switch (mode >> 2 & 3) {
      case 0:
        grid.width = b + 4, grid.height = a + 2;
        break;
      case 1:
        grid.width = b + 8, grid.height = a + 2;
        break;
      case 2:
        grid.width = a + 2, grid.height = b + 8;
        break;
      default:
        if (b & 2)
          grid.width = (b & 1) + 2, grid.height = a + 2;
        else
          grid.width = a + 2, grid.height = b + 6;
    }
  } else {
    range |= (mode >> 2 & 3) << 1;
    switch (b) {
      case 0:
        grid.width = 12, grid.height = a + 2;
        break;
      case 1:
        grid.width = a + 2, grid.height = 12;
        break;
      case 2:
        grid.width = a + 6, grid.height = (mode >> 9 & 3) + 6;
        grid.dual_plane = high_precision = false;
        break;
      default:
        if (a == 0)
          grid.width = 6, grid.height = 10;
        else if (a == 1)
          grid.width = 10, grid.height = 6;
        else
          return false;
    }
  }
  if (range < 2) return false;
  grid.weight_range = range - 2 + (high_precision ? 6 : 0);
  return true;
}

using Wide = std::array<int, 4>;
struct Ends {
  Wide low, high;
};

// The bit transfer of ASTC's offset modes: the top bit of the offset becomes the top bit of the base, and the rest of
// the offset becomes a signed 6-bit number.
void transfer_bit(int& offset, int& base) {
  base = base >> 1 | (offset & 0x80);
  offset = offset >> 1 & 0x3f;
  if (offset & 0x20) offset -= 0x40;
}
int clamp_unorm8(int v) { return std::clamp(v, 0, 255); }
Wide blue_contract(Wide v) { return {(v[0] + v[2]) >> 1, (v[1] + v[2]) >> 1, v[2], v[3]}; }

// Computes the endpoints of an LDR endpoint mode from 8-bit values. False for the HDR modes.
bool read_ends(unsigned mode, const std::uint8_t* in, Ends& e) {
  int v[8];
  for (unsigned i = 0; i < 2 * (mode / 4 + 1); ++i) v[i] = in[i];
  const auto offset_ends = [&](unsigned channels, int alpha_low, int alpha_high) {
    for (unsigned c = 0; c < channels; ++c) transfer_bit(v[2 * c + 1], v[2 * c]);
    const Wide low = {v[0], v[2], v[4], channels == 4 ? v[6] : alpha_low};
    const Wide high = {v[0] + v[1], v[2] + v[3], v[4] + v[5], channels == 4 ? v[6] + v[7] : alpha_high};
    e = v[1] + v[3] + v[5] >= 0 ? Ends{low, high} : Ends{blue_contract(high), blue_contract(low)};
    for (unsigned c = 0; c < 4; ++c) e.low[c] = clamp_unorm8(e.low[c]), e.high[c] = clamp_unorm8(e.high[c]);
  };
  const auto direct_ends = [&](int alpha_low, int alpha_high) {
    const Wide low = {v[0], v[2], v[4], alpha_low}, high = {v[1], v[3], v[5], alpha_high};
    e = v[1] + v[3] + v[5] >= v[0] + v[2] + v[4] ? Ends{low, high} : Ends{blue_contract(high), blue_contract(low)};
  };
  switch (mode) {
    case 0:
      e = {{v[0], v[0], v[0], 255}, {v[1], v[1], v[1], 255}};
      return true;
    case 1: {
      const int low = v[0] >> 2 | (v[1] & 0xc0), high = std::min(low + (v[1] & 0x3f), 255);
      e = {{low, low, low, 255}, {high, high, high, 255}};
      return true;
    }
    case 4:
      e = {{v[0], v[0], v[0], v[2]}, {v[1], v[1], v[1], v[3]}};
      return true;
    case 5: {
      transfer_bit(v[1], v[0]);
      transfer_bit(v[3], v[2]);
      const int high = clamp_unorm8(v[0] + v[1]);
      e = {{v[0], v[0], v[0], v[2]}, {high, high, high, clamp_unorm8(v[2] + v[3])}};
      return true;
    }
    case 6:
    case 10: {
      const int a0 = mode == 10 ? v[4] : 255, a1 = mode == 10 ? v[5] : 255;
      e = {{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, a0}, {v[0], v[1], v[2], a1}};
      return true;
    }
    case 8:
      direct_ends(255, 255);
      return true;
    case 9:
      offset_ends(3, 255, 255);
      return true;
    case 12:
      direct_ends(v[6], v[7]);
      return true;
    case 13:
      offset_ends(4, 0, 0);
      return true;
    default:
      return false;
  }
}

// Reads the color of a void extent. False if it is HDR or its extent is malformed.
bool read_void_extent(const Bits128& bits, Rgba8& color) {
  if (bits.get(9, 1) != 0 || bits.get(10, 2) != 3) return false;
  const unsigned s0 = bits.get(12, 13), s1 = bits.get(25, 13), t0 = bits.get(38, 13), t1 = bits.get(51, 13);
  const bool everywhere = (s0 & s1 & t0 & t1) == 0x1fff;
  if (!everywhere && (s0 >= s1 || t0 >= t1)) return false;
  for (unsigned c = 0; c < 4; ++c) color.set(c, static_cast<std::uint8_t>(bits.get(64 + 16 * c, 16) >> 8));
  return true;
}

using TexelWeights = std::array<unsigned, kAstcMaxTexels>;

// Interpolates the weight of every texel bilinearly from a grid that is not larger than the block.
void infill(AstcShape shape, const Grid& grid, const std::uint8_t* weights, unsigned plane, unsigned planes,
            TexelWeights& out) {
  const auto step_of = [](unsigned side) { return (1024 + side / 2) / (side - 1); };
  const unsigned step_x = step_of(shape.width_texels), step_y = step_of(shape.height_texels);
  for (unsigned t = 0; t < shape.texels(); ++t) {
    const unsigned gx = (step_x * (t % shape.width_texels) * (grid.width - 1) + 32) >> 6;
    const unsigned gy = (step_y * (t / shape.width_texels) * (grid.height - 1) + 32) >> 6;
    const unsigned jx = gx >> 4, fx = gx & 15, jy = gy >> 4, fy = gy & 15;
    const unsigned w11 = (fx * fy + 8) >> 4, w10 = fy - w11, w01 = fx - w11, w00 = 16 - fx - fy + w11;
    const auto at = [&](unsigned x, unsigned y, unsigned factor) {
      return factor == 0 ? 0 : factor * weights[(y * grid.width + x) * planes + plane];
    };
    out[t] = (at(jx, jy, w00) + at(jx + 1, jy, w01) + at(jx, jy + 1, w10) + at(jx + 1, jy + 1, w11) + 8) >> 4;
  }
}

bool decode_block(const Bits128& bits, AstcShape shape, AstcDecode decode, std::span<Rgba8> texels) {
  const unsigned mode = bits.get(0, kAstcBlockModeBits);
  if ((mode & 0x1ff) == 0x1fc) {
    Rgba8 color;
    if (!read_void_extent(bits, color)) return false;
    std::ranges::fill(texels, color);
    return true;
  }
  Grid grid;
  if ((mode & 15) == 0 || !read_grid(mode, grid)) return false;
  const unsigned planes = grid.dual_plane ? 2 : 1;
  const unsigned weight_count = grid.width * grid.height * planes;
  if (grid.width > shape.width_texels || grid.height > shape.height_texels || weight_count > 64) return false;
  const unsigned weight_bits = bise_size_bits(grid.weight_range, weight_count);
  if (weight_bits < 24 || weight_bits > 96) return false;

  BitReader in(bits, kAstcBlockModeBits);
  const unsigned subsets = in.take(kAstcSubsetBits) + 1;
  if (subsets == 4 && grid.dual_plane) return false;
  unsigned below_weights = 128 - weight_bits;  // fields below the weights are read from the top down
  unsigned seed = 0;
  std::array<unsigned, 4> modes{};
  if (subsets == 1) {
    modes[0] = in.take(kAstcEndpointModeBits);
  } else {
    seed = in.take(kAstcSeedBits);
    unsigned field = in.take(kAstcSharedModeBits);
    const unsigned base_class = field & 3;
    if (base_class == 0) {
      modes.fill(field >> 2);
    } else {
      // A class bit and a 2-bit mode for each subset. Bits beyond the first six lie below the weights.
      const unsigned extra = 3 * subsets - 4;
      below_weights -= extra;
      field |= bits.get(below_weights, extra) << kAstcSharedModeBits;
      field >>= 2;
      for (unsigned s = 0; s < subsets; ++s)
        modes[s] = (base_class - 1 + (field >> s & 1)) * 4 + (field >> (subsets + 2 * s) & 3);
    }
  }
  unsigned selector = 0;
  if (grid.dual_plane) {
    below_weights -= kAstcSelectorBits;
    selector = bits.get(below_weights, kAstcSelectorBits);
  }

  unsigned value_count = 0;
  for (unsigned s = 0; s < subsets; ++s) value_count += 2 * (modes[s] / 4 + 1);
  if (value_count > 18 || below_weights < in.position()) return false;
  const unsigned room = below_weights - in.position();
  if (room < (13 * value_count + 4) / 5) return false;
  unsigned range = kBiseRangeCount - 1;
  while (range >= 4 && bise_size_bits(range, value_count) > room) --range;
  if (range < 4) return false;
  std::array<std::uint8_t, 18> values{};
  bise_decode(in, range, values.data(), value_count);
  for (unsigned i = 0; i < value_count; ++i) values[i] = endpoint_range(range).unquantized[values[i]];

  std::array<std::uint8_t, 64> weights{};
  BitReader weight_in(bits.reversed());
  bise_decode(weight_in, grid.weight_range, weights.data(), weight_count);
  for (unsigned i = 0; i < weight_count; ++i) weights[i] = weight_range(grid.weight_range)[weights[i]];
  std::array<TexelWeights, 2> plane_weights{};
  for (unsigned p = 0; p < planes; ++p) infill(shape, grid, weights.data(), p, planes, plane_weights[p]);

  std::array<Ends, 4> ends{};
  std::array<bool, 4> readable{};
  const std::uint8_t* next = values.data();
  for (unsigned s = 0; s < subsets; ++s) {
    readable[s] = read_ends(modes[s], next, ends[s]);
    next += 2 * (modes[s] / 4 + 1);
  }
  const auto widen = [&](int v) { return static_cast<unsigned>(v << 8 | (decode == AstcDecode::kSrgb ? 0x80 : v)); };
  for (unsigned t = 0; t < shape.texels(); ++t) {
    const unsigned s = astc_subset(seed, t % shape.width_texels, t / shape.width_texels, subsets, shape.texels() < 31);
    if (!readable[s]) {
      texels[t] = kAstcErrorColor;
      continue;
    }
    const Ends& e = ends[s];
    for (unsigned c = 0; c < 4; ++c) {
      const unsigned w = plane_weights[grid.dual_plane && c == selector][t];
      texels[t].set(c, static_cast<std::uint8_t>((widen(e.low[c]) * (64 - w) + widen(e.high[c]) * w + 32) >> 14));
    }
  }
  return true;
}

}  // namespace

void decode_astc(const std::uint8_t* in, AstcShape shape, std::span<Rgba8> texels, AstcDecode decode) {
  if (!decode_block(Bits128::load(in), shape, decode, texels)) std::ranges::fill(texels, kAstcErrorColor);
}

BlockTexels decode_astc4x4(const std::uint8_t* in, AstcDecode decode) {
  BlockTexels texels;
  decode_astc(in, {4, 4}, texels, decode);
  return texels;
}

}  // namespace assetc::codec
