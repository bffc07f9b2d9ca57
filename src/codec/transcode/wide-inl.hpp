// What encoders with one block in each 16-bit lane share. Included once for each instruction set, in its namespace,
// after rows_avx2-inl.hpp or rows_avx512-inl.hpp.

[[gnu::always_inline]] inline Wide splat_wide(unsigned v) { return static_cast<std::uint16_t>(v) + Wide{}; }
// One texel of all blocks.
[[gnu::always_inline]] inline Wide texel_of(const WidePairs& pairs, unsigned texel) {
  return texel & 1 ? pairs[texel / 2] >> 8 : pairs[texel / 2] & 255;
}
[[gnu::always_inline]] inline Wide swapped_bytes(Wide v) { return v << 8 | v >> 8; }

// Writes the four words of each block that waits, at `offset` in its output.
[[gnu::always_inline]] inline void store_words(const WaitingBlocks& blocks, unsigned offset, Wide first, Wide second,
                                               Wide third, Wide fourth) {
  // In each 128 bits, four blocks: words 0 and 1, then words 2 and 3.
  const Wide words[2][2] = {{lower_lanes(first, second), lower_lanes(third, fourth)},
                            {upper_lanes(first, second), upper_lanes(third, fourth)}};
  alignas(64) std::uint32_t halves[2][2][kWideBlocks / 2];
  std::memcpy(halves, words, sizeof halves);
  for (unsigned i = 0; i < blocks.count; ++i) {
    const unsigned at = i / 8 * 4 + i % 4, upper = i / 4 % 2;
    std::memcpy(blocks.out[i] + offset, &halves[upper][0][at], 4);
    std::memcpy(blocks.out[i] + offset + 4, &halves[upper][1][at], 4);
  }
}
