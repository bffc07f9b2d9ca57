#include "ktx/format_names.hpp"

#include <algorithm>

namespace assetc::ktx {
namespace {

using F = TexelFormat;

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
    {0, "KHR_DF_MODEL_UNSPECIFIED"}, {1, "KHR_DF_MODEL_RGBSDA"},  {2, "KHR_DF_MODEL_YUVSDA"},
    {128, "KHR_DF_MODEL_BC1A"},      {129, "KHR_DF_MODEL_BC2"},   {130, "KHR_DF_MODEL_BC3"},
    {131, "KHR_DF_MODEL_BC4"},       {132, "KHR_DF_MODEL_BC5"},   {133, "KHR_DF_MODEL_BC6H"},
    {134, "KHR_DF_MODEL_BC7"},       {160, "KHR_DF_MODEL_ETC1"},  {161, "KHR_DF_MODEL_ETC2"},
    {162, "KHR_DF_MODEL_ASTC"},      {163, "KHR_DF_MODEL_ETC1S"}, {164, "KHR_DF_MODEL_PVRTC"},
    {165, "KHR_DF_MODEL_PVRTC2"},    {166, "KHR_DF_MODEL_UASTC"}, {167, "KHR_DF_MODEL_UASTC_HDR_4x4"}};
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
constexpr ChannelRow kChannels[] = {{1, 0, "KHR_DF_CHANNEL_RGBSDA_RED"},     {1, 1, "KHR_DF_CHANNEL_RGBSDA_GREEN"},
                                    {1, 2, "KHR_DF_CHANNEL_RGBSDA_BLUE"},    {1, 13, "KHR_DF_CHANNEL_RGBSDA_STENCIL"},
                                    {1, 14, "KHR_DF_CHANNEL_RGBSDA_DEPTH"},  {1, 15, "KHR_DF_CHANNEL_RGBSDA_ALPHA"},
                                    {2, 0, "KHR_DF_CHANNEL_YUVSDA_Y"},       {2, 1, "KHR_DF_CHANNEL_YUVSDA_CB"},
                                    {2, 2, "KHR_DF_CHANNEL_YUVSDA_CR"},      {2, 13, "KHR_DF_CHANNEL_YUVSDA_STENCIL"},
                                    {2, 14, "KHR_DF_CHANNEL_YUVSDA_DEPTH"},  {2, 15, "KHR_DF_CHANNEL_YUVSDA_ALPHA"},
                                    {128, 0, "KHR_DF_CHANNEL_BC1A_COLOR"},   {128, 1, "KHR_DF_CHANNEL_BC1A_ALPHA"},
                                    {129, 0, "KHR_DF_CHANNEL_BC2_COLOR"},    {129, 15, "KHR_DF_CHANNEL_BC2_ALPHA"},
                                    {130, 0, "KHR_DF_CHANNEL_BC3_COLOR"},    {130, 15, "KHR_DF_CHANNEL_BC3_ALPHA"},
                                    {131, 0, "KHR_DF_CHANNEL_BC4_DATA"},     {132, 0, "KHR_DF_CHANNEL_BC5_RED"},
                                    {132, 1, "KHR_DF_CHANNEL_BC5_GREEN"},    {133, 0, "KHR_DF_CHANNEL_BC6H_COLOR"},
                                    {134, 0, "KHR_DF_CHANNEL_BC7_COLOR"},    {160, 0, "KHR_DF_CHANNEL_ETC1_COLOR"},
                                    {161, 0, "KHR_DF_CHANNEL_ETC2_RED"},     {161, 1, "KHR_DF_CHANNEL_ETC2_GREEN"},
                                    {161, 2, "KHR_DF_CHANNEL_ETC2_COLOR"},   {161, 15, "KHR_DF_CHANNEL_ETC2_ALPHA"},
                                    {162, 0, "KHR_DF_CHANNEL_ASTC_DATA"},    {163, 0, "KHR_DF_CHANNEL_ETC1S_RGB"},
                                    {163, 3, "KHR_DF_CHANNEL_ETC1S_RRR"},    {163, 4, "KHR_DF_CHANNEL_ETC1S_GGG"},
                                    {163, 15, "KHR_DF_CHANNEL_ETC1S_AAA"},   {164, 0, "KHR_DF_CHANNEL_PVRTC_COLOR"},
                                    {165, 0, "KHR_DF_CHANNEL_PVRTC2_COLOR"}, {166, 0, "KHR_DF_CHANNEL_UASTC_RGB"},
                                    {166, 3, "KHR_DF_CHANNEL_UASTC_RGBA"},   {166, 4, "KHR_DF_CHANNEL_UASTC_RRR"},
                                    {166, 5, "KHR_DF_CHANNEL_UASTC_RRRG"},   {166, 6, "KHR_DF_CHANNEL_UASTC_RG"}};

}  // namespace

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

bool has_primaries_name(std::uint8_t primaries) {
  return std::ranges::find(kPrimaries, primaries, &Constant<std::uint8_t>::value) != std::end(kPrimaries);
}

bool may_have_channel(std::uint8_t model, std::uint8_t channel) {
  bool is_known = false;
  for (const ChannelRow& row : kChannels) {
    if (row.model != model) continue;
    if (row.channel == channel) return true;
    is_known = true;
  }
  return !is_known;
}

std::string channel_name(std::uint8_t model, std::uint8_t channel) {
  for (const ChannelRow& row : kChannels)
    if (row.model == model && row.channel == channel) return std::string(row.name);
  return std::to_string(channel);
}

}  // namespace assetc::ktx
