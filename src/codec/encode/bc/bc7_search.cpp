#include "codec/encode/bc/bc7_search.hpp"

#include <cstring>

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/bc/bc7_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/encode/common/block_lanes-inl.hpp"
#include "codec/encode/common/partition_rank-inl.hpp"
#include "codec/encode/common/ramp_fit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

struct Group4 {
  alignas(64) Row channel[4][16];
};

HWY_INLINE void load_group4(std::span<const PlanarBlock> blocks, const std::uint32_t (&index)[kLanes], bool opaque,
                            Group4& group) {
  for (unsigned c = 0; c < (opaque ? 3u : 4u); ++c) load_channel(blocks.data(), index, c, group.channel[c]);
}

// A fit of a whole block as rows, in the order of Bc7Block: endpoints [subset][end][channel], p bits [subset][end], two
// unused bytes, then the indices of both planes.
struct Bc7Rows {
  V error;
  alignas(64) Row ends[32];
  alignas(64) Row index[2][16];
};

// One plane of a shape: its channels in the source, and their slots in an endpoint.
template <int C>
struct Plane {
  int source[C], slot[C];
};

template <int C, class R, class G>
HWY_INLINE void fit_plane(const Group4& group, const Plane<C>& plane, unsigned subset_count, unsigned partition,
                          const Bc7FitSettings& settings, Row* index, Bc7Rows& out) {
  const Bc7Members& members = bc7_members(subset_count, partition);
  for (unsigned s = 0; s < subset_count; ++s) {
    SubsetTexels<C> in;
    for (int c = 0; c < C; ++c) {
      in.channel[c] = group.channel[plane.source[c]];
      in.weight[c] = set(settings.channel_weights[static_cast<std::size_t>(plane.source[c])]);
      in.root[c] = hn::Sqrt(in.weight[c]);
    }
    in.list = members.list[s];
    in.count = members.count[s];
    SubsetFit<C> fit;
    fit_subset<C, R, G>(in, settings.effort, fit);
    out.error = add(out.error, fit.error);
    for (unsigned e = 0; e < 2; ++e) {
      for (int c = 0; c < C; ++c)
        store(fit.ends[e][c], out.ends[(s * 2 + e) * 4 + static_cast<unsigned>(plane.slot[c])]);
      if (G::p_bits != PBits::kNone) store(fit.p[e], out.ends[24 + s * 2 + e]);
    }
    for (int i = 0; i < in.count; ++i) store(load(fit.index[in.list[i]]), index[in.list[i]]);
  }
}

HWY_INLINE void fill_ends(int slot, float value, Bc7Rows& out) {
  store(set(value), out.ends[slot]);
  store(set(value), out.ends[4 + slot]);
}

constexpr Plane<3> kRgb{{0, 1, 2}, {0, 1, 2}};
constexpr Plane<4> kRgba{{0, 1, 2, 3}, {0, 1, 2, 3}};

// Modes 4 and 5: the channel that rotation names is exchanged with alpha and has its own indices.
template <int kColorBits, class ColorGrid, int kScalarBits, class ScalarGrid>
HWY_INLINE void fit_rotated(const Group4& group, int rotation, bool scalar_first, const Bc7FitSettings& settings,
                            Bc7Rows& out) {
  const int own = rotation == 0 ? 3 : rotation - 1;
  fit_plane<1, Ramp64<kScalarBits>, ScalarGrid>(group, Plane<1>{{own}, {3}}, 1, 0, settings,
                                                out.index[scalar_first ? 0 : 1], out);
  Row* const index = out.index[scalar_first ? 1 : 0];
  if (settings.opaque) {
    Plane<2> pair{};
    for (int c = 0, k = 0; c < 3; ++c)
      if (c != own) pair.source[k] = pair.slot[k] = c, ++k;
    fill_ends(own, (1 << ColorGrid::bits(0)) - 1, out);
    fit_plane<2, Ramp64<kColorBits>, ColorGrid>(group, pair, 1, 0, settings, index, out);
  } else {
    Plane<3> rest = kRgb;
    if (own < 3) rest.source[own] = 3;
    fit_plane<3, Ramp64<kColorBits>, ColorGrid>(group, rest, 1, 0, settings, index, out);
  }
}

