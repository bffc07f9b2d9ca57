// Rate-distortion optimization of ETC2 and EAC blocks: block_rdo.hpp. Internal to the encoder.
#pragma once

#include <cstddef>
#include <span>

#include "codec/encode/etc/encode_etc.hpp"

namespace assetc::codec {

// blocks: the output of encode_etc for the image with the same format and options. Requires options.rdo > 0.
void apply_etc_rdo(EtcFormat format, const TexelView& image, const EncodeOptions& options, std::span<std::byte> blocks);

}  // namespace assetc::codec
