// Pictures on their own, and those that other recipes hand on (a glTF's images).
#include <array>

#include "base/ascii.hpp"
#include "recipes/ktx2_source.hpp"
#include "recipes/picture.hpp"
#include "recipes/usage.hpp"

namespace assetc::recipes {

extern const Recipe kTextureRecipe;

namespace {

// Of ".png": color under any name, and the manual's suffixes for data.
constexpr std::array kClaims{
    Claim{".png", false, ".png", "", "color"},      Claim{".n.png", false, ".png", "", "normal"},
    Claim{".ao.png", false, ".png", "", "gray"},    Claim{".h.png", false, ".png", "", "gray"},
    Claim{".r.png", false, ".png", "", "gray"},     Claim{".jpg", false, ".jpg", "", "color"},
    Claim{".n.jpg", false, ".jpg", "", "normal"},   Claim{".ao.jpg", false, ".jpg", "", "gray"},
    Claim{".h.jpg", false, ".jpg", "", "gray"},     Claim{".r.jpg", false, ".jpg", "", "gray"},
    Claim{".jpeg", false, ".jpeg", "", "color"},    Claim{".n.jpeg", false, ".jpeg", "", "normal"},
    Claim{".ao.jpeg", false, ".jpeg", "", "gray"},  Claim{".h.jpeg", false, ".jpeg", "", "gray"},
    Claim{".r.jpeg", false, ".jpeg", "", "gray"},   Claim{".webp", false, ".webp", "", "color"},
    Claim{".n.webp", false, ".webp", "", "normal"}, Claim{".ao.webp", false, ".webp", "", "gray"},
    Claim{".h.webp", false, ".webp", "", "gray"},   Claim{".r.webp", false, ".webp", "", "gray"},
    Claim{".tga", false, ".tga", "", "color"},      Claim{".n.tga", false, ".tga", "", "normal"},
    Claim{".ao.tga", false, ".tga", "", "gray"},    Claim{".h.tga", false, ".tga", "", "gray"},
    Claim{".r.tga", false, ".tga", "", "gray"},     Claim{".bmp", false, ".bmp", "", "color"},
    Claim{".n.bmp", false, ".bmp", "", "normal"},   Claim{".ao.bmp", false, ".bmp", "", "gray"},
    Claim{".h.bmp", false, ".bmp", "", "gray"},     Claim{".r.bmp", false, ".bmp", "", "gray"},
    Claim{".hdr", false, ".hdr", "", "hdr"},        Claim{".exr", false, ".exr", "", "hdr"},
    Claim{".n.exr", false, ".exr", "", "normal"},   Claim{".ao.exr", false, ".exr", "", "gray"},
    Claim{".h.exr", false, ".exr", "", "gray"},     Claim{".r.exr", false, ".exr", "", "gray"},
    Claim{".ktx2", false, ".ktx2", "", kKtx2Mode},
};
constexpr std::array<std::string_view, 1> kGroups{"texture"};

Result<Product> cook(const Step& step, Inputs& inputs) {
  ASSETC_TRY(Bytes bytes, step.input(inputs));
  if (is_ktx2(bytes)) return cook_ktx2(step, bytes);
  ASSETC_TRY(const texture::CompileOptions options, compile_options(step));
  Product product;
  const texture::ImageSource source = [&](std::uint32_t) {
    auto image = decode_picture(bytes, options, product.diagnostics);
    bytes = {};  // not needed while the texels are worked on
    if (image) check_texels(*image, mode_of(step), product.diagnostics);
    return image;
  };
  ASSETC_TRY(const texture::EncodedTexture texture, texture::compile_texture(source, {}, options));
  ASSETC_CHECK(add_texture(texture, step, product));
  return product;
}

std::uint64_t estimate_peak_bytes(const Step& step, Inputs& inputs) {
  const auto bytes = picture_head([&](std::size_t size) { return step.head(inputs, size); });
  if (!bytes) return 0;
  if (is_ktx2(*bytes)) return ktx2_peak_bytes(step, *bytes);
  const auto options = compile_options(step);
  return options ? picture_peak_bytes(*bytes, {}, *options) : bytes->size();
}

// Of a texel with its mips, measured on photographs.
std::uint64_t ns_per_texel(const TextureSettings& settings) {
  const auto by_effort = [&](std::uint64_t fast, std::uint64_t normal, std::uint64_t best) {
    return settings.quality == codec::Effort::kFast ? fast : settings.quality == codec::Effort::kBest ? best : normal;
  };
  switch (settings.format) {
    case texture::TargetFormat::kAstc4x4:
    case texture::TargetFormat::kAstc6x6:
    case texture::TargetFormat::kAstc8x8:
      return by_effort(1200, 3000, 7000);
    case texture::TargetFormat::kEtc2:
      return 600;
    case texture::TargetFormat::kRgba8:
    case texture::TargetFormat::kRgba16f:
      return 130;
    default:
      return by_effort(110, 170, 500) + (settings.rdo > 0 ? 700 : 0);
  }
}

std::uint64_t estimate_ns(std::string_view path, std::uint64_t input_bytes, const Settings& settings) {
  if (ends_with_ignoring_case(path, ".ktx2")) return input_bytes * kUsualNsPerByte;
  const auto has = [&](std::string_view suffix) { return ends_with_ignoring_case(path, suffix); };
  const bool is_lossy = has(".jpg") || has(".jpeg") || has(".webp");
  const bool is_plain = has(".tga") || has(".bmp") || has(".hdr") || has(".exr");
  const std::uint64_t texels = is_lossy ? input_bytes * 4 : is_plain ? input_bytes / 4 : input_bytes * 2 / 3;
  return texels * ns_per_texel(settings.texture);
}

}  // namespace

constinit const Recipe kTextureRecipe{
    .name = "texture",
    .version = 10,
    .claims = kClaims,
    .setting_groups = kGroups,
    .stem_matters = false,
    .cook = cook,
    .estimate_peak_bytes = estimate_peak_bytes,
    .libraries = picture_libraries,
    .mode_of = picture_mode,
    .overruled = overruled_usage,
    .stands_alone = [](const Settings& settings) { return settings.texture.standalone; },
    .estimate_ns = estimate_ns,
};

}  // namespace assetc::recipes
