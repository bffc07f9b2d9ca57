// Decodes UASTC blocks to planes of texels, 16 texels in lanes. Included where AVX2 is the target, in a namespace
// of its own; see uastc_batch_texels.cpp.

using Lanes = std::uint16_t __attribute__((vector_size(32)));
using Lanes8 = std::uint16_t __attribute__((vector_size(16)));
using Bytes16 = std::uint8_t __attribute__((vector_size(16)));

[[gnu::always_inline]] inline Lanes splat(unsigned v) { return static_cast<std::uint16_t>(v) + Lanes{}; }
[[gnu::always_inline]] inline Lanes load_lanes(const std::uint8_t* bytes) {
  Bytes16 v;
  std::memcpy(&v, bytes, 16);
  return __builtin_convertvector(v, Lanes);
}
[[gnu::always_inline]] inline void store_lanes(Lanes v, std::uint8_t* bytes) {
  const Bytes16 narrow = __builtin_convertvector(v, Bytes16);
  std::memcpy(bytes, &narrow, 16);
}

// 16 packed fields of kBits bits, one in each lane.
template <unsigned kBits>
[[gnu::always_inline]] inline Lanes spread_lanes(std::uint64_t first, std::uint64_t second) {
  using TwoWords = std::uint64_t __attribute__((vector_size(16)));
  const TwoWords words = {spread_indices(first, kBits), spread_indices(second, kBits)};
  return __builtin_convertvector(reinterpret_cast<Bytes16>(words), Lanes);
}

// ASTC's weights, 0 to 64, of quantized ones.
template <unsigned kBits>
[[gnu::always_inline]] inline Lanes unquantized_weights(Lanes w) {
  if constexpr (kBits == 1) return w * 64;
  if constexpr (kBits == 2) return w * 21 + (w >> 1);
  if constexpr (kBits == 3) return w * 9 + (w >> 2);
  if constexpr (kBits == 4) return w * 4 + (w >> 2) + (w >> 3);
  return w * 2 + (w >> 4) * 2;
}

// Interpolates endpoints that are widened to 16 bits by repeating their byte, as ASTC does, and takes the top byte.
// In 16 bits: 257 * s + 32 >> 14, where s is start + step * weight, is s + (s + 32 >> 8) >> 6.
[[gnu::always_inline]] inline Lanes interpolated(Lanes start, Lanes step, Lanes weight) {
  const Lanes s = start + step * weight;
  return (s + ((s + 32) >> 8)) >> 6;
}

// The weights of a block, unquantized, for plane 0 and plane 1.
struct PlaneWeights {
  Lanes first, second;
};
template <unsigned kMode>
[[gnu::always_inline]] inline PlaneWeights plane_weights(Bits128 in, unsigned partition) {
  using Fields = UastcFields<kMode>;
  constexpr unsigned bits = Fields::kWeightBits;
  const UastcPackedWeights packed = Fields::weights(in, partition);
  if constexpr (Fields::kInDouble) {
    return {unquantized_weights<bits>(spread_lanes<bits>(packed.low, packed.high)), Lanes{}};
  } else if constexpr (Fields::kInfo.plane_count == 2) {
    const std::uint64_t planes = separate_planes<bits>(packed.low);
    const std::uint64_t second = bits == 2 ? planes >> 32 : planes >> 16;
    return {unquantized_weights<bits>(spread_lanes<bits>(planes, planes >> (8 * bits))),
            unquantized_weights<bits>(spread_lanes<bits>(second, second >> (8 * bits)))};
  } else {
    return {unquantized_weights<bits>(spread_lanes<bits>(packed.low, packed.low >> (8 * bits))), Lanes{}};
  }
}

