// Encodes 16 blocks as ETC1, one in each lane, with the bytes of uastc_to_etc1. Included where AVX2 is the target, in
// a namespace of its own, after rows_avx2-inl.hpp. The hints are as good as random, so nothing branches on them.

// The bits of the hints from the flip bit on are 13. This one is added for the modes that do not store a bias.
inline constexpr unsigned kWithoutBias = 1u << 13;

// [half][channel][bias] -> the delta of the base color, plus 2. [3]: for biases from 16 on.
constexpr auto kEtc1Deltas = [] {
  std::array<std::array<std::array<std::array<std::uint8_t, 16>, 2>, 3>, 2> t{};
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned c = 0; c < 3; ++c)
      for (unsigned bias = 0; bias < kEtc1BiasCount; ++bias)
        t[half][c][bias / 16][bias % 16] = static_cast<std::uint8_t>(kEtc1BiasDeltas[bias][half][c] + 2);
  return t;
}();
// [small or large][table] -> the modifier.
constexpr auto kEtc1Steps = [] {
  std::array<std::array<std::uint8_t, 16>, 2> t{};
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned large = 0; large < 2; ++large) t[large][i] = kEtc1Modifiers[i % 8][large];
  return t;
}();

// The base color of one channel and half. average: 0 to limit. delta: plus 2.
[[gnu::always_inline]] inline Lanes biased_base(Lanes average, Lanes delta, Lanes limit) {
  // As bias_etc1_channel. Numbers are signed.
  const Lanes moved = average + delta - 2;
  const auto outside = reinterpret_cast<Lanes>((reinterpret_cast<Signed>(moved) < 0) |
                                               (reinterpret_cast<Signed>(moved) > reinterpret_cast<Signed>(limit)));
  const auto at_zero = reinterpret_cast<Lanes>(average == 0), at_limit = reinterpret_cast<Lanes>(average == limit);
  Lanes base = chosen(outside, moved, average + 2 - delta);
  base = chosen(at_limit, base, moved - 1);
  return chosen(at_zero, base, chosen(reinterpret_cast<Lanes>(delta == 0), delta - 1, splat(3)));
}

// Encodes at most 16 blocks. Their planes are R, G and B; their hints are the 13 bits, and kWithoutBias.
inline void encode_etc1(WaitingBlocks& blocks) {
  TexelPairs channel[3];
  for (unsigned c = 0; c < 3; ++c) transpose_blocks(blocks, 0, c, channel[c]);
  Lanes hints;
  std::memcpy(&hints, blocks.hints.data(), sizeof hints);
  const Lanes flip = 0 - (hints & 1), diff = 0 - (hints >> 1 & 1), bias = hints >> 8 & 31;
  const Lanes table[2] = {hints >> 2 & 7, hints >> 5 & 7};
  const auto has_bias = reinterpret_cast<Lanes>((hints & kWithoutBias) == 0);
  const Lanes limit = (diff & 16) + 15;
  // Biases from 16 on are not looked up in the first half of a table, and smaller ones not in the second.
  const Lanes low_bias = bias + 0x70, high_bias = (bias - 16) & 0xff;

  Lanes base[2][3], wide[2][3];
  for (unsigned c = 0; c < 3; ++c) {
    const auto sum_of = [](Lanes pairs) { return lanes_of(_mm256_maddubs_epi16(bits_of(pairs), _mm256_set1_epi8(1))); };
    const TexelPairs& v = channel[c];
    // Sums of quarters. Two of them make a half in either orientation.
    const Lanes q0 = sum_of(v[0]) + sum_of(v[2]), q1 = sum_of(v[1]) + sum_of(v[3]), q2 = sum_of(v[4]) + sum_of(v[6]),
                q3 = sum_of(v[5]) + sum_of(v[7]);
    for (unsigned half = 0; half < 2; ++half) {
      const Lanes sum = half == 0 ? q0 + chosen(flip, q2, q1) : q3 + chosen(flip, q1, q2);
      // (sum * limit + 1020) / 2040, where v / 255 is (v + 1 + (v >> 8)) >> 8.
      const Lanes eighth = (sum * limit + 1020) >> 3;
      const Lanes average = (eighth + 1 + (eighth >> 8)) >> 8;
      const Lanes delta = looked_up(kEtc1Deltas[half][c][0], low_bias) | looked_up(kEtc1Deltas[half][c][1], high_bias);
      base[half][c] = chosen(has_bias, average, biased_base(average, delta, limit));
    }
    // The second half is within -4 and 3 of the first.
    const Lanes near = lesser(greater(base[1][c], base[0][c] - 4), base[0][c] + 3);
    base[1][c] = chosen(diff, base[1][c], near);
    for (unsigned half = 0; half < 2; ++half) {
      const Lanes b = base[half][c];
      wide[half][c] = chosen(diff, b << 4 | b, b << 3 | b >> 2);
    }
  }

  // The midpoints between the luma of neighboring colors, rounded up, with the top bit inverted: there are only signed
  // comparisons.
  Lanes edge[2][3];
  for (unsigned half = 0; half < 2; ++half) {
    const Lanes small = looked_up(kEtc1Steps[0], table[half]), large = looked_up(kEtc1Steps[1], table[half]);
    const Lanes shift[4] = {0 - large, 0 - small, small, large};
    Lanes luma[4];
    for (unsigned i = 0; i < 4; ++i) {
      const auto color = [&](unsigned c) { return lesser(greater(wide[half][c] + shift[i], Lanes{}), splat(255)); };
      luma[i] = color(0) * 54 + color(1) * 183 + color(2) * 19;
    }
    for (unsigned i = 0; i < 3; ++i)
      edge[half][i] = lanes_of(_mm256_avg_epu16(bits_of(luma[i]), bits_of(luma[i + 1]))) ^ 0x8000;
  }
  // [quarter] -> the midpoints of its half.
  Lanes quarter[4][3];
  for (unsigned i = 0; i < 3; ++i) {
    quarter[0][i] = edge[0][i];
    quarter[1][i] = chosen(flip, edge[1][i], edge[0][i]);
    quarter[2][i] = chosen(flip, edge[0][i], edge[1][i]);
    quarter[3][i] = edge[1][i];
  }

  // Each texel takes the color of its half with the nearest luma. Bit i of a word is the texel at column i / 4 and row
  // i % 4.
  Lanes high_bits{}, low_bits{};
#pragma GCC unroll 16
  for (unsigned i = 16; i-- > 0;) {
    const unsigned t = i % 4 * 4 + i / 4;
    const auto luma = reinterpret_cast<Signed>(
        (texel_of(channel[0], t) * 54 + texel_of(channel[1], t) * 183 + texel_of(channel[2], t) * 19) ^ 0x8000);
    const Lanes(&edges)[3] = quarter[(t >> 3) * 2 + (t >> 1 & 1)];
    const auto below = [&](unsigned e) { return reinterpret_cast<Lanes>(reinterpret_cast<Signed>(edges[e]) > luma); };
    high_bits = high_bits + high_bits - below(1);
    low_bits = low_bits + low_bits - (below(0) | ~below(2));
  }

  const auto field = [&](unsigned c) {
    const Lanes first = base[0][c], second = base[1][c];
    return chosen(diff, first << 4 | second, first << 3 | ((second - first) & 7));
  };
  const Lanes control = table[0] << 5 | table[1] << 2 | (hints & 1) | (hints & 2);
  store_words(blocks, 0, field(0) | field(1) << 8, field(2) | control << 8, swapped_bytes(high_bits),
              swapped_bytes(low_bits));
  blocks.count = 0;
}
