// *.env.<picture>: a panorama, as the three cubemaps of image-based lighting.
#include "texture/environment.hpp"

#include <array>

#include "recipes/picture.hpp"

namespace assetc::recipes {
namespace {

// The stem keeps ".env": sky.env.hdr becomes sky.env.ktx2, as the folder sky.env/ does.
constexpr std::array kClaims{
    Claim{".env.hdr", false, ".hdr", "", "hdr"},     Claim{".env.exr", false, ".exr", "", "hdr"},
    Claim{".env.png", false, ".png", "", "color"},   Claim{".env.jpg", false, ".jpg", "", "color"},
    Claim{".env.jpeg", false, ".jpeg", "", "color"}, Claim{".env.webp", false, ".webp", "", "color"},
    Claim{".env.tga", false, ".tga", "", "color"},   Claim{".env.bmp", false, ".bmp", "", "color"},
};
constexpr std::array<std::string_view, 2> kGroups{"texture", "environment"};

Result<texture::EnvironmentOptions> environment_options(const Step& step) {
  texture::EnvironmentOptions options;
  ASSETC_TRY(options.compile, compile_options(step));
  const EnvironmentSettings& settings = step.settings.environment;
  options.size_texels = settings.size_texels;
  options.specular_texels = settings.specular_size_texels;
  options.irradiance_texels = settings.irradiance_size_texels;
  options.sample_count = settings.samples;
  return options;
}

Result<Product> cook(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const texture::EnvironmentOptions options, environment_options(step));
  Product product;
  ASSETC_TRY(Bytes bytes, step.input(inputs));
  ASSETC_TRY(scene::Image panorama, decode_picture(bytes, options.compile, product.diagnostics));
  bytes = {};  // not needed while the texels are worked on
  ASSETC_TRY(texture::EnvironmentFiles files, texture::compile_environment(std::move(panorama), options));
  product.outputs.push_back(texture_output(Bytes(std::move(files.environment))));
  if (!files.specular.empty())
    product.outputs.push_back({".specular.ktx2", Bytes(std::move(files.specular)), AssetKind::kTexture, false});
  if (!files.irradiance.empty())
    product.outputs.push_back({".irradiance.ktx2", Bytes(std::move(files.irradiance)), AssetKind::kTexture, false});
  return product;
}

std::uint64_t estimate_peak_bytes(const Step& step, Inputs& inputs) {
  const auto bytes = step.input(inputs);
  const auto options = environment_options(step);
  if (!bytes || !options) return 0;
  const auto info = importer::read_image_info(*bytes);
  if (!info) return picture_peak_bytes(*bytes, {}, options->compile);
  return bytes->size() + info->scratch_bytes +
         texture::environment_peak_bytes({info->width_texels, info->height_texels}, info->type, *options);
}

}  // namespace

extern const Recipe kEnvironmentRecipe;
constinit const Recipe kEnvironmentRecipe{
    .name = "environment",
    .version = 2,
    .claims = kClaims,
    .setting_groups = kGroups,
    .stem_matters = false,
    .cook = cook,
    .estimate_peak_bytes = estimate_peak_bytes,
};

}  // namespace assetc::recipes
