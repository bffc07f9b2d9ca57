// Decodes UASTC blocks to planes of texels, 16 texels in lanes. Included where AVX2 is the target, in a namespace
// of its own; see uastc_batch_texels.cpp.

using Lanes = std::uint16_t __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Lanes splat(unsigned v) { return static_cast<std::uint16_t>(v) + Lanes{}; }
// Intrinsics, because GCC 12 makes four operations of __builtin_convertvector.
[[gnu::always_inline]] inline Lanes widened(__m128i bytes) {
  return reinterpret_cast<Lanes>(_mm256_cvtepu8_epi16(bytes));
}
[[gnu::always_inline]] inline Lanes load_lanes(const void* bytes) {
  return widened(_mm_loadu_si128(static_cast<const __m128i*>(bytes)));
}
// Requires lanes below 256.
[[gnu::always_inline]] inline __m128i narrowed(Lanes v) {
  const auto bits = reinterpret_cast<__m256i>(v);
  return _mm_packus_epi16(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
}
[[gnu::always_inline]] inline void store_lanes(Lanes v, std::uint8_t* bytes) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), narrowed(v));
}

// How 16 fields of kBits bits get from packed bits to lanes: the bytes that a lane takes, and the factor that moves its
// field to the top of the lane. Field i is at kFirst + i * kStride; the eight last ones may be in a word of their own.
template <unsigned kBits, unsigned kStride, unsigned kFirst, bool kTwoWords>
struct FieldPlaces {
  alignas(32) std::array<std::uint8_t, 32> bytes{};
  alignas(32) std::array<std::uint16_t, kBlockTexels> factors{};
  constexpr FieldPlaces() {
    for (unsigned i = 0; i < kBlockTexels; ++i) {
      const unsigned at = kFirst + (kTwoWords ? i % 8 : i) * kStride;
      bytes[2 * i] = static_cast<std::uint8_t>(at / 8);
      bytes[2 * i + 1] = static_cast<std::uint8_t>(at / 8 + 1);
      factors[i] = static_cast<std::uint16_t>(1u << (16 - kBits - at % 8));
    }
  }
};
// The fields in the top bits of their lanes, above other bits.
template <unsigned kBits, unsigned kStride = kBits, unsigned kFirst = 0, bool kTwoWords = false>
[[gnu::always_inline]] inline Lanes fields_at_top(std::uint64_t first, std::uint64_t second = 0) {
  static constexpr FieldPlaces<kBits, kStride, kFirst, kTwoWords> places;
  const auto word = [](std::uint64_t v) { return static_cast<long long>(v); };
  const __m256i words = kTwoWords ? _mm256_setr_epi64x(word(first), 0, word(second), 0)
                                  : _mm256_broadcastq_epi64(_mm_cvtsi64_si128(word(first)));
  const __m256i windows =
      _mm256_shuffle_epi8(words, _mm256_load_si256(reinterpret_cast<const __m256i*>(places.bytes.data())));
  Lanes factors;
  std::memcpy(&factors, places.factors.data(), sizeof factors);
  return reinterpret_cast<Lanes>(windows) * factors;
}

