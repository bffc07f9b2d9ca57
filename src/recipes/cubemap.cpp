// *.env/ folders: six faces, one cubemap.
#include <algorithm>
#include <array>
#include <string>

#include "recipes/picture.hpp"

namespace assetc::recipes {
namespace {

// The stem keeps ".env": sky.env/ becomes sky.env.ktx2.
constexpr std::array kClaims{Claim{.suffix = ".env", .directory = true, .strip = "", .mode = "color"}};
constexpr std::array<std::string_view, 1> kGroups{"texture"};
constexpr std::array<std::string_view, 6> kFaces{"px", "nx", "py", "ny", "pz", "nz"};
constexpr texture::Arrangement kArrangement{0, 6};

// The file of each face. Files of other names are left out, with a warning where they look like pictures.
Result<std::array<std::string, 6>> find_faces(const Step& step, Inputs& inputs, std::vector<Diagnostic>& diagnostics) {
  ASSETC_TRY(const std::vector<std::string> names, inputs.list(step.input_path));
  std::array<std::string, 6> faces;
  for (const std::string& name : names) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const bool is_picture = has_picture_extension(name);
    const auto face = std::ranges::find(kFaces, std::string_view(name).substr(0, dot));
    if (!is_picture) continue;
    if (face == kFaces.end() || name.find('.', dot + 1) != std::string::npos) {
      diagnostics.push_back(warning(ErrorCode::kUnsupported, name,
                                    "this picture is no face of the cubemap and is left out",
                                    "faces are px, nx, py, ny, pz and nz"));
      continue;
    }
    std::string& slot = faces[static_cast<std::size_t>(face - kFaces.begin())];
    if (!slot.empty())
      return fail(ErrorCode::kConflict, "both " + slot + " and " + name + " are the face " + std::string(*face),
                  "keep one of them");
    slot = name;
  }
  std::string missing;
  for (std::size_t i = 0; i < 6; ++i) {
    if (faces[i].empty()) missing.append(missing.empty() ? "" : ", ").append(kFaces[i]).append(".png");
  }
  if (!missing.empty())
    return fail(ErrorCode::kNotFound, "a cubemap has six faces; missing: " + missing, "add them to this folder");
  return faces;
}

// Faces of light past white make a cubemap of it.
Result<texture::CompileOptions> cubemap_options(const Step& step, std::span<const std::string> faces) {
  ASSETC_TRY(texture::CompileOptions options, compile_options(step));
  if (std::ranges::all_of(faces, is_light_picture)) options.mips.kind = texture::TexelKind::kHdr;
  options.mips.wrap = texture::Wrap::kClamp;  // the other edge of a face is no neighbour
  return options;
}

PictureSet set_of(const Step& step, std::span<const std::string> faces) {
  return {step.input_path, faces, kArrangement, "render all faces at one size"};
}

Result<Product> cook(const Step& step, Inputs& inputs) {
  Product product;
  ASSETC_TRY(const auto faces, find_faces(step, inputs, product.diagnostics));
  ASSETC_TRY(const texture::CompileOptions options, cubemap_options(step, faces));
  ASSETC_CHECK(compile_pictures(set_of(step, faces), options, inputs, product));
  return product;
}

std::uint64_t estimate_peak_bytes(const Step& step, Inputs& inputs) {
  std::vector<Diagnostic> ignored;
  const auto faces = find_faces(step, inputs, ignored);
  if (!faces) return 0;
  const auto options = cubemap_options(step, *faces);
  return options ? pictures_peak_bytes(set_of(step, *faces), *options, inputs) : 0;
}

}  // namespace

extern const Recipe kCubemapRecipe;
constinit const Recipe kCubemapRecipe{
    .name = "cubemap",
    .version = 3,
    .claims = kClaims,
    .setting_groups = kGroups,
    .stem_matters = false,
    .cook = cook,
    .estimate_peak_bytes = estimate_peak_bytes,
};

}  // namespace assetc::recipes
