#include <cstring>

#include "codec/block/index_bits.hpp"
#include "codec/encode/bc/bc_search.hpp"
#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/bc/bc1_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/encode/common/block_lanes-inl.hpp"
#include "codec/encode/common/ramp_fit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// The list of all texels of a block.
struct WholeList {
  std::uint8_t list[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
};

// The texels of every lane, sorted by position, and the running sums of their differences from the mean.
struct Sorted {
  alignas(64) Row channel[3][16];
  alignas(64) Row below[3][17];  // [c][i]: over the first i texels
};

// Batcher's odd-even merge sort.
template <class Swap>
HWY_INLINE void sort16(Swap&& swap) {
  for (int p = 1; p < 16; p += p)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j + k < 16; j += 2 * k)
        for (int i = 0; i < k && i + j + k < 16; ++i)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) swap(i + j, i + j + k);
}

HWY_NOINLINE void sort_texels(const SubsetTexels<3>& in, const Moments<3>& moments, Sorted& out) {
  alignas(64) Row position[16];
  project_subset<3>(in, moments, 4, position);
  for (int c = 0; c < 3; ++c)
    for (int t = 0; t < 16; ++t) store(load(in.channel[c][t]), out.channel[c][t]);
  sort16([&](int a, int b) HWY_ATTR {
    const V pa = load(position[a]), pb = load(position[b]);
    const M wrong = hn::Gt(pa, pb);
    store(hn::Min(pa, pb), position[a]);
    store(hn::Max(pa, pb), position[b]);
    for (auto& channel : out.channel) {
      const V xa = load(channel[a]), xb = load(channel[b]);
      store(hn::IfThenElse(wrong, xb, xa), channel[a]);
      store(hn::IfThenElse(wrong, xa, xb), channel[b]);
    }
  });
  for (int c = 0; c < 3; ++c) {
    const V mean = mul(moments.sum[c], set(1.0f / 16));
    V sum = zero();
    store(sum, out.below[c][0]);
    for (int i = 0; i < 16; ++i) {
      sum = add(sum, mul(sub(load(out.channel[c][i]), mean), in.root[c]));
      store(sum, out.below[c][i + 1]);
    }
  }
}

// The best total orderings. An ordering divides the sorted texels among the levels; orderings are compared by the part
// of the texels' variance that least squares explains. The lowest bits hold the number of the ordering.
struct Orderings {
  V best[kMaxOrderings];
};

HWY_INLINE void enter_ordering(Orderings& orderings, int k, V explained, unsigned number) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::And(hn::BitCast(du, add(explained, set(1.0f))), hn::Set(du, ~1023u));
  V entered = hn::BitCast(d, hn::Or(bits, hn::Set(du, number)));
  for (int i = 0; i < k; ++i) {
    const V displaced = hn::Min(orderings.best[i], entered);
    orderings.best[i] = hn::Max(orderings.best[i], entered);
    entered = displaced;
  }
}

// An ordering whose level changes at the sorted texels at[0] <= at[1] <= at[2]. With three colors it changes twice.
struct Cuts {
  std::uint8_t at[3];
};

template <int kTop>
constexpr std::size_t cut_count() {
  return kTop == 3 ? 969 : 153;
}

template <int kTop>
constexpr auto make_cuts() {
  std::array<Cuts, cut_count<kTop>()> cuts{};
  std::size_t n = 0;
  for (int i = 0; i <= 16; ++i)
    for (int j = i; j <= 16; ++j)
      for (int k = kTop == 3 ? j : 16; k <= 16; ++k)
        cuts[n++] = {{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j), static_cast<std::uint8_t>(k)}};
  return cuts;
}
template <int kTop>
inline constexpr auto kCuts = make_cuts<kTop>();

template <int kTop>
HWY_NOINLINE void rank_orderings(const Sorted& sorted, int count, Orderings& out) {
  for (int i = 0; i < count; ++i) out.best[i] = set(0.0f);
  unsigned number = 0;
  for (int i = 0; i <= 16; ++i)
    for (int j = i; j <= 16; ++j) {
      V two[3];
      for (int c = 0; c < 3; ++c) two[c] = add(load(sorted.below[c][i]), load(sorted.below[c][j]));
      for (int k = kTop == 3 ? j : 16; k <= 16; ++k, ++number) {
        // The sum of the levels is w, and the sum of their squares is ww. With the means subtracted, the line explains
        // its squared slope times the variance of the levels.
        const int w = kTop == 3 ? 48 - i - j - k : 32 - i - j;
        const int ww = kTop == 3 ? 144 - i - 3 * j - 5 * k : 64 - i - 3 * j;
        const int variance = 16 * ww - w * w;
        if (variance == 0) continue;
        V squares = zero();
        for (int c = 0; c < 3; ++c) {
          const V sum = kTop == 3 ? add(two[c], load(sorted.below[c][k])) : two[c];
          squares = add(squares, mul(sum, sum));
        }
        enter_ordering(out, count, mul(squares, set(16.0f / static_cast<float>(variance))), number);
      }
    }
}

