#include "codec/etc1_lanes.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/etc1_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <iterator>

#include "codec/etc_block.hpp"
#include "codec/uastc_fit-inl.hpp"
#include "codec/etc1_bias.hpp"

#ifndef ASSETC_CODEC_ETC1_LANES_ONCE_
#define ASSETC_CODEC_ETC1_LANES_ONCE_
namespace assetc::codec {
// By how much a bias moves the channels of either half.
struct BiasMove {
  int half[2][3];
};
struct Etc1Breadth {
  bool both_orientations;
  int reach;          // tables tried on either side of the one that suits
  int biases;         // tried on the best orientation and precision
  int second_biases;  // and on the second best
  int bias_reach;     // tables on either side of those found without bias
};
constexpr Etc1Breadth kEtc1Breadth[] = {{true, 1, 3, 0, 1}, {true, 1, 31, 0, 1}, {true, 2, 31, 31, 1}};
}  // namespace assetc::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// Texels in an order that puts each half's eight together.
struct Halves {
  alignas(64) Row source[3][16];
  alignas(64) Row luma[16];  // of the decoded texels, 54 R + 183 G + 19 B
  V sum[2][3];               // of the decoded texels
};

struct Etc1Best {
  V error, flip, diff, bias, table[2];
};

constexpr int kNoBiasNumber = 13;
// By how often they win on photographs.
constexpr std::uint8_t kBiasOrder[] = {29, 30, 31, 27, 26, 0,  28, 22, 12, 9,  8,  10, 25, 2,  23, 5,
                                       15, 7,  3,  11, 6,  17, 18, 1,  19, 20, 21, 24, 4,  14, 16};

HWY_INLINE V luma_of(V r, V g, V b) {
  return add(add(mul(r, set(54.0f)), mul(g, set(183.0f))), mul(b, set(19.0f)));
}

// Moves one channel of a base colour as a bias does; bent inwards at the ends of the range.
HWY_INLINE V move_channel(V v, int delta, V limit) {
  const V moved = add(v, set(static_cast<float>(delta)));
  const M outside = hn::Or(hn::Lt(moved, zero()), hn::Gt(moved, limit));
  V result = hn::IfThenElse(outside, sub(v, set(static_cast<float>(delta))), moved);
  result = hn::IfThenElse(hn::Eq(v, limit), add(v, set(static_cast<float>(delta - 1))), result);
  return hn::IfThenElse(hn::Eq(v, zero()), set(delta == -2 ? 3.0f : static_cast<float>(delta + 1)), result);
}

HWY_INLINE V expand(V v, M diff) { return hn::IfThenElse(diff, hn::Floor(mul(v, set(8.25f))), mul(v, set(17.0f))); }

// The table that suits the distances of a half's lumas from a base colour's.
HWY_INLINE V likely_table(const Halves& halves, int half, const V (&base)[3]) {
  const V centre = luma_of(base[0], base[1], base[2]);
  V spread = zero();
  for (int t = half * 8; t < half * 8 + 8; ++t) spread = add(spread, hn::Abs(sub(load(halves.luma[t]), centre)));
  spread = mul(spread, set(1.0f / 2048));
  constexpr float kTakeover[] = {7, 14, 22, 32, 44, 58, 86};
  V middle = zero();
  for (const float t : kTakeover) middle = add(middle, one_where(hn::Ge(spread, set(t))));
  return middle;
}

