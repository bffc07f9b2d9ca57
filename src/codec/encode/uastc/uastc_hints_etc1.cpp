#include "codec/encode/uastc/uastc_hints_etc1.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/uastc/uastc_hints_etc1.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "codec/block/etc1_bias.hpp"
#include "codec/encode/uastc/uastc_hints_etc1-inl.hpp"
#include "codec/encode/uastc/uastc_hints_etc1_tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// Base colors before they are widened to 8 bits.
struct Bases {
  P channel[3];

  // Takes the averages of the halves. If the mode stores a bias, kEtc1NoBias moves 0 and the limit inward by one.
  HWY_INLINE Bases(const Halves& halves, P biased, bool diff) {
    const P low = bits_and(biased, pair(1)), high = sub(pair(diff ? 31 : 15), low);
    for (int c = 0; c < 3; ++c) channel[c] = clamp(average(halves.sum[c], diff), low, high);
  }
  // Moves the averages of the halves by a bias.
  HWY_INLINE Bases(const Halves& halves, I bias, bool diff) {
    // Biases from 16 up set the top bit of the first index, others that of the second. An index with its top bit set
    // looks up 0.
    const I low = hn::Or(hn::And(bias, whole(15)), hn::ShiftLeft<3>(hn::And(bias, whole(16))));
    const I high = hn::Xor(low, whole(0x80));
    for (std::size_t c = 0; c < 3; ++c) {
      const I steps = hn::Or(look_up(kBiasSteps[c][0], low), look_up(kBiasSteps[c][1], high));
      const I second = hn::ShiftLeft<12>(hn::And(steps, whole(0xf0)));
      move(halves, c, sub(as_pair(hn::Or(hn::And(steps, whole(15)), second)), pair(2)), diff);
    }
  }
  // The same with one bias for all blocks.
  HWY_INLINE Bases(const Halves& halves, std::size_t bias, bool diff) {
    const auto& [first, second] = kEtc1BiasDeltas[bias];
    for (std::size_t c = 0; c < 3; ++c) move(halves, c, pair_of(pair(first[c]), pair(second[c])), diff);
  }
  // Where the base of the second half is too far from the first's to be stored as a difference.
  HWY_INLINE MI apart() const {
    P far = pair(0);
    for (const P v : channel) {
      const P difference = sub(v, second_as_first(v));  // in the first's place
      far = bits_or(far, bits_or(where(above(difference, pair(4))), where(above(pair(-3), difference))));
    }
    return hn::Ne(hn::And(as_lanes(far), whole(0xffff)), whole(0));
  }
  // Widens to 8 bits. With diff, moves the second half's base to the nearest one that a difference from the first can
  // store.
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

 private:
  // Adds delta. At the ends of the range the result moves inward, as in bias_etc1_channel.
  HWY_INLINE void move(const Halves& halves, std::size_t c, P delta, bool diff) {
    const P limit = pair(diff ? 31 : 15);
    const P from = average(halves.sum[c], diff), moved = add(from, delta);
    P v = choose(above(pair(0), moved), sub(from, delta), moved);
    v = choose(above(moved, limit), sub(from, delta), v);
    v = choose(same(from, limit), sub(moved, pair(1)), v);
    const P at_zero = choose(same(delta, pair(-2)), pair(3), add(delta, pair(1)));
    channel[c] = choose(same(from, pair(0)), at_zero, v);
  }
};

