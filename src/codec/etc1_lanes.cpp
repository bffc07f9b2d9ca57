#include "codec/etc1_lanes.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/etc1_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <utility>

#include "codec/etc1_bias.hpp"
#include "codec/etc1_halves-inl.hpp"

#ifndef ASSETC_CODEC_ETC1_LANES_ONCE_
#define ASSETC_CODEC_ETC1_LANES_ONCE_
namespace assetc::codec {

// The four combinations of an orientation and a precision.
constexpr std::size_t kLayouts = 4;
constexpr bool flip_of(std::size_t layout) { return layout < 2; }
constexpr bool diff_of(std::size_t layout) { return layout % 2 == 0; }

struct Etc1Breadth {
  int good_enough;  // squared error of a block that needs no bias
  float window;     // biases are tried in layouts whose error without one is at most this times the least
  int reach;        // tables tried on either side of the one that suits
  int biases;       // likeliest, tried in each layout, at most kMaxBiasTries
};
constexpr Etc1Breadth kEtc1Breadth[] = {{300, 1.02f, 1, 1}, {100, 1.3f, 1, 2}, {0, 2, 2, 7}};
constexpr int kMaxBiasTries = 7;
// Tables tried on either side of those found without bias.
constexpr int kBiasReach = 1;

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
// [channel][bias / 16][bias % 16] -> what it adds to the channel of the first half, plus 2, and 16 times the second half's.
alignas(16) constexpr auto kBiasSteps = [] {
  std::array<std::array<std::array<std::uint8_t, 16>, 2>, 3> steps{};
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t bias = 0; bias < kEtc1BiasCount; ++bias)
      steps[c][bias / 16][bias % 16] =
          static_cast<std::uint8_t>(kEtc1BiasDeltas[bias][0][c] + 2 + 16 * (kEtc1BiasDeltas[bias][1][c] + 2));
  return steps;
}();

}  // namespace assetc::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// Base colours before they are widened to 8 bits.
struct Bases {
  P channel[3];

  // The halves' averages; where the mode stores a bias, as the number of none leaves them.
  HWY_INLINE Bases(const Halves& halves, P biased, bool diff) {
    const P low = bits_and(biased, pair(1)), high = sub(pair(diff ? 31 : 15), low);
    for (int c = 0; c < 3; ++c) channel[c] = clamp(average(halves.sum[c], diff), low, high);
  }
  // The halves' averages as a bias moves them; bent inwards at the ends of the range.
  HWY_INLINE Bases(const Halves& halves, I bias, bool diff) {
    // Numbers from 16 on set the top bit of the first index, lower ones that of the second: those look up 0.
    const I low = hn::Or(hn::And(bias, whole(15)), hn::ShiftLeft<3>(hn::And(bias, whole(16))));
    const I high = hn::Xor(low, whole(0x80));
    const P limit = pair(diff ? 31 : 15);
    for (std::size_t c = 0; c < 3; ++c) {
      const I steps = hn::Or(look_up(kBiasSteps[c][0], low), look_up(kBiasSteps[c][1], high));
      const I second = hn::ShiftLeft<12>(hn::And(steps, whole(0xf0)));
      const P delta = sub(as_pair(hn::Or(hn::And(steps, whole(15)), second)), pair(2));
      const P from = average(halves.sum[c], diff), moved = add(from, delta);
      P v = choose(above(pair(0), moved), sub(from, delta), moved);
      v = choose(above(moved, limit), sub(from, delta), v);
      v = choose(same(from, limit), sub(moved, pair(1)), v);
      const P at_zero = choose(same(delta, pair(-2)), pair(3), add(delta, pair(1)));
      channel[c] = choose(same(from, pair(0)), at_zero, v);
    }
  }
  // In 8 bits, the second half's near the first's where it is said by its difference.
  HWY_INLINE void widen(bool diff, Colors& out) const {
    for (int c = 0; c < 3; ++c) {
      P v = channel[c];
      if (diff) {
        const P first = first_as_second(v);
        v = clamp(v, pair_of(v, sub(first, pair(4))), pair_of(v, add(first, pair(3))));
      }
      out[c] = expand(v, diff);
    }
  }
};

