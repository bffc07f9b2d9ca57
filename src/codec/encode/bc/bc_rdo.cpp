#include "codec/encode/bc/bc_rdo.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "codec/block/bc7_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/encode/rdo/family_parts.hpp"

namespace assetc::codec {
namespace {

// The error that the rounding of endpoints to a grid adds: each is off by a uniformly distributed error of up to half a
// step, and the texels mix the errors of both.
constexpr float rounding_of(float step, float weight) { return (step * step - 1) / 12 * 6 * weight; }

// The nearest of `levels` positions on the line between two endpoints.
class Nearest {
 public:
  Nearest(const std::array<Rgba8, 2>& ends, const std::array<float, 4>& weights, unsigned levels) : top_(levels - 1) {
    float length = 0;
    for (unsigned c = 0; c < 4; ++c) {
      const float low = ends[0][c], delta = static_cast<float>(ends[1][c]) - low;
      along_[c] = delta * weights[c];
      length += along_[c] * delta;
      offset_ += along_[c] * low;
    }
    scale_ = static_cast<float>(top_) / std::max(length, 1e-3f);
  }
  unsigned of(const RdoTexels& source, unsigned texel, unsigned top) const {
    float at = -offset_;
    for (unsigned c = 0; c < 4; ++c) at += along_[c] * static_cast<float>(source.planes[c][texel]);
    return static_cast<unsigned>(std::clamp(at * scale_ + 0.5f, 0.0f, static_cast<float>(top)));
  }
  unsigned of(const RdoTexels& source, unsigned texel) const { return of(source, texel, top_); }