// Estimates 128 times the error of each half for every one of kMoves, with the given table or a neighbor of it, minus
// the part that all moves share. Estimates are multiples of 32, with magnitudes below 2^29. A move shifts the base
// color, its luma, and so the modifiers that texels get. The shift of the luma is estimated from green's step alone.
// Clamping is ignored.
HWY_NOINLINE void estimate_moves(const Halves& halves, const Colors& base, P table, bool diff,
                                 I (&estimate)[kMoveCount][2]) {
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
  // The error that a step of red and of blue adds, and that a step of green adds.
  I by_red_blue[3][3][2], by_green[3][2];
  {
    I pull[3][2];  // the gain of one step up in each channel
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
        for (int j = 0; j < 3; ++j)
          by_red_blue[i][j][h] = hn::Add(stepped(i - 1, pull[0][h]), stepped(j - 1, pull[2][h]));
      }
  }
  std::size_t move = 0;
  for (int green = -1; green <= 1; ++green) {
    // The luma with this step of green and the mean step of red and blue among its moves: 219.5 / 256 of a step.
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
    // The error is linear in the steps that the move adds to R + G + B. Red and blue add two down to two up.
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

// Inserts v into the count least values, which are in ascending order.
HWY_INLINE void insert(I v, int count, I (&least)[kMaxBiasTries]) {
  for (int k = 0; k < count; ++k) {
    const I old = least[k];
    least[k] = hn::Min(old, v);
    v = hn::Max(old, v);
  }
}

// Finds the numbers of the count biases with the least estimated errors, best first. The low bits of the estimates hold
// the numbers.
HWY_INLINE void rank_biases(const I (&estimate)[kMoveCount][2], int count, I (&number)[kMaxBiasTries]) {
  for (int k = 0; k < count; ++k) number[k] = whole(INT32_MAX);
  for (const MovedBias& bias : kMovedBiases) {
    insert(hn::Add(hn::Add(estimate[bias.move[0]][0], whole(bias.number)), estimate[bias.move[1]][1]), count, number);
  }
  for (int k = 0; k < count; ++k) number[k] = hn::And(number[k], whole(31));
}

// The blocks of a group, as the search reads them.
struct Etc1Group {
  Halves columns, rows;
  alignas(64) PairRow row_source[3][8], column_source[3][8], column_luma[8];
  P sums[2][2][3];  // of the upper and the lower two rows: of the decoded texels and of the source

  HWY_INLINE const Halves& halves(bool flip) const { return flip ? rows : columns; }

  // Loads blocks. Must be followed by a turn to each orientation that is used.
  HWY_NOINLINE void fill(const PlanarBlock* source_blocks, const PlanarBlock* decoded_blocks, I index) {
    const Gathered from(source_blocks, index), to(decoded_blocks, index);
    P shade[8], luma[8];
    // Two texels that are two apart in a row already form a pair.
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
          store(x[i], row_source[c][t]);
          shade[t] = c == 0 ? x[i] : add(shade[t], x[i]);
          const P part = mul(z[i], pair(c == 0 ? 54 : c == 1 ? 183 : 19));
          luma[t] = c == 0 ? bits_xor(part, pair(-32768)) : add(luma[t], part);
        }
        auto& sum = sums[y / 2];
        sum[0][c] = y % 2 == 0 ? add(z[0], z[1]) : add(sum[0][c], add(z[0], z[1]));
        sum[1][c] = y % 2 == 0 ? add(x[0], x[1]) : add(sum[1][c], add(x[0], x[1]));
      }
    for (std::size_t t = 0; t < 8; ++t) {
      store(shade[t], columns.shade[t]);
      store(luma[t], columns.luma[t]);
    }
  }

  HWY_INLINE void turn_to_columns() {
    const auto turn = [](const PairRow(&from)[8], PairRow(&to)[8]) HWY_ATTR {
      for (std::size_t y = 0; y < 4; ++y) swap_inner(from[2 * y], from[2 * y + 1], to[y], to[y + 4]);
    };
    turn(columns.luma, column_luma);
    for (std::size_t c = 0; c < 3; ++c) {
      turn(row_source[c], column_source[c]);
      columns.sum[c] = add(sums[0][0][c], sums[1][0][c]);
      columns.source_sum[c] = add(sums[0][1][c], sums[1][1][c]);
    }
    set_own(columns, column_source, column_luma);
  }
  HWY_INLINE void turn_to_rows() {
    const auto turn = [](const PairRow(&from)[8], PairRow(&to)[8]) HWY_ATTR {
      for (std::size_t t = 0; t < 4; ++t) swap_inner(from[t], from[t + 4], to[t], to[t + 4]);
    };
    turn(columns.shade, rows.shade);
    turn(columns.luma, rows.luma);
    const auto total = [](P top, P bottom) HWY_ATTR {
      return pair_of(add(top, second_as_first(top)), add(bottom, first_as_second(bottom)));
    };
    for (std::size_t c = 0; c < 3; ++c) {
      rows.sum[c] = total(sums[0][0][c], sums[1][0][c]);
      rows.source_sum[c] = total(sums[0][1][c], sums[1][1][c]);
    }
    set_own(rows, row_source, columns.luma);
  }
  // The blocks for which is_synthetic is true of the source's colors.
  HWY_INLINE MI synthetic() const {
    P alike = pair(0);
    const auto compare = [&](auto&& difference, P counted) HWY_ATTR {
      const P differences =
          bits_or(bits_or(difference(row_source[0]), difference(row_source[1])), difference(row_source[2]));
      alike = sub(alike, bits_and(counted, where(same(differences, pair(0)))));
    };
    for (std::size_t t = 0; t < 8; ++t) {
      if (t < 6) compare([&](const PairRow(&x)[8]) HWY_ATTR { return bits_xor(load(x[t]), load(x[t + 2])); }, pair(-1));
      if (t % 2 != 0) continue;
      compare([&](const PairRow(&x)[8]) HWY_ATTR { return bits_xor(load(x[t]), load(x[t + 1])); }, pair(-1));
      compare([&](const PairRow(&x)[8]) HWY_ATTR { return bits_xor(second_as_first(load(x[t])), load(x[t + 1])); },
              pair_of(pair(-1), pair(0)));
    }
    return hn::Gt(as_lanes(add(alike, first_as_second(alike))), whole(12 * 65536 - 1));
  }

 private:
  // Turns the pairs a b and c d into a c and b d.
  static HWY_INLINE void swap_inner(const PairRow& ab, const PairRow& cd, PairRow& ac, PairRow& bd) {
    const P first = load(ab), second = load(cd);
    store(pair_of(first, first_as_second(second)), ac);
    store(pair_of(second_as_first(first), second), bd);
  }
  static HWY_INLINE void set_own(Halves& halves, const PairRow (&source)[3][8], const PairRow (&luma)[8]) {
    halves.own_source = source;
    halves.own_luma = luma;
    for (std::size_t h = 0; h < 2; ++h) {
      SquareSum squares;
      for (const auto& channel : source)
        for (std::size_t t = 4 * h; t < 4 * h + 4; ++t) squares.add(load(channel[t]));
      halves.source_square[h] = squares.sum();
    }
  }
};

