#include "codec/uastc_search.hpp"

#include <cstring>

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
constexpr float kLoss1Bit = 1.0f / 4, kLoss2Bits = 1.0f / 16;
// Few texels to a subset fit their weights better than the rule says: what ranks patterns best on photographs.
constexpr float kLossSplit = 1.0f / 160;
// A candidate is tried where this much of its estimated error is below the leader's error.
constexpr float kTrust = 0.45f;

struct Group {
  alignas(64) Row texels[4][16];
};

// The least error of every mode in the heats, and with which pattern or second plane.
struct Heats {
  alignas(64) Row error[19], choice[19];
};

HWY_INLINE void enter(Heats& heats, M wanted, int mode, V error, V choice) {
  const M better = hn::And(wanted, hn::Lt(error, load(heats.error[mode])));
  store(hn::IfThenElse(better, error, load(heats.error[mode])), heats.error[mode]);
  store(hn::IfThenElse(better, choice, load(heats.choice[mode])), heats.choice[mode]);
}

HWY_INLINE V leader(const Heats& heats) {
  V least = load(heats.error[0]);
  for (int mode = 1; mode < 19; ++mode) least = hn::Min(least, load(heats.error[mode]));
  return least;
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

HWY_INLINE void membership(const std::uint16_t (&patterns)[kLanes], M (&in)[16]) {
  const hn::RebindToSigned<D> di;
  alignas(64) std::int32_t bits[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) bits[lane] = patterns[lane];
  const auto mask = hn::Load(di, bits);
  for (int t = 0; t < 16; ++t) in[t] = hn::RebindMask(d, hn::TestBit(mask, hn::Set(di, 1 << t)));
}

HWY_INLINE void membership(const std::uint16_t* patterns, std::size_t stride, V index, M (&in)[16]) {
  alignas(64) Row which;
  std::uint16_t chosen[kLanes];
  store(index, which);
  for (std::size_t lane = 0; lane < kLanes; ++lane) chosen[lane] = patterns[static_cast<std::size_t>(which[lane]) * stride];
  membership(chosen, in);
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

// Channel 0 stands for R, G and B together, channel 1 for alpha.
HWY_INLINE Channels<2> grey_alpha_channels(const Group& g, const SearchSettings& settings) {
  Channels<2> ch;
  ch.texels[0] = g.texels[0];
  ch.texels[1] = g.texels[3];
  const auto& w = settings.channel_weights;
  ch.weight[0] = set(w[0] + w[1] + w[2]);
  ch.weight[1] = set(w[3]);
  for (int c = 0; c < 2; ++c) ch.root[c] = hn::Sqrt(ch.weight[c]);
  return ch;
}

template <int C, int S, int kBits, int R>
HWY_INLINE void try_mode(Heats& heats, M wanted, int mode, V pattern, const Channels<C>& ch, const Subsets<S>& subsets,
                         const Moments<C> (&moments)[S], const Row* position, const FitEffort& effort) {
  Fit<C, S> result;
  fit<C, S, kBits, R>(ch, subsets, moments, position, effort, result);
  enter(heats, wanted, mode, result.error, pattern);
}

// Splits the channels into the one with weights of its own and the rest, for every lane.
template <int C, int kBits, int R>
HWY_NOINLINE void fit_dual_plane(V plane, const Channels<C>& ch, const FitEffort& effort, Fit<C - 1, 1>& rest_fit,
                                 Fit<1, 1>& second_fit) {
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
  const Moments<C - 1> rest_moments[1] = {measure<C - 1>(rest.texels)};
  project<C - 1, 1>(rest, whole, rest_moments, 3, position);
  fit<C - 1, 1, kBits, R>(rest, whole, rest_moments, position, effort, rest_fit);
  const Moments<1> second_moments[1] = {measure<1>(second.texels)};
  project<1, 1>(second, whole, second_moments, 3, position);
  fit<1, 1, kBits, R>(second, whole, second_moments, position, effort, second_fit);
}

template <int C, int kBits, int R>
HWY_INLINE void try_dual_plane(Heats& heats, M wanted, int mode, V plane, const Channels<C>& ch, const FitEffort& effort) {
  Fit<C - 1, 1> rest;
  Fit<1, 1> second;
  fit_dual_plane<C, kBits, R>(plane, ch, effort, rest, second);
  enter(heats, wanted, mode, add(rest.error, second.error), plane);
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
HWY_INLINE void try_planes(Heats& heats, int mode, const Channels<C>& ch, const Moments<C>& all, const SearchSettings& settings) {
  const int k = HWY_MIN(settings.dual_plane_candidates, C);
  Ranking ranking;
  rank_planes<C>(ch, all, kBits == 1 ? kLoss1Bit : kLoss2Bits, k, ranking);
  for (int i = 0; i < k; ++i) {
    const M wanted = hn::Lt(mul(ranking.estimate[i], set(kTrust)), leader(heats));
    if (hn::AllFalse(d, wanted)) continue;
    try_dual_plane<C, kBits, R>(heats, wanted, mode, ranking.index[i], ch, settings.heat);
  }
}

template <int C>
HWY_INLINE void split2(const Channels<C>& ch, const Moments<C>& all, const std::uint16_t* patterns, V index,
                       Subsets<2>& subsets, Moments<C> (&moments)[2]) {
  membership(patterns, 1, index, subsets.in[0]);
  moments[1] = measure_where<C>(ch.texels, subsets.in[0]);
  moments[0] = minus(all, moments[1]);
}

HWY_NOINLINE void rank_opaque(const Group& g, const SearchSettings& settings, Heats& heats) {
  const Channels<3> ch = first_channels<3>(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<3> all[1] = {measure<3>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<3, 1>(ch, whole, all, 4, position);
  try_mode<3, 1, 4, 19>(heats, always, 0, zero(), ch, whole, all, position, settings.heat);
  try_mode<3, 1, 5, 11>(heats, always, 18, zero(), ch, whole, all, position, settings.heat);
  if (settings.few_levels) {
    try_mode<3, 1, 3, 20>(heats, always, 5, zero(), ch, whole, all, position, settings.heat);
    try_mode<3, 1, 2, 20>(heats, always, 1, zero(), ch, whole, all, position, settings.heat);
  }
  try_planes<3, 2, 18>(heats, 6, ch, all[0], settings);

  alignas(64) Row products[16 * 6];
  multiply_texels<3>(ch, products);
  Ranking ranking;
  if (const int k = settings.pattern2_candidates; k > 0) {
    rank_patterns2<3>(ch, products, all[0], kPatterns2, kLossSplit, k, ranking);
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(mul(ranking.estimate[i], set(kTrust)), leader(heats));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<2> subsets;
      Moments<3> moments[2];
      split2<3>(ch, all[0], kPatterns2.data(), ranking.index[i], subsets, moments);
      project<3, 2>(ch, subsets, moments, 3, position);
      try_mode<3, 2, 2, 12>(heats, wanted, 4, ranking.index[i], ch, subsets, moments, position, settings.heat);
      try_mode<3, 2, 3, 8>(heats, wanted, 2, ranking.index[i], ch, subsets, moments, position, settings.heat);
    }
  }
  if (const int k = settings.pattern7_candidates; k > 0) {
    rank_patterns2<3>(ch, products, all[0], kPatterns7, kLossSplit, k, ranking);
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(mul(ranking.estimate[i], set(kTrust)), leader(heats));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<2> subsets;
      Moments<3> moments[2];
      split2<3>(ch, all[0], kPatterns7.data(), ranking.index[i], subsets, moments);
      project<3, 2>(ch, subsets, moments, 3, position);
      try_mode<3, 2, 2, 12>(heats, wanted, 7, ranking.index[i], ch, subsets, moments, position, settings.heat);
    }
  }
  if (const int k = settings.pattern3_candidates; k > 0) {
    clear(ranking, k);
    for (std::size_t p = 0; p < kPatterns3.size(); ++p) {
      const Moments<3> a = measure_fixed<3>(ch, products, kPatterns3[p][0]);
      const Moments<3> b = measure_fixed<3>(ch, products, kPatterns3[p][1]);
      const Moments<3> rest = minus(minus(all[0], a), b);
      const V estimate = add(add(estimate_subset<3>(ch, a, kLossSplit), estimate_subset<3>(ch, b, kLossSplit)),
                             estimate_subset<3>(ch, rest, kLossSplit));
      insert(ranking, k, estimate, set(static_cast<float>(p)));
    }
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(mul(ranking.estimate[i], set(kTrust)), leader(heats));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<3> subsets;
      membership(&kPatterns3[0][0], 2, ranking.index[i], subsets.in[0]);
      membership(&kPatterns3[0][1], 2, ranking.index[i], subsets.in[1]);
      Moments<3> moments[3];
      moments[1] = measure_where<3>(ch.texels, subsets.in[0]);
      moments[2] = measure_where<3>(ch.texels, subsets.in[1]);
      moments[0] = minus(minus(all[0], moments[1]), moments[2]);
      project<3, 3>(ch, subsets, moments, 3, position);
      try_mode<3, 3, 2, 7>(heats, wanted, 3, ranking.index[i], ch, subsets, moments, position, settings.heat);
    }
  }
}

HWY_NOINLINE void rank_alpha(const Group& g, const SearchSettings& settings, Heats& heats) {
  const Channels<4> ch = first_channels<4>(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<4> all[1] = {measure<4>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<4, 1>(ch, whole, all, 4, position);
  try_mode<4, 1, 3, 19>(heats, always, 12, zero(), ch, whole, all, position, settings.heat);
  try_mode<4, 1, 4, 13>(heats, always, 10, zero(), ch, whole, all, position, settings.heat);
  if (settings.few_levels) try_mode<4, 1, 2, 20>(heats, always, 14, zero(), ch, whole, all, position, settings.heat);
  try_planes<4, 2, 13>(heats, 11, ch, all[0], settings);
  if (settings.few_levels) try_planes<4, 1, 20>(heats, 13, ch, all[0], settings);
  if (const int k = settings.pattern2_candidates; k > 0) {
    alignas(64) Row products[16 * 10];
    multiply_texels<4>(ch, products);
    Ranking ranking;
    rank_patterns2<4>(ch, products, all[0], kPatterns2, kLossSplit, k, ranking);
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(mul(ranking.estimate[i], set(kTrust)), leader(heats));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<2> subsets;
      Moments<4> moments[2];
      split2<4>(ch, all[0], kPatterns2.data(), ranking.index[i], subsets, moments);
      project<4, 2>(ch, subsets, moments, 3, position);
      try_mode<4, 2, 2, 8>(heats, wanted, 9, ranking.index[i], ch, subsets, moments, position, settings.heat);
    }
  }
}

HWY_NOINLINE void rank_grey_alpha(const Group& g, const SearchSettings& settings, Heats& heats) {
  const Channels<2> ch = grey_alpha_channels(g, settings);
  const M always = hn::Eq(zero(), zero());
  const Moments<2> all[1] = {measure<2>(ch.texels)};
  const Subsets<1> whole{};
  alignas(64) Row position[16];
  project<2, 1>(ch, whole, all, 4, position);
  try_mode<2, 1, 4, 20>(heats, always, 15, zero(), ch, whole, all, position, settings.heat);
  // Mode 17's second plane is always alpha.
  try_dual_plane<2, 2, 20>(heats, always, 17, set(1.0f), ch, settings.heat);
  if (const int k = settings.pattern2_candidates; k > 0) {
    alignas(64) Row products[16 * 3];
    multiply_texels<2>(ch, products);
    Ranking ranking;
    rank_patterns2<2>(ch, products, all[0], kPatterns2, kLossSplit, k, ranking);
    for (int i = 0; i < k; ++i) {
      const M wanted = hn::Lt(mul(ranking.estimate[i], set(kTrust)), leader(heats));
      if (hn::AllFalse(d, wanted)) continue;
      Subsets<2> subsets;
      Moments<2> moments[2];
      split2<2>(ch, all[0], kPatterns2.data(), ranking.index[i], subsets, moments);
      project<2, 2>(ch, subsets, moments, 3, position);
      try_mode<2, 2, 2, 20>(heats, wanted, 16, ranking.index[i], ch, subsets, moments, position, settings.heat);
    }
  }
}

void SplitBlocks(std::span<const BlockTexels> texels, std::span<PlanarBlock> blocks, std::span<BlockKind> kinds) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < texels.size(); ++i) {
    bool solid = true, grey = true, opaque = true;
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      const Rgba8 v = texels[i][t];
      for (unsigned c = 0; c < 4; ++c) blocks[i].texels[c * 16 + t] = v[c];
      solid = solid && v == texels[i][0];
      grey = grey && v.r == v.g && v.r == v.b;
      opaque = opaque && v.a == 255;
    }
    kinds[i] = solid ? BlockKind::kSolid : grey ? BlockKind::kGreyAlpha : opaque ? BlockKind::kOpaque : BlockKind::kAlpha;
  }
#else
  const hn::FixedTag<std::uint8_t, 16> d8;
  for (std::size_t i = 0; i < texels.size(); ++i) {
    hn::Vec<decltype(d8)> r, g, b, a;
    const auto* in = reinterpret_cast<const std::uint8_t*>(texels[i].data());
    hn::LoadInterleaved4(d8, in, r, g, b, a);
    std::uint8_t* out = blocks[i].texels.data();
    hn::Store(r, d8, out);
    hn::Store(g, d8, out + 16);
    hn::Store(b, d8, out + 32);
    hn::Store(a, d8, out + 48);
    const auto differ = [&](auto v, std::uint8_t first) HWY_ATTR { return hn::Xor(v, hn::Set(d8, first)); };
    const auto none = [&](auto v) HWY_ATTR { return hn::AllTrue(d8, hn::Eq(v, hn::Zero(d8))); };
    const bool solid = none(hn::Or(hn::Or(differ(r, in[0]), differ(g, in[1])), hn::Or(differ(b, in[2]), differ(a, in[3]))));
    const bool grey = none(hn::Or(hn::Xor(r, g), hn::Xor(r, b)));
    kinds[i] = solid ? BlockKind::kSolid : grey ? BlockKind::kGreyAlpha : none(differ(a, 255)) ? BlockKind::kOpaque : BlockKind::kAlpha;
  }
#endif
}