// Fits the three channels of opaque gray as one.
template <class R, class G>
HWY_INLINE void fit_gray(const Group4& group, unsigned subset_count, unsigned partition, const Bc7FitSettings& settings,
                         Bc7Rows& out) {
  const Bc7Members& members = bc7_members(subset_count, partition);
  SubsetTexels<1> in;
  in.channel[0] = group.channel[0];
  in.weight[0] = set(settings.channel_weights[0] + settings.channel_weights[1] + settings.channel_weights[2]);
  in.root[0] = hn::Sqrt(in.weight[0]);
  for (unsigned s = 0; s < subset_count; ++s) {
    in.list = members.list[s];
    in.count = members.count[s];
    SubsetFit<1> fit;
    fit_subset<1, R, G>(in, settings.effort, fit);
    search_ends<R, G>(in, subset_count == 1 ? settings.reach : settings.subset_reach, fit);
    out.error = add(out.error, fit.error);
    for (unsigned e = 0; e < 2; ++e) {
      for (unsigned c = 0; c < 3; ++c) store(fit.ends[e][0], out.ends[(s * 2 + e) * 4 + c]);
      if (G::p_bits != PBits::kNone) store(fit.p[e], out.ends[24 + s * 2 + e]);
    }
    for (int i = 0; i < in.count; ++i) store(load(fit.index[in.list[i]]), out.index[0][in.list[i]]);
  }
}

HWY_INLINE void fit_gray_shape(const Group4& group, Bc7Shape shape, const Bc7FitSettings& settings, Bc7Rows& out) {
  using enum PBits;
  const unsigned partition = shape.partition;
  switch (shape.mode) {
    case 0:
      return fit_gray<Ramp64<3>, EndpointGrid<4, kEach>>(group, 3, partition, settings, out);
    case 1:
      return fit_gray<Ramp64<3>, EndpointGrid<6, kShared>>(group, 2, partition, settings, out);
    case 2:
      return fit_gray<Ramp64<2>, EndpointGrid<5, kNone>>(group, 3, partition, settings, out);
    case 3:
      return fit_gray<Ramp64<2>, EndpointGrid<7, kEach>>(group, 2, partition, settings, out);
    default:
      fill_ends(3, 127, out);
      return fit_gray<Ramp64<4>, EndpointGrid<7, kOnes>>(group, 1, 0, settings, out);
  }
}

HWY_INLINE void fit_shape(const Group4& group, Bc7Shape shape, const Bc7FitSettings& settings, Bc7Rows& out) {
  using enum PBits;
  const unsigned partition = shape.partition;
  switch (shape.mode) {
    case 0:
      return fit_plane<3, Ramp64<3>, EndpointGrid<4, kEach>>(group, kRgb, 3, partition, settings, out.index[0], out);
    case 1:
      return fit_plane<3, Ramp64<3>, EndpointGrid<6, kShared>>(group, kRgb, 2, partition, settings, out.index[0], out);
    case 2:
      return fit_plane<3, Ramp64<2>, EndpointGrid<5, kNone>>(group, kRgb, 3, partition, settings, out.index[0], out);
    case 3:
      return fit_plane<3, Ramp64<2>, EndpointGrid<7, kEach>>(group, kRgb, 2, partition, settings, out.index[0], out);
    case 4:
      if (shape.index_select)
        return fit_rotated<3, EndpointGrid<5, kNone>, 2, EndpointGrid<6, kNone>>(group, shape.rotation, true, settings,
                                                                                 out);
      return fit_rotated<2, EndpointGrid<5, kNone>, 3, EndpointGrid<6, kNone>>(group, shape.rotation, false, settings,
                                                                               out);
    case 5:
      return fit_rotated<2, EndpointGrid<7, kNone>, 2, EndpointGrid<8, kNone>>(group, shape.rotation, false, settings,
                                                                               out);
    case 6:
      if (settings.opaque) {
        fill_ends(3, 127, out);
        return fit_plane<3, Ramp64<4>, EndpointGrid<7, kOnes>>(group, kRgb, 1, 0, settings, out.index[0], out);
      }
      return fit_plane<4, Ramp64<4>, EndpointGrid<7, kEach>>(group, kRgba, 1, 0, settings, out.index[0], out);
    default:
      return fit_plane<4, Ramp64<2>, EndpointGrid<5, kEach>>(group, kRgba, 2, partition, settings, out.index[0], out);
  }
}

