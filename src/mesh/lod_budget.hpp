// Decides how many triangles each part of a mesh keeps when the parts are simplified separately. Simplifying the whole
// mesh at once would remove triangles from flat parts first; the budget imitates that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

// A histogram of what it costs to remove each vertex of a part. The bins divide the logarithm of the distance that the
// surface would move, sixteen bins for each doubling.
struct Roughness {
  std::vector<std::uint32_t> vertices_by_cost;  // empty: not measured
  void add(const Roughness& other);
};

// Measures a part. The cost of a vertex is that of its cheapest edge: the distance of the edge's ends from each other's
// tangent planes. Requires every index < positions.size() == normals.size().
Roughness measure_roughness(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                            std::span<const scene::Vec3> normals);

struct BudgetPart {
  std::uint32_t triangles = 0;
  const Roughness* roughness = nullptr;
};

// The fraction of its triangles that each part keeps, so that all parts together keep ratio. One cost limit is chosen
// for all parts, and vertices below it are removed. No part keeps less than an eighth of ratio. A single part gets
// ratio.
std::vector<double> split_budget(std::span<const BudgetPart> parts, double ratio);

}  // namespace assetc::mesh
