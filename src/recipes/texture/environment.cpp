// *.env.<picture>, a panorama, and *.env/, six faces: each becomes the three cubemaps of image-based lighting.
#include "texture/environment.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.hpp"
#include "recipes/texture/picture.hpp"

namespace assetc::recipes {
namespace {

using enum scene::TextureUsage;

// The stem keeps ".env": sky.env.hdr becomes sky.env.ktx2, and so does the folder sky.env/.
constexpr std::array kEnvironmentClaims{
    Claim{".env.hdr", false, ".hdr", "", kHdr},
    Claim{".env.exr", false, ".exr", "", kHdr},
    Claim{".env.png", false, ".png", "", kColor},
    Claim{".env.jpg", false, ".jpg", "", kColor},
    Claim{".env.jpeg", false, ".jpeg", "", kColor},
    Claim{".env.webp", false, ".webp", "", kColor},
    Claim{".env.tga", false, ".tga", "", kColor},
    Claim{".env.bmp", false, ".bmp", "", kColor},
    Claim{".env", true, "", "", kColor},
};
constexpr std::array<std::string_view, 2> kEnvironmentGroups{"texture", "environment"};
constexpr std::array<std::string_view, 6> kFaceNames{"px", "nx", "py", "ny", "pz", "nz"};
using FaceFiles = std::array<std::string, 6>;

texture::EnvironmentOptions environment_options(const Step& step, const texture::CompileOptions& compile) {
  const EnvironmentSettings& settings = step.settings.environment;
  return {.compile = compile,
          .size_texels = settings.size_texels,
          .specular_texels = settings.specular_size_texels,
          .irradiance_texels = settings.irradiance_size_texels,
          .sample_count = settings.samples};
}

// The file of each face. Other files are ignored, with a warning if they look like pictures.
Result<FaceFiles> find_faces(const Step& step, Inputs& inputs, std::vector<Diagnostic>& diagnostics) {
  ASSETC_TRY(const std::vector<std::string> names, inputs.list(step.input_path));
  FaceFiles faces;
  for (const std::string& name : names) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const bool is_picture = has_picture_extension(name);
    const auto face = std::ranges::find(kFaceNames, ascii_lower(std::string_view(name).substr(0, dot)));
    if (!is_picture) continue;
    if (face == kFaceNames.end() || name.find('.', dot + 1) != std::string::npos) {
      diagnostics.push_back(warning(WarningKind::kIgnoredFile, ErrorCode::kUnsupported, name,
                                    "this picture is not a face of the cubemap; it is ignored",
                                    "faces are px, nx, py, ny, pz and nz"));
      continue;
    }
    std::string& slot = faces[static_cast<std::size_t>(face - kFaceNames.begin())];
    if (!slot.empty())
      return fail(ErrorCode::kConflict, "both " + slot + " and " + name + " are the face " + std::string(*face),
                  "keep one of them");
    slot = name;
  }
  std::string missing;
  for (std::size_t i = 0; i < 6; ++i) {
    if (faces[i].empty()) missing.append(missing.empty() ? "" : ", ").append(kFaceNames[i]).append(".png");
  }
  if (!missing.empty())
    return fail(ErrorCode::kNotFound, "a cubemap has six faces; missing: " + missing, "add them to this folder");
  return faces;
}

Result<void> add_textures(const texture::EnvironmentTextures& textures, const Step& step, Product& product) {
  ASSETC_CHECK(add_texture(textures.environment, step, product));
  if (textures.specular) ASSETC_CHECK(add_texture(*textures.specular, step, product, ".specular"));
  if (textures.irradiance) ASSETC_CHECK(add_texture(*textures.irradiance, step, product, ".irradiance"));
  return {};
}

Result<Product> cook_panorama(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const TextureUsage mode, mode_of(step));
  ASSETC_TRY(const texture::CompileOptions compile, compile_options(step, mode));
  Product product;
  ASSETC_TRY(Bytes bytes, step.input(inputs));
  tell_program(bytes, inputs);
  ASSETC_TRY(scene::Image panorama, decode_picture(bytes, compile, product.diagnostics, PictureUse::kPanorama));
  bytes = {};  // free the file while the texels are processed
  ASSETC_TRY(const texture::EnvironmentTextures textures,
             texture::compile_environment(std::move(panorama), environment_options(step, compile)));
  ASSETC_CHECK(add_textures(textures, step, product));
  return product;
}

Result<Product> cook_faces(const Step& step, Inputs& inputs) {
  Product product;
  ASSETC_TRY(const FaceFiles faces, find_faces(step, inputs, product.diagnostics));
  ASSETC_TRY(const TextureUsage mode, mode_of(step));
  ASSETC_TRY(const texture::CompileOptions compile, compile_options(step, mode, faces));
  const EnvironmentSettings& settings = step.settings.environment;
  const bool gives_light = settings.specular_size_texels > 0 || settings.irradiance_size_texels > 0;
  const PictureSet set{step.input_path, faces, true, "render all faces at one size",
                       gives_light ? PictureUse::kLightFace : PictureUse::kTexture};
  ASSETC_TRY(const texture::EnvironmentTextures textures,
             texture::compile_environment(picture_source(set, compile, inputs, product.diagnostics),
                                          environment_options(step, compile)));
  ASSETC_CHECK(add_textures(textures, step, product));
  return product;
}

// The path of a folder ends in ".env".
bool is_folder(const Step& step) { return !step.input_path.empty() && !has_picture_extension(step.input_path); }

Result<Product> cook_environment(const Step& step, Inputs& inputs) {
  return is_folder(step) ? cook_faces(step, inputs) : cook_panorama(step, inputs);
}

std::uint64_t environment_peak_bytes(const Step& step, Inputs& inputs) {
  const bool folder = is_folder(step);
  FaceFiles faces;
  if (folder) {
    std::vector<Diagnostic> ignored;
    auto found = find_faces(step, inputs, ignored);
    if (!found) return 0;
    faces = std::move(*found);
  }
  const auto head = picture_head(
      [&](std::size_t size) {
        return folder ? inputs.head(step.input_path + "/" + faces[0], size) : step.head(inputs, size);
      },
      step.settings.texture);
  const auto mode = mode_of(step);
  if (!head || !mode) return 0;
  const auto compile = folder ? compile_options(step, *mode, faces) : compile_options(step, *mode);
  if (!compile) return 0;
  if (!head->info) return picture_peak_bytes(*head, {}, *compile);
  const importer::ImageInfo& info = *head->info;
  const texture::EnvironmentOptions options = environment_options(step, *compile);
  return head->bytes.size() + info.scratch_bytes +
         (folder ? texture::faces_peak_bytes(info.width_texels, info.type, options)
                 : texture::panorama_peak_bytes({info.width_texels, info.height_texels}, info.type, options));
}

// Light is filtered into cubemaps of the same size for any panorama.
std::uint64_t estimate_environment_ns(std::string_view, std::uint64_t input_bytes, const Settings&) {
  return 100'000'000 + input_bytes * kUsualNsPerByte;
}

}  // namespace

extern const Recipe kEnvironmentRecipe;
constinit const Recipe kEnvironmentRecipe{
    .name = "environment",
    .version = 14,
    .claims = kEnvironmentClaims,
    .setting_groups = kEnvironmentGroups,
    .stem_matters = false,
    .cook = cook_environment,
    .estimate_peak_bytes = environment_peak_bytes,
    .libraries = picture_libraries,
    .programs = kPicturePrograms,
    .estimate_ns = estimate_environment_ns,
};

}  // namespace assetc::recipes
