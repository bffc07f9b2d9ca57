#include "texture/normal_map.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "parallel/parallel.hpp"
#include "texture/color.hpp"

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;

using Texel = std::array<float, 4>;  // 0 to 1

Texel load_texel(const Image& image, std::size_t index) {
  Texel texel{};
  for (std::size_t c = 0; c < 4; ++c) {
    const std::size_t at = index * 4 + c;
    switch (image.type) {
      case PixelType::kU8:
        texel[c] = static_cast<float>(std::to_integer<unsigned>(image.pixels[at])) / 255.0f;
        break;
      case PixelType::kU16:
        texel[c] = static_cast<float>(load<std::uint16_t>(image.pixels, at * 2)) / 65535.0f;
        break;
      case PixelType::kF32:
        texel[c] = load<float>(image.pixels, at * 4);
        break;
    }
  }
  return texel;
}

void store(Image& image, std::size_t index, std::size_t channel, float value) {
  const std::size_t width = scene::channel_bytes(image.type);
  std::byte* const to = image.pixels.data() + (index * 4 + channel) * width;
  const std::uint8_t v8 = unorm8(value);
  const std::uint16_t v16 = unorm16(value);
  const void* const from = image.type == PixelType::kU8    ? static_cast<const void*>(&v8)
                           : image.type == PixelType::kU16 ? static_cast<const void*>(&v16)
                                                           : &value;
  std::memcpy(to, from, width);
}

// Whether blue can be Z of normals that face forwards. Looks at a part of the texels.
bool can_have_z(const Image& image) {
  constexpr std::size_t kLooks = 1 << 16;
  const std::size_t texels = std::size_t{image.width_texels} * image.height_texels;
  const std::size_t step = std::max<std::size_t>(1, texels / kLooks) | 1;  // odd, so that every column is sampled
  std::size_t looked = 0, forward = 0;
  bool is_constant = true;
  for (std::size_t i = 0; i < texels; i += step, ++looked) {
    const float blue = load_texel(image, i)[2];
    is_constant &= blue == load_texel(image, 0)[2];
    forward += blue >= 0.5f - 1.0f / 255;
  }
  return !is_constant && forward * 100 >= looked * 99;
}

std::size_t texel_count(const Image& image) {
  assert(image.type != PixelType::kF32);
  return std::size_t{image.width_texels} * image.height_texels;
}

template <class Holds>
bool every_texel(const Image& image, const Holds& holds) {
  for (std::size_t i = 0; i < texel_count(image); ++i) {
    if (!holds(load_texel(image, i))) return false;
  }
  return true;
}

}  // namespace

NormalLayout find_normal_layout(const Image& image) {
  constexpr float kAlike = 1.0f / 32;  // tolerates the loss of block compression
  if (!every_texel(image, [](const Texel& t) { return t[3] >= 1 - kAlike; })) {
    if (every_texel(image,
                    [](const Texel& t) { return std::abs(t[0] - t[1]) <= kAlike && std::abs(t[0] - t[2]) <= kAlike; }))
      return NormalLayout::kXxxy;
    if (every_texel(image, [](const Texel& t) { return t[0] >= 1 - kAlike && t[2] <= kAlike; }))
      return NormalLayout::k1y0x;
  }
  return every_texel(image, [](const Texel& t) { return t[2] < 0.5f; }) ? NormalLayout::kXy : NormalLayout::kXyz;
}

bool looks_like_xy_normals(const Image& image) {
  constexpr float kLost = 1.0f / 64, kLongest = 1.05f;
  return every_texel(image, [](const Texel& t) {
    const float x = t[0] * 2 - 1, y = t[1] * 2 - 1;
    return t[2] <= kLost && t[3] >= 1 - kLost && x * x + y * y <= kLongest;
  });
}

void normalize_normals(Image& image) {
  // How far the squared length may be from 1. Numbers of 8 bits are off by less.
  constexpr int kNearParts = 50;
  constexpr float kNear = 1.0f / kNearParts, kLeast = 0.01f;
  if (!can_have_z(image)) return;
  // Most normals have length 1. Integers tell this fastest.
  const auto is_unit8 = [&](std::size_t i) {
    constexpr int kOne = 255 * 255;
    int squared = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const int v = 2 * std::to_integer<int>(image.pixels[i * 4 + c]) - 255;
      squared += v * v;
    }
    return std::abs(squared - kOne) * kNearParts <= kOne;
  };
  parallel_for(image.height_texels, [&](std::uint32_t y) {
    const std::size_t first = std::size_t{y} * image.width_texels;
    for (std::size_t i = first; i < first + image.width_texels; ++i) {
      if (image.type == PixelType::kU8 && is_unit8(i)) continue;
      const Texel t = load_texel(image, i);
      const std::array<float, 3> n{t[0] * 2 - 1, t[1] * 2 - 1, t[2] * 2 - 1};
      const float squared = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
      if (!(squared > kLeast) || std::abs(squared - 1) <= kNear) continue;
      const float scale = 0.5f / std::sqrt(squared);
      for (std::size_t c = 0; c < 3; ++c) store(image, i, c, n[c] * scale + 0.5f);
    }
  });
}

void turn_y(Image& image) {
  const std::size_t texels = texel_count(image);
  switch (image.type) {
    case PixelType::kU8:
      for (std::size_t i = 0; i < texels; ++i) image.pixels[i * 4 + 1] ^= std::byte{0xFF};
      return;
    case PixelType::kU16:
      for (std::size_t i = 0; i < texels; ++i) {
        image.pixels[i * 8 + 2] ^= std::byte{0xFF};
        image.pixels[i * 8 + 3] ^= std::byte{0xFF};
      }
      return;
    case PixelType::kF32:
      for (std::size_t i = 0; i < texels; ++i) {
        const float y = 1 - load<float>(image.pixels, i * 16 + 4);
        std::memcpy(image.pixels.data() + i * 16 + 4, &y, sizeof y);
      }
      return;
  }
}

void complete_normals(Image& image, NormalLayout layout) {
  if (layout == NormalLayout::kXyz) return;
  const std::size_t width = scene::channel_bytes(image.type);
  for (std::size_t i = 0; i < texel_count(image); ++i) {
    std::byte* const texel = image.pixels.data() + i * 4 * width;
    if (layout == NormalLayout::kXxxy) std::memcpy(texel + width, texel + 3 * width, width);
    if (layout == NormalLayout::k1y0x) std::memcpy(texel, texel + 3 * width, width);
    const Texel t = load_texel(image, i);
    const float x = t[0] * 2 - 1, y = t[1] * 2 - 1;
    const float z = std::sqrt(std::max(0.0f, 1 - x * x - y * y)) * 0.5f + 0.5f;
    const std::uint16_t blue = image.type == PixelType::kU8 ? unorm8(z) : unorm16(z);
    std::memcpy(texel + 2 * width, &blue, width);  // little-endian, as pixels are
    std::memset(texel + 3 * width, 0xFF, width);
  }
}

}  // namespace assetc::texture
