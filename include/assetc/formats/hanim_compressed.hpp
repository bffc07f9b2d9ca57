// .hanim version 2: compressed clips of nodes, morph weights, cameras and lights. Specification: docs/formats/hanim.md.
//
// Chain: CompressedView::open -> runtime/animation.hpp samples its clips.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/hanim_view.hpp"

namespace assetc::hanim {

inline constexpr std::uint32_t kCompressedVersion = 2;

// A flag of the header: tracks name the nodes, cameras and lights of a scene or model, not the joints of a mesh.
inline constexpr std::uint32_t kOfScene = 1u << 0;

// What a track moves. The number of floats of a value is in parentheses.
enum class Property : std::uint8_t {
  kTranslation = 0,           // (3) of a joint or node
  kRotation = 1,              // (4) x y z w
  kScale = 2,                 // (3)
  kWeights = 3,               // (1 to 3) morph weights of a node
  kVisible = 4,               // (1) of a node: not 0 is visible
  kCameraYFov = 5,            // (1) radians
  kCameraAspectRatio = 6,     // (1) width / height
  kCameraXMagnification = 7,  // (1) meters
  kCameraYMagnification = 8,  // (1) meters
  kCameraNear = 9,            // (1) meters
  kCameraFar = 10,            // (1) meters
  kLightColor = 11,           // (3) linear
  kLightIntensity = 12,       // (1) candela or lux
  kLightRange = 13,           // (1) meters
  kLightInnerCone = 14,       // (1) radians
  kLightOuterCone = 15,       // (1) radians
};
constexpr bool is_transform(Property property) { return property <= Property::kScale; }

// What one track moves: components() values of a property.
struct Target {
  Property property = Property::kTranslation;
  std::uint8_t components = 3;
  std::uint32_t object = 0;  // the joint, node, camera or light
  std::uint32_t first = 0;   // kWeights: the morph target of the first value; else 0
  bool operator==(const Target&) const = default;
};

// How the value of a curve changes between its keys.
enum class CurveKind : std::uint8_t { kStep = 0, kLinear = 1, kCubicSpline = 2 };

// A track that is stored as keys with times of their own. Keys are floats at a multiple of 4 bytes in the clip.
struct CurveView {
  Target target;
  CurveKind kind = CurveKind::kLinear;
  std::uint32_t key_count = 0;  // at least 1
  ByteSpan times;               // key_count floats, ascending, in seconds
  // target.components floats for each key; three times as many for a spline: in-tangent, value, out-tangent.
  ByteSpan values;
};

// A track of a transform with one value for the whole clip.
struct ConstantTransform {
  Property property = Property::kTranslation;
  std::uint32_t object = 0;  // the joint or node
  std::array<float, 4> value{};
};

// One clip of a file. Samples and curves are read in place.
// Thread safety: const.
class CompressedClip {
 public:
  std::string_view name() const { return name_; }
  float duration_seconds() const { return duration_; }
  // The number of samples of a track. 0 if every track is constant or a curve, else at least 2.
  std::uint32_t frame_count() const { return frame_count_; }
  // Whether frames have times of their own, in seconds, ascending. Otherwise frame i is at
  // i * duration / (frame_count() - 1).
  bool has_frame_times() const { return has_times_; }
  float frame_time(std::uint32_t i) const { return load<float>(bytes_, times_at_ + i * sizeof(float)); }
  // Returns the size of the clip in the file.
  std::size_t size_bytes() const { return bytes_.size(); }

  // Tracks with one value for the whole clip.
  std::uint32_t constant_count() const { return constant_count_; }
  Target constant_target(std::uint32_t i) const;
  std::array<float, 4> constant_value(std::uint32_t i) const;
  // Those of them that move a transform. open() computes them.
  std::span<const ConstantTransform> constant_transforms() const {
    return {constant_transforms_.data(), constant_transforms_.size()};
  }
  // Tracks with samples: first rotations, then the other tracks.
  std::uint32_t rotation_count() const { return rotation_count_; }
  std::uint32_t vector_count() const { return vector_count_; }
  Target sampled_target(std::uint32_t i) const;
  std::uint32_t curve_count() const { return curve_count_; }
  CurveView curve(std::uint32_t i) const;

