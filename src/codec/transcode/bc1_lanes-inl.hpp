// Encodes blocks as BC1, with the bytes of encode_bc1 and encode_bc1_levels. Included where AVX2 is the target, in
// a namespace of its own, after uastc_texels-inl.hpp.
//
// Sums and projections have 16 texels in lanes. The equations between them have one block in each lane, because their
// latency is long. Every sum and product of texels is an integer below 2^24, so floats are exact and any order of
// additions gives the same result. The equations that round are in the order of encode_bc1.
// A second refinement of levels that the first one did not change gives the same endpoints, so it needs no branch.

using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));
struct Floats16 {
  Floats low, high;
};

[[gnu::always_inline]] inline Floats splat_float(float v) { return v + Floats{}; }
// In two steps of twice the width: GCC 12 converts each element by itself otherwise.
[[gnu::always_inline]] inline Floats16 load_floats16(const std::uint8_t* bytes) {
  const Lanes v = load_lanes(bytes);
  return {__builtin_convertvector(__builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7), Ints),
                                  Floats),
          __builtin_convertvector(
              __builtin_convertvector(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15), Ints), Floats)};
}
[[gnu::always_inline]] inline Floats load_row(const float* row) {
  Floats v;
  std::memcpy(&v, row, sizeof v);
  return v;
}
[[gnu::always_inline]] inline void store_row(Floats v, float* row) { std::memcpy(row, &v, sizeof v); }

