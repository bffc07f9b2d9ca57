// How a texture's texels are stored: what was asked for, settled by what the picture is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "assetc/base/result.hpp"
#include "assetc/formats/texel_format.hpp"
#include "texture/mips.hpp"

namespace assetc::texture {

// What a user asks for.
enum class TargetFormat : std::uint8_t {
  kAuto,   // by what the picture is: plan_storage
  kUastc,  // transcoded by the engine
  kBc7,
  kBc6h,
  kBc5,
  kBc4,
  kBc3,
  kBc1,
  kAstc4x4,
  kAstc6x6,
  kAstc8x8,
  kEtc2,  // ETC2 RGB or RGBA by the picture's alpha; EAC R11 or RG11 for data of one or two channels
  kRgba8,
  kRgba16f,
};

// Where a channel comes from.
enum class Channel : std::uint8_t { kR, kG, kB, kA, kZero, kOne };

// What each of four channels holds. A GPU reads channels that a format lacks as (0, 0, 0, 1).
using ChannelMap = std::array<Channel, 4>;
inline constexpr ChannelMap kAllChannels{Channel::kR, Channel::kG, Channel::kB, Channel::kA};

// 1 to 4 letters of "rgba01", the rest as a GPU reads channels that are not there; nothing for other texts.
std::optional<ChannelMap> parse_channels(std::string_view letters);
char letter_of(Channel channel);

// What stored numbers are: data, light, or light under a transfer function.
enum class ColorSpace : std::uint8_t {
  kNone,    // no color: normals, roughness, weights
  kLinear,  // linear light, in the primaries of BT.709
  kSrgb,    // the primaries of BT.709 under the transfer function of sRGB
};

struct StoragePlan {
  TexelFormat format = TexelFormat::kUastc;
  ColorSpace color_space = ColorSpace::kSrgb;
  TexelKind kind = TexelKind::kColor;  // how the texels are averaged
  ChannelMap stored = kAllChannels;    // of a mip chain's RGBA
  std::optional<ChannelMap> swizzle;   // of the stored channels, those that were asked for; nothing: as stored
  bool keeps_data = false;             // of a normal map: blue and alpha are the picture's own
  bool keeps(Channel channel) const;   // whether some stored channel is that one
};

// Decides what is written for a picture of that kind. channels: nothing for what the kind needs: X and Y of a normal
// map, the red of a gray one, all of the others. For the letters of a normal map, r, g and b are X, Y and Z, and alpha
// is 1. Without letters, formats of texels as they are (kRgba8, kRgba16f) keep all channels of every kind. kAuto: BC7
// for color and for data of three or four channels, BC5 for two (normal maps), BC4 for one, BC6H for HDR; it never
// chooses a format whose reader must look at the swizzle. HDR is stored as half floats where something else than BC6H
// is asked for, since no other format here holds it. Formats with fewer channels than are asked for store each once and
// say in the swizzle where it belongs: rrr1 in BC4. Errors, kUsage: more channels than the format has; color in a
// format without an sRGB form.
Result<StoragePlan> plan_storage(TargetFormat target, TexelKind kind, const std::optional<ChannelMap>& channels);

// Bytes of one image of a level; edge blocks are whole. No overflow for sides up to 65536.
std::uint64_t image_bytes(Extent extent, TexelFormat format);

// Reorders texels of four channels in place.
void apply_channels(const ChannelMap& map, scene::Image& image);
void apply_channels_u8(const ChannelMap& map, std::span<std::byte> texels);
void apply_channels_u16(const ChannelMap& map, std::span<std::byte> texels);
void apply_channels_half(const ChannelMap& map, std::span<std::byte> texels);

}  // namespace assetc::texture
