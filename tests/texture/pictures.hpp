// Pictures of formulas.
#pragma once

#include <cstddef>
#include <cstdint>

#include "scene/image.hpp"

namespace assetc::texture::pictures {

// From 0 to 255, for each number another.
inline int noise(std::uint32_t i) {
  i *= 0x9E3779B1u;
  i ^= i >> 15;
  i *= 0x2C1B3C6Du;
  return static_cast<int>(i >> 24);
}

// Opaque. i counts channels, rows from the top.
inline scene::Image make_image(std::uint32_t width, std::uint32_t height, int (*value)(std::uint32_t i)) {
  scene::Image image{width, height, scene::PixelType::kU8, 4, {}};
  for (std::uint32_t i = 0; i < width * height * 4; ++i)
    image.pixels.push_back(static_cast<std::byte>(i % 4 == 3 ? 255 : value(i)));
  return image;
}

}  // namespace assetc::texture::pictures
