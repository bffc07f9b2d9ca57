// Fits one half of a block to texels when the other half is given: endpoints to weights, or weights to endpoints.
// Internal to the encoder's rate-distortion pass.
#pragma once

#include <array>
#include <cstdint>

#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

// The texels of a block, and the values derived from them that every candidate needs.
struct RdoTexels {
  BlockTexels texels;
  alignas(64) std::array<std::array<std::int16_t, kBlockTexels>, 4> planes;  // [channel][texel]
  std::array<float, 4> weights;                                              // of a channel's squared error
  std::array<std::int32_t, 4> sums;                                          // of a channel
  std::array<std::int32_t, 4> squares;
  bool opaque;  // alpha is 255 in all texels
  bool gray;    // R = G = B in all texels

  RdoTexels() = default;
  RdoTexels(const BlockTexels& from, const std::array<float, 4>& channel_weights);
  // Whether a block of that mode can represent the texels. Opaque texels must not become translucent (in the solid
  // mode, the color must be opaque). Colorful texels must not become gray in modes with luminance.
  bool allows(unsigned mode) const;
};

// The position of the first bit of a mode's weights. The bits before it are the head.
unsigned uastc_weights_bit(unsigned mode);

// The weighted squared error of decoded texels.
float measure_rdo_error(const RdoTexels& source, const BlockTexels& decoded);

// Sets the endpoints that are best for the mode, partition, selector and weights of block.
void refit_endpoints(UastcBlock& block, const RdoTexels& source);

// Sets the weights that are best for the mode, partition, selector and endpoints of block. Only weights with which the
// endpoints can keep their order are considered: the weight of an anchor is in the lower half.
void refit_weights(UastcBlock& block, const RdoTexels& source);

}  // namespace assetc::codec