void write_better(const Bc7Rows& rows, Bc7Shape shape, const std::uint32_t (&index)[kLanes], std::size_t count,
                  std::span<Bc7Choice> best) {
  alignas(64) Row error;
  store(rows.error, error);
  bool better[kLanes] = {};
  bool any = false;
  for (std::size_t lane = 0; lane < count; ++lane) any |= better[lane] = error[lane] < best[index[lane]].error;
  if (!any) return;
  const bool two_planes = kBc7Modes[shape.mode].second_index_bits != 0;
  Bytes16 ends[2], indices[2];
  for (int half = 0; half < 2; ++half) rows_to_bytes(rows.ends + 16 * half, ends[half]);
  for (int plane = 0; plane < (two_planes ? 2 : 1); ++plane) rows_to_bytes(rows.index[plane], indices[plane]);
  for (std::size_t lane = 0; lane < count; ++lane) {
    if (!better[lane]) continue;
    Bc7Choice& choice = best[index[lane]];
    choice.error = error[lane];
    Bc7Block& block = choice.block;
    block.mode = shape.mode;
    block.partition = shape.partition;
    block.rotation = shape.rotation;
    block.index_select = shape.index_select;
    static_assert(sizeof(block.ends) == 24 && sizeof(block.p) == 6);
    auto* to = reinterpret_cast<std::uint8_t*>(block.ends.data());
    std::memcpy(to, ends[0].byte + 16 * lane, 16);
    std::memcpy(to + 16, ends[1].byte + 16 * lane, 8);
    std::memcpy(block.p.data(), ends[1].byte + 16 * lane + 8, 6);
    std::memcpy(block.index.data(), indices[0].byte + 16 * lane, 16);
    if (two_planes) std::memcpy(block.second_index.data(), indices[1].byte + 16 * lane, 16);
  }
}

void FitBc7(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, Bc7Shape shape,
            const Bc7FitSettings& settings, std::span<Bc7Choice> best) {
  Group4 group;
  Bc7Rows rows;
  for (Row& row : rows.ends) store(zero(), row);
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t count = group_at(order, first, index);
    load_group4(blocks, index, settings.opaque, group);
    rows.error = zero();
    if (settings.gray)
      fit_gray_shape(group, shape, settings, rows);
    else
      fit_shape(group, shape, settings, rows);
    write_better(rows, shape, index, count, best);
  }
}

// Calls rank(group, ranking) for each group of blocks and writes the resulting candidates.
template <class Rank>
HWY_INLINE void rank_groups(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, bool opaque,
                            float loss, int count, std::span<PartitionCandidate> candidates, Rank&& rank) {
  Group4 group;
  PartitionRanking ranking;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t lanes = group_at(order, first, index);
    load_group4(blocks, index, opaque, group);
    rank(group, ranking);
    write_candidates(ranking, loss, count, lanes, candidates.data() + first * static_cast<std::size_t>(count));
  }
}

void RankBc7TwoSubsets(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                       const Bc7FitSettings& settings, float loss, int count,
                       std::span<PartitionCandidate> candidates) {
  const auto rank = [&](const Group4& group, PartitionRanking& ranking) HWY_ATTR {
    if (settings.opaque)
      rank_two<3>(group.channel, settings.channel_weights, kBc7PartitionCount, loss, count, ranking);
    else
      rank_two<4>(group.channel, settings.channel_weights, kBc7PartitionCount, loss, count, ranking);
  };
  rank_groups(blocks, order, settings.opaque, loss, count, candidates, rank);
}

void RankBc7ThreeSubsets(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                         const Bc7FitSettings& settings, float loss, unsigned partition_count, int count,
                         std::span<PartitionCandidate> candidates) {
  rank_groups(blocks, order, true, loss, count, candidates,
              [&](const Group4& group, PartitionRanking& ranking) HWY_ATTR {
                rank_three<3>(group.channel, settings.channel_weights, partition_count, loss, count, ranking);
              });
}

void RankBc7Gray(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                 const Bc7FitSettings& settings, const GrayRanking& what, int count,
                 std::span<PartitionCandidate> candidates) {
  const float weight = settings.channel_weights[0] + settings.channel_weights[1] + settings.channel_weights[2];
  const auto top = static_cast<float>(what.levels - 1);
  const auto rank = what.subset_count == 2 ? (what.even ? rank_gray<2, true> : rank_gray<2, false>)
                                           : (what.even ? rank_gray<3, true> : rank_gray<3, false>);
  rank_groups(blocks, order, true, 0, count, candidates, [&](const Group4& group, PartitionRanking& ranking) HWY_ATTR {
    rank(group.channel[0], weight, top, what.partition_count, count, ranking);
  });
}

