// Makes texture coordinates integers.
#pragma once

#include <cstdint>
#include <vector>

#include "scene/scene.hpp"

namespace assetc::optimize {

// Texture coordinate = step * integer + origin.
struct TexcoordGrid {
  float step = 0;  // 0: the set has no grid
  scene::Vec2 origin;

  bool is_used() const { return step != 0; }
  // The nearest integers. Requires is_used().
  scene::Vec2 integers_of(const scene::Vec2& uv) const;
};

// The grids of each set of a primitive, by mesh and primitive.
using TexcoordGrids = std::vector<std::vector<std::vector<TexcoordGrid>>>;

// Chooses grids for sets that materials can scale back: 2^bits values along a side of the unit square, or if
// coordinates lie outside of it, along the longest side of their box. Primitives that share materials have the same
// grid. A set has no grid if
//
// - a material of these primitives has no texture that uses it: an application may use it
// - a material has extensions that assetc does not know, which may have textures
// - it is empty, a coordinate is not finite, all are far from 0 and close together, or morph targets move it
//
// Requires 4 <= bits <= 16.
TexcoordGrids choose_texcoord_grids(const scene::Scene& scene, std::uint32_t bits);

// Replaces coordinates by the integers of their grids, and extends the transforms of textures (KHR_texture_transform)
// so that they scale them back. The largest error of a coordinate is half a step. grids: of the same scene, of which
// only vertices may have changed.
void apply_texcoord_grids(scene::Scene& scene, const TexcoordGrids& grids);

}  // namespace assetc::optimize
