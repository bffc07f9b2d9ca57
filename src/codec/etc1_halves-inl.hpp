// How far an ETC1 block is from its source with given base colours: halves of blocks, one block a lane. Included once per
// SIMD target.
#if defined(ASSETC_CODEC_ETC1_HALVES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_ETC1_HALVES_INL_HPP_
#undef ASSETC_CODEC_ETC1_HALVES_INL_HPP_
#else
#define ASSETC_CODEC_ETC1_HALVES_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>

#include "codec/etc_block.hpp"
#include "codec/uastc_fit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// One half of every block, and its eight texels' places in rows of sixteen.
struct Half {
  const Row* source[3];
  const Row* shade;  // of the source, R + G + B
  const Row* luma;   // of the decoded texels, 54 R + 183 G + 19 B + 1/2: the half keeps comparisons clear of ties
  const std::uint8_t* place;
  V sum[3];         // of the decoded texels
  V source_sum[3];
  V source_square;  // over R, G and B
};

struct Etc1Best {
  V error, flip, diff, bias, table[2];
};

constexpr int kNoBiasNumber = 13;

HWY_INLINE V luma_of(V r, V g, V b) {
  return add(add(mul(r, set(54.0f)), mul(g, set(183.0f))), mul(b, set(19.0f)));
}

// Moves one channel of a base colour as a bias does; bent inwards at the ends of the range.
HWY_INLINE V move_channel(V v, V delta, V limit) {
  const V moved = add(v, delta);
  const M outside = hn::Or(hn::Lt(moved, zero()), hn::Gt(moved, limit));
  V result = hn::IfThenElse(outside, sub(v, delta), moved);
  result = hn::IfThenElse(hn::Eq(v, limit), sub(moved, set(1.0f)), result);
  return hn::IfThenElse(hn::Eq(v, zero()), hn::IfThenElse(hn::Eq(delta, set(-2.0f)), set(3.0f), add(delta, set(1.0f))), result);
}

HWY_INLINE V expand(V v, M diff) { return hn::IfThenElse(diff, hn::Floor(mul(v, set(8.25f))), mul(v, set(17.0f))); }

// The small and the large modifier of a table.
HWY_INLINE void modifiers(V table, V& small, V& large) {
  small = set(kEtc1Modifiers[0][0]);
  large = set(kEtc1Modifiers[0][1]);
  for (std::size_t i = 1; i < 8; ++i) {
    const M reached = hn::Ge(table, set(static_cast<float>(i)));
    small = hn::IfThenElse(reached, set(kEtc1Modifiers[i][0]), small);
    large = hn::IfThenElse(reached, set(kEtc1Modifiers[i][1]), large);
  }
}

// The four colours of a base and a table, darkest first, and where the transcoder divides lumas among them.
struct Palette {
  V color[3][4];
  V edge[3];

  HWY_INLINE Palette(const V (&base)[3], V small, V large) {
    const V by[4] = {sub(zero(), large), sub(zero(), small), small, large};
    V y[4];
    for (int k = 0; k < 4; ++k) {
      for (int c = 0; c < 3; ++c) color[c][k] = clamp(add(base[c], by[k]), zero(), set(255.0f));
      y[k] = luma_of(color[0][k], color[1][k], color[2][k]);
    }
    for (int k = 0; k < 3; ++k) edge[k] = mul(add(y[k], y[k + 1]), set(0.5f));
  }
  // What each channel misses of texel i.
  HWY_INLINE void miss(const Half& half, int i, V (&out)[3]) const {
    const std::size_t t = half.place[i];
    const V l = load(half.luma[t]);
    const M m0 = hn::Gt(l, edge[0]), m1 = hn::Gt(l, edge[1]), m2 = hn::Gt(l, edge[2]);
    for (int c = 0; c < 3; ++c) {
      const V dark = hn::IfThenElse(m0, color[c][1], color[c][0]);
      const V bright = hn::IfThenElse(m2, color[c][3], color[c][2]);
      out[c] = sub(load(half.source[c][t]), hn::IfThenElse(m1, bright, dark));
    }
  }
};

// The error of a half where some channel is clamped.
HWY_NOINLINE V clamped_error(const Half& half, const V (&base)[3], V small, V large) {
  const Palette palette(base, small, large);
  V error[3] = {zero(), zero(), zero()};
  for (int i = 0; i < 8; ++i) {
    V miss[3];
    palette.miss(half, i, miss);
    for (int c = 0; c < 3; ++c) error[c] = add(error[c], mul(miss[c], miss[c]));
  }
  return add(add(error[0], error[1]), error[2]);
}

