#include "codec/transcode/etc1s_transcode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "assetc/codec/transcode.hpp"
#include "base/plural.hpp"
#include "codec/block/astc_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/block/bise.hpp"
#include "codec/block/etc_bits.hpp"
#include "codec/block/uastc_block.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc {
namespace codec {

bool unpack_etc1s(const std::uint8_t* in, Etc1sBlock& out) {
  const std::uint64_t bits = load_big_endian(in);
  constexpr std::uint64_t kDifferential = std::uint64_t{1} << 33;
  constexpr std::uint64_t kDeltas = std::uint64_t{7} << 56 | std::uint64_t{7} << 48 | std::uint64_t{7} << 40;
  const auto field = [&](unsigned at, unsigned mask) { return static_cast<std::uint8_t>(bits >> at & mask); };
  const std::uint8_t table = field(37, 7);
  if ((bits & (kDifferential | kDeltas)) != kDifferential || field(34, 7) != table) return false;
  Etc1Block block;
  block.diff = true;
  block.base[0] = {field(59, 31), field(51, 31), field(43, 31)};
  block.table[0] = table;
  out.palette = block.palette(0);
  constexpr std::array<std::uint8_t, 4> kLevelOfCode = {2, 3, 1, 0};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned at = etc_position(t);
    out.levels[t] = kLevelOfCode[(bits >> (16 + at) & 1) << 1 | (bits >> at & 1)];
  }
  return true;
}

namespace {

// alpha: null if the block is opaque.
void to_texels(const Etc1sBlock& color, const Etc1sBlock* alpha, BlockTexels& texels) {
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const Rgb8 c = color.palette[color.levels[t]];
    texels[t] = {c.r, c.g, c.b, alpha != nullptr ? alpha->alpha(t) : std::uint8_t{255}};
  }
}

// The levels that a block uses, one bit for each.
unsigned used_levels(const Etc1sBlock& block) {
  unsigned used = 0;
  for (const std::uint8_t level : block.levels) used |= 1u << level;
  return used;
}
unsigned lowest(unsigned used) { return static_cast<unsigned>(std::countr_zero(used)); }
unsigned highest(unsigned used) { return static_cast<unsigned>(std::bit_width(used)) - 1; }

// Up to four colors, the number of texels that have each, and a line between two endpoints that UASTC can represent.
struct Line {
  std::array<Rgba8, 4> colors{};
  std::array<unsigned, 4> counts{};
  // 8 bits, not yet quantized.
  Rgba8 low{}, high{};
  std::array<std::uint8_t, 4> weights{};  // [level] -> the index of the weight

  void choose_weights(const UastcMode& mode, const EndpointRange& range, unsigned first, unsigned last) {
    for (unsigned level = 0; level < 4; ++level) {
      unsigned best = ~0u;
      for (unsigned w = 0; w < 1u << mode.weight_bits; ++w) {
        const int at = kWeightValues[mode.weight_bits][w];
        unsigned error = 0;
        for (unsigned c = first; c <= last; ++c) {
          const int from = range.unquantized[range.nearest[low[c]]], to = range.unquantized[range.nearest[high[c]]];
          const int d = (from * (64 - at) + to * at + 32) / 64 - colors[level][c];
          error += static_cast<unsigned>(d * d);
        }
        if (error < best) best = error, weights[level] = static_cast<std::uint8_t>(w);
      }
    }
  }
  // Fits the endpoints to the weights by least squares.
  void fit_ends(const UastcMode& mode, unsigned first, unsigned last) {
    std::int64_t aa = 0, ab = 0, bb = 0;
    for (unsigned level = 0; level < 4; ++level) {
      const std::int64_t b = kWeightValues[mode.weight_bits][weights[level]], a = 64 - b, n = counts[level];
      aa += n * a * a, ab += n * a * b, bb += n * b * b;
    }
    const std::int64_t determinant = aa * bb - ab * ab;
    if (determinant == 0) return;
    for (unsigned c = first; c <= last; ++c) {
      std::int64_t a_sum = 0, b_sum = 0;
      for (unsigned level = 0; level < 4; ++level) {
        const std::int64_t b = kWeightValues[mode.weight_bits][weights[level]];
        a_sum += counts[level] * (64 - b) * colors[level][c], b_sum += counts[level] * b * colors[level][c];
      }
      const auto end = [&](std::int64_t sum) {
        const std::int64_t value = (64 * sum * 2 + determinant) / (2 * determinant);
        return static_cast<std::uint8_t>(std::clamp<std::int64_t>(value, 0, 255));
      };
      low.set(c, end(bb * a_sum - ab * b_sum));
      high.set(c, end(aa * b_sum - ab * a_sum));
    }
  }
};

std::array<unsigned, 4> count_levels(const Etc1sBlock& block) {
  std::array<unsigned, 4> counts{};
  for (const std::uint8_t level : block.levels) ++counts[level];
  return counts;
}

