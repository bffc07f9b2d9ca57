#include "texture/cube.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/portable_math.hpp"
#include "parallel/parallel.hpp"
#include "texture/color.hpp"
#include "texture/resample.hpp"

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;
using scene::Vec3;

constexpr float kMostLight = 1e9f;          // its sums stay far below the largest float
constexpr std::uint32_t kMostSamples = 32;  // for one texel, along each axis

// A position in the panorama, in texels from the center of its first texel.
struct Place {
  double x, y;
};
Place place_of(Vec3 d, std::uint32_t width, std::uint32_t height) {
  const double x = d.x, y = d.y, z = d.z;
  return {(0.5 + arc_tangent_pi(x, z) * 0.5) * width - 0.5,
          (0.5 - arc_tangent_pi(y, std::sqrt(x * x + z * z))) * height - 0.5};
}

void add_texel(const Image& light, Place place, double* sum) {
  const double left = std::floor(place.x), top = std::floor(place.y);
  const auto right = static_cast<float>(place.x - left), down = static_cast<float>(place.y - top);
  const auto width = static_cast<std::int64_t>(light.width_texels),
             height = static_cast<std::int64_t>(light.height_texels);
  const auto column = [&](std::int64_t x) {
    return static_cast<std::size_t>(x < 0 ? x + width : x >= width ? x - width : x);
  };
  const auto row = [&](std::int64_t y) {
    return reinterpret_cast<const float*>(light.pixels.data()) +
           static_cast<std::size_t>(std::clamp<std::int64_t>(y, 0, height - 1)) * light.width_texels * 4;
  };
  const std::size_t x0 = column(static_cast<std::int64_t>(left)), x1 = column(static_cast<std::int64_t>(left) + 1);
  const float* above = row(static_cast<std::int64_t>(top));
  const float* below = row(static_cast<std::int64_t>(top) + 1);
  for (std::size_t c = 0; c < 3; ++c) {
    const float a = above[x0 * 4 + c] + (above[x1 * 4 + c] - above[x0 * 4 + c]) * right;
    const float b = below[x0 * 4 + c] + (below[x1 * 4 + c] - below[x0 * 4 + c]) * right;
    sum[c] += a + (b - a) * down;
  }
}

// Computes row y of a face, four floats for each texel.
void panorama_row(const Image& light, std::uint32_t face, std::uint32_t size, std::uint32_t y, float* out) {
  // A face covers a quarter of the panorama's width. It takes twice as many samples as that has texels, because the
  // panorama is denser toward the edges of a face. The count is a power of two, so that a constant panorama gives exact
  // results.
  const std::uint32_t texels = (light.width_texels + 4 * size - 1) / (4 * size);
  const std::uint32_t samples = std::min(kMostSamples, std::bit_ceil(2 * texels));
  const float step = 2.0f / static_cast<float>(size);
  const auto offset = [&](std::uint32_t i) { return (static_cast<float>(i) + 0.5f) / static_cast<float>(samples); };
  const double scale = 1.0 / (samples * samples);
  for (std::uint32_t x = 0; x < size; ++x, out += 4) {
    double sum[3] = {};  // exact if the panorama is constant
    for (std::uint32_t j = 0; j < samples; ++j) {
      const float t = (static_cast<float>(y) + offset(j)) * step - 1.0f;
      for (std::uint32_t i = 0; i < samples; ++i) {
        const float s = (static_cast<float>(x) + offset(i)) * step - 1.0f;
        add_texel(light, place_of(face_direction(face, s, t), light.width_texels, light.height_texels), sum);
      }
    }
    for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<float>(sum[c] * scale);
    out[3] = 1.0f;
  }
}

// Linear light of the color value number `at` of the picture. NaN gives 0.
float light_at(const Image& image, std::size_t at) {
  switch (image.type) {
    case PixelType::kU8:
      return srgb8_to_linear()[std::to_integer<std::size_t>(image.pixels[at])];
    case PixelType::kU16:
      return srgb16_to_linear()[load<std::uint16_t>(image.pixels, at * 2)];
    case PixelType::kF32:
      break;
  }
  const auto value = load<float>(image.pixels, at * 4);
  return value > 0.0f ? std::min(value, kMostLight) : 0.0f;
}

}  // namespace

Vec3 face_direction(std::uint32_t face, float s, float t) {
  switch (face) {
    case 0:
      return {1.0f, -t, -s};
    case 1:
      return {-1.0f, -t, s};
    case 2:
      return {s, 1.0f, t};
    case 3:
      return {s, -1.0f, -t};
    case 4:
      return {s, -t, 1.0f};
    default:
      return {-s, -t, -1.0f};
  }
}

