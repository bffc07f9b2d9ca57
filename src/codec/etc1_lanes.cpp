#include "codec/etc1_lanes.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/etc1_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "codec/etc1_bias.hpp"
#include "codec/etc1_halves-inl.hpp"

#ifndef ASSETC_CODEC_ETC1_LANES_ONCE_
#define ASSETC_CODEC_ETC1_LANES_ONCE_
namespace assetc::codec {
// By how much a bias moves the channels of either half.
struct BiasMove {
  int half[2][3];
};
struct Etc1Breadth {
  float good_enough;  // squared error of a block that needs no bias
  int reach;          // tables tried on either side of the one that suits
  int biases;         // likeliest, tried on the best orientation and precision
  int second_biases;  // and on the second best
  int bias_reach;     // tables on either side of those found without bias
};
constexpr Etc1Breadth kEtc1Breadth[] = {{300, 1, 1, 0, 1}, {100, 1, 2, 2, 1}, {0, 2, 12, 12, 1}};
constexpr int kMaxBiasTries = 31;

// The ways in which biases move a half's base colour by single steps, by green's.
using Move = std::array<std::int8_t, 3>;
constexpr auto kAllMoves = [] {
  std::pair<std::array<Move, 27>, std::size_t> moves{};
  for (const int green : {-1, 0, 1})
    for (const auto& bias : kEtc1BiasDeltas)
      for (const Move& move : bias) {
        const auto known = moves.first.begin() + static_cast<std::ptrdiff_t>(moves.second);
        if (move[1] == green && std::find(moves.first.begin(), known, move) == known) moves.first[moves.second++] = move;
      }
  return moves;
}();
constexpr std::size_t kMoveCount = kAllMoves.second;
constexpr std::span<const Move, kMoveCount> kMoves(kAllMoves.first.data(), kMoveCount);
// The biases that are two such moves, less the one that is none: all but the one of double steps.
struct MovedBias {
  std::uint8_t number;
  std::uint8_t move[2];
};
constexpr auto kMovedBiases = [] {
  std::array<MovedBias, kEtc1BiasCount - 2> all{};
  std::size_t count = 0;
  for (std::uint8_t number = 0; number < kEtc1BiasCount; ++number) {
    const auto& [first, second] = kEtc1BiasDeltas[number];
    const auto place = [](const Move& move) { return std::find(kMoves.begin(), kMoves.end(), move) - kMoves.begin(); };
    if (number == kEtc1NoBias || place(first) == std::ptrdiff_t{kMoveCount}) continue;
    all[count++] = {number, {static_cast<std::uint8_t>(place(first)), static_cast<std::uint8_t>(place(second))}};
  }
  return all;
}();
}  // namespace assetc::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

HWY_INLINE Bias no_bias() {
  Bias bias;
  bias.number = set(kNoBiasNumber);
  for (auto& half : bias.delta)
    for (V& v : half) v = zero();
  return bias;
}