// ASTC's weights, 0 to 64, of quantized ones in the top bits of 16: a product, and for 4 and 5 bits the top bit more.
struct WeightRule {
  std::uint16_t factor;
  std::uint16_t top;
};
constexpr std::array<WeightRule, 6> kWeightRules = {{{}, {128, 0}, {86, 0}, {74, 0}, {68, 1}, {64, 2}}};
static_assert([] {
  for (unsigned bits = 1; bits <= 5; ++bits)
    for (unsigned w = 0; w < 1u << bits; ++w)
      if ((w * kWeightRules[bits].factor >> bits) + (w >> (bits - 1)) * kWeightRules[bits].top !=
          kWeightValues[bits][w])
        return false;
  return true;
}());
template <unsigned kBits>
[[gnu::always_inline]] inline Lanes unquantized_weights(Lanes at_top) {
  constexpr WeightRule rule = kWeightRules[kBits];
  const Lanes fields = at_top & static_cast<std::uint16_t>(0xffff << (16 - kBits));
  const auto weights = reinterpret_cast<Lanes>(
      _mm256_mulhi_epu16(reinterpret_cast<__m256i>(fields), reinterpret_cast<__m256i>(splat(rule.factor))));
  return rule.top == 0 ? weights : weights + (at_top >> 15) * rule.top;
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
    return {unquantized_weights<bits>(fields_at_top<bits, bits, 0, true>(packed.low, packed.high)), Lanes{}};
  } else if constexpr (Fields::kInfo.plane_count == 2) {
    return {unquantized_weights<bits>(fields_at_top<bits, 2 * bits>(packed.low)),
            unquantized_weights<bits>(fields_at_top<bits, 2 * bits, bits>(packed.low))};
  } else {
    return {unquantized_weights<bits>(fields_at_top<bits>(packed.low)), Lanes{}};
  }
}

// Interpolates between the bytes of each lane of `ends`, the low one first. factors: 64 minus the weight in the low
// byte, the weight in the high byte. Endpoints are widened to 16 bits by repeating their byte, as ASTC does, and the
// result is the top byte. In 16 bits: 257 * s + 32 >> 14 is s + (s + 32 >> 8) >> 6.
[[gnu::always_inline]] inline Lanes interpolated(__m256i ends, Lanes factors) {
  const auto s = reinterpret_cast<Lanes>(_mm256_maddubs_epi16(ends, reinterpret_cast<__m256i>(factors)));
  return (s + ((s + 32) >> 8)) >> 6;
}

// [selector][channel] -> all ones if plane 1 has the weights of the channel.
alignas(16) constexpr auto kOfSecondPlane = [] {
  std::array<std::array<std::uint16_t, 4>, 4> t{};
  for (unsigned c = 0; c < 4; ++c) t[c][c] = 0xffff;
  return t;
}();

// Decodes the channels that are wanted, one plane of 16 bytes each. Three channels are R, G and B; four are all.
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
  const auto ends_of = [&](unsigned s, unsigned c) {
    const unsigned stored = (s * components + (components == 2 ? c / 3 : c)) * 2;
    const auto all = [&](unsigned i) { return _mm256_set1_epi8(static_cast<char>(value[q[stored + i]])); };
    return _mm256_unpacklo_epi8(all(0), all(1));
  };
  const PlaneWeights weights = plane_weights<kMode>(in, partition);
  const auto factors_of = [](Lanes weight) { return weight * 255 + 64; };
  const Lanes factors = factors_of(weights.first);
  const Lanes second_factors = mode.plane_count == 2 ? factors_of(weights.second) : Lanes{};
  __m256i in_subset[3] = {};
  if constexpr (subsets > 1) {
    const Lanes subset = load_lanes(uastc_partitions(mode.partitions)[partition].subset.data());
    for (unsigned s = 1; s < subsets; ++s) in_subset[s] = reinterpret_cast<__m256i>(subset == splat(s));
  }
  const std::uint16_t* of_second = kOfSecondPlane[mode.plane_count == 2 ? Fields::selector(in) : 0].data();
  const auto channel = [&](unsigned k) {
    const unsigned c = kWanted < 3 ? wanted[k] : k;
    if (c == 3 && !mode.has_alpha()) return splat(255);
    __m256i ends = ends_of(0, c);
    for (unsigned s = 1; s < subsets; ++s) ends = _mm256_blendv_epi8(ends, ends_of(s, c), in_subset[s]);
    if constexpr (mode.plane_count == 2)
      return interpolated(ends, reinterpret_cast<Lanes>(_mm256_blendv_epi8(
                                    reinterpret_cast<__m256i>(factors), reinterpret_cast<__m256i>(second_factors),
                                    reinterpret_cast<__m256i>(splat(of_second[c])))));
    return interpolated(ends, factors);
  };
