// Converts the values of UASTC endpoints and weights to BC7's. Used by the transcoder, and by the encoder to weigh the
// loss of transcoding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/block/bc7_tables.hpp"
#include "codec/block/bise.hpp"

namespace assetc::codec {

// The channel of an endpoint without its p bit, and its distance from the 8-bit value.
struct Bc7End {
  std::uint8_t value;
  std::uint8_t error;
};

// Widens a channel to 8 bits. Its lowest bit may be a p bit.
constexpr std::uint8_t expand_bc7(unsigned value, unsigned bits) {
  const unsigned wide = value << (8 - bits);
  return static_cast<std::uint8_t>(wide | wide >> bits);
}

// [p bit][8-bit value] -> the nearest channel of kBits bits, with that p bit below them.
template <unsigned kBits>
inline constexpr auto kBc7EndWithP = [] {
  constexpr unsigned total = kBits + 1;
  std::array<std::array<Bc7End, 256>, 2> table{};
  for (unsigned p = 0; p < 2; ++p) {
    for (unsigned v = 0; v < 256; ++v) {
      Bc7End best{0, 255};
      // With rounding, the nearest channel is within one of the scaled value.
      const int guess = static_cast<int>(v * ((1u << total) - 1) / 255 / 2);
      for (int q = guess - 1; q <= guess + 1; ++q) {
        if (q < 0 || q >= 1 << kBits) continue;
        const unsigned wide = expand_bc7(static_cast<unsigned>(q) << 1 | p, total);
        const unsigned e = wide > v ? wide - v : v - wide;
        if (e < best.error) best = {static_cast<std::uint8_t>(q), static_cast<std::uint8_t>(e)};
      }
      table[p][v] = best;
    }
  }
  return table;
}();

// Rounds an 8-bit value to a channel of kBits bits without a p bit.
template <unsigned kBits>
constexpr std::uint8_t bc7_end_without_p(unsigned v) {
  return static_cast<std::uint8_t>((v * ((1u << kBits) - 1) + 127) / 255);
}

// For each of our steps, the nearest of target's. Steps are in 64ths.
template <std::size_t N, std::size_t M>
constexpr std::array<std::uint8_t, 32> nearest_steps(const std::array<std::uint8_t, N>& ours, unsigned our_count,
                                                     const std::array<std::uint8_t, M>& target, unsigned target_count) {
  std::array<std::uint8_t, 32> map{};
  for (unsigned i = 0; i < our_count; ++i) {
    int best = 1000;
    for (unsigned j = 0; j < target_count; ++j) {
      const int d = ours[i] > target[j] ? ours[i] - target[j] : target[j] - ours[i];
      if (d < best) best = d, map[i] = static_cast<std::uint8_t>(j);
    }
  }
  return map;
}

// [weight bits][weight] -> 4-bit index of BC7.
inline constexpr auto kBc7Index4 = [] {
  std::array<std::array<std::uint8_t, 32>, 6> m{};
  for (unsigned b = 1; b <= 5; ++b) m[b] = nearest_steps(kWeightValues[b], 1u << b, kBc7Weights4, 16);
  return m;
}();

}  // namespace assetc::codec