float face_weight(float s, float t) {
  const float square = 1.0f + s * s + t * t;
  return 1.0f / (square * std::sqrt(square));
}

void Cube::close_seams() {
  const auto size = static_cast<std::int32_t>(size_);
  const auto close = [&](std::uint32_t face, std::int32_t x, std::int32_t y) {
    const FacePoint p = face_point(direction(face, x, y));
    const auto texel = [&](float s) {
      return std::clamp(static_cast<std::int32_t>((s + 1.0f) * 0.5f * static_cast<float>(size)), 0, size - 1);
    };
    std::copy_n(at(p.face, texel(p.s), texel(p.t)), 4, at(face, x, y));
  };
  for (std::uint32_t face = 0; face < kFaces; ++face) {
    for (std::int32_t i = -1; i <= size; ++i) {
      close(face, i, -1);
      close(face, i, size);
      close(face, -1, i);
      close(face, size, i);
    }
  }
}

Cube halve(const Cube& cube) {
  Cube half(cube.size() / 2);
  const std::uint32_t size = half.size();
  parallel_for(kFaces * size, [&](std::uint32_t row) {
    const std::uint32_t face = row / size;
    const auto y = static_cast<std::int32_t>(row % size);
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(size); ++x) {
      float sum[3] = {}, weights = 0.0f;
      for (std::int32_t i = 0; i < 4; ++i) {
        const std::int32_t from_x = 2 * x + i % 2, from_y = 2 * y + i / 2;
        const float weight = face_weight(cube.middle(from_x), cube.middle(from_y));
        const float* texel = cube.at(face, from_x, from_y);
        for (std::size_t c = 0; c < 3; ++c) sum[c] += weight * texel[c];
        weights += weight;
      }
      float* out = half.at(face, x, y);
      for (std::size_t c = 0; c < 3; ++c) out[c] = sum[c] / weights;
    }
  });
  half.close_seams();
  return half;
}

Image to_light(Image image) {
  Image light{image.width_texels, image.height_texels, PixelType::kF32, 3, {}};
  const bool in_place = image.type == PixelType::kF32;
  light.pixels = in_place ? std::move(image.pixels) : ByteVector(light.row_bytes() * light.height_texels);
  parallel_for(light.height_texels, [&](std::uint32_t y) {
    auto* out = reinterpret_cast<float*>(light.pixels.data() + light.row_bytes() * y);
    const Image& from = in_place ? light : image;
    for (std::size_t i = 0; i < std::size_t{light.width_texels} * 4; ++i)
      out[i] = i % 4 == 3 ? 1.0f : light_at(from, std::size_t{y} * light.width_texels * 4 + i);
  });
  return light;
}

void set_face(Cube& cube, std::uint32_t face, const Image& picture) {
  const std::uint32_t side = std::min(cube.size(), std::bit_floor(picture.width_texels)), square = cube.size() / side;
  Planes light(side, side, 3);
  const RowReader row = [&](std::uint32_t y, float* out, std::size_t stride) {
    for (std::size_t x = 0, first = std::size_t{y} * picture.width_texels; x < picture.width_texels; ++x)
      for (std::size_t c = 0; c < 3; ++c) out[c * stride + x] = light_at(picture, (first + x) * 4 + c);
  };
  resample(row, picture.width_texels, picture.height_texels, Filter::kBox, Wrap::kClamp, light);
  parallel_for(cube.size(), [&](std::uint32_t y) {
    for (std::uint32_t x = 0; x < cube.size(); ++x)
      for (std::uint32_t c = 0; c < 3; ++c)
        cube.at(face, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y))[c] =
            light.row(c, y / square)[x / square];
  });
}

Image panorama_face(const Image& light, std::uint32_t face, std::uint32_t size) {
  Image out{size, size, PixelType::kF32, 3, {}};
  out.pixels.resize(out.row_bytes() * size);
  parallel_for(size, [&](std::uint32_t y) {
    panorama_row(light, face, size, y, reinterpret_cast<float*>(out.pixels.data() + out.row_bytes() * y));
  });
  return out;
}

Cube panorama_cube(const Image& light, std::uint32_t size) {
  Cube cube(size);
  parallel_for(kFaces * size, [&](std::uint32_t row) {
    panorama_row(light, row / size, size, row % size, cube.at(row / size, 0, static_cast<std::int32_t>(row % size)));
  });
  cube.close_seams();
  return cube;
}

}  // namespace assetc::texture
