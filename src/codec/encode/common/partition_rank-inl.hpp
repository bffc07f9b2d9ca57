// Estimates the error of every partition from sums over its subsets, to choose the partitions that are worth fitting.
// One block per lane. Included once per SIMD target.
#if defined(ASSETC_CODEC_PARTITION_RANK_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_PARTITION_RANK_INL_HPP_
#undef ASSETC_CODEC_PARTITION_RANK_INL_HPP_
#else
#define ASSETC_CODEC_PARTITION_RANK_INL_HPP_
#endif

#include <array>
#include <cstring>

#include "codec/block/bc7_tables.hpp"
#include "codec/encode/common/moments-inl.hpp"
#include "codec/encode/common/partition_candidate.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// Sums over texels. Channels are scaled by the square root of their weight and have mean 0.
template <int C>
struct Sums {
  static constexpr int kProducts = C * (C + 1) / 2;
  static constexpr int kValues = C + kProducts;
};

// [row of the block][mask of its four texels] -> the sums of these texels.
template <int C>
struct RowSums {
  alignas(64) Row value[4][16][Sums<C>::kValues];
};

template <int C>
HWY_INLINE void sum_rows(const Row (*channel)[16], const std::array<float, 4>& channel_weights, RowSums<C>& out) {
  constexpr int kValues = Sums<C>::kValues;
  V mean[C], root[C];
  for (int c = 0; c < C; ++c) {
    mean[c] = zero();
    for (int t = 0; t < 16; ++t) mean[c] = add(mean[c], load(channel[c][t]));
    mean[c] = mul(mean[c], set(1.0f / 16));
    root[c] = hn::Sqrt(set(channel_weights[static_cast<std::size_t>(c)]));
  }
  for (int row = 0; row < 4; ++row) {
    for (int k = 0; k < kValues; ++k) store(zero(), out.value[row][0][k]);
    for (int column = 0; column < 4; ++column) {
      V x[C];
      Row* one = out.value[row][1 << column];
      for (int c = 0; c < C; ++c) {
        x[c] = mul(sub(load(channel[c][row * 4 + column]), mean[c]), root[c]);
        store(x[c], one[c]);
      }
      for (int c = 0, k = C; c < C; ++c)
        for (int e = c; e < C; ++e, ++k) store(mul(x[c], x[e]), one[k]);
      for (int below = 1; below < 1 << column; ++below)
        for (int k = 0; k < kValues; ++k)
          store(add(load(out.value[row][below][k]), load(one[k])), out.value[row][below | 1 << column][k]);
    }
  }
}

// The sums of the texels in mask. The mask is the same in every lane.
template <int C>
HWY_INLINE void sum_mask(const RowSums<C>& rows, unsigned mask, V (&out)[Sums<C>::kValues]) {
  for (int k = 0; k < Sums<C>::kValues; ++k) {
    out[k] = add(add(load(rows.value[0][mask & 15][k]), load(rows.value[1][mask >> 4 & 15][k])),
                 add(load(rows.value[2][mask >> 8 & 15][k]), load(rows.value[3][mask >> 12 & 15][k])));
  }
}

// The candidates with the lowest estimates, in order. The lowest bits of an estimate hold the number of its partition.
// along and own are the parts of the estimate of which indices leave a fraction.
struct PartitionRanking {
  V least[kMaxPartitionCandidates], along[kMaxPartitionCandidates], own[kMaxPartitionCandidates];
};

HWY_INLINE void clear(PartitionRanking& ranking, int count) {
  for (int i = 0; i < count; ++i) {
    ranking.least[i] = set(1e30f);
    ranking.along[i] = ranking.own[i] = zero();
  }
}

// Among equal estimates, the one that was entered first comes first.
template <bool kOwn = false>
HWY_INLINE void enter(PartitionRanking& ranking, int count, V estimate, V along, V own, unsigned partition) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, hn::Max(add(estimate, set(1.0f)), set(1.0f)));
  V entered = hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(du, ~63u)), hn::Set(du, partition)));
  for (int i = 0; i < count; ++i) {
    const M better = hn::Lt(entered, ranking.least[i]);
    const auto swap = [&](V& held, V& candidate) HWY_ATTR {
      const V old = held;
      held = hn::IfThenElse(better, candidate, held);
      candidate = hn::IfThenElse(better, old, candidate);
    };
    swap(ranking.least[i], entered);
    swap(ranking.along[i], along);
    if constexpr (kOwn) swap(ranking.own[i], own);
  }
}

