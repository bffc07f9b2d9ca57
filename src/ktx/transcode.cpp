// ktx transcode, and what ktx extract shares with it.
#include "ktx/transcode.hpp"

#include <algorithm>
#include <array>

#include "assetc/runtime/inflate.hpp"
#include "base/ascii.hpp"
#include "compression/zlib.hpp"
#include "ktx/commands.hpp"
#include "ktx/format_names.hpp"
#include "ktx/write.hpp"

namespace assetc::ktx {
namespace {

struct TargetRow {
  std::string_view name;
  Target target;
};
constexpr TargetRow kTargets[] = {
    {"etc-rgb", {BlockFormat::kEtc1, TexelFormat::kEtc2Rgb}},
    {"etc-rgba", {BlockFormat::kEtc2Rgba, TexelFormat::kEtc2Rgba}},
    {"eac-r11", {BlockFormat::kEacR11, TexelFormat::kEacR11}},
    {"eac-rg11", {BlockFormat::kEacRg11, TexelFormat::kEacRg11}},
    {"bc1", {BlockFormat::kBc1, TexelFormat::kBc1Rgb}},
    {"bc3", {BlockFormat::kBc3, TexelFormat::kBc3}},
    {"bc4", {BlockFormat::kBc4, TexelFormat::kBc4}},
    {"bc5", {BlockFormat::kBc5, TexelFormat::kBc5}},
    {"bc7", {BlockFormat::kBc7, TexelFormat::kBc7}},
    {"astc", {BlockFormat::kAstc4x4, TexelFormat::kAstc4x4}},
    {"r8", {BlockFormat::kRgba8, TexelFormat::kR8}},
    {"rg8", {BlockFormat::kRgba8, TexelFormat::kRg8}},
    {"rgb8", {BlockFormat::kRgba8, TexelFormat::kRgb8}},
    {"rgba8", {BlockFormat::kRgba8, TexelFormat::kRgba8}},
};

bool is_uastc(const ktx2::View& texture) { return texture.color_model() == ktx2::ColorModel::kUastc; }

// The channels that a texture holds, as the format descriptor says, and where the second one is stored.
struct Meaning {
  std::uint32_t channels = 4;
  std::uint8_t second = 1;
};
Meaning meaning_of(const ktx2::View& texture) {
  if (is_uastc(texture)) {
    switch (static_cast<UastcChannels>(texture.first_channel())) {
      case UastcChannels::kRgb:
        return {3, 1};
      case UastcChannels::kRgba:
        return {4, 1};
      case UastcChannels::kRrr:
        return {1, 1};
      case UastcChannels::kRrrg:
        return {2, 3};
      case UastcChannels::kRg:
        return {2, 1};
    }
    return {4, 1};
  }
  switch (texture.etc1s_channels()) {
    case ktx2::Etc1sChannels::kRgb:
      return {3, 1};
    case ktx2::Etc1sChannels::kRgba:
      return {4, 1};
    case ktx2::Etc1sChannels::kRed:
      return {1, 1};
    case ktx2::Etc1sChannels::kRedGreen:
      return {2, 3};
  }
  return {4, 1};
}

// One image of blocks to plain texels of a format.
Result<void> decode_image(ByteSpan blocks, BlockFormat source, const ktx2::Level& level, const ktx2::View& texture,
                          TexelFormat format, ByteVector& out) {
  std::vector<Rgba8> texels(std::size_t{level.width_texels} * level.height_texels);
  // As Basis Universal decodes, whatever the transfer function.
  ASSETC_CHECK(decode_blocks(blocks, source, level.width_texels, level.height_texels, texels));
  const std::uint8_t second = meaning_of(texture).second;
  const std::uint32_t channels = plain_channels(format);
  for (const Rgba8& texel : texels) {
    for (std::uint32_t c = 0; c < channels; ++c)
      out.push_back(static_cast<std::byte>(texel[channels == 2 && c == 1 ? second : c]));
  }
  return {};
}

struct Transcode {
  std::string input, output, target;
  std::optional<int> zstd;
};

Result<Exit> run_transcode(const Transcode& asked, const Context& context) {
  auto made = [&]() -> Result<ByteVector> {
    ASSETC_TRY(const Bytes file, context.io.read(asked.input));
    ASSETC_TRY(const ktx2::View view, ktx2::View::open(file));
    ASSETC_TRY(const Target target, transcode_target(asked.target, view));
    ASSETC_TRY(const texture::EncodedTexture texture, transcode(view, target, asked.zstd.value_or(0)));
    return write_file(texture, {.transfer = has_srgb_form(target.format) ? view.transfer() : ktx2::Transfer::kLinear,
                                .primaries = static_cast<ktx2::Primaries>(view.primaries()),
                                .premultiplied_alpha = view.is_alpha_premultiplied(),
                                .orientation = std::string(view.text("KTXorientation"))});
  }();
  if (!made) return std::unexpected(std::move(made).error().in(asked.input));
  auto written = context.io.write(asked.output, *made);
  if (!written) return std::unexpected(std::move(written).error().in(asked.output));
  return Exit::kSuccess;
}

}  // namespace

std::string target_names() {
  std::string names;
  for (const TargetRow& row : kTargets) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

Result<Target> transcode_target(std::string_view name, const ktx2::View& texture) {
  const auto* row = std::ranges::find(kTargets, ascii_lower(name), &TargetRow::name);
  if (!name.empty() && row == std::end(kTargets))
    return usage("found the target \"" + std::string(name) + "\", expected one of " + target_names());
  if (!is_uastc(texture) && texture.color_model() != ktx2::ColorModel::kEtc1s) {
    return fail(ErrorCode::kInvalidData, "is not transcodable: found " +
                                             color_model_name(static_cast<std::uint8_t>(texture.color_model())) +
                                             ", expected UASTC or ETC1S");
  }
  if (name.empty()) {
    constexpr std::array kPlain{TexelFormat::kR8, TexelFormat::kRg8, TexelFormat::kRgb8, TexelFormat::kRgba8};
    return Target{BlockFormat::kRgba8, kPlain[meaning_of(texture).channels - 1]};
  }
  return row->target;
}

Result<ByteVector> inflated_level(const ktx2::View& view, std::size_t level) {
  if (view.supercompression() == ktx2::Supercompression::kZlib) {
    const ktx2::Level& from = view.levels()[level];
    return compression::inflate_zlib(from.bytes, from.uncompressed_size_bytes);
  }
  ASSETC_TRY(const std::uint64_t size, runtime::inflated_size_bytes(view, level));
  ByteVector bytes(size);
  ASSETC_CHECK(runtime::inflate_level(view, level, bytes));
  return bytes;
}

Result<texture::EncodedTexture> transcode(const ktx2::View& view, const Target& target, int zstd_level) {
  texture::EncodedTexture out;
  out.format = target.format;
  out.width_texels = view.width_texels();
  out.height_texels = std::max(view.height_texels(), 1u);
  out.depth_texels = view.depth_texels();
  out.layer_count = view.layer_count();
  out.face_count = view.face_count();
  out.zstd_level = zstd_level;
  const BlockFormat source = is_uastc(view)                 ? BlockFormat::kUastc
                             : view.block().size_bytes == 8 ? BlockFormat::kEtc1s
                                                            : BlockFormat::kEtc1sAlpha;
  const TranscodeOptions options{.second_channel = meaning_of(view).second};
  for (std::size_t level = 0; level < view.levels().size(); ++level) {
    ASSETC_TRY(const ByteVector blocks, inflated_level(view, level));
    ByteVector bytes;
    if (target.blocks == BlockFormat::kRgba8) {
      const ktx2::Level& shape = view.levels()[level];
      const std::size_t one = block_count(shape.width_texels, shape.height_texels) * block_bytes(source);
      for (std::size_t at = 0; at + one <= blocks.size(); at += one)
        ASSETC_CHECK(decode_image(ByteSpan(blocks).subspan(at, one), source, shape, view, target.format, bytes));
    } else {
      bytes.resize(blocks.size() / block_bytes(source) * block_bytes(target.blocks));
      ASSETC_CHECK(source == BlockFormat::kUastc ? transcode_uastc(blocks, target.blocks, bytes, options)
                                                 : transcode_etc1s(blocks, source, target.blocks, bytes, options));
    }
    ASSETC_CHECK(out.add_level(std::move(bytes)));
  }
  return out;
}

Run add_transcode(const command_line::Command& app) {
  const auto state = std::make_shared<Transcode>();
  app.add("input", state->input, "A .ktx2 of UASTC or ETC1S, or -").required();
  app.add("output", state->output, "The .ktx2 to write, or -").required();
  app.add("--target", state->target, target_names() + " (default: the plain format with the same channels)");
  add_zstd(app, state->zstd);
  return [state](const Context& context) { return run_transcode(*state, context); };
}

}  // namespace assetc::ktx
