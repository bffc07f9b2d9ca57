#include "codec/bc7_search.hpp"

#include <cstring>

// The instruction sets of uastc_search.cpp.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/bc7_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/block_lanes-inl.hpp"
#include "codec/partition_rank-inl.hpp"
#include "codec/ramp_fit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

struct Group4 {
  alignas(64) Row channel[4][16];
};

HWY_INLINE void load_group4(std::span<const PlanarBlock> blocks, const std::uint32_t (&index)[kLanes], bool opaque, Group4& group) {
  for (unsigned c = 0; c < (opaque ? 3u : 4u); ++c) load_channel(blocks.data(), index, c, group.channel[c]);
}

// A fit of a whole block as rows, in the order of Bc7Block: ends [subset][end][channel], p [subset][end], two bytes
// unused; then the indices of both planes.
struct Bc7Rows {
  V error;
  alignas(64) Row ends[32];
  alignas(64) Row index[2][16];
};

// One plane of a shape: channels, of the source, and where in an endpoint they are kept.
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
      for (int c = 0; c < C; ++c) store(fit.ends[e][c], out.ends[(s * 2 + e) * 4 + static_cast<unsigned>(plane.slot[c])]);
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

// Modes 4 and 5: the channel that rotation names changes places with alpha and has indices of its own.
template <int kColorBits, class ColorGrid, int kScalarBits, class ScalarGrid>
HWY_INLINE void fit_rotated(const Group4& group, int rotation, bool scalar_first, const Bc7FitSettings& settings, Bc7Rows& out) {
  const int own = rotation == 0 ? 3 : rotation - 1;
  fit_plane<1, Ramp64<kScalarBits>, ScalarGrid>(group, Plane<1>{{own}, {3}}, 1, 0, settings, out.index[scalar_first ? 0 : 1], out);
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

HWY_INLINE void fit_shape(const Group4& group, Bc7Shape shape, const Bc7FitSettings& settings, Bc7Rows& out) {
  using enum PBits;
  const unsigned partition = shape.partition;
  switch (shape.mode) {
    case 0: return fit_plane<3, Ramp64<3>, EndpointGrid<4, kEach>>(group, kRgb, 3, partition, settings, out.index[0], out);
    case 1: return fit_plane<3, Ramp64<3>, EndpointGrid<6, kShared>>(group, kRgb, 2, partition, settings, out.index[0], out);
    case 2: return fit_plane<3, Ramp64<2>, EndpointGrid<5, kNone>>(group, kRgb, 3, partition, settings, out.index[0], out);
    case 3: return fit_plane<3, Ramp64<2>, EndpointGrid<7, kEach>>(group, kRgb, 2, partition, settings, out.index[0], out);
    case 4:
      if (shape.index_select)
        return fit_rotated<3, EndpointGrid<5, kNone>, 2, EndpointGrid<6, kNone>>(group, shape.rotation, true, settings, out);
      return fit_rotated<2, EndpointGrid<5, kNone>, 3, EndpointGrid<6, kNone>>(group, shape.rotation, false, settings, out);
    case 5: return fit_rotated<2, EndpointGrid<7, kNone>, 2, EndpointGrid<8, kNone>>(group, shape.rotation, false, settings, out);
    case 6:
      if (settings.opaque) {
        fill_ends(3, 127, out);
        return fit_plane<3, Ramp64<4>, EndpointGrid<7, kOnes>>(group, kRgb, 1, 0, settings, out.index[0], out);
      }
      return fit_plane<4, Ramp64<4>, EndpointGrid<7, kEach>>(group, kRgba, 1, 0, settings, out.index[0], out);
    default: return fit_plane<4, Ramp64<2>, EndpointGrid<5, kEach>>(group, kRgba, 2, partition, settings, out.index[0], out);
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
    fit_shape(group, shape, settings, rows);
    write_better(rows, shape, index, count, best);
  }
}

void RankBc7Two(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, const Bc7FitSettings& settings,
                float loss, int count, std::span<Bc7Candidates> candidates) {
  Group4 group;
  PackedRanking ranking;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t lanes = group_at(order, first, index);
    load_group4(blocks, index, settings.opaque, group);
    if (settings.opaque) rank_two<3>(group.channel, settings.channel_weights, kBc7PartitionCount, loss, count, ranking);
    else rank_two<4>(group.channel, settings.channel_weights, kBc7PartitionCount, loss, count, ranking);
    write_candidates(ranking, count, lanes, candidates.subspan(first));
  }
}

