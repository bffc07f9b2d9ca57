// UASTC's ETC1 biases: small corrections of the base colors of a block's halves relative to their averages.
// Source: the UASTC LDR 4x4 texture specification.
#pragma once

#include <array>
#include <cstdint>

#include "codec/block/etc_block.hpp"

namespace assetc::codec {

inline constexpr unsigned kEtc1BiasCount = 32;
// The bias whose deltas are all 0. It moves a channel only at the ends of its range.
inline constexpr unsigned kEtc1NoBias = 13;

// [bias][half][channel] -> the delta of the base color, -2 to 1. Most biases are a number of three base-3 digits, one
// for each channel; the delta is the digit minus one, for both halves. The numbers that would be least useful in this
// scheme have other deltas.
inline constexpr auto kEtc1BiasDeltas = [] {
  using Delta = std::array<std::int8_t, 3>;
  std::array<std::array<Delta, 2>, kEtc1BiasCount> t{};
  for (int i = 0; i < static_cast<int>(kEtc1BiasCount); ++i) {
    const auto digit = [i](int by) { return static_cast<std::int8_t>(i / by % 3 - 1); };
    t[i][0] = t[i][1] = {digit(1), digit(3), digit(9)};
  }
  constexpr Delta none = {0, 0, 0};
  t[2] = {Delta{-1, 0, 0}, none};
  t[5] = {Delta{0, -1, 0}, none};
  t[6] = {Delta{0, 0, -1}, none};
  t[7] = {Delta{1, 0, 0}, none};
  t[11] = {Delta{0, 1, 0}, none};
  t[15] = {Delta{0, 0, 1}, none};
  t[18] = {none, Delta{-1, 0, 0}};
  t[19] = {none, Delta{0, -1, 0}};
  t[20] = {none, Delta{0, 0, -1}};
  t[21] = {none, Delta{1, 0, 0}};
  t[24] = {none, Delta{0, 1, 0}};
  t[8] = {none, Delta{0, 0, 1}};
  t[10] = {Delta{-2, -2, -2}, Delta{-2, -2, -2}};
  t[27] = {Delta{-1, -1, -1}, none};
  t[28] = {Delta{1, 1, 1}, Delta{-1, -1, -1}};
  t[29] = {none, Delta{1, 1, 1}};
  t[30] = {none, Delta{-1, -1, -1}};
  t[31] = {Delta{1, 1, 1}, none};
  return t;
}();

// Adds a delta to one channel, 0..limit. At the ends of the range the result moves inward instead of being clamped, so
// that different deltas keep different results.
constexpr std::uint8_t bias_etc1_channel(int v, int delta, int limit) {
  if (v == 0) return static_cast<std::uint8_t>(delta == -2 ? 3 : delta + 1);
  if (v == limit) return static_cast<std::uint8_t>(v + delta - 1);
  const int moved = v + delta;
  return static_cast<std::uint8_t>(moved < 0 || moved > limit ? v - delta : moved);
}

// Applies a bias to the base color of a half. Each channel is 0..limit (15 or 31). bias < kEtc1BiasCount.
constexpr Rgb8 bias_etc1_base(Rgb8 base, unsigned bias, unsigned limit, unsigned half) {
  const auto& d = kEtc1BiasDeltas[bias][half];
  const int max = static_cast<int>(limit);
  return {bias_etc1_channel(base.r, d[0], max), bias_etc1_channel(base.g, d[1], max),
          bias_etc1_channel(base.b, d[2], max)};
}

// One channel of the base color of a half without bias: the average, quantized to 0..limit. sum: of the half's 8
// texels.
constexpr std::uint8_t etc1_average(unsigned sum, unsigned limit) {
  return static_cast<std::uint8_t>((sum * limit + 1020) / (8 * 255));
}

}  // namespace assetc::codec
