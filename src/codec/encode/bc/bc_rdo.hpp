// Rate-distortion optimization of BC blocks: block_rdo.hpp. Internal to the encoder.
#pragma once

#include <cstddef>
#include <span>

#include "codec/encode/bc/encode_bc.hpp"

namespace assetc::codec {

// blocks: the output of encode_bc for the image with the same format and options. Requires options.rdo > 0.
// Opaque blocks stay opaque.
void apply_bc_rdo(BcFormat format, const TexelView& image, const EncodeOptions& options, std::span<std::byte> blocks);

}  // namespace assetc::codec