// Lays the texels of a block a lane out: four texels of every block at a time.
HWY_INLINE void load_group(const PlanarBlock* blocks, const std::int32_t (&index)[kLanes], Group& group) {
  const hn::RebindToSigned<D> di;
  static_assert(sizeof(PlanarBlock) == 64);
  const auto offset = hn::ShiftLeft<6>(hn::Load(di, index));
  const auto byte = hn::Set(di, 255);
  for (std::size_t i = 0; i < 64; i += 4) {
    const auto* base = reinterpret_cast<const std::int32_t*>(blocks->texels.data() + i);
    const auto four = hn::GatherOffset(di, base, offset);
    Row* rows = &group.texels[i / 16][i % 16];
    store(hn::ConvertTo(d, hn::And(four, byte)), rows[0]);
    store(hn::ConvertTo(d, hn::And(hn::ShiftRight<8>(four), byte)), rows[1]);
    store(hn::ConvertTo(d, hn::And(hn::ShiftRight<16>(four), byte)), rows[2]);
    store(hn::ConvertTo(d, hn::And(hn::ShiftRight<24>(four), byte)), rows[3]);
  }
}

// Modes that a class may use.
constexpr std::uint32_t kClassModes[] = {0x400ff, 0x07e00, 0x38000};

HWY_INLINE void write_finalists(const Heats& heats, std::uint32_t modes, int places, std::span<Finalists> out) {
  Ranking ranking;
  clear(ranking, places);
  for (; modes != 0; modes &= modes - 1) {
    const int mode = __builtin_ctz(modes);
    insert(ranking, places, load(heats.error[mode]), add(set(32.0f * static_cast<float>(mode)), load(heats.choice[mode])));
  }
  for (int place = 0; place < places; ++place) {
    alignas(64) Row error;
    alignas(64) std::int32_t code[kLanes];
    store(ranking.estimate[place], error);
    const hn::RebindToSigned<D> di;
    hn::Store(hn::ConvertTo(di, ranking.index[place]), di, code);
    for (std::size_t lane = 0; lane < out.size(); ++lane) {
      const auto choice = static_cast<std::uint8_t>(code[lane] & 31);
      out[lane][static_cast<std::size_t>(place)] = {error[lane], static_cast<std::uint8_t>(code[lane] >> 5), choice, choice};
    }
  }
}

void RankUastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
               const SearchSettings& settings, std::span<Finalists> finalists) {
  Group group;
  Heats heats;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    const std::size_t count = HWY_MIN(kLanes, order.size() - first);
    alignas(64) std::int32_t index[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      index[lane] = static_cast<std::int32_t>(order[first + HWY_MIN(lane, count - 1)]);
    load_group(blocks.data(), index, group);
    for (Row& row : heats.error) store(set(1e30f), row);
    for (Row& row : heats.choice) store(zero(), row);
    switch (block_class) {
      case BlockClass::kOpaque: rank_opaque(group, settings, heats); break;
      case BlockClass::kAlpha: rank_alpha(group, settings, heats); break;
      case BlockClass::kGreyAlpha: rank_grey_alpha(group, settings, heats); break;
    }
    write_finalists(heats, kClassModes[static_cast<std::size_t>(block_class)], settings.finalists,
                    finalists.subspan(first, count));
  }
}

// What a group of final fits reads and leaves.
struct Final {
  Group group;
  std::uint16_t in[2][kLanes];  // texels of subsets 1 and 2
  alignas(64) Row plane;
  alignas(64) Row error;
  alignas(64) Row level[20];
  alignas(64) Row weight[32];
  alignas(64) Row decoded[4][16];
};

