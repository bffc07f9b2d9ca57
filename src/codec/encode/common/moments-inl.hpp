// Sums over the texels of a subset, and the axis along which the texels vary most. One block per lane. Included once
// per SIMD target.
#if defined(ASSETC_CODEC_MOMENTS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_MOMENTS_INL_HPP_
#undef ASSETC_CODEC_MOMENTS_INL_HPP_
#else
#define ASSETC_CODEC_MOMENTS_INL_HPP_
#endif

#include "codec/encode/common/float_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

template <int C>
struct Moments {
  V n;
  V sum[C];
  V product[C * (C + 1) / 2];  // xx, xy, xz, yy, yz, zz
};

template <int C>
HWY_INLINE Moments<C> measure(const Row* const (&channels)[C]) {
  Moments<C> m;
  m.n = set(16.0f);
  for (V& v : m.sum) v = zero();
  for (V& v : m.product) v = zero();
  for (int t = 0; t < 16; ++t) {
    V x[C];
    for (int c = 0; c < C; ++c) x[c] = load(channels[c][t]);
    for (int c = 0, k = 0; c < C; ++c) {
      m.sum[c] = add(m.sum[c], x[c]);
      for (int e = c; e < C; ++e, ++k) m.product[k] = add(m.product[k], mul(x[c], x[e]));
    }
  }
  return m;
}

template <int C>
HWY_INLINE Moments<C> measure_where(const Row* const (&channels)[C], const M (&in)[16]) {
  Moments<C> m;
  m.n = zero();
  for (V& v : m.sum) v = zero();
  for (V& v : m.product) v = zero();
  for (int t = 0; t < 16; ++t) {
    V x[C];
    for (int c = 0; c < C; ++c) x[c] = hn::IfThenElseZero(in[t], load(channels[c][t]));
    m.n = add(m.n, one_where(in[t]));
    for (int c = 0, k = 0; c < C; ++c) {
      m.sum[c] = add(m.sum[c], x[c]);
      for (int e = c; e < C; ++e, ++k) m.product[k] = add(m.product[k], mul(x[c], x[e]));
    }
  }
  return m;
}

template <int C>
HWY_INLINE Moments<C> minus(const Moments<C>& a, const Moments<C>& b) {
  Moments<C> m;
  m.n = sub(a.n, b.n);
  for (int c = 0; c < C; ++c) m.sum[c] = sub(a.sum[c], b.sum[c]);
  for (int k = 0; k < C * (C + 1) / 2; ++k) m.product[k] = sub(a.product[k], b.product[k]);
  return m;
}

// n times the covariance, with every channel scaled by the square root of its weight.
template <int C>
HWY_INLINE void scatter(const Moments<C>& m, const V (&root)[C], V (&out)[C * (C + 1) / 2]) {
  const V inverse_n = hn::Div(set(1.0f), hn::Max(m.n, set(1.0f)));
  for (int c = 0, k = 0; c < C; ++c) {
    const V mean = mul(m.sum[c], inverse_n);
    for (int e = c; e < C; ++e, ++k) out[k] = mul(sub(m.product[k], mul(mean, m.sum[e])), mul(root[c], root[e]));
  }
}

constexpr int diagonal(int channels, int c) { return c * channels - c * (c - 1) / 2; }
constexpr int entry(int channels, int row, int column) {
  return row <= column ? diagonal(channels, row) + column - row : diagonal(channels, column) + row - column;
}

template <int C>
HWY_INLINE V trace(const V (&s)[C * (C + 1) / 2]) {
  V sum = s[0];
  for (int c = 1; c < C; ++c) sum = add(sum, s[diagonal(C, c)]);
  return sum;
}

// The square root of the sum of all squared entries. It is never below the largest eigenvalue, equals it if the texels
// lie on a line, and costs far less.
template <int C>
HWY_INLINE V frobenius(const V (&s)[C * (C + 1) / 2]) {
  V on = zero(), off = zero();
  for (int c = 0, k = 0; c < C; ++c)
    for (int e = c; e < C; ++e, ++k) (c == e ? on : off) = add(c == e ? on : off, mul(s[k], s[k]));
  return hn::Sqrt(add(on, add(off, off)));
}

// The unit vector along which the texels vary most, by the power method.
template <int C>
HWY_INLINE void principal_axis(const V (&s)[C * (C + 1) / 2], int iterations, V (&axis)[C]) {
  if constexpr (C == 1) {
    axis[0] = set(1.0f);
    return;
  } else {
    V largest = s[0];
    for (int c = 0; c < C; ++c) axis[c] = s[entry(C, 0, c)];
    for (int row = 1; row < C; ++row) {
      const V on_diagonal = s[diagonal(C, row)];
      const M better = hn::Gt(on_diagonal, largest);
      largest = hn::Max(largest, on_diagonal);
      for (int c = 0; c < C; ++c) axis[c] = hn::IfThenElse(better, s[entry(C, row, c)], axis[c]);
    }
    // Scaled so that entries are at most 1 and repeated products stay in range.
    const V scale = hn::Div(set(1.0f), add(trace<C>(s), set(1e-6f)));
    for (V& a : axis) a = mul(a, scale);
    for (int i = 0; i < iterations; ++i) {
      V next[C];
      for (int row = 0; row < C; ++row) {
        next[row] = mul(s[entry(C, row, 0)], axis[0]);
        for (int c = 1; c < C; ++c) next[row] = add(next[row], mul(s[entry(C, row, c)], axis[c]));
      }
      for (int c = 0; c < C; ++c) axis[c] = mul(next[c], scale);
    }
    V squared = mul(axis[0], axis[0]);
    for (int c = 1; c < C; ++c) squared = add(squared, mul(axis[c], axis[c]));
    const M flat = hn::Lt(squared, set(1e-20f));
    const V inverse = hn::Div(set(1.0f), hn::Sqrt(hn::IfThenElse(flat, set(1.0f), squared)));
    const float even = C == 2 ? 0.70710678f : C == 3 ? 0.57735027f : 0.5f;
    for (V& a : axis) a = hn::IfThenElse(flat, set(even), mul(a, inverse));
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
