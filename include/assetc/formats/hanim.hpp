// .hanim version 1: the animation clips of a skinned mesh. Specification: docs/formats/hanim.md.
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

inline constexpr std::uint32_t kMagic = fourcc("HANM");
inline constexpr std::uint32_t kVersion = 1;

// In the header's flags: joints follow the clips.
inline constexpr std::uint32_t kHasJoints = 1u << 0;

enum class Path : std::uint8_t { kTranslation = 0, kRotation = 1, kScale = 2 };
enum class Interpolation : std::uint8_t { kStep = 0, kLinear = 1 };

// 3 floats of translation or scale, 4 of a rotation x y z w.
constexpr std::uint8_t component_count(Path path) { return path == Path::kRotation ? 4 : 3; }

// Relative to a parent: scale, then rotation, then translation.
struct Transform {
  std::array<float, 3> translation{0, 0, 0};
  std::array<float, 4> rotation{0, 0, 0, 1};  // x y z w
  std::array<float, 3> scale{1, 1, 1};
  bool operator==(const Transform&) const = default;
};

// A joint of clips that belong to no mesh, as its source has it.
struct Joint {
  static constexpr std::int32_t kNoParent = -1;

  std::string_view name;
  std::int32_t parent = kNoParent;  // comes before its children
  Transform rest;
  bool operator==(const Joint&) const = default;
};

// The channels of a file have no alignment, so keys are loaded one by one and never cast.
class ChannelView {
 public:
  // An index into View::joints() where the file has them, else into the joints of the sibling .hmesh.
  std::uint32_t joint() const { return joint_; }
  Path path() const { return path_; }
  Interpolation interpolation() const { return interpolation_; }
  std::uint8_t components() const { return component_count(path_); }
  std::uint32_t key_count() const { return key_count_; }  // at least 1
  // Seconds, not negative and never less than the key before. Requires i < key_count().
  float time(std::size_t i) const { return load<float>(keys_, i * stride()); }
  // The fourth is 0 unless the path is a rotation. Requires i < key_count().
  std::array<float, 4> value(std::size_t i) const;
  // Where key i lies in the file: a time, then components() values.
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

struct Channel {
  std::uint32_t joint = 0;
  Path path = Path::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;   // seconds
  std::vector<float> values;  // component_count(path) a key
  bool operator==(const Channel&) const = default;
};

struct Clip {
  std::string name;
  float duration_seconds = 0;  // no key is later
  std::vector<Channel> channels;
  bool operator==(const Clip&) const = default;
};

// A valid .hanim. The keys stay where they are; names and keys point into the caller's bytes, at any alignment.
// Errors: kTruncated, kInvalidData, kVersion. Whether joints exist is for check_joints().
// Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);

  std::span<const ClipView> clips() const { return clips_; }
  // The joints that the channels move and all above them, in clips that belong to no mesh of their own: match_joints().
  // Empty where the clips are those of the sibling .hmesh.
  std::span<const Joint> joints() const { return joints_; }
  // An error that names the clip and channel whose joint is not below joint_count, that of the sibling .hmesh.
  Result<void> check_joints(std::size_t joint_count) const;
  std::vector<Clip> to_clips() const;

 private:
  std::vector<ClipView> clips_;
  std::vector<Joint> joints_;
};

// The bytes of a file that View::open accepts, or its error about a clip. Clips and channels keep their order.
// joints: View::joints(); empty for clips of a mesh.
Result<ByteVector> write(std::span<const Clip> clips, std::span<const Joint> joints = {});

// Where clips that belong to no mesh move one.
struct Match {
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::uint32_t joint = kNone;  // of the mesh
  bool has_above = false;
  Transform above;  // of the joints between this one and the next that the mesh has: part of what the mesh's joint does
  bool operator==(const Match&) const = default;
};
// For each joint of the clips the one of a mesh with the same name. Of several with one name the first counts, and a
// joint without a name matches none.
std::vector<Match> match_joints(std::span<const Joint> joints, std::span<const std::string_view> mesh_joints);
// A value of a key below such a transform. Exact where it scales all axes alike, mirrored or not.
std::array<float, 4> value_below(const Transform& above, Path path, const std::array<float, 4>& value);

}  // namespace assetc::hanim
