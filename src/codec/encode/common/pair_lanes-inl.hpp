// Two small integers in every lane: the low 16 of its 32 bits are the first, the high 16 the second. A vector holds
// twice as many of them as floats. Included once per SIMD target.
#if defined(ASSETC_CODEC_PAIR_LANES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_PAIR_LANES_INL_HPP_
#undef ASSETC_CODEC_PAIR_LANES_INL_HPP_
#else
#define ASSETC_CODEC_PAIR_LANES_INL_HPP_
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "codec/encode/common/planar_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

using DU = hn::RebindToUnsigned<DI>;
inline constexpr DU du{};
using PairRow = std::int16_t[2 * kLanes];
using Bytes = std::array<std::uint8_t, 16>;

HWY_INLINE I whole(int v) { return hn::Set(di, v); }

#if HWY_TARGET != HWY_SCALAR

using DP = hn::Repartition<std::int16_t, D>;
using DPU = hn::RebindToUnsigned<DP>;
inline constexpr DP dp{};
inline constexpr DPU dpu{};
using P = hn::Vec<DP>;
using PM = hn::Mask<DP>;

HWY_INLINE P load(const PairRow& row) { return hn::Load(dp, row); }
HWY_INLINE void store(P v, PairRow& row) { hn::Store(v, dp, row); }
HWY_INLINE P pair(int v) { return hn::Set(dp, static_cast<std::int16_t>(v)); }
HWY_INLINE I as_lanes(P v) { return hn::BitCast(di, v); }
HWY_INLINE P as_pair(I v) { return hn::BitCast(dp, v); }
HWY_INLINE P pair_of(P first, P second) { return hn::OddEven(second, first); }

HWY_INLINE P add(P a, P b) { return hn::Add(a, b); }
HWY_INLINE P sub(P a, P b) { return hn::Sub(a, b); }
HWY_INLINE P mul(P a, P b) { return hn::Mul(a, b); }  // the low 16 bits of each product; mul_high has the high ones
HWY_INLINE P mul_high(P a, P b) { return hn::MulHigh(a, b); }
HWY_INLINE P add_saturated(P a, P b) { return hn::SaturatedAdd(a, b); }
HWY_INLINE P sub_saturated(P a, P b) { return hn::SaturatedSub(a, b); }
HWY_INLINE P lesser(P a, P b) { return hn::Min(a, b); }
HWY_INLINE P greater(P a, P b) { return hn::Max(a, b); }
HWY_INLINE P middle_of_unsigned(P a, P b) {  // rounded up
  return hn::BitCast(dp, hn::AverageRound(hn::BitCast(dpu, a), hn::BitCast(dpu, b)));
}
HWY_INLINE P bits_and(P a, P b) { return hn::And(a, b); }
HWY_INLINE P bits_or(P a, P b) { return hn::Or(a, b); }
HWY_INLINE P bits_xor(P a, P b) { return hn::Xor(a, b); }
template <int kBy>
HWY_INLINE P left(P v) {
  return hn::ShiftLeft<kBy>(v);
}
template <int kBy>
HWY_INLINE P right(P v) {
  return hn::ShiftRight<kBy>(v);
}
template <int kBy>
HWY_INLINE P right_unsigned(P v) {
  return hn::BitCast(dp, hn::ShiftRight<kBy>(hn::BitCast(dpu, v)));
}
HWY_INLINE PM above(P a, P b) { return hn::Gt(a, b); }
HWY_INLINE PM same(P a, P b) { return hn::Eq(a, b); }
HWY_INLINE P choose(PM m, P yes, P no) { return hn::IfThenElse(m, yes, no); }
HWY_INLINE P keep(PM m, P v) { return hn::IfThenElseZero(m, v); }
HWY_INLINE P where(PM m) { return hn::VecFromMask(dp, m); }  // -1 or 0
HWY_INLINE bool nowhere(PM m) { return hn::AllFalse(dp, m); }

// For every byte b of the lanes: table[b], or 0 if the top bit of b is set. Bytes must be below 16 or at least 128.
HWY_INLINE I look_up(const Bytes& table, I bytes) {
  const hn::Repartition<std::uint8_t, D> d8;
  return hn::BitCast(di, hn::TableLookupBytesOr0(hn::LoadDup128(d8, table.data()), hn::BitCast(d8, bytes)));
}

// Sums the squares of both numbers of all values that are added.
class SquareSum {
 public:
  HWY_INLINE SquareSum() { part_[0] = part_[1] = hn::Zero(di); }
  HWY_INLINE void add(P v) { part_[0] = hn::ReorderWidenMulAccumulate(di, v, v, part_[0], part_[1]); }
  HWY_INLINE I sum() const { return hn::RearrangeToOddPlusEven(part_[0], part_[1]); }

 private:
  I part_[2];
};

#else  // vectors of one number only

struct P {
  std::int16_t half[2];
};
struct PM {
  bool half[2];
};
template <class F>
HWY_INLINE P each(F&& f) {
  return {{static_cast<std::int16_t>(f(0)), static_cast<std::int16_t>(f(1))}};
}

