// How far an ETC1 block is from its source with given base colours, one block a lane. Included once per SIMD target.
//
// Both halves of a block go side by side: of every 32-bit lane, the low 16 bits are the first half's and the high 16 bits
// the second's. Whole numbers only, so every target gives the same bits.
#if defined(ASSETC_CODEC_ETC1_HALVES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_ETC1_HALVES_INL_HPP_
#undef ASSETC_CODEC_ETC1_HALVES_INL_HPP_
#else
#define ASSETC_CODEC_ETC1_HALVES_INL_HPP_
#endif

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/etc_block.hpp"
#include "codec/pair_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

using MI = hn::Mask<DI>;

// Luma out of 256, less 2^15.
HWY_INLINE P luma_of(P r, P g, P b) {
  const P y = add(add(mul(r, pair(54)), mul(g, pair(183))), mul(b, pair(19)));
  return bits_xor(y, pair(-32768));
}

// A block's halves in one orientation. Texels of the same number lie in the same place of either half.
struct Halves {
  alignas(64) PairRow shade[8];  // of the source, R + G + B
  alignas(64) PairRow luma[8];   // of the decoded texels
  P sum[3];                      // of the decoded texels
  P source_sum[3];
  // Of columns, also where these are rows.
  const PairRow (*source)[8];
  bool rows;
};

// Texels two apart in a row, of the left and right halves, as those two apart in a column, of the upper and lower: the left
// column's, then the right's.
HWY_INLINE void columns_to_rows(P upper, P lower, P& left_column, P& right_column) {
  left_column = pair_of(upper, first_as_second(lower));
  right_column = pair_of(second_as_first(upper), lower);
}

// 8-bit colours of either half, and the modifiers' tables' numbers.
using Colors = P[3];

// 5 or 4 bits of a channel to 8.
HWY_INLINE P expand(P v, bool diff) {
  return diff ? bits_or(left<3>(v), right<2>(v)) : bits_or(left<4>(v), v);
}
// floor((sum * limit + 1020) / 2040).
HWY_INLINE P average(P sum, bool diff) {
  const P eighths = right_unsigned<3>(add(mul(sum, pair(diff ? 31 : 15)), pair(1020)));
  return right_unsigned<8>(add(add(eighths, right<8>(eighths)), pair(1)));
}

// The small and the large modifier of a table.
HWY_INLINE void modifiers(P table, P& small, P& large) {
  static constexpr auto kModifiers = [] {
    std::array<Bytes, 2> t{};
    for (std::size_t i = 0; i < kEtc1Modifiers.size(); ++i)
      for (std::size_t k = 0; k < 2; ++k) t[k][i] = kEtc1Modifiers[i][k];
    return t;
  }();
  const I low_bytes = as_lanes(bits_or(table, pair(-32768)));
  small = as_pair(look_up(kModifiers[0], low_bytes));
  large = as_pair(look_up(kModifiers[1], low_bytes));
}

// The errors of either half where some channel is clamped, less the source's squares.
HWY_NOINLINE void clamped_errors(const Halves& halves, const Colors& base, P small, P large, I (&error)[2]) {
  const P by[4] = {sub(pair(0), large), sub(pair(0), small), small, large};
  P color[4][3], y[4];
  for (int k = 0; k < 4; ++k) {
    for (int c = 0; c < 3; ++c) color[k][c] = clamp(add(base[c], by[k]), pair(0), pair(255));
    y[k] = bits_xor(luma_of(color[k][0], color[k][1], color[k][2]), pair(-32768));
  }
  // Of the texels below each place where the transcoder divides lumas: their number and their sums; then of all.
  P edge[3], count[4], sum[4][3];
  for (int k = 0; k < 3; ++k) {
    edge[k] = bits_xor(middle_of_unsigned(y[k], y[k + 1]), pair(-32768));
    count[k] = sum[k][0] = sum[k][1] = sum[k][2] = pair(0);
  }
  count[3] = pair(8);
  for (int c = 0; c < 3; ++c) sum[3][c] = halves.source_sum[c];
  const auto count_texel = [&](std::size_t t, const P(&source)[3]) HWY_ATTR {
    const P luma = load(halves.luma[t]);
    for (int k = 0; k < 3; ++k) {
      const PM below = above(edge[k], luma);
      count[k] = sub(count[k], where(below));
      for (int c = 0; c < 3; ++c) sum[k][c] = add(sum[k][c], keep(below, source[c]));
    }
  };
  for (std::size_t t = 0; t < 4; ++t) {
    P source[2][3];
    for (int c = 0; c < 3; ++c) {
      const P upper = load(halves.source[c][t]), lower = load(halves.source[c][t + 4]);
      source[0][c] = upper;
      source[1][c] = lower;
      if (halves.rows) columns_to_rows(upper, lower, source[0][c], source[1][c]);
    }
    count_texel(t, source[0]);
    count_texel(t + 4, source[1]);
  }
  error[0] = error[1] = whole(0);
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) {
      const P n = k == 0 ? count[0] : sub(count[k], count[k - 1]);
      const P s = k == 0 ? sum[0][c] : sub(sum[k][c], sum[k - 1][c]);
      add_product(color[k][c], sub(mul(n, color[k][c]), add(s, s)), error);
    }
}

