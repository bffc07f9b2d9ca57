// Measures the error of an ETC1 block with given base colors, one block per lane. Included once per SIMD target.
//
// Both halves of a block are processed side by side: in every 32-bit lane, the low 16 bits are the first half's and the
// high 16 bits the second's. Uses only integers, so every target gives the same bits.
#if defined(ASSETC_CODEC_UASTC_HINTS_ETC1_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_UASTC_HINTS_ETC1_INL_HPP_
#undef ASSETC_CODEC_UASTC_HINTS_ETC1_INL_HPP_
#else
#define ASSETC_CODEC_UASTC_HINTS_ETC1_INL_HPP_
#endif

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/block/etc_block.hpp"
#include "codec/encode/common/pair_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

using MI = hn::Mask<DI>;

// 256 times the luma, minus 2^15.
HWY_INLINE P luma_of(P r, P g, P b) {
  const P y = add(add(mul(r, pair(54)), mul(g, pair(183))), mul(b, pair(19)));
  return bits_xor(y, pair(-32768));
}

// The halves of a block in one orientation.
struct Halves {
  // Pairs of texels at the same place in both halves.
  alignas(64) PairRow shade[8];  // of the source, R + G + B
  alignas(64) PairRow luma[8];   // of the decoded texels
  P sum[3];                      // of the decoded texels
  P source_sum[3];
  I source_square[2];  // the sums of the source's squares
  // Pairs of texels of the same half: those of the first half, then those of the second.
  const PairRow (*own_source)[8];
  const PairRow* own_luma;
};

// Input: pairs of texels that are two apart in a row, of the left and right halves. Output: pairs that are two apart in
// a column, of the upper and lower halves: the left column, then the right.
HWY_INLINE void columns_to_rows(P upper, P lower, P& left_column, P& right_column) {
  left_column = pair_of(upper, first_as_second(lower));
  right_column = pair_of(second_as_first(upper), lower);
}

// The 8-bit colors of both halves.
using Colors = P[3];

// Widens 5 or 4 bits of a channel to 8 bits.
HWY_INLINE P expand(P v, bool diff) { return diff ? bits_or(left<3>(v), right<2>(v)) : bits_or(left<4>(v), v); }
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

// The errors of both halves with clamped colors. Each texel is compared with the color that the transcoder gives it.
HWY_NOINLINE void clamped_errors(const Halves& halves, const Colors& base, P small, P large, I (&error)[2]) {
  // The lumas at which the transcoder divides the texels: it gives a texel the upper of two colors if twice the texel's
  // luma is at least the sum of their lumas.
  P edge[3];
  {
    const auto luma_below = [&](P by) HWY_ATTR {
      const P r = sub(base[0], by), g = sub(base[1], by), b = sub(base[2], by);
      return luma_of(greater(r, pair(0)), greater(g, pair(0)), greater(b, pair(0)));
    };
    const auto luma_above = [&](P by) HWY_ATTR {
      const P r = add(base[0], by), g = add(base[1], by), b = add(base[2], by);
      return luma_of(lesser(r, pair(255)), lesser(g, pair(255)), lesser(b, pair(255)));
    };
    const P flip = pair(-32768);
    const P y[4] = {bits_xor(luma_below(large), flip), bits_xor(luma_below(small), flip),
                    bits_xor(luma_above(small), flip), bits_xor(luma_above(large), flip)};
    for (int k = 0; k < 3; ++k) edge[k] = bits_xor(middle_of_unsigned(y[k], y[k + 1]), flip);
  }
  for (std::size_t h = 0; h < 2; ++h) {
    const P edges[3] = {both(edge[0], h), both(edge[1], h), both(edge[2], h)};
    const P wide[3] = {both(base[0], h), both(base[1], h), both(base[2], h)};
    const P lighter[2] = {both(small, h), both(large, h)};
    const P darker[2] = {sub(pair(0), lighter[0]), sub(pair(0), lighter[1])};
    SquareSum squares;
    for (std::size_t t = 4 * h; t < 4 * h + 4; ++t) {
      const P luma = load(halves.own_luma[t]);
      const P dark = choose(above(edges[0], luma), darker[1], darker[0]);
      const P light = choose(above(edges[2], luma), lighter[0], lighter[1]);
      const P by = choose(above(edges[1], luma), dark, light);
      for (int c = 0; c < 3; ++c)
        squares.add(sub(load(halves.own_source[c][t]), clamp(add(wide[c], by), pair(0), pair(255))));
    }
    error[h] = squares.sum();
  }
}

