#include "texture/color.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace assetc::texture {
namespace {

// x^(1/5) for x in (0, 1], by Newton's method. guess must be at or above the root; from there the iteration falls
// monotonically.
double fifth_root(double x, double guess) {
  for (double root = guess;;) {
    const double square = root * root;
    const double next = (4.0 * root + x / (square * square)) / 5.0;
    if (!(next < root)) return root;
    root = next;
  }
}

double to_linear(double srgb, double guess) {
  if (srgb <= 0.04045) return srgb / 12.92;
  const double base = (srgb + 0.055) / 1.055;
  const double square = base * base;  // base^2.4 = base^2 * (base^2)^(1/5)
  return square * fifth_root(square, guess);
}

// Floats are divided into bins by their exponent and the first seven bits of their mantissa. A bin in range holds at
// most one border between two codes (tested), so one comparison after the lookup gives the exact code.
constexpr std::uint32_t kFirstBits = 0x39000000;  // 2^-13, whose code is still 0
constexpr std::uint32_t kBinShift = 16;
constexpr std::size_t kBins = (0x3F800000 - kFirstBits) >> kBinShift;

struct EncodeTables {
  std::array<float, 256> border;  // border[i]: the smallest linear value with code i + 1; border[255] is never reached
  std::array<std::uint8_t, kBins> code;  // of the smallest value of a bin
};

EncodeTables make_encode_tables() {
  EncodeTables tables{};
  for (std::size_t i = 0; i < 255; ++i) {
    const double exact = srgb_to_linear((static_cast<double>(i) + 0.5) / 255.0);
    auto rounded = static_cast<float>(exact);
    if (static_cast<double>(rounded) < exact) rounded = std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) + 1);
    tables.border[i] = rounded;
  }
  tables.border[255] = 2.0f;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const auto least = std::bit_cast<float>(kFirstBits + (static_cast<std::uint32_t>(bin) << kBinShift));
    const auto above = std::upper_bound(tables.border.begin(), tables.border.end(), least);
    tables.code[bin] = static_cast<std::uint8_t>(above - tables.border.begin());
  }
  return tables;
}

}  // namespace

double srgb_to_linear(double srgb) { return to_linear(srgb, 1.0); }

const std::array<float, 256>& srgb8_to_linear() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t{};
    for (std::size_t i = 0; i < 256; ++i) t[i] = static_cast<float>(srgb_to_linear(static_cast<double>(i) / 255.0));
    return t;
  }();
  return table;
}

std::span<const float, 65536> srgb16_to_linear() {
  static const std::vector<float> table = [] {
    std::vector<float> t(65536);
    for (std::size_t i = 0; i < 65536; ++i) t[i] = static_cast<float>(srgb_to_linear(static_cast<double>(i) / 65535.0));
    return t;
  }();
  return std::span<const float, 65536>(table);
}

std::uint8_t linear_to_srgb8(float linear) {
  static const EncodeTables tables = make_encode_tables();
  if (!(linear >= std::bit_cast<float>(kFirstBits))) return 0;
  if (linear >= 1.0f) return 255;
  const std::uint8_t code = tables.code[(std::bit_cast<std::uint32_t>(linear) - kFirstBits) >> kBinShift];
  return static_cast<std::uint8_t>(code + (linear >= tables.border[code]));
}

std::uint16_t half_from_float(float value) {
  constexpr float kLargest = 65504.0f;
  if (value < 0.0f) return static_cast<std::uint16_t>(0x8000u | half_from_float(-value));
  if (!(value > 0.0f)) return 0;
  if (value >= kLargest) return 0x7BFF;
  if (value < 0x1p-14f) {  // a denormal half: a multiple of 2^-24; float addition rounds to even
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value + 0.5f) - std::bit_cast<std::uint32_t>(0.5f));
  }
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0xFFF + (bits >> 13 & 1);
  return static_cast<std::uint16_t>((rounded >> 13) - ((127 - 15) << 10));
}

float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = (half >> 10) & 31, fraction = half & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

}  // namespace assetc::texture
