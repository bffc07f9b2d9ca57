#include "codec/uastc_search.hpp"

// SSE2, SSE4, AVX2, AVX-512 and, for tests, scalar code; the steps between them gain nothing here.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/uastc_search.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "codec/uastc_fit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// Share of a subset's variance along its axis that L evenly spread weights leave behind, about 1 / L^2.
constexpr float kLoss2Bits = 1.0f / 16, kLoss3Bits = 1.0f / 64, kLoss4Bits = 1.0f / 256;

struct Group {
  alignas(64) Row texels[4][16];
};

struct Best {
  alignas(64) Row error, mode, pattern, plane;
  alignas(64) Row level[18];
  alignas(64) Row weight[32];
};

template <int C, int S>
HWY_NOINLINE void offer(Best& best, M wanted, float mode, V pattern, const Fit<C, S>& fit) {
  const M better = hn::And(wanted, hn::Lt(fit.error, load(best.error)));
  if (hn::AllFalse(d, better)) return;
  const auto keep = [&](V v, Row& row) HWY_ATTR { store(hn::IfThenElse(better, v, load(row)), row); };
  keep(fit.error, best.error);
  keep(set(mode), best.mode);
  keep(pattern, best.pattern);
  for (int k = 0; k < S * C * 2; ++k) keep(fit.level[k], best.level[k]);
  for (int t = 0; t < 16; ++t) keep(load(fit.weight[t]), best.weight[t]);
}

template <int C>
HWY_NOINLINE void offer_dual(Best& best, M wanted, float mode, V plane, const Fit<C - 1, 1>& rest, const Fit<1, 1>& second) {
  const V error = add(rest.error, second.error);
  const M better = hn::And(wanted, hn::Lt(error, load(best.error)));
  if (hn::AllFalse(d, better)) return;
  const auto keep = [&](V v, Row& row) HWY_ATTR { store(hn::IfThenElse(better, v, load(row)), row); };
  keep(error, best.error);
  keep(set(mode), best.mode);
  keep(zero(), best.pattern);
  keep(plane, best.plane);
  for (int c = 0; c < C; ++c) {
    const M own = hn::Eq(plane, set(static_cast<float>(c)));
    const M after = hn::Lt(plane, set(static_cast<float>(c)));
    for (int end = 0; end < 2; ++end) {
      V v = rest.level[(c < C - 1 ? c : c - 1) * 2 + end];
      if (c > 0) v = hn::IfThenElse(after, rest.level[(c - 1) * 2 + end], v);
      keep(hn::IfThenElse(own, second.level[end], v), best.level[c * 2 + end]);
    }
  }
  for (int t = 0; t < 16; ++t) {
    keep(load(rest.weight[t]), best.weight[t * 2]);
    keep(load(second.weight[t]), best.weight[t * 2 + 1]);
  }
}

// The k patterns of lowest estimated error, best first.
struct Ranking {
  V estimate[kMaxCandidates];
  V index[kMaxCandidates];
};

HWY_INLINE void clear(Ranking& r, int k) {
  for (int i = 0; i < k; ++i) {
    r.estimate[i] = set(1e30f);
    r.index[i] = zero();
  }
}
HWY_INLINE void insert(Ranking& r, int k, V estimate, V index) {
  for (int i = 0; i < k; ++i) {
    const M better = hn::Lt(estimate, r.estimate[i]);
    const V old_estimate = r.estimate[i], old_index = r.index[i];
    r.estimate[i] = hn::IfThenElse(better, estimate, old_estimate);
    r.index[i] = hn::IfThenElse(better, index, old_index);
    estimate = hn::IfThenElse(better, old_estimate, estimate);
    index = hn::IfThenElse(better, old_index, index);
  }
}

template <int C>
HWY_INLINE V estimate_subset(const Channels<C>& ch, const Moments<C>& m, float loss) {
  V s[C * (C + 1) / 2];
  scatter<C>(m, ch.root, s);
  return sub(trace<C>(s), mul(frobenius<C>(s), set(1.0f - loss)));
}