// Tables for both halves, and the error of both halves together.
struct Tables {
  P of;
  I error;
  I clamped;  // not 0 if a color is clamped
};

// Chooses the best tables within reach of the given ones or, if none are given, of those that suit the texels'
// distances. The choice ignores clamping. Only the error of the chosen tables includes it.
//
// If nothing is clamped, a modifier m adds 3 m^2 - 2 m s to the squared distance of a texel from the base, where s is
// the sum of its channels' distances. The lumas divide at the base's luma and at (small + large) / 2 from it.
HWY_NOINLINE Tables fit_tables(const Halves& halves, const Colors& base, const P* given, int reach) {
  const P luma = luma_of(base[0], base[1], base[2]), shade = add(add(base[0], base[1]), base[2]);
  P along[8], away[8];  // 2 s, negated for darker texels; the distance of the lumas, one less for darker texels
  P all_along = pair(0), all_away = pair(0);
  for (std::size_t t = 0; t < 8; ++t) {
    // Saturated distances lie beyond every edge.
    const P distance = sub_saturated(load(halves.luma[t]), luma), darker = right<15>(distance);
    const P s = sub(bits_xor(sub(load(halves.shade[t]), shade), darker), darker);
    along[t] = add(s, s);
    away[t] = bits_xor(distance, darker);
    all_along = add(all_along, along[t]);
    all_away = add(all_away, right<3>(away[t]));
  }
  I from_base[2] = {halves.source_square[0], halves.source_square[1]};
  for (int c = 0; c < 3; ++c) {
    const P twice = add(halves.source_sum[c], halves.source_sum[c]);
    add_product(base[c], sub(left<3>(base[c]), twice), from_base);
  }
  P middle = pair(0);
  if (given != nullptr) {
    middle = *given;
  } else {
    for (const int takeover : {8, 15, 24, 35, 48, 64, 95})
      middle = sub(middle, where(above(all_away, pair(takeover * 256 - 1))));
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
    for (int h = 0; h < 2; ++h) {
      const MI better = hn::Lt(error[h], least[h]);
      least[h] = hn::Min(error[h], least[h]);
      best[h] = hn::IfThenElse(better, whole(step), best[h]);
    }
  }
  Tables fit;
  fit.of = add(middle, pair_of(as_pair(best[0]), first_as_second(as_pair(best[1]))));
  modifiers(fit.of, small, large);
  const P room =
      lesser(lesser(lesser(base[0], base[1]), base[2]), sub(pair(255), greater(greater(base[0], base[1]), base[2])));
  const PM clamped = above(large, room);
  if (!nowhere(clamped)) clamped_errors(halves, base, small, large, least);
  fit.error = hn::Add(least[0], least[1]);
  fit.clamped = as_lanes(where(clamped));
  return fit;
}

// The best of all tables for each half, and the errors with them. Among equally good tables the one with the largest
// steps is taken: if its steps are clamped, it also fits from a base that is further away.
HWY_NOINLINE P fit_all_tables(const Halves& halves, const Colors& base, I (&error)[2]) {
  I least[2] = {whole(INT32_MAX), whole(INT32_MAX)};
  const int last = static_cast<int>(kEtc1Modifiers.size()) - 1;
  for (int table = 0; table <= last; ++table) {
    const auto& [small, large] = kEtc1Modifiers[static_cast<std::size_t>(table)];
    clamped_errors(halves, base, pair(small), pair(large), error);
    // The low bits hold the distance to the last table.
    for (int h = 0; h < 2; ++h) least[h] = hn::Min(least[h], hn::Or(hn::ShiftLeft<3>(error[h]), whole(last - table)));
  }
  for (int h = 0; h < 2; ++h) error[h] = hn::ShiftRight<3>(least[h]);
  const auto table_of = [&](I found) HWY_ATTR { return as_pair(hn::AndNot(found, whole(last))); };
  return pair_of(table_of(least[0]), first_as_second(table_of(least[1])));
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