// Estimates the error of a half for every one of kMoves, with the given table or a neighbour of it. A move shifts the
// base colour; how that shifts the luma, and with it which modifier a texel gets, is told apart only by green's step, and
// what clamping would do is left out.
HWY_NOINLINE void estimate_moves(const Half& half, const V (&base)[3], V table, V step, V (&estimate)[kMoveCount]) {
  const V middle = clamp(table, set(1.0f), set(6.0f));
  V small[3], gap[3], edge[3], even[3];
  for (int k = 0; k < 3; ++k) {
    V large;
    modifiers(add(middle, set(static_cast<float>(k - 1))), small[k], large);
    gap[k] = sub(large, small[k]);
    edge[k] = mul(add(small[k], large), set(128.0f));
    even[k] = mul(add(small[k], large), set(1.5f));
  }
  const V luma = luma_of(base[0], base[1], base[2]), shade = add(add(base[0], base[1]), base[2]);
  const V own = mul(mul(step, step), set(8.0f));
  V pull[3];  // what a step up of each channel gains
  for (int c = 0; c < 3; ++c) pull[c] = mul(add(step, step), sub(half.source_sum[c], mul(base[c], set(8.0f))));
  const V sign_bit = hn::SignBit(d);
  std::size_t move = 0;
  for (int green = -1; green <= 1; ++green) {
    // With red's and blue's mean step among the moves of this one's green.
    const V from = add(luma, mul(step, set(219.5f * static_cast<float>(green))));
    V all_sign = zero(), all_along = zero();
    V fixed[3] = {zero(), zero(), zero()}, sign_far[3] = {zero(), zero(), zero()};
    for (int i = 0; i < 8; ++i) {
      const std::size_t t = half.place[i];
      const V distance = sub(load(half.luma[t]), from);
      const V sign = hn::And(distance, sign_bit);
      const V one = hn::Xor(set(1.0f), sign), along = hn::Xor(sub(load(half.shade[t]), shade), sign), away = hn::Abs(distance);
      all_sign = add(all_sign, one);
      all_along = add(all_along, along);
      for (int k = 0; k < 3; ++k) {
        const M far = hn::Gt(away, edge[k]);
        fixed[k] = add(fixed[k], hn::IfThenElseZero(far, sub(even[k], along)));
        sign_far[k] = add(sign_far[k], hn::IfThenElseZero(far, one));
      }
    }
    // Linear in what the move adds to R + G + B.
    V by_shade[3];
    for (int k = 0; k < 3; ++k) {
      fixed[k] = add(mul(small[k], sub(mul(small[k], set(12.0f)), all_along)), mul(gap[k], fixed[k]));
      by_shade[k] = mul(step, add(mul(small[k], all_sign), mul(gap[k], sign_far[k])));
    }
    for (; move < kMoveCount && kMoves[move][1] == green; ++move) {
      const auto& delta = kMoves[move];
      const V brighter = set(static_cast<float>(delta[0] + delta[1] + delta[2]));
      V least = add(fixed[0], mul(brighter, by_shade[0]));
      for (int k = 1; k < 3; ++k) least = hn::Min(least, add(fixed[k], mul(brighter, by_shade[k])));
      V e = add(least, least);
      for (int c = 0; c < 3; ++c) {
        if (delta[c] == 0) continue;
        e = add(e, delta[c] > 0 ? sub(own, pull[c]) : add(own, pull[c]));
      }
      estimate[move] = e;
    }
  }
}

// The biases of least estimated error: count of them, best first.
HWY_INLINE void rank_biases(const Half (&halves)[2], M biased, const Etc1Best& seed, int count, V (&number)[kMaxBiasTries]) {
  const M diff = hn::Gt(seed.diff, zero());
  V base[2][3];
  bases_of(halves, biased, diff, no_bias(), base);
  const V step = hn::IfThenElse(diff, set(8.25f), set(17.0f));
  V estimate[2][kMoveCount];
  for (int h = 0; h < 2; ++h) estimate_moves(halves[h], base[h], seed.table[h], step, estimate[h]);
  V cost[kMaxBiasTries];
  for (int k = 0; k < count; ++k) {
    cost[k] = set(1e9f);
    number[k] = set(kNoBiasNumber);
  }
  for (const MovedBias& bias : kMovedBiases) {
    V c = add(estimate[0][bias.move[0]], estimate[1][bias.move[1]]);
    V n = set(static_cast<float>(bias.number));
    for (int k = 0; k < count; ++k) {
      const M better = hn::Lt(c, cost[k]);
      const V old_cost = cost[k], old_number = number[k];
      cost[k] = hn::IfThenElse(better, c, old_cost);
      number[k] = hn::IfThenElse(better, n, old_number);
      c = hn::IfThenElse(better, old_cost, c);
      n = hn::IfThenElse(better, old_number, n);
    }
  }
}

HWY_INLINE Bias bias_of(V number, const BiasMove* moves) {
  alignas(64) Row which;
  alignas(64) Row delta[2][3];
  store(number, which);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const BiasMove& move = moves[static_cast<std::size_t>(which[lane])];
    for (int h = 0; h < 2; ++h)
      for (int c = 0; c < 3; ++c) delta[h][c][lane] = move.half[h][c];
  }
  Bias bias;
  bias.number = number;
  for (int h = 0; h < 2; ++h)
    for (int c = 0; c < 3; ++c) bias.delta[h][c] = load(delta[h][c]);
  return bias;
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
  alignas(64) Row shade[16];
  alignas(64) Row luma[16];
};

