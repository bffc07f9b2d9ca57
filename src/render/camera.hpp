// Cameras: what of a drawable is seen, and where on the screen.
#pragma once

#include <cstdint>

#include "render/drawable.hpp"
#include "render/render.hpp"
#include "scene/scene.hpp"

namespace assetc::render {

struct View {
  scene::Vec3 eye, right, up, forward;
  float focal = 0;           // samples of a length of 1: at distance 1, or at any distance if is_parallel
  bool is_parallel = false;  // an orthographic camera: all rays have the direction `forward`

  float distance(scene::Vec3 position) const { return scene::dot(position - eye, forward); }  // along the view axis
  scene::Vec3 ray_to(scene::Vec3 position) const {
    return is_parallel ? forward : scene::normalize_or(position - eye, forward);
  }
};

// Shows the scene as a camera of it does: cuts what is nearer or farther than it sees, and projects the rest. If the
// picture has another aspect ratio than the camera, the height of the view is kept. width, height: in samples.
View look_through(Drawable& d, const scene::Camera& camera, const scene::Mat4& world, std::uint32_t width,
                  std::uint32_t height);

// Fits the bounding sphere of all vertices into the picture and projects them. Every vertex is in front of the eye.
// Requires vertices.
View frame(Drawable& d, const Options& options, std::uint32_t width, std::uint32_t height);

// Turns lines and points, which are projected, into pairs of triangles. texel: samples along the side of a texel.
void widen_strokes(Drawable& d, float texel);

}  // namespace assetc::render
