#include "import/gltf/meshopt_v1.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "base/plural.hpp"

namespace assetc::importer {
namespace {

std::unexpected<Error> damaged(const std::string& how) {
  return fail(ErrorCode::kInvalidData,
              "meshopt compression: the compressed ATTRIBUTES stream (version 1) is damaged: " + how,
              "export the model again");
}

// A block holds as many elements as fit in 8192 bytes, rounded down to whole groups, at most 256.
constexpr std::size_t kGroup = 16;
constexpr std::size_t kMaxBlockElements = 256;
constexpr std::size_t kMaxBlockBytes = 8192;
// A group takes at most 24 bytes: a nibble for each of its 16 deltas, and a byte for each delta that needs one. The
// tail of every stream is also that long, so a group may be read before it is known to end before the tail.
constexpr std::size_t kMaxGroupBytes = kGroup / 2 + kGroup;
constexpr std::size_t kMinTailBytes = kMaxGroupBytes;

// The deltas of one byte position for all elements of a block. The last group may extend past the end of the block.
using Column = std::array<std::uint8_t, kMaxBlockElements>;
static_assert(kMaxBlockElements % kGroup == 0);

// The part of the stream before the tail.
class Body {
 public:
  Body(const std::uint8_t* begin, std::size_t size) : at_(begin), left_(size) {}
  std::size_t left() const { return left_; }
  const std::uint8_t* at() const { return at_; }
  // Skips bytes and returns their start; null if fewer are left.
  const std::uint8_t* take(std::size_t bytes) {
    if (bytes > left_) return nullptr;
    const std::uint8_t* taken = at_;
    at_ += bytes;
    left_ -= bytes;
    return taken;
  }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

// Unpacks 16 deltas of kBits. A delta with all bits set is stored as a whole byte after the sixteen. Returns the number
// of bytes used.
template <unsigned kBits>
std::size_t unpack_group(const std::uint8_t* packed, std::uint8_t* out) {
  constexpr unsigned kPerByte = 8 / kBits, kWholeByte = (1u << kBits) - 1;
  const std::uint8_t* whole = packed + kGroup / kPerByte;
  for (unsigned i = 0; i < kGroup; ++i) {
    const unsigned place = i % kPerByte;
    // Single bits are stored from the lowest bit up, wider deltas from the highest bits down.
    const unsigned shift = kBits == 1 ? place : 8 - kBits * (place + 1);
    const unsigned delta = packed[i / kPerByte] >> shift & kWholeByte;
    out[i] = delta == kWholeByte ? *whole : static_cast<std::uint8_t>(delta);
    whole += delta == kWholeByte ? 1 : 0;
  }
  return static_cast<std::size_t>(whole - packed);
}

bool read_group(Body& body, unsigned bits, std::uint8_t* out) {
  std::size_t used = 0;
  switch (bits) {
    case 0:
      std::memset(out, 0, kGroup);
      break;
    case 1:
      used = unpack_group<1>(body.at(), out);
      break;
    case 2:
      used = unpack_group<2>(body.at(), out);
      break;
    case 4:
      used = unpack_group<4>(body.at(), out);
      break;
    default:
      std::memcpy(out, body.at(), used = kGroup);
      break;
  }
  return body.take(used) != nullptr;
}

bool read_column(Body& body, unsigned control, std::size_t elements, Column& out) {
  if (control == 2) {
    out.fill(0);
    return true;
  }
  if (control == 3) {
    const std::uint8_t* bytes = body.take(elements);
    if (bytes != nullptr) std::memcpy(out.data(), bytes, elements);
    return bytes != nullptr;
  }
  constexpr std::array<std::uint8_t, 5> kBits{0, 1, 2, 4, 8};  // control 0: the first four, 1: the last four
  const std::size_t groups = (elements + kGroup - 1) / kGroup;
  const std::uint8_t* widths = body.take((groups + 3) / 4);
  if (widths == nullptr) return false;
  for (std::size_t g = 0; g < groups; ++g) {
    const unsigned width = widths[g / 4] >> (g % 4 * 2) & 3u;
    if (!read_group(body, kBits[width + control], out.data() + g * kGroup)) return false;
  }
  return true;
}

template <class Word>
Word unzigzag(Word v) {
  return static_cast<Word>((v >> 1) ^ -(v & 1));
}

// Adds up the deltas of sizeof(Word) columns. `last` is the element before the first; afterwards it is the last one.
template <class Word, class Step>
void accumulate(const Column* columns, std::size_t elements, std::size_t stride, std::byte* last, std::byte* out,
                Step step) {
  Word value;
  std::memcpy(&value, last, sizeof value);
  for (std::size_t e = 0; e < elements; ++e) {
    Word delta = 0;
    for (std::size_t j = 0; j < sizeof(Word); ++j) delta = static_cast<Word>(delta | Word{columns[j][e]} << (8 * j));
    value = step(value, delta);
    std::memcpy(out + e * stride, &value, sizeof value);
  }
  std::memcpy(last, &value, sizeof value);
}

// The type of the four bytes of a channel: four 8-bit numbers, two 16-bit numbers, or one word whose bits change.
enum class ChannelMode : std::uint8_t { kBytes = 0, kShorts = 1, kXor = 2 };

// `mode` is a byte of the tail: a ChannelMode. For kXor, the high four bits are the rotation of the deltas.
void accumulate_channel(unsigned mode, const Column* columns, std::size_t elements, std::size_t stride, std::byte* last,
                        std::byte* out) {
  const auto add = [](auto value, auto delta) { return static_cast<decltype(value)>(value + unzigzag(delta)); };
  const auto change = [rotation = static_cast<int>(mode >> 4)](std::uint32_t value, std::uint32_t delta) {
    return value ^ std::rotr(delta, rotation);
  };
  switch (static_cast<ChannelMode>(mode & 15)) {
    case ChannelMode::kBytes:
      for (std::size_t j = 0; j < 4; ++j)
        accumulate<std::uint8_t>(columns + j, elements, stride, last + j, out + j, add);
      break;
    case ChannelMode::kShorts:
      for (std::size_t j = 0; j < 4; j += 2)
        accumulate<std::uint16_t>(columns + j, elements, stride, last + j, out + j, add);
      break;
    case ChannelMode::kXor:
      accumulate<std::uint32_t>(columns, elements, stride, last, out, change);
      break;
  }
}

bool is_channel_mode(unsigned mode) { return mode <= 1 || (mode & 15) == 2; }

bool read_block(Body& body, const std::uint8_t* channels, std::size_t elements, std::size_t stride, std::byte* last,
                std::byte* out) {
  const std::uint8_t* controls = body.take(stride / 4);
  if (controls == nullptr) return false;
  std::array<Column, 4> columns;
  for (std::size_t c = 0; c < stride / 4; ++c) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (!read_column(body, controls[c] >> (2 * j) & 3u, elements, columns[j])) return false;
    }
    accumulate_channel(channels[c], columns.data(), elements, stride, last + 4 * c, out + 4 * c);
  }
  return true;
}

template <class T>
Result<void> unfilter_colors(std::span<std::byte> elements) {
  using Signed = std::make_signed_t<T>;
  constexpr float kMax = std::numeric_limits<T>::max();
  for (std::size_t at = 0; at < elements.size(); at += 4 * sizeof(T)) {
    std::array<T, 4> v;
    std::memcpy(v.data(), elements.data() + at, sizeof v);
    if (v[3] < 2) {
      return fail(ErrorCode::kInvalidData,
                  "meshopt compression: element " + std::to_string(at / sizeof v) +
                      " under the filter COLOR has the fourth component " + std::to_string(v[3]) +
                      ", expected at least 2: its highest bit gives the precision of the others",
                  "export the model again");
    }
    // The highest set bit of the alpha component is a marker above the alpha value. It gives the number of bits per
    // component.
    const int one = static_cast<int>((std::uint32_t{2} << (std::bit_width(v[3]) - 1)) - 1);
    const int y = v[0], co = static_cast<Signed>(v[1]), cg = static_cast<Signed>(v[2]);
    const int alpha = v[3] & one >> 1;
    const std::array<int, 4> rgba{y + co - cg, y + cg, y - co - cg, alpha << 1 | (alpha & 1)};
    const float scale = kMax / static_cast<float>(one);
    for (std::size_t k = 0; k < 4; ++k) {
      v[k] = static_cast<T>(std::nearbyint(static_cast<float>(std::clamp(rgba[k], 0, one)) * scale));
    }
    std::memcpy(elements.data() + at, v.data(), sizeof v);
  }
  return {};
}

}  // namespace

