#include "codec/encode/uastc/uastc_hints_eac.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/uastc/uastc_hints_eac.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <array>

#include "codec/block/etc_block.hpp"
#include "codec/encode/common/pair_lanes-inl.hpp"

#ifndef ASSETC_CODEC_UASTC_HINTS_EAC_ONCE_
#define ASSETC_CODEC_UASTC_HINTS_EAC_ONCE_
namespace assetc::codec {

// A table's modifiers in ascending order.
struct EacRamp {
  std::array<int, 8> step{};
  int span = 0;     // between its ends
  int below = 0;    // how far the first is below 0
  int inverse = 0;  // 1 / (2 * span), in units of 2^-kInverseBits, rounded up
};
constexpr int kInverseBits = 21;
constexpr auto kEacRamps = [] {
  std::array<EacRamp, kEacModifiers.size()> ramps{};
  for (std::size_t table = 0; table < ramps.size(); ++table) {
    EacRamp& r = ramps[table];
    for (std::size_t i = 0; i < 8; ++i) r.step[i] = kEacModifiers[table][i < 4 ? 3 - i : i];
    r.span = r.step[7] - r.step[0];
    r.below = -r.step[0];
    r.inverse = (1 << kInverseBits) / (2 * r.span) + 1;
  }
  return ramps;
}();
// (2 * range * times + span) / (2 * span), rounded down.
constexpr int rounded_fraction(int range, int times, const EacRamp& ramp) {
  return (2 * range * times + ramp.span) * ramp.inverse >> kInverseBits;
}
static_assert([] {
  for (const EacRamp& ramp : kEacRamps)
    for (int range = 0; range < 256; ++range)
      for (const int times : {1, ramp.below})
        if (rounded_fraction(range, times, ramp) != (2 * range * times + ramp.span) / (2 * ramp.span)) return false;
  return true;
}());

// Tables that together suit most blocks: even steps, steps that are denser in the middle, and steps that are denser at
// the ends.
constexpr bool suits_many(std::size_t table) {
  return table == 2 || table == 8 || table == 11 || table == kEacFineTable;
}

}  // namespace assetc::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// The alphas of the blocks, two texels per lane.
struct Alphas {
  P decoded[8], source[8];
  I low, high;  // of the decoded ones

  HWY_INLINE Alphas(const PlanarBlock* source_blocks, const PlanarBlock* decoded_blocks, I index) {
    const Gathered from(source_blocks, index), to(decoded_blocks, index);
    const I even = whole(0xff00ff);
    P least = pair(255), most = pair(0);
    for (std::size_t y = 0; y < 4; ++y) {
      const I s = from.row(3, y), z = to.row(3, y);
      source[2 * y] = as_pair(hn::And(s, even));
      source[2 * y + 1] = as_pair(hn::And(hn::ShiftRight<8>(s), even));
      decoded[2 * y] = as_pair(hn::And(z, even));
      decoded[2 * y + 1] = as_pair(hn::And(hn::ShiftRight<8>(z), even));
      least = lesser(least, lesser(decoded[2 * y], decoded[2 * y + 1]));
      most = greater(most, greater(decoded[2 * y], decoded[2 * y + 1]));
    }
    low = hn::And(as_lanes(lesser(both(least, 0), both(least, 1))), whole(0xffff));
    high = hn::And(as_lanes(greater(both(most, 0), both(most, 1))), whole(0xffff));
  }
};

// The squared error of the texels with the given steps.
HWY_NOINLINE I error_with(const Alphas& alphas, P base, P multiplier, const EacRamp& ramp) {
  P step[8], edge[7];
  for (int i = 0; i < 8; ++i)
    step[i] = clamp(add(base, mul(multiplier, pair(ramp.step[static_cast<std::size_t>(i)]))), pair(0), pair(255));
  for (int i = 0; i < 7; ++i) edge[i] = right<1>(add(step[i], step[i + 1]));
  SquareSum error;
  for (int t = 0; t < 8; ++t) {
    P nearest = step[0];
    for (int i = 0; i < 7; ++i) nearest = choose(above(alphas.decoded[t], edge[i]), step[i + 1], nearest);
    error.add(sub(alphas.source[t], nearest));
  }
  return error.sum();
}

void SearchEac(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
               std::span<const std::uint32_t> order, HintEffort effort, std::span<EacChoice> choices) {
  const int reach = effort == HintEffort::kBest ? 2 : 0;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    const std::size_t count = HWY_MIN(kLanes, order.size() - first);
    alignas(64) std::int32_t index[kLanes], found[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      index[lane] = static_cast<std::int32_t>(order[first + HWY_MIN(lane, count - 1)]);
    const Alphas alphas(source.data(), decoded.data(), hn::Load(di, index));
    const I range = hn::Sub(alphas.high, alphas.low);
    I least = whole(INT32_MAX), best = whole(0);
    for (std::size_t table = 0; table < kEacRamps.size(); ++table) {
      if (effort == HintEffort::kFast && !suits_many(table)) continue;
      const EacRamp& ramp = kEacRamps[table];
      const auto fraction = [&](int times) HWY_ATTR {
        const I twice = hn::Add(hn::Mul(range, whole(2 * times)), whole(ramp.span));
        return hn::ShiftRight<kInverseBits>(hn::Mul(twice, whole(ramp.inverse)));
      };
      const P base = both(as_pair(hn::Add(alphas.low, fraction(ramp.below))), 0);
      const P fitting = both(as_pair(fraction(1)), 0);
      for (int step = -reach; step <= reach; ++step) {
        const P multiplier = clamp(add(fitting, pair(step)), pair(1), pair(15));
        const I error = error_with(alphas, base, multiplier, ramp);
        const I number = hn::Or(hn::And(as_lanes(multiplier), whole(15)), whole(static_cast<int>(table) << 4));
        best = hn::IfThenElse(hn::Lt(error, least), number, best);
        least = hn::Min(error, least);
      }
    }
    // If all texels have one value, every choice is exact.
    best = hn::IfThenElse(hn::Eq(range, whole(0)), whole(kEacFineTable << 4 | 1), best);
    hn::Store(best, di, found);
    for (std::size_t lane = 0; lane < count; ++lane)
      choices[order[first + lane]] = {static_cast<std::uint8_t>(found[lane] >> 4),
                                      static_cast<std::uint8_t>(found[lane] & 15)};
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SearchEac);

void search_eac_hints(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                      std::span<const std::uint32_t> order, HintEffort effort, std::span<EacChoice> choices) {
  HWY_DYNAMIC_DISPATCH(SearchEac)(source, decoded, order, effort, choices);
}

}  // namespace assetc::codec
#endif
