#include "recipes/texture/picture.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/plural.hpp"
#include "filetypes/filetypes.hpp"
#include "import/libraries.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/texture/texels.hpp"
#include "recipes/texture/usage.hpp"
#include "text/format.hpp"
#include "texture/graphics.hpp"
#include "texture/libraries.hpp"
#include "texture/range.hpp"

namespace assetc::recipes {
namespace {

// Memory reserved to inspect a file that will be refused.
constexpr std::uint64_t kRefusedBytes = 1 << 20;

std::unexpected<Error> refuse_mode(std::string_view found) {
  std::string names;
  for (const scene::TextureUsageName& usage : scene::kPictureUsages)
    names.append(names.empty() ? "" : ", ").append(usage.name);
  return fail(ErrorCode::kUsage,
              std::string(kModeParam) + ": found \"" + std::string(found) + "\", expected one of " + names);
}

// Empty for usages that pictures are not compiled for.
std::optional<texture::TexelKind> kind_of(TextureUsage usage) {
  switch (usage) {
    case TextureUsage::kColor:
      return texture::TexelKind::kColor;
    case TextureUsage::kNormal:
      return texture::TexelKind::kNormal;
    case TextureUsage::kGray:
      return texture::TexelKind::kGray;
    case TextureUsage::kHdr:
      return texture::TexelKind::kHdr;
    case TextureUsage::kLinear:
    case TextureUsage::kOrm:
    case TextureUsage::kLut:
      return texture::TexelKind::kLinear;
    case TextureUsage::kAuto:
    case TextureUsage::kCopy:
      break;
  }
  return std::nullopt;
}

Result<float> cutoff_of(const Params& params) {
  const auto found = params.find("alpha_cutoff");
  if (found == params.end()) return 0.0f;
  const std::string& text = found->second;
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0.0f)) {
    return fail(ErrorCode::kUsage, "alpha_cutoff: found \"" + text + "\", expected a number of 0 or more");
  }
  return value;
}

// A use that drops alpha, and the way to keep it.
struct OpaqueUse {
  std::string_view what, hint;
};
std::optional<OpaqueUse> opaque_use(const texture::CompileOptions& options, PictureUse use) {
  using texture::TargetFormat;
  using texture::TexelKind;
  constexpr std::string_view kApart = "store the alpha channel in a separate texture";
  if (use == PictureUse::kPanorama) return OpaqueUse{"a panorama", kApart};
  if (options.mips.kind == TexelKind::kGray) return OpaqueUse{"a grayscale map", kApart};
  if (options.mips.kind == TexelKind::kNormal) return OpaqueUse{"a normal map", kApart};
  const bool light = options.mips.kind == TexelKind::kHdr;
  if (options.format == TargetFormat::kBc6h || (light && options.format == TargetFormat::kAuto)) {
    return OpaqueUse{"BC6H from a picture", light ? "use rgba16f to keep alpha, or set texture.channels: rgb"
                                                  : "use bc3 or bc7 to keep alpha, or set texture.channels: rgb"};
  }
  if (options.format == TargetFormat::kBc1 && !light)
    return OpaqueUse{"BC1 from a picture", "use bc3 or bc7 to keep alpha, or set texture.channels: rgb"};
  if (use == PictureUse::kLightFace) return OpaqueUse{"specular and diffuse light of a face", kApart};
  return std::nullopt;
}

// Whether `channel` differs in any texel from `reference` (a channel, or -1 for the full value).
bool differs(const scene::Image& image, std::size_t channel, int reference) {
  const std::size_t bytes = scene::channel_bytes(image.type);
  const auto full = [&]() -> std::uint32_t {
    switch (image.type) {
      case scene::PixelType::kU8:
        return 0xFF;
      case scene::PixelType::kU16:
        return 0xFFFF;
      case scene::PixelType::kF32:
        return 0x3F800000;
    }
    return 0;
  }();
  for (const std::byte *p = image.pixels.data(), *end = p + image.pixels.size(); p != end; p += 4 * bytes) {
    const std::byte* other =
        reference < 0 ? reinterpret_cast<const std::byte*>(&full) : p + static_cast<std::size_t>(reference) * bytes;
    if (std::memcmp(p + channel * bytes, other, bytes) != 0) return true;
  }
  return false;
}