// Estimates 128 times the error of either half for every one of kMoves, with the given table or a neighbour of it, less what
// they share: multiples of 32, below 2^29 in size. A move shifts the base colour; how that shifts the luma, and with it which
// modifier a texel gets, is told apart only by green's step, and what clamping would do is left out.
HWY_NOINLINE void estimate_moves(const Halves& halves, const Colors& base, P table, bool diff, I (&estimate)[kMoveCount][2]) {
  const P middle = clamp(table, pair(1), pair(6));
  P small[3], gap[3], edge[3], even[3];
  for (int k = 0; k < 3; ++k) {
    P large;
    modifiers(add(middle, pair(k - 1)), small[k], large);
    const P both = add(small[k], large);
    gap[k] = sub(large, small[k]);
    edge[k] = sub(left<7>(both), pair(1));
    even[k] = add(add(both, both), both);
  }
  const P luma = luma_of(base[0], base[1], base[2]), shade = add(add(base[0], base[1]), base[2]);
  const int step = (diff ? 33 : 68) * 32;  // 128 steps
  // What a step of red and of blue adds, and of green.
  I by_red_blue[3][3][2], by_green[3][2];
  {
    I pull[3][2];  // what a step up of each channel gains
    for (int c = 0; c < 3; ++c) {
      pull[c][0] = pull[c][1] = whole(0);
      add_product(pair(2 * step), sub(halves.source_sum[c], left<3>(base[c])), pull[c]);
    }
    const I own = whole(step / 4 * (step / 4));
    const auto stepped = [&](int by, I gain) HWY_ATTR {
      return by == 0 ? whole(0) : by > 0 ? hn::Sub(own, gain) : hn::Add(own, gain);
    };
    for (int h = 0; h < 2; ++h)
      for (int i = 0; i < 3; ++i) {
        by_green[i][h] = stepped(i - 1, pull[1][h]);
        for (int j = 0; j < 3; ++j) by_red_blue[i][j][h] = hn::Add(stepped(i - 1, pull[0][h]), stepped(j - 1, pull[2][h]));
      }
  }
  std::size_t move = 0;
  for (int green = -1; green <= 1; ++green) {
    // With red's and blue's mean step among the moves of this one's green: 219.5 / 256 of a step.
    const P from = add_saturated(luma, pair(green * (diff ? 1811 : 3732)));
    P all_sign = pair(0), all_along = pair(0);
    P far[3] = {pair(0), pair(0), pair(0)}, sign_far[3] = {pair(0), pair(0), pair(0)};
    for (std::size_t t = 0; t < 8; ++t) {
      const P distance = sub_saturated(load(halves.luma[t]), from);
      const P darker = right<15>(distance);
      const P one = bits_or(darker, pair(1)), away = bits_xor(distance, darker);
      P along = sub(bits_xor(sub(load(halves.shade[t]), shade), darker), darker);
      along = add(along, along);
      all_sign = add(all_sign, one);
      all_along = add(all_along, along);
      for (int k = 0; k < 3; ++k) {
        const PM is_far = above(away, edge[k]);
        far[k] = add(far[k], keep(is_far, sub(even[k], along)));
        sign_far[k] = add(sign_far[k], keep(is_far, one));
      }
    }
    // Linear in what the move adds to R + G + B: from two steps down of red and blue to two up.
    I least[5][2];
    for (int k = 0; k < 3; ++k) {
      I at[2] = {whole(0), whole(0)}, by[2] = {whole(0), whole(0)};
      add_product(small[k], sub(mul(small[k], pair(24)), all_along), at);
      add_product(gap[k], far[k], at);
      add_product(pair(2 * step), add(mul(small[k], all_sign), mul(gap[k], sign_far[k])), by);
      for (int h = 0; h < 2; ++h) {
        at[h] = hn::Add(hn::ShiftLeft<7>(at[h]), by_green[green + 1][h]);
        for (int i = green; i < 2; ++i) at[h] = hn::Sub(at[h], by[h]);
        for (int i = 0; i < 5; ++i) {
          least[i][h] = k == 0 ? at[h] : hn::Min(least[i][h], at[h]);
          at[h] = hn::Add(at[h], by[h]);
        }
      }
    }
    for (; move < kMoveCount && kMoves[move][1] == green; ++move)
      for (int h = 0; h < 2; ++h) {
        const int red = kMoves[move][0], blue = kMoves[move][2];
        estimate[move][h] = hn::Add(least[red + blue + 2][h], by_red_blue[red + 1][blue + 1][h]);
      }
  }
}

