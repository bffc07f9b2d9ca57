#include "texture/storage.hpp"

#include <gtest/gtest.h>

namespace assetc::texture {
namespace {

StoragePlan plan(TargetFormat target, TexelKind kind, const char* channels = nullptr) {
  const auto made = plan_storage(target, kind, channels ? parse_channels(channels) : std::nullopt);
  EXPECT_TRUE(made) << made.error().to_string();
  return made.value_or(StoragePlan{});
}
std::string refusal(TargetFormat target, TexelKind kind, const char* channels = nullptr) {
  const auto made = plan_storage(target, kind, channels ? parse_channels(channels) : std::nullopt);
  return made ? "accepted" : made.error().to_string();
}

TEST(Storage, auto_follows_what_the_picture_is) {
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kColor).format, TexelFormat::kBc7);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kLinear).format, TexelFormat::kBc7);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kNormal).format, TexelFormat::kBc5);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kGray).format, TexelFormat::kBc4);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kHdr).format, TexelFormat::kBc6h);
  EXPECT_EQ(plan(TargetFormat::kBc6h, TexelKind::kColor).color_space, ColorSpace::kLinear);
}

TEST(Storage, auto_follows_the_channels_that_are_asked_for) {
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kLinear, "b").format, TexelFormat::kBc4);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kLinear, "ga").format, TexelFormat::kBc5);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kLinear, "rgb").format, TexelFormat::kBc7);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kNormal, "rgb").format, TexelFormat::kBc7);
  // auto chooses no format that needs a swizzle.
  const StoragePlan gray = plan(TargetFormat::kAuto, TexelKind::kGray, "rrr1");
  EXPECT_EQ(gray.format, TexelFormat::kBc7);
  EXPECT_EQ(gray.swizzle, std::nullopt);
}

TEST(Storage, color_is_srgb_but_in_half_floats) {
  EXPECT_EQ(plan(TargetFormat::kBc7, TexelKind::kColor).color_space, ColorSpace::kSrgb);
  EXPECT_EQ(plan(TargetFormat::kBc7, TexelKind::kLinear).color_space, ColorSpace::kNone);
  EXPECT_EQ(plan(TargetFormat::kBc7, TexelKind::kNormal).color_space, ColorSpace::kNone);
  EXPECT_EQ(plan(TargetFormat::kRgba16f, TexelKind::kColor).color_space, ColorSpace::kLinear);
  EXPECT_EQ(plan(TargetFormat::kRgba16f, TexelKind::kHdr).color_space, ColorSpace::kLinear);
  EXPECT_EQ(plan(TargetFormat::kRgba16f, TexelKind::kGray).color_space, ColorSpace::kNone);
}

TEST(Storage, hdr_stays_half_float_whatever_is_asked_for) {
  for (const TargetFormat target : {TargetFormat::kUastc, TargetFormat::kBc5, TargetFormat::kRgba8})
    EXPECT_EQ(plan(target, TexelKind::kHdr).format, TexelFormat::kRgba16f);
}

TEST(Storage, hdr_keeps_alpha_where_it_can) {
  EXPECT_TRUE(plan(TargetFormat::kUastc, TexelKind::kHdr).keeps(Channel::kA));
  EXPECT_FALSE(plan(TargetFormat::kUastc, TexelKind::kHdr, "rgb").keeps(Channel::kA));
  EXPECT_FALSE(plan(TargetFormat::kAuto, TexelKind::kHdr).keeps(Channel::kA));
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kHdr, "rgba").format, TexelFormat::kRgba16f);
  EXPECT_EQ(
      refusal(TargetFormat::kBc6h, TexelKind::kHdr, "rgba"),
      "texture.format: bc6h holds 3 channels, but texture.channels asks for rgba; ask for fewer channels, or use auto");
}

TEST(Storage, channels_that_do_not_fit_are_stored_once_and_told_by_a_swizzle) {
  const StoragePlan gray = plan(TargetFormat::kBc4, TexelKind::kLinear, "rrr1");
  EXPECT_EQ(gray.swizzle, parse_channels("rrr1"));
  EXPECT_EQ(gray.stored, parse_channels("r"));
  const StoragePlan mask = plan(TargetFormat::kBc4, TexelKind::kLinear, "111a");
  EXPECT_EQ(mask.swizzle, parse_channels("111r"));
  EXPECT_EQ(mask.stored, parse_channels("a"));
  const StoragePlan gray_alpha = plan(TargetFormat::kBc5, TexelKind::kLinear, "bbba");
  EXPECT_EQ(gray_alpha.swizzle, parse_channels("rrrg"));
  EXPECT_EQ(gray_alpha.stored, parse_channels("ba"));
  // Channels that fit are stored unchanged, without a swizzle.
  EXPECT_EQ(plan(TargetFormat::kBc4, TexelKind::kLinear, "a").swizzle, std::nullopt);
  EXPECT_EQ(plan(TargetFormat::kBc3, TexelKind::kNormal, "1g0r").swizzle, std::nullopt);
  EXPECT_EQ(plan(TargetFormat::kBc3, TexelKind::kNormal, "1g0r").stored, parse_channels("1g0r"));
}

