#include "codec/mesh/decode/meshopt_stream.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace assetc::meshopt_stream {
namespace {

constexpr std::byte kAttributesV0{0xA0};
constexpr std::byte kTrianglesV1{0xE1};
constexpr std::size_t kBlockBytes = 8192;
constexpr std::size_t kTailBytes = 32;  // behind the blocks, at least
// A group has at most 8 bytes of packed values and 16 values of a byte.
constexpr std::size_t kMaxGroupBytes = 24;

// Vectors of the compiler: SSE2, NEON or WebAssembly's, whichever it builds for.
using U8x16 = std::uint8_t __attribute__((vector_size(16)));
using U64x2 = std::uint64_t __attribute__((vector_size(16)));

U8x16 load16(const void* from) {
  U8x16 value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Values of 2 or 4 bits, with the first in the highest bits. The largest value stands for a byte of its own, behind the
// packed values.
template <unsigned kBits>
const std::byte* unpack(const std::byte* from, std::uint8_t* out) {
  constexpr std::uint8_t kLargest = (1u << kBits) - 1;
  std::conditional_t<kBits == 2, std::uint32_t, std::uint64_t> word;
  static_assert(sizeof word == kGroup * kBits / 8);
  std::memcpy(&word, from, sizeof word);
  auto packed = std::bit_cast<U8x16>(U64x2{word, 0});
  if constexpr (std::endian::native == std::endian::big) {
    packed = U8x16{};
    std::memcpy(&packed, from, sizeof word);
  }
  if constexpr (kBits == 2) {
    const U8x16 high = packed >> 4, low = packed & 15;
    packed = __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
  const U8x16 high = packed >> kBits, low = packed & kLargest;
  const U8x16 values = __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  std::memcpy(out, &values, kGroup);
  from += kGroup * kBits / 8;
  const auto marks = std::bit_cast<U64x2>(values == kLargest);
  if constexpr (std::endian::native == std::endian::big) {
    for (std::size_t i = 0; i < kGroup; ++i) {
      if (out[i] == kLargest) out[i] = static_cast<std::uint8_t>(*from++);
    }
    return from;
  }
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::uint64_t left = marks[half] & 0x0101010101010101u; left != 0; left &= left - 1)
      out[half * 8 + static_cast<unsigned>(std::countr_zero(left)) / 8] = static_cast<std::uint8_t>(*from++);
  }
  return from;
}

// Zigzag to two's complement: 0, -1, 1, -2 ...
U8x16 signed_of(U8x16 v) { return (v >> 1) ^ (0 - (v & 1)); }

U8x16 prefix_sums(U8x16 v, std::uint8_t before) {
  const U8x16 zero{};
  v += __builtin_shufflevector(v, zero, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
  v += __builtin_shufflevector(v, zero, 16, 17, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
  v += __builtin_shufflevector(v, zero, 16, 17, 18, 19, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  v += __builtin_shufflevector(v, zero, 16, 17, 18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 4, 5, 6, 7);
  return v + before;
}

}  // namespace

std::optional<Attributes> Attributes::open(ByteSpan stream, std::uint64_t count, std::size_t stride_bytes) {
  const std::size_t tail = std::max(stride_bytes, kTailBytes);
  if (stream.size() < 1 + tail || stream[0] != kAttributesV0) return std::nullopt;
  Attributes out;
  out.at_ = stream.data() + 1;
  out.end_ = stream.data() + stream.size() - tail;
  out.first_ = stream.data() + stream.size() - stride_bytes;
  out.left_ = count;
  out.stride_ = stride_bytes;
  out.block_ = std::min((kBlockBytes / stride_bytes) & ~(kGroup - 1), kMaxBlock);
  return out;
}

std::size_t Attributes::differences(Block& block) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, block_));
  if (count == 0) return 0;
  const std::size_t groups = (count + kGroup - 1) / kGroup;
  const std::size_t header_bytes = (groups + 3) / 4;
  const auto bytes_left = [&] { return static_cast<std::size_t>(end_ - at_); };
  for (std::size_t k = 0; k < stride_; ++k) {
    std::uint8_t* out = block.channels[k].data();
    if (bytes_left() < header_bytes) return 0;
    const std::byte* const header = at_;
    at_ += header_bytes;
    if (std::all_of(header, at_, [](std::byte b) { return b == std::byte{0}; })) {
      std::memset(out, 0, groups * kGroup);
      continue;
    }
    for (std::size_t g = 0; g < groups; ++g, out += kGroup) {
      const unsigned width = static_cast<unsigned>(header[g / 4]) >> (g % 4 * 2) & 3;
      // The tail is behind the blocks, so a group may be read before its size is checked.
      static_assert(kMaxGroupBytes <= kTailBytes);
      switch (width) {
        case 0:
          std::memset(out, 0, kGroup);
          continue;
        case 1:
          at_ = unpack<2>(at_, out);
          break;
        case 2:
          at_ = unpack<4>(at_, out);
          break;
        default:
          std::memcpy(out, at_, kGroup);
          at_ += kGroup;
          break;
      }
      if (at_ > end_) {
        at_ = end_;
        return 0;  // with elements left: not complete
      }
    }
    // Not group by group: bytes that were just stored one by one are slow to load as a vector.
    out = block.channels[k].data();
    for (std::size_t g = 0; g < groups; ++g, out += kGroup) {
      const U8x16 value = signed_of(load16(out));
      std::memcpy(out, &value, sizeof value);
    }
  }
  for (std::size_t k = 0; k < stride_ && is_first_; ++k)
    block.channels[k][0] = static_cast<std::uint8_t>(block.channels[k][0] + static_cast<std::uint8_t>(first_[k]));
  is_first_ = false;
  left_ -= count;
  return count;
}