// The result for a block in one word: its bias in bits 0-4, its layout in bits 8 and 9, one table in bits 16-18 and the
// other in bits 24-26. In the word of a pending job, bits 0-15 are the place of its block.
HWY_INLINE I word_of(I low_bits, P tables) {
  const I t = as_lanes(tables);
  return hn::Or(low_bits,
                hn::Or(hn::ShiftLeft<16>(hn::And(t, whole(7))), hn::ShiftLeft<8>(hn::And(t, whole(7 << 16)))));
}
HWY_INLINE P tables_of(I word) {
  return as_pair(hn::Or(hn::And(hn::ShiftRight<16>(word), whole(7)), hn::And(hn::ShiftRight<8>(word), whole(7 << 16))));
}
constexpr int layout_bits(std::size_t layout) { return static_cast<int>(layout << 8); }

// Blocks are processed this many at a time, so that the blocks that need a bias can be gathered to fill the lanes.
constexpr std::size_t kEtc1Blocks = 512;

// Places of blocks in the order, with initial tables if these matter. They are processed one group at a time.
struct Etc1Jobs {
  std::size_t count = 0;
  std::int32_t of[kEtc1Blocks + kLanes];

  HWY_INLINE void add(I jobs, MI wanted) { count += hn::CompressStore(jobs, wanted, di, of + count); }
};

// The state of blocks, by their places in the order.
struct Etc1Work {
  std::int32_t error[kEtc1Blocks];
  std::int32_t found[kEtc1Blocks];
  // Blocks to search without bias, and with biases in one layout. [0]: the first search; [1]: the search that considers
  // clamping.
  Etc1Jobs layouts[2], biases[2][kLayouts];
};

