#include "optimize/webp_step.hpp"

#include <charconv>
#include <string>
#include <string_view>

#include "convert/step.hpp"
#include "export/webp.hpp"
#include "recipes/texture/picture.hpp"
#include "texture/graphics.hpp"
#include "texture/mips.hpp"

namespace assetc::optimize {
namespace {

using scene::TextureUsage;

// Raise this if the bytes of a file change, and no library's version.
constexpr std::uint32_t kWebpVersion = 1;
constexpr std::string_view kQuality = "quality", kAlphaCutoff = "alpha_cutoff";
constexpr std::string_view kSettings[] = {"texture"};

float alpha_cutoff_of(const recipes::Params& params) {
  float cutoff = 0;
  if (const auto at = params.find(kAlphaCutoff); at != params.end())
    std::from_chars(at->second.data(), at->second.data() + at->second.size(), cutoff);
  return cutoff;
}

Result<recipes::Product> encode_webp(const recipes::Step& step, recipes::Inputs&) {
  const TextureUsage usage = recipes::mode_in(step.params);
  const bool is_color = usage == TextureUsage::kColor;
  recipes::Product product;
  ASSETC_TRY(scene::Image source, recipes::decode_for_picture(step.inline_input, is_color, product.diagnostics));
  texture::MipOptions options;
  options.kind = is_color                         ? texture::TexelKind::kColor
                 : usage == TextureUsage::kNormal ? texture::TexelKind::kNormal
                                                  : texture::TexelKind::kLinear;
  options.normal_z = options.normal_data = true;
  options.filter = step.settings.texture.mip_filter;
  options.wrap = step.settings.texture.wrap;
  options.all_levels = false;
  options.max_size_texels = step.settings.texture.max_size_texels;
  options.alpha_cutoff = alpha_cutoff_of(step.params);
  // Hard edges, which lossy WebP blurs.
  const bool is_graphics = texture::look_at(source, options.kind).is_at_any_size;
  const texture::MipChain chain(std::move(source), options);
  const auto [width, height] = chain.extent();
  scene::Image made;
  made.width_texels = width, made.height_texels = height;
  made.pixels.resize(made.row_bytes() * height);
  chain.read_rgba8(0, height, made.pixels);
  const std::uint32_t quality = convert::number_of(step.params, kQuality);
  ASSETC_TRY(ByteVector file, exporter::write_webp(made, {.quality = quality, .keeps_transparent = !is_color}));
  if (quality < 100 && is_graphics) {
    ASSETC_TRY(ByteVector lossless, exporter::write_webp(made, {.quality = 100, .keeps_transparent = true}));
    if (lossless.size() <= file.size()) file = std::move(lossless);
  }
  product.outputs.push_back({".webp", Bytes(std::move(file)), {}});
  return product;
}

}  // namespace

constinit const recipes::Recipe kWebpRecipe{.name = "webp",
                                            .version = kWebpVersion,
                                            .claims = {},
                                            .setting_groups = kSettings,
                                            .stem_matters = false,
                                            .cook = encode_webp,
                                            .estimate_peak_bytes = convert::estimate_no_bytes,
                                            .libraries = convert::conversion_libraries};

void set_webp_quality(recipes::Step& step, std::uint32_t quality) {
  convert::put_number(step.params, kQuality, quality);
}

}  // namespace assetc::optimize
