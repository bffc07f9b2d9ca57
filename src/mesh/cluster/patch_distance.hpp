// Distances from points to what is left of a patch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "mesh/cluster/distance.hpp"

namespace assetc::mesh::cluster {

// Patch: PatchSimplifier::Work, which must outlive it.
template <std::size_t kLanes, class Patch>
class PatchDistance {
 public:
  using Point = Joint<kLanes>;
  static constexpr std::uint32_t kNoTriangle = 0xFFFFFFFF;

  explicit PatchDistance(const Patch& patch) : patch_(patch) {
    float longest = 0;
    for (std::uint32_t c = 0; c < patch_.wedge.size(); ++c) {
      if (!patch_.alive[c / 3]) continue;
      const scene::Vec3 edge = patch_.position[patch_.at(c)] - patch_.position[patch_.at(Patch::next_corner(c))];
      longest = std::max(longest, scene::dot(edge, edge));
    }
    longest_edge_ = std::sqrt(longest);
  }

  // Goes along edges to a point of the patch nearer to p, as far as there is one.
  std::uint32_t walk(const Point& p, std::uint32_t from) const {
    constexpr int kMaxSteps = 16;
    const scene::Vec3 to{p[0][0], p[0][1], p[0][2]};
    const auto far = [&](std::uint32_t at) {
      const scene::Vec3 offset = patch_.position[at] - to;
      return scene::dot(offset, offset);
    };
    float least = far(from);
    for (int step = 0; step < kMaxSteps; ++step) {
      std::uint32_t best = from;
      patch_.for_corners(from, [&](std::uint32_t c) {
        const std::uint32_t q = patch_.at(Patch::next_corner(c));
        if (const float distance = far(q); distance < least) least = distance, best = q;
      });
      if (best == from) break;
      from = best;
    }
    return from;
  }

  // The squared distance of p to the surface, and the triangle that has it. Stops at a distance that is not more than
  // known, and looks around the point end first.
  struct Nearest {
    float distance2 = std::numeric_limits<float>::infinity();
    std::uint32_t triangle = kNoTriangle;
  };
  Nearest to_surface(const Point& p, std::uint32_t end, float known) const {
    Nearest nearest;
    const float enough = known * known;
    const auto consider = [&](std::uint32_t t) {
      if (!patch_.alive[t] || nearest.distance2 <= enough) return;
      const float distance2 = triangle_distance2<kLanes>(p, corner(3 * t), corner(3 * t + 1), corner(3 * t + 2));
      if (distance2 < nearest.distance2) nearest = {distance2, t};
    };
    const auto& first = patch_.first;
    const auto& next = patch_.next;
    for (std::uint32_t c = first[end]; c != Patch::kNoCorner; c = next[c]) consider(c / 3);
    for (std::uint32_t c = first[end]; c != Patch::kNoCorner && nearest.distance2 > enough; c = next[c]) {
      if (!patch_.alive[c / 3]) continue;
      for (std::uint32_t d = first[patch_.at(Patch::next_corner(c))]; d != Patch::kNoCorner; d = next[d])
        consider(d / 3);
    }
    // A triangle is no nearer than its first corner minus the longest edge.
    const scene::Vec3 from{p[0][0], p[0][1], p[0][2]};
    const auto reach_of = [&](float distance2) {
      return (std::sqrt(distance2) + longest_edge_) * (std::sqrt(distance2) + longest_edge_);
    };
    float reach = reach_of(nearest.distance2);
    for (std::uint32_t t = 0; t < patch_.alive.size() && nearest.distance2 > enough; ++t) {
      if (!patch_.alive[t]) continue;
      const scene::Vec3 offset = patch_.position[patch_.at(3 * t)] - from;
      if (scene::dot(offset, offset) > reach) continue;
      const float before = nearest.distance2;
      consider(t);
      if (nearest.distance2 < before) reach = reach_of(nearest.distance2);
    }
    return nearest;
  }

  // The same to the border at the point end; infinite if there is none.
  Nearest to_border(const Point& p, std::uint32_t end) const {
    Nearest nearest;
    patch_.for_corners(end, [&](std::uint32_t c) {
      for (const std::uint32_t d : {Patch::next_corner(c), Patch::previous_corner(c)}) {
        if (edge_use(end, patch_.at(d)) != 1) continue;
        const float distance2 = segment_distance2<kLanes>(p, corner(c), corner(d));
        if (distance2 < nearest.distance2) nearest = {distance2, c / 3};
      }
    });
    return nearest;
  }

 private:
  const Point& corner(std::uint32_t c) const { return patch_.joint[patch_.wedge[c]]; }
  std::size_t edge_use(std::uint32_t p, std::uint32_t q) const {
    std::size_t count = 0;
    patch_.for_corners(p, [&](std::uint32_t c) {
      const bool has = patch_.at(Patch::next_corner(c)) == q || patch_.at(Patch::previous_corner(c)) == q;
      count += has ? 1 : 0;
    });
    return count;
  }

  const Patch& patch_;
  float longest_edge_ = 0;
};

}  // namespace assetc::mesh::cluster