// Finds the best layout of each block without a bias, and its error. Adds the blocks to the jobs that may improve them.
template <bool kClamped>
HWY_NOINLINE I search_layouts(const Etc1Group& group, I place, MI wanted, I biased, const Etc1Breadth& breadth,
                              Etc1Work& work, I& least) {
  I error[kLayouts], found = whole(0), clamped = whole(0);
  P tables[kLayouts];
  const MI all = hn::Eq(whole(0), whole(0)), synthetic = kClamped ? all : group.synthetic();
  MI both = all;
  least = whole(INT32_MAX);
  for (std::size_t layout = 0; layout < kLayouts; ++layout) {
    const Halves& halves = group.halves(flip_of(layout));
    const Bases bases(halves, as_pair(biased), diff_of(layout));
    if (diff_of(layout)) {
      if (!breadth.both) both = hn::Or(synthetic, bases.apart());
    } else if (hn::AllFalse(di, hn::And(wanted, both))) {
      tables[layout] = pair(0);
      error[layout] = whole(INT32_MAX);
      continue;
    }
    Colors base;
    bases.widen(diff_of(layout), base);
    if constexpr (kClamped) {
      I errors[2];
      tables[layout] = fit_all_tables(halves, base, errors);
      error[layout] = hn::Add(errors[0], errors[1]);
    } else {
      const Tables fit = fit_tables(halves, base, nullptr, breadth.reach);
      tables[layout] = fit.of;
      error[layout] = diff_of(layout) ? fit.error : hn::IfThenElse(both, fit.error, whole(INT32_MAX));
      clamped = hn::IfThenElse(hn::Lt(error[layout], least), fit.clamped, clamped);
    }
    found = hn::IfThenElse(hn::Lt(error[layout], least), word_of(whole(layout_bits(layout)), tables[layout]), found);
    least = hn::Min(error[layout], least);
  }
  MI poor = hn::And(wanted, hn::Gt(least, whole(kClamped ? breadth.clamped_good_enough : breadth.good_enough)));
  if constexpr (!kClamped) {
    const MI is_clamped = hn::Ne(clamped, whole(0)), far_off = hn::Gt(least, whole(breadth.far_off));
    const MI two = hn::Or(hn::And(synthetic, hn::Or(is_clamped, far_off)), hn::And(is_clamped, far_off));
    const MI again = hn::And(two, hn::Gt(least, whole(breadth.clamped_good_enough)));
    work.layouts[1].add(place, hn::And(wanted, again));
    poor = hn::AndNot(again, poor);
  }
  const MI wanting = hn::And(hn::Ne(biased, whole(0)), poor);
  if (!hn::AllFalse(di, wanting)) {
    const V most = mul(hn::ConvertTo(d, least), set(kClamped ? breadth.clamped_window : breadth.window));
    for (std::size_t layout = 0; layout < kLayouts; ++layout) {
      const MI promising = hn::And(wanting, hn::RebindMask(di, hn::Le(hn::ConvertTo(d, error[layout]), most)));
      work.biases[kClamped][layout].add(word_of(place, tables[layout]), promising);
    }
  }
  return hn::Or(found, hn::And(biased, whole(kEtc1NoBias)));
}

// Tries the likeliest biases in one layout. Returns the best result and sets its error.
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
    const Tables fit = fit_tables(halves, base, &tables, kBiasReach);
    found = hn::IfThenElse(hn::Lt(fit.error, error), word_of(numbers[i], fit.of), found);
    error = hn::Min(fit.error, error);
  }
  return found;
}

// Tries every bias, then every table with the best biases. From many bases the large steps of a table are clamped. So
// bias and table are chosen together for the biases that move all channels equally, which synthetic blocks need most.
// The other biases are tried with the given tables.
HWY_NOINLINE I try_all_biases(const Halves& halves, P tables, bool diff, const Etc1Breadth& breadth, I& error) {
  Colors base;
  P small, large;
  modifiers(tables, small, large);
  // [step + 2]: the errors of the halves if all their channels move by step. If the difference of the second half is
  // clamped, its error depends on the first half's move, and this one is not exact. The final trials below are exact.
  I alike[4][2];
  for (const std::size_t bias : kAlikeBiases) {
    const auto step = static_cast<std::size_t>(kEtc1BiasDeltas[bias][0][0] + 2);
    Bases(halves, bias, diff).widen(diff, base);
    if (bias == kEtc1NoBias)
      clamped_errors(halves, base, small, large, alike[step]);
    else
      fit_all_tables(halves, base, alike[step]);
  }
  I numbers[kMaxBiasTries];
  for (int k = 0; k < breadth.clamped_biases; ++k) numbers[k] = whole(INT32_MAX);
  for (std::size_t bias = 0; bias < kEtc1BiasCount; ++bias) {
    if (bias == kEtc1NoBias) continue;
    const auto& [first, second] = kEtc1BiasDeltas[bias];
    I errors[2];
    if (moves_alike(first) && moves_alike(second)) {
      errors[0] = alike[first[0] + 2][0];
      errors[1] = alike[second[0] + 2][1];
    } else {
      Bases(halves, bias, diff).widen(diff, base);
      clamped_errors(halves, base, small, large, errors);
    }
    // The low bits hold the number of the bias.
    const I numbered = hn::Or(hn::ShiftLeft<5>(hn::Add(errors[0], errors[1])), whole(static_cast<int>(bias)));
    insert(numbered, breadth.clamped_biases, numbers);
  }
  error = whole(INT32_MAX);
  I found = whole(0);
  for (int k = 0; k < breadth.clamped_biases; ++k) {
    const I number = hn::And(numbers[k], whole(31));
    Bases(halves, number, diff).widen(diff, base);
    I errors[2];
    const P of = fit_all_tables(halves, base, errors);
    const I sum = hn::Add(errors[0], errors[1]);
    found = hn::IfThenElse(hn::Lt(sum, error), word_of(number, of), found);
    error = hn::Min(sum, error);
  }
  return found;
}

