#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <tuple>

#include "assetc/formats/cluster_offsets.hpp"
#include "formats/hcluster/bit_sink.hpp"
#include "formats/reader.hpp"

namespace assetc::hcluster {
namespace {

using namespace formats;

constexpr unsigned kCountBits = 20, kTargetBits = 16, kAttributeBits = 3, kSetBits = 3;
constexpr std::uint8_t kMaxWidth = 17;  // of the difference of two components, with its sign
constexpr std::size_t kOffsetComponents = 4;
static_assert(kMaxTracks == (1u << kCountBits) - 1 && kMaxTrackSet == (1u << kSetBits) - 1);

auto key_of(const OffsetTrack& track) { return std::tuple(track.target, track.attribute, track.set); }

// Bits of data, low bits of a byte first.
class BitSource {
 public:
  explicit BitSource(ByteSpan data) : data_(data) {}
  bool has(std::uint64_t bits) const { return bits <= left(); }
  std::uint64_t left() const { return std::uint64_t{data_.size()} * 8 - at_; }
  // Requires has(bits), bits <= 32.
  std::uint32_t take(unsigned bits) {
    const std::size_t byte = static_cast<std::size_t>(at_ / 8);
    std::uint64_t word = 0;
    std::memcpy(&word, data_.data() + byte, std::min(sizeof word, data_.size() - byte));
    if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
    word >>= at_ % 8;
    at_ += bits;
    return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << bits) - 1));
  }

 private:
  ByteSpan data_;
  std::uint64_t at_ = 0;
};

class OffsetsDecoder {
 public:
  OffsetsDecoder(ByteSpan data, std::uint32_t vertex_count, ClusterOffsets& out)
      : bits_(data), vertex_count_(vertex_count), out_(out) {}

  // Returns what is wrong, or null.
  const char* run() {
    out_.clear();
    if (!bits_.has(kCountBits)) return kEndsEarly;
    const std::uint32_t count = bits_.take(kCountBits);
    for (std::uint32_t t = 0; t < count; ++t) {
      if (const char* const wrong = track()) return wrong;
    }
    return bits_.left() < 8 ? nullptr : "have more bytes than they need";
  }

 private:
  static constexpr const char* kEndsEarly = "end early";

  const char* track() {
    if (!bits_.has(kTargetBits + kAttributeBits + kSetBits + 1)) return kEndsEarly;
    OffsetTrack track;
    track.target = static_cast<std::uint16_t>(bits_.take(kTargetBits));
    const std::uint32_t attribute = bits_.take(kAttributeBits);
    track.attribute = static_cast<OffsetAttribute>(attribute);
    track.set = static_cast<std::uint8_t>(bits_.take(kSetBits));
    if (attribute > static_cast<std::uint32_t>(OffsetAttribute::kColor)) return "move an unknown attribute";
    if (track.set != 0 && track.attribute < OffsetAttribute::kTexcoord) return "move a further set of an attribute";
    if (!out_.tracks.empty() && !(key_of(out_.tracks.back()) < key_of(track))) return "are not in order";
    if (bits_.take(1) == 0) {
      if (!bits_.has(vertex_count_)) return kEndsEarly;
      moved_count_ = 0;
      for (std::uint32_t v = 0; v < vertex_count_; ++v) {
        if (bits_.take(1) != 0) moved_[moved_count_++] = static_cast<std::uint8_t>(v);
      }
    }
    if (moved_count_ == 0) return "have a track that moves no vertex";
    track.first = static_cast<std::uint32_t>(out_.offsets.size());
    track.count = moved_count_;
    out_.tracks.push_back(track);
    return values(component_count_of(track.attribute));
  }