#pragma GCC unroll 2
  for (unsigned k = 0; k + 1 < kWanted; k += 2) {
    const __m256i both =
        _mm256_packus_epi16(reinterpret_cast<__m256i>(channel(k)), reinterpret_cast<__m256i>(channel(k + 1)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(planes + 16 * k), _mm256_permute4x64_epi64(both, 0xd8));
  }
  if constexpr (kWanted % 2 != 0) store_lanes(channel(kWanted - 1), planes + 16 * (kWanted - 1));
}

// [high - low] -> factors with which (value - low) * to_16_bits * to_levels >> 16 is the level, 0 to 7, times 4096.
struct Bc4Scale {
  std::uint16_t to_16_bits, to_levels;
  std::uint16_t is_range;  // all ones, or 0 if there is no range
};
constexpr auto kBc4Scales = [] {
  std::array<Bc4Scale, 256> t{};
  for (unsigned range = 1; range < 256; ++range) {
    const unsigned factor = 0x8000 / std::bit_floor(range);
    t[range] = {static_cast<std::uint16_t>(factor),
                static_cast<std::uint16_t>(7 * 4096 * 65536u / (range * factor) + 1), 0xffff};
  }
  return t;
}();
constexpr unsigned bc4_level(unsigned above_low, unsigned range) {
  const Bc4Scale& scale = kBc4Scales[range];
  return ((above_low * scale.to_16_bits * scale.to_levels >> 16) + 2048) >> 12;
}
// The nearest level, and the higher of two that are equally near, as in encode_bc4.
static_assert([] {
  for (unsigned range = 1; range < 256; ++range)
    for (unsigned v = 0; v <= range; ++v)
      if (bc4_level(v, range) != (14 * v + range) / (2 * range)) return false;
  return true;
}());

// As encode_bc4, for 16 values.
[[gnu::always_inline]] inline void planes_to_bc4(const std::uint8_t* v, std::uint8_t* out) {
  const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(v));
  const auto least = [](__m128i x) { return _mm_minpos_epu16(_mm_min_epu8(x, _mm_srli_epi16(x, 8))); };
  const __m128i lowest = least(values);
  const unsigned low = static_cast<unsigned>(_mm_cvtsi128_si32(lowest)) & 255;
  const unsigned high =
      255 - (static_cast<unsigned>(_mm_cvtsi128_si32(least(_mm_xor_si128(values, _mm_set1_epi8(-1))))) & 255);
  const Bc4Scale& scale = kBc4Scales[high - low];
  const Lanes above = widened(values) - reinterpret_cast<Lanes>(_mm256_broadcastw_epi16(lowest));
  const __m256i scaled = _mm256_mulhi_epu16(reinterpret_cast<__m256i>(above * splat(scale.to_16_bits)),
                                            reinterpret_cast<__m256i>(splat(scale.to_levels)));
  const __m128i levels = narrowed((reinterpret_cast<Lanes>(scaled) + 2048) >> 12);
  // Levels 7, 6 .. 1, 0 are codes 0, 2 .. 7, 1.
  const __m128i codes = _mm_shuffle_epi8(_mm_setr_epi8(1, 7, 6, 5, 4, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0), levels);
  const __m128i twos = _mm_maddubs_epi16(codes, _mm_set1_epi16(0x0801));   // 6 bits each
  const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(0x00400001));  // 12 bits each
  const __m128i eights = _mm_or_si128(fours, _mm_srli_epi64(fours, 20));
  const auto first = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights)) & 0xffffff;
  const auto second = static_cast<std::uint64_t>(_mm_extract_epi64(eights, 1)) & 0xffffff;
  // If all values are equal, their code is 0.
  const std::uint64_t all = (first | second << 24) & (std::uint64_t{0} - (scale.is_range & 1u));
  const std::uint64_t block = high | low << 8 | all << 16;
  std::memcpy(out, &block, 8);
}

