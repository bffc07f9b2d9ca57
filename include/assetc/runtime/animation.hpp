// Samples clips: transforms, blended poses, and the matrices that draw a skinned mesh.
//
//   Hierarchy skeleton(mesh.joints());                             // once for each mesh
//   std::vector<Transform> pose(skeleton.size());                  // the vectors: once for each character
//   std::vector<Matrix> model(skeleton.size()), skin(skeleton.size());
//   std::vector<std::uint32_t> cursors(clip.channels.size());
//
//   std::ranges::copy(skeleton.rest(), pose.begin());              // each frame: start from the rest pose
//   sample(clip, time_in_clip(seconds, clip.duration_seconds, Playback::kLoop), cursors, pose);
//   skeleton.model_matrices(pose, model);
//   skinning_matrices(mesh.joints(), {}, model, skin);
//   // vertex position: the weighted sum of skin[joint] * position
//
// Cooked clips move the nodes of a model. Create the Hierarchy from ModelView::nodes(), and pass the joints and nodes
// of the SkeletonView to skinning_matrices().
//
// Compressed clips (.hanim version 2) are sampled without cursors. They also move morph weights, visibility, cameras
// and lights: sample_properties() writes the values of clip.properties().
//
// Clips of a file without a mesh (an animation library) have their own joints. Call match_joints() once for the clips
// and a mesh, and pass the result to sample().
//
// Only match_joints(), match_nodes() and the constructors of Hierarchy allocate. Nothing else here allocates, fails or
// throws.
// Units: lengths are those of the source, times are seconds, rotations are unit quaternions x y z w.
// Thread safety: const and without state. Any number of threads, each with its own spans.
// Source: glTF 2.0, section 3.11 (animations), 3.7.3 (skins), appendix C (interpolation).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/aas1.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hanim_compressed.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

struct AnimationData {
  Bytes bytes;
  hanim::View clips;                 // of .hanim version 1; otherwise empty
  hanim::CompressedView compressed;  // of .hanim version 2; otherwise empty
  AssetHandle model;                 // the model whose nodes the channels name; nil: the joints of a mesh
};

// The transform of a joint or node relative to its parent: scale, then rotation, then translation.
using Transform = hanim::Transform;

// Column-major, for column vectors: m[4 * column + row].
using Matrix = std::array<float, 16>;

using hanim::to_matrix;  // Matrix to_matrix(const Transform&)

enum class Interpolation : std::uint8_t {
  kStep,
  kLinear,       // rotations by slerp on the shorter arc
  kCubicSpline,  // only for a Curve: the channels of a .hanim have no tangents
};

// A property over time. Keys are not copied. They may have any alignment and must outlive the curve.
class Curve {
 public:
  explicit Curve(const hanim::ChannelView& channel);
  // path() is kRotation for a rotation. For every other property, it is kTranslation.
  explicit Curve(const hanim::CurveView& curve);
  // Creates a curve over an engine's own keys, in the layout of glTF accessors:
  // - component_count(path) values for each key
  // - kCubicSpline: the in-tangent, value and out-tangent of each key; tangents are per second
  // Constraints: at least one key; times ascend; values has the size that times requires.
  Curve(hanim::Path path, Interpolation interpolation, std::span<const float> times_seconds,
        std::span<const float> values);

  hanim::Path path() const { return path_; }
  std::uint32_t key_count() const { return key_count_; }

  // Returns the value at a time, clamped to the first and last key. The fourth component is 0, except for a rotation,
  // which is a unit quaternion. If several keys have the same time, the last one is used.
  // - cursor: the key that the previous call used, 0 at first. Any value is valid. If the time moves little between
  //   calls, the key is found in constant time, otherwise by bisection.
  std::array<float, 4> at(float time_seconds, std::uint32_t& cursor) const;

 private:
  float time(std::uint32_t key) const { return load<float>(times_, key * time_stride_); }
  // which: 0 is the value. For a spline, 0 is the in-tangent, 1 the value, 2 the out-tangent.
  std::array<float, 4> value(std::uint32_t key, std::uint32_t which = 0) const;
  std::uint32_t key_at(float time_seconds, std::uint32_t hint) const;

  hanim::Path path_;
  std::uint8_t components_;
  Interpolation interpolation_;
  std::uint32_t key_count_;
  std::size_t time_stride_, value_stride_;
  ByteSpan times_, values_;
};