// Moments of the texels whose bit is set in mask, the same in every lane.
template <int C>
HWY_INLINE Moments<C> measure_fixed(const Channels<C>& ch, const Row* products, unsigned mask) {
  constexpr int kProducts = C * (C + 1) / 2;
  Moments<C> m;
  m.n = set(static_cast<float>(__builtin_popcount(mask)));
  for (V& v : m.sum) v = zero();
  for (V& v : m.product) v = zero();
  for (; mask != 0; mask &= mask - 1) {
    const int t = __builtin_ctz(mask);
    for (int c = 0; c < C; ++c) m.sum[c] = add(m.sum[c], load(ch.texels[c][t]));
    for (int k = 0; k < kProducts; ++k) m.product[k] = add(m.product[k], load(products[t * kProducts + k]));
  }
  return m;
}

template <int C>
HWY_INLINE void multiply_texels(const Channels<C>& ch, Row* products) {
  constexpr int kProducts = C * (C + 1) / 2;
  for (int t = 0; t < 16; ++t)
    for (int c = 0, k = 0; c < C; ++c)
      for (int e = c; e < C; ++e, ++k)
        store(mul(load(ch.texels[c][t]), load(ch.texels[e][t])), products[t * kProducts + k]);
}

template <int C, std::size_t kCount>
HWY_NOINLINE void rank_patterns2(const Channels<C>& ch, const Row* products, const Moments<C>& all,
                                 const std::array<std::uint16_t, kCount>& patterns, float loss, int k, Ranking& ranking) {
  clear(ranking, k);
  for (std::size_t p = 0; p < kCount; ++p) {
    const unsigned mask = patterns[p];
    const bool flip = __builtin_popcount(mask) > 8;
    const Moments<C> a = measure_fixed<C>(ch, products, flip ? ~mask & 0xffffu : mask);
    const Moments<C> b = minus(all, a);
    insert(ranking, k, add(estimate_subset<C>(ch, a, loss), estimate_subset<C>(ch, b, loss)), set(static_cast<float>(p)));
  }
}

HWY_INLINE void membership(const std::uint16_t* patterns, std::size_t stride, V index, M (&in)[16]) {
  const hn::RebindToSigned<D> di;
  alignas(64) std::int32_t which[kLanes];
  alignas(64) std::int32_t bits[kLanes];
  hn::Store(hn::ConvertTo(di, index), di, which);
  for (std::size_t lane = 0; lane < kLanes; ++lane) bits[lane] = patterns[static_cast<std::size_t>(which[lane]) * stride];
  const auto mask = hn::Load(di, bits);
  for (int t = 0; t < 16; ++t) in[t] = hn::RebindMask(d, hn::TestBit(mask, hn::Set(di, 1 << t)));
}

template <int C>
HWY_INLINE Channels<C> first_channels(const Group& g, const SearchSettings& settings) {
  Channels<C> ch;
  for (int c = 0; c < C; ++c) {
    ch.texels[c] = g.texels[c];
    ch.weight[c] = set(settings.channel_weights[static_cast<std::size_t>(c)]);
    ch.root[c] = hn::Sqrt(ch.weight[c]);
  }
  return ch;
}

template <int C, int S, int kBits, int R>
HWY_INLINE void try_mode(Best& best, M wanted, int mode, V pattern, const Channels<C>& ch, const Subsets<S>& subsets,
                         const Moments<C> (&moments)[S], const Row* position, int placements, int passes) {
  Fit<C, S> result;
  fit<C, S, kBits, R>(ch, subsets, moments, position, placements, passes, result);
  offer<C, S>(best, wanted, static_cast<float>(mode), pattern, result);
}

