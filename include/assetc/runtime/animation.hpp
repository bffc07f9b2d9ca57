// Clips at a moment: transforms, poses that are blended, and the matrices that a skinned mesh is drawn with.
//
//   Hierarchy skeleton(mesh.joints());                             // once a mesh
//   std::vector<Transform> pose(skeleton.size());                  // once a character, and
//   std::vector<Matrix> model(skeleton.size()), skin(skeleton.size());
//   std::vector<std::uint32_t> cursors(clip.channels.size());
//
//   std::ranges::copy(skeleton.rest(), pose.begin());              // each frame: what a clip does not move rests
//   sample(clip, time_in_clip(seconds, clip.duration_seconds, Playback::kLoop), cursors, pose);
//   skeleton.model_matrices(pose, model);
//   skinning_matrices(mesh.joints(), {}, model, skin);             // a vertex is the weighted sum of skin[joint] *
//   position
//
// A cooked clip moves the nodes of a model: make the Hierarchy of ModelView::nodes(), and give skinning_matrices() the
// joints and nodes of the SkeletonView.
// A clip of a file without a mesh (a library of animations) brings its joints: match_joints() finds those of a mesh
// once, and sample() takes the list that it returns.
// Nothing here but match_joints(), match_nodes() and the constructor of Hierarchy allocates, fails or throws. Lengths
// are those of the source, times are seconds, rotations are unit quaternions x y z w.
// Thread safety: const and without state; any number of threads, each with its own spans.
// Source: glTF 2.0, section 3.11 (animations), 3.7.3 (skins), appendix C (interpolation).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/aas1.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmesh.hpp"

namespace assetc::runtime {

// Of a joint or a node, relative to its parent: scale, then rotation, then translation.
using Transform = hanim::Transform;

// Column-major, of column vectors: m[4 * column + row].
using Matrix = std::array<float, 16>;

Matrix to_matrix(const Transform& transform);

enum class Interpolation : std::uint8_t {
  kStep,
  kLinear,       // rotations by slerp on the shorter arc
  kCubicSpline,  // of a Curve alone: the channels of a .hanim have no tangents
};

// A property over time. Keys stay where they are, at any alignment, and outlive the curve.
class Curve {
 public:
  explicit Curve(const hanim::ChannelView& channel);
  // Keys of an engine's own, laid out as glTF's accessors: component_count(path) values a key, and of a kCubicSpline
  // the in-tangent, value and out-tangent of each, tangents per second. Constraints: at least one key; times ascend; as
  // many values as times ask for.
  Curve(hanim::Path path, Interpolation interpolation, std::span<const float> times_seconds,
        std::span<const float> values);

  hanim::Path path() const { return path_; }
  std::uint32_t key_count() const { return key_count_; }

  // The value at a time, clamped to the first and last key; the fourth is 0 unless the path is a rotation, which is
  // unit. Of keys at one time the last counts.
  // cursor: the key that the last answer began at, 0 at first; any number is taken. Times that move little from call to
  // call are found in constant time, others by bisection.
  std::array<float, 4> at(float time_seconds, std::uint32_t& cursor) const;

 private:
  float time(std::uint32_t key) const { return load<float>(times_, key * time_stride_); }
  // which: 0 the value; of a spline 0 the in-tangent, 1 the value, 2 the out-tangent.
  std::array<float, 4> value(std::uint32_t key, std::uint32_t which = 0) const;
  std::uint32_t key_at(float time_seconds, std::uint32_t hint) const;

  hanim::Path path_;
  Interpolation interpolation_;
  std::uint32_t key_count_;
  std::size_t time_stride_, value_stride_;
  ByteSpan times_, values_;
};

enum class Playback : std::uint8_t { kClamp, kLoop };
// Where in a clip that long a time is: from 0 to its duration, and below it when it loops. Any time is taken, also
// before the start; one that is no number is 0.
float time_in_clip(float time_seconds, float duration_seconds, Playback playback);

// Where clips of a file without a mesh move a mesh, by the names of joints (hanim::match_joints). Nodes that stand
// above or between joints and are none of the mesh's are taken into account as they rest. Empty for clips of the mesh's
// own, which sample() takes as they are. Nothing is matched where the mesh was compiled without names.
std::vector<hanim::Match> match_joints(const hanim::View& clips, const hmesh::View& mesh);
// The same for a cooked clip: from the nodes of the model that it names to those of the model that shows the mesh.
std::vector<hanim::Match> match_nodes(const aas1::ModelView& clip_model, const aas1::ModelView& model);

// Writes what the clip moves into the pose and leaves the rest of it.
// cursors: one a channel, 0 at first, kept from call to call for this clip; or empty, and every key is searched for.
// joints: of match_joints() or match_nodes(); empty where the clip's joints are those of the pose.
// Channels of joints that the pose does not have are passed over.
void sample(const hanim::ClipView& clip, float time_seconds, std::span<std::uint32_t> cursors,
            std::span<Transform> pose, std::span<const hanim::Match> joints = {});

enum class RotationBlend : std::uint8_t {
  kNlerp,  // along the straight line, made unit again: nearly as even, and faster
  kSlerp,
};
// From a (weight 0) to b (weight 1), rotations on the shorter arc. mask: a factor of the weight for each, 0 keeps a's;
// or empty. out may be a or b. Constraints: all spans but an empty mask are as long as out; weights and factors are
// from 0 to 1.
void blend(std::span<const Transform> a, std::span<const Transform> b, float weight, std::span<Transform> out,
           std::span<const float> mask = {}, RotationBlend rotations = RotationBlend::kNlerp);

// Who hangs on whom, and how they rest. Copies what it needs; the constructors allocate.
class Hierarchy {
 public:
  explicit Hierarchy(std::span<const hmesh::GpuJoint> joints);
  explicit Hierarchy(std::span<const aas1::ModelNode> nodes);

  std::size_t size() const { return rest_.size(); }
  std::span<const Transform> rest() const { return rest_; }
  // Parents before children.
  std::span<const std::uint32_t> order() const { return order_; }

  // From each joint's or node's space to that of the whole. Requires pose and out of size().
  void model_matrices(std::span<const Transform> pose, std::span<Matrix> out) const;

 private:
  void put_in_order();

  std::vector<Transform> rest_;
  std::vector<std::int32_t> parents_;
  std::vector<std::uint32_t> order_;
};

// What takes a vertex of the bind pose to where the pose has it: each joint's matrix times its inverse bind matrix.
// nodes: SkeletonView::nodes(), where model holds the matrices of a model's nodes; empty where it holds those of
// joints. Constraints: out and a non-empty nodes are as long as joints. A joint whose node model lacks keeps its bind
// pose.
void skinning_matrices(std::span<const hmesh::GpuJoint> joints, std::span<const std::uint32_t> nodes,
                       std::span<const Matrix> model, std::span<Matrix> out);

}  // namespace assetc::runtime
