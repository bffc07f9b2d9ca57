// Decides how texels are stored, from the requested format and the kind of picture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "assetc/formats/texel_format.hpp"
#include "texture/mips.hpp"

namespace assetc::texture {

// The format that a user requests.
enum class TargetFormat : std::uint8_t {
  kAuto,   // chosen by plan_storage from the kind of picture
  kUastc,  // transcoded by the engine
  kEtc1s,  // transcoded by the engine; under BasisLZ
  kBc7,
  kBc6h,
  kBc5,
  kBc4,
  kBc3,
  kBc1,
  kAstc4x4,
  kAstc6x6,
  kAstc8x8,
  kEtc2,  // ETC2 RGB or RGBA, depending on the picture's alpha; EAC R11 or RG11 for data of one or two channels
  kRgba8,
  kRgba16f,
};

// Whether the format stores 8-bit texels as they are.
constexpr bool is_lossless(TargetFormat format) {
  return format == TargetFormat::kRgba8 || format == TargetFormat::kRgba16f;
}

// Whether blocks of the format can be optimized for a smaller size after Zstd: CompileOptions::rdo. kAuto can choose
// such a format.
bool takes_rdo(TargetFormat format);
bool takes_rdo(TexelFormat format);
std::string rdo_format_names();  // without kAuto, with commas

// The source of a channel.
enum class Channel : std::uint8_t { kR, kG, kB, kA, kZero, kOne };

// The source of each of four channels. A GPU reads channels that a format lacks as (0, 0, 0, 1).
using ChannelMap = std::array<Channel, 4>;
inline constexpr ChannelMap kAllChannels{Channel::kR, Channel::kG, Channel::kB, Channel::kA};

// Parses 1 to 4 letters of "rgba01". The rest is as a GPU reads missing channels. Empty for other texts.
std::optional<ChannelMap> parse_channels(std::string_view letters);
char letter_of(Channel channel);

// The meaning of stored numbers: data, light, or light under a transfer function.
enum class ColorSpace : std::uint8_t {
  kNone,    // no color: normals, roughness, weights
  kLinear,  // linear light, in the primaries of BT.709
  kSrgb,    // the primaries of BT.709 under the transfer function of sRGB
};

struct StoragePlan {
  TexelFormat format = TexelFormat::kUastc;
  ColorSpace color_space = ColorSpace::kSrgb;
  TexelKind kind = TexelKind::kColor;  // how the texels are averaged
  ChannelMap stored = kAllChannels;    // taken from a mip chain's RGBA
  std::optional<ChannelMap> swizzle;   // how a reader maps stored channels to the requested ones; empty: as stored
  bool keeps_data = false;             // for a normal map: blue and alpha are the picture's own
  bool keeps(Channel channel) const;   // whether that channel is stored
};

// Decides what is written for a picture of that kind.
// channels:
// - empty for what the kind needs, that is X and Y of a normal map, the red of a gray map, all channels of other kinds.
//   Formats that keep texels unchanged (kRgba8, kRgba16f) then store all channels of every kind.
// - For a normal map, the letters r, g and b mean X, Y and Z, and alpha is 1.
//
// Formats:
// - kAuto gives BC7 for color and for data of three or four channels, BC5 for two (normal maps), BC4 for one, and BC6H
//   for HDR. It never chooses a format that needs a swizzle.
// - HDR in a format other than BC6H is stored as half floats, because no other format here holds it.
// - A format with fewer channels than requested stores each channel once, and the swizzle says where it belongs: rrr1
//   in BC4.
//
// Errors: kUsage for more channels than the format has, and for color in a format without an sRGB form.
Result<StoragePlan> plan_storage(TargetFormat target, TexelKind kind, const std::optional<ChannelMap>& channels);

// The size of one image of a level in bytes. Blocks at the edges are whole. No overflow for sides up to 65536.
std::uint64_t image_bytes(Extent extent, TexelFormat format);

// Reorders the channels of four-channel texels, in place.
void apply_channels(const ChannelMap& map, scene::Image& image);
void apply_channels_u8(const ChannelMap& map, std::span<std::byte> texels);
void apply_channels_u16(const ChannelMap& map, std::span<std::byte> texels);
void apply_channels_half(const ChannelMap& map, std::span<std::byte> texels);

}  // namespace assetc::texture