// The BC1 level of an unquantized weight: the nearest third.
constexpr std::uint8_t bc1_level_of(unsigned weight) {
  return static_cast<std::uint8_t>((weight > 10) + (weight > 32) + (weight > 53));
}
// The BC1 levels of the weights of a block's first plane.
template <unsigned kMode>
[[gnu::always_inline]] inline __m128i bc1_levels_of(Bits128 in, unsigned partition) {
  using Fields = UastcFields<kMode>;
  constexpr unsigned bits = Fields::kWeightBits;
  if constexpr (bits == 5) {
    const __m128i weights = narrowed(plane_weights<kMode>(in, partition).first);
    const auto above = [&](char limit) { return _mm_cmpgt_epi8(weights, _mm_set1_epi8(limit)); };
    return _mm_sub_epi8(_mm_setzero_si128(), _mm_add_epi8(_mm_add_epi8(above(10), above(32)), above(53)));
  } else {
    alignas(16) static constexpr auto level = [] {
      std::array<std::uint8_t, 16> t{};
      for (unsigned w = 0; w < 1u << bits; ++w) t[w] = bc1_level_of(kWeightValues[bits][w]);
      return t;
    }();
    const Lanes at_top = fields_at_top<bits, bits * Fields::kInfo.plane_count>(Fields::weights(in, partition).low);
    return _mm_shuffle_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(level.data())),
                            narrowed(at_top >> (16 - bits)));
  }
}

// [quantized endpoint] -> its 5 and its 6 bits in BC1.
template <unsigned kRange>
constexpr auto kBc1Ends = [] {
  std::array<std::array<std::uint8_t, 2>, kBiseRanges[kRange].levels> t{};
  for (unsigned q = 0; q < t.size(); ++q) {
    const unsigned v = unquantize_endpoint(kBiseRanges[kRange], q);
    t[q] = {static_cast<std::uint8_t>((v * 31 + 127) / 255), static_cast<std::uint8_t>((v * 63 + 127) / 255)};
  }
  return t;
}();

// A block whose BC1 hint selects its endpoints and weights.
template <unsigned kMode>
[[gnu::always_inline]] inline void direct_to_bc1(Bits128 in, std::uint8_t* out) {
  using Fields = UastcFields<kMode>;
  constexpr bool gray = Fields::kInfo.component_count() == 2;
  constexpr const auto& ends = kBc1Ends<Fields::kInfo.endpoint_range>;
  std::uint8_t q[Fields::kValues];
  Fields::endpoints(in, q);
  const auto color = [&](unsigned i) {
    return static_cast<unsigned>(ends[q[i]][0] << 11 | ends[q[gray ? i : 2 + i]][1] << 5 |
                                 ends[q[gray ? i : 4 + i]][0]);
  };
  const unsigned partition = Fields::kInfo.subset_count() > 1 ? Fields::partition(in) : 0;
  const __m128i levels = bc1_levels_of<kMode>(in, partition);
  const __m128i twos = _mm_maddubs_epi16(levels, _mm_set1_epi16(0x0401));  // 4 bits each
  const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(0x00100001));  // 8 bits each
  const __m128i all = _mm_shuffle_epi8(fours, _mm_set1_epi32(0x0c080400));
  const unsigned first = color(0), second = color(1);
  std::uint32_t packed = static_cast<std::uint32_t>(_mm_cvtsi128_si32(all));
  if (first == second) [[unlikely]]
    return store_bc1_levels(out, first, second, packed);
  // As store_bc1_levels, without its branch: the order of the colors is as good as random.
  const std::uint32_t swapped = std::uint32_t{0} - (first < second);
  const std::uint32_t exchange = (first ^ second) & swapped;
  packed ^= swapped;
  const std::uint32_t high = packed >> 1 & 0x55555555u, low = packed & 0x55555555u;
  const std::uint64_t selectors = (high ^ low) << 1 | high;
  const std::uint64_t block = (first ^ exchange) | (second ^ exchange) << 16 | selectors << 32;
  std::memcpy(out, &block, 8);
}
