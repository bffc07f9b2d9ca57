#include "mesh/lod_budget.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace assetc::mesh {
namespace {

using scene::Vec3;

constexpr unsigned kMantissaBits = 4;
constexpr std::size_t kCostBins = (255u << kMantissaBits) + 1;  // every finite float without its sign, and infinity
constexpr double kLeastFraction = 1.0 / 8;

std::size_t bin_of(float cost) {
  return std::min<std::size_t>(std::bit_cast<std::uint32_t>(cost) >> (23 - kMantissaBits), kCostBins - 1);
}

// The fraction of the vertices whose cost is below place, a position on the axis of bins. A bin's vertices count as
// spread evenly over its width.
double fraction_below(const Roughness& roughness, const std::vector<std::uint64_t>& sums, double place) {
  const auto bin = std::min(static_cast<std::size_t>(place), kCostBins - 1);
  const double within = place - static_cast<double>(bin);
  const auto total = static_cast<double>(sums[kCostBins]);
  if (total == 0) return 0;
  return (static_cast<double>(sums[bin]) + within * static_cast<double>(roughness.vertices_by_cost[bin])) / total;
}

}  // namespace

void Roughness::add(const Roughness& other) {
  vertices_by_cost.resize(std::max(vertices_by_cost.size(), other.vertices_by_cost.size()));
  for (std::size_t i = 0; i < other.vertices_by_cost.size(); ++i) vertices_by_cost[i] += other.vertices_by_cost[i];
}

Roughness measure_roughness(std::span<const std::uint32_t> indices, std::span<const Vec3> positions,
                            std::span<const Vec3> normals) {
  constexpr float kUnused = std::numeric_limits<float>::infinity();
  std::vector<float> cost(positions.size(), kUnused);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint32_t a = indices[i], b = indices[i % 3 == 2 ? i - 2 : i + 1];
    const Vec3 edge = positions[b] - positions[a];
    const float off = std::max(std::fabs(scene::dot(normals[a], edge)), std::fabs(scene::dot(normals[b], edge)));
    cost[a] = std::min(cost[a], off);
    cost[b] = std::min(cost[b], off);
  }
  Roughness roughness;
  roughness.vertices_by_cost.assign(kCostBins, 0);
  for (float c : cost) {
    if (c != kUnused) ++roughness.vertices_by_cost[bin_of(c)];
  }
  return roughness;
}

std::vector<double> split_budget(std::span<const BudgetPart> parts, double ratio) {
  std::vector<double> kept(parts.size(), ratio);
  if (parts.size() < 2) return kept;
  std::vector<std::vector<std::uint64_t>> sums(parts.size(), std::vector<std::uint64_t>(kCostBins + 1));
  double triangles = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].roughness->vertices_by_cost.empty()) return kept;
    for (std::size_t b = 0; b < kCostBins; ++b) sums[p][b + 1] = sums[p][b] + parts[p].roughness->vertices_by_cost[b];
    triangles += parts[p].triangles;
  }
  // More is removed as the limit rises, so bisection finds the limit at which ratio is left.
  const auto keep_at = [&](double limit) {
    double left = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      kept[p] = std::max(1 - fraction_below(*parts[p].roughness, sums[p], limit), ratio * kLeastFraction);
      left += kept[p] * parts[p].triangles;
    }
    return left / triangles;
  };
  double low = 0, high = kCostBins;
  for (int step = 0; step < 50; ++step) {
    const double middle = (low + high) / 2;
    (keep_at(middle) > ratio ? low : high) = middle;
  }
  keep_at(high);
  return kept;
}

}  // namespace assetc::mesh