// Writes count candidates for each lane. In out, the candidates of a lane follow those of the lane before.
HWY_INLINE void write_candidates(const PartitionRanking& ranking, float loss, int count, std::size_t lanes,
                                 PartitionCandidate* out) {
  for (int i = 0; i < count; ++i) {
    alignas(64) Row least, along, own;
    store(ranking.least[i], least);
    store(ranking.along[i], along);
    store(ranking.own[i], own);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      PartitionCandidate& candidate = out[lane * static_cast<std::size_t>(count) + static_cast<std::size_t>(i)];
      std::uint32_t bits;
      std::memcpy(&bits, &least[lane], 4);
      candidate.off = HWY_MAX(least[lane] - 1.0f - loss * (along[lane] + own[lane]), 0.0f);
      candidate.along = along[lane];
      candidate.own = own[lane];
      candidate.partition = bits & 63;
    }
  }
}

// Computes the row sums, and the products of the whole block. Returns the trace of the products, which is the variance.
template <int C>
HWY_INLINE V begin_ranking(const Row (*channel)[16], const std::array<float, 4>& channel_weights, int count,
                           RowSums<C>& rows, V (&whole)[Sums<C>::kProducts], PartitionRanking& ranking) {
  clear(ranking, count);
  sum_rows<C>(channel, channel_weights, rows);
  V all[Sums<C>::kValues];
  sum_mask<C>(rows, 0xffff, all);
  for (int i = 0; i < Sums<C>::kProducts; ++i) whole[i] = all[C + i];
  return trace<C>(whole);
}

// Estimates the first `partitions` partitions into two subsets. loss is the fraction of the variance along the subsets'
// axes that remains after the indices.
template <int C>
HWY_NOINLINE void rank_two(const Row (*channel)[16], const std::array<float, 4>& channel_weights, unsigned partitions,
                           float loss, int count, PartitionRanking& ranking) {
  constexpr int kProducts = Sums<C>::kProducts;
  RowSums<C> rows;
  V whole[kProducts];
  const V variance = begin_ranking<C>(channel, channel_weights, count, rows, whole, ranking);
  for (unsigned partition = 0; partition < partitions; ++partition) {
    const unsigned mask = kBc7TwoSubsets[partition];
    const auto members = static_cast<float>(__builtin_popcount(mask));
    V in[Sums<C>::kValues];
    sum_mask<C>(rows, mask, in);
    // The sum over all texels is 0, so the sums of the other subset are these with the opposite sign.
    const V by_a = set(1.0f / members), by_b = set(1.0f / (16.0f - members));
    V a[kProducts], b[kProducts];
    V between = zero();
    for (int c = 0, i = 0; c < C; ++c)
      for (int e = c; e < C; ++e, ++i) {
        const V square = mul(in[c], in[e]);
        a[i] = sub(in[C + i], mul(square, by_a));
        b[i] = sub(sub(whole[i], in[C + i]), mul(square, by_b));
        if (c == e) between = add(between, square);
      }
    const V within = sub(variance, mul(between, set(1.0f / members + 1.0f / (16.0f - members))));
    const V along = add(frobenius<C>(a), frobenius<C>(b));
    enter(ranking, count, sub(within, mul(along, set(1.0f - loss))), along, zero(), partition);
  }
}