// Splits the channels into the one with weights of its own and the rest, for every lane.
template <int C, int kBits, int R>
HWY_NOINLINE void try_dual_plane(Best& best, M wanted, int mode, V plane, const Channels<C>& ch,
                                 const SearchSettings& settings) {
  alignas(64) Row texels[C][16];
  Channels<C - 1> rest;
  Channels<1> second;
  second.texels[0] = texels[C - 1];
  second.weight[0] = second.root[0] = zero();
  for (int k = 0; k < C - 1; ++k) {
    const M skip = hn::Le(plane, set(static_cast<float>(k)));
    rest.texels[k] = texels[k];
    rest.weight[k] = hn::IfThenElse(skip, ch.weight[k + 1], ch.weight[k]);
    rest.root[k] = hn::IfThenElse(skip, ch.root[k + 1], ch.root[k]);
    for (int t = 0; t < 16; ++t)
      store(hn::IfThenElse(skip, load(ch.texels[k + 1][t]), load(ch.texels[k][t])), texels[k][t]);
  }
  for (int c = 0; c < C; ++c) {
    const M own = hn::Eq(plane, set(static_cast<float>(c)));
    second.weight[0] = hn::IfThenElse(own, ch.weight[c], second.weight[0]);
    second.root[0] = hn::IfThenElse(own, ch.root[c], second.root[0]);
    for (int t = 0; t < 16; ++t)
      store(c == 0 ? load(ch.texels[c][t]) : hn::IfThenElse(own, load(ch.texels[c][t]), load(texels[C - 1][t])), texels[C - 1][t]);
  }
  alignas(64) Row position[16];
  const Subsets<1> whole{};
  Fit<C - 1, 1> rest_fit;
  Fit<1, 1> second_fit;
  const Moments<C - 1> rest_moments[1] = {measure<C - 1>(rest.texels)};
  project<C - 1, 1>(rest, whole, rest_moments, 3, position);
  fit<C - 1, 1, kBits, R>(rest, whole, rest_moments, position, settings.placements, settings.passes, rest_fit);
  const Moments<1> second_moments[1] = {measure<1>(second.texels)};
  project<1, 1>(second, whole, second_moments, 3, position);
  fit<1, 1, kBits, R>(second, whole, second_moments, position, settings.placements, settings.passes, second_fit);
  offer_dual<C>(best, wanted, static_cast<float>(mode), plane, rest_fit, second_fit);
}

// Estimated error of each channel having weights of its own.
template <int C>
HWY_INLINE void rank_planes(const Channels<C>& ch, const Moments<C>& all, float loss, int k, Ranking& ranking) {
  V s[C * (C + 1) / 2];
  scatter<C>(all, ch.root, s);
  const V whole = trace<C>(s);
  clear(ranking, k);
  for (int p = 0; p < C; ++p) {
    V on = zero(), off = zero();
    for (int c = 0; c < C; ++c)
      for (int e = c; e < C; ++e)
        if (c != p && e != p) {
          const V v = s[entry(C, c, e)];
          (c == e ? on : off) = add(c == e ? on : off, mul(v, v));
        }
    const V length = hn::Sqrt(add(on, add(off, off)));
    const V own = s[diagonal(C, p)];
    const V estimate = sub(whole, mul(add(length, own), set(1.0f - loss)));
    insert(ranking, k, estimate, set(static_cast<float>(p)));
  }
}

template <int C, int kBits, int R>
HWY_INLINE void try_planes(Best& best, int mode, const Channels<C>& ch, const Moments<C>& all, const SearchSettings& settings) {
  const int k = HWY_MIN(settings.dual_plane_candidates, C);
  Ranking ranking;
  rank_planes<C>(ch, all, kBits == 1 ? 0.25f : kLoss2Bits, k, ranking);
  for (int i = 0; i < k; ++i) {
    const M wanted = hn::Lt(ranking.estimate[i], load(best.error));
    if (hn::AllFalse(d, wanted)) continue;
    try_dual_plane<C, kBits, R>(best, wanted, mode, ranking.index[i], ch, settings);
  }
}

template <int C>
HWY_INLINE void split2(const Channels<C>& ch, const Moments<C>& all, const std::uint16_t* patterns, V index,
                       Subsets<2>& subsets, Moments<C> (&moments)[2]) {
  membership(patterns, 1, index, subsets.in[0]);
  moments[1] = measure_where<C>(ch.texels, subsets.in[0]);
  moments[0] = minus(all, moments[1]);
}

