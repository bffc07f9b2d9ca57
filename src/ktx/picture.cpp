#include "ktx/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "assetc/base/bytes.hpp"
#include "texture/color.hpp"

namespace assetc::ktx {
namespace {

using scene::Image;
using scene::PixelType;
using Texel = std::array<float, 4>;  // integers as 0 to 1

// Calls change(Texel&) for each texel.
template <class Change>
void each_texel(Image& image, const Change& change) {
  const std::size_t count = std::size_t{image.width_texels} * image.height_texels;
  const std::size_t width = scene::channel_bytes(image.type);
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* const at = image.pixels.data() + i * 4 * width;
    Texel texel;
    for (std::size_t c = 0; c < 4; ++c) {
      const ByteSpan channel(at + c * width, width);
      texel[c] = image.type == PixelType::kU8    ? static_cast<float>(std::to_integer<unsigned>(channel[0])) / 255.0f
                 : image.type == PixelType::kU16 ? static_cast<float>(load<std::uint16_t>(channel)) / 65535.0f
                                                 : load<float>(channel);
    }
    change(texel);
    for (std::size_t c = 0; c < 4; ++c) {
      const std::uint16_t integer =
          image.type == PixelType::kU8 ? texture::unorm8(texel[c]) : texture::unorm16(texel[c]);
      if (image.type == PixelType::kF32) {
        std::memcpy(at + c * width, &texel[c], width);
      } else {
        std::memcpy(at + c * width, &integer, width);  // little-endian, as pixels are
      }
    }
  }
}

float linear_of(float code) { return static_cast<float>(texture::srgb_to_linear(code)); }

// The code of linear light in [0, 1] under the transfer function of sRGB (IEC 61966-2-1).
float srgb_of(float linear, PixelType type) {
  if (type == PixelType::kU8) return static_cast<float>(texture::linear_to_srgb8(linear)) / 255.0f;
  return linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

}  // namespace

void flip_rows(Image& image) {
  const std::size_t row = image.row_bytes();
  for (std::uint32_t y = 0; y < image.height_texels / 2; ++y) {
    std::byte* const top = image.pixels.data() + y * row;
    std::swap_ranges(top, top + row, image.pixels.data() + (image.height_texels - 1 - y) * row);
  }
}

void convert_transfer(Image& image, ktx2::Transfer from, ktx2::Transfer to) {
  if (from == to) return;
  each_texel(image, [&](Texel& texel) {
    for (std::size_t c = 0; c < 3; ++c)
      texel[c] = to == ktx2::Transfer::kLinear ? linear_of(texel[c]) : srgb_of(texel[c], image.type);
  });
}

void premultiply_alpha(Image& image, ktx2::Transfer transfer) {
  // Alpha weighs light, so sRGB codes are multiplied as the light that they stand for.
  const bool is_srgb = transfer == ktx2::Transfer::kSrgb;
  each_texel(image, [&](Texel& texel) {
    for (std::size_t c = 0; c < 3; ++c)
      texel[c] = is_srgb ? srgb_of(linear_of(texel[c]) * texel[3], image.type) : texel[c] * texel[3];
  });
}

void normalize_vectors(Image& image, std::uint32_t channels) {
  const std::size_t count = channels == 2 ? 2 : 3;
  each_texel(image, [&](Texel& texel) {
    float length = 0;
    for (std::size_t c = 0; c < count; ++c) {
      texel[c] = texel[c] * 2 - 1;
      length += texel[c] * texel[c];
    }
    length = std::sqrt(length);
    for (std::size_t c = 0; c < count; ++c) {
      const float unit = length > 0 ? texel[c] / length : (c == 2 ? 1.0f : 0.0f);
      texel[c] = unit * 0.5f + 0.5f;
    }
    if (channels == 4) texel[3] = 1;
  });
}

}  // namespace assetc::ktx