bool decode_attributes(ByteSpan stream, std::uint64_t count, std::size_t stride_bytes, std::byte* out) {
  std::optional<Attributes> attributes = Attributes::open(stream, count, stride_bytes);
  if (!attributes) return false;
  Block block;
  std::array<std::uint8_t, kMaxStride> before{};
  while (const std::size_t found = attributes->differences(block)) {
    for (std::size_t k = 0; k < stride_bytes; k += 4) {
      std::byte* to = out + k;
      for (std::size_t g = 0; g < found; g += kGroup) {
        std::array<U8x16, 4> rows;
        for (std::size_t i = 0; i < 4; ++i) {
          rows[i] = prefix_sums(load16(&block.channels[k + i][g]), before[k + i]);
          before[k + i] = rows[i][15];
        }
        // Four channels of 16 elements become 16 words.
        const auto pairs = [](U8x16 a, U8x16 b, bool high) {
          return high ? __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
                      : __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        };
        using U16x8 = std::uint16_t __attribute__((vector_size(16)));
        std::array<std::uint32_t, kGroup> words;
        for (std::size_t half = 0; half < 2; ++half) {
          const auto low = std::bit_cast<U16x8>(pairs(rows[0], rows[1], half == 1));
          const auto high = std::bit_cast<U16x8>(pairs(rows[2], rows[3], half == 1));
          const U16x8 first = __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
          const U16x8 second = __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
          std::memcpy(&words[half * 8], &first, sizeof first);
          std::memcpy(&words[half * 8 + 4], &second, sizeof second);
        }
        const std::size_t size = std::min(kGroup, found - g);
        for (std::size_t i = 0; i < size; ++i, to += stride_bytes) std::memcpy(to, &words[i], sizeof words[i]);
      }
    }
    out += found * stride_bytes;
  }
  return attributes->is_complete();
}

std::optional<Triangles> Triangles::open(ByteSpan stream, std::uint64_t triangle_count) {
  constexpr std::size_t kTable = 16;
  if (stream.size() < 1 + kTable || stream.size() - 1 - kTable < triangle_count || stream[0] != kTrianglesV1)
    return std::nullopt;
  Triangles out;
  out.code_ = stream.data() + 1;
  out.data_ = out.code_ + triangle_count;
  out.table_ = stream.data() + stream.size() - kTable;
  return out;
}

}  // namespace assetc::meshopt_stream