// The same for partitions into three subsets.
template <int C>
HWY_NOINLINE void rank_three(const Row (*channel)[16], const std::array<float, 4>& channel_weights, unsigned partitions,
                             float loss, int count, PartitionRanking& ranking) {
  constexpr int kProducts = Sums<C>::kProducts;
  RowSums<C> rows;
  V whole[kProducts];
  const V variance = begin_ranking<C>(channel, channel_weights, count, rows, whole, ranking);
  for (unsigned partition = 0; partition < partitions; ++partition) {
    unsigned mask[2] = {0, 0};
    for (unsigned t = 0; t < kBlockTexels; ++t)
      if (const unsigned s = bc7_subset(3, partition, t); s > 0) mask[s - 1] |= 1u << t;
    V in[2][Sums<C>::kValues], s[3][kProducts], between = zero();
    float by[3];
    for (int j = 0; j < 2; ++j) {
      sum_mask<C>(rows, mask[j], in[j]);
      by[j] = 1.0f / static_cast<float>(__builtin_popcount(mask[j]));
    }
    by[2] = 1.0f / static_cast<float>(16 - __builtin_popcount(mask[0] | mask[1]));
    V rest[C];
    for (int c = 0; c < C; ++c) rest[c] = add(in[0][c], in[1][c]);  // with the opposite sign
    for (int c = 0, i = 0; c < C; ++c)
      for (int e = c; e < C; ++e, ++i) {
        const V square[3] = {mul(mul(in[0][c], in[0][e]), set(by[0])), mul(mul(in[1][c], in[1][e]), set(by[1])),
                             mul(mul(rest[c], rest[e]), set(by[2]))};
        for (int j = 0; j < 2; ++j) s[j][i] = sub(in[j][C + i], square[j]);
        s[2][i] = sub(sub(whole[i], add(in[0][C + i], in[1][C + i])), square[2]);
        if (c == e) between = add(between, add(add(square[0], square[1]), square[2]));
      }
    const V along = add(add(frobenius<C>(s[0]), frobenius<C>(s[1])), frobenius<C>(s[2]));
    enter(ranking, count, sub(sub(variance, between), mul(along, set(1.0f - loss))), along, zero(), partition);
  }
}

// Estimates partitions of blocks of one channel, which need no axis. The estimate is the error that remains if
// the top + 1 levels of each subset lie evenly between its extremes. With kEven the texels are assumed to be spread
// evenly, so the extremes alone determine the error.
template <unsigned kSubsets, bool kEven>
HWY_NOINLINE void rank_gray(const Row (&x)[16], float weight, float top, unsigned partitions, int count,
                            PartitionRanking& ranking) {
  struct Extremes {
    alignas(64) Row low, high;
  };
  Extremes rows[4][16];  // [row of the block][mask of its four texels]
  for (int row = 0; row < 4; ++row) {
    store(set(1e9f), rows[row][0].low);
    store(set(-1e9f), rows[row][0].high);
    for (int column = 0; column < 4; ++column) {
      const V one = load(x[row * 4 + column]);
      for (int below = 0; below < 1 << column; ++below) {
        store(hn::Min(load(rows[row][below].low), one), rows[row][below | 1 << column].low);
        store(hn::Max(load(rows[row][below].high), one), rows[row][below | 1 << column].high);
      }
    }
  }
  clear(ranking, count);
  for (unsigned partition = 0; partition < partitions; ++partition) {
    const Bc7Members& members = bc7_members(kSubsets, partition);
    V total = zero();
    for (unsigned s = 0; s < kSubsets; ++s) {
      const unsigned mask = members.mask[s];
      const Extremes &a = rows[0][mask & 15], &b = rows[1][mask >> 4 & 15];
      const Extremes &c = rows[2][mask >> 8 & 15], &e = rows[3][mask >> 12];
      const V low = hn::Min(hn::Min(load(a.low), load(b.low)), hn::Min(load(c.low), load(e.low)));
      const V high = hn::Max(hn::Max(load(a.high), load(b.high)), hn::Max(load(c.high), load(e.high)));
      const V step = mul(sub(high, low), set(1 / top));
      V error = set(static_cast<float>(HWY_MAX(members.count[s] - 2, 0)) / 12);
      if constexpr (!kEven) {
        const V scale = hn::Div(set(1.0f), hn::Max(step, set(1e-3f)));
        const V offset = mul(low, scale);
        error = zero();
        for (int i = 0; i < members.count[s]; ++i) {
          const V at = sub(mul(load(x[members.list[s][i]]), scale), offset);
          const V miss = sub(at, hn::Round(at));
          error = add(error, mul(miss, miss));
        }
      }
      total = add(total, mul(error, mul(step, step)));
    }
    enter(ranking, count, mul(total, set(weight)), zero(), zero(), partition);
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
