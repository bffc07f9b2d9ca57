// What the encoder and the decoder of clusters share.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "assetc/formats/cluster_codec.hpp"
#include "assetc/formats/octahedral.hpp"

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

// The octahedral coordinates of the mean normals of vertices, as a channel of bits stores them. Only operations that
// round alike everywhere: this code must not be compiled with contracted operations.
class NormalPredictions {
 public:
  // The first three columns of vertices are positions.
  NormalPredictions(const ClusterVertices& vertices, const ClusterTriangles& triangles, std::uint32_t triangle_count,
                    std::uint32_t vertex_count, unsigned bits) {
    // Four floats, of which the compiler computes as one vector.
    using Vector = float __attribute__((vector_size(16)));
    std::array<Vector, kMaxClusterVertices> positions, sums;
    for (std::uint32_t v = 0; v < vertex_count; ++v) {
      // Exact: integers have 24 bits.
      positions[v] = Vector{static_cast<float>(static_cast<std::int32_t>(vertices.at(0, v))),
                            static_cast<float>(static_cast<std::int32_t>(vertices.at(1, v))),
                            static_cast<float>(static_cast<std::int32_t>(vertices.at(2, v))), 0};
      sums[v] = Vector{};
    }
    const auto yzx = [](Vector v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); };
    for (std::uint32_t t = 0; t < triangle_count; ++t) {
      const auto [a, b, c] = triangles[t];
      const Vector u = positions[b] - positions[a], v = positions[c] - positions[a];
      const Vector n = yzx(u * yzx(v) - yzx(u) * v);
      sums[a] += n, sums[b] += n, sums[c] += n;
    }
    const auto most = static_cast<float>((1u << bits) - 1);
    for (std::uint32_t i = 0; i < vertex_count; ++i) {
      const float x = sums[i][0], y = sums[i][1], z = sums[i][2];
      const float length = std::fabs(x) + std::fabs(y) + std::fabs(z);
      const float scale = length > 0 ? 1 / length : 0;
      const float u = x * scale, v = y * scale;
      const auto folded = fold_octahedral(u, v);
      u_[i] = quantized(z < 0 ? folded[0] : u, most);
      v_[i] = quantized(z < 0 ? folded[1] : v, most);
    }
  }
  std::array<std::uint32_t, 2> at(std::uint32_t vertex) const {
    return {static_cast<std::uint32_t>(u_[vertex]), static_cast<std::uint32_t>(v_[vertex])};
  }

 private:
  static std::int32_t quantized(float value, float most) {
    return static_cast<std::int32_t>((value * 0.5f + 0.5f) * most + 0.5f);
  }

  std::array<std::int32_t, kMaxClusterVertices> u_, v_;
};

// The bits of the number of a vertex that was used before, of count vertices.
inline unsigned reference_bits(std::uint32_t count) {
  return static_cast<unsigned>(std::bit_width(std::max(count, 1u) - 1));
}

}  // namespace assetc::hcluster