// The sums for the levels of an ordering. Each lane has its own ordering.
template <int kTop>
HWY_INLINE void divide(const Sorted& sorted, V ordering, WeightSums<3>& sums) {
  const hn::RebindToUnsigned<D> du;
  alignas(64) std::uint32_t number[kLanes];
  hn::Store(hn::And(hn::BitCast(du, ordering), hn::Set(du, 1023u)), du, number);
  alignas(64) Row at[3];
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    for (int j = 0; j < 3; ++j) at[j][lane] = kCuts<kTop>[number[lane]].at[j];
  clear(sums);
  for (int i = 0; i < 16; ++i) {
    const V rank = set(static_cast<float>(i));
    V w = add(one_where(hn::Ge(rank, load(at[0]))), one_where(hn::Ge(rank, load(at[1]))));
    if (kTop == 3) w = add(w, one_where(hn::Ge(rank, load(at[2]))));
    sums.w = add(sums.w, w);
    sums.ww = hn::MulAdd(w, w, sums.ww);
    for (int c = 0; c < 3; ++c) sums.wx[c] = hn::MulAdd(w, load(sorted.channel[c][i]), sums.wx[c]);
  }
}

template <int kTop>
HWY_INLINE void fit_orderings(const SubsetTexels<3>& in, const Moments<3>& moments, const Sorted& sorted, int count,
                              int passes, SubsetFit<3>& out) {
  using R = WholeRamp<kTop>;
  Orderings orderings;
  rank_orderings<kTop>(sorted, count, orderings);
  alignas(64) Row index[16];
  WeightSums<3> sums, best_sums;
  clear(best_sums);
  V ends[2][3], p[2];
  for (int i = 0; i < count; ++i) {
    divide<kTop>(sorted, orderings.best[i], sums);
    solve_ends<3, R, Grid565>(in, moments, sums, ends, p);
    const V error = assign_indices<3, R, Grid565>(in, ends, p, index, sums);
    const M better = hn::Lt(error, out.error);
    keep_better<3>(in, better, error, ends, p, index, out);
    keep_sums(better, sums, best_sums);
  }
  refine<3, R, Grid565>(in, moments, passes - 1, best_sums, out);
}

// Gives every texel the level whose decoded color is nearest. Because of rounding this is not always the level that is
// nearest along the line. Returns the weighted error.
template <int kTop>
HWY_INLINE V nearest_levels(const SubsetTexels<3>& in, const V (&ends)[2][3], Row* index) {
  V colors[kTop + 1][3];
  for (int c = 0; c < 3; ++c) {
    const V low = widen<Grid565>(ends[0][c], c);
    const V delta = sub(widen<Grid565>(ends[1][c], c), low);
    for (int k = 0; k <= kTop; ++k) colors[k][c] = WholeRamp<kTop>::decode(set(static_cast<float>(k)), low, delta);
  }
  V total = zero();
  for (int t = 0; t < 16; ++t) {
    V least = set(1e30f), nearest = zero();
    for (int k = 0; k <= kTop; ++k) {
      V error = zero();
      for (int c = 0; c < 3; ++c) {
        const V miss = sub(colors[k][c], load(in.channel[c][t]));
        error = add(error, mul(mul(miss, miss), in.weight[c]));
      }
      const M better = hn::Lt(error, least);
      least = hn::Min(error, least);
      nearest = hn::IfThenElse(better, set(static_cast<float>(k)), nearest);
    }
    total = add(total, least);
    store(nearest, index[t]);
  }
  return total;
}

// Assigns the nearest levels, then tries steps of one endpoint or both, one channel at a time, and assigns the nearest
// levels for each.
template <int kTop>
HWY_NOINLINE void move_ends(const SubsetTexels<3>& in, int rounds, SubsetFit<3>& fit) {
  alignas(64) Row index[16];
  const auto keep = [&](const V(&ends)[2][3]) HWY_ATTR {
    const V error = nearest_levels<kTop>(in, ends, index);
    keep_better<3>(in, hn::Lt(error, fit.error), error, ends, fit.p, index, fit);
  };
  constexpr int kSteps[8][2] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};
  keep(fit.ends);
  for (int round = 0; round < rounds; ++round)
    for (int c = 0; c < 3; ++c)
      for (const auto& step : kSteps) {
        V ends[2][3];
        for (int e = 0; e < 2; ++e) {
          for (int k = 0; k < 3; ++k) ends[e][k] = fit.ends[e][k];
          const V top = set(static_cast<float>((1 << Grid565::bits(c)) - 1));
          ends[e][c] = clamp(add(ends[e][c], set(static_cast<float>(step[e]))), zero(), top);
        }
        keep(ends);
      }
}

