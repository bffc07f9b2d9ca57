// *.array/ folders: the pictures in the folder, in name order, become the layers of one texture.
#include <algorithm>
#include <array>
#include <string>

#include "assetc/formats/ktx2.hpp"
#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "recipes/texture/picture.hpp"
#include "recipes/texture/usage.hpp"
#include "texture/graphics.hpp"

namespace assetc::recipes {
namespace {

using enum scene::TextureUsage;

constexpr std::array kArrayClaims{
    Claim{".array", true, ".array", ".arr", kColor},   Claim{".n.array", true, ".array", ".arr", kNormal},
    Claim{".ao.array", true, ".array", ".arr", kGray}, Claim{".h.array", true, ".array", ".arr", kGray},
    Claim{".r.array", true, ".array", ".arr", kGray},
};
constexpr std::array<std::string_view, 1> kArrayGroups{"texture"};

// Whether b comes before a if runs of digits compare as numbers, as a person would sort them.
bool numbers_disagree(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  while (i > 0 && is_digit(a[i - 1])) --i;
  const auto digits = [i](std::string_view s) {
    std::size_t end = i;
    while (end < s.size() && is_digit(s[end])) ++end;
    return end - i;
  };
  return digits(a) > 0 && digits(b) > 0 && digits(a) > digits(b) && a[i] != '0';
}

Result<std::vector<std::string>> find_layers(const Step& step, Inputs& inputs, std::vector<Diagnostic>& diagnostics) {
  ASSETC_TRY(std::vector<std::string> names, inputs.list(step.input_path));
  std::erase_if(names, [&](const std::string& name) {
    if (has_picture_extension(name)) return false;
    if (!name.starts_with('.')) {
      diagnostics.push_back(warning(WarningKind::kIgnoredFile, ErrorCode::kUnsupported, name,
                                    "this file is not a picture; it is not part of the array"));
    }
    return true;
  });
  if (names.empty())
    return fail(ErrorCode::kNotFound, "no picture in this folder",
                "add the layers, named in their order: 00.png, 01.png");
  if (names.size() > ktx2::kMaxLayers) {
    return fail(ErrorCode::kLimit,
                "found " + plural(names.size(), "layer") + ", the limit is " + std::to_string(ktx2::kMaxLayers));
  }
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (!numbers_disagree(names[i - 1], names[i])) continue;
    diagnostics.push_back(warning(WarningKind::kLayerOrder, ErrorCode::kInvalidData, names[i],
                                  "layers are in name order, so this one comes after " + names[i - 1],
                                  "give the numbers leading zeros"));
    break;
  }
  return names;
}

texture::Arrangement arrangement_of(std::span<const std::string> layers) {
  return {static_cast<std::uint32_t>(layers.size()), 1};
}

// Layers have one format. If options.keeps_graphics, they are stored as texels if all of them would be, each alone, and
// if the array is not larger than the limit of one picture.
void decide_for_all(const PictureSet& set, Inputs& inputs, texture::CompileOptions& options) {
  if (!options.keeps_graphics) return;
  const texture::CompileOptions asked = options;
  options.keeps_graphics = false;
  texture::CompileOptions all = options;
  all.mips.all_levels = false;
  std::vector<Diagnostic> ignored;
  const texture::ImageSource layer = picture_source(set, options, inputs, ignored);
  for (std::uint32_t i = 0; i < set.names.size(); ++i) {
    const auto image = layer(i);
    if (!image) return;  // the compilation reports it
    const texture::Extent extent = texture::level0_extent({image->width_texels, image->height_texels}, asked.mips);
    const std::uint64_t texels = std::uint64_t{extent.width_texels} * extent.height_texels;
    const texture::CompileOptions one = texture::options_for(*image, asked);
    if (!texture::is_lossless(one.format) || texels * set.names.size() > texture::kMostGraphicsTexels) return;
    all.format = one.format;
    all.mips.all_levels |= one.mips.all_levels;
  }
  options = all;
}

Result<Product> cook_array(const Step& step, Inputs& inputs) {
  Product product;
  ASSETC_TRY(const auto layers, find_layers(step, inputs, product.diagnostics));
  ASSETC_TRY(const TextureUsage mode, mode_of(step));
  ASSETC_TRY(texture::CompileOptions options, compile_options(step, mode, layers));
  const PictureSet set{.folder = step.input_path,
                       .names = layers,
                       .are_faces = false,
                       .one_size_hint = "give all layers one size",
                       .mode = mode,
                       .params = step.params};
  decide_for_all(set, inputs, options);
  ASSETC_TRY(const texture::EncodedTexture texture,
             texture::compile_texture(picture_source(set, options, inputs, product.diagnostics), arrangement_of(layers),
                                      options));
  ASSETC_CHECK(add_texture(texture, step, product));
  return product;
}

std::uint64_t array_peak_bytes(const Step& step, Inputs& inputs) {
  std::vector<Diagnostic> ignored;
  const auto layers = find_layers(step, inputs, ignored);
  if (!layers) return 0;
  const std::string path = step.input_path + "/" + layers->front();
  const auto first = picture_head([&](std::size_t size) { return inputs.head(path, size); }, step.settings.texture);
  const auto mode = mode_of(step);
  if (!mode) return 0;
  const auto options = compile_options(step, *mode, *layers);
  return first && options ? picture_peak_bytes(*first, arrangement_of(*layers), *options) : 0;
}

}  // namespace

extern const Recipe kArrayRecipe;
constinit const Recipe kArrayRecipe{
    .name = "array",
    .version = 15,
    .claims = kArrayClaims,
    .setting_groups = kArrayGroups,
    .stem_matters = false,
    .cook = cook_array,
    .estimate_peak_bytes = array_peak_bytes,
    .libraries = picture_libraries,
    .programs = kPicturePrograms,
    .params_of = picture_params,
};

}  // namespace assetc::recipes
