#include <cstring>

#include "codec/block/astc_block.hpp"
#include "codec/block/bc7_block.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

void encode_channel_eac(const UastcBlock& block, const BlockTexels& texels, unsigned channel, std::uint8_t* out) {
  // With a multiplier of 1 or more, R11 has the same steps as EAC alpha, eight times finer. So the alpha hints apply to
  // both.
  if (channel == 3) return uastc_to_eac_alpha(block, texels, EacKind::kR11, out);
  TexelIndices values;
  if (block.mode == kUastcSolidMode) {
    values.fill(block.solid_color[channel]);
  } else {
    for (unsigned t = 0; t < kBlockTexels; ++t) values[t] = texels[t][channel];
  }
  encode_eac(values, EacKind::kR11, out);
}

void encode_channel_bc4(const UastcBlock& block, const BlockTexels& texels, unsigned channel, std::uint8_t* out) {
  if (block.mode == kUastcSolidMode) return encode_bc4_solid(block.solid_color[channel], out);
  encode_bc4(texels, channel, out);
}

}  // namespace

void uastc_to_target(const UastcBlock& block, const UastcTarget& target, std::uint8_t* out) {
  using enum BlockFormat;
  if (target.format == kBc7) return uastc_to_bc7(block, out);
  if (target.format == kAstc4x4) return pack_astc(block, out);
  BlockTexels texels;
  // The functions below do not read the texels of solid blocks, and BC1 may have all it needs from a hint.
  const bool solid = block.mode == kUastcSolidMode;
  const bool skip =
      (solid && target.format != kRgba8) || (target.format == kBc1 && !solid && block.hints.bc1_endpoints);
  if (!skip) decode_uastc(block, texels);
  switch (target.format) {
    case kRgba8:
      std::memcpy(out, texels.data(), sizeof texels);
      break;
    case kBc1:
      uastc_to_bc1(block, texels, out);
      break;
    case kBc3:
      encode_channel_bc4(block, texels, 3, out);
      uastc_to_bc1(block, texels, out + 8);
      break;
    case kBc4:
      encode_channel_bc4(block, texels, target.first_channel, out);
      break;
    case kBc5:
      encode_channel_bc4(block, texels, target.first_channel, out);
      encode_channel_bc4(block, texels, target.second_channel, out + 8);
      break;
    case kEtc1:
      uastc_to_etc1(block, texels, out);
      break;
    case kEtc2Rgba:
      uastc_to_eac_alpha(block, texels, EacKind::kAlpha, out);
      uastc_to_etc1(block, texels, out + 8);
      break;
    case kEacR11:
      encode_channel_eac(block, texels, target.first_channel, out);
      break;
    case kEacRg11:
      encode_channel_eac(block, texels, target.first_channel, out);
      encode_channel_eac(block, texels, target.second_channel, out + 8);
      break;
    default:
      break;
  }
}

}  // namespace assetc::codec
