// Dimensions in which vertices are apart if joints move them apart.
//
// A pose moves a vertex at p, with the weight w of joint j, to the sum of w * M_j * p over its joints. That is linear
// in w and in w * p of each joint, and so is the interpolation between vertices: two surfaces that agree in these agree
// in every pose. There are too many of them, so they are projected onto a few random directions, which keeps distances
// within about a third.
// Source: Achlioptas, "Database-friendly random projections", 2003.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.hpp"

namespace assetc::mesh::cluster {

// The joints that move the vertices of a surface. Spans are as long as the positions, or empty.
struct Skin {
  std::span<const hmesh::GpuSkinVertex> first;    // weights sum to 1
  std::span<const hmesh::GpuSkinVertex> further;  // as Mesh::further_skin
};

inline constexpr std::size_t kSkinDimensions = 15;
// Distances are those of poses in which joints turn by as many radians, each in its own way.
inline constexpr float kTurn = 0.5f;

// Thread-safe once built.
class SkinSpace {
 public:
  SkinSpace() = default;
  // Spans must outlive the space. Requires finite positions and weights.
  SkinSpace(const Skin& skin, std::span<const scene::Vec3> positions);

  bool is_empty() const { return skin_.first.empty(); }
  // The distance that a difference of 1 of weights counts as: how far a joint that turns by kTurn moves its vertices,
  // about. That is kTurn times the mean distance of a vertex from the middle of the vertices that its joints move.
  float weight_unit() const { return kTurn * reach_; }

  // Whether the same joint moves all vertices, with a weight of 1: no pose changes their distances.
  bool is_rigid(std::span<const std::uint32_t> vertices) const;

  // The place of a patch, and what all its joints have in common.
  struct Frame {
    scene::Vec3 center;
    float scale = 1;
    std::array<float, 3 * kSkinDimensions> mean{};
  };
  Frame frame_of(std::span<const std::uint32_t> vertices, scene::Vec3 center, float scale) const;
  // Writes the kSkinDimensions coordinates of a vertex, lengths times the scale of the frame.
  void project(std::uint32_t vertex, const Frame& frame, float* coordinates) const;

 private:
  struct Joint {
    scene::Vec3 middle;
    std::array<float, 4 * kSkinDimensions> directions;  // of the weight times x, y and z, and of the weight
  };
  // Calls visit(joint, weight) for each joint that moves the vertex. Weights sum to 1.
  template <class Visit>
  void for_influences(std::uint32_t vertex, const Visit& visit) const;

  Skin skin_{};
  std::span<const scene::Vec3> positions_;
  std::vector<Joint> joints_;
  float reach_ = 0;  // the mean distance
};

}  // namespace assetc::mesh::cluster
