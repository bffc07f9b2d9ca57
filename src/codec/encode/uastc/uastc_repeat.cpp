#include "codec/encode/uastc/uastc_repeat.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/uastc/uastc_repeat.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <utility>

#include "codec/encode/common/block_lanes-inl.hpp"
#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/common/planar_lanes-inl.hpp"
#include "codec/encode/common/thread_memory.hpp"
#include "codec/encode/rdo/rdo_texels.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "codec/encode/uastc/uastc_rdo.hpp"
#include "parallel/parallel.hpp"

#ifndef ASSETC_CODEC_UASTC_REPEAT_ONCE_
#define ASSETC_CODEC_UASTC_REPEAT_ONCE_
namespace assetc::codec {

// The number of different blocks that are remembered.
inline constexpr unsigned kRepeatWindow = 512;
// Entries compete for this many places. It is the largest number of lanes, so that the choice is the same with fewer.
inline constexpr std::size_t kSlots = 16;
inline constexpr unsigned kRepeatBatch = 64;  // blocks that are measured together
// The expected bits of a block that repeats no other.
inline constexpr float kBlockBits = 112;
// The bits of a match at a distance that Zstd remembers, and at another one, without the bits of the distance.
inline constexpr float kRecentMatchBits = 9.5f, kNewMatchBits = 14.5f;
// The exact error is measured for at most this many blocks, the likeliest first.
inline constexpr unsigned kRepeatTrials = 3;
// Blocks of one color repeat only equal blocks, so their lambda only orders these.
inline constexpr float kSolidLambda = 1.0f / 1024;
// A cost that no block reaches.
inline constexpr float kFar = 1e9f;
// Added to a sum of blocks with alpha, and subtracted in entries that are not used, so that they differ too much from
// opaque blocks. No sum is as large.
inline constexpr float kApart = 1 << 19;

// Sums of a channel: of all its texels, and of left - right, top - bottom and both halves. They are orthonormal and
// include the weight of the channel. So two blocks differ at least by the squared differences of their sums.
inline constexpr unsigned kSums = 4;
template <unsigned kCount>
struct alignas(64) SumRows {
  std::array<std::array<std::array<float, kCount>, 4>, kSums> of;  // [sum][channel that counts][block]
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
  unsigned count = 0, next = 0;
  SumRows<kRepeatWindow> sums;
  alignas(64) std::array<float, kRepeatWindow> at;  // the position of the block, or of its last repetition
  std::array<PlanarBlock, kRepeatWindow> planar;
  std::array<std::uint32_t, kRepeatWindow> number;  // in the image
  std::array<bool, kRepeatWindow> kept;             // repeated since its turn to be evicted
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

HWY_INLINE V load_at(const float* row) { return hn::Load(d, row); }
HWY_INLINE V square(V v) { return mul(v, v); }

// The index of the first of the least values.
HWY_INLINE unsigned index_of_least(const std::array<float, kSlots>& values) {
  V least = load_at(values.data()), index = hn::Iota(d, 0.0f);
  for (std::size_t first = kLanes; first < kSlots; first += kLanes) {
    const V value = load_at(&values[first]);
    const M lower = hn::Lt(value, least);
    least = hn::IfThenElse(lower, value, least);
    index = hn::IfThenElse(lower, hn::Iota(d, static_cast<float>(first)), index);
  }
  const M equal = hn::Eq(least, hn::MinOfLanes(d, least));
  const V found = hn::IfThenElse(equal, index, set(kFar));
  return static_cast<unsigned>(hn::GetLane(hn::MinOfLanes(d, found)));
}

// The likeliest entry of every kSlots: entry k competes with those whose remainder is the same.
struct Likeliest {
  alignas(64) std::array<float, kSlots> cost, entry;
};

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
    const bool all = std::ranges::all_of(segment.weights, [](float weight) { return weight <= kTieWeight; });
    for (unsigned c = 0; c < 4; ++c) {
      // The other channels count only in the exact error.
      if (segment.weights[c] <= kTieWeight && !all) continue;
      channels_[channel_count_++] = c;
      if (c < 3) ++color_count_;
    }
    history_.at.fill(0);
    history_.kept.fill(false);
    history_.sums = {};
    history_.sums.of[0][0].fill(-kApart);
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
        const auto put = [&](unsigned s, V v) HWY_ATTR { hn::Store(mul(v, scale), d, &batch.sums.of[s][k][first]); };
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
  std::uint32_t choose(RepeatBatch& batch, unsigned i, float position, std::uint32_t number) {
    const bool solid = batch.kinds[i] == BlockKind::kSolid;
    const bool opaque = batch.kinds[i] == BlockKind::kOpaque || batch.kinds[i] == BlockKind::kGrayOpaque ||
                        (solid && batch.planar[i].texels[48] == 255);
    // Alpha does not differ between opaque blocks.
    const unsigned channels = opaque && color_count_ > 0 ? color_count_ : channel_count_;
    if (!opaque) batch.sums.of[0][0][i] += kApart;
    unsigned entry = 0;
    if (find(batch, i, position, solid, channels, entry)) {
      const float distance = position - history_.at[entry];
      if (distance != open_) {
        const auto last = std::find(recent_.begin(), recent_.end() - 1, distance);
        std::rotate(recent_.begin(), last, last + 1);
        recent_[0] = distance;
      }
      open_ = distance;
      history_.at[entry] = position;
      history_.kept[entry] = true;
      return history_.number[entry];
    }
    open_ = 0;
    entry = evict();
    history_.at[entry] = position;
    history_.planar[entry] = batch.planar[i];
    history_.number[entry] = number;
    history_.kept[entry] = false;
    for (unsigned s = 0; s < kSums; ++s)
      for (unsigned k = 0; k < channels; ++k) history_.sums.of[s][k][entry] = batch.sums.of[s][k][i];
    return number;
  }