void warn_of_clipping(const scene::Image& image, const texture::CompileOptions& options, PictureUse use,
                      std::vector<Diagnostic>& diagnostics) {
  if (image.type != scene::PixelType::kF32) return;
  const texture::TexelKind kind = options.mips.kind;
  const auto warn = [&](std::string what, std::string hint) {
    diagnostics.push_back(
        warning(WarningKind::kClippedValues, ErrorCode::kUnsupported, "", std::move(what), std::move(hint)));
  };
  const auto texels = [](std::uint64_t count, const char* one, const char* many) {
    return plural(count, "texel") + (count == 1 ? one : many);
  };
  const bool is_light = kind == texture::TexelKind::kHdr || options.format == texture::TargetFormat::kRgba16f ||
                        options.format == texture::TargetFormat::kBc6h;
  if (!is_light) {
    const std::size_t channels = kind == texture::TexelKind::kGray ? 1 : kind == texture::TexelKind::kNormal ? 2 : 3;
    constexpr float kRounding = 1.0f / 512;
    const texture::Outside found = texture::values_outside(image, channels, -kRounding, 1 + kRounding);
    if (found.texel_count == 0) return;
    warn(texels(found.texel_count, " is", " are") +
             formatted(" outside 0 to 1, the range of the texture format; clipped (the values are {:.4g} to {:.4g})",
                       found.least, found.most),
         "scale the picture into 0 to 1, or use rgba16f");
    return;
  }
  // Half floats hold these values. What they add below their smallest normal value is lost to rounding.
  constexpr float kLargestHalf = 65504.0f, kLeastNormalHalf = 0x1p-14f;
  const auto plan = texture::plan_storage(options.format, kind, options.channels);
  const bool is_signed = plan && plan->format == TexelFormat::kRgba16f && use == PictureUse::kTexture;
  const texture::Outside bright = texture::values_outside(image, 3, -kLargestHalf, kLargestHalf);
  if (bright.texel_count != 0) {
    warn(texels(bright.texel_count, " is", " are") +
             " brighter than 65504, the maximum of half floats; clipped to 65504",
         "scale the picture down, and raise the exposure in the engine");
  }
  if (is_signed) return;
  const texture::Outside negative =
      texture::values_outside(image, 3, -kLeastNormalHalf, std::numeric_limits<float>::max());
  if (negative.texel_count == 0) return;
  const bool is_texture = use == PictureUse::kTexture;
  warn(texels(negative.texel_count, " has", " have") +
           formatted(" negative values, the least is {:.4g}, which {} cannot store; clipped to 0", negative.least,
                     is_texture ? "BC6H" : "light"),
       is_texture ? "use texture.format: rgba16f to keep them, or clip them in the tool that made the picture"
                  : "clip them in the tool that made the picture");
}

// Warns of rounding in a format that is chosen to keep texels unchanged.
void warn_of_depth(const scene::Image& image, const texture::CompileOptions& options,
                   std::vector<Diagnostic>& diagnostics) {
  if (image.type != scene::PixelType::kU16 || options.format != texture::TargetFormat::kRgba8) return;
  constexpr std::uint16_t kOf8Bits = 257;  // an 8-bit value times this is the same value in 16 bits
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < image.pixels.size(); at += 4 * sizeof(std::uint16_t)) {
    bool rounded = false;
    for (std::size_t c = 0; c < 4; ++c) rounded |= load<std::uint16_t>(image.pixels, at + c * 2) % kOf8Bits != 0;
    count += rounded;
  }
  if (count == 0) return;
  diagnostics.push_back(
      warning(WarningKind::kRoundedValues, ErrorCode::kUnsupported, "",
              plural(count, "texel") + (count == 1 ? " has" : " have") +
                  " 16-bit values that rgba8 cannot store exactly (8 bits per channel); rounded",
              "use rgba16f, or bc4, bc5 or etc2 for maps of one or two channels; or save the picture with 8 bits"));
}

