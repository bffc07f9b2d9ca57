// Vectors of AVX2: a row of eight blocks has one in each 32-bit lane, and 16 blocks have one in each 16-bit lane.
// Included in the namespace avx2, after block_lanes-inl.hpp.

inline constexpr unsigned kRowBlocks = 8;
using Words = std::uint32_t __attribute__((vector_size(32)));
using Floats = float __attribute__((vector_size(32)));
using Halves = std::uint16_t __attribute__((vector_size(32)));  // two in each lane

// The texels of a row's blocks as 16-bit numbers, from those of 16 blocks.
[[gnu::always_inline]] inline Halves row_of(const Lanes& pairs, unsigned row) {
  return load_lanes(reinterpret_cast<const char*>(&pairs) + 16 * (row % 2));
}
// The upper 16 bits of the products of halves.
[[gnu::always_inline]] inline Halves products_high(Halves a, Halves b) {
  return reinterpret_cast<Halves>(_mm256_mulhi_epu16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
// The low half of each lane from a, the high half from b.
[[gnu::always_inline]] inline Halves halves_of(Halves a, Halves b) {
  return lanes_of(_mm256_blend_epi16(bits_of(a), bits_of(b), 0xaa));
}
[[gnu::always_inline]] inline Ints lesser(Ints a, Ints b) {
  return reinterpret_cast<Ints>(_mm256_min_epi32(bits_of(a), bits_of(b)));
}
[[gnu::always_inline]] inline Ints greater(Ints a, Ints b) {
  return reinterpret_cast<Ints>(_mm256_max_epi32(bits_of(a), bits_of(b)));
}
[[gnu::always_inline]] inline Floats rounded_down(Floats v) {
  return reinterpret_cast<Floats>(_mm256_floor_ps(reinterpret_cast<__m256>(v)));
}
[[gnu::always_inline]] inline Floats clamped(Floats v, float most) {
  const __m256 positive = _mm256_max_ps(reinterpret_cast<__m256>(v), _mm256_setzero_ps());
  return reinterpret_cast<Floats>(_mm256_min_ps(positive, _mm256_set1_ps(most)));
}
// The lanes whose mask is all ones, lane 0 lowest.
[[gnu::always_inline]] inline unsigned lanes_set(Ints mask) {
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
}

// How many of the edges a number is above. A comparison gives -1, so levels are counted below 0.
inline constexpr int kLevelSign = -1;
[[gnu::always_inline]] inline Ints level_of(Ints p, const Ints (&edge)[3]) {
  return (p > edge[0]) + (p > edge[1]) + (p > edge[2]);
}
// The same, in both halves of a lane.
[[gnu::always_inline]] inline Halves level_twice(Ints p, const Ints (&edge)[3]) {
  return reinterpret_cast<Halves>(p > edge[0]) + reinterpret_cast<Halves>(p > edge[1]) +
         reinterpret_cast<Halves>(p > edge[2]);
}

// One block in each 16-bit lane.
inline constexpr unsigned kWideBlocks = 16;
using Wide = Lanes;
using SignedWide = Signed;
using WidePairs = TexelPairs;
[[gnu::always_inline]] inline void load_wide(const WaitingBlocks& blocks, unsigned channel, WidePairs& out) {
  transpose_blocks(blocks, 0, channel, out);
}
[[gnu::always_inline]] inline Wide least_bytes(Wide a, Wide b) {
  return lanes_of(_mm256_min_epu8(bits_of(a), bits_of(b)));
}
[[gnu::always_inline]] inline Wide most_bytes(Wide a, Wide b) {
  return lanes_of(_mm256_max_epu8(bits_of(a), bits_of(b)));
}
// [i] -> table[i] for lanes below 16.
[[gnu::always_inline]] inline Wide looked_up(const std::array<std::uint8_t, 16>& table, Wide index) {
  const __m256i both = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
  return lanes_of(_mm256_shuffle_epi8(both, bits_of(index | 0x8000)));
}
// Signed.
[[gnu::always_inline]] inline Wide lesser(Wide a, Wide b) { return lanes_of(_mm256_min_epi16(bits_of(a), bits_of(b))); }
[[gnu::always_inline]] inline Wide greater(Wide a, Wide b) {
  return lanes_of(_mm256_max_epi16(bits_of(a), bits_of(b)));
}
// In each 128 bits: the lower four lanes of both, in turns, or the upper ones.
[[gnu::always_inline]] inline Wide lower_lanes(Wide a, Wide b) {
  return lanes_of(_mm256_unpacklo_epi16(bits_of(a), bits_of(b)));
}
[[gnu::always_inline]] inline Wide upper_lanes(Wide a, Wide b) {
  return lanes_of(_mm256_unpackhi_epi16(bits_of(a), bits_of(b)));
}
// The masks of blocks in the order of lower_lanes() and upper_lanes(), in the order of blocks.
[[gnu::always_inline]] inline Wide joined_masks(Ints lower, Ints upper) {
  return lanes_of(_mm256_packs_epi32(bits_of(lower), bits_of(upper)));
}

// The encoders, for these vectors.
// clang-format off: in this order
#include "codec/transcode/bc1_rows-inl.hpp"
#include "codec/transcode/wide-inl.hpp"
#include "codec/transcode/eac_wide-inl.hpp"
// clang-format on