template <int C>
HWY_INLINE void rank_rotations(const Group4& group, const Bc7FitSettings& settings, float loss, int count,
                               PartitionRanking& ranking) {
  const Row* channels[C];
  V root[C], s[Sums<C>::kProducts];
  for (int c = 0; c < C; ++c) {
    channels[c] = group.channel[c];
    root[c] = hn::Sqrt(set(settings.channel_weights[static_cast<std::size_t>(c)]));
  }
  scatter<C>(measure<C>(channels), root, s);
  const V variance = trace<C>(s);
  clear(ranking, count);
  for (int own = 0; own < C; ++own) {
    V on = zero(), off = zero();
    for (int c = 0; c < C; ++c)
      for (int e = c; e < C; ++e) {
        if (c == own || e == own) continue;
        const V v = s[entry(C, c, e)];
        (c == e ? on : off) = add(c == e ? on : off, mul(v, v));
      }
    const V along = hn::Sqrt(add(on, add(off, off))), alone = s[diagonal(C, own)];
    enter<true>(ranking, count, sub(variance, mul(add(along, alone), set(1.0f - loss))), along, alone,
                own == 3 ? 0u : static_cast<unsigned>(own) + 1);
  }
}

void RankBc7Rotations(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                      const Bc7FitSettings& settings, float loss, int count, std::span<PartitionCandidate> candidates) {
  const auto rank = [&](const Group4& group, PartitionRanking& ranking) HWY_ATTR {
    if (settings.opaque)
      rank_rotations<3>(group, settings, loss, count, ranking);
    else
      rank_rotations<4>(group, settings, loss, count, ranking);
  };
  rank_groups(blocks, order, settings.opaque, loss, count, candidates, rank);
}

// Two values of a channel and the number of texels that have each.
struct TwoValues {
  V a, b, n_a, n_b;
};

// The best endpoints of mode 5's colors for two values whose indices have the given weights. For each endpoint, the
// levels on both sides of the exact value are tried.
struct PairFit {
  V low, high, error;
};
HWY_INLINE PairFit fit_pair(const TwoValues& in, float weight_a, float weight_b) {
  using Ramp = Ramp64<2>;
  using Grid = EndpointGrid<7, PBits::kNone>;
  const V slope = mul(sub(in.b, in.a), set(1 / (weight_b - weight_a)));
  const V exact_low = sub(in.a, mul(slope, set(weight_a))), exact_high = add(in.b, mul(slope, set(64 - weight_b)));
  const auto level = [](V v, int up) HWY_ATTR {
    const V at = hn::Floor(mul(clamp(v, zero(), set(255.0f)), set(127.0f / 255)));
    return hn::Min(add(at, set(static_cast<float>(up))), set(127.0f));
  };
  PairFit best{zero(), zero(), set(1e30f)};
  for (int i = 0; i < 4; ++i) {
    const V low = level(exact_low, i & 1), high = level(exact_high, i >> 1);
    const V wide = widen<Grid>(low, 0);
    V base, step;
    Ramp::prepare(wide, sub(widen<Grid>(high, 0), wide), base, step);
    const V miss_a = sub(Ramp::decode(set(weight_a), base, step), in.a),
            miss_b = sub(Ramp::decode(set(weight_b), base, step), in.b);
    const V error = add(mul(mul(miss_a, miss_a), in.n_a), mul(mul(miss_b, miss_b), in.n_b));
    const M better = hn::Lt(error, best.error);
    best.error = hn::Min(error, best.error);
    best.low = hn::IfThenElse(better, low, best.low);
    best.high = hn::IfThenElse(better, high, best.high);
  }
  return best;
}

struct IndexPair {
  std::uint8_t a, b;
};
constexpr IndexPair kIndexPairs[] = {{0, 3}, {0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}};
constexpr int kIndexPairCount = 6;

