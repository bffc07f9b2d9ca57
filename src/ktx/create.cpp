// ktx create: pictures, or raw texels, to KTX 2.

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "import/image/image.hpp"
#include "ktx/create_plan.hpp"
#include "ktx/picture.hpp"
#include "ktx/write.hpp"
#include "parallel/parallel.hpp"
#include "text/format.hpp"
#include "texture/compile.hpp"
#include "texture/range.hpp"

namespace assetc::ktx {
namespace {

using ktx2::Transfer;
using scene::Image;
using texture::Channel;
using texture::ChannelMap;
using texture::EncodedTexture;
using texture::Extent;

// One picture, ready for the encoder.
Result<Image> load_picture(const Create& asked, const CreatePlan& plan, const std::string& path,
                           const Context& context) {
  auto bytes = context.io.read(path);
  if (!bytes) return std::unexpected(std::move(bytes).error().in(path));
  const auto info = importer::read_image_info(*bytes);
  if (!info) return std::unexpected(Error(info.error()).in(path));
  auto decoded = importer::decode_image(*bytes, *info);
  if (!decoded) return std::unexpected(std::move(decoded).error().in(path));
  Image image = std::move(*decoded);
  if (!image.damage.empty()) context.warn(path + ": " + image.damage);
  if (asked.assign_primaries.empty() && info->primaries) {
    context.warn(path + ": the primaries " + importer::name_of(info->primaries->primaries) + " (" +
                 info->primaries->place + ") are not converted; --assign-primaries says which to write");
  }
  if (asked.assign_transfer.empty() && info->other_color)
    context.warn(path + ": " + info->other_color->found + " (" + info->other_color->place + ") is not applied");
  const bool floats = image.type == scene::PixelType::kF32;
  const bool wants_light = plan.asked.format == TexelFormat::kBc6h ||
                           (plain_channel_bytes(plan.asked.format) == 2 && !has_srgb_form(plan.asked.format) &&
                            plan.asked.format >= TexelFormat::kR16f);
  if (floats != wants_light) {
    return std::unexpected(Error{ErrorCode::kInvalidData,
                                 path,
                                 {},
                                 std::string("holds ") + (floats ? "floats" : "integers") + ", but --format " +
                                     asked.format + " holds " + (wants_light ? "floats" : "integers"),
                                 {}});
  }
  if (asked.width.value_or(image.width_texels) != image.width_texels ||
      asked.height.value_or(image.height_texels) != image.height_texels) {
    return std::unexpected(Error{ErrorCode::kUnsupported,
                                 path,
                                 {},
                                 "has " + std::to_string(image.width_texels) + "x" +
                                     std::to_string(image.height_texels) +
                                     " texels, and is not resampled to --width and --height",
                                 "resize it first"});
  }
  if (floats && plan.asked.format == TexelFormat::kBc6h) {
    const texture::Outside negative = texture::values_outside(image, 3, 0, std::numeric_limits<float>::max());
    if (negative.texel_count != 0) {
      context.warn(path + ": " + plural(negative.texel_count, "texel") +
                   formatted(" with negative values, the least is {:.4g}; BC6H_UFLOAT_BLOCK clips them to 0; "
                             "R16G16B16A16_SFLOAT keeps them",
                             negative.least));
    }
  }
  if (!floats) {
    // As KTX-Software does it: a PNG of 16 bits that says nothing is linear.
    const bool is_linear =
        info->format == importer::ImageFormat::kPng && image.type == scene::PixelType::kU16 && !info->declares_transfer;
    const Transfer from = plan.source_transfer.value_or(is_linear ? Transfer::kLinear : Transfer::kSrgb);
    if (from != plan.asked.transfer && (plan.converts || !plan.source_transfer)) {
      const bool lossy = from == Transfer::kSrgb;
      const std::string what = path + " is converted from " + (lossy ? "sRGB to linear" : "linear to sRGB");
      if (asked.fail_on_conversion)
        return fail(ErrorCode::kInvalidData, what + ", which --fail-on-color-conversions forbids");
      if (!asked.never_warn_on_conversion && (asked.warn_on_conversion || lossy))
        context.warn(what + (lossy ? ", which loses shades; --assign-tf linear keeps the numbers" : ""));
      convert_transfer(image, from, plan.asked.transfer);
    }
  }
  if (plan.source_origin != plan.origin) {
    if (asked.fail_on_flip)
      return fail(ErrorCode::kInvalidData, path + " is turned upside down, which --fail-on-origin-changes forbids");
    if (asked.warn_on_flip) context.warn(path + " is turned upside down");
    flip_rows(image);
  }
  if (!asked.input_swizzle.empty()) {
    texture::apply_channels(*texture::parse_channels(asked.input_swizzle), image);
    image.source_channels = 4;
  }
  if (asked.normalize) normalize_vectors(image, plan.channels);
  if (asked.premultiply) premultiply_alpha(image, plan.asked.transfer);
  return image;
}

bool is_transcoded(const CreatePlan& plan) {
  return plan.target == texture::TargetFormat::kUastc || plan.target == texture::TargetFormat::kEtc1s;
}

// The channels that are encoded for a format: what it lacks is 0, and alpha is 1. One channel is gray, as in KTX.
ChannelMap encoded_channels(const Create& asked, const CreatePlan& plan) {
  using enum Channel;
  if (asked.normal_mode) return {kR, kR, kR, kG};
  switch (plan.channels) {
    case 1:
      return is_transcoded(plan) ? ChannelMap{kR, kR, kR, kOne} : ChannelMap{kR, kZero, kZero, kOne};
    case 2:
      if (plan.target == texture::TargetFormat::kEtc1s) return {kR, kR, kR, kG};
      return {kR, kG, kZero, kOne};
    case 3:
      return {kR, kG, kB, kOne};
    default:
      return texture::kAllChannels;
  }
}

texture::Filter filter_of(const Create& asked, const Context& context) {
  const std::string name = ascii_lower(asked.mip_filter);
  if (name == "box") return texture::Filter::kBox;
  if (name == "kaiser") return texture::Filter::kKaiser;
  if (!name.starts_with("lanczos"))
    context.warn("--mipmap-filter " + asked.mip_filter + " is not supported; lanczos is used");
  return texture::Filter::kLanczos;
}

texture::MipOptions mip_options(const Create& asked, const CreatePlan& plan, const Context& context) {
  texture::MipOptions mips;
  mips.kind = plan.asked.transfer == Transfer::kSrgb ? texture::TexelKind::kColor : texture::TexelKind::kLinear;
  if (plan.asked.format == TexelFormat::kBc6h) mips.kind = texture::TexelKind::kHdr;
  mips.all_levels = asked.generate_mips;
  if (!asked.generate_mips) return mips;
  mips.filter = filter_of(asked, context);
  const std::string wrap = ascii_lower(asked.mip_wrap);
  mips.wrap = wrap == "wrap" ? texture::Wrap::kRepeat : texture::Wrap::kClamp;
  if (wrap == "reflect") context.warn("--mipmap-wrap reflect is not supported; clamp is used");
  if (asked.mip_filter_scale != 1) context.warn("--mipmap-filter-scale is not supported; 1 is used");
  return mips;
}

codec::Effort effort_of(const Create& asked, const CreatePlan& plan) {
  if (plan.target == texture::TargetFormat::kUastc) {
    return asked.uastc_quality < 2    ? codec::Effort::kFast
           : asked.uastc_quality == 2 ? codec::Effort::kNormal
                                      : codec::Effort::kBest;
  }
  if (plan.target == texture::TargetFormat::kEtc1s) {
    return asked.compression_level == 0   ? codec::Effort::kFast
           : asked.compression_level <= 2 ? codec::Effort::kNormal
                                          : codec::Effort::kBest;
  }
  const std::string quality = ascii_lower(asked.astc_quality);
  return quality == "fastest" || quality == "fast" ? codec::Effort::kFast
         : quality == "medium"                     ? codec::Effort::kNormal
                                                   : codec::Effort::kBest;
}

// Pictures of one level to blocks; with --generate-mipmap, of all levels.
Result<EncodedTexture> encode(const Create& asked, const CreatePlan& plan, std::uint32_t first, std::uint32_t level,
                              const texture::MipOptions& mips, const Context& context) {
  texture::CompileOptions options;
  options.mips = mips;
  options.format = plan.target;
  options.channels = encoded_channels(asked, plan);
  if (plan.asked.format == TexelFormat::kBc6h) options.channels.reset();
  options.effort = effort_of(asked, plan);
  options.etc1s_quality = asked.quality_level;
  options.zstd_level = static_cast<std::uint32_t>(asked.zstd.value_or(0));
  if (asked.rdo)
    options.rdo = static_cast<float>(std::min(asked.rdo_lambda * texture::kUsualRdo, double{codec::kMaxRdo}));
  const std::uint32_t slices = std::max(plan.depth >> level, 1u);
  const texture::ImageSource source = [&](std::uint32_t index) {
    return load_picture(asked, plan, plan.inputs[first + index], context);
  };
  return texture::compile_texture(source, {plan.layers * slices, plan.faces}, options);
}

// The bytes of one level of plain texels: the channels that the format has.
ByteVector plain_texels(const texture::MipChain& chain, TexelFormat format) {
  const Extent extent = chain.extent();
  const std::size_t texels = std::size_t{extent.width_texels} * extent.height_texels;
  const std::size_t width = plain_channel_bytes(format), channels = plain_channels(format);
  ByteVector all(texels * 4 * width);
  if (width == 1) {
    chain.read_rgba8(0, extent.height_texels, all);
  } else if (format >= TexelFormat::kR16f) {
    chain.read_rgba16f(0, extent.height_texels, all);
  } else {
    chain.read_rgba16(0, extent.height_texels, all);
  }
  if (channels == 4) return all;
  ByteVector out(texels * channels * width);
  for (std::size_t i = 0; i < texels; ++i)
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(i * 4 * width), channels * width,
                out.begin() + static_cast<std::ptrdiff_t>(i * channels * width));
  return out;
}

// Pictures of one level as texels; with --generate-mipmap, of all levels.
Result<EncodedTexture> store(const Create& asked, const CreatePlan& plan, std::uint32_t first, std::uint32_t level,
                             const texture::MipOptions& mips, const Context& context) {
  EncodedTexture out;
  out.format = plan.asked.format;
  out.zstd_level = asked.zstd.value_or(0);
  std::vector<ByteVector> levels;
  Extent extent;
  for (std::uint32_t index = 0; index < plan.images(level); ++index) {
    ASSETC_TRY(Image image, load_picture(asked, plan, plan.inputs[first + index], context));
    const Extent found{image.width_texels, image.height_texels};
    if (index == 0) extent = found;
    if (found != extent) {
      return std::unexpected(Error{ErrorCode::kInvalidData,
                                   plan.inputs[first + index],
                                   {},
                                   "has " + std::to_string(found.width_texels) + "x" +
                                       std::to_string(found.height_texels) + " texels, expected " +
                                       std::to_string(extent.width_texels) + "x" +
                                       std::to_string(extent.height_texels) + " like the first",
                                   {}});
    }
    // Alpha that is not stored must not weigh the colors.
    if (plan.channels < 4) image.source_channels = 3;
    texture::MipOptions of_plain = mips;
    if (image.type == scene::PixelType::kF32) of_plain.kind = texture::TexelKind::kHdr;
    texture::MipChain chain(std::move(image), of_plain);
    levels.resize(chain.level_count());
    do {
      const ByteVector texels = plain_texels(chain, plan.asked.format);
      ByteVector& to = levels[chain.level()];
      to.insert(to.end(), texels.begin(), texels.end());
    } while (chain.advance());
  }
  out.width_texels = extent.width_texels;
  out.height_texels = extent.height_texels;
  for (ByteVector& bytes : levels) ASSETC_CHECK(out.add_level(std::move(bytes)));
  return out;
}

Result<EncodedTexture> make(const Create& asked, const CreatePlan& plan, const Context& context) {
  const texture::MipOptions mips = mip_options(asked, plan, context);
  std::optional<EncodedTexture> out;
  std::uint32_t first = 0;
  for (std::uint32_t level = 0; level < plan.levels; first += plan.images(level), ++level) {
    auto made = plan.encodes ? encode(asked, plan, first, level, mips, context)
                             : store(asked, plan, first, level, mips, context);
    if (!made) return made;
    if (!out) {
      out = std::move(*made);
      if (plan.levels > texture::full_level_count({out->width_texels, out->height_texels}))
        return usage("--levels " + std::to_string(plan.levels) + " is more than a texture of " +
                     std::to_string(out->width_texels) + "x" + std::to_string(out->height_texels) + " has");
      continue;
    }
    const std::uint32_t width = std::max(out->width_texels >> level, 1u),
                        height = std::max(out->height_texels >> level, 1u);
    if (made->width_texels != width || made->height_texels != height) {
      return std::unexpected(Error{ErrorCode::kInvalidData,
                                   plan.inputs[first],
                                   {},
                                   "has " + std::to_string(made->width_texels) + "x" +
                                       std::to_string(made->height_texels) + " texels, expected " +
                                       std::to_string(width) + "x" + std::to_string(height) + " for level " +
                                       std::to_string(level),
                                   {}});
    }
    // Whether a picture has alpha is found for each level; the first one decides.
    if (made->format != out->format)
      return fail(ErrorCode::kUnsupported, "level " + std::to_string(level) + " and level 0 differ in alpha");
    if (made->channels == UastcChannels::kRgba) out->channels = UastcChannels::kRgba;
    out->levels.push_back(std::move(made->levels.front()));
  }
  if (asked.generate_mips && asked.levels) {
    if (*asked.levels > out->levels.size())
      return usage("--levels " + std::to_string(*asked.levels) + " is more than the " +
                   std::to_string(out->levels.size()) + " that the texture has");
    const std::size_t had_levels = out->levels.size();
    out->levels.resize(*asked.levels);
    if (out->basis_lz) out->basis_lz->images.resize(out->basis_lz->images.size() / had_levels * *asked.levels);
  }
  return std::move(*out);
}

Result<ByteVector> create_from_pictures(const Create& asked, const CreatePlan& plan, const Context& context) {
  Arena arena(static_cast<int>(asked.threads));
  auto made = arena.execute([&] { return make(asked, plan, context); });
  if (!made) return std::unexpected(std::move(made).error());
  EncodedTexture& texture = *made;
  texture.layer_count = asked.layers.value_or(0);
  texture.depth_texels = asked.depth.value_or(0);
  texture.face_count = plan.faces;
  texture.swizzle.reset();
  if (!asked.swizzle.empty()) texture.swizzle = texture::parse_channels(asked.swizzle);
  if (plan.target == texture::TargetFormat::kUastc && plan.encodes) {
    if (asked.normal_mode)
      texture.channels = UastcChannels::kRrrg;
    else if (plan.channels == 1)
      texture.channels = UastcChannels::kRrr;
    else if (plan.channels == 2)
      texture.channels = UastcChannels::kRg;
    else
      texture.channels = plan.channels == 3 ? UastcChannels::kRgb : UastcChannels::kRgba;
  }
  return write_file(texture, {.transfer = plan.asked.transfer,
                              .primaries = plan.primaries,
                              .premultiplied_alpha = asked.premultiply,
                              .orientation = plan.orientation(asked)});
}

Result<Exit> run_create(const Create& asked, const Context& context) {
  ASSETC_TRY(const CreatePlan plan, plan_create(asked, context));
  ASSETC_TRY(const ByteVector file,
             asked.raw ? create_raw(asked, plan, context) : create_from_pictures(asked, plan, context));
  auto written = context.io.write(plan.output, file);
  if (!written) return std::unexpected(std::move(written).error().in(plan.output));
  return Exit::kSuccess;
}

}  // namespace

Run add_create(const command_line::Command& app) {
  const auto state = std::make_shared<Create>();
  add_create_options(app, *state);
  return [state](const Context& context) { return run_create(*state, context); };
}

}  // namespace assetc::ktx
