// The intended use of texels. It comes from material slots, picture names and settings. A texture step is compiled for
// one use.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assetc::scene {

enum class TextureUsage : std::uint8_t {
  kAuto,  // not specified
  kColor,
  kLinear,
  kNormal,
  kGray,
  kOrm,
  kHdr,
  kLut,
  kCopy,  // a texture that is already compiled and describes itself
};

// The only table of their names.
struct TextureUsageName {
  std::string_view name;
  TextureUsage value;
};
inline constexpr std::array kTextureUsageNames{
    TextureUsageName{"auto", TextureUsage::kAuto},     TextureUsageName{"color", TextureUsage::kColor},
    TextureUsageName{"linear", TextureUsage::kLinear}, TextureUsageName{"normal", TextureUsage::kNormal},
    TextureUsageName{"gray", TextureUsage::kGray},     TextureUsageName{"orm", TextureUsage::kOrm},
    TextureUsageName{"hdr", TextureUsage::kHdr},       TextureUsageName{"lut", TextureUsage::kLut},
    TextureUsageName{"copy", TextureUsage::kCopy}};
// The usages that a setting accepts, and those that pictures are compiled for.
inline constexpr std::span kSettingUsages = std::span(kTextureUsageNames).first<8>();
inline constexpr std::span kPictureUsages = std::span(kTextureUsageNames).subspan<1, 7>();

constexpr std::string_view to_string(TextureUsage usage) {
  return kTextureUsageNames[static_cast<std::size_t>(usage)].name;
}
static_assert([] {
  for (const TextureUsageName& row : kTextureUsageNames) {
    if (&kTextureUsageNames[static_cast<std::size_t>(row.value)] != &row) return false;
  }
  return true;
}());

constexpr std::optional<TextureUsage> parse_usage(std::string_view name,
                                                  std::span<const TextureUsageName> among = kTextureUsageNames) {
  for (const TextureUsageName& row : among) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

}  // namespace assetc::scene