// Sums over the quarters of a block.
struct Quarters {
  V sum[4][3], source_sum[4][3], source_square[4];
};

HWY_INLINE void load_texels(const PlanarBlock* source, const PlanarBlock* decoded, const std::int32_t (&index)[kLanes],
                            Texels& out, Quarters& quarters) {
  const hn::RebindToSigned<D> di;
  static_assert(sizeof(PlanarBlock) == 64);
  const auto offset = hn::ShiftLeft<6>(hn::Load(di, index));
  const auto byte = hn::Set(di, 255);
  const auto four = [&](const PlanarBlock* blocks, std::size_t c, std::size_t t, V (&x)[4]) HWY_ATTR {
    const auto v = hn::GatherOffset(di, reinterpret_cast<const std::int32_t*>(blocks->texels.data() + c * 16 + t), offset);
    x[0] = hn::ConvertTo(d, hn::And(v, byte));
    x[1] = hn::ConvertTo(d, hn::And(hn::ShiftRight<8>(v), byte));
    x[2] = hn::ConvertTo(d, hn::And(hn::ShiftRight<16>(v), byte));
    x[3] = hn::ConvertTo(d, hn::And(hn::ShiftRight<24>(v), byte));
  };
  for (int q = 0; q < 4; ++q) {
    quarters.source_square[q] = zero();
    for (int c = 0; c < 3; ++c) quarters.sum[q][c] = quarters.source_sum[q][c] = zero();
  }
  for (std::size_t row = 0; row < 4; ++row) {
    V x[3][4];
    V shade[4] = {zero(), zero(), zero(), zero()};
    for (std::size_t c = 0; c < 3; ++c) {
      four(source, c, row * 4, x[c]);
      for (std::size_t i = 0; i < 4; ++i) {
        store(x[c][i], out.source[c][row * 4 + i]);
        shade[i] = add(shade[i], x[c][i]);
        V& square = quarters.source_square[row / 2 * 2 + i / 2];
        square = add(square, mul(x[c][i], x[c][i]));
      }
      for (std::size_t side = 0; side < 2; ++side) {
        V& sum = quarters.source_sum[row / 2 * 2 + side][c];
        sum = add(sum, add(x[c][side * 2], x[c][side * 2 + 1]));
      }
      four(decoded, c, row * 4, x[c]);
      for (std::size_t side = 0; side < 2; ++side) {
        V& sum = quarters.sum[row / 2 * 2 + side][c];
        sum = add(sum, add(x[c][side * 2], x[c][side * 2 + 1]));
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      store(shade[i], out.shade[row * 4 + i]);
      store(add(luma_of(x[0][i], x[1][i], x[2][i]), set(0.5f)), out.luma[row * 4 + i]);
    }
  }
}

// Texels of upper and lower, and of left and right halves.
constexpr std::uint8_t kRows[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::uint8_t kColumns[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};

HWY_INLINE void halves_of(const Texels& texels, const Quarters& q, bool flip, Half (&out)[2]) {
  for (int h = 0; h < 2; ++h) {
    for (int c = 0; c < 3; ++c) out[h].source[c] = texels.source[c];
    out[h].shade = texels.shade;
    out[h].luma = texels.luma;
    out[h].place = (flip ? kRows : kColumns) + h * 8;
    const int a = flip ? 2 * h : h, b = flip ? 2 * h + 1 : h + 2;
    for (int c = 0; c < 3; ++c) {
      out[h].sum[c] = add(q.sum[a][c], q.sum[b][c]);
      out[h].source_sum[c] = add(q.source_sum[a][c], q.source_sum[b][c]);
    }
    out[h].source_square = add(q.source_square[a], q.source_square[b]);
  }
}

// Each lane's own orientation, laid out in rows.
HWY_INLINE void arrange(const Texels& texels, M flip, const Half (&rows)[2], const Half (&columns)[2], Texels& room, Half (&out)[2]) {
  for (std::size_t t = 0; t < 16; ++t) {
    const std::size_t across = kColumns[t];
    for (int c = 0; c < 3; ++c)
      store(hn::IfThenElse(flip, load(texels.source[c][t]), load(texels.source[c][across])), room.source[c][t]);
    store(hn::IfThenElse(flip, load(texels.shade[t]), load(texels.shade[across])), room.shade[t]);
    store(hn::IfThenElse(flip, load(texels.luma[t]), load(texels.luma[across])), room.luma[t]);
  }
  for (int h = 0; h < 2; ++h) {
    for (int c = 0; c < 3; ++c) {
      out[h].source[c] = room.source[c];
      out[h].sum[c] = hn::IfThenElse(flip, rows[h].sum[c], columns[h].sum[c]);
      out[h].source_sum[c] = hn::IfThenElse(flip, rows[h].source_sum[c], columns[h].source_sum[c]);
    }
    out[h].shade = room.shade;
    out[h].luma = room.luma;
    out[h].place = kRows + h * 8;
    out[h].source_square = hn::IfThenElse(flip, rows[h].source_square, columns[h].source_square);
  }
}

// Blocks are taken this many at a time, so that those that want a bias can be gathered from all over.
constexpr std::size_t kEtc1Blocks = 512;

HWY_INLINE void store_choices(const Etc1Best& best, std::size_t count, Etc1Choice* out) {
  alignas(64) Row error, flip, diff, bias, table[2];
  store(best.error, error);
  store(best.flip, flip);
  store(best.diff, diff);
  store(best.bias, bias);
  store(best.table[0], table[0]);
  store(best.table[1], table[1]);
  for (std::size_t lane = 0; lane < count; ++lane)
    out[lane] = {flip[lane] != 0, diff[lane] != 0, static_cast<std::uint8_t>(bias[lane]),
                 {static_cast<std::uint8_t>(table[0][lane]), static_cast<std::uint8_t>(table[1][lane])},
                 static_cast<std::uint32_t>(error[lane])};
}

HWY_INLINE Etc1Best load_choices(const Etc1Choice* choices, const std::uint32_t (&place)[kLanes]) {
  alignas(64) Row error, flip, diff, bias, table[2];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Etc1Choice& c = choices[place[lane]];
    error[lane] = static_cast<float>(c.error);
    flip[lane] = c.flip;
    diff[lane] = c.diff;
    bias[lane] = c.bias;
    table[0][lane] = c.table[0];
    table[1][lane] = c.table[1];
  }
  return {load(error), load(flip), load(diff), load(bias), {load(table[0]), load(table[1])}};
}

// A group of blocks as the search sees them.
struct Etc1Group {
  Texels texels, arranged;
  Quarters quarters;
  Half halves[2][2];  // [flip]

  HWY_INLINE void load_blocks(const PlanarBlock* source, const PlanarBlock* decoded, const std::int32_t (&index)[kLanes]) {
    load_texels(source, decoded, index, texels, quarters);
    for (const bool flip : {false, true}) halves_of(texels, quarters, flip, halves[flip]);
  }
  // Each lane in its own orientation.
  HWY_INLINE void orient(M flip, Half (&out)[2]) { arrange(texels, flip, halves[1], halves[0], arranged, out); }
};

// The best two of the orientations and precisions, without bias.
HWY_NOINLINE void search_layouts(Etc1Group& group, M biased, const Etc1Breadth& breadth, Etc1Best& best, Etc1Best& second) {
  const M always = hn::Eq(zero(), zero()), never = hn::Not(always);
  best = second = nothing();
  const auto consider = [&](const Half(&halves)[2], V flip, M diff) HWY_ATTR {
    Etc1Best found = nothing();
    try_bias(halves, always, biased, flip, diff, no_bias(), breadth.reach, nullptr, found);
    Etc1Best rest = best;
    take_where(hn::Lt(found.error, best.error), found, best);
    take_where(hn::Ge(found.error, rest.error), found, rest);
    take_where(hn::Lt(rest.error, second.error), rest, second);
  };
  for (const bool flip : {true, false}) {
    consider(group.halves[flip], set(flip ? 1.0f : 0.0f), always);
    consider(group.halves[flip], set(flip ? 1.0f : 0.0f), never);
  }
}

HWY_NOINLINE void search_biases(Etc1Group& group, M wanted, const BiasMove* moves, int tries, int reach, Etc1Best& seed) {
  const V flip = seed.flip;
  const M diff = hn::Gt(seed.diff, zero());
  const V tables[2] = {seed.table[0], seed.table[1]};
  Half own[2];
  group.orient(hn::Gt(flip, zero()), own);
  V numbers[kMaxBiasTries];
  rank_biases(own, wanted, seed, tries, numbers);
  for (int i = 0; i < tries; ++i)
    try_bias(own, wanted, wanted, flip, diff, bias_of(numbers[i], moves), reach, tables, seed);
}

void SearchEtc1(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                std::span<const std::uint8_t> biased_blocks, std::span<const std::uint32_t> order, HintEffort effort,
                const BiasMove* moves, std::span<Etc1Choice> choices) {
  const Etc1Breadth breadth = kEtc1Breadth[static_cast<std::size_t>(effort)];
  Etc1Group group;
  Etc1Choice best_of[kEtc1Blocks + kLanes], second_of[kEtc1Blocks + kLanes];
  std::uint32_t places[kEtc1Blocks + 1];  // of those that want a bias
  alignas(64) std::int32_t index[kLanes];
  for (; !order.empty(); order = order.subspan(HWY_MIN(kEtc1Blocks, order.size()))) {
    const std::size_t blocks = HWY_MIN(kEtc1Blocks, order.size());
    std::size_t wanting = 0;
    for (std::size_t first = 0; first < blocks; first += kLanes) {
      const std::size_t count = HWY_MIN(kLanes, blocks - first);
      alignas(64) Row row;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t i = order[first + HWY_MIN(lane, count - 1)];
        index[lane] = static_cast<std::int32_t>(i);
        row[lane] = biased_blocks[i] != 0;
      }
      group.load_blocks(source.data(), decoded.data(), index);
      Etc1Best best, second;
      search_layouts(group, hn::Gt(load(row), zero()), breadth, best, second);
      store_choices(best, count, best_of + first);
      store_choices(second, count, second_of + first);
      for (std::size_t lane = 0; lane < count; ++lane) {
        places[wanting] = static_cast<std::uint32_t>(first + lane);
        wanting += row[lane] != 0 && static_cast<float>(best_of[first + lane].error) > breadth.good_enough;
      }
    }
    for (std::size_t first = 0; first < wanting; first += kLanes) {
      const std::size_t count = HWY_MIN(kLanes, wanting - first);
      std::uint32_t place[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        place[lane] = places[first + HWY_MIN(lane, count - 1)];
        index[lane] = static_cast<std::int32_t>(order[place[lane]]);
      }
      group.load_blocks(source.data(), decoded.data(), index);
      const M always = hn::Eq(zero(), zero());
      Etc1Best best = load_choices(best_of, place);
      search_biases(group, always, moves, breadth.biases, breadth.bias_reach, best);
      if (breadth.second_biases > 0) {
        Etc1Best second = load_choices(second_of, place);
        search_biases(group, always, moves, breadth.second_biases, breadth.bias_reach, second);
        take_where(hn::Lt(second.error, best.error), second, best);
      }
      Etc1Choice out[kLanes];
      store_choices(best, count, out);
      for (std::size_t lane = 0; lane < count; ++lane) best_of[place[lane]] = out[lane];
    }
    for (std::size_t i = 0; i < blocks; ++i) choices[order[i]] = best_of[i];
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SearchEtc1);

void search_etc1_lanes(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                       std::span<const std::uint8_t> biased, std::span<const std::uint32_t> order, HintEffort effort,
                       std::span<Etc1Choice> choices) {
  // Read off a base that is far from the ends of the range.
  BiasMove deltas[32];
  for (unsigned bias = 0; bias < 32; ++bias)
    for (unsigned half = 0; half < 2; ++half) {
      const Rgb8 moved = bias_etc1_base({8, 8, 8}, bias, 31, half);
      deltas[bias].half[half][0] = moved.r - 8;
      deltas[bias].half[half][1] = moved.g - 8;
      deltas[bias].half[half][2] = moved.b - 8;
    }
  HWY_DYNAMIC_DISPATCH(SearchEtc1)(source, decoded, biased, order, effort, deltas, choices);
}

}  // namespace assetc::codec
#endif
