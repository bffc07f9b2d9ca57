// The sRGB transfer function (IEC 61966-2-1), from tables that are the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace assetc::texture {

// Linear light of each 8-bit sRGB code, correctly rounded from double.
const std::array<float, 256>& srgb8_to_linear();
// Linear light of each 16-bit sRGB code.
std::span<const float, 65536> srgb16_to_linear();
// Linear light of an sRGB value in [0, 1]. Uses only +, -, * and / in double, so the bits are the same everywhere.
double srgb_to_linear(double srgb);

// The sRGB code nearest to a linear value. Values outside [0, 1] are clamped; NaN gives 0.
std::uint8_t linear_to_srgb8(float linear);

// round(clamp(value, 0, 1) * 255); NaN gives 0.
inline std::uint8_t unorm8(float value) {
  const float clamped = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
  return static_cast<std::uint8_t>(static_cast<int>(clamped * 255.0f + 0.5f));
}

// round(clamp(value, 0, 1) * 65535); NaN gives 0.
inline std::uint16_t unorm16(float value) {
  const float clamped = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
  return static_cast<std::uint16_t>(static_cast<int>(clamped * 65535.0f + 0.5f));
}

// The IEEE 754 half float nearest to a value, ties to even, clamped to -65504 to 65504. NaN and negative zero give 0.
std::uint16_t half_from_float(float value);
// The value of any half float, including negative, infinite and NaN ones.
float float_from_half(std::uint16_t half);

}  // namespace assetc::texture
