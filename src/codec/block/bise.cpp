#include "codec/block/bise.hpp"

#include "codec/block/bise_endpoint.hpp"

namespace assetc::codec {
namespace {

constexpr EndpointRange make_endpoint_range(BiseRange range) {
  EndpointRange e;
  e.levels = range.levels;
  std::array<int, 256> value_at{};
  for (auto& v : value_at) v = -1;
  for (unsigned v = 0; v < range.levels; ++v) {
    e.unquantized[v] = static_cast<std::uint8_t>(unquantize_endpoint(range, v));
    value_at[e.unquantized[v]] = static_cast<int>(v);
  }
  unsigned rank = 0;
  for (unsigned i = 0; i < 256; ++i) {
    if (value_at[i] >= 0) {
      const auto v = static_cast<std::uint8_t>(value_at[i]);
      e.by_rank[rank] = v;
      e.rank[v] = static_cast<std::uint8_t>(rank++);
    }
    for (int d = 0;; ++d) {
      const int below = static_cast<int>(i) - d, above = static_cast<int>(i) + d;
      if (below >= 0 && value_at[below] >= 0) {
        e.nearest[i] = static_cast<std::uint8_t>(value_at[below]);
        break;
      }
      if (above <= 255 && value_at[above] >= 0) {
        e.nearest[i] = static_cast<std::uint8_t>(value_at[above]);
        break;
      }
    }
  }
  return e;
}

constexpr auto kEndpointRanges = [] {
  std::array<EndpointRange, kBiseRangeCount> all{};
  for (unsigned r = 4; r < kBiseRangeCount; ++r) all[r] = make_endpoint_range(kBiseRanges[r]);
  return all;
}();

constexpr unsigned unquantize_weight(BiseRange range, unsigned value) {
  if (range.base == 1) return kWeightValues[range.bits][value];
  if (range.bits == 0) return range.base == 3 ? value * 32 : value * 16;
  const unsigned low = value & ((1u << range.bits) - 1);
  const unsigned digit = value >> range.bits;
  const unsigned a = low & 1 ? 0x7fu : 0u;
  const unsigned b = low >> 1 & 1, c = low >> 2 & 1;
  unsigned spread = 0, factor = 0;
  if (range.base == 3) {
    switch (range.bits) {
      case 1:
        factor = 50;
        break;
      case 2:
        factor = 23, spread = b << 6 | b << 2 | b;
        break;
      default:
        factor = 11, spread = c << 6 | b << 5 | c << 1 | b;
        break;
    }
  } else {
    switch (range.bits) {
      case 1:
        factor = 28;
        break;
      default:
        factor = 13, spread = b << 6 | b << 1;
        break;
    }
  }
  const unsigned t = (a & 0x20) | (((digit * factor + spread) ^ a) >> 2);
  return t > 32 ? t + 1 : t;
}

constexpr auto kWeightRanges = [] {
  std::array<std::array<std::uint8_t, 32>, 12> all{};
  for (unsigned r = 0; r < all.size(); ++r)
    for (unsigned v = 0; v < kBiseRanges[r].levels; ++v)
      all[r][v] = static_cast<std::uint8_t>(unquantize_weight(kBiseRanges[r], v));
  return all;
}();

// The digits of 8 packed trit bits, with the first digit in the low two bits, and the inverse mapping.
constexpr unsigned decode_trits(unsigned t) {
  unsigned c = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0;
  if ((t >> 2 & 7) == 7) {
    c = (t >> 5 & 7) << 2 | (t & 3);
    t4 = t3 = 2;
  } else {
    c = t & 31;
    if ((t >> 5 & 3) == 3) {
      t4 = 2, t3 = t >> 7 & 1;
    } else {
      t4 = t >> 7 & 1, t3 = t >> 5 & 3;
    }
  }
  if ((c & 3) == 3) {
    t2 = 2, t1 = c >> 4 & 1;
    t0 = (c >> 3 & 1) << 1 | ((c >> 2 & 1) & ~(c >> 3 & 1));
  } else if ((c >> 2 & 3) == 3) {
    t2 = t1 = 2, t0 = c & 3;
  } else {
    t2 = c >> 4 & 1, t1 = c >> 2 & 3;
    t0 = (c >> 1 & 1) << 1 | ((c & 1) & ~(c >> 1 & 1));
  }
  return t0 | t1 << 2 | t2 << 4 | t3 << 6 | t4 << 8;
}
constexpr unsigned decode_quints(unsigned q) {
  unsigned q0 = 0, q1 = 0, q2 = 0;
  if ((q >> 1 & 3) == 3 && (q >> 5 & 3) == 0) {
    q2 = (q & 1) << 2 | ((q >> 4 & 1) & ~(q & 1)) << 1 | ((q >> 3 & 1) & ~(q & 1));
    q1 = q0 = 4;
  } else {
    unsigned c = 0;
    if ((q >> 1 & 3) == 3) {
      q2 = 4;
      c = (q >> 3 & 3) << 3 | (~(q >> 5) & 3) << 1 | (q & 1);
    } else {
      q2 = q >> 5 & 3;
      c = q & 31;
    }
    if ((c & 7) == 5) {
      q1 = 4, q0 = c >> 3 & 3;
    } else {
      q1 = c >> 3 & 3, q0 = c & 7;
    }
  }
  return q0 | q1 << 3 | q2 << 6;
}

constexpr auto kTritDigits = [] {
  std::array<std::uint16_t, 256> t{};
  for (unsigned i = 0; i < 256; ++i) t[i] = static_cast<std::uint16_t>(decode_trits(i));
  return t;
}();
constexpr auto kQuintDigits = [] {
  std::array<std::uint16_t, 128> t{};
  for (unsigned i = 0; i < 128; ++i) t[i] = static_cast<std::uint16_t>(decode_quints(i));
  return t;
}();

}  // namespace

constinit const std::array<std::uint8_t, 243> kTritPacking = [] {
  std::array<std::uint8_t, 243> p{};
  for (unsigned i = 256; i-- > 0;) {
    const unsigned d = kTritDigits[i];
    p[(d & 3) + 3 * (d >> 2 & 3) + 9 * (d >> 4 & 3) + 27 * (d >> 6 & 3) + 81 * (d >> 8 & 3)] =
        static_cast<std::uint8_t>(i);
  }
  return p;
}();
constinit const std::array<std::uint8_t, 125> kQuintPacking = [] {
  std::array<std::uint8_t, 125> p{};
  for (unsigned i = 0; i < 128; ++i) {
    const unsigned d = kQuintDigits[i];
    p[(d & 7) + 5 * (d >> 3 & 7) + 25 * (d >> 6 & 7)] = static_cast<std::uint8_t>(i);
  }
  return p;
}();

const EndpointRange& endpoint_range(unsigned range) { return kEndpointRanges[range]; }
const std::array<std::uint8_t, 32>& weight_range(unsigned range) { return kWeightRanges[range]; }

void bise_encode(BitWriter& out, unsigned range, const std::uint8_t* values, unsigned count) {
  const BiseRange r = kBiseRanges[range];
  if (r.base == 1) {
    for (unsigned i = 0; i < count; ++i) out.add(values[i], r.bits);
    return;
  }
  const unsigned group = r.base == 3 ? 5 : 3;
  const std::uint8_t* slices = r.base == 3 ? kTritSlices.data() : kQuintSlices.data();
  const unsigned mask = (1u << r.bits) - 1;
  for (unsigned first = 0; first < count; first += group) {
    const unsigned n = count - first < group ? count - first : group;
    unsigned number = 0;
    for (unsigned i = n; i-- > 0;) number = number * r.base + (values[first + i] >> r.bits);
    unsigned packed = r.base == 3 ? kTritPacking[number] : kQuintPacking[number];
    for (unsigned i = 0; i < n; ++i) {
      out.add(values[first + i] & mask, r.bits);
      out.add(packed & ((1u << slices[i]) - 1), slices[i]);
      packed >>= slices[i];
    }
    assert(packed == 0 || n == group);
  }
}

void bise_decode(BitReader& in, unsigned range, std::uint8_t* values, unsigned count) {
  const BiseRange r = kBiseRanges[range];
  if (r.base == 1) {
    for (unsigned i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(in.take(r.bits));
    return;
  }
  const unsigned group = r.base == 3 ? 5 : 3;
  const std::uint8_t* slices = r.base == 3 ? kTritSlices.data() : kQuintSlices.data();
  for (unsigned first = 0; first < count; first += group) {
    const unsigned n = count - first < group ? count - first : group;
    unsigned packed = 0, at = 0;
    for (unsigned i = 0; i < n; ++i) {
      values[first + i] = static_cast<std::uint8_t>(in.take(r.bits));
      packed |= in.take(slices[i]) << at;
      at += slices[i];
    }
    unsigned digits = r.base == 3 ? kTritDigits[packed] : kQuintDigits[packed];
    const unsigned digit_bits = r.base == 3 ? 2 : 3;
    for (unsigned i = 0; i < n; ++i) {
      values[first + i] |= static_cast<std::uint8_t>((digits & ((1u << digit_bits) - 1)) << r.bits);
      digits >>= digit_bits;
    }
  }
}

}  // namespace assetc::codec
