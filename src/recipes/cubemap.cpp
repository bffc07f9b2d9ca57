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

Result<texture::CompileOptions> cubemap_options(const Step& step) {
  ASSETC_TRY(texture::CompileOptions options, compile_options(step));
  options.mips.wrap = texture::Wrap::kClamp;  // the other edge of a face is no neighbour
  return options;
}

Result<Product> cook(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const texture::CompileOptions options, cubemap_options(step));
  Product product;
  ASSETC_TRY(const auto faces, find_faces(step, inputs, product.diagnostics));
  texture::Extent first;
  const texture::ImageSource source = [&](std::uint32_t index) -> Result<scene::Image> {
    const std::string path = step.input_path + "/" + faces[index];
    ASSETC_TRY(scene::Image image, read_picture(path, options, inputs, product.diagnostics));
    const texture::Extent extent{image.width_texels, image.height_texels};
    if (index == 0) first = extent;
    const auto size = [](texture::Extent e) {
      return std::to_string(e.width_texels) + "x" + std::to_string(e.height_texels);
    };
    if (extent.width_texels != extent.height_texels) {
      return std::unexpected(Error{ErrorCode::kInvalidData,
                                   path,
                                   {},
                                   "found " + size(extent) + " texels, expected a square face",
                                   "render the faces as squares"});
    }
    if (extent != first) {
      return std::unexpected(Error{ErrorCode::kInvalidData,
                                   path,
                                   {},
                                   "found " + size(extent) + " texels, expected " + size(first) + " like " + faces[0],
                                   "render all faces at one size"});
    }
    return image;
  };
  ASSETC_TRY(ByteVector file, texture::compile_texture(source, kArrangement, options));
  product.outputs.push_back(texture_output(Bytes(std::move(file))));
  return product;
}

std::uint64_t estimate_peak_bytes(const Step& step, Inputs& inputs) {
  std::vector<Diagnostic> ignored;
  const auto options = cubemap_options(step);
  const auto faces = find_faces(step, inputs, ignored);
  if (!options || !faces) return 0;
  const auto bytes = inputs.read(step.input_path + "/" + (*faces)[0]);
  return bytes ? picture_peak_bytes(*bytes, kArrangement, *options) : 0;
}

}  // namespace

extern const Recipe kCubemapRecipe;
constinit const Recipe kCubemapRecipe{
    .name = "cubemap",
    .version = 1,
    .claims = kClaims,
    .setting_groups = kGroups,
    .stem_matters = false,
    .cook = cook,
    .estimate_peak_bytes = estimate_peak_bytes,
};

}  // namespace assetc::recipes