HWY_NOINLINE void search_opaque(const Group& g, const SearchSettings& settings, Best& best) {
  const Channels<3> ch = first_channels<3>(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<3> all[1] = {measure<3>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<3, 1>(ch, whole, all, 4, position);
  try_mode<3, 1, 4, 19>(best, always, 0, zero(), ch, whole, all, position, settings.placements, settings.passes);
  if (settings.many_levels) try_mode<3, 1, 5, 11>(best, always, 18, zero(), ch, whole, all, position, settings.placements, settings.passes);
  if (settings.few_levels) {
    try_mode<3, 1, 3, 20>(best, always, 5, zero(), ch, whole, all, position, settings.placements, settings.passes);
    try_mode<3, 1, 2, 20>(best, always, 1, zero(), ch, whole, all, position, settings.placements, settings.passes);
  }
  try_planes<3, 2, 18>(best, 6, ch, all[0], settings);

  alignas(64) Row products[16 * 6];
  multiply_texels<3>(ch, products);
  Ranking ranking;
  if (const int k = settings.pattern2_candidates; k > 0) {
    rank_patterns2<3>(ch, products, all[0], kPatterns2, kLoss2Bits, k, ranking);
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(mul(ranking.estimate[i], set(0.8f)), load(best.error));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<2> subsets;
      Moments<3> moments[2];
      split2<3>(ch, all[0], kPatterns2.data(), ranking.index[i], subsets, moments);
      project<3, 2>(ch, subsets, moments, 3, position);
      try_mode<3, 2, 2, 12>(best, wanted, 4, ranking.index[i], ch, subsets, moments, position, settings.placements, settings.passes);
      try_mode<3, 2, 3, 8>(best, wanted, 2, ranking.index[i], ch, subsets, moments, position, settings.placements, settings.passes);
    }
  }
  if (const int k = settings.pattern7_candidates; k > 0) {
    rank_patterns2<3>(ch, products, all[0], kPatterns7, kLoss2Bits, k, ranking);
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(ranking.estimate[i], load(best.error));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<2> subsets;
      Moments<3> moments[2];
      split2<3>(ch, all[0], kPatterns7.data(), ranking.index[i], subsets, moments);
      project<3, 2>(ch, subsets, moments, 3, position);
      try_mode<3, 2, 2, 12>(best, wanted, 7, ranking.index[i], ch, subsets, moments, position, settings.placements, settings.passes);
    }
  }
  if (const int k = settings.pattern3_candidates; k > 0) {
    clear(ranking, k);
    for (std::size_t p = 0; p < kPatterns3.size(); ++p) {
      const Moments<3> a = measure_fixed<3>(ch, products, kPatterns3[p][0]);
      const Moments<3> b = measure_fixed<3>(ch, products, kPatterns3[p][1]);
      const Moments<3> rest = minus(minus(all[0], a), b);
      const V estimate = add(add(estimate_subset<3>(ch, a, kLoss2Bits), estimate_subset<3>(ch, b, kLoss2Bits)),
                             estimate_subset<3>(ch, rest, kLoss2Bits));
      insert(ranking, k, estimate, set(static_cast<float>(p)));
    }
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(ranking.estimate[i], load(best.error));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<3> subsets;
      membership(&kPatterns3[0][0], 2, ranking.index[i], subsets.in[0]);
      membership(&kPatterns3[0][1], 2, ranking.index[i], subsets.in[1]);
      Moments<3> moments[3];
      moments[1] = measure_where<3>(ch.texels, subsets.in[0]);
      moments[2] = measure_where<3>(ch.texels, subsets.in[1]);
      moments[0] = minus(minus(all[0], moments[1]), moments[2]);
      project<3, 3>(ch, subsets, moments, 3, position);
      try_mode<3, 3, 2, 7>(best, wanted, 3, ranking.index[i], ch, subsets, moments, position, settings.placements, settings.passes);
    }
  }
}

