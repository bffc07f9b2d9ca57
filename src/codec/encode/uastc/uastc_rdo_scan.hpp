// What every remembered block, head and tail would leave of a block's error: entries side by side in SIMD lanes.
// Internal to the encoder's rate-distortion pass.
//
// Only blocks of one subset and one plane are taken apart into a head (everything before the weights) and a tail (the
// weights): there they fit other texels often enough to be worth a look.
#pragma once

#include <array>
#include <cstdint>

#include "codec/encode/uastc/uastc_rdo_fit.hpp"

namespace assetc::codec {

inline constexpr unsigned kRdoWindow = 512;  // most entries of a kind
// One value of every entry.
struct alignas(64) RdoRow {
  std::array<float, kRdoWindow> of{};
};

// Decoded texels.
struct WholeRows {
  std::array<std::array<RdoRow, kBlockTexels>, 4> texels;
  void set(unsigned entry, const BlockTexels& decoded);
};

// Endpoints.
struct HeadRows {
  std::array<RdoRow, 4> low, step;  // a channel of weight 0, and from one weight to the next
  std::array<RdoRow, 4> along;      // how a channel moves a texel's weight
  RdoRow start;                     // weight, plus a half for rounding, of a black texel
  RdoRow top, anchor_top;           // the largest weights
  void set(unsigned entry, const UastcBlock& block, const std::array<float, 4>& channel_weights);
};

// Weights.
struct TailRows {
  std::array<RdoRow, kBlockTexels> centered;  // weights less their mean, times 16
  RdoRow inverse;                             // of the sum of their squares
  RdoRow rounding;                            // what quantized endpoints add
  void set(unsigned entry, const UastcBlock& block, const std::array<float, 4>& channel_weights);
};

// Whether a mode's blocks are taken apart.
constexpr bool rdo_splits(unsigned mode) {
  return mode != kUastcSolidMode && kUastcModes[mode].plane_count == 1 && kUastcModes[mode].subset_count() == 1;
}

// Weighted squared errors of the first count entries: exact for whole blocks, estimates for the best tail
// behind each head and the best head before each tail. Entries past count hold anything. The same on every
// instruction set.
void scan_wholes(const WholeRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors);
void scan_heads(const HeadRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors);
void scan_tails(const TailRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors);

}  // namespace assetc::codec
