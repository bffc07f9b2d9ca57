// The search for one BC6H block. Internal to the encoder.
#pragma once

#include "codec/bc6h_block.hpp"
#include "codec/encode.hpp"

namespace assetc::codec {

// The best block that the effort finds. Texels are finite and not negative: bits up to 0x7BFF.
Bc6hBlock search_bc6h(const HalfBlock& texels, Effort effort);

// The squared difference of the bits of what a block decodes to and texels, over all channels.
std::uint64_t bc6h_error(const Bc6hBlock& block, const HalfBlock& texels);

}  // namespace assetc::codec