// Converts to a block of UASTC, which both BC7 and ASTC can represent.
UastcBlock to_uastc(const Etc1sBlock& color, const Etc1sBlock* alpha) {
  const unsigned colors = used_levels(color), alphas = alpha != nullptr ? used_levels(*alpha) : 1;
  Line line, alpha_line;
  for (unsigned level = 0; level < 4; ++level) {
    const Rgb8 c = color.palette[level];
    line.colors[level] = {c.r, c.g, c.b, alpha != nullptr ? alpha->palette[lowest(alphas)].g : std::uint8_t{255}};
    if (alpha != nullptr) alpha_line.colors[level].a = alpha->palette[level].g;
  }
  line.counts = count_levels(color);
  line.low = line.colors[lowest(colors)];
  line.high = line.colors[highest(colors)];
  alpha_line.low = alpha_line.colors[lowest(alphas)];
  alpha_line.high = alpha_line.colors[highest(alphas)];

  const bool few_colors = std::popcount(colors) <= 2, few_alphas = std::popcount(alphas) <= 2;
  const bool one_alpha = alpha_line.low.a == alpha_line.high.a, is_opaque = one_alpha && line.low.a == 255;
  UastcBlock out;
  if (one_alpha && line.low == line.high) {
    out.solid_color = line.low;
    return out;
  }
  // Two colors are exact in a mode with 8-bit endpoints. Four need more weights.
  out.mode = static_cast<std::uint8_t>(is_opaque                  ? (few_colors ? 5 : 0)
                                       : one_alpha                ? (few_colors ? 14 : 12)
                                       : few_colors && few_alphas ? 13
                                                                  : 11);
  const UastcMode& mode = kUastcModes[out.mode];
  const EndpointRange& range = endpoint_range(mode.endpoint_range);
  line.choose_weights(mode, range, 0, 2);
  if (!few_colors) {
    line.fit_ends(mode, 0, 2);
    line.choose_weights(mode, range, 0, 2);
  }
  if (mode.plane_count == 2) {
    out.component_selector = 3;
    alpha_line.counts = count_levels(*alpha);
    alpha_line.choose_weights(mode, range, 3, 3);
    if (!few_alphas) {
      alpha_line.fit_ends(mode, 3, 3);
      alpha_line.choose_weights(mode, range, 3, 3);
    }
    line.low.a = alpha_line.low.a;
    line.high.a = alpha_line.high.a;
  }
  for (unsigned c = 0; c < mode.component_count(); ++c) {
    out.endpoints[2 * c] = range.nearest[line.low[c]];
    out.endpoints[2 * c + 1] = range.nearest[line.high[c]];
  }
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    out.weights[t * mode.plane_count] = line.weights[color.levels[t]];
    if (mode.plane_count == 2) out.weights[t * 2 + 1] = alpha_line.weights[alpha->levels[t]];
  }
  return out;
}

}  // namespace

bool decode_etc1s(const std::uint8_t* in, bool has_alpha, BlockTexels& texels) {
  Etc1sBlock color, alpha;
  if (!unpack_etc1s(has_alpha ? in + 8 : in, color) || (has_alpha && !unpack_etc1s(in, alpha))) return false;
  to_texels(color, has_alpha ? &alpha : nullptr, texels);
  return true;
}

std::unexpected<Error> refuse_etc1s(std::size_t index) {
  return fail_at(ErrorCode::kInvalidData, "block " + std::to_string(index),
                 "found an ETC1 block of two colors or tables, expected ETC1S, which has one of each",
                 "encode the texture again; the file is damaged or not ETC1S");
}

