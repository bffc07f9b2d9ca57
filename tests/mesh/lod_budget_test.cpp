#include "mesh/lod_budget.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "mesh/shapes.hpp"

namespace assetc::mesh {
namespace {

// The roughness of a grid whose middle rows are bent up by height; 0 is flat.
Roughness roughness_of(float height) {
  Shape s = wavy_grid(40, 40);
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    s.positions[v].y *= height;
    s.normals[v] = scene::normalize_or({s.normals[v].x * height, s.normals[v].y, s.normals[v].z * height}, {0, 1, 0});
  }
  return measure_roughness(s.indices, s.positions, s.normals);
}

TEST(LodBudget, gives_equal_parts_equal_shares) {
  const Roughness r = roughness_of(1);
  const std::vector<BudgetPart> parts{{100, &r}, {100, &r}, {100, &r}};
  for (double kept : split_budget(parts, 0.5)) EXPECT_NEAR(kept, 0.5, 1e-3);
}

TEST(LodBudget, takes_triangles_from_flat_parts_first) {
  const Roughness flat = roughness_of(0), rough = roughness_of(1);
  const std::vector<BudgetPart> parts{{1000, &flat}, {1000, &rough}};
  const std::vector<double> kept = split_budget(parts, 0.5);
  EXPECT_LT(kept[0], 0.1);
  EXPECT_GT(kept[1], 0.9);
  EXPECT_NEAR(kept[0] * 1000 + kept[1] * 1000, 1000, 1);
}

TEST(LodBudget, leaves_every_part_something) {
  const Roughness flat = roughness_of(0), rough = roughness_of(1);
  const std::vector<BudgetPart> parts{{1000, &flat}, {1000000, &rough}};
  EXPECT_GE(split_budget(parts, 0.5)[0], 0.5 / 8);
}

TEST(LodBudget, of_one_part_or_of_unmeasured_ones_is_the_ratio) {
  const Roughness rough = roughness_of(1), none;
  EXPECT_EQ(split_budget(std::vector<BudgetPart>{{10, &rough}}, 0.3), std::vector<double>{0.3});
  EXPECT_EQ(split_budget(std::vector<BudgetPart>{{10, &none}, {10, &none}}, 0.3), (std::vector<double>{0.3, 0.3}));
}

TEST(LodBudget, counts_every_used_vertex_once_and_adds_up) {
  const Roughness r = roughness_of(1);
  Roughness both = r;
  both.add(r);
  EXPECT_EQ(std::accumulate(r.vertices_by_cost.begin(), r.vertices_by_cost.end(), 0u), 1600u);
  EXPECT_EQ(std::accumulate(both.vertices_by_cost.begin(), both.vertices_by_cost.end(), 0u), 3200u);
}

}  // namespace
}  // namespace assetc::mesh
