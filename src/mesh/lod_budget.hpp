// How many triangles each part of a mesh may keep when the parts are simplified one by one: a whole mesh would give up
// its flat parts first, and so shall they.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

// How many vertices of a part cost how much to remove: a histogram over the logarithm of the distance that the surface
// would move, sixteen bins for every doubling.
struct Roughness {
  std::vector<std::uint32_t> vertices_by_cost;  // empty: nothing measured
  void add(const Roughness& other);
};

// The cost of a vertex is that of its cheapest edge: how far its ends lie off each other's tangent planes.
// Requires every index < positions.size() == normals.size().
Roughness measure_roughness(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                            std::span<const scene::Vec3> normals);

struct BudgetPart {
  std::uint32_t triangles = 0;
  const Roughness* roughness = nullptr;
};

// The fraction of its triangles that every part keeps so that all together keep ratio: what costs less than some limit
// goes, the same limit for all, but no part keeps less than an eighth of ratio. Just ratio for a single part.
std::vector<double> split_budget(std::span<const BudgetPart> parts, double ratio);

}  // namespace assetc::mesh