// Puts the errors of clamped colours where there are such.
HWY_INLINE void mend_clamped(const Halves& halves, const Colors& base, P small, P large, I (&error)[2]) {
  const P room = lesser(lesser(lesser(base[0], base[1]), base[2]), sub(pair(255), greater(greater(base[0], base[1]), base[2])));
  const PM outside = above(large, room);
  if (nowhere(outside)) return;
  I clamped[2];
  clamped_errors(halves, base, small, large, clamped);
  const I is_outside = as_lanes(where(outside));
  error[0] = hn::IfVecThenElse(hn::ShiftRight<16>(hn::ShiftLeft<16>(is_outside)), clamped[0], error[0]);
  error[1] = hn::IfVecThenElse(hn::ShiftRight<16>(is_outside), clamped[1], error[1]);
}

// Tables for either half, and the error that the halves then have together, less the source's squares.
struct Tables {
  P of;
  I error;
};

// Where tables are chosen without a thought of clamping, it counts in the error of the chosen alone.
enum class Clamping : bool { kOfChosen, kOfEach };

// The best of the tables up to reach away from the given ones, or from those that suit the texels' distances.
//
// Where nothing is clamped, a modifier m adds 3 m^2 - 2 m s to a texel's squared distance from the base, s being the sum of
// its channels' distances, and lumas divide at the base's and at (small + large) / 2 from it.
HWY_NOINLINE Tables fit_tables(const Halves& halves, const Colors& base, const P* given, int reach, Clamping clamping) {
  const P luma = luma_of(base[0], base[1], base[2]), shade = add(add(base[0], base[1]), base[2]);
  P along[8], away[8];  // of each texel: 2 s, negated for the darker ones; distance of the lumas, one less for those
  P all_along = pair(0), all_away = pair(0);
  for (std::size_t t = 0; t < 8; ++t) {
    // Saturation is past every edge.
    const P distance = sub_saturated(load(halves.luma[t]), luma), darker = right<15>(distance);
    const P s = sub(bits_xor(sub(load(halves.shade[t]), shade), darker), darker);
    along[t] = add(s, s);
    away[t] = bits_xor(distance, darker);
    all_along = add(all_along, along[t]);
    all_away = add(all_away, right<3>(away[t]));
  }
  I from_base[2] = {whole(0), whole(0)};
  for (int c = 0; c < 3; ++c) {
    const P twice = add(halves.source_sum[c], halves.source_sum[c]);
    add_product(base[c], sub(left<3>(base[c]), twice), from_base);
  }
  P middle = pair(0);
  if (given != nullptr) {
    middle = *given;
  } else {
    for (const int takeover : {8, 15, 24, 35, 48, 64, 95}) middle = sub(middle, where(above(all_away, pair(takeover * 256 - 1))));
  }
  middle = clamp(middle, pair(reach), pair(7 - reach));
  P small, large;
  I least[2] = {whole(INT32_MAX), whole(INT32_MAX)}, best[2] = {whole(0), whole(0)};
  for (int step = -reach; step <= reach; ++step) {
    modifiers(add(middle, pair(step)), small, large);
    const P both = add(small, large), gap = sub(large, small);
    const P edge = sub(left<7>(both), pair(1)), even = add(add(both, both), both);
    P far = pair(0);
    for (int t = 0; t < 8; ++t) far = add(far, keep(above(away[t], edge), sub(even, along[t])));
    I error[2] = {from_base[0], from_base[1]};
    add_product(small, sub(mul(small, pair(24)), all_along), error);
    add_product(gap, far, error);
    if (clamping == Clamping::kOfEach) mend_clamped(halves, base, small, large, error);
    for (int h = 0; h < 2; ++h) {
      const MI better = hn::Lt(error[h], least[h]);
      least[h] = hn::Min(error[h], least[h]);
      best[h] = hn::IfThenElse(better, whole(step), best[h]);
    }
  }
  const P table = add(middle, pair_of(as_pair(best[0]), first_as_second(as_pair(best[1]))));
  if (clamping == Clamping::kOfChosen) {
    modifiers(table, small, large);
    mend_clamped(halves, base, small, large, least);
  }
  return {table, hn::Add(least[0], least[1])};
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
