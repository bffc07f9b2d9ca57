#include <algorithm>

#include "formats/hcluster/bits.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::hcluster {
namespace {

using namespace formats;

// Reads up to 56 bits at once, low bits first.
class Bits {
 public:
  explicit Bits(ByteSpan data) : data_(data.data()), end_(data.size() * 8) {}
  std::uint64_t peek() const {
    std::uint64_t word = 0;
    std::memcpy(&word, data_ + (at_ >> 3), sizeof(word));
    if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
    return word >> (at_ & 7);
  }
  void skip(unsigned bits) { at_ += bits; }
  std::uint32_t take(unsigned bits) {
    const auto value = static_cast<std::uint32_t>(peek() & ((std::uint64_t{1} << bits) - 1));
    at_ += bits;
    return value;
  }
  // Whether as many bits are left. Without this check, reads stay within the data only if the caller knows why.
  bool has(std::uint64_t bits) const { return at_ + bits <= end_; }
  bool is_over() const { return at_ > end_; }

 private:
  const std::byte* data_;
  std::uint64_t at_ = 0, end_;
};

class Decoder {
 public:
  // known: vertices of the clusters before. rows: of each channel kMaxGroupVertices rows of four components.
  Decoder(ByteSpan data, std::uint32_t vertex_count, std::uint32_t triangle_count, std::uint32_t known,
          std::uint32_t* rows)
      : bits_(data), vertex_count_(vertex_count), triangle_count_(triangle_count), known_(known), rows_(rows) {}

  bool topology(ClusterTriangles& triangles) {
    std::uint32_t a = 0, b = 0, c = 0;                       // the triangle before
    std::uint32_t other_0 = 0, other_1 = 0, other_apex = 0;  // the edge that the step before did not take
    Corners corners{.known = known_};
    Bits bits = bits_;
    // The first corner is a new vertex: references and predictions need one before them.
    if ((bits.peek() & 1) == 0) return false;
    for (std::uint32_t t = 0; t < triangle_count_; ++t) {
      // A step has at most 54 bits, and a peek at least 57. Reading a step beyond the end is harmless.
      if (bits.is_over()) return false;
      Word word(bits.peek());
      const unsigned step = t == 0 ? 3 : word.take_ones();
      if (step == 3) {
        const std::uint32_t last = t == 0 ? kOrigin : c;
        a = corner(corners, word, last, last, last);
        b = corner(corners, word, a, a, a);
        c = corner(corners, word, b, b, b);
        other_0 = b, other_1 = a, other_apex = c;
      } else {
        const std::uint32_t before_a = a, before_b = b, before_c = c;
        // Of the two edges, one is taken and the other one kept; the third step takes the kept one.
        const bool right = step == 0, left = step == 1;
        a = right ? before_c : left ? before_a : other_0;
        b = right ? before_b : left ? before_c : other_1;
        const std::uint32_t apex = right ? before_a : left ? before_b : other_apex;
        other_0 = right ? before_a : left ? before_c : other_0;
        other_1 = right ? before_c : left ? before_b : other_1;
        other_apex = right ? before_b : left ? before_a : other_apex;
        c = corner(corners, word, a, b, apex);
      }
      bits.skip(word.taken());
      triangles[t] = {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)};
      if (corners.count > vertex_count_) return false;
    }
    bits_ = bits;
    coded_count_ = corners.coded_count, copy_count_ = corners.copy_count;
    return !bits.is_over() && corners.count == vertex_count_;
  }

