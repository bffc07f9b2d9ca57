#include "ktx/create_plan.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/plural.hpp"

namespace assetc::ktx {
namespace {

using ktx2::Transfer;

// Lines of a list file that is given as @FILE. With @@FILE, names are relative to the folder of the list.
Result<void> add_listed(const Io& io, std::string_view argument, std::vector<std::string>& inputs) {
  const bool beside = argument.starts_with("@@");
  const std::string list(argument.substr(beside ? 2 : 1));
  auto bytes = io.read(list);
  if (!bytes) return std::unexpected(std::move(bytes).error().in(list));
  std::string_view text = as_text(*bytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t slash = list.rfind('/');
  const std::string folder = beside && slash != list.npos ? list.substr(0, slash + 1) : "";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) inputs.push_back(folder + std::string(line));
  }
  return {};
}

Result<Transfer> transfer_of(std::string_view option, std::string name) {
  constexpr std::string_view kPrefix = "khr_df_transfer_";
  name = ascii_lower(name);
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  if (name == "linear") return Transfer::kLinear;
  if (name == "srgb" || name == "srgb_eotf" || name == "scrgb" || name == "scrgb_eotf") return Transfer::kSrgb;
  return unsupported(std::string(option) + " " + name + " is not supported, only linear and srgb are");
}

Result<ktx2::Primaries> primaries_of(std::string_view option, std::string name) {
  constexpr std::string_view kPrefix = "khr_df_primaries_";
  name = ascii_lower(name);
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  if (name == "none") return ktx2::Primaries::kUnspecified;
  if (name == "bt709" || name == "srgb") return ktx2::Primaries::kBt709;
  return unsupported(std::string(option) + " " + name + " is not supported, only bt709 and none are");
}

Result<Origin> origin_of(std::string_view option, const std::string& name) {
  const std::string corner = ascii_lower(name);
  if (corner == "top-left" || corner == "top-left-front") return Origin::kTopLeft;
  if (corner == "bottom-left" || corner == "bottom-left-front") return Origin::kBottomLeft;
  return unsupported(std::string(option) + " " + name + " is not supported, only top-left and bottom-left are");
}

// The target of an encoder for a format of blocks; nothing for a format that needs --raw.
std::optional<texture::TargetFormat> encoder_of(TexelFormat format) {
  using F = TexelFormat;
  using T = texture::TargetFormat;
  switch (format) {
    case F::kBc1Rgb:
      return T::kBc1;
    case F::kBc3:
      return T::kBc3;
    case F::kBc4:
      return T::kBc4;
    case F::kBc5:
      return T::kBc5;
    case F::kBc6h:
      return T::kBc6h;
    case F::kBc7:
      return T::kBc7;
    case F::kEtc2Rgb:
    case F::kEtc2Rgba:
    case F::kEacR11:
    case F::kEacRg11:
      return T::kEtc2;
    case F::kAstc4x4:
      return T::kAstc4x4;
    case F::kAstc6x6:
      return T::kAstc6x6;
    case F::kAstc8x8:
      return T::kAstc8x8;
    default:
      return std::nullopt;
  }
}

std::uint32_t channels_of(TexelFormat format) {
  using F = TexelFormat;
  if (const std::uint32_t plain = plain_channels(format); plain != 0) return plain;
  if (format == F::kBc4 || format == F::kEacR11) return 1;
  if (format == F::kBc5 || format == F::kEacRg11) return 2;
  return format == F::kBc1Rgb || format == F::kBc6h || format == F::kEtc2Rgb ? 3 : 4;
}

Result<void> plan_format(const Create& asked, CreatePlan& plan) {
  const auto format = vk_format_of(parse_vk_format(asked.format));
  if (!format) return usage("--format " + asked.format + " is not the name of a VkFormat");
  if (format->is_prohibited) return usage("--format " + asked.format + " is not allowed in KTX 2");
  plan.format = *format;
  const auto* row = ktx2::find_vk_format(format->number, plan.asked.transfer);
  // Texels of pictures are stored as integers or as half floats.
  const bool is_wide = row != nullptr && plain_channel_bytes(row->format) == 4;
  if (row != nullptr && (asked.raw || !is_wide)) {
    plan.asked.format = row->format;
  } else if (!asked.raw) {
    return unsupported("--format " + asked.format + " cannot be made from pictures", "give its bytes with --raw");
  } else {
    plan.asked.transfer = format->numeric == Numeric::kSrgb ? Transfer::kSrgb : Transfer::kLinear;
  }
  plan.channels = channels_of(plan.asked.format);
  return {};
}

Result<void> plan_encoding(const Create& asked, CreatePlan& plan) {
  const std::string encoder = ascii_lower(asked.encode);
  if (encoder.empty()) {
    if (asked.raw || plain_channels(plan.asked.format) != 0) return {};
    const auto target = encoder_of(plan.asked.format);
    if (!target) return unsupported("there is no encoder for --format " + asked.format, "give its blocks with --raw");
    plan.encodes = true;
    plan.target = *target;
    return {};
  }
  if (encoder.starts_with("uastc-hdr"))
    return unsupported("--encode " + asked.encode + " is not supported", "use --format BC6H_UFLOAT_BLOCK");
  const bool is_basis_lz = encoder == "basis-lz";
  if (!is_basis_lz && encoder != "uastc" && encoder != "uastc-ldr-4x4")
    return usage("found --encode " + asked.encode + ", expected basis-lz or uastc");
  if (asked.raw) return unsupported("--raw with --encode is not supported", "give pictures");
  if (plain_channels(plan.asked.format) == 0 || plain_channel_bytes(plan.asked.format) != 1)
    return usage("--encode " + asked.encode + " needs a --format of 8-bit channels, such as R8G8B8A8_SRGB, found " +
                 asked.format);
  plan.encodes = true;
  plan.target = is_basis_lz ? texture::TargetFormat::kEtc1s : texture::TargetFormat::kUastc;
  if (!is_basis_lz) return {};
  if (asked.zstd) return usage("--zstd cannot be used with --encode basis-lz, which compresses the texture itself");
  if (asked.depth) return unsupported("--encode basis-lz of 3D textures is not supported", "use --encode uastc");
  if (plan.levels != 1)
    return unsupported("--encode basis-lz of given mip levels is not supported", "use --generate-mipmap");
  return {};
}

Result<void> plan_color(const Create& asked, CreatePlan& plan) {
  const bool srgb = plan.asked.transfer == Transfer::kSrgb;
  if (!asked.assign_transfer.empty()) {
    ASSETC_TRY(plan.source_transfer, transfer_of("--assign-tf", asked.assign_transfer));
  }
  if (!asked.convert_transfer.empty()) {
    ASSETC_TRY(const Transfer wanted, transfer_of("--convert-tf", asked.convert_transfer));
    if (asked.raw) return usage("--convert-tf cannot be used with --raw");
    if (wanted != plan.asked.transfer)
      return usage("--format " + asked.format + " does not hold what --convert-tf " + asked.convert_transfer +
                   " makes");
    plan.converts = true;
  } else if (plan.source_transfer && *plan.source_transfer != plan.asked.transfer &&
             (srgb || has_srgb_variant(plan.format.number))) {
    return usage("--format " + asked.format + " does not hold the transfer function that --assign-tf " +
                 asked.assign_transfer + " says; add --convert-tf, or use the other format");
  }
  if (!asked.assign_primaries.empty()) {
    ASSETC_TRY(plan.primaries, primaries_of("--assign-primaries", asked.assign_primaries));
  }
  if (!asked.convert_primaries.empty()) {
    ASSETC_TRY(const ktx2::Primaries wanted, primaries_of("--convert-primaries", asked.convert_primaries));
    if (wanted != ktx2::Primaries::kBt709 || plan.primaries != ktx2::Primaries::kBt709)
      return usage("--convert-primaries converts only from bt709 to bt709 here");
  }
  if (!asked.assign_origin.empty()) {
    ASSETC_TRY(plan.source_origin, origin_of("--assign-texcoord-origin", asked.assign_origin));
    plan.origin = plan.source_origin;
  }
  if (!asked.convert_origin.empty()) {
    if (asked.raw && asked.assign_origin.empty())
      return usage("--convert-texcoord-origin with --raw needs --assign-texcoord-origin");
    ASSETC_TRY(plan.origin, origin_of("--convert-texcoord-origin", asked.convert_origin));
    if (asked.raw && plan.origin != plan.source_origin) return unsupported("raw texels cannot be turned upside down");
  }
  if (asked.cubemap && plan.origin != Origin::kTopLeft) return usage("a cubemap needs the origin top-left");
  return {};
}

Result<void> plan_shape(const Create& asked, CreatePlan& plan) {
  if (asked.one_dimensional && !asked.raw) return unsupported("--1d is only supported with --raw");
  if (asked.one_dimensional && (asked.height != 1u || plan.format.is_block || asked.depth || asked.cubemap))
    return usage("--1d needs --height 1 and texels, and neither --depth nor --cubemap");
  if (asked.runtime_mips) return unsupported("--runtime-mipmap is not supported", "use --generate-mipmap");
  if (asked.layers == 0u || asked.depth == 0u || asked.levels == 0u)
    return usage("--layers, --depth and --levels are at least 1");
  if (asked.layers.value_or(1) > ktx2::kMaxLayers || asked.depth.value_or(1) > ktx2::kMaxExtentTexels)
    return usage("--layers and --depth are at most " + std::to_string(ktx2::kMaxLayers));
  if (asked.levels.value_or(1) > ktx2::kMaxLevels)
    return usage("--levels is at most " + std::to_string(ktx2::kMaxLevels));
  if (asked.cubemap && asked.depth) return usage("--cubemap and --depth exclude each other");
  if (asked.layers && asked.depth) return usage("--layers and --depth exclude each other");
  if (asked.generate_mips && (asked.raw || asked.depth))
    return usage(std::string("--generate-mipmap cannot be used with ") + (asked.raw ? "--raw" : "--depth"));
  if (asked.raw && (!asked.width || !asked.height)) return usage("--raw needs --width and --height");
  if (asked.raw && (*asked.width == 0 || *asked.height == 0 || *asked.width > ktx2::kMaxExtentTexels ||
                    *asked.height > ktx2::kMaxExtentTexels))
    return usage("--width and --height are from 1 to " + std::to_string(ktx2::kMaxExtentTexels));
  plan.layers = asked.layers.value_or(1);
  plan.faces = asked.cubemap ? 6 : 1;
  plan.depth = asked.depth.value_or(1);
  plan.levels = asked.generate_mips ? 1 : asked.levels.value_or(1);
  if (asked.raw && std::max({*asked.width, *asked.height, plan.depth}) >> (plan.levels - 1) == 0)
    return usage("--levels " + std::to_string(plan.levels) + " is more than a texture of " +
                 std::to_string(*asked.width) + "x" + std::to_string(*asked.height) + " has");

  std::uint64_t expected = 0;
  for (std::uint32_t level = 0; level < plan.levels; ++level) expected += plan.images(level);
  if (plan.inputs.size() != expected) {
    return usage("found " + plural(plan.inputs.size(), "input") + ", expected " + std::to_string(expected) + " for " +
                 plural(plan.levels, "level") + ", " + plural(plan.layers, "layer") + ", " +
                 plural(plan.faces, "face") + " and a depth of " + std::to_string(plan.depth));
  }
  return {};
}

}  // namespace

