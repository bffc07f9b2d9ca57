#include "codec/block/bc_block.hpp"

#include <algorithm>
#include <cstring>

namespace assetc::codec {
namespace {

struct Rgb {
  int r, g, b;
};

// The texels of a block, one channel after the other. The compiler turns loops over 16 texels into a few vector
// operations.
struct Planes {
  alignas(32) std::array<std::int16_t, kBlockTexels> r, g, b;
};
Planes split(const BlockTexels& texels) {
  Planes p;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    p.r[t] = texels[t].r;
    p.g[t] = texels[t].g;
    p.b[t] = texels[t].b;
  }
  return p;
}

constexpr unsigned expand5(unsigned v) { return v << 3 | v >> 2; }
constexpr unsigned expand6(unsigned v) { return v << 2 | v >> 4; }
constexpr unsigned round5(unsigned v) { return (v * 31 + 127) / 255; }
constexpr unsigned round6(unsigned v) { return (v * 63 + 127) / 255; }

unsigned pack565(unsigned r, unsigned g, unsigned b) { return r << 11 | g << 5 | b; }
Rgb unpack565(unsigned c) {
  return {static_cast<int>(expand5(c >> 11)), static_cast<int>(expand6(c >> 5 & 63)),
          static_cast<int>(expand5(c & 31))};
}

// [value] -> the two endpoints whose interpolation at one third is nearest to the value. Among equal pairs, the closer
// one is taken: decoders disagree by about one unit there, and by less if the pair is closer. The first endpoint is in
// the low 16 bits, the second one in the high 16 bits.
template <unsigned kBits>
constexpr std::array<std::uint32_t, 256> make_thirds() {
  constexpr unsigned levels = 1u << kBits;
  std::array<int, 256> spread{};
  std::array<std::uint32_t, 256> exact{}, pairs{};
  for (auto& s : spread) s = -1;
  for (unsigned a = 0; a < levels; ++a) {
    for (unsigned b = 0; b < levels; ++b) {
      const unsigned wide_a = kBits == 5 ? expand5(a) : expand6(a), wide_b = kBits == 5 ? expand5(b) : expand6(b);
      const unsigned v = (2 * wide_a + wide_b) / 3;
      const int width = a > b ? static_cast<int>(a - b) : static_cast<int>(b - a);
      if (spread[v] >= 0 && spread[v] <= width) continue;
      spread[v] = width;
      exact[v] = a | b << 16;
    }
  }
  for (int v = 0; v < 256; ++v) {
    for (int d = 0;; ++d) {
      if (v - d >= 0 && spread[v - d] >= 0) {
        pairs[v] = exact[v - d];
        break;
      }
      if (v + d < 256 && spread[v + d] >= 0) {
        pairs[v] = exact[v + d];
        break;
      }
    }
  }
  return pairs;
}
constexpr auto kThirds5 = make_thirds<5>();
constexpr auto kThirds6 = make_thirds<6>();

void store(std::uint8_t* out, unsigned first, unsigned second, std::uint32_t selectors) {
  const std::uint64_t block = first | second << 16 | std::uint64_t{selectors} << 32;
  std::memcpy(out, &block, 8);
}

// Levels 0, 1, 2, 3 are selectors 0, 2, 3, 1.
constexpr std::uint32_t selectors_of_levels(std::uint32_t packed) {
  const std::uint32_t high = packed >> 1 & 0x55555555u, low = packed & 0x55555555u;
  return (high ^ low) << 1 | high;
}
static_assert(selectors_of_levels(0b11100100) == 0b01111000);

// Projects every texel onto the line between two colors and takes the nearest level.
Bc1Levels project(const Planes& p, Rgb first, Rgb second) {
  const int dr = second.r - first.r, dg = second.g - first.g, db = second.b - first.b;
  const int start = first.r * dr + first.g * dg + first.b * db;
  const int length = second.r * dr + second.g * dg + second.b * db - start;
  // The boundary between levels i and i + 1 is at (2i + 1) / 6 of the length.
  Bc1Levels levels;
  const int low = length, mid = 3 * length, high = 5 * length;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const int at = 6 * (p.r[t] * dr + p.g[t] * dg + p.b[t] * db - start);
    levels[t] = static_cast<std::uint8_t>((at > low) + (at > mid) + (at > high));
  }
  return levels;
}