  // number: of the channel. component: the first of the channel.
  bool channel(const ChannelBits& channel, std::size_t number, std::uint32_t component, ClusterVertices& vertices,
               const ClusterTriangles& triangles) {
    if (!bits_.has(kWidths * kWidthBits + std::uint64_t{kTagBits} * coded_count_)) return false;
    std::array<std::uint8_t, kWidths> widths{};
    for (std::uint8_t& width : widths) width = static_cast<std::uint8_t>(bits_.take(kWidthBits));
    Widths width_of;
    std::uint64_t total = 0;
    for (std::uint32_t first = 0; first < coded_count_; first += kTagsAtOnce) {
      const std::uint32_t count = std::min(kTagsAtOnce, coded_count_ - first);
      std::uint64_t word = bits_.peek();
      for (std::uint32_t i = first; i < first + count; ++i, word >>= kTagBits) {
        width_of[i] = widths[word & ((1u << kTagBits) - 1)];
        total += width_of[i];
      }
      bits_.skip(kTagBits * count);
    }
    if (!bits_.has(total * channel.components)) return false;
    std::uint32_t* const known_rows = rows_ + number * kMaxGroupVertices * kRowSize;
    if (channel.predictor == Predictor::kNormal) {
      normals(width_of, channel.bits, known_rows, component, vertices, triangles);
      return true;
    }
    switch (channel.components) {
      case 1:
        values<1>(width_of, channel.bits, known_rows, component, vertices);
        break;
      case 2:
        values<2>(width_of, channel.bits, known_rows, component, vertices);
        break;
      case 3:
        values<3>(width_of, channel.bits, known_rows, component, vertices);
        break;
      default:
        values<4>(width_of, channel.bits, known_rows, component, vertices);
        break;
    }
    return true;
  }

  std::uint32_t coded_count() const { return coded_count_; }

  static constexpr std::size_t kRowSize = 4;

 private:
  using Widths = std::array<std::uint8_t, kMaxClusterVertices>;

