#include "texture/color.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace assetc::texture {
namespace {

TEST(color, tables_agree_with_the_transfer_function) {
  for (int i = 0; i < 65536; ++i) {
    const double s = i / 65535.0;
    const double linear = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    ASSERT_NEAR(srgb16_to_linear()[static_cast<std::size_t>(i)], linear, linear * 1e-7) << i;
  }
  EXPECT_EQ(srgb8_to_linear()[0], 0.0f);
  EXPECT_EQ(srgb8_to_linear()[255], 1.0f);
  // Golden bits: the table must not depend on the pow function of the machine.
  EXPECT_EQ(std::bit_cast<std::uint32_t>(srgb8_to_linear()[1]), 0x399f22b4u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(srgb8_to_linear()[128]), 0x3e5d0a89u);
}

TEST(color, every_code_survives_a_round_trip) {
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(linear_to_srgb8(srgb8_to_linear()[i]), i);
}

TEST(color, codes_change_exactly_half_way) {
  for (int i = 0; i < 255; ++i) {
    const double border = srgb_to_linear((i + 0.5) / 255.0);
    auto above = static_cast<float>(border);
    if (static_cast<double>(above) < border) above = std::nextafter(above, 2.0f);
    ASSERT_EQ(linear_to_srgb8(above), i + 1);
    ASSERT_EQ(linear_to_srgb8(std::nextafter(above, 0.0f)), i);
  }
}

// Covers [2^-13, 1) in steps finer than any bin of the table: the code never decreases and never jumps.
TEST(color, codes_rise_one_by_one) {
  int last = 0;
  for (std::uint32_t bits = 0x38F00000; bits <= 0x3F800000; bits += 257) {
    const int code = linear_to_srgb8(std::bit_cast<float>(bits));
    ASSERT_TRUE(code == last || code == last + 1) << std::bit_cast<float>(bits);
    last = code;
  }
  EXPECT_EQ(last, 255);
}

TEST(color, halves_are_rounded_to_even) {
  for (std::uint32_t h = 0; h < 0x7C00; ++h) {  // every finite half, and the points between it and the next
    const auto value = [](std::uint32_t bits) {
      const std::uint32_t exponent = bits >> 10, fraction = bits & 1023;
      return exponent == 0 ? static_cast<float>(fraction) * 0x1p-24f
                           : std::ldexp(static_cast<float>(1024 + fraction), static_cast<int>(exponent) - 25);
    };
    ASSERT_EQ(half_from_float(value(h)), h);
    ASSERT_EQ(float_from_half(static_cast<std::uint16_t>(h)), value(h));
    ASSERT_EQ(float_from_half(static_cast<std::uint16_t>(h | 0x8000)), -value(h));
    ASSERT_EQ(half_from_float(-value(h)), h == 0 ? 0 : h | 0x8000);
    if (h == 0x7BFF) break;
    const float middle = (value(h) + value(h + 1)) / 2;
    ASSERT_EQ(half_from_float(middle), h + h % 2);
    ASSERT_EQ(half_from_float(std::nextafter(middle, 0.0f)), h);
    ASSERT_EQ(half_from_float(std::nextafter(middle, 1e9f)), h + 1);
  }
  EXPECT_EQ(float_from_half(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(float_from_half(0x7E00)));
  EXPECT_EQ(half_from_float(1e9f), 0x7BFF);
  EXPECT_EQ(half_from_float(-1e9f), 0xFBFF);
  EXPECT_EQ(half_from_float(-0.0f), 0);
  EXPECT_EQ(half_from_float(std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(color, values_out_of_range_are_clamped) {
  EXPECT_EQ(linear_to_srgb8(-1.0f), 0);
  EXPECT_EQ(linear_to_srgb8(7.0f), 255);
  EXPECT_EQ(linear_to_srgb8(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(linear_to_srgb8(std::numeric_limits<float>::infinity()), 255);
  EXPECT_EQ(unorm8(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(unorm8(-0.1f), 0);
  EXPECT_EQ(unorm8(2.0f), 255);
}

}  // namespace
}  // namespace assetc::texture
