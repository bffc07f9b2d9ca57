#include "codec/encode/uastc/uastc_hints_bc1.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/uastc/uastc_hints_bc1.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <array>
#include <cstddef>

#include "codec/block/bc_block.hpp"
#include "codec/encode/common/planar_lanes-inl.hpp"

#ifndef ASSETC_CODEC_UASTC_HINTS_BC1_ONCE_
#define ASSETC_CODEC_UASTC_HINTS_BC1_ONCE_
namespace assetc::codec {
// The values that encode_bc1_solid gives for every gray: [red and blue, green], because green has one bit more.
using SolidValues = std::array<std::array<float, 256>, 2>;
}  // namespace assetc::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace {

// All numbers are integers below 2^24, or are rounded as in bc_block.cpp.

struct Texels {
  alignas(64) Row source[3][16];
  alignas(64) Row decoded[3][16];
  V sum[3];  // of the decoded texels
};

struct Line {
  V first[3], second[3];  // 8 bits
  M solid;                // the mean of the decoded texels is used instead
  alignas(64) Row level[16];
};

HWY_INLINE void load_texels(const PlanarBlock* source, const PlanarBlock* decoded, I index, Texels& out) {
  const auto load_rows = [&](const PlanarBlock* blocks, Row(&rows)[3][16]) HWY_ATTR {
    const Gathered gathered(blocks, index);
    const auto byte = hn::Set(di, 255);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t y = 0; y < 4; ++y) {
        const I four = gathered.row(c, y);
        store(hn::ConvertTo(d, hn::And(four, byte)), rows[c][4 * y]);
        store(hn::ConvertTo(d, hn::And(hn::ShiftRight<8>(four), byte)), rows[c][4 * y + 1]);
        store(hn::ConvertTo(d, hn::And(hn::ShiftRight<16>(four), byte)), rows[c][4 * y + 2]);
        store(hn::ConvertTo(d, hn::And(hn::ShiftRight<24>(four), byte)), rows[c][4 * y + 3]);
      }
  };
  load_rows(source, out.source);
  load_rows(decoded, out.decoded);
  for (std::size_t c = 0; c < 3; ++c) {
    out.sum[c] = zero();
    for (const Row& row : out.decoded[c]) out.sum[c] = add(out.sum[c], load(row));
  }
}

// Widens red, green or blue of 5 or 6 bits to 8 bits.
HWY_INLINE V expand(V v, int c) { return hn::Floor(mul(v, set(c == 1 ? 4.0625f : 8.25f))); }

HWY_INLINE void load_line(const Bc1Line* lines, const std::size_t (&place)[kLanes], Line& out) {
  alignas(64) std::int32_t levels[kLanes], colors[2][kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Bc1Line& line = lines[place[lane]];
    levels[lane] = static_cast<std::int32_t>(line.levels);
    colors[0][lane] = line.first;
    colors[1][lane] = line.second;
  }
  const I packed = hn::Load(di, levels);
  for (int t = 0; t < 16; ++t)
    store(hn::ConvertTo(d, hn::And(hn::ShiftRightSame(packed, 2 * t), hn::Set(di, 3))), out.level[t]);
  for (int end = 0; end < 2; ++end) {
    const I color = hn::Load(di, colors[end]);
    V(&wide)[3] = end == 0 ? out.first : out.second;
    wide[0] = expand(hn::ConvertTo(d, hn::ShiftRight<11>(color)), 0);
    wide[1] = expand(hn::ConvertTo(d, hn::And(hn::ShiftRight<5>(color), hn::Set(di, 63))), 1);
    wide[2] = expand(hn::ConvertTo(d, hn::And(color, hn::Set(di, 31))), 2);
  }
  out.solid = hn::Lt(zero(), zero());
}

// Gives every texel the level that is nearest along the line.
HWY_INLINE void project(const Texels& texels, Line& line) {
  V along[3], start = zero(), end = zero();
  for (int c = 0; c < 3; ++c) {
    along[c] = sub(line.second[c], line.first[c]);
    start = add(start, mul(line.first[c], along[c]));
    end = add(end, mul(line.second[c], along[c]));
  }
  // The boundary between levels i and i + 1 is at (2i + 1) / 6 of the length.
  const V length = sub(end, start);
  const V edge[3] = {length, mul(length, set(3.0f)), mul(length, set(5.0f))};
  for (V& a : along) a = mul(a, set(6.0f));
  start = mul(start, set(6.0f));
  for (std::size_t t = 0; t < 16; ++t) {
    V at = sub(mul(load(texels.decoded[0][t]), along[0]), start);
    for (std::size_t c = 1; c < 3; ++c) at = add(at, mul(load(texels.decoded[c][t]), along[c]));
    const V level =
        add(add(one_where(hn::Gt(at, edge[0])), one_where(hn::Gt(at, edge[1]))), one_where(hn::Gt(at, edge[2])));
    store(level, line.level[t]);
  }
}

