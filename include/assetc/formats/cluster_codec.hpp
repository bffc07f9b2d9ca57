// The codec of clusters in .hcluster files: triangles as strips, vertices as differences from predictions.
// Specification: docs/formats/hcluster.md.
//
// A vertex is a list of unsigned integers, its components. Components with one meaning form a channel, such as the
// three of a position.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::hcluster {

inline constexpr std::uint32_t kMaxClusterVertices = 128;
inline constexpr std::uint32_t kMaxClusterTriangles = 128;
inline constexpr std::uint32_t kMaxChannels = 16;
inline constexpr std::uint32_t kMaxComponents = 32;  // of all channels together
inline constexpr std::uint32_t kMaxComponentBits = 24;
inline constexpr std::uint32_t kMaxGroupVertices = 1u << 14;
// A decoder may read as many bytes after the end of a cluster. Their values do not matter.
inline constexpr std::size_t kReadAhead = 16;

enum class Predictor : std::uint8_t {
  kNeighbors = 0,  // from the vertices of the triangle beside: a + b - c
  kNormal = 1,     // from the triangles at the vertex; two components, the octahedral coordinates of a direction
};
struct ChannelBits {
  std::uint8_t components = 0;  // 1..4
  std::uint8_t bits = 0;        // of a component, 1..kMaxComponentBits
  Predictor predictor = Predictor::kNeighbors;
};
// Channel 0 is the position, of three components.

// Component c of vertex v is values[c * kColumn + v]. A column has one unused item and room for vectors.
struct ClusterVertices {
  static constexpr std::uint32_t kColumn = kMaxClusterVertices + 4;
  // For the encoder: equal for vertices of a group that are equal.
  std::array<std::uint32_t, kMaxClusterVertices> ids;
  std::array<std::uint32_t, std::size_t{kMaxComponents} * kColumn> values;
  std::uint32_t& at(std::uint32_t component, std::uint32_t vertex) { return values[component * kColumn + vertex]; }
  std::uint32_t at(std::uint32_t component, std::uint32_t vertex) const { return values[component * kColumn + vertex]; }
};
// Of each vertex of a cluster before encoding, its number after decoding.
using VertexNumbers = std::array<std::uint8_t, kMaxClusterVertices>;
using ClusterTriangles = std::array<std::array<std::uint8_t, 3>, kMaxClusterTriangles>;

// Decodes the clusters of a group in order: a cluster copies vertices from those before it.
// Not thread-safe. Speed: decode does not allocate.
class GroupDecoder {
 public:
  // channels: as in the file; must outlive the decoder. The first is a position.
  explicit GroupDecoder(std::span<const ChannelBits> channels);

  // Begins a group.
  void reset() { known_ = 0; }

  // Decodes the next cluster of the group. Never reads beyond data.size() + kReadAhead, whatever the bytes are. A
  // damaged cluster gives an error, or integers below 2^bits and corners below vertex_count.
  // data: must be followed by kReadAhead readable bytes. vertex_count and triangle_count: 1..128.
  // Returns kInvalidData if the cluster is not of these counts, ends early, or has too many clusters before it.
  Result<void> decode(ByteSpan data, std::uint32_t vertex_count, std::uint32_t triangle_count,
                      ClusterVertices& vertices, ClusterTriangles& triangles);

 private:
  std::span<const ChannelBits> channels_;
  std::unique_ptr<std::uint32_t[]> rows_;  // of the vertices so far, by channel
  std::uint32_t known_ = 0;                // vertices so far
};

// Encodes the clusters of a group in order.
class GroupEncoder {
 public:
  // channels: must outlive the encoder.
  explicit GroupEncoder(std::span<const ChannelBits> channels) : channels_(channels) {}

  // Begins a group.
  void reset() { numbers_.clear(), known_ = 0; }

  // Encodes a cluster and appends it to out. The decoder returns the triangles in another order, with the same corners
  // in the same cyclic order, and numbers the vertices in another way. Triangles of one material stay together.
  // triangles: 1..128, corners < vertex_count. material_ends: the ends of ranges of triangles with one material,
  // ascending; the last is triangles.size(). Every vertex is used. At most kMaxGroupVertices in a group. numbers: may
  // be null.
  void encode(std::span<const std::array<std::uint8_t, 3>> triangles, std::span<const std::uint32_t> material_ends,
              std::uint32_t vertex_count, const ClusterVertices& vertices, ByteVector& out,
              VertexNumbers* numbers = nullptr);

 private:
  std::span<const ChannelBits> channels_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // of the vertices so far, by id
  std::uint32_t known_ = 0;
};

}  // namespace assetc::hcluster