// Converts declared primaries, and warns of what is declared and not converted.
void settle_colors(const importer::ImageInfo& info, PictureUse use, scene::Image& image,
                   std::vector<Diagnostic>& diagnostics) {
  if (info.other_color) {
    const bool is_light = image.type == scene::PixelType::kF32;
    diagnostics.push_back(
        warning(WarningKind::kPictureColors, ErrorCode::kUnsupported, info.other_color->place,
                "found " + info.other_color->found + "; it is not applied, and the texels are used as " +
                    (is_light ? "linear light" : "sRGB"),
                is_light ? "apply it in the tool that made the picture, or save it without this declaration"
                         : "convert the picture to sRGB; if it looks right already, save it without the profile or "
                           "gamma"));
  }
  if (!info.primaries) return;
  const std::uint64_t clipped =
      importer::convert_to_bt709(image, *importer::matrix_to_bt709(info.primaries->primaries));
  if (clipped == 0 || use == PictureUse::kShown) return;
  diagnostics.push_back(warning(WarningKind::kClippedValues, ErrorCode::kUnsupported, info.primaries->place,
                                plural(clipped, "texel") + (clipped == 1 ? " has a color" : " have colors") +
                                    " outside sRGB, found the primaries " +
                                    importer::name_of(info.primaries->primaries) + "; clipped",
                                "choose colors that sRGB has, or accept the nearest ones"));
}

}  // namespace

void warn_of_storage(const scene::Image& image, const texture::CompileOptions& options, PictureUse use,
                     std::vector<Diagnostic>& diagnostics) {
  warn_of_clipping(image, options, use, diagnostics);
  warn_of_depth(image, options, diagnostics);
}

std::string picture_libraries() { return importer::picture_libraries() + texture::libraries(); }

void tell_program(ByteSpan picture, Inputs& inputs) {
  if (importer::needs_image_program(picture)) inputs.runs(kImageProgram);
}

extern const Recipe kTextureRecipe;  // texture.cpp

std::optional<texture::TexelKind> data_kind(std::string_view path) {
  const Claim* claim = file_claim(kTextureRecipe, path);
  if (claim == nullptr) return std::nullopt;
  const TextureUsage mode = mode_in(picture_params(path, *claim, {}, {}));
  return mode == TextureUsage::kNormal || mode == TextureUsage::kGray ? kind_of(mode) : std::nullopt;
}

bool has_picture_extension(std::string_view name) {
  const filetypes::Row* row = filetypes::find_row(name);
  return row != nullptr && row->is_picture() && !row->is_compiled();
}

Result<void> add_texture(const texture::EncodedTexture& texture, const Step& step, Product& product,
                         std::string_view name, AssetKind kind) {
  const TextureContainer& container = step.containers->texture;
  ASSETC_TRY(ByteVector file, container.write(texture));
  std::string suffix = std::string(name).append(container.suffix);
  if (!name.empty()) suffix = step.containers->naming.beside(step.stem, name, suffix);
  product.outputs.push_back({std::move(suffix), Bytes(std::move(file)), {kind, texture.is_srgb()}});
  if (texture.rdo) product.statistics.emplace_back(*texture.rdo);
  if (texture.graphics) product.statistics.emplace_back(*texture.graphics);
  return {};
}

Result<scene::Image> read_picture(const std::string& path, const texture::CompileOptions& options, Inputs& inputs,
                                  std::vector<Diagnostic>& diagnostics, PictureUse use) {
  ASSETC_TRY(const Bytes bytes, inputs.read(path));
  const std::size_t before = diagnostics.size();
  tell_program(bytes, inputs);
  auto image = decode_picture(bytes, options, diagnostics, use);
  for (std::size_t i = before; i < diagnostics.size(); ++i)
    diagnostics[i].what = std::move(diagnostics[i].what).in(path);
  if (!image) return std::unexpected(std::move(image).error().in(path));
  return image;
}