// Fits endpoints to levels by least squares, as encode_bc1 does. A lane becomes solid if all its levels are equal or
// both its endpoints are.
HWY_INLINE void fit_endpoints(const Texels& texels, Line& line) {
  V b1 = zero(), bb = zero(), weighted[3] = {zero(), zero(), zero()};
  for (std::size_t t = 0; t < 16; ++t) {
    const V w = load(line.level[t]);
    b1 = add(b1, w);
    bb = add(bb, mul(w, w));
    for (std::size_t c = 0; c < 3; ++c) weighted[c] = add(weighted[c], mul(w, load(texels.decoded[c][t])));
  }
  // With a = 3 - level and b = level: the sums of a * a and a * b.
  const V aa = add(sub(set(9.0f * 16), mul(b1, set(6.0f))), bb);
  const V ab = sub(mul(b1, set(3.0f)), bb);
  V determinant = sub(mul(aa, bb), mul(ab, ab));
  const M even = hn::Eq(determinant, zero());
  determinant = hn::IfThenElse(even, set(1.0f), determinant);
  const V scale = hn::Div(set(3.0f), mul(set(255.0f), determinant));
  M same = hn::Eq(zero(), zero());
  for (int c = 0; c < 3; ++c) {
    const V top = set(c == 1 ? 63.0f : 31.0f), k = mul(scale, top);
    const V sum_bt = weighted[c], sum_at = sub(mul(texels.sum[c], set(3.0f)), sum_bt);
    const V a = add(mul(sub(mul(bb, sum_at), mul(ab, sum_bt)), k), set(0.5f));
    const V b = add(mul(sub(mul(aa, sum_bt), mul(ab, sum_at)), k), set(0.5f));
    const V low = hn::Floor(clamp(a, zero(), top)), high = hn::Floor(clamp(b, zero(), top));
    same = hn::And(same, hn::Eq(low, high));
    line.first[c] = expand(low, c);
    line.second[c] = expand(high, c);
  }
  line.solid = hn::Or(line.solid, hn::Or(even, same));
}

// Two rounds, as in encode_bc1. encode_bc1 stops after one if no level changes; the second then changes nothing here.
HWY_NOINLINE void refine(const Texels& texels, Line& line) {
  for (int round = 0; round < 2; ++round) {
    fit_endpoints(texels, line);
    project(texels, line);
  }
}

// The error of the texels that a line decodes to.
HWY_NOINLINE V error_of(const Texels& texels, const Line& line, const SolidValues& solid_values) {
  V palette[3][4];
  for (int c = 0; c < 3; ++c) {
    const V sum = add(line.first[c], line.second[c]);
    palette[c][0] = line.first[c];
    // The added half keeps whole thirds safe from rounding.
    palette[c][1] = hn::Floor(mul(add(add(sum, line.first[c]), set(0.5f)), set(1.0f / 3)));
    palette[c][2] = hn::Floor(mul(add(add(sum, line.second[c]), set(0.5f)), set(1.0f / 3)));
    palette[c][3] = line.second[c];
  }
  if (!hn::AllFalse(d, line.solid)) {
    for (int c = 0; c < 3; ++c) {
      const V mean = hn::Floor(mul(add(texels.sum[c], set(8.0f)), set(1.0f / 16)));
      const V value = hn::GatherIndex(d, solid_values[c == 1].data(), hn::ConvertTo(di, mean));
      for (V& p : palette[c]) p = hn::IfThenElse(line.solid, value, p);
    }
  }
  V error[3] = {zero(), zero(), zero()};
  for (std::size_t t = 0; t < 16; ++t) {
    const V level = load(line.level[t]);
    const M m1 = hn::Ge(level, set(1.0f)), m2 = hn::Ge(level, set(2.0f)), m3 = hn::Ge(level, set(3.0f));
    for (int c = 0; c < 3; ++c) {
      V p = hn::IfThenElse(m1, palette[c][1], palette[c][0]);
      p = hn::IfThenElse(m2, palette[c][2], p);
      p = hn::IfThenElse(m3, palette[c][3], p);
      const V miss = sub(p, load(texels.source[c][t]));
      error[c] = add(error[c], mul(miss, miss));
    }
  }
  return add(add(error[0], error[1]), error[2]);
}

