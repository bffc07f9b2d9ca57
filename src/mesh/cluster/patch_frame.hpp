// The vertices of a patch as points in a space of positions and attributes, around the origin and of size 1, so that
// computing with floats is precise.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "mesh/cluster/distance.hpp"
#include "mesh/cluster/patch.hpp"
#include "mesh/cluster/quadric.hpp"

namespace assetc::mesh::cluster {

// Fewer lanes of attributes have no room for skins and morph targets.
inline constexpr std::size_t kSkinLanes = (kSkinDimensions + 3) / 4;

template <std::size_t kLanes>
class PatchFrame {
 public:
  using Values = Attributes<kLanes>;

  // The box around the positions of the patch.
  void set_box(scene::Vec3 low, scene::Vec3 high) {
    center_ = (low + high) * 0.5f;
    extent_ = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    if (!(extent_ > 0)) extent_ = 1;
  }
  void set_vertices(const Surface& surface, std::span<const std::uint32_t> vertices) {
    if (surface.skin != nullptr) skin_ = surface.skin->frame_of(vertices, center_, 1 / extent_);
  }

  // A length of the patch that the frame shows as 1.
  float extent() const { return extent_; }
  scene::Vec3 place(scene::Vec3 position) const { return (position - center_) * (1 / extent_); }

  // The attributes of a vertex, scaled by weights of normals, texture coordinates and colors.
  Values values_of(const Surface& surface, std::uint32_t v, std::array<float, 3> weights) const {
    std::array<float, 4 * kLanes + 4> all{};
    std::size_t n = 0;
    if (!surface.normals.empty()) {
      const scene::Vec3 normal = surface.normals[v] * weights[0];
      all[n++] = normal.x, all[n++] = normal.y, all[n++] = normal.z;
    }
    if (!surface.texcoords.empty()) {
      all[n++] = surface.texcoords[v].x * weights[1], all[n++] = surface.texcoords[v].y * weights[1];
    }
    if (!surface.colors.empty()) {
      const scene::Vec4 color = surface.colors[v];
      for (const float value : {color.x, color.y, color.z, color.w}) all[n++] = value * weights[2];
    }
    if constexpr (kLanes >= kSkinLanes) {
      if (surface.skin != nullptr) surface.skin->project(v, skin_, &all[n]);
      if (surface.shapes != nullptr) surface.shapes->add(v, 1 / extent_, &all[n]);
    }
    Values result;
    for (std::size_t i = 0; i < kLanes; ++i)
      result[i] = Lanes{all[4 * i], all[4 * i + 1], all[4 * i + 2], all[4 * i + 3]};
    return result;
  }

  // With the weights of the surface, so that distances are those that errors state.
  Joint<kLanes> joint_of(const Surface& surface, std::uint32_t v) const {
    const scene::Vec3 p = place(surface.positions[v]);
    Joint<kLanes> result;
    result[0] = Lanes{p.x, p.y, p.z, 0};
    if constexpr (kLanes > 0) {
      const Values attributes = values_of(
          surface, v,
          {surface.normal_weight / extent_, surface.texcoord_weight / extent_, surface.color_weight / extent_});
      for (std::size_t i = 0; i < kLanes; ++i) result[1 + i] = attributes[i];
    }
    return result;
  }

 private:
  scene::Vec3 center_;
  float extent_ = 1;
  SkinSpace::Frame skin_;
};

}  // namespace assetc::mesh::cluster
