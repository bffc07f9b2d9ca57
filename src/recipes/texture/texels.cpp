#include "recipes/texture/texels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "texture/color.hpp"

namespace assetc::recipes {
namespace {

using enum TextureUsage;

// The number of texels that a check samples: all of a small picture, otherwise a grid.
constexpr std::size_t kLooks = 1 << 16;

// Statistics that show how similar the texels are to normals stored as 0 to 1.
struct Likeness {
  std::size_t looked = 0;
  std::size_t unit = 0;     // approximately unit length, and not facing backwards
  std::size_t precise = 0;  // the same, at the precision of an exporter
  bool one_color = true;
  bool one_blue = true;  // with constant blue, the picture may still be a normal map that is read by X and Y alone
  double x = 0, y = 0, z = 0;

  double fraction(std::size_t count) const { return static_cast<double>(count) / static_cast<double>(looked); }
  bool is_normal_map() const {
    return !one_color && fraction(precise) >= 0.9 && std::abs(x) < 0.25 && std::abs(y) < 0.25 && z > 0.6;
  }
  bool is_no_normal_map() const { return !one_blue && fraction(unit) < 0.5; }
};

template <class T>
Likeness likeness_of(const scene::Image& image, double full) {
  Likeness like;
  const std::size_t texels = std::size_t{image.width_texels} * image.height_texels;
  const std::size_t step = std::max<std::size_t>(1, texels / kLooks) | 1;  // odd, so that every column is sampled
  std::array<T, 3> first{};
  for (std::size_t i = 0; i < texels; i += step, ++like.looked) {
    std::array<T, 3> texel;
    for (std::size_t c = 0; c < 3; ++c) texel[c] = load<T>(image.pixels, (i * 4 + c) * sizeof(T));
    if (i == 0) first = texel;
    like.one_color &= texel == first;
    like.one_blue &= texel[2] == first[2];
    const double x = 2 * texel[0] / full - 1, y = 2 * texel[1] / full - 1, z = 2 * texel[2] / full - 1;
    const double length = std::sqrt(x * x + y * y + z * z);
    like.unit += z > -0.1 && std::abs(length - 1) < 0.3;
    like.precise += z > 0 && std::abs(length - 1) < 0.1;
    like.x += x, like.y += y, like.z += z;
  }
  for (double* sum : {&like.x, &like.y, &like.z}) *sum /= static_cast<double>(std::max<std::size_t>(like.looked, 1));
  return like;
}

Likeness likeness_of(const scene::Image& image) {
  switch (image.type) {
    case scene::PixelType::kU8:
      return likeness_of<std::uint8_t>(image, 255);
    case scene::PixelType::kU16:
      return likeness_of<std::uint16_t>(image, 65535);
    case scene::PixelType::kF32:
      return likeness_of<float>(image, 1);
  }
  return {};
}

bool passes_one(const scene::Image& image) {
  if (image.type != scene::PixelType::kF32) return false;
  for (std::size_t i = 0; i < image.pixels.size() / sizeof(float); ++i) {
    if (i % 4 != 3 && load<float>(image.pixels, i * sizeof(float)) > 1.0f) return true;
  }
  return false;
}

// Statistics that show whether texels are colors or numbers. Sums are of integers, so that they are exact.
struct Spread {
  bool is_gray = true;
  std::array<bool, 3> is_constant{true, true, true};
  std::vector<std::uint32_t> colors;  // distinct ones, sorted; no more than kFewColors + 1 of them
  std::int64_t count = 0;
  std::array<std::int64_t, 3> sum{};
  std::array<std::array<std::int64_t, 3>, 3> product{};

