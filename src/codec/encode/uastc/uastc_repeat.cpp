#include "codec/encode/uastc/uastc_repeat.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/uastc/uastc_repeat.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "codec/encode/common/block_lanes-inl.hpp"
#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/common/planar_lanes-inl.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "codec/encode/uastc/uastc_rdo.hpp"

#ifndef ASSETC_CODEC_UASTC_REPEAT_ONCE_
#define ASSETC_CODEC_UASTC_REPEAT_ONCE_
namespace assetc::codec {

// The number of different blocks that are remembered.
inline constexpr unsigned kRepeatWindow = 128;
inline constexpr unsigned kRepeatBatch = 64;  // blocks that are measured together
// The expected bits of a block that repeats no other.
inline constexpr float kBlockBits = 112;
// The bits of a match at a distance that Zstd remembers, and at another one, without the bits of the distance.
inline constexpr float kRecentMatchBits = 9.5f, kNewMatchBits = 14.5f;
// The exact error is measured for at most this many blocks, the likeliest first.
inline constexpr unsigned kRepeatTrials = 3;
// Blocks of one color repeat only equal blocks, so their lambda only orders these.
inline constexpr float kSolidLambda = 1.0f / 1024;
// An error that no block reaches. Its square is finite.
inline constexpr float kFar = 1e9f;

// Sums of a channel: of all its texels, and of left - right, top - bottom and both halves. They are orthonormal and
// include the weight of the channel. So two blocks differ at least by the squared differences of their sums.
inline constexpr unsigned kSums = 4;
template <unsigned kCount>
struct alignas(64) SumRows {
  std::array<std::array<std::array<float, kCount>, 4>, kSums> of;  // [sum][channel][block]
};

struct RepeatBatch {
  std::array<BlockTexels, kRepeatBatch> texels;
  std::array<PlanarBlock, kRepeatBatch> planar;
  std::array<BlockKind, kRepeatBatch> kinds;
  SumRows<kRepeatBatch> sums;
  alignas(64) std::array<float, kRepeatBatch> lambda;  // by the smoothness of the block
};

// The last different blocks of a segment.
struct RepeatHistory {
  unsigned count = 0;
  SumRows<kRepeatWindow> sums;
  // 0 if the block is opaque, kFar if it is not, so that the two differ too much. Entries that are not used are
  // further.
  alignas(64) std::array<float, kRepeatWindow> opaque;
  alignas(64) std::array<float, kRepeatWindow> at;  // the position of the block, or of its last repetition
  std::array<PlanarBlock, kRepeatWindow> planar;
  std::array<std::uint32_t, kRepeatWindow> number;  // in the image
};

struct RepeatSegment {
  const TexelView& image;
  std::array<float, 4> weights;
  float lambda;
  std::size_t first;
  std::span<std::uint32_t> from;
};

}  // namespace assetc::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

using RepeatRow = std::array<float, kRepeatWindow>;

HWY_INLINE V load_at(const float* row) { return hn::Load(d, row); }
HWY_INLINE V square(V v) { return mul(v, v); }

// The index of the first of the least of count values. Values that fill the last group must be larger.
HWY_INLINE unsigned index_of_least(const RepeatRow& row, unsigned count) {
  V least = set(std::numeric_limits<float>::max()), index = zero();
  const V lanes = hn::Iota(d, 0.0f);
  for (unsigned first = 0; first < count; first += static_cast<unsigned>(kLanes)) {
    const V value = load_at(&row[first]);
    const M lower = hn::Lt(value, least);
    least = hn::IfThenElse(lower, value, least);
    index = hn::IfThenElse(lower, add(lanes, set(static_cast<float>(first))), index);
  }
  const M equal = hn::Eq(least, hn::MinOfLanes(d, least));
  const V found = hn::IfThenElse(equal, index, set(std::numeric_limits<float>::max()));
  return static_cast<unsigned>(hn::GetLane(hn::MinOfLanes(d, found)));
}

HWY_INLINE std::int32_t squared_difference(const std::uint8_t* a, const std::uint8_t* b) {
#if HWY_TARGET == HWY_SCALAR
  std::int32_t sum = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) sum += (a[t] - b[t]) * (a[t] - b[t]);
  return sum;