void SearchEtc1(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                std::span<const std::uint8_t> biased_blocks, std::span<const std::uint32_t> order, HintEffort effort,
                std::span<Etc1Choice> choices) {
  const Etc1Breadth& breadth = kEtc1Breadth[static_cast<std::size_t>(effort)];
  Etc1Group group;
  Etc1Work work;
  for (; !order.empty(); order = order.subspan(HWY_MIN(kEtc1Blocks, order.size()))) {
    const std::size_t blocks = HWY_MIN(kEtc1Blocks, order.size());
    for (Etc1Jobs& jobs : work.layouts) jobs.count = 0;
    for (auto& all : work.biases)
      for (Etc1Jobs& jobs : all) jobs.count = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      work.layouts[0].of[i] = static_cast<std::int32_t>(i);
      work.error[i] = INT32_MAX;
    }
    work.layouts[0].count = blocks;
    // Processes the jobs one group at a time and keeps the results that are better than before.
    const auto each_group = [&](const Etc1Jobs& jobs, auto&& turn, auto&& search) HWY_ATTR {
      for (std::size_t first = 0; first < jobs.count; first += kLanes) {
        alignas(64) std::int32_t index[kLanes], biased[kLanes], word[kLanes], error[kLanes];
        const std::size_t count = HWY_MIN(kLanes, jobs.count - first);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          word[lane] = jobs.of[first + HWY_MIN(lane, count - 1)];
          const std::uint32_t i = order[static_cast<std::size_t>(word[lane] & 0xffff)];
          index[lane] = static_cast<std::int32_t>(i);
          biased[lane] = biased_blocks[i] != 0 ? -1 : 0;
        }
        group.fill(source.data(), decoded.data(), hn::Load(di, index));
        turn();
        I least;
        const I job = hn::Load(di, word);
        hn::Store(search(job, hn::FirstN(di, count), hn::Load(di, biased), least), di, word);
        hn::Store(least, di, error);
        for (std::size_t lane = 0; lane < count; ++lane) {
          const auto place = static_cast<std::size_t>(jobs.of[first + lane] & 0xffff);
          const bool better = error[lane] < work.error[place];
          work.error[place] = better ? error[lane] : work.error[place];
          work.found[place] = better ? word[lane] : work.found[place];
        }
      }
    };
    const auto to_both = [&]() HWY_ATTR {
      group.turn_to_columns();
      group.turn_to_rows();
    };
    each_group(work.layouts[0], to_both, [&](I job, MI wanted, I biased, I& least) HWY_ATTR {
      return search_layouts<false>(group, job, wanted, biased, breadth, work, least);
    });
    each_group(work.layouts[1], to_both, [&](I job, MI wanted, I biased, I& least) HWY_ATTR {
      return search_layouts<true>(group, job, wanted, biased, breadth, work, least);
    });
    for (std::size_t layout = 0; layout < kLayouts; ++layout) {
      const bool flip = flip_of(layout), diff = diff_of(layout);
      const auto to_layout = [&]() HWY_ATTR { flip ? group.turn_to_rows() : group.turn_to_columns(); };
      const I bits = whole(layout_bits(layout));
      each_group(work.biases[0][layout], to_layout, [&](I job, MI, I, I& least) HWY_ATTR {
        return hn::Or(try_biases(group.halves(flip), tables_of(job), diff, breadth, least), bits);
      });
      each_group(work.biases[1][layout], to_layout, [&](I job, MI, I, I& least) HWY_ATTR {
        return hn::Or(try_all_biases(group.halves(flip), tables_of(job), diff, breadth, least), bits);
      });
    }
    for (std::size_t i = 0; i < blocks; ++i) {
      const auto found = static_cast<std::uint32_t>(work.found[i]);
      const std::size_t layout = found >> 8 & 3;
      choices[order[i]] = {flip_of(layout),
                           diff_of(layout),
                           static_cast<std::uint8_t>(found & 31),
                           {static_cast<std::uint8_t>(found >> 16 & 7), static_cast<std::uint8_t>(found >> 24 & 7)},
                           static_cast<std::uint32_t>(work.error[i])};
    }
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SearchEtc1);

void search_etc1_hints(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                       std::span<const std::uint8_t> biased, std::span<const std::uint32_t> order, HintEffort effort,
                       std::span<Etc1Choice> choices) {
  HWY_DYNAMIC_DISPATCH(SearchEtc1)(source, decoded, biased, order, effort, choices);
}

}  // namespace assetc::codec
#endif