Result<TextureUsage> mode_of(const Step& step) {
  const auto found = step.params.find(kModeParam);
  if (found == step.params.end()) return TextureUsage::kColor;
  const auto mode = scene::parse_usage(found->second);
  if (!mode || *mode == TextureUsage::kAuto) return refuse_mode(found->second);
  return *mode;
}

Result<texture::CompileOptions> compile_options(const Step& step, TextureUsage mode) {
  const TextureSettings& settings = step.settings.texture;
  const auto kind = kind_of(mode);
  if (!kind) return refuse_mode(to_string(mode));
  texture::CompileOptions options;
  options.mips.kind = *kind;
  ASSETC_TRY(options.mips.alpha_cutoff, cutoff_of(step.params));
  options.mips.filter = settings.mip_filter;
  options.mips.wrap = settings.wrap;
  options.mips.all_levels = settings.mips;
  options.mips.max_size_texels = settings.max_size_texels;
  if (step.params.contains(kBlockSidesParam)) options.mips.side_multiple = 4;
  options.format = settings.format;
  if (settings.channels.count > 0)
    options.channels = texture::parse_channels({settings.channels.letters.data(), settings.channels.count});
  options.effort = settings.quality;
  options.color_metric = settings.metric;
  options.zstd_level = settings.zstd_level;
  options.rdo = static_cast<float>(settings.rdo);
  options.etc1s_quality = settings.etc1s_quality;
  options.keeps_graphics = settings.keeps_graphics && !step.params.contains(kBlockSidesParam);
  options.stands_alone = step.params.contains(kAloneParam);
  options.layer = settings.layer.text;
  options.turns_y = *kind == texture::TexelKind::kNormal &&
                    (settings.normal_y == NormalY::kDirectX ||
                     (settings.normal_y == NormalY::kAuto && step.params.contains(kYDownParam)));
  if (mode == TextureUsage::kLut) {
    const filetypes::Row* row = filetypes::find_row(step.input_path);
    options.format =
        row != nullptr && row->passes_white ? texture::TargetFormat::kRgba16f : texture::TargetFormat::kRgba8;
    options.mips.all_levels = false;
    options.mips.max_size_texels = 0;
  }
  return options;
}

Result<texture::CompileOptions> compile_options(const Step& step, TextureUsage mode,
                                                std::span<const std::string> pictures) {
  ASSETC_TRY(texture::CompileOptions options, compile_options(step, mode));
  const auto is_light = [](std::string_view name) {
    const filetypes::Row* row = filetypes::find_row(name);
    return row != nullptr && row->passes_white;
  };
  if (options.mips.kind == texture::TexelKind::kColor && std::ranges::all_of(pictures, is_light))
    options.mips.kind = texture::TexelKind::kHdr;
  return options;
}

Result<scene::Image> decode_picture(ByteSpan bytes, const texture::CompileOptions& asked,
                                    std::vector<Diagnostic>& diagnostics, PictureUse use) {
  const texture::TexelKind kind = asked.mips.kind;
  ASSETC_TRY(const importer::ImageInfo info, importer::read_image_info(bytes, asked.layer));
  ASSETC_TRY(scene::Image image, importer::decode_image(bytes, info));
  if (!image.damage.empty()) {
    diagnostics.push_back(warning(WarningKind::kDamagedPicture, ErrorCode::kInvalidData, "JPEG data",
                                  "damaged: " + image.damage + "; decoded as viewers decode it",
                                  "look at the picture, and export it again"));
  }
  if (!info.left_out.empty()) {
    diagnostics.push_back(warning(WarningKind::kPartlyReadPicture, ErrorCode::kUnsupported, "",
                                  "these parts of the picture are not read: " + info.left_out,
                                  "export the parts that you need as separate pictures"));
  }
  if (kind == texture::TexelKind::kColor || kind == texture::TexelKind::kHdr)
    settle_colors(info, use, image, diagnostics);
  const texture::CompileOptions options = use == PictureUse::kTexture ? texture::options_for(image, asked) : asked;
  if (use != PictureUse::kShown) warn_of_storage(image, options, use, diagnostics);
  const bool says_alpha = options.channels && std::ranges::count(*options.channels, texture::Channel::kA) > 0;
  if (options.channels && !(says_alpha && use != PictureUse::kTexture)) return image;  // the user chose what to drop
  if (texture::is_lossless(options.format) && use == PictureUse::kTexture) return image;
  if (kind == texture::TexelKind::kGray && image.source_channels >= 3 &&
      (differs(image, 1, 0) || differs(image, 2, 0))) {
    diagnostics.push_back(warning(WarningKind::kDroppedChannels, ErrorCode::kUnsupported, "",
                                  "a grayscale map with colors: only red is kept",
                                  "save it as grayscale, or set texture.usage: color or linear to keep all channels"));
  }
  const std::optional<OpaqueUse> opaque = opaque_use(options, use);
  if (opaque && image.source_channels % 2 == 0 && differs(image, 3, -1)) {
    diagnostics.push_back(warning(WarningKind::kDroppedChannels, ErrorCode::kUnsupported, "",
                                  std::string(opaque->what) + " with alpha: alpha is dropped",
                                  std::string(opaque->hint)));
  }
  return image;
}