std::uint32_t pack_levels(const Bc1Levels& levels) {
  return static_cast<std::uint32_t>(pack_indices(levels.data(), 2));
}

struct Sums {
  int r = 0, g = 0, b = 0;
};
Sums sum(const Planes& p) {
  Sums s;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    s.r += p.r[t];
    s.g += p.g[t];
    s.b += p.b[t];
  }
  return s;
}

// Finds the endpoints with the least squared error for given levels. False if all levels are equal.
bool least_squares(const Planes& p, const Sums& total, const Bc1Levels& levels, unsigned& first, unsigned& second) {
  int bb = 0, b1 = 0;
  Sums weighted;  // of second: level * texel
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const int w = levels[t];
    bb += w * w;
    b1 += w;
    weighted.r += w * p.r[t];
    weighted.g += w * p.g[t];
    weighted.b += w * p.b[t];
  }
  // With a = 3 - level and b = level: the sums of a * a and a * b.
  const int aa = 9 * static_cast<int>(kBlockTexels) - 6 * b1 + bb;
  const int ab = 3 * b1 - bb;
  const int det = aa * bb - ab * ab;
  if (det == 0) return false;
  const float scale = 3.0f / (255.0f * static_cast<float>(det));
  const auto solve = [&](int sum_t, int sum_bt, float levels_max, unsigned& lo, unsigned& hi) {
    const int sum_at = 3 * sum_t - sum_bt;
    const float k = scale * levels_max;
    const float a = static_cast<float>(bb * sum_at - ab * sum_bt) * k + 0.5f;
    const float b = static_cast<float>(aa * sum_bt - ab * sum_at) * k + 0.5f;
    lo = static_cast<unsigned>(std::clamp(a, 0.0f, levels_max));
    hi = static_cast<unsigned>(std::clamp(b, 0.0f, levels_max));
  };
  unsigned r0, r1, g0, g1, b0, b1_;
  solve(total.r, weighted.r, 31.0f, r0, r1);
  solve(total.g, weighted.g, 63.0f, g0, g1);
  solve(total.b, weighted.b, 31.0f, b0, b1_);
  first = pack565(r0, g0, b0);
  second = pack565(r1, g1, b1_);
  return true;
}

Rgba8 mean(const Sums& total) {
  return {static_cast<std::uint8_t>((total.r + 8) >> 4), static_cast<std::uint8_t>((total.g + 8) >> 4),
          static_cast<std::uint8_t>((total.b + 8) >> 4), 255};
}

// Alternates twice: endpoints for the levels, then levels for the endpoints. Stops after the first round if no level
// changes.
void encode_refined(const Planes& p, const Sums& total, Bc1Levels levels, std::uint8_t* out) {
  constexpr unsigned rounds = 2;
  unsigned first = 0, second = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    if (!least_squares(p, total, levels, first, second) || first == second) return encode_bc1_solid(mean(total), out);
    const Bc1Levels before = levels;
    levels = project(p, unpack565(first), unpack565(second));
    if (levels == before) break;
  }
  store_bc1_levels(out, first, second, pack_levels(levels));
}

}  // namespace

void store_bc1_levels(std::uint8_t* out, unsigned first, unsigned second, std::uint32_t packed_levels) {
  if (first == second) {
    // One color: any pair that contains it. All texels select it.
    if (first > 0) return store(out, first, first - 1, 0);
    return store(out, 1, 0, 0x55555555u);
  }
  if (first < second) {
    std::swap(first, second);
    packed_levels = ~packed_levels;
  }
  store(out, first, second, selectors_of_levels(packed_levels));
}

void encode_bc1_solid(Rgba8 color, std::uint8_t* out) {
  const std::uint32_t both = kThirds5[color.r] << 11 | kThirds6[color.g] << 5 | kThirds5[color.b];
  store_bc1_levels(out, both & 0xffff, both >> 16, 0x55555555u);
}