 private:
  unsigned top_;
  std::array<float, 4> along_{};
  float offset_ = 0, scale_ = 0;
};

// ---- BC7: mode 6 is split ----

constexpr unsigned kBc7Mode6 = 6, kBc7Mode6TailBit = 65;
// A kind is the mode, with this bit if the block is opaque.
constexpr std::uint8_t kOpaqueKind = 8;

std::uint8_t bc7_kind(const RdoBytes& block, const BlockTexels& decoded) {
  const auto mode = static_cast<std::uint8_t>(std::countr_zero(block[0] | 0x80u));
  return std::ranges::all_of(decoded, [](Rgba8 t) { return t.a == 255; }) ? mode | kOpaqueKind : mode;
}

std::array<Rgba8, 2> mode6_ends(const Bc7Block& block) {
  std::array<Rgba8, 2> ends;
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned c = 0; c < 4; ++c)
      ends[i].set(c, static_cast<std::uint8_t>(block.ends[0][i][c] << 1 | block.p[0][i]));
  return ends;
}

RdoLine bc7_line(const RdoBytes& bytes, const std::array<float, 4>& weights) {
  Bc7Block block;
  unpack_bc7(bytes.data(), block);
  RdoLine line{.ends = mode6_ends(block), .levels = 16, .anchor_levels = 8};
  for (unsigned t = 0; t < kBlockTexels; ++t) line.weights[t] = kBc7Weights4[block.index[t]];
  line.rounding = rounding_of(2, weights[0] + weights[1] + weights[2]);
  return line;
}

bool bc7_fit_ends(RdoBytes& bytes, const RdoTexels& source) {
  Bc7Block block;
  unpack_bc7(bytes.data(), block);
  LineFit fit;
  for (unsigned t = 0; t < kBlockTexels; ++t) fit.add(source, t, kBc7Weights4[block.index[t]]);
  std::array<FittedEnds, 4> ends;
  for (unsigned c = 0; c < 4; ++c) ends[c] = fit.ends(c);
  for (unsigned i = 0; i < 2; ++i) {
    float least = 1e30f;
    for (unsigned p = source.opaque ? 1 : 0; p < 2; ++p) {
      Rgba8 end;
      float miss = 0;
      for (unsigned c = 0; c < 4; ++c) {
        const float wanted = i == 0 ? ends[c].low : ends[c].high;
        const auto q = static_cast<unsigned>(std::clamp((wanted - static_cast<float>(p)) * 0.5f + 0.5f, 0.0f, 127.0f));
        end.set(c, static_cast<std::uint8_t>(c == 3 && source.opaque ? 127u : q));
        const float off = static_cast<float>(q * 2 + p) - wanted;
        miss += off * off * source.weights[c];
      }
      if (miss >= least) continue;
      least = miss;
      block.ends[0][i] = end;
      block.p[0][i] = static_cast<std::uint8_t>(p);
    }
  }
  pack_bc7(block, bytes.data());
  return true;
}

void bc7_fit_weights(RdoBytes& bytes, const RdoTexels& source) {
  Bc7Block block;
  unpack_bc7(bytes.data(), block);
  const Nearest nearest(mode6_ends(block), source.weights, 16);
  for (unsigned t = 0; t < kBlockTexels; ++t)
    block.index[t] = static_cast<std::uint8_t>(nearest.of(source, t, t == 0 ? 7 : 15));
  pack_bc7(block, bytes.data());
}

constexpr RdoFamily kBc7Family = {
    .load = load_rgba,
    .decode = [](const RdoBytes& block) { return decode_bc7(block.data()); },
    .kind = bc7_kind,
    .tail_bit = [](std::uint8_t kind) { return kind % kOpaqueKind == kBc7Mode6 ? kBc7Mode6TailBit : 0u; },
    .allows = [](const RdoTexels& source, std::uint8_t kind,
                 RdoReuse reuse) { return !source.opaque || kind >= kOpaqueKind || reuse == RdoReuse::kTail; },
    .line = bc7_line,
    .fit_ends = bc7_fit_ends,
    .fit_weights = bc7_fit_weights,
};

// ---- BC1 and the color of BC3 ----

constexpr std::uint8_t kOneLine = 0, kOther = 1;  // kinds
// The position on the line of each index, and the reverse.
constexpr std::array<std::uint8_t, 4> kBc1Position = {0, 3, 1, 2}, kBc1Index = {0, 2, 3, 1};

Rgba8 expand565(unsigned color) {
  const unsigned r = color >> 11, g = color >> 5 & 63, b = color & 31;
  return {static_cast<std::uint8_t>(r << 3 | r >> 2), static_cast<std::uint8_t>(g << 2 | g >> 4),
          static_cast<std::uint8_t>(b << 3 | b >> 2), 255};
}

std::array<Rgba8, 2> bc1_ends(const RdoBytes& block) {
  const std::uint64_t word = word_of(block);
  return {expand565(word & 0xffff), expand565(word >> 16 & 0xffff)};
}
unsigned bc1_position(const RdoBytes& block, unsigned texel) {
  return kBc1Position[word_of(block) >> (32 + 2 * texel) & 3];
}

RdoLine bc1_line(const RdoBytes& block, const std::array<float, 4>& weights) {
  RdoLine line{.ends = bc1_ends(block), .levels = 4, .anchor_levels = 4};
  for (unsigned t = 0; t < kBlockTexels; ++t) line.weights[t] = static_cast<std::uint8_t>(bc1_position(block, t));
  line.rounding = rounding_of(255.0f / 31, weights[0] + weights[2]) + rounding_of(255.0f / 63, weights[1]);
  return line;
}

template <bool kAlwaysFour>
bool bc1_fit_ends(RdoBytes& block, const RdoTexels& source) {
  LineFit fit;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    fit.add(source, t, static_cast<std::int32_t>(bc1_position(block, t) * 64 + 1) / 3);
  std::array<Rgba8, 2> ends;
  for (unsigned c = 0; c < 3; ++c) {
    const auto [low, high] = fit.ends(c);
    ends[0].set(c, static_cast<std::uint8_t>(std::clamp(low + 0.5f, 0.0f, 255.0f)));
    ends[1].set(c, static_cast<std::uint8_t>(std::clamp(high + 0.5f, 0.0f, 255.0f)));
  }
  const std::uint64_t first = bc1_color(ends[0]), second = bc1_color(ends[1]);
  // Otherwise, a block of BC1 would have three colors.
  if (!kAlwaysFour && first <= second) return false;
  set_word(block, (word_of(block) & ~std::uint64_t{0xffffffff}) | first | second << 16);
  return true;
}

void bc1_fit_weights(RdoBytes& block, const RdoTexels& source) {
  const Nearest nearest(bc1_ends(block), source.weights, 4);
  std::uint64_t word = word_of(block) & 0xffffffff;
  for (unsigned t = 0; t < kBlockTexels; ++t) word |= std::uint64_t{kBc1Index[nearest.of(source, t)]} << (32 + 2 * t);
  set_word(block, word);
}

template <bool kAlwaysFour>
constexpr RdoFamily bc1_family() {
  return {
      .load = load_rgb,
      .decode =
          [](const RdoBytes& block) {
            if (!kAlwaysFour) return decode_bc1(block.data());
            std::array<std::uint8_t, 16> whole{255, 255};
            std::memcpy(&whole[8], block.data(), 8);
            return decode_bc3(whole.data());
          },
      .kind =
          [](const RdoBytes& block, const BlockTexels&) {
            const std::uint64_t word = word_of(block);
            return kAlwaysFour || (word & 0xffff) > (word >> 16 & 0xffff) ? kOneLine : kOther;
          },
      .tail_bit = [](std::uint8_t kind) { return kind == kOneLine ? 32u : 0u; },
      .allows = [](const RdoTexels&, std::uint8_t, RdoReuse) { return true; },
      .line = bc1_line,
      .fit_ends = bc1_fit_ends<kAlwaysFour>,
      .fit_weights = bc1_fit_weights,
  };
}

// ---- BC4, the channels of BC5 and the alpha of BC3 ----

// The position on the line of eight values of each index, and the reverse.
constexpr std::array<std::uint8_t, 8> kBc4Position = {0, 7, 1, 2, 3, 4, 5, 6}, kBc4Index = {0, 2, 3, 4, 5, 6, 7, 1};

std::array<Rgba8, 2> bc4_ends(const RdoBytes& block) { return {Rgba8{block[0], 0, 0, 255}, {block[1], 0, 0, 255}}; }
unsigned bc4_position(const RdoBytes& block, unsigned texel) {
  return kBc4Position[word_of(block) >> (16 + 3 * texel) & 7];
}

RdoLine bc4_line(const RdoBytes& block, const std::array<float, 4>&) {
  RdoLine line{.ends = bc4_ends(block), .levels = 8, .anchor_levels = 8};
  for (unsigned t = 0; t < kBlockTexels; ++t) line.weights[t] = static_cast<std::uint8_t>(bc4_position(block, t));
  return line;
}

bool bc4_fit_ends(RdoBytes& block, const RdoTexels& source) {
  LineFit fit;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    fit.add(source, t, static_cast<std::int32_t>(bc4_position(block, t) * 64 + 3) / 7);
  const auto [low, high] = fit.ends(0);
  const auto first = static_cast<std::uint8_t>(std::clamp(low + 0.5f, 0.0f, 255.0f)),
             second = static_cast<std::uint8_t>(std::clamp(high + 0.5f, 0.0f, 255.0f));
  if (first <= second) return false;  // it would have six values
  block[0] = first;
  block[1] = second;
  return true;
}

void bc4_fit_weights(RdoBytes& block, const RdoTexels& source) {
  const Nearest nearest(bc4_ends(block), source.weights, 8);
  std::uint64_t word = word_of(block) & 0xffff;
  for (unsigned t = 0; t < kBlockTexels; ++t) word |= std::uint64_t{kBc4Index[nearest.of(source, t)]} << (16 + 3 * t);
  set_word(block, word);
}

RdoFamily bc4_family(BlockTexels (*load)(const TexelView&, std::size_t), float weight) {
  return {
      .load = load,
      .decode = [](const RdoBytes& block) { return decode_bc4(block.data()); },
      .kind = [](const RdoBytes& block, const BlockTexels&) { return block[0] > block[1] ? kOneLine : kOther; },
      .tail_bit = [](std::uint8_t kind) { return kind == kOneLine ? 16u : 0u; },
      .allows = [](const RdoTexels&, std::uint8_t, RdoReuse) { return true; },
      .line = bc4_line,
      .fit_ends = bc4_fit_ends,
      .fit_weights = bc4_fit_weights,
      .weights = {weight, 0, 0, 0},
      .channels = 1,
  };
}

}  // namespace

void apply_bc_rdo(BcFormat format, const TexelView& image, const EncodeOptions& options, std::span<std::byte> blocks) {
  const std::array<float, 4> weights = channel_weights_of(options);
  const auto apply = [&](std::span<const RdoFamily> families) {
    apply_block_rdo(image, options, families, bc_block_bytes(format), blocks);
  };
  const auto with_weights = [&](RdoFamily family) {
    family.weights = weights;
    return family;
  };
  switch (format) {
    case BcFormat::kBc1:
      return apply(std::array{with_weights(bc1_family<false>())});
    case BcFormat::kBc3:
      return apply(std::array{bc4_family(load_alpha, weights[3]), with_weights(bc1_family<true>())});
    case BcFormat::kBc4:
      return apply(std::array{bc4_family(load_wide<0>, weights[0])});
    case BcFormat::kBc5:
      return apply(std::array{bc4_family(load_wide<0>, weights[0]), bc4_family(load_wide<1>, weights[1])});
    case BcFormat::kBc7:
      return apply(std::array{with_weights(kBc7Family)});
  }
}

}  // namespace assetc::codec
