// Pictures on their own, and pictures from other recipes (the images of a glTF).
#include <algorithm>
#include <array>
#include <iterator>

#include "assetc/base/hash.hpp"
#include "base/ascii.hpp"
#include "import/image/image.hpp"
#include "import/texture/file.hpp"
#include "recipes/texture/ktx2_source.hpp"
#include "recipes/texture/picture.hpp"
#include "recipes/texture/texels.hpp"
#include "recipes/texture/usage.hpp"

namespace assetc::recipes {

extern const Recipe kTextureRecipe;

namespace {

using enum scene::TextureUsage;

// The pictures that are sources, and what each is for if its name does not say.
struct Picture {
  std::string_view suffix;
  TextureUsage usage;
  bool has_words;  // names such as wall.n.png say what it is for
};
constexpr Picture kPictures[] = {
    {".png", kColor, true},  {".jpg", kColor, true},  {".jpeg", kColor, true}, {".webp", kColor, true},
    {".tga", kColor, true},  {".bmp", kColor, true},  {".hdr", kHdr, false},   {".exr", kHdr, true},
    {".psd", kColor, true},  {".psb", kColor, true},  {".tif", kColor, true},  {".tiff", kColor, true},
    {".avif", kColor, true}, {".ktx2", kCopy, false}, {".ktx", kCopy, false},  {".dds", kCopy, false},
};
// The manual's words for data.
struct UsageWord {
  std::string_view word;
  TextureUsage usage;
};
constexpr UsageWord kUsageWords[] = {{".n", kNormal}, {".ao", kGray}, {".h", kGray}, {".r", kGray}};

// Each word before each suffix that has words: ".n.png".
constexpr std::size_t kWordedCount = std::ranges::count_if(kPictures, &Picture::has_words) * std::size(kUsageWords);
constexpr auto kWorded = [] {
  std::array<std::array<char, 9>, kWordedCount> texts{};
  std::size_t at = 0;
  for (const Picture& picture : kPictures) {
    for (const UsageWord& usage : kUsageWords) {
      if (picture.has_words) std::ranges::copy(picture.suffix, std::ranges::copy(usage.word, texts[at++].begin()).out);
    }
  }
  return texts;
}();
constexpr auto kTextureClaims = [] {
  std::array<Claim, std::size(kPictures) + kWordedCount> claims{};
  std::size_t at = 0, worded = 0;
  for (const Picture& picture : kPictures) {
    claims[at++] = {.suffix = picture.suffix, .strip = picture.suffix, .mode = picture.usage};
    for (const UsageWord& usage : kUsageWords) {
      if (!picture.has_words) continue;
      const std::string_view suffix(kWorded[worded++].data(), usage.word.size() + picture.suffix.size());
      claims[at++] = {.suffix = suffix, .strip = picture.suffix, .mode = usage.usage};
    }
  }
  return claims;
}();
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
    if (image) check_noun(*image, step.params, product.diagnostics);
    return image;
  };
  ASSETC_TRY(const texture::EncodedTexture texture, texture::compile_texture(source, {}, options));
  ASSETC_CHECK(add_texture(texture, step, product));
  return product;
}

// Texture files, pictures that a program decodes, damaged ones and those too large to decode beside a model have the
// hash of their bytes.
ContentHash picture_content(ByteSpan bytes) {
  constexpr std::uint64_t kMostBytes = 64 << 20;
  const auto of_bytes = [&] { return ContentHasher().add(std::string_view("bytes")).add(bytes).finish(); };
  if (importer::is_texture_file(bytes) || importer::needs_image_program(bytes)) return of_bytes();
  const auto info = importer::read_image_info(bytes);
  if (!info || info->decoded_bytes() + info->scratch_bytes > kMostBytes) return of_bytes();
  const bool is_plain = !info->other_color && !info->primaries && info->left_out.empty();
  const auto image = is_plain ? importer::decode_image(bytes, *info) : fail(ErrorCode::kUnsupported, "");
  if (!image || !image->damage.empty()) return of_bytes();
  return ContentHasher()
      .add(std::uint64_t{image->width_texels})
      .add(std::uint64_t{image->height_texels})
      .add(std::uint64_t{static_cast<std::uint8_t>(image->type)})
      .add(std::uint64_t{image->source_channels})
      .add(image->pixels)
      .finish();
}

std::uint64_t texture_peak_bytes(const Step& step, Inputs& inputs) {
  const auto head = picture_head([&](std::size_t size) { return step.head(inputs, size); }, step.settings.texture);
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
    case texture::TargetFormat::kEtc1s:
      return by_effort(300, 600, 1200);
    case texture::TargetFormat::kRgba8:
    case texture::TargetFormat::kRgba16f:
      return 130;
    case texture::TargetFormat::kUastc:
      return by_effort(110, 170, 500) + (settings.rdo > 0 ? by_effort(0, 700, 700) : 0);
    default:
      return by_effort(110, 170, 500) + (settings.rdo > 0 ? by_effort(200, 400, 700) : 0);
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
    .version = 19,
    .claims = kTextureClaims,
    .setting_groups = kTextureGroups,
    .stem_matters = false,
    .cook = cook_texture,
    .estimate_peak_bytes = texture_peak_bytes,
    .libraries = picture_libraries,
    .programs = kPicturePrograms,
    .params_of = picture_params,
    .overruled = overruled_usage,
    .stands_alone = [](const Settings& settings) { return settings.texture.standalone; },
    .content_of = picture_content,
    .estimate_ns = estimate_texture_ns,
};

}  // namespace assetc::recipes
