// Names of formats and of the numbers in a KTX 2 file, as the command prints and reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/formats/ktx2.hpp"

namespace assetc::ktx {

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

// Whether the data format has primaries of this number.
bool has_primaries_name(std::uint8_t primaries);
// Whether the color model has a channel of this number. True for models whose channels are not listed here.
bool may_have_channel(std::uint8_t model, std::uint8_t channel);

}  // namespace assetc::ktx
