// The types and functions of rows_avx2-inl.hpp for AVX-512: rows of 16 blocks, and 32 blocks in 16-bit lanes. Included
// in the namespace avx512.

using avx2::Lanes;
using avx2::TexelPairs;

inline constexpr unsigned kRowBlocks = 16;
using Ints = std::int32_t __attribute__((vector_size(64)));
using Words = std::uint32_t __attribute__((vector_size(64)));
using Floats = float __attribute__((vector_size(64)));
using Halves = std::uint16_t __attribute__((vector_size(64)));

[[gnu::always_inline]] inline Halves row_of(const Lanes& pairs, unsigned) {
  return reinterpret_cast<Halves>(_mm512_cvtepu8_epi16(reinterpret_cast<__m256i>(pairs)));
}
[[gnu::always_inline]] inline Ints products_added(Halves a, Halves b) {
  return reinterpret_cast<Ints>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
[[gnu::always_inline]] inline Halves products_high(Halves a, Halves b) {
  return reinterpret_cast<Halves>(_mm512_mulhi_epu16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
[[gnu::always_inline]] inline Halves halves_of(Halves a, Halves b) {
  return reinterpret_cast<Halves>(
      _mm512_mask_blend_epi16(0xaaaaaaaa, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
[[gnu::always_inline]] inline Ints lesser(Ints a, Ints b) {
  return reinterpret_cast<Ints>(_mm512_min_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
[[gnu::always_inline]] inline Ints greater(Ints a, Ints b) {
  return reinterpret_cast<Ints>(_mm512_max_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
[[gnu::always_inline]] inline Floats rounded_down(Floats v) {
  return reinterpret_cast<Floats>(
      _mm512_roundscale_ps(reinterpret_cast<__m512>(v), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
}
[[gnu::always_inline]] inline Floats clamped(Floats v, float most) {
  const __m512 positive = _mm512_max_ps(reinterpret_cast<__m512>(v), _mm512_setzero_ps());
  return reinterpret_cast<Floats>(_mm512_min_ps(positive, _mm512_set1_ps(most)));
}
[[gnu::always_inline]] inline unsigned lanes_set(Ints mask) {
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask));
}

// A comparison gives a bit, which selects the lanes of an addition.
inline constexpr int kLevelSign = 1;
template <int kOne>
[[gnu::always_inline]] inline Ints ones_above(Ints p, const Ints (&edge)[3]) {
  const __m512i one = _mm512_set1_epi32(kOne);
  const auto above = [&](unsigned i) {
    return _mm512_cmpgt_epi32_mask(reinterpret_cast<__m512i>(p), reinterpret_cast<__m512i>(edge[i]));
  };
  __m512i sum = _mm512_maskz_mov_epi32(above(0), one);
  sum = _mm512_mask_add_epi32(sum, above(1), sum, one);
  return reinterpret_cast<Ints>(_mm512_mask_add_epi32(sum, above(2), sum, one));
}
[[gnu::always_inline]] inline Ints level_of(Ints p, const Ints (&edge)[3]) { return ones_above<1>(p, edge); }
[[gnu::always_inline]] inline Halves level_twice(Ints p, const Ints (&edge)[3]) {
  return reinterpret_cast<Halves>(ones_above<0x10001>(p, edge));
}

inline constexpr unsigned kWideBlocks = 32;
using Wide = Halves;
using SignedWide = std::int16_t __attribute__((vector_size(64)));
using WidePairs = std::array<Wide, 8>;
[[gnu::always_inline]] inline __m512i bits_of(Wide v) { return reinterpret_cast<__m512i>(v); }
[[gnu::always_inline]] inline Wide wide_of(__m512i v) { return reinterpret_cast<Wide>(v); }
[[gnu::always_inline]] inline void load_wide(const WaitingBlocks& blocks, unsigned channel, WidePairs& out) {
  TexelPairs low, high;
  avx2::transpose_blocks(blocks, 0, channel, low);
  avx2::transpose_blocks(blocks, 16, channel, high);
  for (unsigned k = 0; k < 8; ++k)
    out[k] = wide_of(_mm512_inserti64x4(_mm512_castsi256_si512(reinterpret_cast<__m256i>(low[k])),
                                        reinterpret_cast<__m256i>(high[k]), 1));
}
[[gnu::always_inline]] inline Wide least_bytes(Wide a, Wide b) {
  return wide_of(_mm512_min_epu8(bits_of(a), bits_of(b)));
}
[[gnu::always_inline]] inline Wide most_bytes(Wide a, Wide b) {
  return wide_of(_mm512_max_epu8(bits_of(a), bits_of(b)));
}
[[gnu::always_inline]] inline Wide looked_up(const std::array<std::uint8_t, 16>& table, Wide index) {
  const __m512i all = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
  return wide_of(_mm512_shuffle_epi8(all, bits_of(index | 0x8000)));
}
[[gnu::always_inline]] inline Wide lesser(Wide a, Wide b) { return wide_of(_mm512_min_epi16(bits_of(a), bits_of(b))); }
[[gnu::always_inline]] inline Wide greater(Wide a, Wide b) { return wide_of(_mm512_max_epi16(bits_of(a), bits_of(b))); }
[[gnu::always_inline]] inline Wide lower_lanes(Wide a, Wide b) {
  return wide_of(_mm512_unpacklo_epi16(bits_of(a), bits_of(b)));
}
[[gnu::always_inline]] inline Wide upper_lanes(Wide a, Wide b) {
  return wide_of(_mm512_unpackhi_epi16(bits_of(a), bits_of(b)));
}
[[gnu::always_inline]] inline Wide joined_masks(Ints lower, Ints upper) {
  return wide_of(_mm512_packs_epi32(reinterpret_cast<__m512i>(lower), reinterpret_cast<__m512i>(upper)));
}

// The encoders, for these vectors.
// clang-format off: in this order
#include "codec/transcode/bc1_rows-inl.hpp"
#include "codec/transcode/wide-inl.hpp"
#include "codec/transcode/eac_wide-inl.hpp"
// clang-format on
