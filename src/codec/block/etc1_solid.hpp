// Solid colors in ETC1.
#pragma once

#include "assetc/codec/texel.hpp"
#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

// The nearest solid ETC1 block to a color. It is exact if ETC1 can represent the color.
UastcSolidHints solid_etc1_hints(Rgba8 color);

}  // namespace assetc::codec