// Decodes the channels that are wanted, one plane of 16 bytes each.
template <unsigned kMode, unsigned kWanted>
[[gnu::always_inline]] inline void decode_planes(Bits128 in, const std::array<unsigned, kWanted>& wanted,
                                                 std::uint8_t* planes) {
  using Fields = UastcFields<kMode>;
  constexpr UastcMode mode = Fields::kInfo;
  constexpr unsigned subsets = mode.subset_count(), components = mode.component_count();
  constexpr const auto& value = EndpointValues<mode.endpoint_range>::kTable;
  const unsigned partition = subsets > 1 ? Fields::partition(in) : 0;
  std::uint8_t q[Fields::kValues];
  Fields::endpoints(in, q);
  // [subset][channel] -> 64 times the low endpoint, and the high endpoint minus the low one.
  std::uint16_t start[subsets][4], step[subsets][4];
  for (unsigned s = 0; s < subsets; ++s) {
    for (unsigned c = 0; c < 4; ++c) {
      unsigned low = 255, high = 255;
      if (c < 3 || mode.has_alpha()) {
        const unsigned stored = (s * components + (components == 2 ? c / 3 : c)) * 2;
        low = value[q[stored]], high = value[q[stored + 1]];
      }
      start[s][c] = static_cast<std::uint16_t>(low * 64);
      step[s][c] = static_cast<std::uint16_t>(high - low);
    }
  }
  const PlaneWeights weights = plane_weights<kMode>(in, partition);
  Lanes in_subset[3] = {};
  if constexpr (subsets > 1) {
    const Lanes subset = load_lanes(uastc_partitions(mode.partitions)[partition].subset.data());
    for (unsigned s = 1; s < subsets; ++s) in_subset[s] = reinterpret_cast<Lanes>(subset == splat(s));
  }
  const unsigned selector = mode.plane_count == 2 ? Fields::selector(in) : 4;
  for (unsigned k = 0; k < kWanted; ++k) {
    const unsigned c = wanted[k];
    Lanes from = splat(start[0][c]), by = splat(step[0][c]);
    for (unsigned s = 1; s < subsets; ++s) {
      from ^= splat(start[0][c] ^ start[s][c]) & in_subset[s];
      by ^= splat(step[0][c] ^ step[s][c]) & in_subset[s];
    }
    Lanes weight = weights.first;
    if constexpr (mode.plane_count == 2) weight ^= (weights.first ^ weights.second) & splat(0u - (c == selector));
    store_lanes(interpolated(from, by, weight), planes + 16 * k);
  }
}

// Vectors of the four 64-bit words of Lanes.
using Words = std::uint64_t __attribute__((vector_size(32)));

// Packs 16 values of 2 bits, lane 0 lowest.
[[gnu::always_inline]] inline std::uint32_t pack_lanes2(Lanes v) {
  constexpr Lanes place = {1, 4, 16, 64, 256, 1024, 4096, 16384, 1, 4, 16, 64, 256, 1024, 4096, 16384};
  const Words w = reinterpret_cast<Words>(v * place);
  std::uint64_t low = w[0] | w[1], high = w[2] | w[3];
  low |= low >> 32, high |= high >> 32;
  low |= low >> 16, high |= high >> 16;
  return static_cast<std::uint32_t>((low & 0xffffu) | (high & 0xffffu) << 16);
}
// Packs 16 values of 3 bits, lane 0 lowest.
[[gnu::always_inline]] inline std::uint64_t pack_lanes3(Lanes v) {
  constexpr Lanes place = {1, 8, 64, 512, 1, 8, 64, 512, 1, 8, 64, 512, 1, 8, 64, 512};
  Words w = reinterpret_cast<Words>(v * place);
  w |= w >> 32;
  w |= w >> 16;
  w = (w & 0xfffu) << Words{0, 12, 24, 36};
  return w[0] | w[1] | w[2] | w[3];
}
// Packs the bits of 16 lanes that are all ones or all zeros, in the order of ETC: column by column.
[[gnu::always_inline]] inline std::uint32_t pack_etc_bits(Lanes mask) {
  constexpr Lanes place = {1 << 0, 1 << 4, 1 << 8,  1 << 12, 1 << 1, 1 << 5, 1 << 9,  1 << 13,
                           1 << 2, 1 << 6, 1 << 10, 1 << 14, 1 << 3, 1 << 7, 1 << 11, 1 << 15};
  const Words w = reinterpret_cast<Words>(mask & place);
  std::uint64_t bits = w[0] | w[1] | w[2] | w[3];
  bits |= bits >> 32;
  bits |= bits >> 16;
  return static_cast<std::uint32_t>(bits & 0xffffu);
}

