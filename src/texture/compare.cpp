#include "texture/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;

// Channel values on a scale of 0 to 1; float values unchanged.
std::vector<float> to_floats(const Image& image) {
  const std::size_t count = std::size_t{image.width_texels} * image.height_texels * 4;
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (image.type) {
      case PixelType::kU8:
        out[i] = static_cast<float>(std::to_integer<int>(image.pixels[i])) / 255.0f;
        break;
      case PixelType::kU16:
        out[i] = static_cast<float>(load<std::uint16_t>(image.pixels, i * 2)) / 65535.0f;
        break;
      case PixelType::kF32:
        out[i] = load<float>(image.pixels, i * 4);
        break;
    }
  }
  return out;
}

Result<void> check_comparable(const Image& a, const Image& b) {
  const auto size = [](const Image& i) {
    return std::to_string(i.width_texels) + "x" + std::to_string(i.height_texels);
  };
  if (a.width_texels != b.width_texels || a.height_texels != b.height_texels) {
    return fail(ErrorCode::kInvalidData, "pictures of " + size(a) + " and " + size(b) + " texels cannot be compared",
                "compare pictures of the same size");
  }
  if ((a.type == PixelType::kF32) != (b.type == PixelType::kF32)) {
    return fail(ErrorCode::kUnsupported, "a float picture cannot be compared with an integer one",
                "convert one of them");
  }
  return {};
}

double to_decibels(double squared_sum, double count, double peak) {
  if (squared_sum == 0) return std::numeric_limits<double>::infinity();
  return 10.0 * std::log10(peak * peak * count / squared_sum);
}

std::array<double, 3> unit_vector(const float* texel) {
  double x = texel[0] * 2.0 - 1.0, y = texel[1] * 2.0 - 1.0;
  const double planar = x * x + y * y;
  if (planar <= 1.0) return {x, y, std::sqrt(1.0 - planar)};
  const double length = std::sqrt(planar);
  return {x / length, y / length, 0.0};
}

double angle_degrees(const float* a, const float* b) {
  const auto u = unit_vector(a), v = unit_vector(b);
  // atan2 of cross and dot is accurate for small angles; acos is not.
  const double dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const double cx = u[1] * v[2] - u[2] * v[1], cy = u[2] * v[0] - u[0] * v[2], cz = u[0] * v[1] - u[1] * v[0];
  return std::atan2(std::sqrt(cx * cx + cy * cy + cz * cz), dot) * 180.0 / std::numbers::pi;
}

// Convolves with the window in both directions. At the edges, the window is cut off and its weights are rescaled.
class GaussianWindow {
 public:
  GaussianWindow() {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const double x = static_cast<double>(i) - kRadius;
      weights_[i] = std::exp(-x * x / (2.0 * kSigma * kSigma));
    }
  }

  void blur(std::vector<double>& plane, std::size_t width, std::size_t height) const {
    std::vector<double> across(plane.size());
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) across[y * width + x] = sum(plane.data() + y * width, x, width, 1);
    }
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) plane[y * width + x] = sum(across.data() + x, y, height, width);
    }
  }

 private:
  static constexpr int kRadius = 5;
  static constexpr double kSigma = 1.5;

  double sum(const double* line, std::size_t at, std::size_t size, std::size_t stride) const {
    const auto i = static_cast<std::ptrdiff_t>(at), end = static_cast<std::ptrdiff_t>(size);
    double total = 0, weight = 0;
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, i - kRadius);
         k <= std::min<std::ptrdiff_t>(end - 1, i + kRadius); ++k) {
      const double w = weights_[static_cast<std::size_t>(k - i + kRadius)];
      total += w * line[static_cast<std::size_t>(k) * stride];
      weight += w;
    }
    return total / weight;
  }

  std::array<double, 2 * kRadius + 1> weights_{};
};

