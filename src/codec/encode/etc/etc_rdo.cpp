#include "codec/encode/etc/etc_rdo.hpp"

#include <algorithm>
#include <array>

#include "codec/block/etc_bits.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/encode/rdo/family_parts.hpp"

namespace assetc::codec {
namespace {

// ---- ETC2 RGB: repeated as a whole. Its halves have colors of their own, so no line fits the texels. ----

RdoFamily color_family(const std::array<float, 4>& weights) {
  return {
      .load = load_rgb,
      .decode = [](const RdoBytes& block) { return decode_etc2_rgb(block.data()); },
      .kind = [](const RdoBytes&, const BlockTexels&) { return std::uint8_t{0}; },
      .tail_bit = [](std::uint8_t) { return 0u; },
      .allows = [](const RdoTexels&, std::uint8_t, RdoReuse) { return true; },
      .line = nullptr,
      .fit_ends = nullptr,
      .fit_weights = nullptr,
      .weights = weights,
  };
}

// ---- EAC: the texels are base + multiplier * modifier, by the table of the block. The codes are the tail. ----

constexpr unsigned kCodesBit = 16;
constexpr int kLargestModifier = 15;
// The position of modifier 0 and the distance of modifiers, on a line from -15 at 0.
constexpr std::int32_t kModifierStep = 2;

// The modifier of each texel.
std::array<int, kBlockTexels> modifiers_of(const RdoBytes& block) {
  const std::uint64_t codes = load_big_endian(block.data());
  std::array<int, kBlockTexels> modifiers;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    modifiers[t] = kEacModifiers[block[1] & 15][codes >> (45 - 3 * etc_position(t)) & 7];
  return modifiers;
}

RdoLine eac_line(const RdoBytes& block, const std::array<float, 4>&) {
  const auto& table = kEacModifiers[block[1] & 15];
  const int multiplier = std::max(1, block[1] >> 4);
  const auto value = [&](int modifier) {
    return Rgba8{static_cast<std::uint8_t>(std::clamp(block[0] + modifier * multiplier, 0, 255)), 0, 0, 255};
  };
  RdoLine line{.ends = {value(table[3]), value(table[7])}, .levels = 8, .anchor_levels = 8};
  const auto modifiers = modifiers_of(block);
  for (unsigned t = 0; t < kBlockTexels; ++t)
    line.weights[t] = static_cast<std::uint8_t>(modifiers[t] + kLargestModifier);
  return line;
}

bool eac_fit_ends(RdoBytes& block, const RdoTexels& source) {
  const auto modifiers = modifiers_of(block);
  LineFit fit;
  for (unsigned t = 0; t < kBlockTexels; ++t) fit.add(source, t, (modifiers[t] + kLargestModifier) * kModifierStep);
  const auto [low, high] = fit.ends(0);
  const float step = (high - low) * static_cast<float>(kModifierStep) / 64;
  const int multiplier = static_cast<int>(std::clamp(step + 0.5f, 1.0f, 15.5f));
  float base = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    base += static_cast<float>(source.planes[0][t] - multiplier * modifiers[t]);
  block[0] = static_cast<std::uint8_t>(std::clamp(base / 16 + 0.5f, 0.0f, 255.0f));
  block[1] = static_cast<std::uint8_t>(multiplier << 4 | (block[1] & 15));
  return true;
}

template <EacKind kKind>
BlockTexels decode_eac(const RdoBytes& block) {
  if constexpr (kKind == EacKind::kR11) {
    return decode_eac_r11(block.data());
  } else {
    BlockTexels texels{};
    decode_eac_alpha(block.data(), texels);
    for (Rgba8& t : texels) t = {t.a, 0, 0, 255};
    return texels;
  }
}

template <EacKind kKind>
RdoFamily eac_family(BlockTexels (*load)(const TexelView&, std::size_t), float weight) {
  return {
      .load = load,
      .decode = decode_eac<kKind>,
      .kind = [](const RdoBytes&, const BlockTexels&) { return std::uint8_t{0}; },
      .tail_bit = [](std::uint8_t) { return kCodesBit; },
      // A head has two bytes, which are too few for a match.
      .allows = [](const RdoTexels&, std::uint8_t, RdoReuse reuse) { return reuse != RdoReuse::kHead; },
      .line = eac_line,
      .fit_ends = eac_fit_ends,
      .fit_weights = nullptr,
      .weights = {weight, 0, 0, 0},
      .channels = 1,
  };
}

}  // namespace

void apply_etc_rdo(EtcFormat format, const TexelView& image, const EncodeOptions& options,
                   std::span<std::byte> blocks) {
  const std::array<float, 4> weights = channel_weights_of(options);
  const auto apply = [&](std::span<const RdoFamily> families) {
    apply_block_rdo(image, options, families, etc_block_bytes(format), blocks);
  };
  switch (format) {
    case EtcFormat::kEtc2Rgb:
      return apply(std::array{color_family(weights)});
    case EtcFormat::kEtc2Rgba:
      return apply(std::array{eac_family<EacKind::kAlpha>(load_alpha, weights[3]), color_family(weights)});
    case EtcFormat::kEacR11:
      return apply(std::array{eac_family<EacKind::kR11>(load_wide<0>, weights[0])});
    case EtcFormat::kEacRg11:
      return apply(std::array{eac_family<EacKind::kR11>(load_wide<0>, weights[0]),
                              eac_family<EacKind::kR11>(load_wide<1>, weights[1])});
  }
}

}  // namespace assetc::codec