void RankBc7Three(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, const Bc7FitSettings& settings,
                  float loss, unsigned partition_count, int count, std::span<Bc7Candidates> candidates) {
  Group4 group;
  PackedRanking ranking;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t lanes = group_at(order, first, index);
    load_group4(blocks, index, true, group);
    rank_three<3>(group.channel, settings.channel_weights, partition_count, loss, count, ranking);
    write_candidates(ranking, count, lanes, candidates.subspan(first));
  }
}

template <int C>
HWY_INLINE void rank_rotations(const Group4& group, const Bc7FitSettings& settings, float loss, PackedRanking& ranking) {
  SubsetTexels<C> in;
  std::uint8_t everyone[16];
  for (unsigned t = 0; t < 16; ++t) everyone[t] = static_cast<std::uint8_t>(t);
  for (int c = 0; c < C; ++c) {
    in.channel[c] = group.channel[c];
    in.root[c] = hn::Sqrt(set(settings.channel_weights[static_cast<std::size_t>(c)]));
  }
  in.list = everyone;
  in.count = 16;
  V s[Sums<C>::kProducts];
  scatter<C>(measure_subset<C>(in), in.root, s);
  const V variance = trace<C>(s);
  for (int i = 0; i < 4; ++i) ranking.least[i] = set(1e30f);
  for (int own = 0; own < C; ++own) {
    V on = zero(), off = zero();
    for (int c = 0; c < C; ++c)
      for (int e = c; e < C; ++e) {
        if (c == own || e == own) continue;
        const V v = s[entry(C, c, e)];
        (c == e ? on : off) = add(c == e ? on : off, mul(v, v));
      }
    const V along = add(hn::Sqrt(add(on, add(off, off))), s[diagonal(C, own)]);
    enter(ranking, 4, sub(variance, mul(along, set(1.0f - loss))), own == 3 ? 0u : static_cast<unsigned>(own) + 1);
  }
}

void RankBc7Rotations(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, const Bc7FitSettings& settings,
                      float loss, std::span<Bc7Candidates> candidates) {
  Group4 group;
  PackedRanking ranking;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    std::uint32_t index[kLanes];
    const std::size_t lanes = group_at(order, first, index);
    load_group4(blocks, index, settings.opaque, group);
    if (settings.opaque) rank_rotations<3>(group, settings, loss, ranking);
    else rank_rotations<4>(group, settings, loss, ranking);
    write_candidates(ranking, settings.opaque ? 3 : 4, lanes, candidates.subspan(first));
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(FitBc7);
HWY_EXPORT(RankBc7Two);
HWY_EXPORT(RankBc7Three);
HWY_EXPORT(RankBc7Rotations);

void fit_bc7(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, Bc7Shape shape,
             const Bc7FitSettings& settings, std::span<Bc7Choice> best) {
  HWY_DYNAMIC_DISPATCH(FitBc7)(blocks, order, shape, settings, best);
}
void rank_bc7_two(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, const Bc7FitSettings& settings,
                  float loss, int count, std::span<Bc7Candidates> candidates) {
  HWY_DYNAMIC_DISPATCH(RankBc7Two)(blocks, order, settings, loss, count, candidates);
}
void rank_bc7_three(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, const Bc7FitSettings& settings,
                    float loss, unsigned partition_count, int count, std::span<Bc7Candidates> candidates) {
  HWY_DYNAMIC_DISPATCH(RankBc7Three)(blocks, order, settings, loss, partition_count, count, candidates);
}
void rank_bc7_rotations(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, const Bc7FitSettings& settings,
                        float loss, std::span<Bc7Candidates> candidates) {
  HWY_DYNAMIC_DISPATCH(RankBc7Rotations)(blocks, order, settings, loss, candidates);
}

}  // namespace assetc::codec
#endif