HWY_INLINE P load(const PairRow& row) { return {{row[0], row[1]}}; }
HWY_INLINE void store(P v, PairRow& row) { std::copy_n(v.half, 2, row); }
HWY_INLINE P pair(int v) {
  return each([&](int) { return v; });
}
HWY_INLINE I as_lanes(P v) { return whole(std::bit_cast<std::int32_t>(v)); }
HWY_INLINE P as_pair(I v) { return std::bit_cast<P>(hn::GetLane(v)); }
HWY_INLINE P pair_of(P first, P second) { return {{first.half[0], second.half[1]}}; }

HWY_INLINE P add(P a, P b) {
  return each([&](int h) { return a.half[h] + b.half[h]; });
}
HWY_INLINE P sub(P a, P b) {
  return each([&](int h) { return a.half[h] - b.half[h]; });
}
HWY_INLINE P mul(P a, P b) {
  return each([&](int h) { return a.half[h] * b.half[h]; });
}
HWY_INLINE P mul_high(P a, P b) {
  return each([&](int h) { return a.half[h] * b.half[h] >> 16; });
}
HWY_INLINE P add_saturated(P a, P b) {
  return each([&](int h) { return std::clamp(a.half[h] + b.half[h], -32768, 32767); });
}
HWY_INLINE P sub_saturated(P a, P b) {
  return each([&](int h) { return std::clamp(a.half[h] - b.half[h], -32768, 32767); });
}
HWY_INLINE P lesser(P a, P b) {
  return each([&](int h) { return std::min(a.half[h], b.half[h]); });
}
HWY_INLINE P greater(P a, P b) {
  return each([&](int h) { return std::max(a.half[h], b.half[h]); });
}
HWY_INLINE P middle_of_unsigned(P a, P b) {
  return each(
      [&](int h) { return (static_cast<std::uint16_t>(a.half[h]) + static_cast<std::uint16_t>(b.half[h]) + 1) >> 1; });
}
HWY_INLINE P bits_and(P a, P b) {
  return each([&](int h) { return a.half[h] & b.half[h]; });
}
HWY_INLINE P bits_or(P a, P b) {
  return each([&](int h) { return a.half[h] | b.half[h]; });
}
HWY_INLINE P bits_xor(P a, P b) {
  return each([&](int h) { return a.half[h] ^ b.half[h]; });
}
template <int kBy>
HWY_INLINE P left(P v) {
  return each([&](int h) { return v.half[h] << kBy; });
}
template <int kBy>
HWY_INLINE P right(P v) {
  return each([&](int h) { return v.half[h] >> kBy; });
}
template <int kBy>
HWY_INLINE P right_unsigned(P v) {
  return each([&](int h) { return static_cast<std::uint16_t>(v.half[h]) >> kBy; });
}
HWY_INLINE PM above(P a, P b) { return {{a.half[0] > b.half[0], a.half[1] > b.half[1]}}; }
HWY_INLINE PM same(P a, P b) { return {{a.half[0] == b.half[0], a.half[1] == b.half[1]}}; }
HWY_INLINE P choose(PM m, P yes, P no) {
  return each([&](int h) { return m.half[h] ? yes.half[h] : no.half[h]; });
}
HWY_INLINE P keep(PM m, P v) { return choose(m, v, pair(0)); }
HWY_INLINE P where(PM m) { return choose(m, pair(-1), pair(0)); }
HWY_INLINE bool nowhere(PM m) { return !m.half[0] && !m.half[1]; }

HWY_INLINE I look_up(const Bytes& table, I bytes) {
  auto b = std::bit_cast<std::array<std::uint8_t, 4> >(hn::GetLane(bytes));
  for (auto& x : b) x = x < 16 ? table[x] : std::uint8_t{0};
  return whole(std::bit_cast<std::int32_t>(b));
}

class SquareSum {
 public:
  HWY_INLINE void add(P v) { sum_ += v.half[0] * v.half[0] + v.half[1] * v.half[1]; }
  HWY_INLINE I sum() const { return whole(sum_); }

 private:
  std::int32_t sum_ = 0;
};

#endif

HWY_INLINE P clamp(P v, P low, P high) { return lesser(greater(v, low), high); }
// Move the first number to the place of the second, or the second to the place of the first. The place left is 0.
HWY_INLINE P first_as_second(P v) { return as_pair(hn::ShiftLeft<16>(as_lanes(v))); }
HWY_INLINE P second_as_first(P v) { return as_pair(hn::BitCast(di, hn::ShiftRight<16>(hn::BitCast(du, as_lanes(v))))); }

// Copies the first number, or the second, to both places.
HWY_INLINE P both(P v, std::size_t half) {
  return half == 0 ? pair_of(v, first_as_second(v)) : pair_of(second_as_first(v), v);
}

// Adds the products of the first numbers to sum[0] and those of the second numbers to sum[1].
HWY_INLINE void add_product(P a, P b, I (&sum)[2]) {
  const P low = mul(a, b), high = mul_high(a, b);
  sum[0] = hn::Add(sum[0], as_lanes(pair_of(low, first_as_second(high))));
  sum[1] = hn::Add(sum[1], as_lanes(pair_of(second_as_first(low), high)));
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
