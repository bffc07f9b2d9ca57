#include "mesh/cluster/shape_space.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/weld.hpp"

namespace assetc::mesh::cluster {
namespace {

using Row = std::array<float, kSkinDimensions>;

// Where the numbers of offsets lie.
class Directions {
 public:
  // number_count: of all offsets of a vertex.
  Directions(std::size_t number_count, bool has_skin) : shares_(has_skin || number_count > kSkinDimensions) {}

  // number: of the first of the values.
  void add(std::size_t number, std::span<const float> values, float scale, Row& row) const {
    const float length = 1 / std::sqrt(static_cast<float>(kSkinDimensions));
    for (const float value : values) {
      if (!shares_) {
        row[number++] += value * scale;
        continue;
      }
      const std::uint64_t signs = hash_mix(kSeed, number++);
      for (std::size_t d = 0; d < kSkinDimensions; ++d)
        row[d] += (signs >> d & 1) != 0 ? value * scale * length : -(value * scale * length);
    }
  }

 private:
  static constexpr std::uint64_t kSeed = 0x6D6F727068;
  bool shares_;
};

// Calls visit(components, scale, values of a vertex) for each attribute that the target moves. Positions come first.
template <class Visit>
void for_attributes(const scene::MorphTarget& target, const ShapeSpace::Scales& scales, const Visit& visit) {
  const auto visit_all = [&](const auto& offsets, std::size_t components, float scale) {
    if (offsets.empty() || !(scale > 0)) return;
    visit(components, scale, [&](std::size_t i) { return std::span<const float>(&offsets[i].x, components); });
  };
  visit_all(target.positions, 3, 1);
  visit_all(target.normals, 3, scales.normal);
  if (!target.texcoords.empty()) visit_all(target.texcoords[0], 2, scales.texcoord);
  if (!target.colors.empty()) visit_all(target.colors[0], 4, scales.color);
}

}  // namespace

ShapeSpace::ShapeSpace(const Shapes& shapes, const Scales& scales, bool has_skin, std::size_t vertex_count) {
  std::size_t numbers = 0, moving = 0;
  for (const scene::MorphTarget& target : shapes.targets) {
    if (target.vertices.empty()) continue;
    for_attributes(target, scales, [&](std::size_t components, float, const auto&) { numbers += components; });
    moving += target.positions.empty() ? 0 : 1;
  }
  if (numbers == 0) return;
  const bool has_sum = moving > 1;
  const std::size_t sum = numbers;
  const Directions directions(numbers + (has_sum ? 3 : 0), has_skin);
  row_of_.assign(vertex_count, kStill);
  for (const scene::MorphTarget& target : shapes.targets) {
    for (const std::uint32_t v : target.vertices) row_of_[v] = 0;
  }
  std::uint32_t count = 0;
  for (std::uint32_t& row : row_of_) {
    if (row != kStill) row = count++;
  }
  rows_.resize(count);
  std::size_t first = 0;
  for (std::size_t t = 0; t < shapes.targets.size(); ++t) {
    const scene::MorphTarget& target = shapes.targets[t];
    if (target.vertices.empty()) continue;
    const float weight = shapes.largest_weights[t];
    for_attributes(target, scales, [&](std::size_t components, float scale, const auto& values_of) {
      for (std::size_t i = 0; i < target.vertices.size(); ++i)
        directions.add(first, values_of(i), scale * weight, rows_[row_of_[target.vertices[i]]]);
      first += components;
    });
    for (std::size_t i = 0; has_sum && i < target.positions.size(); ++i)
      directions.add(sum, std::span<const float>(&target.positions[i].x, 3), weight,
                     rows_[row_of_[target.vertices[i]]]);
  }
}

bool ShapeSpace::is_still(std::span<const std::uint32_t> vertices) const {
  return std::ranges::all_of(vertices, [&](std::uint32_t v) { return row_of_[v] == kStill; });
}

void ShapeSpace::add(std::uint32_t vertex, float scale, float* coordinates) const {
  if (row_of_[vertex] == kStill) return;
  const Row& row = rows_[row_of_[vertex]];
  for (std::size_t d = 0; d < kSkinDimensions; ++d) coordinates[d] += row[d] * scale;
}

}  // namespace assetc::mesh::cluster