// The sums of eight vectors, one in each lane.
[[gnu::always_inline]] inline Floats sums_of(const std::array<Floats, 8>& v) {
  Floats pair[4], four[2];
  for (unsigned i = 0; i < 4; ++i)
    pair[i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13) +
              __builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  for (unsigned i = 0; i < 2; ++i)
    four[i] = __builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
              __builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  return __builtin_shufflevector(four[0], four[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(four[0], four[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

// Exchanges rows and columns.
[[gnu::always_inline]] inline std::array<Floats, 8> transposed(const float (*rows)[8]) {
  std::array<Floats, 8> v, pair, four, out;
  for (unsigned i = 0; i < 8; ++i) v[i] = load_row(rows[i]);
  for (unsigned i = 0; i < 4; ++i) {
    pair[2 * i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pair[2 * i + 1] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned j = 0; j < 2; ++j) {
      four[4 * i + 2 * j] = __builtin_shufflevector(pair[4 * i + j], pair[4 * i + 2 + j], 0, 1, 8, 9, 4, 5, 12, 13);
      four[4 * i + 2 * j + 1] =
          __builtin_shufflevector(pair[4 * i + j], pair[4 * i + 2 + j], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    out[i] = __builtin_shufflevector(four[i], four[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
    out[4 + i] = __builtin_shufflevector(four[i], four[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  return out;
}

// Blocks that are processed together.
inline constexpr unsigned kBc1Group = 32;

struct Bc1Group {
  const std::uint8_t* planes[kBc1Group];  // R, G and B of each block, 16 bytes each
  std::uint8_t* out[kBc1Group];
  // [block] -> sums over its texels of: R, G, B. Then the number of the group's last sums.
  alignas(32) float totals[kBc1Group][8];
  alignas(32) float sums[kBc1Group][8];
  // The line of each block: its direction, and the projections that separate its four levels.
  alignas(32) float line[6][kBc1Group];
  alignas(32) std::int32_t first[kBc1Group], second[kBc1Group];  // 5:6:5
  alignas(32) std::int32_t one_color[kBc1Group];                 // nonzero: the block becomes its mean
};

struct Projection {
  Floats16 r, g, b;
  Ints low, high;  // minus the levels
};
[[gnu::always_inline]] inline Projection project_texels(const Bc1Group& group, unsigned i) {
  Projection p;
  p.r = load_floats16(group.planes[i]);
  p.g = load_floats16(group.planes[i] + 16);
  p.b = load_floats16(group.planes[i] + 32);
  const Floats dr = splat_float(group.line[0][i]), dg = splat_float(group.line[1][i]),
               db = splat_float(group.line[2][i]);
  const Floats t0 = splat_float(group.line[3][i]), t1 = splat_float(group.line[4][i]),
               t2 = splat_float(group.line[5][i]);
  const Floats low = p.r.low * dr + p.g.low * dg + p.b.low * db;
  const Floats high = p.r.high * dr + p.g.high * dg + p.b.high * db;
  p.low = (low > t0) + (low > t1) + (low > t2);
  p.high = (high > t0) + (high > t1) + (high > t2);
  return p;
}

// The sums that least squares need: of level, level * level, and level times R, G and B.
[[gnu::always_inline]] inline void sum_levels(Bc1Group& group, unsigned i, const Floats16& r, const Floats16& g,
                                              const Floats16& b, Floats low, Floats high) {
  store_row(sums_of({low + high, low * low + high * high, low * r.low + high * r.high, low * g.low + high * g.high,
                     low * b.low + high * b.high, Floats{}, Floats{}, Floats{}}),
            group.sums[i]);
}

// Sets the lines from colors with 8 bits. first and second: R, G and B of eight blocks.
[[gnu::always_inline]] inline void set_lines(Bc1Group& group, unsigned i, const Floats (&first)[3],
                                             const Floats (&second)[3]) {
  Floats d[3];
  for (unsigned c = 0; c < 3; ++c) d[c] = second[c] - first[c];
  const Floats start = first[0] * d[0] + first[1] * d[1] + first[2] * d[2];
  const Floats length = second[0] * d[0] + second[1] * d[1] + second[2] * d[2] - start;
  for (unsigned c = 0; c < 3; ++c) store_row(d[c], &group.line[c][i]);
  // The boundary between levels n and n + 1 is at (2n + 1) / 6 of the length. Projections are integers. A boundary that
  // is one is exact, and the others are rounded by less than their distance from the next integer.
  store_row(start + length / 6.0f, &group.line[3][i]);
  store_row(start + length / 2.0f, &group.line[4][i]);
  store_row(start + length * 5.0f / 6.0f, &group.line[5][i]);
}

[[gnu::always_inline]] inline Floats clamped(Floats v, float most) {
  v = v < 0.0f ? Floats{} : v;
  return v > most ? splat_float(most) : v;
}

// The endpoints with the least squared error for eight blocks, from their sums.
[[gnu::always_inline]] inline void solve_levels(Bc1Group& group, unsigned i) {
  const std::array<Floats, 8> total = transposed(&group.totals[i]), sum = transposed(&group.sums[i]);
  const Floats b1 = sum[0], bb = sum[1];
  const Floats aa = 144.0f - 6.0f * b1 + bb, ab = 3.0f * b1 - bb;
  Floats det = aa * bb - ab * ab;
  Ints one_color = det == 0.0f;
  det = det == 0.0f ? splat_float(1) : det;
  const Floats scale = 3.0f / (255.0f * det);
  constexpr float most[3] = {31, 63, 31};
  Ints ends[2][3];
  for (unsigned c = 0; c < 3; ++c) {
    const Floats sum_bt = sum[2 + c], sum_at = 3.0f * total[c] - sum_bt, k = scale * most[c];
    ends[0][c] = __builtin_convertvector(clamped((bb * sum_at - ab * sum_bt) * k + 0.5f, most[c]), Ints);
    ends[1][c] = __builtin_convertvector(clamped((aa * sum_bt - ab * sum_at) * k + 0.5f, most[c]), Ints);
  }
  Ints color[2];
  Floats wide[2][3];
  for (unsigned e = 0; e < 2; ++e) {
    color[e] = ends[e][0] << 11 | ends[e][1] << 5 | ends[e][2];
    wide[e][0] = __builtin_convertvector(ends[e][0] << 3 | ends[e][0] >> 2, Floats);
    wide[e][1] = __builtin_convertvector(ends[e][1] << 2 | ends[e][1] >> 4, Floats);
    wide[e][2] = __builtin_convertvector(ends[e][2] << 3 | ends[e][2] >> 2, Floats);
  }
  one_color |= color[0] == color[1];
  Ints before;
  std::memcpy(&before, &group.one_color[i], sizeof before);
  before |= one_color;
  std::memcpy(&group.one_color[i], &before, sizeof before);
  std::memcpy(&group.first[i], &color[0], sizeof color[0]);
  std::memcpy(&group.second[i], &color[1], sizeof color[1]);
  set_lines(group, i, wide[0], wide[1]);
}

// Endpoints for the levels, levels for the endpoints, twice. Then writes the blocks.
inline void refine_group(Bc1Group& group, unsigned count) {
  for (unsigned i = 0; i < count; i += 8) solve_levels(group, i);
  for (unsigned i = 0; i < count; ++i) {
    const Projection p = project_texels(group, i);
    sum_levels(group, i, p.r, p.g, p.b, -__builtin_convertvector(p.low, Floats),
               -__builtin_convertvector(p.high, Floats));
  }
  for (unsigned i = 0; i < count; i += 8) solve_levels(group, i);
  for (unsigned i = 0; i < count; ++i) {
    if (group.one_color[i]) {
      const auto mean = [&](unsigned c) {
        return static_cast<std::uint8_t>((static_cast<int>(group.totals[i][c]) + 8) >> 4);
      };
      encode_bc1_solid({mean(0), mean(1), mean(2), 255}, group.out[i]);
      continue;
    }
    const Projection p = project_texels(group, i);
    constexpr Ints place = {1, 4, 16, 64, 256, 1024, 4096, 16384};
    const Ints low = p.low * -place, high = p.high * -place;
    Ints both = low | high << 16;
    using Words4 = std::uint64_t __attribute__((vector_size(32)));
    const Words4 words = reinterpret_cast<Words4>(both);
    const std::uint64_t folded = words[0] | words[1] | words[2] | words[3];
    store_bc1_levels(group.out[i], static_cast<unsigned>(group.first[i]), static_cast<unsigned>(group.second[i]),
                     static_cast<std::uint32_t>(folded | folded >> 32));
  }
}

// Fills the group up to whole vectors with blocks that are not written.
inline unsigned padded(Bc1Group& group, unsigned count) {
  for (unsigned i = 0; i < kBc1Group; ++i) group.one_color[i] = 0;
  for (unsigned i = count; i % 8 != 0; ++i) {
    for (float& v : group.totals[i]) v = 0;
    for (float& v : group.sums[i]) v = 0;
  }
  return count;
}

// Encodes a group with given first levels. group.planes and group.out are set.
inline void encode_group_levels(Bc1Group& group, const std::uint8_t* const* levels, unsigned count) {
  padded(group, count);
  for (unsigned i = 0; i < count; ++i) {
    const Floats16 r = load_floats16(group.planes[i]), g = load_floats16(group.planes[i] + 16),
                   b = load_floats16(group.planes[i] + 32), w = load_floats16(levels[i]);
    const Floats low = w.low, high = w.high;
    store_row(
        sums_of({r.low + r.high, g.low + g.high, b.low + b.high, Floats{}, Floats{}, Floats{}, Floats{}, Floats{}}),
        group.totals[i]);
    sum_levels(group, i, r, g, b, low, high);
  }
  refine_group(group, count);
}

// Encodes a group from its texels. group.planes and group.out are set.
inline void encode_group(Bc1Group& group, unsigned count) {
  padded(group, count);
  for (unsigned i = 0; i < count; ++i) {
    const Floats16 r = load_floats16(group.planes[i]), g = load_floats16(group.planes[i] + 16),
                   b = load_floats16(group.planes[i] + 32);
    const auto dot = [](const Floats16& x, const Floats16& y) { return x.low * y.low + x.high * y.high; };
    store_row(
        sums_of({r.low + r.high, g.low + g.high, b.low + b.high, dot(b, b), Floats{}, Floats{}, Floats{}, Floats{}}),
        group.totals[i]);
    store_row(sums_of({dot(r, r), dot(r, g), dot(r, b), dot(g, g), dot(g, b), Floats{}, Floats{}, Floats{}}),
              group.sums[i]);
  }
  for (unsigned i = 0; i < count; i += 8) {
    const std::array<Floats, 8> total = transposed(&group.totals[i]), sum = transposed(&group.sums[i]);
    // Sixteen times the covariance.
    const Floats c[6] = {16.0f * sum[0] - total[0] * total[0], 16.0f * sum[1] - total[0] * total[1],
                         16.0f * sum[2] - total[0] * total[2], 16.0f * sum[3] - total[1] * total[1],
                         16.0f * sum[4] - total[1] * total[2], 16.0f * total[3] - total[2] * total[2]};
    Floats trace = c[0] + c[3] + c[5];
    trace = trace == 0.0f ? splat_float(1) : trace;  // all texels are equal: the axis stays 0
    const Ints green = (c[3] > c[0]) & (c[3] >= c[5]), blue = ~green & (c[5] > c[0]);
    Floats x = green ? c[1] : blue ? c[2] : c[0];
    Floats y = green ? c[3] : blue ? c[4] : c[1];
    Floats z = green ? c[4] : blue ? c[5] : c[2];
    const Floats scale = 1.0f / trace;
    for (unsigned round = 0; round < 4; ++round) {
      const Floats nx = (x * c[0] + y * c[1] + z * c[2]) * scale;
      const Floats ny = (x * c[1] + y * c[3] + z * c[4]) * scale;
      const Floats nz = (x * c[2] + y * c[4] + z * c[5]) * scale;
      x = nx, y = ny, z = nz;
    }
    const auto magnitude = [](Floats v) { return v < 0.0f ? -v : v; };
    const Floats mx = magnitude(x), my = magnitude(y), mz = magnitude(z);
    Floats longest = mx > my ? mx : my;
    longest = longest > mz ? longest : mz;
    const Ints flat = ~(longest > 0.0f);
    std::memcpy(&group.one_color[i], &flat, sizeof flat);
    const Floats to_int = 1023.0f / (flat ? splat_float(1) : longest);
    const auto whole = [&](Floats v) {
      return __builtin_convertvector(__builtin_convertvector(v * to_int, Ints), Floats);
    };
    store_row(whole(x), &group.line[0][i]);
    store_row(whole(y), &group.line[1][i]);
    store_row(whole(z), &group.line[2][i]);
  }
  // The two texels at the ends of the axis. The low bits of the key are the number of the texel.
  alignas(32) float ends[2][3][kBc1Group];
  for (unsigned i = 0; i < count; ++i) {
    const std::uint8_t* planes = group.planes[i];
    const Floats16 r = load_floats16(planes), g = load_floats16(planes + 16), b = load_floats16(planes + 32);
    const Floats dr = splat_float(group.line[0][i] * 16), dg = splat_float(group.line[1][i] * 16),
                 db = splat_float(group.line[2][i] * 16);
    constexpr Floats number = {0, 1, 2, 3, 4, 5, 6, 7};
    const Floats key0 = r.low * dr + g.low * dg + b.low * db + number;
    const Floats key1 = r.high * dr + g.high * dg + b.high * db + (number + 8.0f);
    Floats least = key0 < key1 ? key0 : key1, most = key0 < key1 ? key1 : key0;
    Floats other = __builtin_shufflevector(least, least, 4, 5, 6, 7, 0, 1, 2, 3);
    least = least < other ? least : other;
    other = __builtin_shufflevector(most, most, 4, 5, 6, 7, 0, 1, 2, 3);
    most = most > other ? most : other;
    // least in the low half, minus most in the high half
    Floats both = __builtin_shufflevector(least, -most, 0, 1, 2, 3, 8, 9, 10, 11);
    other = __builtin_shufflevector(both, both, 2, 3, 0, 1, 6, 7, 4, 5);
    both = both < other ? both : other;
    other = __builtin_shufflevector(both, both, 1, 0, 3, 2, 5, 4, 7, 6);
    both = both < other ? both : other;
    const unsigned at[2] = {static_cast<unsigned>(static_cast<int>(both[0])) & 15,
                            static_cast<unsigned>(-static_cast<int>(both[4])) & 15};
    for (unsigned e = 0; e < 2; ++e)
      for (unsigned c = 0; c < 3; ++c) ends[e][c][i] = planes[16 * c + at[e]];
  }
  for (unsigned i = count; i % 8 != 0; ++i)
    for (unsigned e = 0; e < 2; ++e)
      for (unsigned c = 0; c < 3; ++c) ends[e][c][i] = 0;
  for (unsigned i = 0; i < count; i += 8) {
    const Floats first[3] = {load_row(&ends[0][0][i]), load_row(&ends[0][1][i]), load_row(&ends[0][2][i])};
    const Floats second[3] = {load_row(&ends[1][0][i]), load_row(&ends[1][1][i]), load_row(&ends[1][2][i])};
    set_lines(group, i, first, second);
  }
  for (unsigned i = 0; i < count; ++i) {
    const Projection p = project_texels(group, i);
    sum_levels(group, i, p.r, p.g, p.b, -__builtin_convertvector(p.low, Floats),
               -__builtin_convertvector(p.high, Floats));
  }
  refine_group(group, count);
}