  const char* values(std::uint32_t components) {
    if (!bits_.has(kWidths * kWidthBits + std::uint64_t{kTagBits} * moved_count_)) return kEndsEarly;
    std::array<std::uint8_t, kWidths> widths{};
    for (std::uint8_t& width : widths) {
      width = static_cast<std::uint8_t>(bits_.take(kWidthBits));
      if (width > kMaxWidth) return "have a wide number";
    }
    std::array<std::uint8_t, kMaxClusterVertices> width_of;
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < moved_count_; ++i) {
      width_of[i] = widths[bits_.take(kTagBits)];
      total += width_of[i];
    }
    if (!bits_.has(total * components)) return kEndsEarly;
    std::array<std::int32_t, kOffsetComponents> last{};
    std::int32_t largest = 0;
    for (std::uint32_t i = 0; i < moved_count_; ++i) {
      VertexOffset& offset = out_.offsets.emplace_back(VertexOffset{.vertex = moved_[i]});
      for (std::uint32_t k = 0; k < components; ++k) {
        const std::uint32_t coded = bits_.take(width_of[i]);
        last[k] += static_cast<std::int32_t>(coded >> 1) ^ -static_cast<std::int32_t>(coded & 1);
        largest = std::max(largest, std::abs(last[k]));
        offset.value[k] = static_cast<std::int16_t>(last[k]);
      }
    }
    return largest > kOffsetLimit ? "have a number that is not from -32767 to 32767" : nullptr;
  }

  BitSource bits_;
  std::uint32_t vertex_count_;
  ClusterOffsets& out_;
  std::array<std::uint8_t, kMaxClusterVertices> moved_;
  std::uint32_t moved_count_ = 0;
};

// The offsets of one track by their vertices after decoding.
struct Moved {
  std::array<const VertexOffset*, kMaxClusterVertices> by_number{};  // null: not moved
  Moved(std::span<const VertexOffset> offsets, std::span<const std::uint8_t> numbers) {
    for (const VertexOffset& offset : offsets) by_number[numbers[offset.vertex]] = &offset;
  }
  bool moves_the_same(const Moved& other) const {
    return std::ranges::equal(by_number, other.by_number,
                              [](const VertexOffset* a, const VertexOffset* b) { return !a == !b; });
  }
};

void put_values(const Moved& moved, std::uint32_t components, BitSink& sink) {
  std::array<std::array<std::uint32_t, kOffsetComponents>, kMaxClusterVertices> coded;
  std::array<std::uint8_t, kMaxClusterVertices> needed;
  std::array<std::int32_t, kOffsetComponents> last{};
  std::size_t count = 0;
  for (const VertexOffset* const offset : moved.by_number) {
    if (offset == nullptr) continue;
    std::uint32_t all = 0;
    for (std::uint32_t k = 0; k < components; ++k) {
      const std::int32_t difference = offset->value[k] - last[k];
      last[k] = offset->value[k];
      coded[count][k] =
          static_cast<std::uint32_t>(difference < 0 ? -1 - difference : difference) << 1 | (difference < 0 ? 1 : 0);
      all |= coded[count][k];
    }
    needed[count++] = static_cast<std::uint8_t>(std::bit_width(all));
  }
  const auto widths = choose_widths(std::span(needed).first(count));
  for (const std::uint8_t width : widths) sink.put(width, kWidthBits);
  std::array<std::uint8_t, kMaxClusterVertices> tags;
  for (std::size_t i = 0; i < count; ++i) {
    tags[i] = static_cast<std::uint8_t>(std::ranges::lower_bound(widths, needed[i]) - widths.begin());
    sink.put(tags[i], kTagBits);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t k = 0; k < components; ++k) sink.put(coded[i][k], widths[tags[i]]);
  }
}

}  // namespace

Result<void> decode_offsets(ByteSpan data, std::uint32_t vertex_count, ClusterOffsets& out) {
  if (const char* const wrong = OffsetsDecoder(data, vertex_count, out).run())
    return invalid(0, message("the offsets of a cluster ", wrong));
  return {};
}

void encode_offsets(const ClusterOffsets& offsets, std::span<const std::uint8_t> numbers, ByteVector& out) {
  assert(offsets.tracks.size() <= kMaxTracks);
  BitSink sink(out);
  sink.put(static_cast<std::uint32_t>(offsets.tracks.size()), kCountBits);
  Moved before({}, numbers);
  for (const OffsetTrack& track : offsets.tracks) {
    const Moved moved(std::span(offsets.offsets).subspan(track.first, track.count), numbers);
    const bool same = moved.moves_the_same(before);
    sink.put(track.target, kTargetBits);
    sink.put(static_cast<std::uint32_t>(track.attribute), kAttributeBits);
    sink.put(track.set, kSetBits);
    sink.put(same ? 1 : 0, 1);
    for (std::size_t v = 0; v < numbers.size() && !same; ++v) sink.put(moved.by_number[v] != nullptr ? 1 : 0, 1);
    put_values(moved, component_count_of(track.attribute), sink);
    before = moved;
  }
  sink.finish();
}

}  // namespace assetc::hcluster
