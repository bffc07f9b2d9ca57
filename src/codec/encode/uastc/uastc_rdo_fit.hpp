// Fits one half of a block to texels when the other half is given: endpoints to weights, or weights to endpoints.
// Internal to the encoder's rate-distortion pass.
#pragma once

#include <array>

#include "codec/block/uastc_block.hpp"
#include "codec/encode/rdo/rdo_scan.hpp"
#include "codec/encode/rdo/rdo_texels.hpp"

namespace assetc::codec {

// Whether a block of that mode can represent the texels. Opaque texels must not become translucent (in the solid mode,
// the color must be opaque). Colorful texels must not become gray in modes with luminance.
bool allows_mode(const RdoTexels& source, unsigned mode);

// Whether blocks of a mode are split into head and tail.
constexpr bool rdo_splits(unsigned mode) {
  return mode != kUastcSolidMode && kUastcModes[mode].plane_count == 1 && kUastcModes[mode].subset_count() == 1;
}

// The parts of a block of a mode that is split. channel_weights: of RdoTexels.
RdoLine rdo_line(const UastcBlock& block, const std::array<float, 4>& channel_weights);

// The position of the first bit of a mode's weights. The bits before it are the head.
unsigned uastc_weights_bit(unsigned mode);

// Sets the endpoints that are best for the mode, partition, selector and weights of block.
void refit_endpoints(UastcBlock& block, const RdoTexels& source);

// Sets the weights that are best for the mode, partition, selector and endpoints of block. Only weights with which the
// endpoints can keep their order are considered: the weight of an anchor is in the lower half.
void refit_weights(UastcBlock& block, const RdoTexels& source);

}  // namespace assetc::codec