// The smallest and the largest of 16 bytes.
struct Extremes {
  unsigned low, high;
};
[[gnu::always_inline]] inline Bytes16 min_bytes(Bytes16 a, Bytes16 b) { return a < b ? a : b; }
[[gnu::always_inline]] inline Extremes extremes_of(const std::uint8_t* bytes) {
  Bytes16 v;
  std::memcpy(&v, bytes, 16);
  // The smallest values in the low half, the smallest complements in the high half.
  const auto halves = [](Bytes16 x, Bytes16 y) {
    return min_bytes(__builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
                     __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
  };
  v = halves(v, ~v);
  using Words2 = std::uint64_t __attribute__((vector_size(16)));
  v = min_bytes(v, reinterpret_cast<Bytes16>(reinterpret_cast<Words2>(v) >> 32));
  v = min_bytes(v, reinterpret_cast<Bytes16>(reinterpret_cast<Words2>(v) >> 16));
  v = min_bytes(v, reinterpret_cast<Bytes16>(reinterpret_cast<Words2>(v) >> 8));
  return {v[0], 255u - v[8]};
}

// As encode_bc4, for 16 values.
[[gnu::always_inline]] inline void planes_to_bc4(const std::uint8_t* v, std::uint8_t* out) {
  using Signed = std::int16_t __attribute__((vector_size(32)));
  const auto [low, high] = extremes_of(v);
  const unsigned range = high - low;
  const auto at = reinterpret_cast<Signed>((load_lanes(v) - splat(low)) * 14);
  // The levels are counted down, which is the order of the codes: 7 is the highest. If all values are equal, none is
  // below a boundary, and the codes are 0.
  const Signed step = reinterpret_cast<Signed>(splat(range)) * 2;
  Signed boundary = reinterpret_cast<Signed>(splat(range)), above{};
  for (unsigned i = 0; i < 7; ++i) {
    above += boundary > at;
    boundary += step;
  }
  const Lanes below = reinterpret_cast<Lanes>(-above);
  // Levels 7, 6 .. 1, 0 are codes 0, 2 .. 7, 1: 8 minus the level, except at the ends.
  const Lanes ends = reinterpret_cast<Lanes>(below == 0) | reinterpret_cast<Lanes>(below == 7);
  const std::uint64_t codes = pack_lanes3(((below + 1) & 7) ^ (ends & 1));
  const std::uint64_t block = high | low << 8 | codes << 16;
  std::memcpy(out, &block, 8);
}

// The BC1 levels of the weights of a block's first plane: the nearest thirds.
[[gnu::always_inline]] inline Lanes bc1_levels_of(Lanes weight) {
  return 0 - (reinterpret_cast<Lanes>(weight > 10) + reinterpret_cast<Lanes>(weight > 32) +
              reinterpret_cast<Lanes>(weight > 53));
}

// A block whose BC1 hint selects its endpoints and weights.
template <unsigned kMode>
[[gnu::always_inline]] inline void direct_to_bc1(Bits128 in, std::uint8_t* out) {
  using Fields = UastcFields<kMode>;
  constexpr unsigned components = Fields::kInfo.component_count();
  constexpr const auto& value = EndpointValues<Fields::kInfo.endpoint_range>::kTable;
  std::uint8_t q[Fields::kValues];
  Fields::endpoints(in, q);
  const auto color = [&](unsigned i) {
    return components == 2 ? bc1_color({value[q[i]], value[q[i]], value[q[i]], 255})
                           : bc1_color({value[q[i]], value[q[2 + i]], value[q[4 + i]], 255});
  };
  const unsigned partition = Fields::kInfo.subset_count() > 1 ? Fields::partition(in) : 0;
  const Lanes levels = bc1_levels_of(plane_weights<kMode>(in, partition).first);
  store_bc1_levels(out, color(0), color(1), pack_lanes2(levels));
}

// Eight 16-bit lanes: R, G, B and an unused lane of the first half of a block, then of the second half.
using Halves = std::int16_t __attribute__((vector_size(16)));
using Two = std::uint64_t __attribute__((vector_size(16)));

// The sums of the texels of the halves. planes: R, G and B, 16 bytes each. flip_lanes: all ones or all zeros.
[[gnu::always_inline]] inline Halves half_sums(const std::uint8_t* planes, Halves flip_lanes) {
  Two sums{};
#pragma GCC unroll 3
  for (unsigned c = 0; c < 3; ++c) {
    Halves v;
    std::memcpy(&v, planes + 16 * c, 16);
    // Sums of two texels: left, right, left, right and so on, by rows.
    const Halves rows = (v & 255) + reinterpret_cast<Halves>(reinterpret_cast<Lanes8>(v) >> 8);
    const Halves columns = __builtin_shufflevector(rows, rows, 0, 2, 4, 6, 1, 3, 5, 7);
    Two four = reinterpret_cast<Two>(columns ^ ((columns ^ rows) & flip_lanes));
    four += four >> 32;
    four += four >> 16;
    sums |= (four & 0xffff) << (16 * c);
  }
  return reinterpret_cast<Halves>(sums);
}

// [flip] -> the lanes of the second half.
constexpr Lanes kSecondHalf[2] = {
    {0, 0, 0xffff, 0xffff, 0, 0, 0xffff, 0xffff, 0, 0, 0xffff, 0xffff, 0, 0, 0xffff, 0xffff},
    {0, 0, 0, 0, 0, 0, 0, 0, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff}};

// As uastc_to_etc1, from planes of R, G and B. The hints are as good as random, so nothing branches on them.
// hints: the block's 13 bits from the flip bit on. kBiased: the mode stores a bias.
template <bool kBiased>
[[gnu::always_inline]] inline void planes_to_etc1(unsigned hints, const std::uint8_t* planes, std::uint8_t* out) {
  const unsigned flip = hints & 1, diff = hints >> 1 & 1, table0 = hints >> 2 & 7, table1 = hints >> 5 & 7;
  const auto all = [](unsigned bit) { return Halves{} - static_cast<std::int16_t>(bit); };
  const Halves diff_lanes = all(diff), limit = Halves{} + static_cast<std::int16_t>(15 + 16 * diff);

  // The average: (sum * limit + 1020) / 2040, where v / 255 is (v + 1 + (v >> 8)) >> 8.
  const auto sums = reinterpret_cast<Lanes8>(half_sums(planes, all(flip)));
  Lanes8 eighth = (sums * reinterpret_cast<Lanes8>(limit) + 1020) >> 3;
  eighth = (eighth + 1 + (eighth >> 8)) >> 8;
  Halves base = reinterpret_cast<Halves>(eighth);
  if constexpr (kBiased) {
    // As bias_etc1_channel.
    Halves delta;
    std::memcpy(&delta, &kEtc1Deltas[hints >> 8 & 31], sizeof delta);
    const Halves moved = base + delta;
    Halves biased = ((moved < 0) | (moved > limit)) ? base - delta : moved;
    biased = base == limit ? moved - 1 : biased;
    base = base == 0 ? (delta == -2 ? Halves{} + std::int16_t{3} : delta + 1) : biased;
  }
  // The second half is within -4 and 3 of the first.
  const Halves first = __builtin_shufflevector(base, base, 0, 1, 2, 3, 0, 1, 2, 3);
  Halves near = base < first - 4 ? first - 4 : base;
  near = near > first + 3 ? first + 3 : near;
  base ^= (base ^ near) & diff_lanes;

  const Halves second = __builtin_shufflevector(base, base, 4, 5, 6, 7, 4, 5, 6, 7);
  const Halves both = first << 4 | second, step = first << 3 | ((second - first) & 7);
  const std::uint64_t fields = reinterpret_cast<Two>(both ^ ((both ^ step) & diff_lanes))[0];
  const auto head = static_cast<std::uint32_t>((fields & 0xff) << 24 | (fields & 0xff0000) | (fields >> 24 & 0xff00) |
                                               table0 << 5 | table1 << 2 | diff << 1 | flip);

  // The luma of the four colors of both halves.
  const Halves wide4 = base << 4 | base, wide5 = base << 3 | base >> 2;
  const Halves wide = wide4 ^ ((wide4 ^ wide5) & diff_lanes);
  const Halves shift = reinterpret_cast<Halves>(Two{kEtc1Shifts[table0], kEtc1Shifts[table1]});
  const auto clamped_sum = [&](Halves color) {
    color += shift;
    color = color < 0 ? Halves{} : color;
    color = color > 255 ? Halves{} + std::int16_t{255} : color;
    return reinterpret_cast<Lanes8>(color);
  };
  // At most 65280, so unsigned.
  const Lanes8 y = clamped_sum(__builtin_shufflevector(wide, wide, 0, 0, 0, 0, 4, 4, 4, 4)) * 54 +
                   clamped_sum(__builtin_shufflevector(wide, wide, 1, 1, 1, 1, 5, 5, 5, 5)) * 183 +
                   clamped_sum(__builtin_shufflevector(wide, wide, 2, 2, 2, 2, 6, 6, 6, 6)) * 19;
  // The midpoints between neighbors, rounded up. The sum of two can need 17 bits.
  const auto next = reinterpret_cast<Lanes8>(reinterpret_cast<Two>(y) >> 16);
  const Lanes8 edges = (y >> 1) + (next >> 1) + ((y | next) & 1);

  // Each texel takes the color of its half with the nearest luma.
  const Lanes texel_luma = load_lanes(planes) * 54 + load_lanes(planes + 16) * 183 + load_lanes(planes + 32) * 19;
  const Lanes second_half = kSecondHalf[flip];
  const auto reaches = [&](unsigned i) {
    const unsigned of_first = edges[i], of_second = edges[4 + i];
    const Lanes edge = splat(of_first) ^ (splat(of_first ^ of_second) & second_half);
    return reinterpret_cast<Lanes>((texel_luma > edge ? texel_luma : edge) == texel_luma);
  };
  const std::uint32_t tail = pack_etc_bits(~reaches(1)) << 16 | pack_etc_bits(~reaches(0) | reaches(2));
  store_big_endian(std::uint64_t{head} << 32 | tail, out);
}

// The hints of a block for EAC. Requires a mode with alpha.
struct EacHints {
  std::uint8_t table, multiplier;
};
template <unsigned kMode>
[[gnu::always_inline]] inline EacHints eac_hints(Bits128 in) {
  constexpr UastcMode mode = kUastcModes[kMode];
  const unsigned bits = in.get(mode.code_bits + mode.hint_bits() - 8u, 8);
  return {static_cast<std::uint8_t>(bits & 15), static_cast<std::uint8_t>(bits >> 4)};
}
