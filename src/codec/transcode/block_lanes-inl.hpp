// Moves the texels of 16 blocks to lanes, one block in each lane. Included where AVX2 is the target, in a namespace of
// its own, after uastc_texels-inl.hpp; see uastc_batch_texels.cpp.

using Signed = std::int16_t __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));

[[gnu::always_inline]] inline __m256i bits_of(Lanes v) { return reinterpret_cast<__m256i>(v); }
[[gnu::always_inline]] inline __m256i bits_of(Signed v) { return reinterpret_cast<__m256i>(v); }
[[gnu::always_inline]] inline __m256i bits_of(Ints v) { return reinterpret_cast<__m256i>(v); }
[[gnu::always_inline]] inline Lanes lanes_of(__m256i v) { return reinterpret_cast<Lanes>(v); }
// a where the mask is 0, else b. The lanes of the mask are all ones or all zeros.
[[gnu::always_inline]] inline Lanes chosen(Lanes mask, Lanes a, Lanes b) {
  return lanes_of(_mm256_blendv_epi8(bits_of(a), bits_of(b), bits_of(mask)));
}
// The products of the 16-bit numbers of each 32-bit lane, added.
[[gnu::always_inline]] inline Ints products_added(Lanes a, Lanes b) {
  return reinterpret_cast<Ints>(_mm256_madd_epi16(bits_of(a), bits_of(b)));
}

// One channel of 16 blocks. Pair k: lane n has texel 2k of block n in its low byte and texel 2k + 1 in its high byte.
using TexelPairs = std::array<Lanes, 8>;

// Takes the channel from 16 blocks, from `first` on.
[[gnu::always_inline]] inline void transpose_blocks(const WaitingBlocks& blocks, unsigned first, unsigned channel,
                                                    TexelPairs& out) {
  const auto bytes = [&](unsigned i) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(&blocks.planes[first + i][kBlockTexels * channel]));
  };
  __m256i row[8], two[8], four[8];
  for (unsigned i = 0; i < 8; ++i) row[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(bytes(i)), bytes(i + 8), 1);
  for (unsigned i = 0; i < 8; i += 2) {
    two[i] = _mm256_unpacklo_epi16(row[i], row[i + 1]);
    two[i + 1] = _mm256_unpackhi_epi16(row[i], row[i + 1]);
  }
  for (unsigned i = 0; i < 8; i += 4) {
    four[i] = _mm256_unpacklo_epi32(two[i], two[i + 2]);
    four[i + 1] = _mm256_unpackhi_epi32(two[i], two[i + 2]);
    four[i + 2] = _mm256_unpacklo_epi32(two[i + 1], two[i + 3]);
    four[i + 3] = _mm256_unpackhi_epi32(two[i + 1], two[i + 3]);
  }
  for (unsigned i = 0; i < 4; ++i) {
    out[2 * i] = lanes_of(_mm256_unpacklo_epi64(four[i], four[i + 4]));
    out[2 * i + 1] = lanes_of(_mm256_unpackhi_epi64(four[i], four[i + 4]));
  }
}
