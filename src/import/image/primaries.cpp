#include "import/image/primaries.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "text/format.hpp"
#include "texture/color.hpp"

namespace assetc::importer {
namespace {

struct Row {
  std::uint32_t code;  // of H.273; 0: none
  const char* name;
  Primaries primaries;
};
constexpr Chromaticity kD65{0.3127, 0.3290}, kAcesWhite{0.32168, 0.33767};
constexpr Row kRows[] = {
    {1, "BT.709", kBt709},
    {4, "BT.470 M", {{0.67, 0.33}, {0.21, 0.71}, {0.14, 0.08}, {0.310, 0.316}}},
    {5, "BT.601 625", {{0.64, 0.33}, {0.29, 0.60}, {0.15, 0.06}, kD65}},
    {6, "BT.601 525", {{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, kD65}},
    {7, "SMPTE 240M", {{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, kD65}},
    {8, "film", {{0.681, 0.319}, {0.243, 0.692}, {0.145, 0.049}, {0.310, 0.316}}},
    {9, "BT.2020", {{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, kD65}},
    {11, "DCI P3", {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.314, 0.351}}},
    {12, "Display P3", {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, kD65}},
    {22, "EBU 3213", {{0.630, 0.340}, {0.295, 0.605}, {0.155, 0.077}, kD65}},
    {0, "ACES AP0", {{0.7347, 0.2653}, {0.0, 1.0}, {0.0001, -0.077}, kAcesWhite}},
    {0, "ACES AP1", {{0.713, 0.293}, {0.165, 0.830}, {0.128, 0.044}, kAcesWhite}},
    {0, "Adobe RGB", {{0.64, 0.33}, {0.21, 0.71}, {0.15, 0.06}, kD65}},
};

bool are_near(const Primaries& a, const Primaries& b, double tolerance) {
  const auto near = [&](const Chromaticity& p, const Chromaticity& q) {
    return std::abs(p.x - q.x) <= tolerance && std::abs(p.y - q.y) <= tolerance;
  };
  return near(a.red, b.red) && near(a.green, b.green) && near(a.blue, b.blue) && near(a.white, b.white);
}

using Vector = std::array<double, 3>;

ColorMatrix product(const ColorMatrix& a, const ColorMatrix& b) {
  ColorMatrix out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) out[i * 3 + j] += a[i * 3 + k] * b[k * 3 + j];
    }
  }
  return out;
}
Vector product(const ColorMatrix& m, const Vector& v) {
  Vector out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i * 3] * v[0] + m[i * 3 + 1] * v[1] + m[i * 3 + 2] * v[2];
  return out;
}

std::optional<ColorMatrix> inverse(const ColorMatrix& m) {
  const auto minor = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    return m[a] * m[d] - m[b] * m[c];
  };
  const double determinant = m[0] * minor(4, 5, 7, 8) - m[1] * minor(3, 5, 6, 8) + m[2] * minor(3, 4, 6, 7);
  constexpr double kLeast = 1e-6;
  if (!std::isfinite(determinant) || std::abs(determinant) < kLeast) return std::nullopt;
  ColorMatrix out{minor(4, 5, 7, 8), minor(2, 1, 8, 7), minor(1, 2, 4, 5), minor(5, 3, 8, 6), minor(0, 2, 6, 8),
                  minor(2, 0, 5, 3), minor(3, 4, 6, 7), minor(1, 0, 7, 6), minor(0, 1, 3, 4)};
  for (double& value : out) value /= determinant;
  return out;
}

std::optional<Vector> xyz_of(const Chromaticity& c) {
  constexpr double kLeast = 1e-4, kMost = 10;
  if (!std::isfinite(c.x) || !std::isfinite(c.y) || std::abs(c.y) < kLeast || std::abs(c.x) > kMost ||
      std::abs(c.y) > kMost)
    return std::nullopt;
  return Vector{c.x / c.y, 1.0, (1.0 - c.x - c.y) / c.y};
}

std::optional<ColorMatrix> matrix_to_xyz(const Primaries& p) {
  const auto red = xyz_of(p.red), green = xyz_of(p.green), blue = xyz_of(p.blue), white = xyz_of(p.white);
  if (!red || !green || !blue || !white || p.white.y < 0) return std::nullopt;
  ColorMatrix columns{};
  for (std::size_t i = 0; i < 3; ++i) {
    columns[i * 3] = (*red)[i];
    columns[i * 3 + 1] = (*green)[i];
    columns[i * 3 + 2] = (*blue)[i];
  }
  const auto back = inverse(columns);
  if (!back) return std::nullopt;
  const Vector scale = product(*back, *white);
  for (std::size_t i = 0; i < 9; ++i) columns[i] *= scale[i % 3];
  return columns;
}

