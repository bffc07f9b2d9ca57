#include "texture/normal_map.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "texture/color.hpp"

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;

using Texel = std::array<float, 4>;  // 0 to 1

Texel load_texel(const Image& image, std::size_t index) {
  Texel texel;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::size_t at = index * 4 + c;
    texel[c] = image.type == PixelType::kU8 ? static_cast<float>(std::to_integer<unsigned>(image.pixels[at])) / 255.0f
                                            : static_cast<float>(load<std::uint16_t>(image.pixels, at * 2)) / 65535.0f;
  }
  return texel;
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
