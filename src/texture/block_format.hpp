// Block formats, as files name them and as decode_blocks() takes them.
#pragma once

#include <optional>

#include "assetc/codec/transcode.hpp"
#include "assetc/formats/texel_format.hpp"

namespace assetc::texture {

// The format as decode_blocks() has it: blocks of 8 bits a channel, or rounded to these. Otherwise nullopt.
inline std::optional<BlockFormat> block_format(TexelFormat format) {
  switch (format) {
    case TexelFormat::kUastc:
      return BlockFormat::kUastc;
    case TexelFormat::kEtc1s:
      return BlockFormat::kEtc1s;
    case TexelFormat::kBc1Rgb:
    case TexelFormat::kBc1Rgba:
      return BlockFormat::kBc1;
    case TexelFormat::kBc3:
      return BlockFormat::kBc3;
    case TexelFormat::kBc4:
      return BlockFormat::kBc4;
    case TexelFormat::kBc5:
      return BlockFormat::kBc5;
    case TexelFormat::kBc7:
      return BlockFormat::kBc7;
    case TexelFormat::kEtc2Rgb:
      return BlockFormat::kEtc1;
    case TexelFormat::kEtc2Rgba:
      return BlockFormat::kEtc2Rgba;
    case TexelFormat::kEacR11:
      return BlockFormat::kEacR11;
    case TexelFormat::kEacRg11:
      return BlockFormat::kEacRg11;
    default:
      return std::nullopt;
  }
}

}  // namespace assetc::texture