// The numbers of the biases of least estimated error: count of them, best first. They ride in the estimates' low bits.
HWY_INLINE void rank_biases(const I (&estimate)[kMoveCount][2], int count, I (&number)[kMaxBiasTries]) {
  for (int k = 0; k < count; ++k) number[k] = whole(INT32_MAX);
  for (const MovedBias& bias : kMovedBiases) {
    I v = hn::Add(hn::Add(estimate[bias.move[0]][0], whole(bias.number)), estimate[bias.move[1]][1]);
    for (int k = 0; k < count; ++k) {
      const I old = number[k];
      number[k] = hn::Min(old, v);
      v = hn::Max(old, v);
    }
  }
  for (int k = 0; k < count; ++k) number[k] = hn::And(number[k], whole(31));
}

// Blocks as the search sees them, in both orientations.
struct Etc1Group {
  Halves columns, rows;
  alignas(64) PairRow source[3][8];
  P upper[2][3], lower[2][3];  // sums of the upper and the lower two rows, of the decoded texels and of the source
  I source_square;

  HWY_INLINE const Halves& halves(bool flip) const { return flip ? rows : columns; }

  // squares: whether the sum of the source's squares is wanted too.
  HWY_NOINLINE void load_columns(const PlanarBlock* source_blocks, const PlanarBlock* decoded_blocks, I index, bool squares) {
    const Gathered from(source_blocks, index), to(decoded_blocks, index);
    source_square = whole(0);
    P shade[8], luma[8];
    // Texels two apart in a row are a pair as they come.
    const auto split = [](I four, P(&x)[2]) HWY_ATTR {
      x[0] = as_pair(hn::And(four, whole(0xff00ff)));
      x[1] = as_pair(hn::And(hn::ShiftRight<8>(four), whole(0xff00ff)));
    };
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t y = 0; y < 4; ++y) {
        P x[2], z[2];
        split(from.row(c, y), x);
        split(to.row(c, y), z);
        for (std::size_t i = 0; i < 2; ++i) {
          const std::size_t t = 2 * y + i;
          store(x[i], source[c][t]);
          shade[t] = c == 0 ? x[i] : add(shade[t], x[i]);
          const P part = mul(z[i], pair(c == 0 ? 54 : c == 1 ? 183 : 19));
          luma[t] = c == 0 ? bits_xor(part, pair(-32768)) : add(luma[t], part);
          if (!squares) continue;
          const P square = mul(x[i], x[i]);
          const I first = hn::And(as_lanes(square), whole(0xffff));
          source_square = hn::Add(source_square, hn::Add(first, as_lanes(second_as_first(square))));
        }
        auto& sum = y < 2 ? upper : lower;
        sum[0][c] = y % 2 == 0 ? add(z[0], z[1]) : add(sum[0][c], add(z[0], z[1]));
        sum[1][c] = y % 2 == 0 ? add(x[0], x[1]) : add(sum[1][c], add(x[0], x[1]));
      }
    for (std::size_t t = 0; t < 8; ++t) {
      store(shade[t], columns.shade[t]);
      store(luma[t], columns.luma[t]);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      columns.sum[c] = add(upper[0][c], lower[0][c]);
      columns.source_sum[c] = add(upper[1][c], lower[1][c]);
    }
    columns.source = source;
    columns.rows = false;
  }
  // After load_columns.
  HWY_INLINE void load_rows() {
    const auto turn = [](const PairRow(&from)[8], PairRow(&to)[8]) HWY_ATTR {
      for (std::size_t t = 0; t < 4; ++t) {
        P a, b;
        columns_to_rows(load(from[t]), load(from[t + 4]), a, b);
        store(a, to[t]);
        store(b, to[t + 4]);
      }
    };
    turn(columns.shade, rows.shade);
    turn(columns.luma, rows.luma);
    const auto total = [](P top, P bottom) HWY_ATTR {
      return pair_of(add(top, second_as_first(top)), add(bottom, first_as_second(bottom)));
    };
    for (std::size_t c = 0; c < 3; ++c) {
      rows.sum[c] = total(upper[0][c], lower[0][c]);
      rows.source_sum[c] = total(upper[1][c], lower[1][c]);
    }
    rows.source = source;
    rows.rows = true;
  }
};

