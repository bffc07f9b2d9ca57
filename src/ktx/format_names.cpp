#include "ktx/format_names.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace assetc::ktx {
namespace {

using F = TexelFormat;

struct FormatRow {
  F format;
  std::string_view linear;  // the VkFormat without VK_FORMAT_
  std::string_view srgb;    // empty: none
};

constexpr FormatRow kRows[] = {
    {F::kR8, "R8_UNORM", "R8_SRGB"},
    {F::kRg8, "R8G8_UNORM", "R8G8_SRGB"},
    {F::kRgb8, "R8G8B8_UNORM", "R8G8B8_SRGB"},
    {F::kRgba8, "R8G8B8A8_UNORM", "R8G8B8A8_SRGB"},
    {F::kR16, "R16_UNORM", {}},
    {F::kRg16, "R16G16_UNORM", {}},
    {F::kRgba16, "R16G16B16A16_UNORM", {}},
    {F::kR16f, "R16_SFLOAT", {}},
    {F::kRg16f, "R16G16_SFLOAT", {}},
    {F::kRgba16f, "R16G16B16A16_SFLOAT", {}},
    {F::kR32f, "R32_SFLOAT", {}},
    {F::kRg32f, "R32G32_SFLOAT", {}},
    {F::kRgba32f, "R32G32B32A32_SFLOAT", {}},
    {F::kBc1Rgb, "BC1_RGB_UNORM_BLOCK", "BC1_RGB_SRGB_BLOCK"},
    {F::kBc1Rgba, "BC1_RGBA_UNORM_BLOCK", "BC1_RGBA_SRGB_BLOCK"},
    {F::kBc2, "BC2_UNORM_BLOCK", "BC2_SRGB_BLOCK"},
    {F::kBc3, "BC3_UNORM_BLOCK", "BC3_SRGB_BLOCK"},
    {F::kBc4, "BC4_UNORM_BLOCK", {}},
    {F::kBc4Signed, "BC4_SNORM_BLOCK", {}},
    {F::kBc5, "BC5_UNORM_BLOCK", {}},
    {F::kBc5Signed, "BC5_SNORM_BLOCK", {}},
    {F::kBc6h, "BC6H_UFLOAT_BLOCK", {}},
    {F::kBc6hSigned, "BC6H_SFLOAT_BLOCK", {}},
    {F::kBc7, "BC7_UNORM_BLOCK", "BC7_SRGB_BLOCK"},
    {F::kEtc2Rgb, "ETC2_R8G8B8_UNORM_BLOCK", "ETC2_R8G8B8_SRGB_BLOCK"},
    {F::kEtc2Rgba, "ETC2_R8G8B8A8_UNORM_BLOCK", "ETC2_R8G8B8A8_SRGB_BLOCK"},
    {F::kEacR11, "EAC_R11_UNORM_BLOCK", {}},
    {F::kEacR11Signed, "EAC_R11_SNORM_BLOCK", {}},
    {F::kEacRg11, "EAC_R11G11_UNORM_BLOCK", {}},
    {F::kEacRg11Signed, "EAC_R11G11_SNORM_BLOCK", {}},
    {F::kAstc4x4, "ASTC_4x4_UNORM_BLOCK", "ASTC_4x4_SRGB_BLOCK"},
    {F::kAstc5x4, "ASTC_5x4_UNORM_BLOCK", "ASTC_5x4_SRGB_BLOCK"},
    {F::kAstc5x5, "ASTC_5x5_UNORM_BLOCK", "ASTC_5x5_SRGB_BLOCK"},
    {F::kAstc6x5, "ASTC_6x5_UNORM_BLOCK", "ASTC_6x5_SRGB_BLOCK"},
    {F::kAstc6x6, "ASTC_6x6_UNORM_BLOCK", "ASTC_6x6_SRGB_BLOCK"},
    {F::kAstc8x5, "ASTC_8x5_UNORM_BLOCK", "ASTC_8x5_SRGB_BLOCK"},
    {F::kAstc8x6, "ASTC_8x6_UNORM_BLOCK", "ASTC_8x6_SRGB_BLOCK"},
    {F::kAstc8x8, "ASTC_8x8_UNORM_BLOCK", "ASTC_8x8_SRGB_BLOCK"},
    {F::kAstc10x5, "ASTC_10x5_UNORM_BLOCK", "ASTC_10x5_SRGB_BLOCK"},
    {F::kAstc10x6, "ASTC_10x6_UNORM_BLOCK", "ASTC_10x6_SRGB_BLOCK"},
    {F::kAstc10x8, "ASTC_10x8_UNORM_BLOCK", "ASTC_10x8_SRGB_BLOCK"},
    {F::kAstc10x10, "ASTC_10x10_UNORM_BLOCK", "ASTC_10x10_SRGB_BLOCK"},
    {F::kAstc12x10, "ASTC_12x10_UNORM_BLOCK", "ASTC_12x10_SRGB_BLOCK"},
    {F::kAstc12x12, "ASTC_12x12_UNORM_BLOCK", "ASTC_12x12_SRGB_BLOCK"},
};
static_assert(std::size(kRows) == kTexelFormatCount - 2, "all but UASTC and ETC1S, which have no VkFormat");

template <class Value>
struct Constant {
  Value value;
  std::string_view name;
};

template <class Value, std::size_t kCount>
std::string name_of(const Constant<Value> (&names)[kCount], Value value) {
  const auto* found = std::ranges::find(names, value, &Constant<Value>::value);
  return found == std::end(names) ? std::to_string(value) : std::string(found->name);
}

// Source of the constants: Khronos Data Format Specification 1.3, section 5.
constexpr Constant<std::uint8_t> kColorModels[] = {
    {0, "KHR_DF_MODEL_UNSPECIFIED"}, {1, "KHR_DF_MODEL_RGBSDA"}, {128, "KHR_DF_MODEL_BC1A"}, {129, "KHR_DF_MODEL_BC2"},
    {130, "KHR_DF_MODEL_BC3"},       {131, "KHR_DF_MODEL_BC4"},  {132, "KHR_DF_MODEL_BC5"},  {133, "KHR_DF_MODEL_BC6H"},
    {134, "KHR_DF_MODEL_BC7"},       {160, "KHR_DF_MODEL_ETC1"}, {161, "KHR_DF_MODEL_ETC2"}, {162, "KHR_DF_MODEL_ASTC"},
    {163, "KHR_DF_MODEL_ETC1S"},     {166, "KHR_DF_MODEL_UASTC"}};
constexpr Constant<std::uint8_t> kPrimaries[] = {
    {0, "KHR_DF_PRIMARIES_UNSPECIFIED"}, {1, "KHR_DF_PRIMARIES_BT709"},      {2, "KHR_DF_PRIMARIES_BT601_EBU"},
    {3, "KHR_DF_PRIMARIES_BT601_SMPTE"}, {4, "KHR_DF_PRIMARIES_BT2020"},     {5, "KHR_DF_PRIMARIES_CIEXYZ"},
    {6, "KHR_DF_PRIMARIES_ACES"},        {7, "KHR_DF_PRIMARIES_ACESCC"},     {8, "KHR_DF_PRIMARIES_NTSC1953"},
    {9, "KHR_DF_PRIMARIES_PAL525"},      {10, "KHR_DF_PRIMARIES_DISPLAYP3"}, {11, "KHR_DF_PRIMARIES_ADOBERGB"}};
constexpr Constant<std::uint8_t> kTransfers[] = {
    {0, "KHR_DF_TRANSFER_UNSPECIFIED"}, {1, "KHR_DF_TRANSFER_LINEAR"}, {2, "KHR_DF_TRANSFER_SRGB"}};
constexpr Constant<std::uint32_t> kSchemes[] = {
    {0, "KTX_SS_NONE"}, {1, "KTX_SS_BASIS_LZ"}, {2, "KTX_SS_ZSTD"}, {3, "KTX_SS_ZLIB"}};

struct ChannelRow {
  std::uint8_t model, channel;
  std::string_view name;
};
constexpr ChannelRow kChannels[] = {{1, 0, "KHR_DF_CHANNEL_RGBSDA_RED"},   {1, 1, "KHR_DF_CHANNEL_RGBSDA_GREEN"},
                                    {1, 2, "KHR_DF_CHANNEL_RGBSDA_BLUE"},  {1, 15, "KHR_DF_CHANNEL_RGBSDA_ALPHA"},
                                    {128, 0, "KHR_DF_CHANNEL_BC1A_COLOR"}, {128, 1, "KHR_DF_CHANNEL_BC1A_ALPHA"},
                                    {129, 0, "KHR_DF_CHANNEL_BC2_COLOR"},  {129, 15, "KHR_DF_CHANNEL_BC2_ALPHA"},
                                    {130, 0, "KHR_DF_CHANNEL_BC3_COLOR"},  {130, 15, "KHR_DF_CHANNEL_BC3_ALPHA"},
                                    {131, 0, "KHR_DF_CHANNEL_BC4_DATA"},   {132, 0, "KHR_DF_CHANNEL_BC5_RED"},
                                    {132, 1, "KHR_DF_CHANNEL_BC5_GREEN"},  {133, 0, "KHR_DF_CHANNEL_BC6H_COLOR"},
                                    {134, 0, "KHR_DF_CHANNEL_BC7_COLOR"},  {160, 0, "KHR_DF_CHANNEL_ETC1_COLOR"},
                                    {161, 0, "KHR_DF_CHANNEL_ETC2_RED"},   {161, 1, "KHR_DF_CHANNEL_ETC2_GREEN"},
                                    {161, 2, "KHR_DF_CHANNEL_ETC2_COLOR"}, {161, 15, "KHR_DF_CHANNEL_ETC2_ALPHA"},
                                    {162, 0, "KHR_DF_CHANNEL_ASTC_DATA"},  {163, 0, "KHR_DF_CHANNEL_ETC1S_RGB"},
                                    {163, 3, "KHR_DF_CHANNEL_ETC1S_RRR"},  {163, 4, "KHR_DF_CHANNEL_ETC1S_GGG"},
                                    {163, 15, "KHR_DF_CHANNEL_ETC1S_AAA"}, {166, 0, "KHR_DF_CHANNEL_UASTC_RGB"},
                                    {166, 3, "KHR_DF_CHANNEL_UASTC_RGBA"}, {166, 4, "KHR_DF_CHANNEL_UASTC_RRR"},
                                    {166, 5, "KHR_DF_CHANNEL_UASTC_RRRG"}, {166, 6, "KHR_DF_CHANNEL_UASTC_RG"}};

bool equal_ignoring_case(std::string_view a, std::string_view b) { return ascii_lower(a) == ascii_lower(b); }

}  // namespace

