// .hanim version 1: the animation clips of a skinned mesh. Specification: docs/formats/hanim.md.
// This header reads files. hanim.hpp also writes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::hanim {

struct Clip;  // hanim.hpp

inline constexpr std::uint32_t kMagic = fourcc("HANM");
inline constexpr std::uint32_t kVersion = 1;

// A flag of the header: joints follow the clips.
inline constexpr std::uint32_t kHasJoints = 1u << 0;

enum class Path : std::uint8_t { kTranslation = 0, kRotation = 1, kScale = 2 };
enum class Interpolation : std::uint8_t { kStep = 0, kLinear = 1 };

// Returns the number of floats in a value: 3 for translation and scale, 4 for a rotation (x y z w).
constexpr std::uint8_t component_count(Path path) { return path == Path::kRotation ? 4 : 3; }

// A transform relative to a parent: scale, then rotation, then translation.
struct Transform {
  std::array<float, 3> translation{0, 0, 0};
  std::array<float, 4> rotation{0, 0, 0, 1};  // x y z w
  std::array<float, 3> scale{1, 1, 1};
  bool operator==(const Transform&) const = default;
};

// Column-major, for column vectors: m[4 * column + row].
std::array<float, 16> to_matrix(const Transform& transform);

// A joint of clips that do not belong to a mesh, as in the source.
struct Joint {
  static constexpr std::int32_t kNoParent = -1;

  std::string_view name;
  std::int32_t parent = kNoParent;  // comes before its children
  Transform rest;
  bool operator==(const Joint&) const = default;
};

// A channel of a file. Channels have no alignment, so keys are loaded one by one and never accessed by a cast.
class ChannelView {
 public:
  // Returns an index into View::joints() if the file has joints, otherwise into the joints of the sibling .hmesh.
  std::uint32_t joint() const { return joint_; }
  Path path() const { return path_; }
  Interpolation interpolation() const { return interpolation_; }
  std::uint8_t components() const { return component_count(path_); }
  std::uint32_t key_count() const { return key_count_; }  // at least 1
  // Returns the time of a key in seconds: not negative, and not less than that of the previous key. Requires i <
  // key_count().
  float time(std::size_t i) const { return load<float>(keys_, i * stride()); }
  // Returns the value of a key. The fourth component is 0 unless the path is a rotation. Requires i < key_count().
  std::array<float, 4> value(std::size_t i) const;
  // Returns all keys as stored in the file. Each key is a time, then components() values.
  ByteSpan key_bytes() const { return keys_; }

 private:
  friend class View;
  std::size_t stride() const { return sizeof(float) * (1u + components()); }

  std::uint32_t joint_ = 0;
  Path path_ = Path::kTranslation;
  Interpolation interpolation_ = Interpolation::kLinear;
  std::uint32_t key_count_ = 0;
  ByteSpan keys_;
};

struct ClipView {
  std::string_view name;
  float duration_seconds = 0;
  std::vector<ChannelView> channels;
};

// A valid .hanim. Names and keys are read in place.
// Errors of open(): kTruncated, kInvalidData, kVersion. open() does not check that joints exist; check_joints() does.
// Constraints: file may have any alignment and must outlive the view.
// Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);

  std::span<const ClipView> clips() const { return {clips_.data(), clips_.size()}; }
  // In clips that belong to no mesh: the joints that the channels move, and all joints above them (see match_joints()).
  // Empty if the clips belong to the sibling .hmesh.
  std::span<const Joint> joints() const { return {joints_.data(), joints_.size()}; }
  // Returns an error that names the clip and channel if a joint is not below joint_count, the number of joints of the
  // sibling .hmesh.
  Result<void> check_joints(std::size_t joint_count) const;
  std::vector<Clip> to_clips() const;

 private:
  std::vector<ClipView> clips_;
  std::vector<Joint> joints_;
};

// The joint of a mesh that a joint of mesh-independent clips moves.
struct Match {
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::uint32_t joint = kNone;  // of the mesh
  bool has_above = false;
  // The product of the joints between this one and the nearest joint above that the mesh has. It is part of the
  // movement of the mesh's joint.
  Transform above;
  bool operator==(const Match&) const = default;
};
// Returns for each joint of the clips the joint of a mesh with the same name. If several have the same name, the first
// is used. A joint without a name has no match.
std::vector<Match> match_joints(std::span<const Joint> joints, std::span<const std::string_view> mesh_joints);
// Returns a key value with the transform `above` applied. Exact if `above` scales all axes by the same factor, mirrored
// or not.
std::array<float, 4> value_below(const Transform& above, Path path, const std::array<float, 4>& value);

}  // namespace assetc::hanim
