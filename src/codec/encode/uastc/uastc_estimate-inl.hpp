// Estimates the errors of partitions and second planes from moments, to choose those that are worth fitting. One block
// per lane. Included once per SIMD target.
#if defined(ASSETC_CODEC_UASTC_ESTIMATE_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_UASTC_ESTIMATE_INL_HPP_
#undef ASSETC_CODEC_UASTC_ESTIMATE_INL_HPP_
#else
#define ASSETC_CODEC_UASTC_ESTIMATE_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>

#include "codec/encode/uastc/uastc_fit-inl.hpp"
#include "codec/encode/uastc/uastc_search.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// The fraction of a subset's variance along its axis that remains after four evenly spread weights, about 1 / 4^2.
inline constexpr float kLoss2Bits = 1.0f / 16;
// A few texels in a subset fit their weights better than that rule. This value ranks partitions best on photographs.
inline constexpr float kLossSplit = 1.0f / 160;

struct Group {
  alignas(64) Row texels[4][16];
};

// The k partitions (or planes) with the lowest estimated errors, best first.
struct Ranking {
  V estimate[kMaxRanked];
  V index[kMaxRanked];
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

// Moments of the texels whose bit is set in mask. The mask is the same in every lane.
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
HWY_NOINLINE void rank_partitions2(const Channels<C>& ch, const Row* products, const Moments<C>& all,
                                   const std::array<std::uint16_t, kCount>& partitions, float loss, int k,
                                   Ranking& ranking) {
  clear(ranking, k);
  for (std::size_t p = 0; p < kCount; ++p) {
    const unsigned mask = partitions[p];
    const bool flip = __builtin_popcount(mask) > 8;
    const Moments<C> a = measure_fixed<C>(ch, products, flip ? ~mask & 0xffffu : mask);
    const Moments<C> b = minus(all, a);
    insert(ranking, k, add(estimate_subset<C>(ch, a, loss), estimate_subset<C>(ch, b, loss)),
           set(static_cast<float>(p)));
  }
}

HWY_INLINE void membership(const std::uint16_t (&partitions)[kLanes], M (&in)[16]) {
  const hn::RebindToSigned<D> di;
  alignas(64) std::int32_t bits[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) bits[lane] = partitions[lane];
  const auto mask = hn::Load(di, bits);
  for (int t = 0; t < 16; ++t) in[t] = hn::RebindMask(d, hn::TestBit(mask, hn::Set(di, 1 << t)));
}

HWY_INLINE void membership(const std::uint16_t* partitions, std::size_t stride, V index, M (&in)[16]) {
  alignas(64) Row which;
  std::uint16_t chosen[kLanes];
  store(index, which);
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    chosen[lane] = partitions[static_cast<std::size_t>(which[lane]) * stride];
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

// Channel 0 is R, G and B together, channel 1 is alpha.
HWY_INLINE Channels<2> gray_alpha_channels(const Group& g, const SearchSettings& settings) {
  Channels<2> ch;
  ch.texels[0] = g.texels[0];
  ch.texels[1] = g.texels[3];
  const auto& w = settings.channel_weights;
  ch.weight[0] = set(w[0] + w[1] + w[2]);
  ch.weight[1] = set(w[3]);
  for (int c = 0; c < 2; ++c) ch.root[c] = hn::Sqrt(ch.weight[c]);
  return ch;
}

// Estimates the error with own weights for one channel, for each channel.
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

template <int C>
HWY_INLINE void split2(const Channels<C>& ch, const Moments<C>& all, const std::uint16_t* partitions, V index,
                       Subsets<2>& subsets, Moments<C> (&moments)[2]) {
  membership(partitions, 1, index, subsets.in[0]);
  moments[1] = measure_where<C>(ch.texels, subsets.in[0]);
  moments[0] = minus(all, moments[1]);
}

// Loads the texels of one block per lane, four texels of every block at a time.
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

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
