#include "mesh/cluster/skin_space.hpp"

#include <algorithm>
#include <cmath>

namespace assetc::mesh::cluster {
namespace {

// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

}  // namespace

template <class Visit>
void SkinSpace::for_influences(std::uint32_t vertex, const Visit& visit) const {
  float sum = 0;
  for (const auto& set : {skin_.first, skin_.further}) {
    if (set.empty()) continue;
    for (const float weight : set[vertex].weights) sum += weight;
  }
  const float scale = sum > 0 ? 1 / sum : 0;
  for (const auto& set : {skin_.first, skin_.further}) {
    if (set.empty()) continue;
    for (std::size_t i = 0; i < 4; ++i) {
      if (set[vertex].weights[i] > 0) visit(set[vertex].joints[i], set[vertex].weights[i] * scale);
    }
  }
}

SkinSpace::SkinSpace(const Skin& skin, std::span<const scene::Vec3> positions) : skin_(skin), positions_(positions) {
  if (is_empty()) return;
  struct Middle {
    double x = 0, y = 0, z = 0, weight = 0;
  };
  std::vector<Middle> middles;
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    for_influences(v, [&](std::uint16_t joint, double weight) {
      if (middles.size() <= joint) middles.resize(joint + 1u);
      const scene::Vec3 p = positions[v];
      Middle& m = middles[joint];
      m.x += weight * p.x, m.y += weight * p.y, m.z += weight * p.z, m.weight += weight;
    });
  }
  const float length = kTurn / std::sqrt(static_cast<float>(kSkinDimensions));
  for (std::size_t j = 0; j < middles.size(); ++j) {
    const Middle& m = middles[j];
    Joint& joint = joints_.emplace_back();
    if (m.weight > 0) {
      joint.middle = {static_cast<float>(m.x / m.weight), static_cast<float>(m.y / m.weight),
                      static_cast<float>(m.z / m.weight)};
    }
    static_assert(4 * kSkinDimensions <= 64);
    const std::uint64_t signs = mixed(j);
    for (std::size_t i = 0; i < joint.directions.size(); ++i)
      joint.directions[i] = (signs >> i & 1) != 0 ? length : -length;
  }
  double reach = 0, weights = 0;
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    for_influences(v, [&](std::uint16_t joint, double weight) {
      reach += weight * static_cast<double>(scene::length(positions[v] - joints_[joint].middle));
      weights += weight;
    });
  }
  if (weights > 0) reach_ = static_cast<float>(reach / weights);
}

bool SkinSpace::is_rigid(std::span<const std::uint32_t> vertices) const {
  constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
  std::uint32_t joint = kUnknown;
  for (const std::uint32_t v : vertices) {
    bool is_other = false;
    for_influences(v, [&](std::uint16_t number, float) {
      is_other |= joint != kUnknown && joint != number;
      joint = number;
    });
    if (is_other) return false;
  }
  return true;
}

SkinSpace::Frame SkinSpace::frame_of(std::span<const std::uint32_t> vertices, scene::Vec3 center, float scale) const {
  Frame frame{.center = center, .scale = scale};
  for (const std::uint32_t v : vertices) {
    for_influences(v, [&](std::uint16_t joint, float weight) {
      for (std::size_t d = 0; d < kSkinDimensions; ++d) {
        for (std::size_t k = 0; k < 3; ++k) frame.mean[3 * d + k] += weight * joints_[joint].directions[4 * d + k];
      }
    });
  }
  for (float& value : frame.mean) value /= static_cast<float>(vertices.size());
  return frame;
}

void SkinSpace::project(std::uint32_t vertex, const Frame& frame, float* coordinates) const {
  const scene::Vec3 at = (positions_[vertex] - frame.center) * frame.scale;
  for (std::size_t d = 0; d < kSkinDimensions; ++d) {
    const float* mean = &frame.mean[3 * d];
    coordinates[d] = -(mean[0] * at.x + mean[1] * at.y + mean[2] * at.z);
  }
  for_influences(vertex, [&](std::uint16_t number, float weight) {
    const Joint& joint = joints_[number];
    const scene::Vec3 offset = (positions_[vertex] - joint.middle) * (frame.scale * weight);
    const float moved = reach_ * frame.scale * weight;
    for (std::size_t d = 0; d < kSkinDimensions; ++d) {
      const float* direction = &joint.directions[4 * d];
      coordinates[d] +=
          (direction[0] * offset.x + direction[1] * offset.y) + (direction[2] * offset.z + direction[3] * moved);
    }
  });
}

}  // namespace assetc::mesh::cluster