Result<CreatePlan> plan_create(const Create& asked, const Context& context) {
  CreatePlan plan;
  if (asked.files.size() < 2) return usage("expected input files and an output file");
  for (std::size_t i = 0; i + 1 < asked.files.size(); ++i) {
    if (asked.files[i].starts_with('@')) {
      ASSETC_CHECK(add_listed(context.io, asked.files[i], plan.inputs));
    } else {
      plan.inputs.push_back(asked.files[i]);
    }
  }
  plan.output = asked.files.back();
  if (std::ranges::count(plan.inputs, "-") > 1) return usage("standard input can be one input only");
  ASSETC_CHECK(plan_format(asked, plan));
  ASSETC_CHECK(plan_shape(asked, plan));
  ASSETC_CHECK(plan_encoding(asked, plan));
  ASSETC_CHECK(plan_color(asked, plan));

  const bool linear = plan.asked.transfer == Transfer::kLinear;
  if (asked.normalize && (asked.raw || !linear || plan.channels < 2))
    return usage("--normalize needs pictures and a linear format of two or more channels");
  if (asked.normal_mode && (asked.raw || !linear || plan.channels < 2 || !plan.encodes))
    return usage("--normal-mode needs an encoder, pictures, and a linear format of two or more channels");
  if (asked.premultiply && (asked.raw || asked.normalize))
    return usage("--premultiply-alpha cannot be used with --raw or --normalize");
  for (const std::string* letters : {&asked.swizzle, &asked.input_swizzle}) {
    if (!letters->empty() && (letters->size() != 4 || !texture::parse_channels(*letters)))
      return usage("found the swizzle \"" + *letters + "\", expected four of rgba01");
  }
  for (const std::string& option : asked.without_effect)
    context.warn(option + " has no effect: it belongs to another encoder than assetc's");
  return plan;
}

