#include "codec/encode/uastc/uastc_rdo_scan.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/uastc/uastc_rdo_scan.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "codec/block/bise.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Every operation here rounds as IEEE 754 says, in an order that does not depend on the lane count.
using ScanTag = hn::CappedTag<float, 16>;
using ScanVector = hn::Vec<ScanTag>;

struct ScanGroup {
  unsigned first;
  HWY_INLINE ScanVector load(const RdoRow& row) const { return hn::Load(ScanTag(), &row.of[first]); }
};
HWY_INLINE ScanVector scan_set(float x) { return hn::Set(ScanTag(), x); }

struct ScanSource {
  float texels[4][kBlockTexels];
  unsigned channels;
  explicit ScanSource(const RdoTexels& source) : channels(source.opaque ? 3 : 4) {
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned t = 0; t < kBlockTexels; ++t) texels[c][t] = source.planes[c][t];
  }
};

template <class Error>
HWY_INLINE void for_each_group(unsigned count, RdoRow& errors, Error&& error) {
  for (unsigned first = 0; first < count; first += static_cast<unsigned>(hn::Lanes(ScanTag())))
    hn::Store(error(ScanGroup{first}), ScanTag(), &errors.of[first]);
}

void ScanWholes(const WholeRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  const ScanSource x(source);
  for_each_group(count, errors, [&](ScanGroup g) HWY_ATTR {
    ScanVector total = hn::Zero(ScanTag());
    for (unsigned c = 0; c < x.channels; ++c) {
      ScanVector sum = hn::Zero(ScanTag());
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        const ScanVector miss = hn::Sub(g.load(rows.texels[c][t]), scan_set(x.texels[c][t]));
        sum = hn::Add(sum, hn::Mul(miss, miss));
      }
      total = hn::Add(total, hn::Mul(sum, scan_set(source.weights[c])));
    }
    return total;
  });
}

template <unsigned kChannels>
HWY_INLINE void scan_heads_of(const HeadRows& rows, unsigned count, const RdoTexels& source, const ScanSource& x,
                              RdoRow& errors) {
  for_each_group(count, errors, [&](ScanGroup g) HWY_ATTR {
    ScanVector along[kChannels], low[kChannels], step[kChannels], error[kChannels];
    for (unsigned c = 0; c < kChannels; ++c) {
      along[c] = g.load(rows.along[c]);
      low[c] = g.load(rows.low[c]);
      step[c] = g.load(rows.step[c]);
      error[c] = hn::Zero(ScanTag());
    }
    const ScanVector start = g.load(rows.start), top = g.load(rows.top);
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      ScanVector w = start;
      for (unsigned c = 0; c < kChannels; ++c) w = hn::Add(w, hn::Mul(along[c], scan_set(x.texels[c][t])));
      const ScanVector limit = t == 0 ? g.load(rows.anchor_top) : top;
      w = hn::Floor(hn::Min(hn::Max(w, hn::Zero(ScanTag())), limit));
      for (unsigned c = 0; c < kChannels; ++c) {
        const ScanVector miss = hn::Sub(hn::Add(low[c], hn::Mul(w, step[c])), scan_set(x.texels[c][t]));
        error[c] = hn::Add(error[c], hn::Mul(miss, miss));
      }
    }
    ScanVector total = hn::Zero(ScanTag());
    for (unsigned c = 0; c < kChannels; ++c) total = hn::Add(total, hn::Mul(error[c], scan_set(source.weights[c])));
    return total;
  });
}

void ScanHeads(const HeadRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  const ScanSource x(source);
  if (x.channels == 3) return scan_heads_of<3>(rows, count, source, x, errors);
  scan_heads_of<4>(rows, count, source, x, errors);
}

// The share of the variance that a line through (weight, channel) explains is all that endpoints can do.
void ScanTails(const TailRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  const ScanSource x(source);
  float flat = 0;
  for (unsigned c = 0; c < x.channels; ++c) {
    const float sum = static_cast<float>(source.sums[c]);
    flat += (static_cast<float>(source.squares[c]) - sum * sum / 16) * source.weights[c];
  }
  for_each_group(count, errors, [&](ScanGroup g) HWY_ATTR {
    ScanVector explained = hn::Zero(ScanTag());
    for (unsigned c = 0; c < x.channels; ++c) {
      ScanVector dot = hn::Zero(ScanTag());
      for (unsigned t = 0; t < kBlockTexels; ++t)
        dot = hn::Add(dot, hn::Mul(g.load(rows.centred[t]), scan_set(x.texels[c][t])));
      explained = hn::Add(explained, hn::Mul(hn::Mul(dot, dot), scan_set(source.weights[c])));
    }
    const ScanVector left = hn::Sub(scan_set(flat), hn::Mul(explained, g.load(rows.inverse)));
    return hn::Add(left, g.load(rows.rounding));
  });
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(ScanWholes);
HWY_EXPORT(ScanHeads);
HWY_EXPORT(ScanTails);

void scan_wholes(const WholeRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  HWY_DYNAMIC_DISPATCH(ScanWholes)(rows, count, source, errors);
}
void scan_heads(const HeadRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  HWY_DYNAMIC_DISPATCH(ScanHeads)(rows, count, source, errors);
}
void scan_tails(const TailRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  HWY_DYNAMIC_DISPATCH(ScanTails)(rows, count, source, errors);
}

void WholeRows::set(unsigned entry, const BlockTexels& decoded) {
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 4; ++c) texels[c][t].of[entry] = decoded[t][c];
}

void HeadRows::set(unsigned entry, const UastcBlock& block, const std::array<float, 4>& channel_weights) {
  const UastcMode& mode = kUastcModes[block.mode];
  const std::array<Rgba8, 2> ends = uastc_endpoints(block, 0);
  const unsigned levels = 1u << mode.weight_bits;
  const float last = static_cast<float>(levels - 1);
  float length = 0, offset = 0;
  for (unsigned c = 0; c < 4; ++c) {
    const float from = ends[0][c], delta = static_cast<float>(ends[1][c]) - from;
    const float pull = delta * channel_weights[c];
    along[c].of[entry] = pull;
    length += pull * delta;
    offset += pull * from;
    low[c].of[entry] = from;
    step[c].of[entry] = delta / last;
  }
  const float scale = last / std::max(length, 1e-3f);
  for (RdoRow& row : along) row.of[entry] *= scale;
  start.of[entry] = 0.5f - offset * scale;
  top.of[entry] = last;
  anchor_top.of[entry] = static_cast<float>(levels / 2 - 1);
}

void TailRows::set(unsigned entry, const UastcBlock& block, const std::array<float, 4>& channel_weights) {
  const UastcMode& mode = kUastcModes[block.mode];
  const auto& values = kWeightValues[mode.weight_bits];
  int sum = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) sum += values[block.weights[t]];
  float squares = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const float v = static_cast<float>(values[block.weights[t]] * static_cast<int>(kBlockTexels) - sum);
    centred[t].of[entry] = v;
    squares += v * v;
  }
  inverse.of[entry] = squares > 0 ? 1 / squares : 0;
  // A level off by a uniform error at both ends, mixed over the texels.
  const float gap = 255.0f / static_cast<float>(kBiseRanges[mode.endpoint_range].levels - 1);
  float weight = 0;
  for (unsigned c = 0; c < (mode.has_alpha() ? 4u : 3u); ++c) weight += channel_weights[c];
  rounding.of[entry] = (gap * gap - 1) / 12 * 6 * weight;
}

}  // namespace assetc::codec
#endif