std::uint16_t bc1_color(Rgba8 color) {
  return static_cast<std::uint16_t>(pack565(round5(color.r), round6(color.g), round5(color.b)));
}

void encode_bc1_direct(Rgba8 first, Rgba8 second, const Bc1Levels& levels, std::uint8_t* out) {
  store_bc1_levels(out, bc1_color(first), bc1_color(second), pack_levels(levels));
}

void encode_bc1_levels(const BlockTexels& texels, const Bc1Levels& levels, std::uint8_t* out) {
  const Planes p = split(texels);
  encode_refined(p, sum(p), levels, out);
}

void encode_bc1(const BlockTexels& texels, std::uint8_t* out) {
  const Planes p = split(texels);
  const Sums total = sum(p);
  int rr = 0, rg = 0, rb = 0, gg = 0, gb = 0, bb = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    rr += p.r[t] * p.r[t];
    rg += p.r[t] * p.g[t];
    rb += p.r[t] * p.b[t];
    gg += p.g[t] * p.g[t];
    gb += p.g[t] * p.b[t];
    bb += p.b[t] * p.b[t];
  }
  // Sixteen times the covariance. It is exact: at most 16 * 16 * 255^2.
  const auto center = [](int sum_xy, int sum_x, int sum_y) { return static_cast<float>(16 * sum_xy - sum_x * sum_y); };
  const float c[6] = {center(rr, total.r, total.r), center(rg, total.r, total.g), center(rb, total.r, total.b),
                      center(gg, total.g, total.g), center(gb, total.g, total.b), center(bb, total.b, total.b)};
  const float trace = c[0] + c[3] + c[5];
  if (trace == 0) return encode_bc1_solid(texels[0], out);

  // Power iteration. It starts from the column of the largest variance, which cannot be orthogonal to the axis.
  float x = c[0], y = c[1], z = c[2];
  if (c[3] > c[0] && c[3] >= c[5])
    x = c[1], y = c[3], z = c[4];
  else if (c[5] > c[0])
    x = c[2], y = c[4], z = c[5];
  const float scale = 1.0f / trace;
  for (unsigned i = 0; i < 4; ++i) {
    const float nx = (x * c[0] + y * c[1] + z * c[2]) * scale;
    const float ny = (x * c[1] + y * c[3] + z * c[4]) * scale;
    const float nz = (x * c[2] + y * c[4] + z * c[5]) * scale;
    x = nx, y = ny, z = nz;
  }
  const float longest = std::max({x < 0 ? -x : x, y < 0 ? -y : y, z < 0 ? -z : z});
  if (!(longest > 0)) return encode_bc1_solid(mean(total), out);
  const float to_int = 1023.0f / longest;
  const int ax = static_cast<int>(x * to_int), ay = static_cast<int>(y * to_int), az = static_cast<int>(z * to_int);

  // The two texels at the ends of the axis. The low bits of the key are the number of the texel.
  int low = INT32_MAX, high = INT32_MIN;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const int key = (p.r[t] * ax + p.g[t] * ay + p.b[t] * az) * 16 + static_cast<int>(t);
    low = std::min(low, key);
    high = std::max(high, key);
  }
  const Rgba8 first = texels[low & 15], second = texels[high & 15];
  const Bc1Levels levels = project(p, {first.r, first.g, first.b}, {second.r, second.g, second.b});
  encode_refined(p, total, levels, out);
}

void encode_bc4_solid(std::uint8_t value, std::uint8_t* out) {
  const std::uint64_t block = value | value << 8;
  std::memcpy(out, &block, 8);
}

