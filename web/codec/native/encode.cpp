// encode.wasm: encodes RGBA pictures into KTX 2 files, by the same code as the command.
#include <array>
#include <cstring>
#include <memory>

#include "assetc/formats/ktx2.hpp"
#include "codec/encode/etc1s/encode_etc1s.hpp"
#include "module.hpp"
#include "recipes/container/ktx2.hpp"
#include "texture/compile.hpp"

namespace assetc::web {
namespace {

// In the order of FORMATS, COLORS and QUALITIES in src/settings.js.
constexpr std::array kFormats{
    texture::TargetFormat::kUastc, texture::TargetFormat::kBc7,   texture::TargetFormat::kBc5,
    texture::TargetFormat::kBc4,   texture::TargetFormat::kBc3,   texture::TargetFormat::kBc1,
    texture::TargetFormat::kEtc2,  texture::TargetFormat::kRgba8, texture::TargetFormat::kEtc1s};
constexpr std::array kKinds{texture::TexelKind::kColor, texture::TexelKind::kLinear, texture::TexelKind::kNormal,
                            texture::TexelKind::kGray};
constexpr std::array kEfforts{codec::Effort::kFast, codec::Effort::kNormal, codec::Effort::kBest};

// The argument of `encode`, which JavaScript writes.
struct Request {
  std::uint32_t texels, width, height;
  std::uint32_t format, kind, effort, mips, filter, clamp, perceptual, zstd_level, etc1s_quality;
  std::array<char, 4> channels;  // letters for texture::parse_channels, then zeros; none: those of the kind
  float rdo, alpha_cutoff;
};

ByteVector file;
Range produced;

Result<ByteVector> encode_file(const Request& request) {
  if (request.format >= kFormats.size() || request.kind >= kKinds.size() || request.effort >= kEfforts.size() ||
      request.filter > static_cast<std::uint32_t>(texture::Filter::kLanczos) || request.zstd_level > 22 ||
      request.etc1s_quality == 0 || request.etc1s_quality > codec::kMaxEtc1sQuality)
    return fail(ErrorCode::kUsage, "settings that this module does not have");
  if (request.width == 0 || request.height == 0 || request.width > scene::kMaxImageSide ||
      request.height > scene::kMaxImageSide || std::uint64_t{request.width} * request.height > kMaxBytes / 4)
    return fail(ErrorCode::kLimit, "a picture of " + std::to_string(request.width) + " x " +
                                       std::to_string(request.height) + " texels, expected 1 to " +
                                       std::to_string(scene::kMaxImageSide) + " each way and at most " +
                                       std::to_string(kMaxBytes / 4) + " in all");
  texture::CompileOptions options;
  options.mips.kind = kKinds[request.kind];
  options.mips.filter = static_cast<texture::Filter>(request.filter);
  options.mips.wrap = request.clamp != 0 ? texture::Wrap::kClamp : texture::Wrap::kRepeat;
  options.mips.all_levels = request.mips != 0;
  options.mips.alpha_cutoff = request.alpha_cutoff;
  options.format = kFormats[request.format];
  options.effort = kEfforts[request.effort];
  options.color_metric = request.perceptual != 0 ? codec::Metric::kColorPerceptual : codec::Metric::kColor;
  options.zstd_level = request.zstd_level;
  options.rdo = request.rdo;
  options.etc1s_quality = request.etc1s_quality;
  if (const std::string_view letters(request.channels.data(),
                                     strnlen(request.channels.data(), request.channels.size()));
      !letters.empty()) {
    options.channels = texture::parse_channels(letters);
    if (!options.channels)
      return fail(ErrorCode::kUsage,
                  "channels is \"" + std::string(letters) + "\", expected 1 to 4 of r, g, b, a, 0 and 1");
  }
  const texture::ImageSource source = [&](std::uint32_t) -> Result<scene::Image> {
    scene::Image image;
    image.width_texels = request.width;
    image.height_texels = request.height;
    image.source_channels = 4;
    const auto* const texels = reinterpret_cast<const std::byte*>(std::uintptr_t{request.texels});
    image.pixels.assign(texels, texels + image.row_bytes() * image.height_texels);
    return image;
  };
  ASSETC_TRY(const texture::EncodedTexture encoded, texture::compile_texture(source, {}, options));
  return recipes::write_ktx2(encoded);
}

}  // namespace

// Encodes the picture of a Request. Returns the Range of a KTX 2 file that is valid until the next call.
ASSETC_EXPORT(encode) std::uint32_t encode(std::uint32_t request) {
  file = {};
  auto made = encode_file(*reinterpret_cast<const Request*>(std::uintptr_t{request}));
  if (!made) return refuse(std::move(made).error());
  file = std::move(*made);
  produced = range_of(file);
  return address(&produced);
}

}  // namespace assetc::web
