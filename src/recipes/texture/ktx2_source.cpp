#include "recipes/texture/ktx2_source.hpp"

#include <algorithm>
#include <optional>

#include "assetc/codec/transcode.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/inflate.hpp"
#include "filetypes/filetypes.hpp"
#include "filetypes/levels.hpp"
#include "import/texture/file.hpp"
#include "import/texture/ktx2.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/texture/picture.hpp"
#include "recipes/texture/words.hpp"
#include "texture/decode.hpp"

namespace assetc::recipes {
namespace {

bool is_light(TexelFormat format) {
  return format == TexelFormat::kBc6h || (format >= TexelFormat::kR16f && format <= TexelFormat::kRgba32f);
}

// The options for a picture of that file. If neither a setting nor a name says its use, the file's transfer function
// and channels decide.
Result<texture::CompileOptions> options_of(const Step& step, const ktx2::View& view) {
  ASSETC_TRY(TextureUsage mode, mode_of(step));
  if (mode == TextureUsage::kCopy) {
    const bool light = view.format() && is_light(*view.format());
    mode = light ? TextureUsage::kHdr : view.is_srgb() ? TextureUsage::kColor : TextureUsage::kLinear;
  }
  return compile_options(step, mode);
}

// The reason why a file cannot be recompiled.
struct Obstacle {
  std::string what, hint;
};
std::optional<Obstacle> obstacle(const ktx2::View& view, const texture::CompileOptions& options) {
  const texture::TexelKind kind = options.mips.kind;
  constexpr std::string_view kRight = "export the texture as needed, or start from a picture";
  const std::string hint(kRight);
  if (!view.format()) return Obstacle{"its VkFormat " + std::to_string(view.vk_format()) + " is not known", hint};
  const std::string name(to_string(*view.format()));
  if (view.depth_texels() != 0) return Obstacle{"it is three-dimensional", hint};
  if (view.height_texels() == 0) return Obstacle{"it is one-dimensional", hint};
  if (view.supercompression() == ktx2::Supercompression::kZlib || !texture::can_decode(*view.format()))
    return Obstacle{name + " cannot be decoded", hint};
  if (const std::string_view turned = view.text("KTXorientation"); !turned.empty() && turned != "rd")
    return Obstacle{"its KTXorientation is " + std::string(turned), hint};
  if (view.is_alpha_premultiplied()) return Obstacle{"its colors are premultiplied by alpha", hint};
  if ((kind == texture::TexelKind::kColor) != view.is_srgb())
    return Obstacle{std::string("it is ") + (view.is_srgb() ? "sRGB, but used as data" : "linear, but used as color"),
                    hint};
  // ETC1S is a transport format, so recompiling it for a device is allowed.
  const bool is_for_devices = is_block_compressed(*view.format()) && *view.format() != TexelFormat::kEtc1s;
  if (options.format == texture::TargetFormat::kUastc && is_for_devices && !options.turns_y)
    return Obstacle{"it holds " + name + ", and another encoding would only lose quality",
                    "set texture.format: auto, or its format, in a rule for it"};
  return std::nullopt;
}

// Block formats that `auto` accepts. If an author chose one of them, it is kept.
bool suits_auto(TexelFormat format) { return format >= TexelFormat::kBc1Rgb && format <= TexelFormat::kBc7; }

texture::Arrangement arrangement_of(const ktx2::View& view) { return {view.layer_count(), view.face_count()}; }

texture::ColorSpace color_space_of(const ktx2::View& view) {
  if (view.is_srgb()) return texture::ColorSpace::kSrgb;
  const bool is_color = view.primaries() == static_cast<std::uint8_t>(ktx2::Primaries::kBt709);
  return is_color ? texture::ColorSpace::kLinear : texture::ColorSpace::kNone;
}

Result<void> check_levels(const ktx2::View& view) {
  auto checked = filetypes::check_levels(view);
  if (!checked) checked.error().hint = "export the file again";
  return checked;
}

// The images of an ETC1S level, as rows of texels.
Result<ByteVector> etc1s_texels(const ktx2::View& view, const ktx2::Level& level, ByteSpan blocks) {
  const bool has_alpha = view.block().size_bytes == 16;
  const std::uint64_t image_texels = std::uint64_t{level.width_texels} * level.height_texels;
  const std::uint64_t image_bytes = block_count(level.width_texels, level.height_texels) * view.block().size_bytes;
  std::vector<Rgba8> texels(image_texels);
  ByteVector out;
  out.reserve(blocks.size() / image_bytes * image_texels * sizeof(Rgba8));
  for (std::size_t at = 0; at < blocks.size(); at += image_bytes) {
    ASSETC_CHECK(decode_blocks(blocks.subspan(at, image_bytes),
                               has_alpha ? BlockFormat::kEtc1sAlpha : BlockFormat::kEtc1s, level.width_texels,
                               level.height_texels, texels));
    const auto bytes = std::as_bytes(std::span(texels));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

// The texture of a file, as a value.
Result<texture::EncodedTexture> value_of(const ktx2::View& view) {
  if (!view.format()) {
    return fail(ErrorCode::kUnsupported, "its VkFormat " + std::to_string(view.vk_format()) + " is not known",
                "export it in another format");
  }
  texture::EncodedTexture texture;
  texture.format = *view.format();
  texture.color_space = color_space_of(view);
  if (texture.format == TexelFormat::kUastc) texture.channels = static_cast<UastcChannels>(view.first_channel());
  const bool is_etc1s = texture.format == TexelFormat::kEtc1s;
  const bool is_split = is_etc1s && view.etc1s_channels() == ktx2::Etc1sChannels::kRedGreen;
  if (is_etc1s) texture.format = TexelFormat::kRgba8;  // no other container holds ETC1S
  const std::string_view swizzle = view.text("KTXswizzle");
  texture.swizzle = texture::parse_channels(is_split && swizzle.empty() ? "ra01" : swizzle);
  texture.width_texels = view.width_texels();
  texture.height_texels = std::max(view.height_texels(), 1u);
  texture.depth_texels = view.depth_texels();
  texture.layer_count = view.layer_count();
  texture.face_count = view.face_count();
  for (const ktx2::KeyValue& kv : view.key_values()) {
    if (!kv.key.starts_with("KTX") && !kv.key.starts_with("ktx")) read_key(kv.key, view.text(kv.key), texture);
  }
  for (std::size_t l = 0; l < view.levels().size(); ++l) {
    ASSETC_TRY(const std::uint64_t size, runtime::inflated_size_bytes(view, l));
    ByteVector bytes(size);
    ASSETC_CHECK(runtime::inflate_level(view, l, bytes));
    if (is_etc1s) {
      ASSETC_TRY(bytes, etc1s_texels(view, view.levels()[l], bytes));
    }
    const std::uint64_t stored_bytes = bytes.size();
    texture.levels.push_back({std::move(bytes), stored_bytes});
  }
  return texture;
}

// The file unchanged, or its texture in another container.
Result<Product> copied(const Bytes& file, const ktx2::View& view, const Step& step) {
  Product product;
  if (&step.containers->texture == &kKtx2) {
    product.outputs.push_back({std::string(kKtx2.suffix), file, {AssetKind::kTexture, view.is_srgb()}});
    return product;
  }
  ASSETC_TRY(const texture::EncodedTexture texture, value_of(view));
  ASSETC_CHECK(add_texture(texture, step, product));
  return product;
}

// The file as KTX 2. If a KTX 1 or DDS file does not say its transfer function, it is color, unless it is used as data.
Result<Bytes> as_ktx2(const Step& step, const Bytes& source, std::string& left_out) {
  ASSETC_TRY(const TextureUsage mode, mode_of(step));
  const bool is_color = mode == TextureUsage::kCopy || mode == TextureUsage::kColor;
  return importer::as_ktx2(source, is_color ? ktx2::Transfer::kSrgb : ktx2::Transfer::kLinear, &left_out);
}

// The file, its unpacked texels, and those as KTX 2; then the bytes that compiling a picture of that size takes.
std::uint64_t older_peak_bytes(const Step& step, ByteSpan head) {
  const auto info = importer::read_image_info(head);
  const auto options = compile_options(step, TextureUsage::kColor);
  constexpr std::uint64_t kGrowth = 8;  // 8-bit texels of one channel that become 16 bits in four channels
  if (!info || !options) return head.size();
  return head.size() * (2 + kGrowth) +
         texture::compile_peak_bytes({info->width_texels, info->height_texels}, scene::PixelType::kF32, {}, *options);
}

Result<Product> cook_ktx2(const Step& step, const Bytes& file) {
  ASSETC_TRY(const ktx2::View view, ktx2::View::open(file));
  ASSETC_CHECK(check_levels(view));
  ASSETC_TRY(const texture::CompileOptions options, options_of(step, view));
  if (view.format() && !options.turns_y) {
    const auto plan = texture::plan_storage(options.format, options.mips.kind, options.channels);
    const bool as_asked =
        plan && plan->format == *view.format() && (plan->color_space == texture::ColorSpace::kSrgb) == view.is_srgb();
    if (as_asked || (options.format == texture::TargetFormat::kAuto && suits_auto(*view.format())))
      return copied(file, view, step);
  }
  if (const auto why = obstacle(view, options)) {
    ASSETC_TRY(Product product, copied(file, view, step));
    Settings settings;
    settings.texture.format = options.format;
    product.diagnostics.push_back(warning(WarningKind::kCopiedTexture, ErrorCode::kUnsupported, "",
                                          "copied unchanged instead of compiled to texture.format (" +
                                              find_setting("texture.format")->get(settings) + "): " + why->what,
                                          why->hint));
    return product;
  }
  Product product;
  const texture::ImageSource images = [&](std::uint32_t index) {
    const std::uint32_t faces = view.face_count();
    auto image = importer::decode_ktx2(view, {.layer = index / faces, .face = index % faces});
    if (image) warn_of_storage(*image, options, PictureUse::kTexture, product.diagnostics);
    return image;
  };
  ASSETC_TRY(const texture::EncodedTexture texture, texture::compile_texture(images, arrangement_of(view), options));
  ASSETC_CHECK(add_texture(texture, step, product));
  return product;
}

}  // namespace

Result<Product> cook_texture_file(const Step& step, const Bytes& source) {
  std::string left_out;
  ASSETC_TRY(const Bytes file, as_ktx2(step, source, left_out));
  ASSETC_TRY(Product product, cook_ktx2(step, file));
  if (!left_out.empty()) {
    product.diagnostics.push_back(warning(WarningKind::kPartlyReadPicture, ErrorCode::kInvalidData, "",
                                          "these parts of the texture are not read: " + left_out,
                                          "export the texture again, if they matter"));
  }
  return product;
}

std::uint64_t texture_file_peak_bytes(const Step& step, ByteSpan head) {
  if (!importer::is_ktx2(head)) return older_peak_bytes(step, head);
  if (head.size() < ktx2::kHeaderBytes) return head.size();
  const auto field = [&](std::size_t at) { return load<std::uint32_t>(head, at); };
  const texture::Extent extent{field(20), std::max(field(24), 1u)};
  const std::uint32_t layers = field(32), faces = std::max(field(36), 1u);
  const bool valid = extent.width_texels <= ktx2::kMaxExtentTexels && extent.height_texels <= ktx2::kMaxExtentTexels &&
                     layers <= ktx2::kMaxLayers && faces <= 6;
  const auto options = compile_options(step, TextureUsage::kColor);
  if (!valid || !options) return head.size();
  // Each level is inflated to be checked, or decoded, to floats at most.
  const std::uint64_t texels = std::uint64_t{extent.width_texels} * extent.height_texels;
  return texels * std::max(layers, 1u) * faces * 4 +
         texture::compile_peak_bytes(extent, scene::PixelType::kF32, {layers, faces}, *options);
}

}  // namespace assetc::recipes
