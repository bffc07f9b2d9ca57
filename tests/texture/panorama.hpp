// Generated panoramas.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>

#include "scene/image.hpp"
#include "scene/math.hpp"

namespace assetc::texture::testing {

// The light from a unit direction.
using Light = std::function<scene::Vec3(scene::Vec3)>;

// An equirectangular float picture; its center is +Z, a quarter of the width to the right +X, its upper edge +Y.
inline scene::Image panorama(std::uint32_t height, const Light& light) {
  scene::Image image{2 * height, height, scene::PixelType::kF32, 3, {}};
  image.pixels.resize(image.row_bytes() * height);
  for (std::uint32_t y = 0; y < height; ++y) {
    const double latitude = (0.5 - (y + 0.5) / height) * std::numbers::pi;
    for (std::uint32_t x = 0; x < 2 * height; ++x) {
      const double longitude = ((x + 0.5) / (2 * height) - 0.5) * 2 * std::numbers::pi;
      const scene::Vec3 rgb =
          light({static_cast<float>(std::cos(latitude) * std::sin(longitude)), static_cast<float>(std::sin(latitude)),
                 static_cast<float>(std::cos(latitude) * std::cos(longitude))});
      const float texel[4] = {rgb.x, rgb.y, rgb.z, 1.0f};
      std::memcpy(image.pixels.data() + image.row_bytes() * y + x * sizeof texel, texel, sizeof texel);
    }
  }
  return image;
}

}  // namespace assetc::texture::testing
