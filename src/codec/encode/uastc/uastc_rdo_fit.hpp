// Fitting one half of a block to texels when the other half is given: endpoints to weights and weights to endpoints.
// Internal to the encoder's rate-distortion pass.
#pragma once

#include <array>
#include <cstdint>

#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

// A block's texels and what every candidate for it asks of them.
struct RdoTexels {
  BlockTexels texels;
  alignas(64) std::array<std::array<std::int16_t, kBlockTexels>, 4> planes;  // [channel][texel]
  std::array<float, 4> weights;                                              // of a channel's squared error
  std::array<std::int32_t, 4> sums;                                          // of a channel
  std::array<std::int32_t, 4> squares;
  bool opaque;  // alpha is 255 throughout
  bool gray;    // R = G = B throughout

  RdoTexels() = default;
  RdoTexels(const BlockTexels& from, const std::array<float, 4>& channel_weights);
  // Whether a block of that mode can hold such texels without making opaque ones translucent (the solid mode: if its
  // color is opaque) or, with luminance for color, colorful ones gray.
  bool allows(unsigned mode) const;
};

// The first bit of a mode's weights; everything before it is its head.
unsigned uastc_weights_bit(unsigned mode);

// Weighted squared error of decoded texels.
float measure_rdo_error(const RdoTexels& source, const BlockTexels& decoded);

// Sets the endpoints that are best for block's mode, partition, selector and weights.
void refit_endpoints(UastcBlock& block, const RdoTexels& source);

// Sets the weights that are best for block's mode, partition, selector and endpoints among those that let the endpoints
// stand in this order: an anchor's weight is in the lower half.
void refit_weights(UastcBlock& block, const RdoTexels& source);

}  // namespace assetc::codec
