// What is drawn: vertices in world space, then on the screen, and the surfaces of triangles and strokes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "render/rasterizer.hpp"
#include "scene/image.hpp"
#include "scene/scene.hpp"

namespace assetc::render {

// The material of primitives without one, as in glTF: white.
inline const scene::Material kDefaultMaterial;

// The material and pictures that shade one draw.
struct Surface {
  const scene::Material* material = &kDefaultMaterial;
  const scene::Image* base_color = nullptr;
  const scene::Image* emissive = nullptr;
  const scene::Image* occlusion = nullptr;
  std::uint32_t primitive = 0;
  bool has_texcoord = false;
  bool is_stroke = false;  // points and lines, which have no light
};

// A line, or a point if both ends are the same vertex.
struct Stroke {
  std::uint32_t from, to;
  std::uint32_t surface;
};

struct Drawable {
  std::vector<ScreenVertex> vertices;
  std::vector<Triangle> opaque;
  std::vector<Triangle> blended;
  std::vector<Stroke> strokes;  // become triangles after projection
  std::vector<Surface> surfaces;
};

// The textures that the shader reads, in the order of ScreenVertex::texcoords.
enum : std::size_t { kBaseColorTexture, kEmissiveTexture, kOcclusionTexture };
inline const scene::TextureUse& use_of(const scene::Material& m, std::size_t texture) {
  return texture == kBaseColorTexture  ? m.base_color_texture
         : texture == kEmissiveTexture ? m.emissive_texture
                                       : m.occlusion_texture;
}

}  // namespace assetc::render