double structural_similarity(const std::vector<float>& a, const std::vector<float>& b, std::size_t width,
                             std::size_t height, double peak) {
  const std::size_t count = width * height;
  std::vector<double> mean_a(count), mean_b(count), aa(count), bb(count), ab(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto luma = [i](const std::vector<float>& v) {
      return 0.299 * v[i * 4] + 0.587 * v[i * 4 + 1] + 0.114 * v[i * 4 + 2];
    };
    mean_a[i] = luma(a);
    mean_b[i] = luma(b);
    aa[i] = mean_a[i] * mean_a[i];
    bb[i] = mean_b[i] * mean_b[i];
    ab[i] = mean_a[i] * mean_b[i];
  }
  const GaussianWindow window;
  for (auto* plane : {&mean_a, &mean_b, &aa, &bb, &ab}) window.blur(*plane, width, height);
  const double c1 = 0.01 * 0.01 * peak * peak, c2 = 0.03 * 0.03 * peak * peak;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double ma = mean_a[i], mb = mean_b[i];
    const double variances = (aa[i] - ma * ma) + (bb[i] - mb * mb);
    sum += (2 * ma * mb + c1) * (2 * (ab[i] - ma * mb) + c2) / ((ma * ma + mb * mb + c1) * (variances + c2));
  }
  return sum / static_cast<double>(count);
}

// The number of channels whose difference a heat map shows.
std::size_t channel_count(TexelKind kind) { return kind == TexelKind::kGray ? 1 : kind == TexelKind::kNormal ? 2 : 4; }

}  // namespace

Result<Difference> compare_images(const Image& reference, const Image& other) {
  ASSETC_CHECK(check_comparable(reference, other));
  const std::vector<float> a = to_floats(reference), b = to_floats(other);
  const std::size_t texel_count = a.size() / 4;
  const auto texels = static_cast<double>(texel_count);
  double peak = 1.0;
  if (reference.type == PixelType::kF32) peak = std::max(1e-30, static_cast<double>(*std::ranges::max_element(a)));

  Difference d;
  std::array<double, 4> squared{};
  double angle_sum = 0;
  for (std::size_t i = 0; i < a.size(); i += 4) {
    for (std::size_t c = 0; c < 4; ++c) {
      const double difference = static_cast<double>(a[i + c]) - static_cast<double>(b[i + c]);
      squared[c] += difference * difference;
      d.max_difference = std::max(d.max_difference, std::abs(difference));
    }
    const double angle = angle_degrees(&a[i], &b[i]);
    angle_sum += angle;
    d.max_angle_degrees = std::max(d.max_angle_degrees, angle);
  }
  d.mean_angle_degrees = angle_sum / texels;
  d.psnr_rgb = to_decibels(squared[0] + squared[1] + squared[2], 3 * texels, peak);
  for (std::size_t c = 0; c < 4; ++c) d.psnr_channel[c] = to_decibels(squared[c], texels, peak);
  d.ssim = structural_similarity(a, b, reference.width_texels, reference.height_texels, peak);
  return d;
}

Result<Image> heat_map(const Image& reference, const Image& other, TexelKind kind) {
  ASSETC_CHECK(check_comparable(reference, other));
  constexpr float kFullScale = 8.0f;  // a difference of 1/8 is white
  constexpr std::array<std::array<float, 3>, 6> kRamp{
      {{0, 0, 0}, {30, 30, 160}, {170, 30, 140}, {240, 120, 30}, {250, 220, 60}, {255, 255, 255}}};
  const std::vector<float> a = to_floats(reference), b = to_floats(other);
  Image map{reference.width_texels, reference.height_texels, PixelType::kU8, 3, ByteVector(a.size())};
  for (std::size_t i = 0; i < a.size(); i += 4) {
    float most = 0;
    for (std::size_t c = 0; c < channel_count(kind); ++c) most = std::max(most, std::abs(a[i + c] - b[i + c]));
    const float along = std::min(most * kFullScale, 1.0f) * static_cast<float>(kRamp.size() - 1);
    const std::size_t step = std::min(static_cast<std::size_t>(along), kRamp.size() - 2);
    const float part = along - static_cast<float>(step);
    for (std::size_t c = 0; c < 3; ++c) {
      map.pixels[i + c] = static_cast<std::byte>(
          static_cast<int>(kRamp[step][c] + (kRamp[step + 1][c] - kRamp[step][c]) * part + 0.5f));
    }
    map.pixels[i + 3] = std::byte{255};
  }
  return map;
}

}  // namespace assetc::texture
