// Dimensions in which vertices are apart if morph targets move them apart.
//
// With the weights w of targets, a vertex at p is drawn at p plus the sum of w_t * d_t. That is linear in each offset
// d_t, and so is the interpolation between vertices: two surfaces that agree in all offsets agree for all weights. A
// few offsets have dimensions of their own. More share them by random signs, which keeps distances within about a
// third. Their sum is a further offset, because errors that point the same way add up when all weights are large.
// Source: Achlioptas, "Database-friendly random projections", 2003.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/cluster/skin_space.hpp"
#include "scene/scene.hpp"

namespace assetc::mesh::cluster {

// The morph targets of a surface.
struct Shapes {
  std::span<const scene::MorphTarget> targets;
  std::span<const float> largest_weights;  // of each target: the largest |weight|
};

// Thread-safe once built.
class ShapeSpace {
 public:
  // What one unit of an offset counts as, as a distance; of the first sets of texture coordinates and colors.
  struct Scales {
    float normal = 0, texcoord = 0, color = 0;
  };

  ShapeSpace() = default;
  // has_skin: a SkinSpace has the same dimensions. Requires vertices below vertex_count, and finite offsets.
  ShapeSpace(const Shapes& shapes, const Scales& scales, bool has_skin, std::size_t vertex_count);

  bool is_empty() const { return rows_.empty(); }
  // Whether no target moves any of the vertices.
  bool is_still(std::span<const std::uint32_t> vertices) const;
  // Adds the kSkinDimensions coordinates of a vertex, lengths times scale.
  void add(std::uint32_t vertex, float scale, float* coordinates) const;

 private:
  static constexpr std::uint32_t kStill = 0xFFFFFFFF;

  std::vector<std::uint32_t> row_of_;  // by vertex; kStill: no target moves it
  std::vector<std::array<float, kSkinDimensions>> rows_;
};

}  // namespace assetc::mesh::cluster