// The channels that a mode's components stand for are filled in from those that were fitted.
template <int C>
HWY_INLINE void spread_channels(Final& f) {
  for (int t = 0; t < 16; ++t) {
    if constexpr (C == 2) {
      store(load(f.decoded[1][t]), f.decoded[3][t]);
      store(load(f.decoded[0][t]), f.decoded[1][t]);
      store(load(f.decoded[0][t]), f.decoded[2][t]);
    } else if constexpr (C == 3) {
      store(set(255.0f), f.decoded[3][t]);
    }
  }
}

template <int C>
HWY_INLINE Channels<C> channels_of(const Group& g, const SearchSettings& settings) {
  if constexpr (C == 2) return grey_alpha_channels(g, settings);
  else return first_channels<C>(g, settings);
}

template <int C, int S, int kBits, int R>
HWY_NOINLINE void final_fit(const SearchSettings& settings, Final& f) {
  const Channels<C> ch = channels_of<C>(f.group, settings);
  Subsets<S> subsets{};
  Moments<C> moments[S];
  moments[0] = measure<C>(ch.texels);
  for (int s = 1; s < S; ++s) {
    membership(f.in[s - 1], subsets.in[s - 1]);
    moments[s] = measure_where<C>(ch.texels, subsets.in[s - 1]);
    moments[0] = minus(moments[0], moments[s]);
  }
  alignas(64) Row position[16];
  project<C, S>(ch, subsets, moments, 5, position);
  Fit<C, S> result;
  fit<C, S, kBits, R>(ch, subsets, moments, position, settings.final, result);
  store(result.error, f.error);
  for (int k = 0; k < S * C * 2; ++k) store(result.level[k], f.level[k]);
  for (int t = 0; t < 16; ++t) store(load(result.weight[t]), f.weight[t]);
  Row* out[C];
  for (int c = 0; c < C; ++c) out[c] = f.decoded[c];
  decode_fit<C, S, kBits, R>(subsets, result.level, result.weight, out);
  spread_channels<C>(f);
}