enum class Playback : std::uint8_t { kClamp, kLoop };
// Maps a time to a time inside a clip: from 0 to its duration, and less than the duration if the clip loops. Any time
// is valid, also before the start. A time that is not finite gives 0.
float time_in_clip(float time_seconds, float duration_seconds, Playback playback);

// Returns the joints of a mesh that the clips of a file without a mesh move, by joint names (hanim::match_joints).
// Nodes above or between joints that the mesh does not have are applied with their rest transforms.
// Returns an empty list if the clips belong to the mesh; sample() then needs no list. Nothing matches if the mesh was
// compiled without names.
std::vector<hanim::Match> match_joints(const hanim::View& clips, const hmesh::View& mesh);
std::vector<hanim::Match> match_joints(const hanim::CompressedView& clips, const hmesh::View& mesh);
// The same for a cooked clip: from the nodes of the clip's model to the nodes of the model that shows the mesh.
std::vector<hanim::Match> match_nodes(const aas1::ModelView& clip_model, const aas1::ModelView& model);

// Writes the values of a clip into a pose. Joints that the clip does not move are not changed. Channels of joints that
// the pose does not have are ignored.
// - cursors: one for each channel, 0 at first, kept between calls for this clip. Or empty: every key is searched.
// - joints: from match_joints() or match_nodes(). Empty if the clip and the pose have the same joints.
void sample(const hanim::ClipView& clip, float time_seconds, std::span<std::uint32_t> cursors,
            std::span<Transform> pose, std::span<const hanim::Match> joints = {});

// The same for a clip of .hanim version 2: writes its transforms. Takes no cursors, because a sample is found in
// constant time. Time is clamped to the clip.
void sample(const hanim::CompressedClip& clip, float time_seconds, std::span<Transform> pose,
            std::span<const hanim::Match> joints = {});
// Writes the values of clip.properties() at a time, one after another: morph weights, visibility, cameras and lights.
// Requires out.size() >= clip.property_float_count().
void sample_properties(const hanim::CompressedClip& clip, float time_seconds, std::span<float> out);

enum class RotationBlend : std::uint8_t {
  kNlerp,  // linear interpolation, then normalized: nearly as even, and faster
  kSlerp,
};
// Blends from a (weight 0) to b (weight 1), with rotations on the shorter arc. out may be a or b.
// - mask: factors for the weight, one for each transform; 0 keeps the transform of a. Or empty.
// - All spans except an empty mask have the size of out.
// - Weights and factors are from 0 to 1.
void blend(std::span<const Transform> a, std::span<const Transform> b, float weight, std::span<Transform> out,
           std::span<const float> mask = {}, RotationBlend rotations = RotationBlend::kNlerp);

// The parents and rest poses of joints or nodes. Copies the data that it needs. The constructors allocate.
class Hierarchy {
 public:
  explicit Hierarchy(std::span<const hmesh::GpuJoint> joints);
  explicit Hierarchy(std::span<const aas1::ModelNode> nodes);

  std::size_t size() const { return rest_.size(); }
  std::span<const Transform> rest() const { return {rest_.data(), rest_.size()}; }
  // Returns an order in which parents come before children.
  std::span<const std::uint32_t> order() const { return {order_.data(), order_.size()}; }

  // Computes matrices from the space of each joint or node to the space of the mesh or model. Requires pose.size() ==
  // out.size() == size().
  void model_matrices(std::span<const Transform> pose, std::span<Matrix> out) const;

 private:
  void put_in_order();

  std::vector<Transform> rest_;
  std::vector<std::int32_t> parents_;
  std::vector<std::uint32_t> order_;
};

// Computes the matrices that move vertices from the bind pose to the current pose: the matrix of each joint times its
// inverse bind matrix. If model has no matrix for the node of a joint, the joint keeps its bind pose.
// - nodes: SkeletonView::nodes() if model has the matrices of a model's nodes; empty if it has those of joints. Unless
//   empty, it has the size of joints.
// - out: at least the size of joints. Further matrices keep the bind pose: they are for a mesh that refers to more
// joints
//   than its skeleton has (joint_count_of in mesh_layout.hpp).
void skinning_matrices(std::span<const hmesh::GpuJoint> joints, std::span<const std::uint32_t> nodes,
                       std::span<const Matrix> model, std::span<Matrix> out);

}  // namespace assetc::runtime