// The least error of a half with a base colour (8-bit), over the tables up to width away from the given one, or from
// the one that suits the texels' distances.
// Where nothing is clamped, a modifier m adds 3 m^2 - 2 m s to a texel's squared distance from the base, s being the
// sum of its channels' distances, and lumas divide at the base's and at (small + large) / 2 from it.
HWY_NOINLINE V best_table(const Half& half, const V (&base)[3], const V* given, int width, V& best_table) {
  const V luma = luma_of(base[0], base[1], base[2]), shade = add(add(base[0], base[1]), base[2]);
  const V sign_bit = hn::SignBit(d);
  V along[8], away[8];  // of each texel: s, negated for the darker ones; distance of the lumas
  V all_along = zero(), all_away = zero();
  for (int i = 0; i < 8; ++i) {
    const V distance = sub(load(half.luma[half.place[i]]), luma);
    along[i] = hn::Xor(sub(load(half.shade[half.place[i]]), shade), hn::And(distance, sign_bit));
    away[i] = hn::Abs(distance);
    all_along = add(all_along, along[i]);
    all_away = add(all_away, away[i]);
  }
  V from_base = half.source_square;
  for (int c = 0; c < 3; ++c)
    from_base = add(from_base, mul(base[c], sub(mul(base[c], set(8.0f)), add(half.source_sum[c], half.source_sum[c]))));
  V middle;
  if (given != nullptr) {
    middle = *given;
  } else {
    middle = zero();
    for (const float takeover : {7, 14, 22, 32, 44, 58, 86}) middle = add(middle, one_where(hn::Ge(all_away, set(takeover * 2048))));
  }
  middle = clamp(middle, set(static_cast<float>(width)), set(7.0f - static_cast<float>(width)));
  const V room = hn::Min(hn::Min(hn::Min(base[0], base[1]), base[2]),
                         sub(set(255.0f), hn::Max(hn::Max(base[0], base[1]), base[2])));
  V least = set(1e9f);
  for (int step = -width; step <= width; ++step) {
    const V table = add(middle, set(static_cast<float>(step)));
    V small, large;
    modifiers(table, small, large);
    const V both = add(small, large);
    const V edge = mul(both, set(128.0f)), even = mul(both, set(1.5f));
    V far = zero();
    for (int i = 0; i < 8; ++i) far = add(far, hn::IfThenElseZero(hn::Gt(away[i], edge), sub(even, along[i])));
    const V gap = sub(large, small);
    V error = add(from_base, mul(small, sub(mul(small, set(24.0f)), add(all_along, all_along))));
    error = add(error, mul(add(gap, gap), far));
    const M clamped = hn::Lt(room, large);
    if (!hn::AllFalse(d, clamped)) error = hn::IfThenElse(clamped, clamped_error(half, base, small, large), error);
    const M better = hn::Lt(error, least);
    least = hn::IfThenElse(better, error, least);
    best_table = hn::IfThenElse(better, table, best_table);
  }
  return least;
}

struct Bias {
  V number;
  V delta[2][3];
};

// The base colours of both halves, 8-bit. A bias only where biased.
HWY_INLINE void bases_of(const Half (&halves)[2], M biased, M diff, const Bias& bias, V (&base)[2][3]) {
  const V limit = hn::IfThenElse(diff, set(31.0f), set(15.0f));
  for (int h = 0; h < 2; ++h)
    for (int c = 0; c < 3; ++c) {
      // floor((sum * limit + 1020) / 2040); the half keeps a whole quotient clear of rounding.
      const V plain = hn::Floor(mul(add(mul(halves[h].sum[c], limit), set(1020.5f)), set(1.0f / 2040)));
      base[h][c] = hn::IfThenElse(biased, move_channel(plain, bias.delta[h][c], limit), plain);
    }
  for (int c = 0; c < 3; ++c) {
    const V near = clamp(base[1][c], sub(base[0][c], set(4.0f)), add(base[0][c], set(3.0f)));
    base[1][c] = hn::IfThenElse(diff, near, base[1][c]);
  }
  for (auto& half : base)
    for (V& v : half) v = expand(v, diff);
}

// About the given tables, or about those that suit.
HWY_NOINLINE void try_bias(const Half (&halves)[2], M wanted, M biased, V flip, M diff, const Bias& bias, int width,
                           const V* tables, Etc1Best& best) {
  V base[2][3];
  bases_of(halves, biased, diff, bias, base);
  V table[2], error = zero();
  for (int h = 0; h < 2; ++h) {
    table[h] = zero();
    error = add(error, best_table(halves[h], base[h], tables != nullptr ? &tables[h] : nullptr, width, table[h]));
  }
  const M better = hn::And(wanted, hn::Lt(error, best.error));
  best.error = hn::IfThenElse(better, error, best.error);
  best.flip = hn::IfThenElse(better, flip, best.flip);
  best.diff = hn::IfThenElse(better, one_where(diff), best.diff);
  best.bias = hn::IfThenElse(better, hn::IfThenElseZero(biased, bias.number), best.bias);
  for (int h = 0; h < 2; ++h) best.table[h] = hn::IfThenElse(better, table[h], best.table[h]);
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