  // The tracks that move no transform: constants, samples, curves. runtime::sample_properties() writes their values in
  // this order.
  std::span<const Target> properties() const { return {properties_.data(), properties_.size()}; }
  // The number of floats of all properties.
  std::size_t property_float_count() const { return property_float_count_; }

  // The layout, for samplers: see docs/formats/hanim.md.
  std::uint32_t segment_frames() const { return segment_frames_; }
  const std::byte* vector_ranges() const { return bytes_.data() + vectors_at_; }
  const std::byte* sampled_tags() const { return bytes_.data() + tags_at_; }
  // Returns the records of a segment; its modes and rows follow. Requires segment < the number of segments.
  const std::byte* segment(std::uint32_t segment) const;

 private:
  friend class CompressedView;
  static Result<CompressedClip> open(ByteSpan clip, std::uint64_t place, std::string_view name);
  Result<void> check_tracks(std::uint64_t place) const;
  Result<void> check_curves(std::uint64_t place) const;
  Result<void> check_segments(std::uint64_t place) const;
  void list_tracks();
  Target target_of(std::uint32_t tag) const;
  std::uint32_t u32(std::size_t at) const { return load<std::uint32_t>(bytes_, at); }

  std::string_view name_;
  ByteSpan bytes_;
  float duration_ = 0;
  bool has_times_ = false;
  std::uint32_t frame_count_ = 0, segment_frames_ = 0, segment_count_ = 0;
  std::uint32_t constant_count_ = 0, rotation_count_ = 0, vector_count_ = 0, curve_count_ = 0, weight_count_ = 0;
  std::size_t weights_at_ = 0, constants_at_ = 0, tags_at_ = 0, vectors_at_ = 0, curves_at_ = 0, segments_at_ = 0,
              times_at_ = 0;
  std::vector<ConstantTransform> constant_transforms_;
  std::vector<Target> properties_;
  std::size_t property_float_count_ = 0;
};

// A valid .hanim of version 2.
// Errors of open(): kTruncated, kInvalidData, kVersion. open() does not check that nodes, cameras and lights exist;
// check_targets() does.
// Constraints: file may have any alignment and must outlive the view.
// Thread safety: const.
class CompressedView {
 public:
  static Result<CompressedView> open(ByteSpan file);

  std::span<const CompressedClip> clips() const { return {clips_.data(), clips_.size()}; }
  // As View::joints(): the joints of clips that belong to no mesh, model or scene.
  std::span<const Joint> joints() const { return {joints_.data(), joints_.size()}; }
  // Whether tracks name the nodes, cameras and lights of a scene or model. Otherwise they name the joints of the
  // sibling .hmesh, or joints() if there are any.
  bool is_of_scene() const { return is_of_scene_; }
  // The largest distance, in meters, of a point at radius_meters() around a joint or node from its place in the source.
  float error_meters() const { return error_; }
  float radius_meters() const { return radius_; }
  // Returns an error that names the clip if a track moves a node, camera or light that does not exist.
  Result<void> check_targets(std::size_t node_count, std::size_t camera_count, std::size_t light_count) const;

 private:
  std::vector<CompressedClip> clips_;
  std::vector<Joint> joints_;
  bool is_of_scene_ = false;
  float error_ = 0, radius_ = 0;
};

// A clip to write: its name, and its bytes as docs/formats/hanim.md describes them.
struct CompressedBytes {
  std::string name;
  ByteVector bytes;
};
// Returns the bytes of a file that CompressedView::open accepts, or the error that it would give. flags: 0 or kOfScene.
// assetc compresses
// clips with animation::compress (src/animation).
Result<ByteVector> write_compressed(std::span<const CompressedBytes> clips, std::span<const Joint> joints,
                                    float error_meters, float radius_meters, std::uint32_t flags = 0);

// The version of a .hanim: 0 if the file is too short for one or is none.
std::uint32_t version_of(ByteSpan file);

}  // namespace assetc::hanim