#else
  const hn::FixedTag<std::uint8_t, 8> d8;
  const hn::FixedTag<std::int16_t, 8> d16;
  const hn::FixedTag<std::int32_t, 4> d32;
  auto even = hn::Zero(d32), odd = hn::Zero(d32);
  for (unsigned t = 0; t < kBlockTexels; t += 8) {
    const auto miss = hn::Sub(hn::PromoteTo(d16, hn::Load(d8, a + t)), hn::PromoteTo(d16, hn::Load(d8, b + t)));
    even = hn::ReorderWidenMulAccumulate(d32, miss, miss, even, odd);
  }
  return hn::GetLane(hn::SumOfLanes(d32, hn::Add(even, odd)));
#endif
}

class Repeats {
 public:
  Repeats(const RepeatSegment& segment, RepeatHistory& history) : segment_(segment), history_(history) {
    for (unsigned c = 0; c < 4; ++c) {
      // The other channels count only in the exact error.
      if (segment.weights[c] <= kTieWeight) continue;
      channels_[channel_count_++] = c;
      if (c < 3) ++color_count_;
    }
    history_.opaque.fill(kFar * 2);
    history_.at.fill(0);
    history_.sums = {};
  }

  void run(RepeatBatch& batch) {
    const std::size_t count = segment_.from.size();
    for (std::size_t first = 0; first < count; first += kRepeatBatch) {
      const std::size_t size = std::min<std::size_t>(kRepeatBatch, count - first);
      for (std::size_t i = 0; i < size; ++i) load_block(segment_.image, segment_.first + first + i, batch.texels[i]);
      split_blocks(std::span(batch.texels).first(size), batch.planar, batch.kinds);
      measure(batch, size);
      for (unsigned i = 0; i < size; ++i) {
        const auto number = static_cast<std::uint32_t>(segment_.first + first + i);
        segment_.from[first + i] = choose(batch, i, static_cast<float>(first + i), number);
      }
    }
  }

 private:
  // Sets the sums and lambdas of the blocks.
  void measure(RepeatBatch& batch, std::size_t size) const {
    for (std::size_t first = 0; first < size; first += kLanes) {
      std::uint32_t index[kLanes];
      consecutive(size, first, index);
      V most = zero();
      for (unsigned k = 0; k < channel_count_; ++k) {
        const unsigned c = channels_[k];
        alignas(64) Row rows[kBlockTexels];
        load_channel(batch.planar.data(), index, c, rows);
        V squares = zero();
        for (const Row& row : rows) squares = add(squares, square(load(row)));
        const auto quadrant = [&](unsigned t) HWY_ATTR {
          return add(add(load(rows[t]), load(rows[t + 1])), add(load(rows[t + 4]), load(rows[t + 5])));
        };
        const V q0 = quadrant(0), q1 = quadrant(2), q2 = quadrant(8), q3 = quadrant(10);
        const V left = add(q0, q2), right = add(q1, q3), falling = add(q0, q3), rising = add(q1, q2);
        const V sum = add(left, right);
        most = hn::Max(most, sub(squares, mul(square(sum), set(1.0f / 16))));
        const V scale = hn::Sqrt(set(segment_.weights[c] / 16));
        const auto put = [&](unsigned s, V v) HWY_ATTR { hn::Store(mul(v, scale), d, &batch.sums.of[s][c][first]); };
        put(0, sum);
        put(1, sub(left, right));
        put(2, sub(add(q0, q1), add(q2, q3)));
        put(3, sub(falling, rising));
      }
      const V smooth =
          hn::Max(zero(), sub(set(1), hn::Div(hn::Sqrt(mul(most, set(1.0f / 16))), set(kSmoothDeviation))));
      hn::Store(hn::Div(set(segment_.lambda), add(set(1), mul(smooth, set(kSmoothGain)))), d, &batch.lambda[first]);
    }
  }

  // Returns the number of the block that block i of the batch repeats, or its own number, and remembers the choice.
  std::uint32_t choose(const RepeatBatch& batch, unsigned i, float position, std::uint32_t number) {
    const bool solid = batch.kinds[i] == BlockKind::kSolid;
    const bool opaque = batch.kinds[i] == BlockKind::kOpaque || batch.kinds[i] == BlockKind::kGrayOpaque ||
                        (solid && batch.planar[i].texels[48] == 255);
    const unsigned channels = opaque ? color_count_ : channel_count_;
    const float far = opaque ? 0 : kFar;
    unsigned entry = 0;
    if (find(batch, i, position, solid, far, channels, entry)) {
      const float distance = position - history_.at[entry];
      if (distance != open_) {
        const auto last = std::find(recent_.begin(), recent_.end() - 1, distance);
        std::rotate(recent_.begin(), last, last + 1);
        recent_[0] = distance;
      }
      open_ = distance;
      history_.at[entry] = position;
      return history_.number[entry];
    }
    open_ = 0;
    entry = history_.count < kRepeatWindow ? history_.count++ : index_of_least(history_.at, kRepeatWindow);
    history_.opaque[entry] = far;
    history_.at[entry] = position;
    history_.planar[entry] = batch.planar[i];
    history_.number[entry] = number;
    for (unsigned s = 0; s < kSums; ++s)
      for (unsigned k = 0; k < channels; ++k)
        history_.sums.of[s][channels_[k]][entry] = batch.sums.of[s][channels_[k]][i];
    return number;
  }

