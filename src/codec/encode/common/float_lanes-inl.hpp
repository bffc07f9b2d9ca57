// Vectors of floats, one block per lane. Included once per SIMD target.
//
// Kernels use only operations whose rounding IEEE 754 defines. Their order does not depend on the number of lanes, so
// every target gives the same bits.
#if defined(ASSETC_CODEC_FLOAT_LANES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_FLOAT_LANES_INL_HPP_
#undef ASSETC_CODEC_FLOAT_LANES_INL_HPP_
#else
#define ASSETC_CODEC_FLOAT_LANES_INL_HPP_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
inline constexpr D d{};
inline constexpr std::size_t kLanes = hn::MaxLanes(D());
using Row = float[kLanes];  // one value of every block in the group

HWY_INLINE V load(const Row& row) { return hn::Load(d, row); }
HWY_INLINE void store(V v, Row& row) { hn::Store(v, d, row); }
HWY_INLINE V set(float x) { return hn::Set(d, x); }
HWY_INLINE V zero() { return hn::Zero(d); }
HWY_INLINE V one_where(M m) { return hn::IfThenElseZero(m, set(1.0f)); }
HWY_INLINE V mul(V a, V b) { return hn::Mul(a, b); }
HWY_INLINE V add(V a, V b) { return hn::Add(a, b); }
HWY_INLINE V sub(V a, V b) { return hn::Sub(a, b); }
HWY_INLINE V clamp(V v, V low, V high) { return hn::Min(hn::Max(v, low), high); }

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
