// The chunk MRPH of .hmesh: morph targets, with offsets only for the vertices that they move.
// This chunk is an extension that other readers skip. Specification: docs/formats/hmesh.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::hmesh {

inline constexpr std::uint32_t kMaxMorphTargets = 65535;
// Offsets are stored as integers from -kMorphLimit to kMorphLimit, times the step of their target.
inline constexpr std::int32_t kMorphLimit = 32767;

// A target. An offset is added to its vertex after it is multiplied by the weight of the target.
struct GpuMorphTarget {
  std::uint32_t first_move;  // into moves; the moves of a target are in ascending order of vertices
  std::uint32_t move_count;
  float weight;            // the default
  float low, high;         // the range of weights that the bounds of the mesh allow for
  float position_step;     // the offset that the integer 1 stands for
  float normal_step;       // 0 if the target does not change normals
  float tangent_step;      // 0 if the target does not change tangents
  std::uint32_t name_end;  // offset in the text of names; a name begins where the one before ends
  std::uint32_t group;     // into groups
  bool operator==(const GpuMorphTarget&) const = default;
};
static_assert(sizeof(GpuMorphTarget) == 40);

// The targets of one node: [first_target, first_target + target_count). Their weights are animated together.
struct GpuMorphGroup {
  std::uint32_t first_target;
  std::uint32_t target_count;
  std::uint32_t node;  // into the nodes of NAME, or kNoNode
  std::uint32_t pad;
  bool operator==(const GpuMorphGroup&) const = default;
};
static_assert(sizeof(GpuMorphGroup) == 16);

// Offsets of the texture coordinates or colors of a target.
struct GpuMorphChannel {
  std::uint32_t target;
  std::uint16_t semantic;  // 3 texcoord, 4 color, as hmesh::FurtherSemantic
  std::uint16_t set;
  std::uint32_t first_move;  // into channel_moves
  std::uint32_t move_count;
  float step;
  std::uint32_t pad;
  bool operator==(const GpuMorphChannel&) const = default;
};
static_assert(sizeof(GpuMorphChannel) == 24);

// The integers of a texture coordinate (the last two are 0) or of a color.
struct GpuChannelMove {
  std::uint32_t vertex;
  std::int16_t offset[4];
  bool operator==(const GpuChannelMove&) const = default;
};
static_assert(sizeof(GpuChannelMove) == 12);

// The integers of one moved vertex.
struct MorphMove {
  std::uint32_t vertex = 0;
  std::array<std::int16_t, 3> position{}, normal{}, tangent{};
  bool operator==(const MorphMove&) const = default;
};

// The same in vectors. moves has the offsets of all targets, in the order of targets.
struct Morphs {
  struct Target {
    std::string name;
    std::uint32_t move_count = 0;
    float weight = 0, low = 0, high = 1;
    float position_step = 0, normal_step = 0, tangent_step = 0;
    bool operator==(const Target&) const = default;
  };
  struct Group {
    std::uint32_t target_count = 0;
    std::uint32_t node = 0xffffffffu;
    bool operator==(const Group&) const = default;
  };
  std::vector<Target> targets;
  std::vector<Group> groups;  // all targets, in order
  std::vector<MorphMove> moves;
  std::vector<GpuMorphChannel> channels;  // the moves of all channels are in their order
  std::vector<GpuChannelMove> channel_moves;

  bool empty() const { return targets.empty(); }
  bool operator==(const Morphs&) const = default;
};

// Morph targets read in place. Copyable. The bytes that it was opened on must outlive it.
class MorphsView {
 public:
  // Checks the payload of MRPH and returns a view of it. place_bytes: the offset of payload in its file, for errors.
  // node_count: of NAME. Constraints: payload starts at a multiple of 4.
  static Result<MorphsView> open(ByteSpan payload, std::uint64_t place_bytes, std::uint32_t vertex_count,
                                 std::uint32_t node_count);

  std::span<const GpuMorphTarget> targets() const { return targets_; }
  std::span<const GpuMorphGroup> groups() const { return groups_; }
  std::span<const GpuMorphChannel> channels() const { return channels_; }
  std::span<const GpuChannelMove> channel_moves() const { return channel_moves_; }
  // Returns the name of a target, or "" if it has none. Requires target < targets().size().
  std::string_view name(std::size_t target) const;

  // Whether moves have offsets of normals and of tangents.
  bool has_normals() const { return has_normals_; }
  bool has_tangents() const { return has_tangents_; }
  // The moves as a storage buffer of a compute shader: move_stride_bytes for each move, as the specification says.
  ByteSpan moves() const { return moves_; }
  std::uint32_t move_stride_bytes() const { return move_stride_bytes_; }
  std::uint32_t move_count() const { return move_count_; }
  // Requires i < move_count().
  MorphMove move(std::size_t i) const;

  Morphs to_morphs() const;

 private:
  std::span<const GpuMorphTarget> targets_;
  std::span<const GpuMorphGroup> groups_;
  std::span<const GpuMorphChannel> channels_;
  std::span<const GpuChannelMove> channel_moves_;
  std::string_view text_;
  ByteSpan moves_;
  std::uint32_t move_stride_bytes_ = 0;
  std::uint32_t move_count_ = 0;
  bool has_normals_ = false;
  bool has_tangents_ = false;
};

// Returns the payload of an MRPH chunk. vertex_count: of the mesh.
// Errors: kLimit for too many targets or moves; kUsage if the counts of moves, groups and channels disagree.
Result<ByteVector> write_morphs(const Morphs& morphs, std::uint32_t vertex_count);

}  // namespace assetc::hmesh
