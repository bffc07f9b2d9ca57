// The offsets that morph targets add to the vertices of a cluster, in .hcluster files.
// Specification: docs/formats/hcluster.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/cluster_codec.hpp"

namespace assetc::hcluster {

inline constexpr std::int32_t kOffsetLimit = 32767;  // of a component, as in .hmesh
inline constexpr std::uint32_t kMaxTracks = (1u << 20) - 1;
inline constexpr std::uint32_t kMaxTrackSet = 7;

enum class OffsetAttribute : std::uint8_t {
  kPosition = 0,
  kNormal = 1,
  kTangent = 2,
  kTexcoord = 3,
  kColor = 4,
};
inline constexpr std::uint32_t component_count_of(OffsetAttribute attribute) {
  return attribute == OffsetAttribute::kTexcoord ? 2 : attribute == OffsetAttribute::kColor ? 4 : 3;
}

// The offsets of one target and one attribute: [first, first + count) of ClusterOffsets::offsets.
struct OffsetTrack {
  std::uint16_t target = 0;
  OffsetAttribute attribute = OffsetAttribute::kPosition;
  std::uint8_t set = 0;  // of texture coordinates and colors, 0..kMaxTrackSet; else 0
  std::uint32_t first = 0, count = 0;
  bool operator==(const OffsetTrack&) const = default;
};
// The integers of one moved vertex; unused components are 0. View::offset_step() makes numbers of them.
struct VertexOffset {
  std::uint8_t vertex = 0;  // of the cluster
  std::array<std::int16_t, 4> value{};
  bool operator==(const VertexOffset&) const = default;
};
// The tracks are in ascending order of target, attribute and set, and the offsets of a track in that of vertices.
struct ClusterOffsets {
  std::vector<OffsetTrack> tracks;
  std::vector<VertexOffset> offsets;
  void clear() { tracks.clear(), offsets.clear(); }
};

// Decodes the offsets of a cluster. Allocates only where `out` must grow. Never reads beyond the data.
// Returns kInvalidData if the data ends early or is longer than the offsets, or breaks a rule of the format. Then `out`
// holds anything.
Result<void> decode_offsets(ByteSpan data, std::uint32_t vertex_count, ClusterOffsets& out);

// Encodes the offsets of a cluster and appends them to out. numbers: for each vertex of `offsets` its number in the
// decoded cluster; as many as vertices. Requires tracks in order with at least one offset, at most one of each vertex,
// within kOffsetLimit; at most kMaxTracks. The vertices of a track may be in any order.
void encode_offsets(const ClusterOffsets& offsets, std::span<const std::uint8_t> numbers, ByteVector& out);

}  // namespace assetc::hcluster