// What is found for a block, in a word: its bias in bits 0-4, its layout in bits 8 and 9, a table in bits 16-18 and one in
// bits 24-26. Of a job that is left, its place is in bits 0-15.
HWY_INLINE I word_of(I low_bits, P tables) {
  const I t = as_lanes(tables);
  return hn::Or(low_bits, hn::Or(hn::ShiftLeft<16>(hn::And(t, whole(7))), hn::ShiftLeft<8>(hn::And(t, whole(7 << 16)))));
}
HWY_INLINE P tables_of(I word) {
  return as_pair(hn::Or(hn::And(hn::ShiftRight<16>(word), whole(7)), hn::And(hn::ShiftRight<8>(word), whole(7 << 16))));
}
constexpr int layout_bits(std::size_t layout) { return static_cast<int>(layout << 8); }

// Blocks are taken this many at a time, so that those that want a bias can be gathered from all over.
constexpr std::size_t kEtc1Blocks = 512;

// Of blocks by their places in the order, some more to fill the last group.
struct Etc1Work {
  alignas(64) std::int32_t square[kEtc1Blocks + kLanes];  // sum of the source's squares
  alignas(64) std::int32_t error[kEtc1Blocks + kLanes];   // less that
  alignas(64) std::int32_t found[kEtc1Blocks + kLanes];
  // Blocks to try biases on, by layout.
  std::int32_t jobs[kLayouts][kEtc1Blocks + kLanes];
  std::size_t job_count[kLayouts];
};

// Finds the best layout of the blocks from first on without a bias, and in which layouts to try one.
HWY_NOINLINE void search_layouts(const Etc1Group& group, std::size_t first, std::size_t count, I biased, const Etc1Breadth& breadth,
                                 Etc1Work& work) {
  I error[kLayouts], least = whole(INT32_MAX), found = whole(0);
  P tables[kLayouts];
  for (std::size_t layout = 0; layout < kLayouts; ++layout) {
    const Halves& halves = group.halves(flip_of(layout));
    Colors base;
    Bases(halves, as_pair(biased), diff_of(layout)).widen(diff_of(layout), base);
    const Tables fit = fit_tables(halves, base, nullptr, breadth.reach, Clamping::kOfChosen);
    tables[layout] = fit.of;
    error[layout] = fit.error;
    found = hn::IfThenElse(hn::Lt(fit.error, least), word_of(whole(layout_bits(layout)), fit.of), found);
    least = hn::Min(fit.error, least);
  }
  hn::Store(group.source_square, di, work.square + first);
  hn::Store(least, di, work.error + first);
  hn::Store(hn::Or(found, hn::And(biased, whole(kEtc1NoBias))), di, work.found + first);
  const I left = hn::Add(least, group.source_square);
  const MI poor = hn::And(hn::Ne(biased, whole(0)), hn::Gt(left, whole(breadth.good_enough)));
  const MI wanting = hn::And(hn::FirstN(di, count), poor);
  if (hn::AllFalse(di, wanting)) return;
  const V most = mul(hn::ConvertTo(d, left), set(breadth.window));
  const I place = hn::Add(hn::Iota(di, 0), whole(static_cast<int>(first)));
  for (std::size_t layout = 0; layout < kLayouts; ++layout) {
    const V own = hn::ConvertTo(d, hn::Add(error[layout], group.source_square));
    const MI promising = hn::And(wanting, hn::RebindMask(di, hn::Le(own, most)));
    std::size_t& jobs = work.job_count[layout];
    jobs += hn::CompressStore(word_of(place, tables[layout]), promising, di, work.jobs[layout] + jobs);
  }
}