HWY_NOINLINE void search_alpha(const Group& g, const SearchSettings& settings, Best& best) {
  const Channels<4> ch = first_channels<4>(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<4> all[1] = {measure<4>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<4, 1>(ch, whole, all, 4, position);
  try_mode<4, 1, 3, 19>(best, always, 12, zero(), ch, whole, all, position, settings.placements, settings.passes);
  try_mode<4, 1, 4, 13>(best, always, 10, zero(), ch, whole, all, position, settings.placements, settings.passes);
  if (settings.few_levels) try_mode<4, 1, 2, 20>(best, always, 14, zero(), ch, whole, all, position, settings.placements, settings.passes);
  try_planes<4, 2, 13>(best, 11, ch, all[0], settings);
  if (settings.few_levels) try_planes<4, 1, 20>(best, 13, ch, all[0], settings);
  if (const int k = settings.pattern2_candidates; k > 0) {
    alignas(64) Row products[16 * 10];
    multiply_texels<4>(ch, products);
    Ranking ranking;
    rank_patterns2<4>(ch, products, all[0], kPatterns2, kLoss2Bits, k, ranking);
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(ranking.estimate[i], load(best.error));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<2> subsets;
      Moments<4> moments[2];
      split2<4>(ch, all[0], kPatterns2.data(), ranking.index[i], subsets, moments);
      project<4, 2>(ch, subsets, moments, 3, position);
      try_mode<4, 2, 2, 8>(best, wanted, 9, ranking.index[i], ch, subsets, moments, position, settings.placements, settings.passes);
    }
  }
}

// Channel 0 stands for R, G and B together, channel 1 for alpha.
HWY_NOINLINE void search_grey_alpha(const Group& g, const SearchSettings& settings, Best& best) {
  Channels<2> ch;
  ch.texels[0] = g.texels[0];
  ch.texels[1] = g.texels[3];
  const auto& w = settings.channel_weights;
  ch.weight[0] = set(w[0] + w[1] + w[2]);
  ch.weight[1] = set(w[3]);
  for (int c = 0; c < 2; ++c) ch.root[c] = hn::Sqrt(ch.weight[c]);
  const M always = hn::Eq(zero(), zero());
  const Moments<2> all[1] = {measure<2>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<2, 1>(ch, whole, all, 4, position);
  try_mode<2, 1, 4, 20>(best, always, 15, zero(), ch, whole, all, position, settings.placements, settings.passes);
  // Mode 17's second plane is always alpha.
  try_dual_plane<2, 2, 20>(best, always, 17, set(1.0f), ch, settings);
  if (const int k = settings.pattern2_candidates; k > 0) {
    alignas(64) Row products[16 * 3];
    multiply_texels<2>(ch, products);
    Ranking ranking;
    rank_patterns2<2>(ch, products, all[0], kPatterns2, kLoss2Bits, k, ranking);
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(ranking.estimate[i], load(best.error));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<2> subsets;
      Moments<2> moments[2];
      split2<2>(ch, all[0], kPatterns2.data(), ranking.index[i], subsets, moments);
      project<2, 2>(ch, subsets, moments, 3, position);
      try_mode<2, 2, 2, 20>(best, wanted, 16, ranking.index[i], ch, subsets, moments, position, settings.placements, settings.passes);
    }
  }
}

void write_choices(const Best& best, std::span<const std::uint32_t> lanes, std::span<BlockChoice> choices) {
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    BlockChoice& choice = choices[lane];
    choice.mode = static_cast<std::uint8_t>(best.mode[lane]);
    choice.pattern = static_cast<std::uint8_t>(best.pattern[lane]);
    choice.second_plane = static_cast<std::uint8_t>(best.plane[lane]);
    for (std::size_t k = 0; k < 18; ++k) choice.endpoints[k] = static_cast<std::uint8_t>(best.level[k][lane]);
    for (std::size_t k = 0; k < 32; ++k) choice.weights[k] = static_cast<std::uint8_t>(best.weight[k][lane]);
    choice.error = best.error[lane];
  }
}

void SearchUastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
                 const SearchSettings& settings, std::span<BlockChoice> choices) {
  Group group;
  Best best;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    const std::size_t count = HWY_MIN(kLanes, order.size() - first);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const PlanarBlock& block = blocks[order[first + HWY_MIN(lane, count - 1)]];
      for (std::size_t i = 0; i < 64; ++i) group.texels[i / 16][i % 16][lane] = block.texels[i];
    }
    store(set(1e30f), best.error);
    for (Row* row : {&best.mode, &best.pattern, &best.plane}) store(zero(), *row);
    for (Row& row : best.level) store(zero(), row);
    for (Row& row : best.weight) store(zero(), row);
    switch (block_class) {
      case BlockClass::kOpaque: search_opaque(group, settings, best); break;
      case BlockClass::kAlpha: search_alpha(group, settings, best); break;
      case BlockClass::kGreyAlpha: search_grey_alpha(group, settings, best); break;
    }
    write_choices(best, order.subspan(first, count), choices.subspan(first, count));
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SearchUastc);

void search_uastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
                  const SearchSettings& settings, std::span<BlockChoice> choices) {
  HWY_DYNAMIC_DISPATCH(SearchUastc)(blocks, order, block_class, settings, choices);
}

}  // namespace assetc::codec
#endif