  // The correlation of two channels, which are not constant.
  double correlation(std::size_t a, std::size_t b) const {
    const auto covariance = [&](std::size_t i, std::size_t j) {
      return static_cast<double>(product[std::min(i, j)][std::max(i, j)] * count - sum[i] * sum[j]);
    };
    return covariance(a, b) / std::sqrt(covariance(a, a) * covariance(b, b));
  }
};

// A picture with at most this many colors is a map of regions, such as one of materials.
constexpr std::size_t kFewColors = 8;

Spread spread_of(const scene::Image& image) {
  constexpr int kGrayTolerance = 2;  // JPEG moves the channels of gray texels apart
  Spread s;
  const std::size_t texels = std::size_t{image.width_texels} * image.height_texels;
  const std::size_t step = std::max<std::size_t>(1, texels / kLooks) | 1;
  const auto code = [&](std::size_t at) -> int {
    switch (image.type) {
      case scene::PixelType::kU8:
        return std::to_integer<int>(image.pixels[at]);
      case scene::PixelType::kU16:
        return load<std::uint16_t>(image.pixels, at * 2) >> 8;
      case scene::PixelType::kF32:
        return texture::unorm8(load<float>(image.pixels, at * sizeof(float)));
    }
    return 0;
  };
  std::array<int, 3> first{};
  for (std::size_t i = 0; i < texels; i += step, ++s.count) {
    const std::array<int, 3> texel{code(i * 4), code(i * 4 + 1), code(i * 4 + 2)};
    if (i == 0) first = texel;
    const auto [least, most] = std::ranges::minmax(texel);
    s.is_gray &= most - least <= kGrayTolerance;
    for (std::size_t c = 0; c < 3; ++c) {
      s.is_constant[c] &= texel[c] == first[c];
      s.sum[c] += texel[c];
      for (std::size_t d = c; d < 3; ++d) s.product[c][d] += texel[c] * texel[d];
    }
    if (s.colors.size() > kFewColors) continue;
    const auto color = static_cast<std::uint32_t>(texel[0] << 16 | texel[1] << 8 | texel[2]);
    const auto at = std::ranges::lower_bound(s.colors, color);
    if (at == s.colors.end() || *at != color) s.colors.insert(at, color);
  }
  return s;
}

// The property that numbers have and colors rarely do; empty if there is none.
std::string_view property_of_data(const scene::Image& image) {
  const Spread s = spread_of(image);
  if (s.colors.size() <= 1) return {};  // says nothing
  if (s.is_gray) return "all are gray";
  if (s.colors.size() <= kFewColors) return "they have few colors";
  // The channels of colors rise and fall together: they are brighter and darker shades.
  constexpr double kShades = 0.3;
  std::size_t varying = 0;
  double most = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (s.is_constant[a]) continue;
    ++varying;
    for (std::size_t b = a + 1; b < 3; ++b) {
      if (!s.is_constant[b]) most = std::max(most, std::abs(s.correlation(a, b)));
    }
  }
  if (varying == 1) return "one channel alone varies";
  return most < kShades ? "the channels vary independently" : "";
}

}  // namespace

void check_texels(const scene::Image& image, TextureUsage mode, std::vector<Diagnostic>& diagnostics) {
  const auto warn = [&](WarningKind kind, std::string what, std::string hint) {
    diagnostics.push_back(warning(kind, ErrorCode::kConflict, "", std::move(what), std::move(hint)));
  };
  if (mode == kColor || mode == kOrm) {
    if (likeness_of(image).is_normal_map()) {
      warn(WarningKind::kUnlikelyUsage,
           "its texels are those of a normal map, but it is compiled as " + std::string(to_string(mode)),
           "use it as a normal map, set texture.usage: normal in a rule for it, or end its name with _normal");
    }
  }
  if (mode == kNormal) {
    if (const Likeness like = likeness_of(image); like.is_no_normal_map()) {
      warn(WarningKind::kUnlikelyUsage,
           "compiled as a normal map, but only " + std::to_string(static_cast<int>(100 * like.fraction(like.unit))) +
               " % of its texels are of about unit length",
           "if it is not a normal map, set texture.usage: color (or its actual use) in a rule for it, or rename it");
    }
  }
  if (mode == kColor && passes_one(image))
    warn(WarningKind::kClippedValues, "values above 1 (white) are clipped, because the picture is compiled as color",
         "set texture.usage: hdr to keep them");
}

void check_noun(const scene::Image& image, const Params& params, std::vector<Diagnostic>& diagnostics) {
  const auto noun = params.find(kNounParam);
  if (noun == params.end()) return;
  const std::string_view property = property_of_data(image);
  if (property.empty()) return;
  diagnostics.push_back(
      warning(WarningKind::kUnlikelyUsage, ErrorCode::kConflict, "",
              "its name ends with \"" + noun->second + "\", and its texels look like data: " + std::string(property) +
                  "; it is compiled as color, because no color or normal map of the same name is beside it",
              "set texture.usage: linear (or gray) in a rule for it, or texture.usage: color if it is one"));
}

}  // namespace assetc::recipes
