// Vertices as integers, predicted from the triangles: what the encoder and the decoder share.
// Specification: docs/formats/hmesh.md, "Vertices on a grid".
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "assetc/base/bytes.hpp"

namespace assetc::hmesh {

// The components of a vertex, as 16-bit integers. All arithmetic is modulo 65536.
enum Lane : std::uint8_t {
  kX,
  kY,
  kZ,
  kU,
  kV,
  kNormalX,
  kNormalY,
  kTangentX,
  kTangentY,
  kHandedness,
};
inline constexpr std::size_t kLaneCount = 10;
// An element of the stream: the low bytes of the residuals of all lanes, then the high bytes.
inline constexpr std::size_t kGridStride = 2 * kLaneCount;
using Lanes = std::array<std::uint16_t, kLaneCount>;

// The prefix of an encoded VTXS.
struct GridHeader {
  std::int8_t position_exponent;  // a position is (base + lane) * 2^exponent
  std::int8_t texcoord_exponent;
  std::uint8_t normal_bits;  // 2 to 16
  std::uint8_t tangent_bits;
  std::uint16_t middle_lanes;        // bit i: lane i is predicted as the middle of an edge, not as a parallelogram
  std::uint16_t reserved;            // 0
  std::array<std::int32_t, 5> base;  // of kX to kV
};
static_assert(sizeof(GridHeader) == 28);
// Powers of two that are normal floats, and whose products with 2^24 are finite.
inline constexpr int kMinExponent = -126, kMaxExponent = 103;
constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}
// Integers up to this are exact as floats.
inline constexpr std::int64_t kMaxGridInteger = std::int64_t{1} << 24;

// A component of a normal from its integer of fewer bits: the nearest of 16 bits. There is no tie.
class Snorm {
 public:
  explicit constexpr Snorm(unsigned bits) : most_((std::int64_t{1} << (bits - 1)) - 1) {
    factor_ = ((std::int64_t{32767} << 32) + most_ / 2) / most_;
  }
  constexpr std::int16_t wide(std::int16_t value) const {
    return static_cast<std::int16_t>((value * factor_ + (std::int64_t{1} << 31)) >> 32);
  }
  // The nearest integer of fewer bits.
  constexpr std::int16_t narrow(std::int16_t value) const {
    const std::int64_t scaled = 2 * value * most_, sign = value < 0 ? -1 : 1;
    return static_cast<std::int16_t>((scaled + sign * 32767) / (2 * 32767));
  }

 private:
  std::int64_t most_, factor_ = 0;
};

// Vertices that a vertex is predicted from: as a + b - c, or as the middle of a and b. Vertex 0 is predicted as zeros.
struct Neighbors {
  std::uint32_t a, b, c;
};

// Walks the triangles and finds the neighbors of each vertex, in order. Indices may have any value.
template <class Index>
class NeighborWalk {
 public:
  static constexpr std::size_t kMaxCount = 256;

  explicit NeighborWalk(std::span<const Index> indices) : indices_(indices) { edges_.fill({~std::uint64_t{0}, 0}); }

  // The neighbors of the next count vertices; vertex 0 comes first, and has none. Requires count <= kMaxCount. The
  // result is valid until the next call.
  std::span<const Neighbors> next(std::size_t count) {
    std::copy(found_.begin() + static_cast<std::ptrdiff_t>(taken_),
              found_.begin() + static_cast<std::ptrdiff_t>(count_), found_.begin());
    count_ -= taken_;
    while (count_ < count && triangle_ + 3 <= indices_.size()) {
      const std::uint32_t a = indices_[triangle_], b = indices_[triangle_ + 1], c = indices_[triangle_ + 2];
      triangle_ += 3;
      if (a < next_ && b < next_) {
        // Without branches: nobody can tell which triangle has a new vertex.
        found_[count_] = across(a, b);
        const bool is_new = c == next_;
        count_ += is_new;
        next_ += is_new;
      } else {
        corner(a, b, c);
        corner(b, c, a);
        corner(c, a, b);
        push(a, b, c);
      }
      push(b, c, a);
      push(c, a, b);
    }
    while (count_ < count) add(after_previous());
    taken_ = count;
    return std::span(found_).first(count);
  }

 private:
  // The last triangle on each edge, in a table in which edges may displace others.
  struct Edge {
    std::uint64_t key;  // of both vertices
    std::uint64_t opposite;
  };
  static std::uint64_t key_of(std::uint32_t from, std::uint32_t to) { return std::uint64_t{from} << 32 | to; }
  static constexpr std::uint32_t kEdges = 1024;
  Edge& slot(std::uint32_t from, std::uint32_t to) { return edges_[(from + to * 5) % kEdges]; }

  // Of a vertex that is not the first.
  Neighbors after_previous() const { return {next_ - 1, next_ - 1, next_ - 1}; }
  // Requires p and q below next_.
  Neighbors across(std::uint32_t p, std::uint32_t q) {
    const Edge& edge = slot(q, p);
    const auto opposite = static_cast<std::uint32_t>(edge.opposite);
    const bool has_opposite = (edge.key == key_of(q, p)) & (opposite < next_);
    return {p, q, has_opposite ? opposite : q};
  }
  void corner(std::uint32_t vertex, std::uint32_t p, std::uint32_t q) {
    if (vertex != next_) return;
    const bool knows_p = p < next_, knows_q = q < next_;
    add(knows_p && knows_q ? across(p, q)
        : knows_p          ? Neighbors{p, p, p}
        : knows_q          ? Neighbors{q, q, q}
                           : after_previous());
  }
  void add(const Neighbors& neighbors) {
    found_[count_++] = neighbors;
    ++next_;
  }
  void push(std::uint32_t from, std::uint32_t to, std::uint32_t opposite) {
    Edge& edge = slot(from, to);
    edge.key = key_of(from, to), edge.opposite = opposite;
  }

  std::span<const Index> indices_;
  std::size_t triangle_ = 0;  // its first index
  std::uint32_t next_ = 0;    // the vertex after those in found_
  // A triangle may have three new vertices, and one is written before it is known to be new.
  std::array<Neighbors, kMaxCount + 4> found_;
  std::size_t count_ = 0, taken_ = 0;
  std::array<Edge, kEdges> edges_;
};

// grid_decode.cpp: writes vertices (GpuVertex) into out from the stream of an encoded VTXS with a valid header.
// indices: of the triangles that vertices are predicted from, each of index_bytes (2 or 4); aligned to these.
// False if the stream is damaged.
bool decode_grid_vertices(const GridHeader& header, ByteSpan stream, ByteSpan indices, std::size_t index_bytes,
                          std::span<std::byte> out);

}  // namespace assetc::hmesh