constexpr ColorMatrix kBradford{0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296};

// The code of 16 bits whose linear light is nearest.
std::uint16_t srgb16_of(double linear) {
  static const std::span<const float, 65536> table = texture::srgb16_to_linear();
  const auto value = static_cast<float>(linear);
  const auto above = std::ranges::lower_bound(table, value);
  if (above == table.begin()) return 0;
  if (above == table.end()) return 65535;
  const bool below = value - *(above - 1) < *above - value;
  return static_cast<std::uint16_t>(above - table.begin() - (below ? 1 : 0));
}

}  // namespace

std::optional<Primaries> primaries_of_code(std::uint32_t code) {
  const Row* row = std::ranges::find(kRows, code, &Row::code);
  return code == 0 || row == std::end(kRows) ? std::nullopt : std::optional(row->primaries);
}

std::string name_of(const Primaries& p) {
  for (const Row& row : kRows) {
    constexpr double kRounding = 0.001;
    if (are_near(p, row.primaries, kRounding)) return row.name;
  }
  return formatted("red {:.4g} {:.4g}, green {:.4g} {:.4g}, blue {:.4g} {:.4g}, white {:.4g} {:.4g}", p.red.x, p.red.y,
                   p.green.x, p.green.y, p.blue.x, p.blue.y, p.white.x, p.white.y);
}

bool are_bt709(const Primaries& primaries) {
  constexpr double kTolerance = 0.004;
  return are_near(primaries, kBt709, kTolerance);
}

std::optional<ColorMatrix> matrix_to_bt709(const Primaries& primaries) {
  const auto to_xyz = matrix_to_xyz(primaries), bt709_to_xyz = matrix_to_xyz(kBt709);
  const auto bradford_inverse = inverse(kBradford);
  if (!to_xyz || !bt709_to_xyz || !bradford_inverse) return std::nullopt;
  const Vector from = product(kBradford, *xyz_of(primaries.white)), to = product(kBradford, *xyz_of(kBt709.white));
  ColorMatrix scale{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(from[i] > 0)) return std::nullopt;
    scale[i * 4] = to[i] / from[i];
  }
  const ColorMatrix adaptation = product(*bradford_inverse, product(scale, kBradford));
  return product(*inverse(*bt709_to_xyz), product(adaptation, *to_xyz));
}

std::uint64_t convert_to_bt709(scene::Image& image, const ColorMatrix& matrix) {
  using scene::PixelType;
  const std::size_t texels = std::size_t{image.width_texels} * image.height_texels;
  const std::size_t bytes = scene::channel_bytes(image.type);
  std::uint64_t clipped = 0;
  for (std::size_t t = 0; t < texels; ++t) {
    std::byte* const at = image.pixels.data() + t * 4 * bytes;
    Vector light;
    for (std::size_t c = 0; c < 3; ++c) {
      const ByteSpan channel(at + c * bytes, bytes);
      light[c] = image.type == PixelType::kU8    ? texture::srgb8_to_linear()[std::to_integer<std::size_t>(channel[0])]
                 : image.type == PixelType::kU16 ? texture::srgb16_to_linear()[load<std::uint16_t>(channel)]
                                                 : load<float>(channel);
    }
    const Vector converted = product(matrix, light);
    if (image.type == PixelType::kF32) {
      for (std::size_t c = 0; c < 3; ++c) {
        const auto value = static_cast<float>(converted[c]);
        std::memcpy(at + c * bytes, &value, bytes);
      }
      continue;
    }
    constexpr double kRounding = 0.002;
    clipped += std::ranges::any_of(converted, [](double v) { return v < -kRounding || v > 1 + kRounding; });
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint16_t code = image.type == PixelType::kU8
                                     ? texture::linear_to_srgb8(static_cast<float>(converted[c]))
                                     : srgb16_of(converted[c]);
      std::memcpy(at + c * bytes, &code, bytes);  // little-endian, as pixels are
    }
  }
  return clipped;
}

}  // namespace assetc::importer
