// How the values of UASTC endpoints and weights become BC7's, for the transcoder and for the encoder that weighs what
// it will lose.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/block/bc7_tables.hpp"
#include "codec/block/bise.hpp"

namespace assetc::codec {

// An endpoint channel without its p bit, and how far it is from the 8-bit value.
struct Bc7End {
  std::uint8_t value;
  std::uint8_t error;
};

// A channel of bits bits, the lowest of which may be a p bit, as 8 bits.
constexpr std::uint8_t expand_bc7(unsigned value, unsigned bits) {
  const unsigned wide = value << (8 - bits);
  return static_cast<std::uint8_t>(wide | wide >> bits);
}

// [p bit][8-bit value]: the nearest channel of kBits bits and the p bit below them.
template <unsigned kBits>
inline constexpr auto kBc7EndWithP = [] {
  constexpr unsigned total = kBits + 1;
  std::array<std::array<Bc7End, 256>, 2> table{};
  for (unsigned p = 0; p < 2; ++p) {
    for (unsigned v = 0; v < 256; ++v) {
      Bc7End best{0, 255};
      // Rounding puts the answer within one of the scaled value.
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

// An 8-bit value as a channel of kBits bits where there is no p bit.
template <unsigned kBits>
constexpr std::uint8_t bc7_end_without_p(unsigned v) {
  return static_cast<std::uint8_t>((v * ((1u << kBits) - 1) + 127) / 255);
}

// The nearest of target's steps (each out of 64) to each of ours.
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

// [weight bits][weight] -> BC7's 4-bit index.
inline constexpr auto kBc7Index4 = [] {
  std::array<std::array<std::uint8_t, 32>, 6> m{};
  for (unsigned b = 1; b <= 5; ++b) m[b] = nearest_steps(kWeightValues[b], 1u << b, kBc7Weights4, 16);
  return m;
}();

}  // namespace assetc::codec