// Finds the line through the two texels at the ends of the principal axis, as encode_bc1 does.
HWY_NOINLINE void fresh_line(const Texels& texels, Line& line) {
  V products[6];
  for (V& p : products) p = zero();
  for (std::size_t t = 0; t < 16; ++t)
    for (std::size_t c = 0, k = 0; c < 3; ++c)
      for (std::size_t e = c; e < 3; ++e, ++k)
        products[k] = add(products[k], mul(load(texels.decoded[c][t]), load(texels.decoded[e][t])));
  // Sixteen times the covariance. It is exact: at most 16 * 16 * 255^2.
  V s[6];
  for (int c = 0, k = 0; c < 3; ++c)
    for (int e = c; e < 3; ++e, ++k) s[k] = sub(mul(products[k], set(16.0f)), mul(texels.sum[c], texels.sum[e]));
  const V trace = add(add(s[0], s[3]), s[5]);
  const M flat = hn::Eq(trace, zero());
  const M by_green = hn::And(hn::Gt(s[3], s[0]), hn::Ge(s[3], s[5])),
          by_blue = hn::AndNot(by_green, hn::Gt(s[5], s[0]));
  const auto column = [&](V r, V g, V b)
                          HWY_ATTR { return hn::IfThenElse(by_green, g, hn::IfThenElse(by_blue, b, r)); };
  V axis[3] = {column(s[0], s[1], s[2]), column(s[1], s[3], s[4]), column(s[2], s[4], s[5])};
  const V scale = hn::Div(set(1.0f), hn::IfThenElse(flat, set(1.0f), trace));
  for (int i = 0; i < 4; ++i) {
    const V x = axis[0], y = axis[1], z = axis[2];
    axis[0] = mul(add(add(mul(x, s[0]), mul(y, s[1])), mul(z, s[2])), scale);
    axis[1] = mul(add(add(mul(x, s[1]), mul(y, s[3])), mul(z, s[4])), scale);
    axis[2] = mul(add(add(mul(x, s[2]), mul(y, s[4])), mul(z, s[5])), scale);
  }
  V longest = hn::Max(hn::Max(hn::Abs(axis[0]), hn::Abs(axis[1])), hn::Abs(axis[2]));
  line.solid = hn::Or(flat, hn::Not(hn::Gt(longest, zero())));
  longest = hn::IfThenElse(line.solid, set(1.0f), longest);
  const V to_int = hn::Div(set(1023.0f), longest);
  for (V& a : axis) a = hn::Trunc(mul(a, to_int));
  V least = set(1e9f), most = set(-1e9f);
  for (std::size_t t = 0; t < 16; ++t) {
    V x[3], at = zero();
    for (std::size_t c = 0; c < 3; ++c) {
      x[c] = load(texels.decoded[c][t]);
      at = add(at, mul(x[c], axis[c]));
    }
    // Among texels that are equally far out, takes the first at the low end and the last at the high end.
    const M lower = hn::Lt(at, least), higher = hn::Ge(at, most);
    least = hn::IfThenElse(lower, at, least);
    most = hn::IfThenElse(higher, at, most);
    for (int c = 0; c < 3; ++c) {
      line.first[c] = t == 0 ? x[c] : hn::IfThenElse(lower, x[c], line.first[c]);
      line.second[c] = t == 0 ? x[c] : hn::IfThenElse(higher, x[c], line.second[c]);
    }
  }
  project(texels, line);
}

}  // namespace

void MeasureBc1(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                std::span<const Bc1Line> lines, bool by_weights, bool fresh, const SolidValues& solid_values,
                std::span<Bc1Errors> errors) {
  Texels texels;
  Line line;
  for (std::size_t first = 0; first < lines.size(); first += kLanes) {
    const std::size_t count = HWY_MIN(kLanes, lines.size() - first);
    std::size_t place[kLanes];
    alignas(64) std::int32_t index[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      place[lane] = first + HWY_MIN(lane, count - 1);
      index[lane] = static_cast<std::int32_t>(lines[place[lane]].block);
    }
    load_texels(source.data(), decoded.data(), hn::Load(di, index), texels);
    load_line(lines.data(), place, line);
    const auto report = [&](std::uint32_t Bc1Errors::* field) HWY_ATTR {
      alignas(64) Row error;
      store(error_of(texels, line, solid_values), error);
      for (std::size_t lane = 0; lane < count; ++lane)
        errors[first + lane].*field = static_cast<std::uint32_t>(error[lane]);
    };
    report(&Bc1Errors::by_endpoints);
    if (by_weights) {
      refine(texels, line);
      report(&Bc1Errors::by_weights);
    }
    if (fresh) {
      fresh_line(texels, line);
      refine(texels, line);
      report(&Bc1Errors::fresh);
    }
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(MeasureBc1);

void measure_bc1_hints(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                       std::span<const Bc1Line> lines, bool by_weights, bool fresh, std::span<Bc1Errors> errors) {
  static const SolidValues solid_values = [] {
    SolidValues values;
    for (unsigned v = 0; v < 256; ++v) {
      std::uint8_t block[8];
      const auto gray = static_cast<std::uint8_t>(v);
      encode_bc1_solid({gray, gray, gray, 255}, block);
      const Rgba8 back = decode_bc1(block)[0];
      values[0][v] = back.r;
      values[1][v] = back.g;
    }
    return values;
  }();
  HWY_DYNAMIC_DISPATCH(MeasureBc1)(source, decoded, lines, by_weights, fresh, solid_values, errors);
}

}  // namespace assetc::codec
#endif
