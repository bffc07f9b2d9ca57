// All VkFormats by name and number, and their data format descriptors, which follow from the names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/formats/texel_format.hpp"
#include "formats/ktx2/layout.hpp"

namespace assetc::ktx {

enum class Numeric : std::uint8_t {
  kUnorm,
  kSnorm,
  kUscaled,
  kSscaled,
  kUint,
  kSint,
  kUfloat,
  kSfloat,
  kSrgb,
  kSfixed5,
};

struct VkFormat {
  std::uint32_t number = 0;
  Numeric numeric = Numeric::kUnorm;  // of depth in a format of depth and stencil
  std::uint8_t model = 0;             // the color model of the descriptor
  BlockShape block;                   // a texel, two texels of a 4:2:2 format, or a compressed block
  std::uint8_t type_size_bytes = 1;
  bool is_block = false;       // block-compressed
  bool is_prohibited = false;  // KTX 2 forbids scaled integers and formats of several planes
  bool is_422 = false, has_depth = false, has_stencil = false;
  std::vector<ktx2::Sample> samples;
};

// Returns nothing for a number that is no VkFormat.
std::optional<VkFormat> vk_format_of(std::uint32_t number);

// Reads "R8G8B8A8_SRGB", also with VK_FORMAT_ before it, with another vendor suffix, and in any case. Returns 0 for
// other texts.
std::uint32_t parse_vk_format(std::string_view name);
// "VK_FORMAT_R8G8B8A8_SRGB"; empty for a number that is no VkFormat.
std::string vk_format_name(std::uint32_t number);
// Without "VK_FORMAT_".
std::string_view vk_format_short_name(std::uint32_t number);
// Returns whether Vulkan has the same format with the sRGB transfer function.
bool has_srgb_variant(std::uint32_t number);

}  // namespace assetc::ktx
