// Renders pictures of a Scene with a small software rasterizer: for thumbnails, documentation and golden-image tests.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assetc/base/result.hpp"
#include "scene/image.hpp"
#include "scene/scene.hpp"

namespace assetc::render {

enum class Style : std::uint8_t {
  kShaded,    // one material, one light: shows the shape
  kTextured,  // base color times the first vertex colors, occlusion and emission, one light; unlit: base color alone
  kNormals,   // the vertex normal as color
  kUv,        // the first texture coordinate as color, with a checkerboard
  kWire,      // triangle edges over the shape
  kMeshlets,  // a color for each cluster (Primitive::clusters), or for each primitive if there are none
};

struct Options {
  std::uint32_t width_texels = 512;
  std::uint32_t height_texels = 512;
  Style style = Style::kTextured;
  float yaw_degrees = 30;         // camera around +Y, from +Z toward +X
  float pitch_degrees = 15;       // camera above the horizon, -89 to 89
  std::uint32_t supersample = 3;  // samples along each side of a texel, 1 to 8
  std::uint32_t lod = 0;  // level of Node::lods to draw; 0 is the full mesh; a node with fewer levels draws its last
  bool posed = false;     // apply clip `clip` at time `time_seconds`
  std::uint32_t clip = 0;
  float time_seconds = 0;
  std::optional<std::uint32_t> camera{};  // the number of a node with a camera; empty: frames the whole scene
  // The weight of each morph target, for every mesh; empty: those of the nodes, meshes and clip.
  std::vector<float> morph_weights{};
};

inline constexpr std::uint32_t kMaxRenderSide = 8192;

// Where a picture is seen from, and how large lengths are in it: texels of a length of 1 at distance 1.
struct Lens {
  scene::Vec3 eye;
  float focal_texels = 0;
};
// The lens of a picture that has no orthographic camera. Errors: those of render().
Result<Lens> lens_of(const scene::Scene& scene, const Options& options);

// The scene in front of a plain background, framed to its bounding sphere or seen by a camera, as 8-bit sRGB RGBA.
// Hidden nodes are not drawn. A camera does not see what is nearer than its near plane or beyond its far plane. Lines
// are one texel wide and points are squares of three texels, at any distance. Both have the color of their material and
// vertices, without lighting.
//
// A primitive without a material has the default material of glTF, which is white. Colors of textures are decoded from
// sRGB before they are filtered. Textures are not filtered by distance.
//
// images holds the decoded picture of each item of Scene::images (8 bits a channel), or an empty Image if there is
// none. An empty image counts as white. The same input gives the same picture on any number of threads. Runs in the
// caller's TBB arena. Thread-safe.
// Errors:
// - kLimit: a size of 0 or above kMaxRenderSide
// - kInvalidData: a scene without triangles, lines and points
// - kNotFound: a clip, camera or level of detail that does not exist
Result<scene::Image> render(const scene::Scene& scene, std::span<const scene::Image> images, const Options& options);

}  // namespace assetc::render
