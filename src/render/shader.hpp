// The color of a sample.
#pragma once

#include <array>
#include <span>

#include "render/camera.hpp"
#include "render/drawable.hpp"
#include "render/rasterizer.hpp"
#include "render/render.hpp"

namespace assetc::render {

// The linear value of each code of a channel.
using Codes = std::array<float, 256>;

class Shader {
 public:
  // d: must outlive the shader, with its surfaces.
  Shader(const Drawable& d, const View& cam, const Options& options);

  Sample operator()(const Triangle& t, const Fragment& f) const;

 private:
  float light_on(const Surface& s, scene::Vec3 normal) const { return s.is_stroke ? 1 : diffuse(normal); }
  float diffuse(scene::Vec3 normal) const;
  Sample textured(const Surface& s, const Fragment& f, scene::Vec3 normal) const;

  std::span<const Surface> surfaces_;
  View cam_;
  Style style_;
  float wire_width_;
  scene::Vec3 light_;
  Codes color_{}, data_{};  // sRGB, linear
};

}  // namespace assetc::render
