// Generated pictures.
#pragma once

#include <cstddef>
#include <cstdint>

#include "scene/image.hpp"

namespace assetc::texture::pictures {

// A value from 0 to 255 that depends on i.
inline int noise(std::uint32_t i) {
  i *= 0x9E3779B1u;
  i ^= i >> 15;
  i *= 0x2C1B3C6Du;
  return static_cast<int>(i >> 24);
}

// An opaque picture. i counts channels; rows start at the top.
inline scene::Image make_image(std::uint32_t width, std::uint32_t height, int (*value)(std::uint32_t i)) {
  scene::Image image{width, height, scene::PixelType::kU8, 4, {}};
  for (std::uint32_t i = 0; i < width * height * 4; ++i)
    image.pixels.push_back(static_cast<std::byte>(i % 4 == 3 ? 255 : value(i)));
  return image;
}

}  // namespace assetc::texture::pictures
