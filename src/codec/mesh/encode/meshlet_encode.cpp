#include "codec/mesh/encode/meshlet_encode.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "codec/mesh/decode/meshlet_stream.hpp"

namespace assetc::hmesh {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

// The numbers of the vertices of a meshlet, in order of first use.
class Numbers {
 public:
  std::size_t size() const { return vertices_.size(); }
  std::span<const std::uint32_t> vertices() const { return vertices_; }
  std::optional<std::uint32_t> find(std::uint32_t vertex) const {
    // The last ones first: most vertices were used a moment ago.
    for (std::size_t i = vertices_.size(); i-- > 0;) {
      if (vertices_[i] == vertex) return static_cast<std::uint32_t>(i);
    }
    return std::nullopt;
  }
  void add(std::uint32_t vertex) {
    if (!find(vertex)) vertices_.push_back(vertex);
  }

 private:
  std::vector<std::uint32_t> vertices_;
};

// The last edges of a meshlet, newest first, as pairs of vertices.
class Edges {
 public:
  // The edge that the triangle is on, and by how much the triangle is turned right to begin with it.
  struct Found {
    std::uint32_t edge, rotation;
  };
  std::optional<Found> find(const Triangle& t) const {
    for (std::uint32_t e = 0; e < std::min<std::size_t>(edges_.size(), meshlet_stream::kEdges); ++e) {
      const auto& [a, b] = edges_[edges_.size() - 1 - e];
      for (std::uint32_t k = 0; k < 3; ++k) {
        if (t[k] == a && t[(k + 1) % 3] == b) return Found{e, k};
      }
    }
    return std::nullopt;
  }
  void add_to(const Triangle& t) { push(t[2], t[1]), push(t[0], t[2]); }
  void add_free(const Triangle& t) { push(t[1], t[0]), push(t[2], t[1]), push(t[0], t[2]); }

 private:
  void push(std::uint32_t a, std::uint32_t b) { edges_.push_back({a, b}); }
  std::vector<std::array<std::uint32_t, 2>> edges_;
};

Triangle turned(const Triangle& t, std::uint32_t k) { return {t[k % 3], t[(k + 1) % 3], t[(k + 2) % 3]}; }

class Encoder {
 public:
  void add_meshlet(std::span<const std::uint32_t> indices) {
    Numbers numbers;
    Edges edges;
    for (std::size_t i = 0; i < indices.size(); i += 3) {
      const Triangle plain{indices[i], indices[i + 1], indices[i + 2]};
      const auto found = edges.find(plain);
      if (found) {
        const Triangle t = turned(plain, found->rotation);
        add_third(numbers, t, found->edge);
        edges.add_to(t);
        add_rotation((3 - found->rotation) % 3);
      } else {
        add_free(numbers, plain);
        edges.add_free(plain);
        add_rotation(0);
      }
    }
    for (const std::uint32_t vertex : numbers.vertices()) add_vertex(vertex);
    counts_.push_back(static_cast<std::byte>(indices.size() / 3));
  }
  ByteVector finish() const {
    ByteVector out;
    append(out,
           meshlet_stream::Header{static_cast<std::uint32_t>(counts_.size()), vertex_count_,
                                  static_cast<std::uint32_t>(numbers_.size()), static_cast<std::uint32_t>(low_.size()),
                                  static_cast<std::uint32_t>(far_.size()), is_rotated_ ? 1u : 0u});
    for (const ByteVector* bytes : {&counts_, &codes_, &numbers_, &marks_, &low_, &high_}) append_bytes(out, *bytes);
    append_bytes(out, std::as_bytes(std::span(far_)));
    if (is_rotated_) append_bytes(out, rotations_);
    return out;
  }

 private:
  void add_third(Numbers& numbers, const Triangle& t, std::uint32_t edge) {
    const auto number = numbers.find(t[2]);
    add_code(edge * 2 + (number ? 1 : 0));
    if (number) {
      // Mostly a small number: the corner lies across from a vertex beside it.
      numbers_.push_back(static_cast<std::byte>(std::min(*numbers.find(t[0]), *numbers.find(t[1])) - *number));
    } else {
      numbers.add(t[2]);
    }
  }
  void add_free(Numbers& numbers, const Triangle& t) {
    add_code(meshlet_stream::kFree);
    const std::size_t at = numbers_.size();
    numbers_.push_back(std::byte{0});
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto number = numbers.find(t[k]);
      if (number) {
        numbers_[at] |= static_cast<std::byte>(1u << k);
        numbers_.push_back(static_cast<std::byte>(numbers.size() - 1 - *number));
      } else {
        numbers.add(t[k]);
      }
    }
  }
  void add_code(std::uint32_t code) {
    if (triangle_count_ % 2 == 0) codes_.push_back(std::byte{0});
    codes_.back() |= static_cast<std::byte>(code << triangle_count_ % 2 * 4);
    ++triangle_count_;
  }
  // Called once for each triangle, after its code.
  void add_rotation(std::uint32_t turns) {
    constexpr std::array<std::uint32_t, 5> kFactors{1, 3, 9, 27, 81};
    const std::size_t digit = (triangle_count_ - 1) % kFactors.size();
    if (digit == 0) rotations_.push_back(std::byte{0});
    rotations_.back() = static_cast<std::byte>(static_cast<std::uint32_t>(rotations_.back()) + turns * kFactors[digit]);
    is_rotated_ |= turns != 0;
  }
  void add_vertex(std::uint32_t vertex) {
    if (vertex_count_ % 8 == 0) marks_.push_back(std::byte{0});
    const std::uint32_t bit = vertex_count_++ % 8;
    if (vertex == next_) {
      ++next_;
      return;
    }
    marks_.back() |= static_cast<std::byte>(1u << bit);
    const std::uint32_t step = vertex - last_, zigzag = step << 1 ^ (0u - (step >> 31));
    const std::uint32_t value = std::min(zigzag, meshlet_stream::kFar);
    low_.push_back(static_cast<std::byte>(value & 255));
    high_.push_back(static_cast<std::byte>(value >> 8));
    if (value == meshlet_stream::kFar) far_.push_back(vertex);
    last_ = vertex;
  }

  ByteVector counts_, codes_, numbers_, marks_, low_, high_, rotations_;
  std::vector<std::uint32_t> far_;
  std::uint64_t triangle_count_ = 0;
  std::uint32_t vertex_count_ = 0, next_ = 0, last_ = 0;
  bool is_rotated_ = false;
};

}  // namespace

ByteVector encode_meshlets(std::span<const std::uint32_t> indices, std::span<const std::uint8_t> triangle_counts) {
  Encoder encoder;
  for (const std::uint8_t count : triangle_counts) {
    encoder.add_meshlet(indices.first(3 * std::size_t{count}));
    indices = indices.subspan(3 * std::size_t{count});
  }
  return encoder.finish();
}

void rotate_for_meshlets(std::span<std::uint32_t> indices, std::span<const std::uint8_t> triangle_counts) {
  for (const std::uint8_t count : triangle_counts) {
    Edges edges;
    for (std::size_t i = 0; i < 3 * std::size_t{count}; i += 3) {
      Triangle t{indices[i], indices[i + 1], indices[i + 2]};
      if (const auto found = edges.find(t)) {
        t = turned(t, found->rotation);
        edges.add_to(t);
      } else {
        edges.add_free(t);
      }
      std::ranges::copy(t, indices.begin() + static_cast<std::ptrdiff_t>(i));
    }
    indices = indices.subspan(3 * std::size_t{count});
  }
}

}  // namespace assetc::hmesh
