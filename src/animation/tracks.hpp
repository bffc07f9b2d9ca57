// The tracks of a clip, and the nodes that they move.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "animation/compress.hpp"
#include "animation/curve.hpp"

namespace assetc::animation {

inline constexpr std::uint32_t kNoTrack = 0xffffffffu;

struct Track {
  hanim::Target target;
  Curve curve;
};
// Tracks in the order of the channels. Morph weights become tracks of up to three.
std::vector<Track> tracks_of(const scene::Clip& clip);
float duration_of(const scene::Clip& clip);  // seconds: the last time of a key
// The values of all tracks at a time.
std::vector<Value> values_at(std::span<const Track> tracks, double time);
// The value between two frames, at 0 <= t <= 1, as samplers interpolate.
Value between(const Track& track, const Value& a, const Value& b, double t);
// The error of a track's value: an angle (for small ones) between rotations, else a distance.
double local_error(const Track& track, const Value& found, const Value& want);

// A transform that maps points: p -> m * p + t, with the columns of m.
struct Affine {
  std::array<double, 9> m{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<double, 3> t{};
};
Affine operator*(const Affine& a, const Affine& b);

// The part of the nodes that a clip concerns: those that move, and all above and below them. Parents come first.
class Skeleton {
 public:
  Skeleton(std::span<const Node> nodes, std::span<const Track> tracks);

  struct Joint {
    std::uint32_t node = 0;
    std::uint32_t parent = scene::kNone;                                // in joints()
    std::array<std::uint32_t, 3> tracks{kNoTrack, kNoTrack, kNoTrack};  // of translation, rotation, scale
    Value translation{}, rotation{0, 0, 0, 1}, scale{1, 1, 1, 0};       // at rest
    double reach = 0;
    bool moves = false;  // it or one above it has a track
  };
  std::span<const Joint> joints() const { return joints_; }
  // The joint that a track of a transform moves.
  std::uint32_t joint_of_track(std::uint32_t track) const { return joint_of_track_[track]; }
  // Writes the matrix of every joint to the space of the scene. values: the value of each track.
  void pose(std::span<const Value> values, std::span<Affine> out) const;
  // The matrix of a joint to the space of its parent.
  Affine local(std::size_t joint, std::span<const Value> values) const;
  // For each joint: itself and all joints below it, parents first. Empty if that would be more than a million.
  std::vector<std::vector<std::uint32_t>> subtrees() const;

 private:
  std::vector<Joint> joints_;
  std::vector<std::uint32_t> joint_of_track_;
};

// The largest distance between the places of points in two poses: of each joint that moves, three points on its axes,
// at `radius` in the space of the scene.
double joint_error(const Skeleton::Joint& joint, const Affine& from, const Affine& to, double radius);
double pose_error(const Skeleton& skeleton, std::span<const Affine> from, std::span<const Affine> to, double radius);

}  // namespace assetc::animation
