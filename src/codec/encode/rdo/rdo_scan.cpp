#include "codec/encode/rdo/rdo_scan.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/rdo/rdo_scan.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "codec/encode/common/float_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

struct ScanGroup {
  unsigned first;
  HWY_INLINE V load(const RdoRow& row) const { return hn::Load(d, &row.of[first]); }
};

struct ScanSource {
  float texels[4][kBlockTexels];
  unsigned channels;
  explicit ScanSource(const RdoTexels& source) : channels(source.channels) {
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned t = 0; t < kBlockTexels; ++t) texels[c][t] = source.planes[c][t];
  }
};

template <class Error>
HWY_INLINE void for_each_group(unsigned count, RdoRow& errors, Error&& error) {
  for (unsigned first = 0; first < count; first += static_cast<unsigned>(kLanes))
    hn::Store(error(ScanGroup{first}), d, &errors.of[first]);
}

void ScanWholes(const WholeRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  const ScanSource x(source);
  for_each_group(count, errors, [&](ScanGroup g) HWY_ATTR {
    V total = zero();
    for (unsigned c = 0; c < x.channels; ++c) {
      V sum = zero();
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        const V miss = sub(g.load(rows.texels[c][t]), set(x.texels[c][t]));
        sum = add(sum, mul(miss, miss));
      }
      total = add(total, mul(sum, set(source.weights[c])));
    }
    return total;
  });
}

template <unsigned kChannels>
HWY_INLINE void scan_heads_of(const HeadRows& rows, unsigned count, const RdoTexels& source, const ScanSource& x,
                              RdoRow& errors) {
  for_each_group(count, errors, [&](ScanGroup g) HWY_ATTR {
    V along[kChannels], low[kChannels], step[kChannels], error[kChannels];
    for (unsigned c = 0; c < kChannels; ++c) {
      along[c] = g.load(rows.along[c]);
      low[c] = g.load(rows.low[c]);
      step[c] = g.load(rows.step[c]);
      error[c] = zero();
    }
    const V start = g.load(rows.start), top = g.load(rows.top);
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      V w = start;
      for (unsigned c = 0; c < kChannels; ++c) w = add(w, mul(along[c], set(x.texels[c][t])));
      const V limit = t == 0 ? g.load(rows.anchor_top) : top;
      w = hn::Floor(hn::Min(hn::Max(w, zero()), limit));
      for (unsigned c = 0; c < kChannels; ++c) {
        const V miss = sub(add(low[c], mul(w, step[c])), set(x.texels[c][t]));
        error[c] = add(error[c], mul(miss, miss));
      }
    }
    V total = zero();
    for (unsigned c = 0; c < kChannels; ++c) total = add(total, mul(error[c], set(source.weights[c])));
    return total;
  });
}

void ScanHeads(const HeadRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  const ScanSource x(source);
  if (x.channels == 1) return scan_heads_of<1>(rows, count, source, x, errors);
  if (x.channels == 3) return scan_heads_of<3>(rows, count, source, x, errors);
  scan_heads_of<4>(rows, count, source, x, errors);
}

// Endpoints can remove only the fraction of the variance that a line through (weight, channel) explains.
void ScanTails(const TailRows& rows, unsigned count, const RdoTexels& source, RdoRow& errors) {
  const ScanSource x(source);
  float flat = 0;
  for (unsigned c = 0; c < x.channels; ++c) {
    const float sum = static_cast<float>(source.sums[c]);
    flat += (static_cast<float>(source.squares[c]) - sum * sum / 16) * source.weights[c];
  }
  for_each_group(count, errors, [&](ScanGroup g) HWY_ATTR {
    V explained = zero();
    for (unsigned c = 0; c < x.channels; ++c) {
      V dot = zero();
      for (unsigned t = 0; t < kBlockTexels; ++t) dot = add(dot, mul(g.load(rows.centered[t]), set(x.texels[c][t])));
      explained = add(explained, mul(mul(dot, dot), set(source.weights[c])));
    }
    const V left = sub(set(flat), mul(explained, g.load(rows.inverse)));
    return add(left, g.load(rows.rounding));
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

void HeadRows::set(unsigned entry, const RdoLine& line, const std::array<float, 4>& channel_weights) {
  const float last = static_cast<float>(line.levels - 1);
  float length = 0, offset = 0;
  for (unsigned c = 0; c < 4; ++c) {
    const float from = line.ends[0][c], delta = static_cast<float>(line.ends[1][c]) - from;
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
  anchor_top.of[entry] = static_cast<float>(line.anchor_levels - 1);
}

void TailRows::set(unsigned entry, const RdoLine& line) {
  int sum = 0;
  for (const std::uint8_t w : line.weights) sum += w;
  float squares = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const float v = static_cast<float>(line.weights[t] * static_cast<int>(kBlockTexels) - sum);
    centered[t].of[entry] = v;
    squares += v * v;
  }
  inverse.of[entry] = squares > 0 ? 1 / squares : 0;
  rounding.of[entry] = line.rounding;
}

}  // namespace assetc::codec
#endif