std::optional<NamedFormat> parse_format(std::string_view name) {
  constexpr std::string_view kPrefix = "VK_FORMAT_";
  if (name.size() > kPrefix.size() && equal_ignoring_case(name.substr(0, kPrefix.size()), kPrefix))
    name.remove_prefix(kPrefix.size());
  for (const FormatRow& row : kRows) {
    if (equal_ignoring_case(row.linear, name)) return NamedFormat{row.format, ktx2::Transfer::kLinear};
    if (!row.srgb.empty() && equal_ignoring_case(row.srgb, name)) return NamedFormat{row.format, ktx2::Transfer::kSrgb};
  }
  return std::nullopt;
}

std::string vk_format_name(std::uint32_t vk_format) {
  if (vk_format == 0) return "VK_FORMAT_UNDEFINED";
  for (const FormatRow& row : kRows) {
    if (ktx2::vk_format(row.format, ktx2::Transfer::kLinear) == vk_format)
      return "VK_FORMAT_" + std::string(row.linear);
    if (!row.srgb.empty() && ktx2::vk_format(row.format, ktx2::Transfer::kSrgb) == vk_format)
      return "VK_FORMAT_" + std::string(row.srgb);
  }
  return {};
}

std::uint32_t plain_channels(TexelFormat format) {
  switch (format) {
    case F::kR8:
    case F::kR16:
    case F::kR16f:
    case F::kR32f:
      return 1;
    case F::kRg8:
    case F::kRg16:
    case F::kRg16f:
    case F::kRg32f:
      return 2;
    case F::kRgb8:
      return 3;
    case F::kRgba8:
    case F::kRgba16:
    case F::kRgba16f:
    case F::kRgba32f:
      return 4;
    default:
      return 0;
  }
}

std::uint32_t plain_channel_bytes(TexelFormat format) {
  const std::uint32_t channels = plain_channels(format);
  return channels == 0 ? 0 : block_shape(format).size_bytes / channels;
}

std::string color_model_name(std::uint8_t model) { return name_of(kColorModels, model); }
std::string primaries_name(std::uint8_t primaries) { return name_of(kPrimaries, primaries); }
std::string transfer_name(std::uint8_t transfer) { return name_of(kTransfers, transfer); }
std::string supercompression_name(std::uint32_t scheme) { return name_of(kSchemes, scheme); }

std::string channel_name(std::uint8_t model, std::uint8_t channel) {
  for (const ChannelRow& row : kChannels)
    if (row.model == model && row.channel == channel) return std::string(row.name);
  return std::to_string(channel);
}

}  // namespace assetc::ktx