void encode_bc4(const BlockTexels& texels, unsigned channel, std::uint8_t* out) {
  TexelIndices v;
  for (unsigned t = 0; t < kBlockTexels; ++t) v[t] = texels[t][channel];
  const int low = *std::min_element(v.begin(), v.end()), high = *std::max_element(v.begin(), v.end());
  if (low == high) return encode_bc4_solid(static_cast<std::uint8_t>(low), out);
  // Level 0 is the lowest of eight levels. The step between levels is a seventh of the range.
  const int range = high - low;
  TexelIndices levels;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const int at = (v[t] - low) * 14;
    int level = 0;
    for (int i = 1; i <= 13; i += 2) level += at >= range * i;
    levels[t] = static_cast<std::uint8_t>(level);
  }
  // Levels 7, 6 .. 1, 0 are codes 0, 2 .. 7, 1: 8 minus the level, except at the ends.
  for (auto& l : levels) l = static_cast<std::uint8_t>(((8 - l) & 7) ^ (l == 7 || l == 0 ? 1 : 0));
  const std::uint64_t block =
      static_cast<unsigned>(high) | static_cast<unsigned>(low) << 8 | pack_indices(levels.data(), 3) << 16;
  std::memcpy(out, &block, 8);
}

namespace {

// The eight values of a block, times unit, rounded to the nearest integers.
std::array<unsigned, 8> bc4_values(unsigned first, unsigned second, unsigned unit) {
  std::array<unsigned, 8> v = {first * unit, second * unit};
  if (first > second) {
    for (unsigned i = 1; i < 7; ++i) v[i + 1] = (((7 - i) * first + i * second) * unit + 3) / 7;
  } else {
    for (unsigned i = 1; i < 5; ++i) v[i + 1] = (((5 - i) * first + i * second) * unit + 2) / 5;
    v[6] = 0;
    v[7] = 255 * unit;
  }
  return v;
}

// Calls put(texel, value) for every texel.
template <class Put>
void decode_channel(const std::uint8_t* in, unsigned unit, Put put) {
  std::uint64_t block;
  std::memcpy(&block, in, 8);
  const auto values = bc4_values(block & 255, block >> 8 & 255, unit);
  for (unsigned t = 0; t < kBlockTexels; ++t) put(t, values[block >> (16 + 3 * t) & 7]);
}
void decode_channel(const std::uint8_t* in, BlockTexels& texels, unsigned channel) {
  decode_channel(in, 1, [&](unsigned t, unsigned value) { texels[t].set(channel, static_cast<std::uint8_t>(value)); });
}

void decode_color(const std::uint8_t* in, BlockTexels& texels, bool always_four) {
  std::uint64_t block;
  std::memcpy(&block, in, 8);
  const unsigned first = block & 0xffff, second = block >> 16 & 0xffff;
  const Rgb a = unpack565(first), b = unpack565(second);
  const auto mix = [&](int wa, int wb, int by) {
    return Rgba8{static_cast<std::uint8_t>((wa * a.r + wb * b.r) / by),
                 static_cast<std::uint8_t>((wa * a.g + wb * b.g) / by),
                 static_cast<std::uint8_t>((wa * a.b + wb * b.b) / by), 255};
  };
  std::array<Rgba8, 4> palette = {mix(1, 0, 1), mix(0, 1, 1), mix(2, 1, 3), mix(1, 2, 3)};
  if (first <= second && !always_four) {
    palette[2] = mix(1, 1, 2);
    palette[3] = {};
  }
  for (unsigned t = 0; t < kBlockTexels; ++t) texels[t] = palette[block >> (32 + 2 * t) & 3];
}

}  // namespace

BlockTexels decode_bc1(const std::uint8_t* in) {
  BlockTexels texels;
  decode_color(in, texels, false);
  return texels;
}
BlockTexels decode_bc3(const std::uint8_t* in) {
  BlockTexels texels;
  decode_color(in + 8, texels, true);
  decode_channel(in, texels, 3);
  return texels;
}
BlockTexels decode_bc4(const std::uint8_t* in) {
  BlockTexels texels;
  texels.fill({0, 0, 0, 255});
  decode_channel(in, texels, 0);
  return texels;
}
BlockTexels decode_bc5(const std::uint8_t* in) {
  BlockTexels texels;
  texels.fill({0, 0, 0, 255});
  decode_channel(in, texels, 0);
  decode_channel(in + 8, texels, 1);
  return texels;
}

ChannelValues16 decode_bc4_16(const std::uint8_t* in) {
  ChannelValues16 values;
  decode_channel(in, 257, [&](unsigned t, unsigned value) { values[t] = static_cast<std::uint16_t>(value); });
  return values;
}

}  // namespace assetc::codec