// Packs two 5:6:5 colors and the level of every texel between them. A block has four colors if its first color is the
// larger number, else three.
void pack_bc1(const std::uint8_t* ends, const std::uint8_t* levels, bool three, std::uint8_t* out) {
  std::uint32_t color[2];
  for (int e = 0; e < 2; ++e)
    color[e] = static_cast<std::uint32_t>(ends[3 * e] << 11 | ends[3 * e + 1] << 5 | ends[3 * e + 2]);
  auto packed = static_cast<std::uint32_t>(pack_indices(levels, 2));
  const bool swap = three ? color[0] > color[1] : color[0] < color[1];
  constexpr std::uint32_t kOnes = 0x55555555u;
  if (color[0] == color[1]) {
    packed = 0;  // one color: selector 0 in either mode
  } else if (three) {
    // Levels 0, 1, 2 are selectors 0, 2, 1.
    const std::uint32_t high = packed >> 1 & kOnes, low = packed & kOnes;
    packed = low << 1 | high;
    if (swap) packed ^= ~(packed >> 1) & kOnes;  // exchanges 0 and 1
  } else {
    // Levels 0, 1, 2, 3 are selectors 0, 2, 3, 1.
    if (swap) packed = ~packed;
    const std::uint32_t high = packed >> 1 & kOnes, low = packed & kOnes;
    packed = (high ^ low) << 1 | high;
  }
  const std::uint64_t block = color[swap ? 1 : 0] | color[swap ? 0 : 1] << 16 | std::uint64_t{packed} << 32;
  std::memcpy(out, &block, 8);
}

void SearchBc1(std::span<const PlanarBlock> blocks, const Bc1Settings& settings, std::uint8_t* out,
               std::size_t stride) {
  alignas(64) Row channel[3][16];
  const WholeList whole;
  SubsetTexels<3> in;
  for (int c = 0; c < 3; ++c) {
    in.channel[c] = channel[c];
    in.weight[c] = set(settings.channel_weights[static_cast<std::size_t>(c)]);
    in.root[c] = hn::Sqrt(in.weight[c]);
  }
  in.list = whole.list;
  in.count = 16;
  for (std::size_t first = 0; first < blocks.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t count = consecutive(blocks.size(), first, index);
    for (unsigned c = 0; c < 3; ++c) load_channel(blocks.data(), index, c, channel[c]);
    SubsetFit<3> four, three;
    fit_subset<3, WholeRamp<3>, Grid565>(in, settings.effort, four);
    three.error = set(1e30f);
    for (int t = 0; t < 16; ++t) store(zero(), three.index[t]);
    for (int c = 0; c < 3; ++c) three.ends[0][c] = three.ends[1][c] = zero();
    three.p[0] = three.p[1] = zero();
    if (settings.four_orderings > 0) {
      const Moments<3> moments = measure_subset<3>(in);
      Sorted sorted;
      sort_texels(in, moments, sorted);
      fit_orderings<3>(in, moments, sorted, settings.four_orderings, settings.effort.passes, four);
      if (settings.three_orderings > 0)
        fit_orderings<2>(in, moments, sorted, settings.three_orderings, settings.effort.passes, three);
    }
    if (settings.moves > 0) {
      move_ends<3>(in, settings.moves, four);
      if (settings.three_orderings > 0) move_ends<2>(in, settings.moves, three);
    }
    const M fewer = hn::Lt(three.error, four.error);
    keep_better<3>(in, fewer, three.error, three.ends, three.p, three.index, four);
    alignas(64) Row rows[16] = {};
    for (int e = 0; e < 2; ++e)
      for (int c = 0; c < 3; ++c) store(four.ends[e][c], rows[e * 3 + c]);
    store(one_where(fewer), rows[6]);
    Bytes16 ends, levels;
    rows_to_bytes(rows, ends);
    rows_to_bytes(four.index, levels);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::uint8_t* e = ends.byte + 16 * lane;
      pack_bc1(e, levels.byte + 16 * lane, e[6] != 0, out + (first + lane) * stride);
    }
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SearchBc1);

void search_bc1(std::span<const PlanarBlock> blocks, const Bc1Settings& settings, std::uint8_t* out,
                std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(SearchBc1)(blocks, settings, out, stride);
}

}  // namespace assetc::codec
#endif