// Tries the likeliest biases in one layout: what is found, and its error.
HWY_NOINLINE I try_biases(const Halves& halves, P tables, bool diff, const Etc1Breadth& breadth, I& error) {
  Colors base;
  Bases(halves, pair(-1), diff).widen(diff, base);
  I estimate[kMoveCount][2], numbers[kMaxBiasTries];
  estimate_moves(halves, base, tables, diff, estimate);
  rank_biases(estimate, breadth.biases, numbers);
  error = whole(INT32_MAX);
  I found = whole(0);
  for (int i = 0; i < breadth.biases; ++i) {
    Bases(halves, numbers[i], diff).widen(diff, base);
    const Tables fit = fit_tables(halves, base, &tables, kBiasReach, Clamping::kOfEach);
    found = hn::IfThenElse(hn::Lt(fit.error, error), word_of(numbers[i], fit.of), found);
    error = hn::Min(fit.error, error);
  }
  return found;
}

void SearchEtc1(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                std::span<const std::uint8_t> biased_blocks, std::span<const std::uint32_t> order, HintEffort effort,
                std::span<Etc1Choice> choices) {
  const Etc1Breadth& breadth = kEtc1Breadth[static_cast<std::size_t>(effort)];
  Etc1Group group;
  Etc1Work work;
  alignas(64) std::int32_t index[kLanes], word[kLanes], error[kLanes];
  for (; !order.empty(); order = order.subspan(HWY_MIN(kEtc1Blocks, order.size()))) {
    const std::size_t blocks = HWY_MIN(kEtc1Blocks, order.size());
    for (std::size_t& count : work.job_count) count = 0;
    for (std::size_t first = 0; first < blocks; first += kLanes) {
      const std::size_t count = HWY_MIN(kLanes, blocks - first);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t i = order[first + HWY_MIN(lane, count - 1)];
        index[lane] = static_cast<std::int32_t>(i);
        word[lane] = biased_blocks[i] != 0 ? -1 : 0;
      }
      group.load_columns(source.data(), decoded.data(), hn::Load(di, index), true);
      group.load_rows();
      search_layouts(group, first, count, hn::Load(di, word), breadth, work);
    }
    for (std::size_t layout = 0; layout < kLayouts; ++layout) {
      const std::span jobs(work.jobs[layout], work.job_count[layout]);
      for (std::size_t first = 0; first < jobs.size(); first += kLanes) {
        const std::size_t count = HWY_MIN(kLanes, jobs.size() - first);
        std::size_t place[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          word[lane] = jobs[first + HWY_MIN(lane, count - 1)];
          place[lane] = static_cast<std::size_t>(word[lane] & 0xffff);
          index[lane] = static_cast<std::int32_t>(order[place[lane]]);
        }
        group.load_columns(source.data(), decoded.data(), hn::Load(di, index), false);
        if (flip_of(layout)) group.load_rows();
        I least;
        const I found = try_biases(group.halves(flip_of(layout)), tables_of(hn::Load(di, word)), diff_of(layout), breadth, least);
        hn::Store(hn::Or(found, whole(layout_bits(layout))), di, word);
        hn::Store(least, di, error);
        for (std::size_t lane = 0; lane < count; ++lane) {
          if (error[lane] >= work.error[place[lane]]) continue;
          work.error[place[lane]] = error[lane];
          work.found[place[lane]] = word[lane];
        }
      }
    }
    for (std::size_t i = 0; i < blocks; ++i) {
      const auto found = static_cast<std::uint32_t>(work.found[i]);
      const std::size_t layout = found >> 8 & 3;
      choices[order[i]] = {flip_of(layout), diff_of(layout), static_cast<std::uint8_t>(found & 31),
                           {static_cast<std::uint8_t>(found >> 16 & 7), static_cast<std::uint8_t>(found >> 24 & 7)},
                           static_cast<std::uint32_t>(work.error[i] + work.square[i])};
    }
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
  HWY_DYNAMIC_DISPATCH(SearchEtc1)(source, decoded, biased, order, effort, choices);
}

}  // namespace assetc::codec
#endif