  // Frees the oldest entry. Entries that were repeated since their last turn stay for another round.
  unsigned evict() {
    const auto advance = [&] { return std::exchange(history_.next, (history_.next + 1) % kRepeatWindow); };
    if (history_.count < kRepeatWindow) ++history_.count;
    unsigned entry = advance();
    while (std::exchange(history_.kept[entry], false)) entry = advance();
    return entry;
  }

  // Estimates the costs of all entries by their sums. Returns whether any costs less than limit.
  template <unsigned kChannels>
  bool estimate(const RepeatBatch& batch, unsigned i, float position, float lambda, float limit,
                Likeliest& likeliest) const {
    constexpr std::size_t kParts = kSlots / kLanes;
    float sums[kSums][kChannels];
    for (unsigned s = 0; s < kSums; ++s)
      for (unsigned k = 0; k < kChannels; ++k) sums[s][k] = batch.sums.of[s][k][i];
    V least[kParts], entry[kParts];
    for (std::size_t part = 0; part < kParts; ++part) {
      least[part] = set(limit);
      entry[part] = zero();
    }
    bool any = false;
    for (std::size_t first = 0; first < history_.count; first += kSlots) {
      for (std::size_t part = 0; part < kParts; ++part) {
        const std::size_t at = first + part * kLanes;
        V error = zero();
        const auto add_sums = [&](unsigned s) HWY_ATTR {
          for (unsigned k = 0; k < kChannels; ++k)
            error = add(error, square(sub(load_at(&history_.sums.of[s][k][at]), set(sums[s][k]))));
        };
        add_sums(0);
        if (hn::AllFalse(d, hn::Lt(error, least[part]))) continue;
        for (unsigned s = 1; s < kSums; ++s) add_sums(s);
        const V bits = match_bits(set(position), load_at(&history_.at[at]));
        const V cost = add(error, mul(set(lambda), bits));
        const M lower = hn::Lt(cost, least[part]);
        any = any || !hn::AllFalse(d, lower);
        least[part] = hn::IfThenElse(lower, cost, least[part]);
        entry[part] = hn::IfThenElse(lower, hn::Iota(d, static_cast<float>(at)), entry[part]);
      }
    }
    for (std::size_t part = 0; part < kParts; ++part) {
      hn::Store(least[part], d, &likeliest.cost[part * kLanes]);
      hn::Store(entry[part], d, &likeliest.entry[part * kLanes]);
    }
    return any;
  }

  // Finds the entry that costs least. Returns false if the block itself costs less.
  bool find(const RepeatBatch& batch, unsigned i, float position, bool solid, unsigned channels, unsigned& best) const {
    const float lambda = solid ? kSolidLambda : batch.lambda[i];
    float least = lambda * kBlockBits;
    Likeliest likeliest;
    const auto estimate_of = channels == 1   ? &Repeats::estimate<1>
                             : channels == 2 ? &Repeats::estimate<2>
                             : channels == 3 ? &Repeats::estimate<3>
                                             : &Repeats::estimate<4>;
    if (!(this->*estimate_of)(batch, i, position, lambda, least, likeliest)) return false;
    bool found = false;
    for (unsigned trial = 0; trial < kRepeatTrials; ++trial) {
      const unsigned slot = index_of_least(likeliest.cost);
      if (likeliest.cost[slot] >= least) break;
      likeliest.cost[slot] = kFar;
      const auto entry = static_cast<unsigned>(likeliest.entry[slot]);
      float error = 0;
      for (unsigned c = 0; c < 4; ++c)
        error += segment_.weights[c] * static_cast<float>(squared_difference(&batch.planar[i].texels[16 * c],
                                                                             &history_.planar[entry].texels[16 * c]));
      const float cost = error + lambda * hn::GetLane(match_bits(set(position), set(history_.at[entry])));
      if (cost < least && (!solid || error == 0)) {
        least = cost;
        best = entry;
        found = true;
      }
    }
    return found;
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
  parallel_for(segments, [&](std::size_t i) {
    const std::size_t first = i * segment, count = std::min(segment, image.block_count() - first);
    const OnThread<Memory> memory;
    HWY_DYNAMIC_DISPATCH(FindRepeats)
    ({image, channel_weights_of(options), options.rdo, first, from.subspan(first, count)}, memory->history,
     memory->batch);
  });
}

}  // namespace assetc::codec
#endif