void FitBc7TwoColors(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                     const Bc7FitSettings& settings, std::span<Bc7Choice> best) {
  Group4 group;
  Bc7Rows rows;
  for (Row& row : rows.ends) store(zero(), row);
  const int channels = settings.opaque ? 3 : 4;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t count = group_at(order, first, index);
    load_group4(blocks, index, settings.opaque, group);
    // The color of the first texel is one of the two.
    TwoValues values[4];
    for (int c = 0; c < channels; ++c) values[c].a = values[c].b = load(group.channel[c][0]);
    alignas(64) Row is_b[16];
    V n_b = zero();
    for (int t = 0; t < 16; ++t) {
      M other = hn::Ne(load(group.channel[0][t]), values[0].a);
      for (int c = 1; c < channels; ++c) other = hn::Or(other, hn::Ne(load(group.channel[c][t]), values[c].a));
      for (int c = 0; c < channels; ++c) values[c].b = hn::IfThenElse(other, load(group.channel[c][t]), values[c].b);
      store(one_where(other), is_b[t]);
      n_b = add(n_b, one_where(other));
    }
    PairFit fit[kIndexPairCount][4];
    for (int c = 0; c < channels; ++c) {
      values[c].n_a = sub(set(16.0f), n_b);
      values[c].n_b = n_b;
      for (int i = 0; i < kIndexPairCount; ++i) {
        fit[i][c] = fit_pair(values[c], kBc7Weights2[kIndexPairs[i].a], kBc7Weights2[kIndexPairs[i].b]);
        fit[i][c].error = mul(fit[i][c].error, set(settings.channel_weights[static_cast<std::size_t>(c)]));
      }
    }
    // The channel with its own indices is exact. The others share a pair of indices.
    for (int rotation = settings.opaque ? 1 : 0; rotation < 4; ++rotation) {
      const int own = rotation == 0 ? 3 : rotation - 1;
      rows.error = set(1e30f);
      V index_a = zero(), index_b = zero(), low[4], high[4];
      for (int c = 0; c < 4; ++c) low[c] = high[c] = set(127.0f);  // the slot of opaque alpha if it is a color
      for (int i = 0; i < kIndexPairCount; ++i) {
        V error = zero();
        for (int c = 0; c < channels; ++c)
          if (c != own) error = add(error, fit[i][c].error);
        const M better = hn::Lt(error, rows.error);
        rows.error = hn::Min(error, rows.error);
        index_a = hn::IfThenElse(better, set(kIndexPairs[i].a), index_a);
        index_b = hn::IfThenElse(better, set(kIndexPairs[i].b), index_b);
        for (int c = 0; c < channels; ++c) {
          low[c] = hn::IfThenElse(better, fit[i][c].low, low[c]);
          high[c] = hn::IfThenElse(better, fit[i][c].high, high[c]);
        }
      }
      for (int c = 0; c < 3; ++c) {
        store(low[c == own ? 3 : c], rows.ends[c]);
        store(high[c == own ? 3 : c], rows.ends[4 + c]);
      }
      store(values[own].a, rows.ends[3]);
      store(values[own].b, rows.ends[7]);
      for (int t = 0; t < 16; ++t) {
        const M b = hn::Gt(load(is_b[t]), zero());
        store(hn::IfThenElse(b, index_b, index_a), rows.index[0][t]);
        store(hn::IfThenElseZero(b, set(3.0f)), rows.index[1][t]);
      }
      write_better(rows, {.mode = 5, .rotation = static_cast<std::uint8_t>(rotation)}, index, count, best);
    }
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(FitBc7);
HWY_EXPORT(RankBc7TwoSubsets);
HWY_EXPORT(RankBc7ThreeSubsets);
HWY_EXPORT(RankBc7Gray);
HWY_EXPORT(RankBc7Rotations);
HWY_EXPORT(FitBc7TwoColors);

void fit_bc7(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, Bc7Shape shape,
             const Bc7FitSettings& settings, std::span<Bc7Choice> best) {
  HWY_DYNAMIC_DISPATCH(FitBc7)(blocks, order, shape, settings, best);
}
void rank_bc7_two_subsets(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                          const Bc7FitSettings& settings, float loss, int count,
                          std::span<PartitionCandidate> candidates) {
  HWY_DYNAMIC_DISPATCH(RankBc7TwoSubsets)(blocks, order, settings, loss, count, candidates);
}
void rank_bc7_three_subsets(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                            const Bc7FitSettings& settings, float loss, unsigned partition_count, int count,
                            std::span<PartitionCandidate> candidates) {
  HWY_DYNAMIC_DISPATCH(RankBc7ThreeSubsets)(blocks, order, settings, loss, partition_count, count, candidates);
}
void rank_bc7_gray(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                   const Bc7FitSettings& settings, const GrayRanking& what, int count,
                   std::span<PartitionCandidate> candidates) {
  HWY_DYNAMIC_DISPATCH(RankBc7Gray)(blocks, order, settings, what, count, candidates);
}
void rank_bc7_rotations(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                        const Bc7FitSettings& settings, float loss, int count,
                        std::span<PartitionCandidate> candidates) {
  HWY_DYNAMIC_DISPATCH(RankBc7Rotations)(blocks, order, settings, loss, count, candidates);
}
void fit_bc7_two_colors(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                        const Bc7FitSettings& settings, std::span<Bc7Choice> best) {
  HWY_DYNAMIC_DISPATCH(FitBc7TwoColors)(blocks, order, settings, best);
}

}  // namespace assetc::codec
#endif