Result<scene::Image> decode_for_picture(ByteSpan bytes, bool is_color, std::vector<Diagnostic>& diagnostics) {
  texture::CompileOptions options;
  options.mips.kind = is_color ? texture::TexelKind::kColor : texture::TexelKind::kLinear;
  return decode_picture(bytes, options, diagnostics);
}

Result<PictureHead> picture_head(const std::function<Result<Bytes>(std::size_t size)>& head,
                                 const TextureSettings& settings) {
  constexpr std::size_t kHeadBytes = 256 << 10;
  PictureHead picture;
  ASSETC_TRY(picture.bytes, head(kHeadBytes));
  picture.info = importer::read_image_info(picture.bytes, settings.layer.text);
  if (picture.info) return picture;
  ASSETC_TRY(picture.bytes, head(std::numeric_limits<std::size_t>::max()));
  picture.info = importer::read_image_info(picture.bytes, settings.layer.text);
  return picture;
}

std::uint64_t picture_peak_bytes(const PictureHead& head, texture::Arrangement arrangement,
                                 const texture::CompileOptions& options) {
  if (!head.info) return kRefusedBytes + head.bytes.size();
  const importer::ImageInfo& info = *head.info;
  return head.bytes.size() + info.scratch_bytes +
         texture::compile_peak_bytes({info.width_texels, info.height_texels}, info.type, arrangement, options);
}

texture::ImageSource picture_source(PictureSet set, const texture::CompileOptions& options, Inputs& inputs,
                                    std::vector<Diagnostic>& diagnostics) {
  return [set = std::move(set), &options, &inputs, &diagnostics,
          first = texture::Extent{}](std::uint32_t index) mutable -> Result<scene::Image> {
    const std::string path = set.folder + "/" + set.names[index];
    ASSETC_TRY(scene::Image image, read_picture(path, options, inputs, diagnostics, set.use));
    if (set.mode != TextureUsage::kAuto) {
      const std::size_t before = diagnostics.size();
      check_texels(image, set.mode, diagnostics);
      check_noun(image, set.params, diagnostics);
      for (std::size_t i = before; i < diagnostics.size(); ++i)
        diagnostics[i].what = std::move(diagnostics[i].what).in(path);
    }
    const texture::Extent extent{image.width_texels, image.height_texels};
    if (index == 0) first = extent;
    const auto size = [](texture::Extent e) {
      return std::to_string(e.width_texels) + "x" + std::to_string(e.height_texels);
    };
    const auto refuse = [&](const std::string& expected, std::string_view hint) {
      return std::unexpected(Error{ErrorCode::kInvalidData,
                                   path,
                                   {},
                                   "found " + size(extent) + " texels, expected " + expected,
                                   std::string(hint)});
    };
    if (set.are_faces && extent.width_texels != extent.height_texels)
      return refuse("a square face", "render the faces as squares");
    if (extent != first) return refuse(size(first) + " like " + set.names[0], set.one_size_hint);
    return image;
  };
}

}  // namespace assetc::recipes