  // Bits that were peeked at once.
  class Word {
   public:
    explicit Word(std::uint64_t bits) : bits_(bits) {}
    std::uint32_t take(unsigned count) {
      const auto value = static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << count) - 1));
      bits_ >>= count, taken_ += count;
      return value;
    }
    // The count of 1 bits before a 0 bit, at most 3.
    unsigned take_ones() {
      const auto ones = static_cast<unsigned>(std::countr_one(bits_ & 7));
      const unsigned count = ones < 3 ? ones + 1 : 3;
      bits_ >>= count, taken_ += count;
      return ones;
    }
    unsigned taken() const { return taken_; }

   private:
    std::uint64_t bits_;
    unsigned taken_ = 0;
  };

  // The number of one of count vertices; last: of the reference before.
  template <unsigned kNearBits>
  static std::uint32_t reference(Word& word, std::uint32_t last, std::uint32_t count) {
    const bool is_near = word.take(1) != 0;
    const std::uint32_t bits = word.take(is_near ? kNearBits : reference_bits(count));
    return std::min(is_near ? last + bits - (1u << (kNearBits - 1)) : bits, count - 1);
  }

  // What is known while corners are read. Not of the decoder, so that it is in registers.
  struct Corners {
    std::uint32_t known;
    std::uint32_t count = 0, coded_count = 0, copy_count = 0;
    std::uint32_t last_corner = 0, last_copy = 0;
  };

  // Returns the number of the vertex. a, b, c: what a new vertex is predicted from.
  [[gnu::always_inline]] std::uint32_t corner(Corners& now, Word& word, std::uint32_t a, std::uint32_t b,
                                              std::uint32_t c) {
    if (word.take(1) == 0) return now.last_corner = reference<kNearCornerBits>(word, now.last_corner, now.count);
    const std::uint32_t number = std::min(now.count++, kMaxClusterVertices - 1);
    if (now.known > 0 && word.take(1) != 0) {
      now.last_copy = reference<kNearCopyBits>(word, now.last_copy, now.known);
      copies_[now.copy_count++ % kMaxClusterVertices] = now.last_copy << 8 | number;
    } else {
      coded_[now.coded_count++ % kMaxClusterVertices] = c << 24 | b << 16 | a << 8 | number;
    }
    return number;
  }

  // The next difference of each component. A peek has 57 bits at least: three components, unless they are very wide.
  template <std::size_t kComponents>
  Row differences(unsigned width) {
    constexpr unsigned kPeekBits = 57;
    const std::uint64_t low = (std::uint64_t{1} << width) - 1;
    Row coded{};
    if (width * kComponents <= kPeekBits) [[likely]] {
      const std::uint64_t word = bits_.peek();
      for (std::size_t k = 0; k < kComponents; ++k) coded[k] = static_cast<std::uint32_t>(word >> width * k & low);
      bits_.skip(width * static_cast<unsigned>(kComponents));
    } else {
      for (std::size_t k = 0; k < kComponents; ++k) coded[k] = bits_.take(width);
    }
    return (coded >> 1) ^ (0 - (coded & 1));
  }

  static Row row_at(const std::uint32_t* rows, std::size_t number) {
    Row row;
    std::memcpy(&row, rows + number * kRowSize, sizeof row);
    return row;
  }
  static void put_row(std::uint32_t* rows, std::size_t number, Row row) {
    std::memcpy(rows + number * kRowSize, &row, sizeof row);
  }

  template <std::size_t kComponents>
  void values(const Widths& width_of, unsigned bits, std::uint32_t* known_rows, std::uint32_t component,
              ClusterVertices& vertices) {
    Rows rows;
    for (std::uint32_t v = vertex_count_; v % 4 != 0; ++v) rows[v] = Row{};
    rows[kOrigin] = Row{};
    for (const std::uint32_t copy : std::span(copies_).first(copy_count_))
      rows[copy & 0xff] = row_at(known_rows, copy >> 8);
    const std::uint32_t mask = (1u << bits) - 1;
    for (std::uint32_t i = 0; i < coded_count_; ++i) {
      const std::uint32_t v = coded_[i];
      const Row predicted = rows[v >> 8 & 0xff] + rows[v >> 16 & 0xff] - rows[v >> 24];
      const Row row = (predicted + differences<kComponents>(width_of[i])) & mask;
      rows[v & 0xff] = row;
      put_row(known_rows, known_ + i, row);
    }
    for (std::uint32_t v = 0; v < vertex_count_; v += 4) {
      const auto columns = transposed(rows[v], rows[v + 1], rows[v + 2], rows[v + 3]);
      for (std::uint32_t k = 0; k < kComponents; ++k)
        std::memcpy(&vertices.at(component + k, v), &columns[k], sizeof columns[k]);
    }
  }

  void normals(const Widths& width_of, unsigned bits, std::uint32_t* known_rows, std::uint32_t component,
               ClusterVertices& vertices, const ClusterTriangles& triangles) {
    const std::uint32_t mask = (1u << bits) - 1;
    const NormalPredictions predictions(vertices, triangles, triangle_count_, vertex_count_, bits);
    std::uint32_t* const columns[] = {&vertices.at(component, 0), &vertices.at(component + 1, 0)};
    for (const std::uint32_t copy : std::span(copies_).first(copy_count_)) {
      for (std::size_t k = 0; k < 2; ++k) columns[k][copy & 0xff] = known_rows[(copy >> 8) * kRowSize + k];
    }
    for (std::uint32_t i = 0; i < coded_count_; ++i) {
      const std::uint32_t v = coded_[i] & 0xff;
      const auto predicted = predictions.at(v);
      const Row row = (Row{predicted[0], predicted[1]} + differences<2>(width_of[i])) & mask;
      put_row(known_rows, known_ + i, row);
      for (std::size_t k = 0; k < 2; ++k) columns[k][v] = row[k];
    }
  }

  static constexpr std::uint32_t kTagsAtOnce = 16;

  Bits bits_;
  std::uint32_t vertex_count_, triangle_count_, known_;
  std::uint32_t* rows_;
  std::uint32_t coded_count_ = 0, copy_count_ = 0;
  // The vertex in the low byte. coded_: a, b and c of its prediction a + b - c in the bytes above. copies_: above it,
  // the number of a vertex of the clusters before.
  std::array<std::uint32_t, kMaxClusterVertices> coded_, copies_;
};

}  // namespace

// Memory that no group needs is never touched.
GroupDecoder::GroupDecoder(std::span<const ChannelBits> channels)
    : channels_(channels),
      rows_(std::make_unique_for_overwrite<std::uint32_t[]>(channels.size() * kMaxGroupVertices * Decoder::kRowSize)) {}

Result<void> GroupDecoder::decode(ByteSpan data, std::uint32_t vertex_count, std::uint32_t triangle_count,
                                  ClusterVertices& vertices, ClusterTriangles& triangles) {
  Decoder decoder(data, vertex_count, triangle_count, known_, rows_.get());
  bool fine = known_ + vertex_count <= kMaxGroupVertices && decoder.topology(triangles);
  std::uint32_t component = 0;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    fine = fine && decoder.channel(channels_[i], i, component, vertices, triangles);
    component += channels_[i].components;
  }
  if (!fine) return invalid(0, "a cluster ends early, or has another number of vertices than the page says");
  known_ += decoder.coded_count();
  return {};
}

}  // namespace assetc::hcluster
