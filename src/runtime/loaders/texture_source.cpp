#include "runtime/loaders/texture_source.hpp"

#include <algorithm>

#include "assetc/codec/transcode.hpp"
#include "assetc/runtime/inflate.hpp"
#include "formats/message.hpp"
#include "runtime/source/inflate_stored.hpp"

namespace assetc::runtime {
namespace {

// The target format of UASTC.
struct Target {
  BlockFormat blocks;
  TexelFormat format;
};

Target target_of(UastcChannels channels, const TextureOptions& options) {
  if (options.astc) return {BlockFormat::kAstc4x4, TexelFormat::kAstc4x4};
  const bool one = channels == UastcChannels::kRrr, two = channels == UastcChannels::kRg;
  if (options.bc) {
    if (one) return {BlockFormat::kBc4, TexelFormat::kBc4};
    if (two) return {BlockFormat::kBc5, TexelFormat::kBc5};
    return {BlockFormat::kBc7, TexelFormat::kBc7};
  }
  if (options.etc2) {
    if (one) return {BlockFormat::kEacR11, TexelFormat::kEacR11};
    if (two) return {BlockFormat::kEacRg11, TexelFormat::kEacRg11};
    return {BlockFormat::kEtc2Rgba, TexelFormat::kEtc2Rgba};
  }
  return {BlockFormat::kRgba8, TexelFormat::kRgba8};
}

// The target format of ETC1S. In ETC2, its color is copied unchanged.
Target target_of(ktx2::Etc1sChannels channels, const TextureOptions& options) {
  using enum ktx2::Etc1sChannels;
  const bool one = channels == kRed, two = channels == kRedGreen;
  if (options.etc2) {
    if (one) return {BlockFormat::kEacR11, TexelFormat::kEacR11};
    if (two) return {BlockFormat::kEacRg11, TexelFormat::kEacRg11};
    if (channels == kRgb) return {BlockFormat::kEtc1, TexelFormat::kEtc2Rgb};
    return {BlockFormat::kEtc2Rgba, TexelFormat::kEtc2Rgba};
  }
  if (options.bc) {
    if (one) return {BlockFormat::kBc4, TexelFormat::kBc4};
    if (two) return {BlockFormat::kBc5, TexelFormat::kBc5};
    return {BlockFormat::kBc7, TexelFormat::kBc7};
  }
  if (options.astc) return {BlockFormat::kAstc4x4, TexelFormat::kAstc4x4};
  return {BlockFormat::kRgba8, TexelFormat::kRgba8};
}

bool is_taken(TexelFormat format, const TextureOptions& options) {
  if (format >= TexelFormat::kAstc4x4) return options.astc;
  if (format >= TexelFormat::kEtc2Rgb) return options.etc2;
  if (format >= TexelFormat::kBc1Rgb) return options.bc;
  return true;
}
static_assert(TexelFormat::kBc1Rgb < TexelFormat::kBc7 && TexelFormat::kBc7 < TexelFormat::kEtc2Rgb &&
              TexelFormat::kEtc2Rgb < TexelFormat::kEacRg11Signed &&
              TexelFormat::kEacRg11Signed < TexelFormat::kAstc4x4 && TexelFormat::kAstc4x4 < TexelFormat::kAstc12x12 &&
              TexelFormat::kRgba32f < TexelFormat::kBc1Rgb);

Result<void> transcode_blocks(ByteSpan blocks, BlockFormat source, BlockFormat target, std::span<std::byte> out) {
  if (source == BlockFormat::kUastc) return transcode_uastc(blocks, target, out);
  // For two channels, green comes from the second slice.
  return transcode_etc1s(blocks, source, target, out, {.second_channel = 3});
}

Result<Bytes> transcode(const Bytes& blocks, const TextureData::Level& extent, BlockFormat source, BlockFormat target,
                        bool srgb) {
  if (target != BlockFormat::kRgba8) {
    const std::size_t step = block_bytes(source);
    const auto size = checked_mul(blocks.size() / step, block_bytes(target));
    if (!size || blocks.size() % step != 0)
      return fail(ErrorCode::kInvalidData, "a level is not a whole number of blocks");
    ByteVector out(*size);
    ASSETC_CHECK(transcode_blocks(blocks, source, target, out));
    return Bytes(std::move(out));
  }
  // The output has texels in rows of an image, not in blocks.
  const auto image_blocks =
      static_cast<std::size_t>(block_count(extent.width_texels, extent.height_texels)) * block_bytes(source);
  const std::size_t image_texels = std::size_t{extent.width_texels} * extent.height_texels;
  const std::size_t images = blocks.size() / image_blocks;
  std::vector<Rgba8> texels(images * image_texels);
  for (std::size_t i = 0; i < images; ++i) {
    ASSETC_CHECK(decode_blocks(blocks.span().subspan(i * image_blocks, image_blocks), source, extent.width_texels,
                               extent.height_texels, std::span(texels).subspan(i * image_texels, image_texels),
                               InvalidBlocks::kRefuse, srgb ? AstcDecode::kSrgb : AstcDecode::kLinear));
  }
  const auto owner = std::make_shared<const std::vector<Rgba8>>(std::move(texels));
  return Bytes(owner, std::as_bytes(std::span(*owner)));
}

}  // namespace

Result<TextureSource> TextureSource::open(ByteSpan file) {
  if (file.size() >= 4 && load<std::uint32_t>(file) == aas1::kMagic) {
    ASSETC_TRY(aas1::TextureView view, aas1::TextureView::open(file));
    return TextureSource(std::move(view));
  }
  ASSETC_TRY(ktx2::View view, ktx2::View::open(file));
  return TextureSource(std::move(view));
}

std::optional<TextureSource::Transcoding> TextureSource::transcoding(const TextureOptions& options) const {
  if (format() == TexelFormat::kUastc) {
    const Target to =
        target_of(aas1_ ? aas1_->channels() : static_cast<UastcChannels>(ktx2_->first_channel()), options);
    return Transcoding{BlockFormat::kUastc, to.blocks, to.format};
  }
  if (format() != TexelFormat::kEtc1s) return std::nullopt;
  const Target to = target_of(ktx2_->etc1s_channels(), options);
  return Transcoding{ktx2_->block().size_bytes == 16 ? BlockFormat::kEtc1sAlpha : BlockFormat::kEtc1s, to.blocks,
                     to.format};
}

Result<TextureData> TextureSource::describe(const TextureOptions& options) const {
  if (!format()) return fail(ErrorCode::kUnsupported, "found a texel format that assetc does not know");
  TextureData out;
  out.format = *format();
  out.is_srgb = is_srgb();
  if (aas1_) {
    const aas1::Type type = aas1_->blob().type();
    const aas1::ShapeDesc& shape = aas1_->shape();
    out.is_3d = type == aas1::Type::kTexture3D;
    const bool is_array = type == aas1::Type::kTexture2DArray || type == aas1::Type::kTextureCubeArray;
    out.layer_count = is_array ? shape.layer_count : 0;
    out.face_count = shape.face_count;
    out.swizzle = aas1_->swizzle();
  } else {
    out.is_3d = ktx2_->depth_texels() != 0;
    out.layer_count = ktx2_->layer_count();
    out.face_count = ktx2_->face_count();
    out.swizzle = ktx2_->text("KTXswizzle");
  }
  if (const auto transcoding = this->transcoding(options)) {
    out.format = transcoding->format;
    // In formats with four channels, the second of two slices is stored as alpha.
    const bool is_split = format() == TexelFormat::kEtc1s && ktx2_->etc1s_channels() == ktx2::Etc1sChannels::kRedGreen;
    if (is_split && out.swizzle.empty() && transcoding->target != BlockFormat::kBc5 &&
        transcoding->target != BlockFormat::kEacRg11)
      out.swizzle = "ra01";
  } else if (!is_taken(out.format, options)) {
    return fail(ErrorCode::kUnsupported,
                formats::message("found ", to_string(out.format), ", which the device does not support"),
                "cook for this platform, or as UASTC");
  }
  return out;
}

TextureData::Level TextureSource::extent(std::size_t i) const {
  if (aas1_) {
    const aas1::TextureLevel& level = aas1_->levels()[i];
    return {{}, level.width_texels, level.height_texels, level.depth_texels};
  }
  const ktx2::Level& level = ktx2_->levels()[i];
  return {{}, level.width_texels, std::max(level.height_texels, 1u), std::max(level.depth_texels, 1u)};
}

bool TextureSource::is_left_out(std::size_t i, const TextureOptions& options) const {
  const TextureData::Level at = extent(i);
  return options.max_size_texels != 0 && i + 1 < level_count() &&
         std::max(at.width_texels, at.height_texels) > options.max_size_texels;
}

std::uint64_t TextureSource::offset_bytes(std::size_t i) const {
  return aas1_ ? aas1_->levels()[i].offset_bytes : ktx2_->levels()[i].offset_bytes;
}
std::uint64_t TextureSource::size_bytes(std::size_t i) const {
  return aas1_ ? aas1_->levels()[i].size_bytes : ktx2_->levels()[i].size_bytes;
}

std::uint64_t TextureSource::decoded_bytes(std::size_t i, const TextureOptions& options) const {
  const std::uint64_t size = aas1_ ? size_bytes(i) : inflated_size_bytes(*ktx2_, i).value_or(0);
  std::uint64_t total = is_in_place() ? 0 : size;
  if (const auto to = transcoding(options)) total += size / block_bytes(to->source) * block_bytes(to->target);
  return total;
}

// Uncompressed bytes are returned without a copy.
Result<Bytes> TextureSource::inflate(std::size_t i, const Bytes& stored) const {
  if (is_in_place()) return stored;
  ASSETC_TRY(const std::uint64_t size, inflated_size_bytes(*ktx2_, i));
  ByteVector out(static_cast<std::size_t>(size));
  ASSETC_CHECK(inflate_stored(*ktx2_, i, stored, out));
  return Bytes(std::move(out));
}

Result<Bytes> TextureSource::decode(std::size_t i, const Bytes& stored, const TextureOptions& options) const {
  ASSETC_TRY(Bytes level, inflate(i, stored));
  const auto to = transcoding(options);
  if (!to) return level;
  return transcode(level, extent(i), to->source, to->target, is_srgb());
}

}  // namespace assetc::runtime