// The least error of a half with a base colour (8-bit), over the tables up to width away from middle.
HWY_INLINE V best_table(const Halves& halves, int half, const V (&base)[3], V middle, int width, V& best_table) {
  const float reach = static_cast<float>(width);
  middle = clamp(middle, set(reach), set(7.0f - reach));
  V least = set(1e9f);
  for (int step = -width; step <= width; ++step) {
    const V table = add(middle, set(static_cast<float>(step)));
    V small = set(kEtc1Modifiers[0][0]), large = set(kEtc1Modifiers[0][1]);
    for (int i = 1; i < 8; ++i) {
      const M reached = hn::Ge(table, set(static_cast<float>(i)));
      small = hn::IfThenElse(reached, set(kEtc1Modifiers[static_cast<std::size_t>(i)][0]), small);
      large = hn::IfThenElse(reached, set(kEtc1Modifiers[static_cast<std::size_t>(i)][1]), large);
    }
    const V by[4] = {sub(zero(), large), sub(zero(), small), small, large};
    V color[3][4], y[4];
    for (int k = 0; k < 4; ++k) {
      for (int c = 0; c < 3; ++c) color[c][k] = clamp(add(base[c], by[k]), zero(), set(255.0f));
      y[k] = luma_of(color[0][k], color[1][k], color[2][k]);
    }
    const V half_unit = set(0.5f);
    const V edge[3] = {mul(add(y[0], y[1]), half_unit), mul(add(y[1], y[2]), half_unit), mul(add(y[2], y[3]), half_unit)};
    V error[3] = {zero(), zero(), zero()};
    for (int t = half * 8; t < half * 8 + 8; ++t) {
      const V l = load(halves.luma[t]);
      const M m0 = hn::Ge(l, edge[0]), m1 = hn::Ge(l, edge[1]), m2 = hn::Ge(l, edge[2]);
      for (int c = 0; c < 3; ++c) {
        const V dark = hn::IfThenElse(m0, color[c][1], color[c][0]);
        const V bright = hn::IfThenElse(m2, color[c][3], color[c][2]);
        const V miss = sub(hn::IfThenElse(m1, bright, dark), load(halves.source[c][t]));
        error[c] = add(error[c], mul(miss, miss));
      }
    }
    const V total = add(add(error[0], error[1]), error[2]);
    const M better = hn::Lt(total, least);
    least = hn::IfThenElse(better, total, least);
    best_table = hn::IfThenElse(better, table, best_table);
  }
  return least;
}

// About the given tables, or about those that suit.
HWY_NOINLINE void try_bias(const Halves& halves, M wanted, M biased, V flip, M diff, int bias, const BiasMove& delta,
                           int width, const V* tables, Etc1Best& best) {
  const V limit = hn::IfThenElse(diff, set(31.0f), set(15.0f));
  V base[2][3];
  for (int h = 0; h < 2; ++h)
    for (int c = 0; c < 3; ++c) {
      // floor((sum * limit + 1020) / 2040); the half keeps a whole quotient clear of rounding.
      const V plain = hn::Floor(mul(add(mul(halves.sum[h][c], limit), set(1020.5f)), set(1.0f / 2040)));
      base[h][c] = hn::IfThenElse(biased, move_channel(plain, delta.half[h][c], limit), plain);
    }
  for (int c = 0; c < 3; ++c) {
    const V near = clamp(base[1][c], sub(base[0][c], set(4.0f)), add(base[0][c], set(3.0f)));
    base[1][c] = hn::IfThenElse(diff, near, base[1][c]);
  }
  V table[2], error = zero();
  for (int h = 0; h < 2; ++h) {
    for (V& v : base[h]) v = expand(v, diff);
    table[h] = zero();
    const V middle = tables != nullptr ? tables[h] : likely_table(halves, h, base[h]);
    error = add(error, best_table(halves, h, base[h], middle, width, table[h]));
  }
  const M better = hn::And(wanted, hn::Lt(error, best.error));
  best.error = hn::IfThenElse(better, error, best.error);
  best.flip = hn::IfThenElse(better, flip, best.flip);
  best.diff = hn::IfThenElse(better, one_where(diff), best.diff);
  best.bias = hn::IfThenElse(better, hn::IfThenElseZero(biased, set(static_cast<float>(bias))), best.bias);
  for (int h = 0; h < 2; ++h) best.table[h] = hn::IfThenElse(better, table[h], best.table[h]);
}