TEST(Storage, what_a_format_cannot_hold_is_refused) {
  // In the user's letters, though a normal map has no alpha.
  EXPECT_EQ(
      refusal(TargetFormat::kBc5, TexelKind::kNormal, "rgba"),
      "texture.format: bc5 holds 2 channels, but texture.channels asks for rgba; ask for fewer channels, or use auto");
  EXPECT_EQ(
      refusal(TargetFormat::kBc5, TexelKind::kColor),
      "texture.format: bc5 has no sRGB form, but the picture is color, which is sRGB; use auto or bc7, or name the "
      "picture as what it is: .n. for a normal map, .ao. .h. or .r. for one channel");
  EXPECT_EQ(refusal(TargetFormat::kBc4, TexelKind::kNormal),
            "texture.format: bc4 holds 1 channel, but the picture has rg; say which to keep with texture.channels, or "
            "use auto");
  EXPECT_EQ(
      refusal(TargetFormat::kBc5, TexelKind::kLinear, "rgb"),
      "texture.format: bc5 holds 2 channels, but texture.channels asks for rgb; ask for fewer channels, or use auto");
  EXPECT_EQ(
      refusal(TargetFormat::kBc1, TexelKind::kColor, "rgba"),
      "texture.format: bc1 holds 3 channels, but texture.channels asks for rgba; ask for fewer channels, or use auto");
  EXPECT_EQ(plan(TargetFormat::kBc1, TexelKind::kColor).stored, parse_channels("rgb1"));
}

TEST(Storage, named_channels_of_a_gray_map_are_data) {
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kGray, "g").kind, TexelKind::kLinear);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kGray).kind, TexelKind::kGray);
  EXPECT_EQ(plan(TargetFormat::kAuto, TexelKind::kNormal, "rgb").kind, TexelKind::kNormal);
}

TEST(Storage, etc2_is_the_member_of_the_family_that_fits) {
  EXPECT_EQ(plan(TargetFormat::kEtc2, TexelKind::kColor).format, TexelFormat::kEtc2Rgba);
  EXPECT_EQ(plan(TargetFormat::kEtc2, TexelKind::kColor, "rgb").format, TexelFormat::kEtc2Rgb);
  EXPECT_EQ(plan(TargetFormat::kEtc2, TexelKind::kColor, "r").format, TexelFormat::kEtc2Rgb);
  EXPECT_EQ(plan(TargetFormat::kEtc2, TexelKind::kNormal).format, TexelFormat::kEacRg11);
  EXPECT_EQ(plan(TargetFormat::kEtc2, TexelKind::kNormal, "rgb").format, TexelFormat::kEtc2Rgb);
  EXPECT_EQ(plan(TargetFormat::kEtc2, TexelKind::kGray).format, TexelFormat::kEacR11);
  EXPECT_EQ(plan(TargetFormat::kEtc2, TexelKind::kLinear, "ga").format, TexelFormat::kEacRg11);
}

TEST(Storage, letters_become_channels) {
  EXPECT_EQ(parse_channels("bgra"), (ChannelMap{Channel::kB, Channel::kG, Channel::kR, Channel::kA}));
  EXPECT_EQ(parse_channels("a"), (ChannelMap{Channel::kA, Channel::kZero, Channel::kZero, Channel::kOne}));
  EXPECT_EQ(parse_channels("10"), (ChannelMap{Channel::kOne, Channel::kZero, Channel::kZero, Channel::kOne}));
  EXPECT_FALSE(parse_channels(""));
  EXPECT_FALSE(parse_channels("rgbar"));
  EXPECT_FALSE(parse_channels("rgx"));
}

TEST(Storage, images_are_whole_blocks) {
  EXPECT_EQ(image_bytes({1, 1}, TexelFormat::kBc7), 16u);
  EXPECT_EQ(image_bytes({5, 9}, TexelFormat::kBc4), 2u * 3 * 8);
  EXPECT_EQ(image_bytes({65536, 65536}, TexelFormat::kRgba16f), std::uint64_t{1} << 35);
}

TEST(Storage, texels_are_reordered_in_place) {
  std::array<std::uint8_t, 8> bytes{1, 2, 3, 4, 5, 6, 7, 8};
  apply_channels_u8(*parse_channels("ab01"), std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 8>{4, 3, 0, 255, 8, 7, 0, 255}));
  std::array<std::uint16_t, 4> halves{1, 2, 3, 4};
  apply_channels_half(*parse_channels("g1"), std::as_writable_bytes(std::span(halves)));
  EXPECT_EQ(halves, (std::array<std::uint16_t, 4>{2, 0x3C00, 0, 0x3C00}));
}

}  // namespace
}  // namespace assetc::texture
