// *.lut.cube: a color grade, compiled to a 3D texture.
#include <algorithm>
#include <array>

#include "base/plural.hpp"
#include "import/cube_lut.hpp"
#include "recipes/texture/picture.hpp"
#include "texture/color.hpp"
#include "texture/libraries.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kLutClaims{Claim{.suffix = ".lut.cube", .strip = ".cube"}};
constexpr std::array<std::string_view, 1> kLutGroups{"texture"};

using importer::CubeLut;

// The table's color for an input color: linear interpolation between samples, constant outside its domain.
std::array<float, 3> look_up(const CubeLut& lut, const std::array<float, 3>& input) {
  std::array<std::size_t, 3> cell{};
  std::array<float, 3> part{};
  for (std::size_t c = 0; c < 3; ++c) {
    const float last = static_cast<float>(lut.size - 1);
    const float along =
        std::clamp((input[c] - lut.domain_min[c]) / (lut.domain_max[c] - lut.domain_min[c]) * last, 0.0f, last);
    cell[c] = std::min(static_cast<std::size_t>(along), std::size_t{lut.size} - 2);
    part[c] = along - static_cast<float>(cell[c]);
  }
  std::array<float, 3> color{};
  for (std::size_t corner = 0; corner < 8; ++corner) {
    float weight = 1;
    std::size_t index = 0, stride = 1;
    for (std::size_t c = 0; c < 3; ++c, stride *= lut.size) {
      const bool high = corner >> c & 1;
      weight *= high ? part[c] : 1.0f - part[c];
      index += (cell[c] + high) * stride;
    }
    if (weight == 0.0f) continue;
    for (std::size_t c = 0; c < 3; ++c) color[c] += weight * lut.values[index * 3 + c];
  }
  return color;
}

// The same grade sampled over 0 to 1, the range that an engine looks up.
CubeLut over_unit_domain(const CubeLut& lut) {
  CubeLut out;
  out.size = lut.size;
  out.values.reserve(lut.values.size());
  const float last = static_cast<float>(lut.size - 1);
  for (std::uint32_t b = 0; b < lut.size; ++b) {
    for (std::uint32_t g = 0; g < lut.size; ++g) {
      for (std::uint32_t r = 0; r < lut.size; ++r) {
        const auto color =
            look_up(lut, {static_cast<float>(r) / last, static_cast<float>(g) / last, static_cast<float>(b) / last});
        out.values.insert(out.values.end(), color.begin(), color.end());
      }
    }
  }
  return out;
}

Result<Product> cook_lut(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const Bytes bytes, step.input(inputs));
  ASSETC_TRY(CubeLut lut, importer::parse_cube_lut(bytes));
  Product product;
  for (Error& note : lut.notes) product.diagnostics.push_back({WarningKind::kUnknownKeyword, std::move(note)});

  if (lut.domain_min != std::array<float, 3>{0, 0, 0} || lut.domain_max != std::array<float, 3>{1, 1, 1}) {
    if (std::ranges::max(lut.domain_max) > 1.0f || std::ranges::min(lut.domain_min) < 0.0f) {
      product.diagnostics.push_back(warning(WarningKind::kClippedValues, ErrorCode::kUnsupported, "DOMAIN_MAX",
                                            "the table covers colors outside 0 to 1; only that range is kept",
                                            "apply the grade after tone mapping"));
    }
    lut = over_unit_domain(lut);
  }

  ByteVector texels;
  texels.reserve(lut.values.size() / 3 * 4);
  std::size_t clamped_count = 0;
  for (std::size_t i = 0; i < lut.values.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) {
      const float value = lut.values[i + c];
      clamped_count += value < 0.0f || value > 1.0f;
      texels.push_back(static_cast<std::byte>(texture::unorm8(value)));
    }
    texels.push_back(std::byte{255});
  }
  if (clamped_count != 0) {
    product.diagnostics.push_back(warning(
        WarningKind::kClippedValues, ErrorCode::kUnsupported, "",
        plural(clamped_count, "value") +
            (clamped_count == 1 ? " lies outside 0 to 1 and is clamped" : " lie outside 0 to 1 and are clamped"),
        "export the grade for display-referred color"));
  }

  texture::EncodedTexture texture;
  texture.format = TexelFormat::kRgba8;
  texture.width_texels = texture.height_texels = texture.depth_texels = lut.size;
  texture.zstd_level = texture::zstd_level_of(texture.format, step.settings.texture.zstd_level);
  ASSETC_CHECK(texture.add_level(std::move(texels)));
  ASSETC_CHECK(add_texture(texture, step, product, {}, AssetKind::kLut));
  return product;
}

// A sample takes at least six characters of text, twelve bytes as floats (twice if the domain changes), and four bytes
// each as a texel, compressed and in the file. The total is never more than eight times the text.
std::uint64_t lut_peak_bytes(const Step& step, Inputs& inputs) {
  const auto bytes = step.head(inputs, 0);
  return bytes ? 8 * bytes->size() : 0;
}

}  // namespace

extern const Recipe kLutRecipe;
constinit const Recipe kLutRecipe{
    .name = "lut",
    .version = 2,
    .claims = kLutClaims,
    .setting_groups = kLutGroups,
    .stem_matters = false,
    .cook = cook_lut,
    .estimate_peak_bytes = lut_peak_bytes,
    .libraries = texture::libraries,
};

}  // namespace assetc::recipes
