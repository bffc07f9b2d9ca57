#include "codec/encode/uastc/uastc_rdo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "codec/block/bc_block.hpp"
#include "codec/block/etc1_bias.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/encode/common/thread_memory.hpp"
#include "codec/encode/rdo/block_rdo.hpp"
#include "codec/encode/uastc/uastc_hints.hpp"
#include "codec/encode/uastc/uastc_rdo_fit.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

// How much the losses of transcodings count relative to the losses of the texels themselves. The fraction for ETC1 and
// EAC grows with lambda: the loss of ETC1 itself hides small losses but not large ones. BC1 counts a part of that
// fraction.
constexpr float kBc7Fraction = 0.25f;
constexpr float kLeastEtcFraction = 0.1f, kEtcFractionByLambda = 0.015f, kMostEtcFraction = 0.95f;
constexpr float kBc1Part = 0.25f;
constexpr float kNoLimit = std::numeric_limits<float>::max();

// The error of the transcoding to ETC1, and of alpha to EAC.
float etc_error(const UastcBlock& block, const BlockTexels& decoded, const RdoTexels& source) {
  std::array<std::uint8_t, 16> out;
  if (source.opaque) {
    uastc_to_etc1(block, decoded, out.data());
    return measure_rdo_error(source, decode_etc2_rgb(out.data()));
  }
  uastc_to_eac_alpha(block, decoded, EacKind::kAlpha, out.data());
  uastc_to_etc1(block, decoded, out.data() + 8);
  return measure_rdo_error(source, decode_etc2_rgba(out.data()));
}

// The weighted errors of the transcodings to BC7, ETC1, EAC and BC1. If the sum exceeds limit, the result may be any
// value above limit.
float transcoding_cost(const UastcBlock& block, const BlockTexels& decoded, const RdoTexels& source, float etc_fraction,
                       float limit) {
  float cost = etc_fraction * etc_error(block, decoded, source);
  if (cost > limit) return cost;
  std::array<std::uint8_t, 16> out;
  uastc_to_bc7(block, out.data());
  cost += kBc7Fraction * measure_rdo_error(source, decode_bc7(out.data()));
  if (cost > limit) return cost;
  uastc_to_bc1(block, decoded, out.data());
  BlockTexels texels = decode_bc1(out.data());
  for (unsigned t = 0; t < kBlockTexels; ++t) texels[t].a = source.texels[t].a;
  return cost + etc_fraction * kBc1Part * measure_rdo_error(source, texels);
}

// Takes the hints of a block of from_mode with similar texels.
void take_hints(UastcBlock& block, const UastcHints& hints, unsigned from_mode) {
  const UastcMode &mode = kUastcModes[block.mode], &from = kUastcModes[from_mode];
  block.hints = hints;
  block.hints.bc1_endpoints = false;
  block.hints.bc1_weights = rdo_splits(block.mode) && mode.weight_bits >= 2 && mode.has_bc1_hint1;
  if (mode.has_etc1_bias != from.has_etc1_bias) block.hints.etc1_bias = mode.has_etc1_bias ? kEtc1NoBias : 0;
  if (mode.has_alpha() && !from.has_alpha()) {
    block.hints.etc2_table = kEacFineTable;
    block.hints.etc2_multiplier = 1;
  }
}

class Segment {
 public:
  Segment(const TexelView& image, std::size_t first, const EncodeOptions& options, std::span<std::byte> blocks)
      : image_(image),
        first_(first),
        lambda_(options.rdo),
        etc_fraction_(std::min(kLeastEtcFraction + kEtcFractionByLambda * options.rdo, kMostEtcFraction)),
        channel_weights_(channel_weights_of(options)),
        blocks_(blocks),
        cost_(blocks, kUastcBlockBytes),
        window_(rdo_search_of(options.effort)) {}

  void run() {
    const std::size_t count = blocks_.size() / kUastcBlockBytes;
    for (std::size_t i = 0; i < count; ++i) {
      const Choice choice = choose(static_cast<std::uint32_t>(i));
      std::memcpy(&blocks_[i * kUastcBlockBytes], choice.bytes.data(), choice.bytes.size());
      cost_.accept(choice.bytes, choice.parse);
      remember(static_cast<std::uint32_t>(i), choice.bytes);
    }
  }

 private:
  struct Choice {
    UastcBytes bytes;
    ZstdCost::Parse parse;
    float cost = 0;
    MatchDistance distance = 0;  // to the block that it was taken from; 0: the encoder's block
  };
  // The block for which the search runs.
  struct Current {
    std::uint32_t at;
    RdoTexels source;
    UastcHints hints;        // the encoder's
    unsigned mode;           // the encoder's
    float lambda;            // for this block, by its smoothness
    float transcoding_cost;  // of the encoder's block
  };

  UastcBytes bytes_at(std::uint32_t i) const {
    UastcBytes b;
    std::memcpy(b.data(), &blocks_[i * kUastcBlockBytes], b.size());
    return b;
  }

  ZstdCost::Parse parse(std::uint32_t at, const UastcBytes& bytes, MatchDistance distance) const {
    return cost_.parse(at, bytes, std::array{distance, MatchDistance{1}, MatchDistance{image_.blocks_across()}});
  }