template <int C, int kBits, int R>
HWY_NOINLINE void final_fit_dual(const SearchSettings& settings, Final& f) {
  const Channels<C> ch = channels_of<C>(f.group, settings);
  const V plane = load(f.plane);
  Fit<C - 1, 1> rest;
  Fit<1, 1> second;
  fit_dual_plane<C, kBits, R>(plane, ch, settings.final, rest, second);
  store(add(rest.error, second.error), f.error);
  alignas(64) Row rest_decoded[C - 1][16];
  alignas(64) Row second_decoded[16];
  Row* rest_out[C - 1];
  for (int c = 0; c < C - 1; ++c) rest_out[c] = rest_decoded[c];
  Row* second_out[1] = {second_decoded};
  const Subsets<1> whole{};
  decode_fit<C - 1, 1, kBits, R>(whole, rest.level, rest.weight, rest_out);
  decode_fit<1, 1, kBits, R>(whole, second.level, second.weight, second_out);
  for (int c = 0; c < C; ++c) {
    const M own = hn::Eq(plane, set(static_cast<float>(c)));
    const M after = hn::Lt(plane, set(static_cast<float>(c)));
    // Channel c is the rest's c or, after the one set apart, c - 1.
    const int here = c < C - 1 ? c : c - 1, before = c > 0 ? c - 1 : 0;
    const auto choose = [&](V at_here, V at_before, V apart) HWY_ATTR {
      return hn::IfThenElse(own, apart, hn::IfThenElse(after, at_before, at_here));
    };
    for (int end = 0; end < 2; ++end)
      store(choose(rest.level[here * 2 + end], rest.level[before * 2 + end], second.level[end]), f.level[c * 2 + end]);
    for (int t = 0; t < 16; ++t)
      store(choose(load(rest_decoded[here][t]), load(rest_decoded[before][t]), load(second_decoded[t])), f.decoded[c][t]);
  }
  spread_channels<C>(f);
  for (int t = 0; t < 16; ++t) {
    store(load(rest.weight[t]), f.weight[t * 2]);
    store(load(second.weight[t]), f.weight[t * 2 + 1]);
  }
}

