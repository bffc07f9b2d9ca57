// Pictures on their own, and pictures from other recipes (the images of a glTF).
#include <array>

#include "base/ascii.hpp"
#include "import/texture/file.hpp"
#include "recipes/texture/ktx2_source.hpp"
#include "recipes/texture/picture.hpp"
#include "recipes/texture/usage.hpp"

namespace assetc::recipes {

extern const Recipe kTextureRecipe;

namespace {

using enum scene::TextureUsage;

// For each extension: color for any name, and the manual's suffixes for data.
constexpr std::array kTextureClaims{
    Claim{".png", false, ".png", "", kColor},      Claim{".n.png", false, ".png", "", kNormal},
    Claim{".ao.png", false, ".png", "", kGray},    Claim{".h.png", false, ".png", "", kGray},
    Claim{".r.png", false, ".png", "", kGray},     Claim{".jpg", false, ".jpg", "", kColor},
    Claim{".n.jpg", false, ".jpg", "", kNormal},   Claim{".ao.jpg", false, ".jpg", "", kGray},
    Claim{".h.jpg", false, ".jpg", "", kGray},     Claim{".r.jpg", false, ".jpg", "", kGray},
    Claim{".jpeg", false, ".jpeg", "", kColor},    Claim{".n.jpeg", false, ".jpeg", "", kNormal},
    Claim{".ao.jpeg", false, ".jpeg", "", kGray},  Claim{".h.jpeg", false, ".jpeg", "", kGray},
    Claim{".r.jpeg", false, ".jpeg", "", kGray},   Claim{".webp", false, ".webp", "", kColor},
    Claim{".n.webp", false, ".webp", "", kNormal}, Claim{".ao.webp", false, ".webp", "", kGray},
    Claim{".h.webp", false, ".webp", "", kGray},   Claim{".r.webp", false, ".webp", "", kGray},
    Claim{".tga", false, ".tga", "", kColor},      Claim{".n.tga", false, ".tga", "", kNormal},
    Claim{".ao.tga", false, ".tga", "", kGray},    Claim{".h.tga", false, ".tga", "", kGray},
    Claim{".r.tga", false, ".tga", "", kGray},     Claim{".bmp", false, ".bmp", "", kColor},
    Claim{".n.bmp", false, ".bmp", "", kNormal},   Claim{".ao.bmp", false, ".bmp", "", kGray},
    Claim{".h.bmp", false, ".bmp", "", kGray},     Claim{".r.bmp", false, ".bmp", "", kGray},
    Claim{".hdr", false, ".hdr", "", kHdr},        Claim{".exr", false, ".exr", "", kHdr},
    Claim{".n.exr", false, ".exr", "", kNormal},   Claim{".ao.exr", false, ".exr", "", kGray},
    Claim{".h.exr", false, ".exr", "", kGray},     Claim{".r.exr", false, ".exr", "", kGray},
    Claim{".psd", false, ".psd", "", kColor},      Claim{".n.psd", false, ".psd", "", kNormal},
    Claim{".ao.psd", false, ".psd", "", kGray},    Claim{".h.psd", false, ".psd", "", kGray},
    Claim{".r.psd", false, ".psd", "", kGray},     Claim{".psb", false, ".psb", "", kColor},
    Claim{".n.psb", false, ".psb", "", kNormal},   Claim{".ao.psb", false, ".psb", "", kGray},
    Claim{".h.psb", false, ".psb", "", kGray},     Claim{".r.psb", false, ".psb", "", kGray},
    Claim{".tif", false, ".tif", "", kColor},      Claim{".n.tif", false, ".tif", "", kNormal},
    Claim{".ao.tif", false, ".tif", "", kGray},    Claim{".h.tif", false, ".tif", "", kGray},
    Claim{".r.tif", false, ".tif", "", kGray},     Claim{".tiff", false, ".tiff", "", kColor},
    Claim{".n.tiff", false, ".tiff", "", kNormal}, Claim{".ao.tiff", false, ".tiff", "", kGray},
    Claim{".h.tiff", false, ".tiff", "", kGray},   Claim{".r.tiff", false, ".tiff", "", kGray},
    Claim{".avif", false, ".avif", "", kColor},    Claim{".n.avif", false, ".avif", "", kNormal},
    Claim{".ao.avif", false, ".avif", "", kGray},  Claim{".h.avif", false, ".avif", "", kGray},
    Claim{".r.avif", false, ".avif", "", kGray},   Claim{".ktx2", false, ".ktx2", "", kCopy},
    Claim{".ktx", false, ".ktx", "", kCopy},       Claim{".dds", false, ".dds", "", kCopy},
};
constexpr std::array<std::string_view, 1> kTextureGroups{"texture"};

Result<Product> cook_texture(const Step& step, Inputs& inputs) {
  ASSETC_TRY(Bytes bytes, step.input(inputs));
  if (importer::is_texture_file(bytes)) return cook_texture_file(step, bytes);
  ASSETC_TRY(const TextureUsage mode, mode_of(step));
  ASSETC_TRY(const texture::CompileOptions options, compile_options(step, mode));
  Product product;
  const texture::ImageSource source = [&](std::uint32_t) {
    tell_program(bytes, inputs);
    auto image = decode_picture(bytes, options, product.diagnostics);
    bytes = {};  // free the file while the texels are processed
    if (image) check_texels(*image, mode, product.diagnostics);
    return image;
  };
  ASSETC_TRY(const texture::EncodedTexture texture, texture::compile_texture(source, {}, options));
  ASSETC_CHECK(add_texture(texture, step, product));
  return product;
}

std::uint64_t texture_peak_bytes(const Step& step, Inputs& inputs) {
  const auto head = picture_head([&](std::size_t size) { return step.head(inputs, size); });
  if (!head) return 0;
  if (importer::is_texture_file(head->bytes)) return texture_file_peak_bytes(step, head->bytes);
  const auto mode = mode_of(step);
  if (!mode) return head->bytes.size();
  const auto options = compile_options(step, *mode);
  return options ? picture_peak_bytes(*head, {}, *options) : head->bytes.size();
}

// Time for a texel and its mips, measured on photographs.
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
      return by_effort(110, 170, 500) + (settings.rdo > 0 ? by_effort(0, 700, 700) : 0);
  }
}

std::uint64_t estimate_texture_ns(std::string_view path, std::uint64_t input_bytes, const Settings& settings) {
  const auto has = [&](std::string_view suffix) { return ends_with_ignoring_case(path, suffix); };
  if (has(".ktx2") || has(".ktx") || has(".dds")) return input_bytes * kUsualNsPerByte;
  const bool is_lossy = has(".jpg") || has(".jpeg") || has(".webp") || has(".avif");
  const bool is_plain = has(".tga") || has(".bmp") || has(".hdr") || has(".exr");
  const std::uint64_t texels = is_lossy ? input_bytes * 4 : is_plain ? input_bytes / 4 : input_bytes * 2 / 3;
  return texels * ns_per_texel(settings.texture);
}

}  // namespace

constinit const Recipe kTextureRecipe{
    .name = "texture",
    .version = 15,
    .claims = kTextureClaims,
    .setting_groups = kTextureGroups,
    .stem_matters = false,
    .cook = cook_texture,
    .estimate_peak_bytes = texture_peak_bytes,
    .libraries = picture_libraries,
    .programs = kPicturePrograms,
    .mode_of = picture_mode,
    .overruled = overruled_usage,
    .stands_alone = [](const Settings& settings) { return settings.texture.standalone; },
    .estimate_ns = estimate_texture_ns,
};

}  // namespace assetc::recipes
