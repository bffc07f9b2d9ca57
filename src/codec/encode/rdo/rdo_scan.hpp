// Computes the error that every remembered block, head and tail would leave in a block, with entries side by side in
// SIMD lanes. Internal to the encoder's rate-distortion pass.
//
// Only blocks whose texels all lie on one line between two endpoints are split into a head (everything before the
// weights) and a tail (the weights). Only these fit other texels often enough to be worth trying.
#pragma once

#include <array>
#include <cstdint>

#include "codec/encode/rdo/rdo_texels.hpp"

namespace assetc::codec {

inline constexpr unsigned kRdoWindow = 512;  // the maximum number of entries of each kind
// One value for every entry.
struct alignas(64) RdoRow {
  std::array<float, kRdoWindow> of{};
};

// A block that is split.
struct RdoLine {
  std::array<Rgba8, 2> ends{};
  unsigned levels = 0;         // number of weights, evenly spaced from the first endpoint to the second
  unsigned anchor_levels = 0;  // the first of them, which texel 0 can have
  std::array<std::uint8_t, kBlockTexels> weights{};  // of the texels, on any scale that is linear in the texels
  float rounding = 0;                                // the error that the rounding of fitted endpoints adds
};

// Decoded texels.
struct WholeRows {
  std::array<std::array<RdoRow, kBlockTexels>, 4> texels;
  void set(unsigned entry, const BlockTexels& decoded);
};

// Endpoints.
struct HeadRows {
  std::array<RdoRow, 4> low, step;  // a channel at weight 0, and its change from one weight to the next
  std::array<RdoRow, 4> along;      // how much a channel moves the weight of a texel
  RdoRow start;                     // the weight of a black texel, plus 1/2 for rounding
  RdoRow top, anchor_top;           // the largest weight, and the largest of the anchor
  void set(unsigned entry, const RdoLine& line, const std::array<float, 4>& channel_weights);
};

// Weights.
struct TailRows {
  std::array<RdoRow, kBlockTexels> centered;  // weights minus their mean, times 16
  RdoRow inverse;                             // 1 / the sum of their squares
  RdoRow rounding;                            // the error that quantized endpoints add
  void set(unsigned entry, const RdoLine& line);
};

// Sets the weighted squared errors of the first count entries. They are exact for whole blocks, and estimates for the
// best tail after each head and the best head before each tail. Errors of entries from count up are undefined. The
// result is the same on every instruction set.
void scan_wholes(const WholeRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors);
void scan_heads(const HeadRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors);
void scan_tails(const TailRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors);

}  // namespace assetc::codec