// Rows of whole numbers below 256, four to a word of each lane; count is a multiple of four.
HWY_INLINE void store_words(const Row* rows, std::size_t count, std::int32_t (*out)[kLanes]) {
  const hn::RebindToSigned<D> di;
  for (std::size_t i = 0; i < count; i += 4, ++out) {
    const auto byte = [&](std::size_t k) HWY_ATTR { return hn::ConvertTo(di, load(rows[i + k])); };
    const auto low = hn::Or(byte(0), hn::ShiftLeft<8>(byte(1)));
    const auto high = hn::Or(hn::ShiftLeft<16>(byte(2)), hn::ShiftLeft<24>(byte(3)));
    hn::Store(hn::Or(low, high), di, *out);
  }
}
// One lane of them, as bytes.
HWY_INLINE void copy_words(const std::int32_t (*words)[kLanes], std::size_t lane, std::size_t count, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(out + 4 * i, &words[i][lane], 4);
}

void FitUastc(std::span<const PlanarBlock> blocks, std::span<const FinalEntry> entries, unsigned mode,
              const SearchSettings& settings, std::span<BlockChoice> choices, std::span<PlanarBlock> decoded) {
  Final f;
  for (Row& row : f.level) store(zero(), row);
  const bool dual = mode == 6 || mode == 11 || mode == 13 || mode == 17;
  const unsigned values = mode == 3 ? 18 : mode == 9 ? 16 : mode == 2 || mode == 4 || mode == 7 ? 12
                        : mode >= 10 && mode <= 14 ? 8 : mode == 16 ? 8 : mode == 15 || mode == 17 ? 4 : 6;
  for (std::size_t first = 0; first < entries.size(); first += kLanes) {
    const std::size_t count = HWY_MIN(kLanes, entries.size() - first);
    alignas(64) std::int32_t index[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const FinalEntry& entry = entries[first + HWY_MIN(lane, count - 1)];
      index[lane] = static_cast<std::int32_t>(entry.block);
      f.plane[lane] = entry.second_plane;
      f.in[0][lane] = mode == 3 ? kPatterns3[entry.pattern][0] : mode == 7 ? kPatterns7[entry.pattern]
                    : mode == 2 || mode == 4 || mode == 9 || mode == 16 ? kPatterns2[entry.pattern] : std::uint16_t{0};
      f.in[1][lane] = mode == 3 ? kPatterns3[entry.pattern][1] : std::uint16_t{0};
    }
    load_group(blocks.data(), index, f.group);
    switch (mode) {
      case 0: final_fit<3, 1, 4, 19>(settings, f); break;
      case 1: final_fit<3, 1, 2, 20>(settings, f); break;
      case 2: final_fit<3, 2, 3, 8>(settings, f); break;
      case 3: final_fit<3, 3, 2, 7>(settings, f); break;
      case 4: case 7: final_fit<3, 2, 2, 12>(settings, f); break;
      case 5: final_fit<3, 1, 3, 20>(settings, f); break;
      case 6: final_fit_dual<3, 2, 18>(settings, f); break;
      case 9: final_fit<4, 2, 2, 8>(settings, f); break;
      case 10: final_fit<4, 1, 4, 13>(settings, f); break;
      case 11: final_fit_dual<4, 2, 13>(settings, f); break;
      case 12: final_fit<4, 1, 3, 19>(settings, f); break;
      case 13: final_fit_dual<4, 1, 20>(settings, f); break;
      case 14: final_fit<4, 1, 2, 20>(settings, f); break;
      case 15: final_fit<2, 1, 4, 20>(settings, f); break;
      case 16: final_fit<2, 2, 2, 20>(settings, f); break;
      case 17: final_fit_dual<2, 2, 20>(settings, f); break;
      default: final_fit<3, 1, 5, 11>(settings, f); break;
    }
    const std::size_t weights = dual ? 32 : 16;
    alignas(64) std::int32_t level_words[5][kLanes];
    alignas(64) std::int32_t weight_words[8][kLanes];
    alignas(64) std::int32_t texel_words[16][kLanes];
    store_words(f.level, (values + 3) / 4 * 4, level_words);
    store_words(f.weight, weights, weight_words);
    store_words(f.decoded[0], 64, texel_words);
    for (std::size_t lane = 0; lane < count; ++lane) {
      BlockChoice& choice = choices[first + lane];
      const FinalEntry& entry = entries[first + lane];
      choice.mode = static_cast<std::uint8_t>(mode);
      choice.pattern = f.in[0][lane] != 0 ? entry.pattern : std::uint8_t{0};
      choice.second_plane = dual ? entry.second_plane : std::uint8_t{0};
      copy_words(level_words, lane, (values + 3) / 4, choice.endpoints.data());
      copy_words(weight_words, lane, weights / 4, choice.weights.data());
      copy_words(texel_words, lane, 16, decoded[first + lane].texels.data());
      choice.error = f.error[lane];
    }
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SplitBlocks);
HWY_EXPORT(RankUastc);
HWY_EXPORT(FitUastc);

void split_blocks(std::span<const BlockTexels> texels, std::span<PlanarBlock> blocks, std::span<BlockKind> kinds) {
  HWY_DYNAMIC_DISPATCH(SplitBlocks)(texels, blocks, kinds);
}

BlockTexels join_planes(const PlanarBlock& block) {
  BlockTexels texels;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    texels[t] = {block.texels[t], block.texels[16 + t], block.texels[32 + t], block.texels[48 + t]};
  return texels;
}

void rank_uastc(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, BlockClass block_class,
                const SearchSettings& settings, std::span<Finalists> finalists) {
  HWY_DYNAMIC_DISPATCH(RankUastc)(blocks, order, block_class, settings, finalists);
}

void fit_uastc(std::span<const PlanarBlock> blocks, std::span<const FinalEntry> entries, unsigned mode,
               const SearchSettings& settings, std::span<BlockChoice> choices, std::span<PlanarBlock> decoded) {
  HWY_DYNAMIC_DISPATCH(FitUastc)(blocks, entries, mode, settings, choices, decoded);
}

}  // namespace assetc::codec
#endif
