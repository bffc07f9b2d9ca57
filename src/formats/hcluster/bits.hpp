// What the encoder and the decoder of clusters share.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "assetc/formats/cluster_codec.hpp"

namespace assetc::hcluster {

// How a triangle continues the strip. The triangle before it has the corners a, b, c. Stored as as many 1 bits, then a
// 0 bit except after three.
enum class Step : std::uint8_t {
  kRight = 0,  // c, b, another corner
  kLeft = 1,   // a, c, another corner
  kOther = 2,  // the edge that the step before could have taken instead, another corner
  kStart = 3,  // three corners
};

// A reference to a vertex that is near the one of the reference before it is stored as a difference of this many bits.
inline constexpr unsigned kNearCornerBits = 3, kNearCopyBits = 4;
inline constexpr unsigned kTagBits = 2;  // of a vertex: one of the widths of the channel
inline constexpr unsigned kWidths = 4;   // of a channel
inline constexpr unsigned kWidthBits = 5;

// A vertex is predicted as a + b - c. kOrigin stands for a vertex of zeros.
inline constexpr std::uint8_t kOrigin = kMaxClusterVertices;
struct Prediction {
  std::uint8_t a = kOrigin, b = kOrigin, c = kOrigin;
};

// The components of a channel of one vertex, or of one component of four vertices. The compiler computes with them as
// one vector.
using Row = std::uint32_t __attribute__((vector_size(16)));
using SignedRow = std::int32_t __attribute__((vector_size(16)));
using FloatRow = float __attribute__((vector_size(16)));
// One more for kOrigin, up to a multiple of four.
using Rows = std::array<Row, kMaxClusterVertices + 4>;

// Four rows as four columns.
inline std::array<Row, 4> transposed(Row a, Row b, Row c, Row d) {
  const Row ac0 = __builtin_shufflevector(a, c, 0, 4, 1, 5), ac1 = __builtin_shufflevector(a, c, 2, 6, 3, 7);
  const Row bd0 = __builtin_shufflevector(b, d, 0, 4, 1, 5), bd1 = __builtin_shufflevector(b, d, 2, 6, 3, 7);
  return {__builtin_shufflevector(ac0, bd0, 0, 4, 1, 5), __builtin_shufflevector(ac0, bd0, 2, 6, 3, 7),
          __builtin_shufflevector(ac1, bd1, 0, 4, 1, 5), __builtin_shufflevector(ac1, bd1, 2, 6, 3, 7)};
}

// The octahedral coordinates of the mean normals of vertices, as a channel of bits stores them. Only operations that
// round alike everywhere: this code must not be compiled with contracted operations.
class NormalPredictions {
 public:
  // The first three columns of vertices are positions. Reads whole vectors of columns.
  NormalPredictions(const ClusterVertices& vertices, const ClusterTriangles& triangles, std::uint32_t triangle_count,
                    std::uint32_t vertex_count, unsigned bits) {
    std::array<FloatRow, kMaxClusterVertices> positions, sums;
    for (std::uint32_t v = 0; v < vertex_count; v += 4) {
      const auto four = [&](std::uint32_t component) {
        Row row;
        std::memcpy(&row, &vertices.values[component * ClusterVertices::kColumn + v], sizeof row);
        return row;
      };
      const auto rows = transposed(four(0), four(1), four(2), Row{});
      for (std::uint32_t i = 0; i < 4; ++i) {
        // Exact: integers have 24 bits.
        positions[v + i] = __builtin_convertvector(reinterpret_cast<SignedRow>(rows[i]), FloatRow);
        sums[v + i] = FloatRow{};
      }
    }
    const auto yzx = [](FloatRow v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); };
    for (std::uint32_t t = 0; t < triangle_count; ++t) {
      const auto& [a, b, c] = triangles[t];
      const FloatRow u = positions[b] - positions[a], v = positions[c] - positions[a];
      const FloatRow n = yzx(u * yzx(v) - yzx(u) * v);
      // The next triangle has c first, so it waits less if its sum is written first.
      sums[c] += n, sums[b] += n, sums[a] += n;
    }
    const auto as_row = [](FloatRow v) { return reinterpret_cast<Row>(v); };
    const auto as_floats = [](Row v) { return reinterpret_cast<FloatRow>(v); };
    constexpr std::uint32_t kSign = 0x80000000;
    const auto magnitude = [&](FloatRow v) { return as_floats(as_row(v) & ~kSign); };
    const FloatRow most = FloatRow{} + static_cast<float>((1u << bits) - 1);
    for (std::uint32_t i = 0; i < vertex_count; i += 4) {
      const auto columns = transposed(as_row(sums[i]), as_row(sums[i + 1]), as_row(sums[i + 2]), as_row(sums[i + 3]));
      const FloatRow x = as_floats(columns[0]), y = as_floats(columns[1]), z = as_floats(columns[2]);
      const FloatRow length = magnitude(x) + magnitude(y) + magnitude(z);
      const FloatRow scale = as_floats(as_row(1.0f / length) & reinterpret_cast<Row>(length > 0.0f));
      const FloatRow u = x * scale, v = y * scale;
      const Row is_lower = reinterpret_cast<Row>(z < 0.0f);
      // As fold_octahedral().
      const auto folded = [&](FloatRow one, FloatRow other) {
        const Row fold = as_row(1.0f - magnitude(other)) | (as_row(one) & kSign);
        return as_floats((fold & is_lower) | (as_row(one) & ~is_lower));
      };
      const auto quantized = [&](FloatRow value) {
        return __builtin_convertvector((value * 0.5f + 0.5f) * most + 0.5f, SignedRow);
      };
      const SignedRow to_u = quantized(folded(u, v)), to_v = quantized(folded(v, u));
      std::memcpy(&u_[i], &to_u, sizeof to_u);
      std::memcpy(&v_[i], &to_v, sizeof to_v);
    }
  }
  std::array<std::uint32_t, 2> at(std::uint32_t vertex) const { return {u_[vertex], v_[vertex]}; }

 private:
  std::array<std::uint32_t, kMaxClusterVertices> u_, v_;
};

// The bits of the number of a vertex that was used before, of count vertices.
inline unsigned reference_bits(std::uint32_t count) {
  return static_cast<unsigned>(std::bit_width(std::max(count, 1u) - 1));
}

}  // namespace assetc::hcluster