Result<void> decode_meshopt_v1(ByteSpan stream, std::size_t count, std::size_t stride_bytes, std::span<std::byte> out) {
  const std::size_t channel_count = stride_bytes / 4;
  const std::size_t tail_bytes = stride_bytes + channel_count;
  const std::size_t padded_tail_bytes = std::max(tail_bytes, kMinTailBytes);
  if (stream.size() < 1 + padded_tail_bytes) {
    return damaged("found " + counted(stream.size(), "byte") + ", expected at least " +
                   std::to_string(1 + padded_tail_bytes));
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(stream.data());
  const std::uint8_t* tail = bytes + stream.size() - tail_bytes;
  const std::uint8_t* channels = tail + stride_bytes;
  for (std::size_t c = 0; c < channel_count; ++c) {
    if (is_channel_mode(channels[c])) continue;
    return damaged("found the mode " + std::to_string(channels[c]) + " for bytes " + std::to_string(4 * c) + " to " +
                   std::to_string(4 * c + 3) + " of an element, expected 0, 1, or 2 plus a multiple of 16");
  }
  std::array<std::byte, 256> last;
  std::memcpy(last.data(), tail, stride_bytes);
  Body body(bytes + 1, stream.size() - 1 - padded_tail_bytes);
  const std::size_t block = std::min(kMaxBlockBytes / stride_bytes / kGroup * kGroup, kMaxBlockElements);
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t elements = std::min(block, count - first);
    if (!read_block(body, channels, elements, stride_bytes, last.data(), out.data() + first * stride_bytes)) {
      return damaged("it ends among the elements " + std::to_string(first) + " to " +
                     std::to_string(first + elements - 1) + " of " + std::to_string(count));
    }
  }
  if (body.left() != 0) {
    return damaged("found " + counted(body.left(), "byte") + " after the last of " + counted(count, "element"));
  }
  return {};
}

Result<void> unfilter_meshopt_colors(std::span<std::byte> elements, std::size_t stride_bytes) {
  return stride_bytes == 4 ? unfilter_colors<std::uint8_t>(elements) : unfilter_colors<std::uint16_t>(elements);
}

}  // namespace assetc::importer