void add_create_options(const command_line::Command& app, Create& to) {
  app.add("files", to.files, "Pictures or raw files, or @LIST; then the .ktx2 to write. - is a standard stream")
      .required();
  app.add("--format", to.format, "VkFormat of the texels, such as R8G8B8A8_SRGB").required();
  app.add("--encode", to.encode, "Encoder: basis-lz or uastc");
  app.add_switch("--1d", to.one_dimensional, "A one-dimensional texture, with --raw");
  app.add_switch("--cubemap", to.cubemap, "Six inputs are the faces +X -X +Y -Y +Z -Z");
  app.add_switch("--raw", to.raw, "Inputs are texels or blocks as --format stores them");
  app.add("--width", to.width, "Width of the raw texture");
  app.add("--height", to.height, "Height of the raw texture");
  app.add("--depth", to.depth, "Slices of a 3D texture");
  app.add("--layers", to.layers, "Layers of an array");
  app.add("--levels", to.levels, "Mip levels that are given, or made with --generate-mipmap");
  app.add_switch("--runtime-mipmap", to.runtime_mips, "Not supported");
  app.add_switch("--generate-mipmap", to.generate_mips, "Make the mip levels");
  app.add("--mipmap-filter", to.mip_filter, "box, kaiser or lanczos4 (default); others are replaced by lanczos4")
      .one_of_any_case({"box", "tent", "bell", "b-spline", "mitchell", "blackman", "lanczos3", "lanczos4", "lanczos6",
                        "lanczos12", "kaiser", "gaussian", "catmullrom", "quadratic_interp", "quadratic_approx",
                        "quadratic_mix"});
  app.add("--mipmap-filter-scale", to.mip_filter_scale, "Only 1");
  app.add("--mipmap-wrap", to.mip_wrap, "wrap or clamp (default); reflect is replaced by clamp")
      .one_of_any_case({"wrap", "reflect", "clamp"});
  app.add_switch("--normalize", to.normalize, "Give vectors the length 1");
  app.add_switch("--premultiply-alpha", to.premultiply, "Multiply colors by alpha");
  app.add("--swizzle", to.swizzle, "KTXswizzle: four of rgba01");
  app.add("--input-swizzle", to.input_swizzle, "Channels of the inputs: four of rgba01");
  app.add("--assign-tf,--assign-oetf", to.assign_transfer, "The inputs are linear or srgb, whatever they say");
  app.add("--convert-tf,--convert-oetf", to.convert_transfer, "Convert to linear or srgb");
  app.add("--assign-primaries", to.assign_primaries, "bt709 or none");
  app.add("--convert-primaries", to.convert_primaries, "bt709");
  app.add("--assign-texcoord-origin", to.assign_origin, "top-left or bottom-left");
  app.add("--convert-texcoord-origin", to.convert_origin, "top-left or bottom-left");
  app.add_switch("--fail-on-color-conversions", to.fail_on_conversion, "Refuse inputs that would be converted");
  app.add_switch("--warn-on-color-conversions", to.warn_on_conversion, "Warn of every conversion");
  app.add_switch("--no-warn-on-color-conversions", to.never_warn_on_conversion, "Do not warn of conversions");
  app.add_switch("--fail-on-origin-changes", to.fail_on_flip, "Refuse inputs that would be turned upside down");
  app.add_switch("--warn-on-origin-changes", to.warn_on_flip, "Warn of inputs that are turned upside down");
  app.add_switch("--normal-mode", to.normal_mode, "X in red, green and blue, Y in alpha");
  app.add("--uastc-quality", to.uastc_quality, "0 to 4 (default 2)").between(0, 4);
  app.add_switch("--uastc-rdo", to.rdo, "Make blocks that Zstd compresses well");
  app.add("--uastc-rdo-l", to.rdo_lambda, "How much error that may cost, 0.001 to 10 (default 1)").between(0.001, 10.0);
  app.add("--clevel", to.compression_level, "Effort of basis-lz, 0 to 6 (default 1)").between(0, 6);
  app.add("--qlevel", to.quality_level, "Quality of basis-lz, 1 to 255 (default 128)").between(1, 255);
  app.add("--astc-quality", to.astc_quality, "fastest, fast, medium (default), thorough or exhaustive")
      .one_of_any_case({"fastest", "fast", "medium", "thorough", "exhaustive"});
  add_zstd(app, to.zstd);
  app.add("--threads", to.threads, "Threads (default: all)").between(1, 1024);
  app.add_switch("--no-sse", [] {}, "No effect: the bytes do not depend on the processor");
  for (const char* option : {"--uastc-rdo-d", "--uastc-rdo-b", "--uastc-rdo-s", "--max-endpoints",
                             "--endpoint-rdo-threshold", "--max-selectors", "--selector-rdo-threshold"}) {
    app.add_taken(
        option,
        [&to, option](const std::string&) {
          to.without_effect.emplace_back(option);
          return std::string();
        },
        "No effect");
  }
  for (const char* option :
       {"--uastc-rdo-f", "--uastc-rdo-m", "--no-endpoint-rdo", "--no-selector-rdo", "--astc-perceptual"}) {
    app.add_switch(option, [&to, option] { to.without_effect.emplace_back(option); }, "No effect");
  }
}

}  // namespace assetc::ktx