HWY_INLINE Etc1Best nothing() {
  Etc1Best best;
  best.error = set(1e9f);
  best.flip = best.diff = best.bias = best.table[0] = best.table[1] = zero();
  return best;
}

HWY_INLINE void take_where(M m, const Etc1Best& from, Etc1Best& to) {
  to.error = hn::IfThenElse(m, from.error, to.error);
  to.flip = hn::IfThenElse(m, from.flip, to.flip);
  to.diff = hn::IfThenElse(m, from.diff, to.diff);
  to.bias = hn::IfThenElse(m, from.bias, to.bias);
  for (int h = 0; h < 2; ++h) to.table[h] = hn::IfThenElse(m, from.table[h], to.table[h]);
}

struct Texels {
  alignas(64) Row source[3][16];
  alignas(64) Row luma[16];
  V sum[2][2][3];  // [flip][half][channel], of the decoded texels
};

HWY_INLINE void load_texels(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded, std::size_t first,
                            Texels& out) {
  const hn::RebindToSigned<D> di;
  alignas(64) std::int32_t offsets[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    offsets[lane] = static_cast<std::int32_t>(HWY_MIN(first + lane, source.size() - 1) * sizeof(PlanarBlock));
  const auto offset = hn::Load(di, offsets);
  const auto byte = hn::Set(di, 255);
  const auto four = [&](const PlanarBlock* blocks, std::size_t c, std::size_t t, V (&x)[4]) HWY_ATTR {
    const auto v = hn::GatherOffset(di, reinterpret_cast<const std::int32_t*>(blocks->texels.data() + c * 16 + t), offset);
    x[0] = hn::ConvertTo(d, hn::And(v, byte));
    x[1] = hn::ConvertTo(d, hn::And(hn::ShiftRight<8>(v), byte));
    x[2] = hn::ConvertTo(d, hn::And(hn::ShiftRight<16>(v), byte));
    x[3] = hn::ConvertTo(d, hn::And(hn::ShiftRight<24>(v), byte));
  };
  for (auto& orientation : out.sum)
    for (auto& half : orientation)
      for (V& v : half) v = zero();
  for (std::size_t t = 0; t < 16; t += 4) {
    V x[3][4];
    for (std::size_t c = 0; c < 3; ++c) {
      four(source.data(), c, t, x[c]);
      for (std::size_t i = 0; i < 4; ++i) store(x[c][i], out.source[c][t + i]);
      four(decoded.data(), c, t, x[c]);
      const V left = add(x[c][0], x[c][1]), right = add(x[c][2], x[c][3]);
      out.sum[0][0][c] = add(out.sum[0][0][c], left);
      out.sum[0][1][c] = add(out.sum[0][1][c], right);
      out.sum[1][t / 8][c] = add(out.sum[1][t / 8][c], add(left, right));
    }
    for (std::size_t i = 0; i < 4; ++i) store(luma_of(x[0][i], x[1][i], x[2][i]), out.luma[t + i]);
  }
}

// Side by side, halves are columns: the block is transposed.
HWY_INLINE void arrange(const Texels& texels, M flip, Halves& out) {
  for (std::size_t t = 0; t < 16; ++t) {
    const std::size_t across = t % 4 * 4 + t / 4;
    for (int c = 0; c < 3; ++c)
      store(hn::IfThenElse(flip, load(texels.source[c][t]), load(texels.source[c][across])), out.source[c][t]);
    store(hn::IfThenElse(flip, load(texels.luma[t]), load(texels.luma[across])), out.luma[t]);
  }
  for (int h = 0; h < 2; ++h)
    for (int c = 0; c < 3; ++c) out.sum[h][c] = hn::IfThenElse(flip, texels.sum[1][h][c], texels.sum[0][h][c]);
}

void SearchEtc1(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                std::span<const std::uint8_t> biased_blocks, HintEffort effort, const BiasMove* deltas,
                std::span<Etc1Choice> choices) {
  const Etc1Breadth breadth = kEtc1Breadth[static_cast<std::size_t>(effort)];
  Texels texels;
  Halves halves;
  const M always = hn::Eq(zero(), zero());
  for (std::size_t first = 0; first < source.size(); first += kLanes) {
    const std::size_t count = HWY_MIN(kLanes, source.size() - first);
    load_texels(source, decoded, first, texels);
    alignas(64) Row row;
    for (std::size_t lane = 0; lane < kLanes; ++lane) row[lane] = biased_blocks[first + HWY_MIN(lane, count - 1)] != 0;
    const M biased = hn::Gt(load(row), zero());

    // Most variance goes where the halves' averages differ most.
    V apart[2] = {zero(), zero()};
    for (int f = 0; f < 2; ++f)
      for (int c = 0; c < 3; ++c) {
        const V gap = sub(texels.sum[f][0][c], texels.sum[f][1][c]);
        apart[f] = add(apart[f], mul(gap, gap));
      }
    const M likely = hn::Gt(apart[1], apart[0]);
    Etc1Best best = nothing(), second = nothing();
    for (int turn = 0; turn < (breadth.both_orientations ? 2 : 1); ++turn) {
      const M flip = turn == 0 ? likely : hn::Not(likely);
      arrange(texels, flip, halves);
      for (const M diff : {always, hn::Not(always)}) {
        Etc1Best found = nothing();
        try_bias(halves, always, biased, one_where(flip), diff, kNoBiasNumber, deltas[kNoBiasNumber], breadth.reach, nullptr, found);
        Etc1Best rest = best;
        take_where(hn::Lt(found.error, best.error), found, best);
        take_where(hn::Ge(found.error, rest.error), found, rest);
        take_where(hn::Lt(rest.error, second.error), rest, second);
      }
    }
    for (Etc1Best* seed : {&best, &second}) {
      const int tries = seed == &best ? breadth.biases : breadth.second_biases;
      if (tries == 0) continue;
      const V flip = seed->flip;
      const M diff = hn::Gt(seed->diff, zero());
      const V tables[2] = {seed->table[0], seed->table[1]};
      arrange(texels, hn::Gt(flip, zero()), halves);
      for (int i = 0; i < tries; ++i)
        try_bias(halves, biased, biased, flip, diff, kBiasOrder[i], deltas[kBiasOrder[i]], breadth.bias_reach, tables, *seed);
    }
    take_where(hn::Lt(second.error, best.error), second, best);

    alignas(64) Row error, flip, diff, bias, table[2];
    store(best.error, error);
    store(best.flip, flip);
    store(best.diff, diff);
    store(best.bias, bias);
    store(best.table[0], table[0]);
    store(best.table[1], table[1]);
    for (std::size_t lane = 0; lane < count; ++lane)
      choices[first + lane] = {flip[lane] != 0, diff[lane] != 0, static_cast<std::uint8_t>(bias[lane]),
                               {static_cast<std::uint8_t>(table[0][lane]), static_cast<std::uint8_t>(table[1][lane])},
                               static_cast<std::uint32_t>(error[lane])};
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SearchEtc1);

void search_etc1_lanes(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                       std::span<const std::uint8_t> biased, HintEffort effort, std::span<Etc1Choice> choices) {
  // Read off a base that is far from the ends of the range.
  BiasMove deltas[32];
  for (unsigned bias = 0; bias < 32; ++bias)
    for (unsigned half = 0; half < 2; ++half) {
      const Rgb8 moved = bias_etc1_base({8, 8, 8}, bias, 31, half);
      deltas[bias].half[half][0] = moved.r - 8;
      deltas[bias].half[half][1] = moved.g - 8;
      deltas[bias].half[half][2] = moved.b - 8;
    }
  if (!source.empty()) HWY_DYNAMIC_DISPATCH(SearchEtc1)(source, decoded, biased, effort, deltas, choices);
}

}  // namespace assetc::codec
#endif