namespace {

bool is_one_value(const TexelIndices& values) {
  return std::all_of(values.begin(), values.end(), [&](std::uint8_t v) { return v == values[0]; });
}

TexelIndices channel_of(const BlockTexels& texels, unsigned channel) {
  TexelIndices values;
  for (unsigned t = 0; t < kBlockTexels; ++t) values[t] = texels[t][channel];
  return values;
}

void channel_to_eac(const BlockTexels& texels, unsigned channel, EacKind kind, std::uint8_t* out) {
  const TexelIndices values = channel_of(texels, channel);
  is_one_value(values) ? encode_eac_solid(values[0], kind, out) : encode_eac(values, kind, out);
}

void channel_to_bc4(const BlockTexels& texels, unsigned channel, std::uint8_t* out) {
  const TexelIndices values = channel_of(texels, channel);
  is_one_value(values) ? encode_bc4_solid(values[0], out) : encode_bc4(texels, channel, out);
}

void color_to_bc1(const Etc1sBlock& color, const BlockTexels& texels, std::uint8_t* out) {
  if (!is_one_value(color.levels)) return encode_bc1(texels, out);
  encode_bc1_solid(texels[0], out);
}

// Converts one block. in: the 8 bytes of color, unchanged.
void convert(BlockFormat target, const std::uint8_t* in, const Etc1sBlock& color, const Etc1sBlock* alpha,
             const TranscodeOptions& options, std::uint8_t* out) {
  using enum BlockFormat;
  if (target == kEtc1) {
    std::memcpy(out, in, 8);
    return;
  }
  if (target == kBc7) return uastc_to_bc7(to_uastc(color, alpha), out);
  if (target == kAstc4x4) {
    pack_astc(to_uastc(color, alpha), out);
    return;
  }
  BlockTexels texels;
  to_texels(color, alpha, texels);
  switch (target) {
    case kRgba8:
      std::memcpy(out, texels.data(), sizeof texels);
      break;
    case kBc1:
      color_to_bc1(color, texels, out);
      break;
    case kBc3:
      channel_to_bc4(texels, 3, out);
      color_to_bc1(color, texels, out + 8);
      break;
    case kBc5:
      channel_to_bc4(texels, options.second_channel, out + 8);
      [[fallthrough]];
    case kBc4:
      channel_to_bc4(texels, options.first_channel, out);
      break;
    case kEtc2Rgba:
      channel_to_eac(texels, 3, EacKind::kAlpha, out);
      std::memcpy(out + 8, in, 8);
      break;
    case kEacRg11:
      channel_to_eac(texels, options.second_channel, EacKind::kR11, out + 8);
      [[fallthrough]];
    case kEacR11:
      channel_to_eac(texels, options.first_channel, EacKind::kR11, out);
      break;
    default:
      break;
  }
}

// kInvalidBlockColor. As ETC1 it is one step off, the nearest color that ETC1S has.
struct InvalidEtc1s {
  std::array<std::uint8_t, 8> bytes;
  Etc1sBlock block;
};
InvalidEtc1s invalid_etc1s() {
  Etc1Block etc;
  etc.diff = true;
  etc.base[0] = etc.base[1] = {31, 0, 31};
  TexelIndices levels;
  levels.fill(1);  // the small modifier, darker: magenta's green is clamped to 0
  InvalidEtc1s out;
  pack_etc1(etc, levels, out.bytes.data());
  unpack_etc1s(out.bytes.data(), out.block);
  out.block.palette.fill({kInvalidBlockColor.r, kInvalidBlockColor.g, kInvalidBlockColor.b});
  return out;
}

}  // namespace
}  // namespace codec

Result<void> transcode_etc1s(ByteSpan blocks, BlockFormat source, BlockFormat target, std::span<std::byte> out,
                             const TranscodeOptions& options) {
  const bool has_alpha = source == BlockFormat::kEtc1sAlpha;
  if (!has_alpha && source != BlockFormat::kEtc1s)
    return fail(ErrorCode::kUsage, "found " + std::string(to_string(source)) + " as the source, expected ETC1S");
  if (target == BlockFormat::kUastc || target == BlockFormat::kEtc1s || target == BlockFormat::kEtc1sAlpha)
    return fail(ErrorCode::kUsage,
                "found " + std::string(to_string(target)) + " as the target, expected another format");
  const std::size_t step = block_bytes(source), out_step = block_bytes(target), count = blocks.size() / step;
  const auto expected = checked_mul(count, out_step);
  if (blocks.size() % step != 0 || !expected || out.size() != *expected)
    return fail(ErrorCode::kUsage, "found " + counted(blocks.size(), "byte") + " of ETC1S and room for " +
                                       std::to_string(out.size()) + ", expected whole blocks of " +
                                       std::to_string(step) + " and room for " + std::to_string(out_step) + " each");
  if (options.first_channel > 3 || options.second_channel > 3)
    return fail(ErrorCode::kUsage, "found a channel past 3, expected 0 (red) to 3 (alpha)");
  const auto* in = reinterpret_cast<const std::uint8_t*>(blocks.data());
  auto* to = reinterpret_cast<std::uint8_t*>(out.data());
  codec::Etc1sBlock color, alpha;
  for (std::size_t i = 0; i < count; ++i, in += step, to += out_step) {
    const std::uint8_t* color_bytes = has_alpha ? in + 8 : in;
    if (codec::unpack_etc1s(color_bytes, color) && (!has_alpha || codec::unpack_etc1s(in, alpha))) {
      codec::convert(target, color_bytes, color, has_alpha ? &alpha : nullptr, options, to);
    } else if (options.invalid == InvalidBlocks::kRefuse) {
      return codec::refuse_etc1s(i);
    } else {
      const codec::InvalidEtc1s invalid = codec::invalid_etc1s();
      codec::convert(target, invalid.bytes.data(), invalid.block, nullptr, options, to);
    }
  }
  return {};
}

}  // namespace assetc
