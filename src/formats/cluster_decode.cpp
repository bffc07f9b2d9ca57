#include <algorithm>

#include "formats/cluster_bits.hpp"
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
  // known: vertices of the clusters before. rows: their components, vertex by vertex.
  Decoder(ByteSpan data, std::uint32_t vertex_count, std::uint32_t triangle_count, std::uint32_t known,
          std::uint32_t* rows, std::size_t row_size)
      : bits_(data),
        vertex_count_(vertex_count),
        triangle_count_(triangle_count),
        known_(known),
        rows_(rows),
        row_size_(row_size) {}

  bool topology(ClusterTriangles& triangles) {
    std::uint32_t a = 0, b = 0, c = 0;                       // the triangle before
    std::uint32_t other_0 = 0, other_1 = 0, other_apex = 0;  // the edge that the step before did not take
    // The first corner is a new vertex: references and predictions need one before them.
    if ((bits_.peek() & 1) == 0) return false;
    for (std::uint32_t t = 0; t < triangle_count_; ++t) {
      // A step has at most 54 bits, and a peek at least 57. Reading a step beyond the end is harmless.
      if (bits_.is_over()) return false;
      Word word(bits_.peek());
      const unsigned step = t == 0 ? 3 : word.take_ones();
      if (step == 3) {
        const std::uint32_t last = t == 0 ? kOrigin : c;
        a = corner(word, last, last, last);
        b = corner(word, a, a, a);
        c = corner(word, b, b, b);
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
        c = corner(word, a, b, apex);
      }
      bits_.skip(word.taken());
      triangles[t] = {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)};
      if (next_ > vertex_count_) return false;
    }
    return !bits_.is_over() && next_ == vertex_count_;
  }

  // component: the first of the channel.
  bool channel(const ChannelBits& channel, std::uint32_t component, ClusterVertices& vertices,
               const ClusterTriangles& triangles) {
    if (!bits_.has(kWidths * kWidthBits + std::uint64_t{kTagBits} * coded_count_)) return false;
    std::array<std::uint8_t, kWidths> widths{};
    for (std::uint8_t& width : widths) width = static_cast<std::uint8_t>(bits_.take(kWidthBits));
    std::array<std::uint8_t, kMaxClusterVertices> width_of;
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
    if (channel.predictor == Predictor::kNormal) {
      normals(width_of, channel.bits, component, vertices, triangles);
      return true;
    }
    switch (channel.components) {
      case 1:
        values<1>(width_of, channel.bits, component, vertices);
        break;
      case 2:
        values<2>(width_of, channel.bits, component, vertices);
        break;
      case 3:
        values<3>(width_of, channel.bits, component, vertices);
        break;
      default:
        values<4>(width_of, channel.bits, component, vertices);
        break;
    }
    return true;
  }

  std::uint32_t coded_count() const { return coded_count_; }

 private:
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

  std::uint32_t corner(Word& word, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (word.take(1) == 0) return last_corner_ = reference<kNearCornerBits>(word, last_corner_, next_);
    const std::uint32_t number = std::min(next_++, kMaxClusterVertices - 1);
    if (known_ > 0 && word.take(1) != 0) {
      copy_of_[number] = last_copy_ = reference<kNearCopyBits>(word, last_copy_, known_);
    } else {
      copy_of_[number] = kNotCopied;
      ++coded_count_;
    }
    predictions_[number] = {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)};
    return number;
  }

  // The next difference. A peek has 57 bits at least: three components, unless they are very wide.
  template <std::size_t kComponents>
  std::array<std::uint32_t, kComponents> differences(unsigned width) {
    constexpr unsigned kPeekBits = 57;
    std::array<std::uint32_t, kComponents> result;
    const std::uint64_t low = (std::uint64_t{1} << width) - 1;
    std::uint64_t word = bits_.peek();
    const bool at_once = width * kComponents <= kPeekBits;
    for (std::size_t k = 0; k < kComponents; ++k) {
      const auto coded = static_cast<std::uint32_t>(word & low);
      result[k] = (coded >> 1) ^ (0 - (coded & 1));
      word >>= width;
      if (!at_once) {
        bits_.skip(width);
        word = bits_.peek();
      }
    }
    if (at_once) bits_.skip(width * static_cast<unsigned>(kComponents));
    return result;
  }

  template <std::size_t kComponents>
  void values(const std::array<std::uint8_t, kMaxClusterVertices>& width_of, unsigned bits, std::uint32_t component,
              ClusterVertices& vertices) {
    std::array<std::uint32_t*, kComponents> columns;
    for (std::uint32_t k = 0; k < kComponents; ++k) {
      columns[k] = &vertices.at(component + k, 0);
      columns[k][kOrigin] = 0;
    }
    const std::uint32_t mask = (1u << bits) - 1;
    std::uint32_t* to = rows_ + known_ * row_size_ + component;
    const std::uint8_t* width = width_of.data();
    for (std::uint32_t v = 0; v < vertex_count_; ++v) {
      if (copy_of_[v] != kNotCopied) {
        const std::uint32_t* from = rows_ + copy_of_[v] * row_size_ + component;
        for (std::size_t k = 0; k < kComponents; ++k) columns[k][v] = from[k];
        continue;
      }
      const Prediction p = predictions_[v];
      const auto difference = differences<kComponents>(*width++);
      for (std::size_t k = 0; k < kComponents; ++k) {
        to[k] = columns[k][v] = (columns[k][p.a] + columns[k][p.b] - columns[k][p.c] + difference[k]) & mask;
      }
      to += row_size_;
    }
  }

  void normals(const std::array<std::uint8_t, kMaxClusterVertices>& width_of, unsigned bits, std::uint32_t component,
               ClusterVertices& vertices, const ClusterTriangles& triangles) {
    const std::uint32_t mask = (1u << bits) - 1;
    const NormalPredictions predictions(vertices, triangles, triangle_count_, vertex_count_, bits);
    std::uint32_t* const columns[] = {&vertices.at(component, 0), &vertices.at(component + 1, 0)};
    std::uint32_t* to = rows_ + known_ * row_size_ + component;
    const std::uint8_t* width = width_of.data();
    for (std::uint32_t v = 0; v < vertex_count_; ++v) {
      if (copy_of_[v] != kNotCopied) {
        const std::uint32_t* from = rows_ + copy_of_[v] * row_size_ + component;
        for (std::size_t k = 0; k < 2; ++k) columns[k][v] = from[k];
        continue;
      }
      const auto predicted = predictions.at(v);
      const auto difference = differences<2>(*width++);
      for (std::size_t k = 0; k < 2; ++k) to[k] = columns[k][v] = (predicted[k] + difference[k]) & mask;
      to += row_size_;
    }
  }

  static constexpr std::uint32_t kNotCopied = 0xFFFFFFFF;
  static constexpr std::uint32_t kTagsAtOnce = 16;

  Bits bits_;
  std::uint32_t vertex_count_, triangle_count_, known_;
  std::uint32_t* rows_;
  std::size_t row_size_;
  std::uint32_t next_ = 0;  // vertices so far
  std::uint32_t coded_count_ = 0;
  std::uint32_t last_corner_ = 0, last_copy_ = 0;
  std::array<std::uint32_t, kMaxClusterVertices> copy_of_;
  std::array<Prediction, kMaxClusterVertices> predictions_;
};

}  // namespace

GroupDecoder::GroupDecoder(std::span<const ChannelBits> channels) : channels_(channels) {
  for (const ChannelBits& channel : channels) row_size_ += channel.components;
  rows_.resize(row_size_ * kMaxGroupVertices);
}

Result<void> GroupDecoder::decode(ByteSpan data, std::uint32_t vertex_count, std::uint32_t triangle_count,
                                  ClusterVertices& vertices, ClusterTriangles& triangles) {
  Decoder decoder(data, vertex_count, triangle_count, known_, rows_.data(), row_size_);
  bool fine = known_ + vertex_count <= kMaxGroupVertices && decoder.topology(triangles);
  std::uint32_t component = 0;
  for (const ChannelBits& channel : channels_) {
    fine = fine && decoder.channel(channel, component, vertices, triangles);
    component += channel.components;
  }
  if (!fine) return invalid(0, "a cluster ends early, or has another number of vertices than the page says");
  known_ += decoder.coded_count();
  return {};
}

}  // namespace assetc::hcluster
