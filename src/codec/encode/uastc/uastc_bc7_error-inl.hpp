// Measures the error that a fitted UASTC block has after transcoding to BC7. One block per lane. Included once per SIMD
// target.
#if defined(ASSETC_CODEC_UASTC_BC7_ERROR_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_UASTC_BC7_ERROR_INL_HPP_
#undef ASSETC_CODEC_UASTC_BC7_ERROR_INL_HPP_
#else
#define ASSETC_CODEC_UASTC_BC7_ERROR_INL_HPP_
#endif

#include <array>

#include "codec/encode/uastc/uastc_fit-inl.hpp"
#include "codec/transcode/uastc_bc7_ends.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// How BC7's modes store endpoints.
enum class Bc7Ends {
  kExact,     // 8 bits: the channel with its own indices in mode 5
  k7,         // the other channels of mode 5
  k7P,        // modes 3 and 6: 7 bits, and a p bit for each endpoint
  k6SharedP,  // mode 1: 6 bits, and a p bit for both endpoints
  k5P,        // mode 7
  k5,         // mode 2
};

// [8-bit value] -> the value that BC7 decodes for it.
template <unsigned kBits>
inline constexpr auto kBc7Value = [] {
  std::array<float, 256> table{};
  for (unsigned v = 0; v < 256; ++v) table[v] = expand_bc7(bc7_end_without_p<kBits>(v), kBits);
  return table;
}();
template <unsigned kBits>
inline constexpr auto kBc7ValueWithP = [] {
  std::array<std::array<float, 256>, 2> table{};
  for (unsigned p = 0; p < 2; ++p)
    for (unsigned v = 0; v < 256; ++v) table[p][v] = expand_bc7(kBc7EndWithP<kBits>[p][v].value << 1u | p, kBits + 1);
  return table;
}();
// [weight level] -> the weight that BC7 mode 6 has for it.
template <int kBits>
inline constexpr auto kBc7Weight4 = [] {
  std::array<float, 32> table{};
  for (unsigned w = 0; w < 1u << kBits; ++w) table[w] = kBc7Weights4[kBc7Index4[kBits][w]];
  return table;
}();

template <std::size_t N>
HWY_INLINE V look_up(const std::array<float, N>& table, V index) {
  return hn::GatherIndex(d, table.data(), hn::ConvertTo(hn::RebindToSigned<D>(), index));
}

// Rounds two endpoints to values with p bits and takes the better p bits. With two channels the first is gray and
// counts three times, as R, G and B.
template <unsigned kBits, bool kShared, int C>
HWY_INLINE void round_with_p(V (&ends)[2][C]) {
  V with[2][2][C], miss[2][2];
  for (int e = 0; e < 2; ++e)
    for (int p = 0; p < 2; ++p) {
      miss[e][p] = zero();
      for (int c = 0; c < C; ++c) {
        with[e][p][c] = look_up(kBc7ValueWithP<kBits>[static_cast<std::size_t>(p)], ends[e][c]);
        const V off = sub(with[e][p][c], ends[e][c]);
        const V square = mul(off, off);
        miss[e][p] = add(miss[e][p], C == 2 && c == 0 ? mul(square, set(3.0f)) : square);
      }
    }
  for (int p = 0; kShared && p < 2; ++p) miss[0][p] = miss[1][p] = add(miss[0][p], miss[1][p]);
  for (int e = 0; e < 2; ++e) {
    const M odd = hn::Lt(miss[e][1], miss[e][0]);
    for (int c = 0; c < C; ++c) ends[e][c] = hn::IfThenElse(odd, with[e][1][c], with[e][0][c]);
  }
}

template <int C>
HWY_INLINE void round_ends(Bc7Ends kind, V (&ends)[2][C]) {
  switch (kind) {
    case Bc7Ends::kExact:
      break;
    case Bc7Ends::k7P:
      round_with_p<7, false, C>(ends);
      break;
    case Bc7Ends::k6SharedP:
      round_with_p<6, true, C>(ends);
      break;
    case Bc7Ends::k5P:
      round_with_p<5, false, C>(ends);
      break;
    case Bc7Ends::k7:
    case Bc7Ends::k5:
      for (auto& end : ends)
        for (V& v : end) v = look_up(kind == Bc7Ends::k7 ? kBc7Value<7> : kBc7Value<5>, v);
      break;
  }
}

// The weighted squared error of the channels of a fit in BC7.
template <int C, int S, int kBits, int R>
HWY_NOINLINE V measure_bc7_error(const Channels<C>& ch, const Subsets<S>& subsets, const V (&level)[S * C * 2],
                                 const Row* weight, Bc7Ends kind) {
  V base[S][C], step[S][C];
  for (int s = 0; s < S; ++s) {
    V ends[2][C];
    for (int e = 0; e < 2; ++e)
      for (int c = 0; c < C; ++c) ends[e][c] = unquantize_endpoint<R>(level[(s * C + c) * 2 + e]);
    round_ends<C>(kind, ends);
    for (int c = 0; c < C; ++c) {
      base[s][c] = add(ends[0][c], set(0.5f));
      step[s][c] = mul(sub(ends[1][c], ends[0][c]), set(1.0f / 64));
    }
  }
  const bool mode6 = S == 1 && kind == Bc7Ends::k7P;
  V error[C];
  for (V& e : error) e = zero();
  for (int t = 0; t < 16; ++t) {
    const V w = mode6 ? look_up(kBc7Weight4<kBits>, load(weight[t])) : unquantize_weight<kBits>(load(weight[t]));
    for (int c = 0; c < C; ++c) {
      const V from = ASSETC_PICK(S, subsets, t, base[0][c], base[S > 1 ? 1 : 0][c], base[S > 2 ? 2 : 0][c]);
      const V by = ASSETC_PICK(S, subsets, t, step[0][c], step[S > 1 ? 1 : 0][c], step[S > 2 ? 2 : 0][c]);
      const V miss = sub(hn::Floor(add(from, mul(w, by))), load(ch.texels[c][t]));
      error[c] = add(error[c], mul(miss, miss));
    }
  }
  V total = mul(error[0], ch.weight[0]);
  for (int c = 1; c < C; ++c) total = add(total, mul(error[c], ch.weight[c]));
  return total;
}

// How BC7 stores the endpoints of the one-plane mode with these C, S and kBits. If two modes have the same ones, mode
// decides.
template <int C, int S, int kBits>
constexpr Bc7Ends bc7_ends_of(unsigned mode) {
  if (S == 1 || mode == 4) return Bc7Ends::k7P;
  if (C != 3) return Bc7Ends::k5P;
  return kBits == 3 ? Bc7Ends::k6SharedP : Bc7Ends::k5;
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