  // Finds the entry that costs least. Returns false if the block itself costs less. far: see RepeatHistory::opaque.
  bool find(const RepeatBatch& batch, unsigned i, float position, bool solid, float far, unsigned channels,
            unsigned& best) const {
    const float lambda = solid ? kSolidLambda : batch.lambda[i];
    float least = lambda * kBlockBits;
    const V limit = set(least);
    alignas(64) RepeatRow costs;
    bool any = false;
    for (unsigned first = 0; first < history_.count; first += static_cast<unsigned>(kLanes)) {
      V error = square(sub(load_at(&history_.opaque[first]), set(far)));
      const auto add_sums = [&](unsigned s) HWY_ATTR {
        for (unsigned k = 0; k < channels; ++k) {
          const unsigned c = channels_[k];
          error = add(error, square(sub(load_at(&history_.sums.of[s][c][first]), set(batch.sums.of[s][c][i]))));
        }
      };
      add_sums(0);
      if (!hn::AllFalse(d, hn::Lt(error, limit))) {
        for (unsigned s = 1; s < kSums; ++s) add_sums(s);
        error = add(error, mul(set(lambda), match_bits(set(position), load_at(&history_.at[first]))));
        any = any || !hn::AllFalse(d, hn::Lt(error, limit));
      }
      hn::Store(error, d, &costs[first]);
    }
    if (!any) return false;
    any = false;
    for (unsigned trial = 0; trial < kRepeatTrials; ++trial) {
      const unsigned k = index_of_least(costs, history_.count);
      if (costs[k] >= least) break;
      float error = 0;
      for (unsigned c = 0; c < 4; ++c)
        error += segment_.weights[c] * static_cast<float>(squared_difference(&batch.planar[i].texels[16 * c],
                                                                             &history_.planar[k].texels[16 * c]));
      const float cost = error + lambda * hn::GetLane(match_bits(set(position), set(history_.at[k])));
      if (cost < least && (!solid || error == 0)) {
        least = cost;
        best = k;
        any = true;
      }
      costs[k] = kFar;
    }
    return any;
  }

  HWY_INLINE V match_bits(V position, V at) const {
    const V distance = sub(position, at);
    const V log2 = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<23>(hn::BitCast(di, distance)), hn::Set(di, 127)));
    V bits = add(log2, set(kNewMatchBits));
    for (const float recent : recent_)
      bits = hn::IfThenElse(hn::Eq(distance, set(recent)), set(kRecentMatchBits), bits);
    return hn::IfThenElse(hn::Eq(distance, set(open_)), zero(), bits);
  }

  const RepeatSegment& segment_;
  RepeatHistory& history_;
  std::array<unsigned, 4> channels_{};  // those that count, alpha last
  unsigned channel_count_ = 0, color_count_ = 0;
  // Distances in blocks: of the match that covers the last block (0: none), and of the last matches, latest first.
  float open_ = 0;
  std::array<float, 3> recent_{};
};

void FindRepeats(const RepeatSegment& segment, RepeatHistory& history, RepeatBatch& batch) {
  Repeats(segment, history).run(batch);
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(FindRepeats);

void find_repeats(const TexelView& image, const EncodeOptions& options, std::span<std::uint32_t> from) {
  struct Memory {
    RepeatHistory history;
    RepeatBatch batch;
  };
  const std::size_t segment = std::size_t{rdo_segment_rows(image.width)} / 4 * image.blocks_across();
  const std::size_t segments = (image.block_count() + segment - 1) / segment;
  oneapi::tbb::parallel_for(std::size_t{0}, segments, [&](std::size_t i) {
    const std::size_t first = i * segment, count = std::min(segment, image.block_count() - first);
    const auto memory = std::make_unique<Memory>();
    HWY_DYNAMIC_DISPATCH(FindRepeats)
    ({image, channel_weights_of(options), options.rdo, first, from.subspan(first, count)}, memory->history,
     memory->batch);
  });
}

}  // namespace assetc::codec
#endif
