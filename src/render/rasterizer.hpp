// A z-buffer rasterizer: fills triangles in screen space row by row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::render {

// A vertex has a texture coordinate for each texture that shades it.
inline constexpr std::size_t kTextureCount = 3;
using Texcoords = std::array<scene::Vec2, kTextureCount>;

// A vertex after projection. x, y in samples from the top left; w is above 0: the distance along the view axis, or 1
// for parallel rays. nearness changes linearly on the screen and is larger for nearer vertices: 1 / w, or minus the
// distance for parallel rays.
struct ScreenVertex {
  float x = 0, y = 0, w = 1;
  float nearness = 1;
  scene::Vec3 position;  // world
  scene::Vec3 normal;    // world, unit
  Texcoords texcoords{};
  scene::Vec4 color{1, 1, 1, 1};  // linear
};

// The values that a shader gets for one sample.
struct Fragment {
  scene::Vec3 position;
  scene::Vec3 normal;
  Texcoords texcoords{};
  scene::Vec4 color;
  float edge_distance = 0;  // to the nearest edge of the triangle, in samples
  bool front_facing = true;
};

struct Triangle {
  std::uint32_t a, b, c;  // into the vertex array
  std::uint32_t surface;  // into the caller's table of surfaces
  std::uint32_t cluster;
};

struct Sample {
  scene::Vec3 color;  // linear
  float alpha = 1;
};

// Draws the triangles, in order, into linear color (width x height samples, row-major). Blended triangles (alpha below
// 1) must come after opaque ones. If shade(triangle, fragment) returns alpha 0, the sample is unchanged. Rows are
// filled in parallel. The order of triangles within a row is kept, so the result does not depend on the number of
// threads.
template <class Shade>
void rasterize(std::span<const ScreenVertex> vertices, std::span<const Triangle> triangles, std::uint32_t width,
               std::uint32_t height, std::span<scene::Vec3> color, const Shade& shade);

}  // namespace assetc::render

#include "render/rasterizer_inl.hpp"
