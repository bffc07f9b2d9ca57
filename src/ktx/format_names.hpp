// Names of formats and of the numbers in a KTX 2 file, as the command prints and reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/formats/ktx2.hpp"

namespace assetc::ktx {

struct NamedFormat {
  TexelFormat format = TexelFormat::kRgba8;
  ktx2::Transfer transfer = ktx2::Transfer::kLinear;
};

// Reads "R8G8B8A8_SRGB", also with VK_FORMAT_ before it and in any case.
std::optional<NamedFormat> parse_format(std::string_view name);
// "VK_FORMAT_R8G8B8A8_SRGB"; empty for a VkFormat that no TexelFormat stands for.
std::string vk_format_name(std::uint32_t vk_format);

// The number of channels of a format of plain texels; 0 for block formats.
std::uint32_t plain_channels(TexelFormat format);
// The bytes of a channel of a format of plain texels.
std::uint32_t plain_channel_bytes(TexelFormat format);

// Names of the constants of the Khronos data format; the number in decimal if it has none here.
std::string color_model_name(std::uint8_t model);
std::string primaries_name(std::uint8_t primaries);
std::string transfer_name(std::uint8_t transfer);
std::string channel_name(std::uint8_t model, std::uint8_t channel);
std::string supercompression_name(std::uint32_t scheme);

}  // namespace assetc::ktx