  Choice choose(std::uint32_t at) {
    Choice best;
    best.bytes = bytes_at(at);
    best.parse = parse(at, best.bytes, 0);
    UastcBlock own;
    unpack_uastc_into(best.bytes.data(), own);
    if (own.mode == kUastcSolidMode) return best;

    BlockTexels texels;
    load_block(image_, first_ + at, texels);
    const RdoTexels source(texels, channel_weights_);
    const BlockTexels decoded = decode_uastc(own);
    const Current current{at,
                          source,
                          own.hints,
                          own.mode,
                          lambda_ / smooth_factor(source),
                          transcoding_cost(own, decoded, source, etc_fraction_, kNoLimit)};
    best.cost = measure_rdo_error(source, decoded) + current.lambda * best.parse.bits;
    const auto candidates = window_.find(
        {source, at, current.lambda, best.cost}, cost_,
        [&](std::uint8_t mode, RdoReuse) { return allows_mode(source, mode); },
        [](unsigned mode) { return (uastc_weights_bit(mode) + 7) / 8; },
        [](unsigned mode) { return kUastcBlockBytes - uastc_weights_bit(mode) / 8; });
    for (const RdoCandidate& candidate : candidates) {
      if (candidate.cost >= best.cost) break;
      try_candidate(candidate, current, best);
    }
    choose_hints_of(current, best);
    return best;
  }

  // Makes candidate the best if it costs less. Tries it with its own hints and with the encoder's.
  void try_candidate(const RdoCandidate& candidate, const Current& current, Choice& best) const {
    const RdoTexels& source = current.source;
    UastcBlock block;
    unpack_uastc_into(bytes_at(candidate.at).data(), block);
    const bool solid = block.mode == kUastcSolidMode;
    if (solid && source.opaque && block.solid_color.a != 255) return;
    if (candidate.reuse == RdoReuse::kTail) {
      refit_endpoints(block, source);
    } else if (candidate.reuse == RdoReuse::kHead) {
      refit_weights(block, source);
    }
    const BlockTexels decoded = decode_uastc(block);
    const float error = measure_rdo_error(source, decoded);
    const MatchDistance distance = current.at - candidate.at;
    if (candidate.reuse != RdoReuse::kTail) consider(block, decoded, error, distance, current, best);
    if (solid) return;
    take_hints(block, current.hints, current.mode);
    consider(block, decoded, error, distance, current, best);
  }

  // Chooses hints for the chosen texels, if these are worth their bits. Then tries similar hints that may take fewer
  // bits.
  void choose_hints_of(const Current& current, Choice& best) const {
    UastcBlock block;
    unpack_uastc_into(best.bytes.data(), block);
    if (block.mode == kUastcSolidMode) return;
    const UastcMode& mode = kUastcModes[block.mode];
    const BlockTexels decoded = decode_uastc(block);
    const float error = measure_rdo_error(current.source, decoded);
    if (best.distance != 0) {
      const UastcHints before = block.hints;
      choose_hints(block, decoded, current.source.texels);
      if (!consider(block, decoded, error, best.distance, current, best)) block.hints = before;
    }
    const auto try_with = [&](auto UastcHints::* hint, auto value) {
      const auto before = block.hints.*hint;
      if (before == value) return;
      block.hints.*hint = value;
      if (!consider(block, decoded, error, best.distance, current, best)) block.hints.*hint = before;
    };
    if (mode.has_etc1_bias) try_with(&UastcHints::etc1_bias, std::uint8_t{kEtc1NoBias});
    for (unsigned half = 0; half < 2; ++half)
      for (const int step : {-1, 1}) {
        auto tables = block.hints.etc1_table;
        const int table = tables[half] + step;
        if (table < 0 || table > 7) continue;
        tables[half] = static_cast<std::uint8_t>(table);
        try_with(&UastcHints::etc1_table, tables);
      }
    try_with(&UastcHints::etc1_diff, !block.hints.etc1_diff);
    if (!rdo_splits(block.mode)) return;  // several lines or a split channel do not match BC1's single line
    try_with(&UastcHints::bc1_endpoints, !block.hints.bc1_endpoints);
    if (mode.has_bc1_hint1) try_with(&UastcHints::bc1_weights, !block.hints.bc1_weights);
  }

  // Makes block the best if it costs less. error is the error of decoded, its texels.
  bool consider(const UastcBlock& block, const BlockTexels& decoded, float error, MatchDistance distance,
                const Current& current, Choice& best) const {
    if (error >= best.cost) return false;
    const UastcBytes bytes = pack_uastc(block);
    const ZstdCost::Parse parsed = parse(current.at, bytes, distance);
    float cost = error + current.lambda * parsed.bits;
    if (cost >= best.cost) return false;
    const float shown =
        transcoding_cost(block, decoded, current.source, etc_fraction_, current.transcoding_cost + best.cost - cost);
    cost += std::max(0.0f, shown - current.transcoding_cost);
    if (cost >= best.cost) return false;
    best = {bytes, parsed, cost, distance};
    return true;
  }

  void remember(std::uint32_t at, const UastcBytes& bytes) {
    UastcBlock block;
    unpack_uastc_into(bytes.data(), block);
    const Bits128 bits = Bits128::load(bytes.data());
    window_.add_whole(at, bits, block.mode, [&] { return decode_uastc(block); });
    if (!rdo_splits(block.mode)) return;
    window_.add_parts(
        at, bits, block.mode, uastc_weights_bit(block.mode), [&] { return rdo_line(block, channel_weights_); },
        channel_weights_);
  }

  const TexelView& image_;
  std::size_t first_;
  float lambda_, etc_fraction_;
  std::array<float, 4> channel_weights_;
  std::span<std::byte> blocks_;
  ZstdCost cost_;
  RdoWindow window_;
};

}  // namespace

void apply_uastc_rdo(const TexelView& image, const EncodeOptions& options, std::span<std::byte> blocks) {
  for_each_rdo_segment(image, blocks, kUastcBlockBytes, [&](std::size_t first, std::span<std::byte> some) {
    OnThread<Segment>(image, first, options, some)->run();
  });
}

}  // namespace assetc::codec
