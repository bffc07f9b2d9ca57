#include <algorithm>
#include <optional>

#include "assetc/codec/transcode.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/inflate.hpp"
#include "formats/message.hpp"
#include "runtime/slice.hpp"

namespace assetc::runtime {
namespace {

using ktx2::Format;
using ktx2::UastcChannels;

// What UASTC becomes.
struct Target {
  BlockFormat blocks;
  Format format;
};

Target target_of(UastcChannels channels, const TextureOptions& options) {
  if (options.astc) return {BlockFormat::kAstc4x4, Format::kAstc4x4};
  const bool one = channels == UastcChannels::kRrr, two = channels == UastcChannels::kRg;
  if (options.bc) {
    if (one) return {BlockFormat::kBc4, Format::kBc4};
    if (two) return {BlockFormat::kBc5, Format::kBc5};
    return {BlockFormat::kBc7, Format::kBc7};
  }
  if (options.etc2) {
    if (one) return {BlockFormat::kEacR11, Format::kEacR11};
    if (two) return {BlockFormat::kEacRg11, Format::kEacRg11};
    return {BlockFormat::kEtc2Rgba, Format::kEtc2Rgba};
  }
  return {BlockFormat::kRgba8, Format::kRgba8};
}

bool is_taken(Format format, const TextureOptions& options) {
  if (format == Format::kEtc1s) return false;
  if (format >= Format::kAstc4x4) return options.astc;
  if (format >= Format::kEtc2Rgb) return options.etc2;
  if (format >= Format::kBc1Rgb) return options.bc;
  return true;
}
static_assert(Format::kBc1Rgb < Format::kBc7 && Format::kBc7 < Format::kEtc2Rgb &&
              Format::kEtc2Rgb < Format::kEacRg11Signed && Format::kEacRg11Signed < Format::kAstc4x4 &&
              Format::kAstc4x4 < Format::kAstc12x12 && Format::kRgba32f < Format::kBc1Rgb);

// Both containers, as one.
struct Source {
  std::optional<ktx2::View> ktx2;
  std::optional<aas1::TextureView> aas1;

  static Result<Source> open(ByteSpan bytes) {
    Source source;
    if (bytes.size() >= 4 && load<std::uint32_t>(bytes) == aas1::kMagic) {
      ASSETC_TRY(source.aas1, aas1::TextureView::open(bytes));
    } else {
      ASSETC_TRY(source.ktx2, ktx2::View::open(bytes));
    }
    return source;
  }
  std::optional<Format> format() const { return aas1 ? std::optional(aas1->format()) : ktx2->format(); }
  UastcChannels channels() const { return aas1 ? aas1->channels() : static_cast<UastcChannels>(ktx2->first_channel()); }
  std::size_t level_count() const { return aas1 ? aas1->levels().size() : ktx2->levels().size(); }
  TextureData::Level extent(std::size_t i) const {
    if (aas1) {
      const aas1::TextureLevel& level = aas1->levels()[i];
      return {{}, level.width_texels, level.height_texels, level.depth_texels};
    }
    const ktx2::Level& level = ktx2->levels()[i];
    return {{}, level.width_texels, std::max(level.height_texels, 1u), std::max(level.depth_texels, 1u)};
  }
  // What a level has once it is inflated.
  Result<std::uint64_t> size_bytes(std::size_t i) const {
    if (aas1) return aas1->levels()[i].bytes.size();
    return inflated_size_bytes(*ktx2, i);
  }
  // Inflated, or where it lies.
  Result<Bytes> level(std::size_t i, const Bytes& file) const {
    if (aas1) return slice_of(file, aas1->levels()[i].bytes);
    if (ktx2->supercompression() == ktx2::Supercompression::kNone) return slice_of(file, ktx2->levels()[i].bytes);
    ASSETC_TRY(const std::uint64_t size, inflated_size_bytes(*ktx2, i));
    ByteVector out(static_cast<std::size_t>(size));
    ASSETC_CHECK(inflate_level(*ktx2, i, out));
    return Bytes(std::move(out));
  }
};

bool is_left_out(const TextureData::Level& extent, std::size_t i, std::size_t count, const TextureOptions& options) {
  return options.max_size_texels != 0 && i + 1 < count &&
         std::max(extent.width_texels, extent.height_texels) > options.max_size_texels;
}

Result<Bytes> transcode(const Bytes& blocks, const TextureData::Level& extent, BlockFormat target, bool srgb) {
  if (target != BlockFormat::kRgba8) {
    const auto size = transcoded_bytes(target, blocks.size());
    if (!size) return fail(ErrorCode::kInvalidData, "a level is not a whole number of blocks");
    ByteVector out(*size);
    ASSETC_CHECK(transcode_uastc(blocks, target, out));
    return Bytes(std::move(out));
  }
  // Texels by rows of an image, which blocks are not.
  const auto image_blocks = static_cast<std::size_t>(block_count(extent.width_texels, extent.height_texels)) *
                            block_bytes(BlockFormat::kUastc);
  const std::size_t image_texels = std::size_t{extent.width_texels} * extent.height_texels;
  const std::size_t images = blocks.size() / image_blocks;
  std::vector<Rgba8> texels(images * image_texels);
  for (std::size_t i = 0; i < images; ++i) {
    ASSETC_CHECK(decode_blocks(blocks.span().subspan(i * image_blocks, image_blocks), BlockFormat::kUastc,
                               extent.width_texels, extent.height_texels,
                               std::span(texels).subspan(i * image_texels, image_texels), InvalidBlocks::kRefuse,
                               srgb ? AstcDecode::kSrgb : AstcDecode::kLinear));
  }
  const auto owner = std::make_shared<const std::vector<Rgba8>>(std::move(texels));
  return Bytes(owner, std::as_bytes(std::span(*owner)));
}

Result<TextureData> load_texture(LoadInput& in, const TextureOptions& options) {
  ASSETC_TRY(const Source source, Source::open(in.bytes));
  if (!source.format()) return fail(ErrorCode::kUnsupported, "found a format that is none of ours");
  TextureData out;
  out.format = *source.format();
  if (source.aas1) {
    const aas1::Type type = source.aas1->blob().type();
    const aas1::ShapeDesc& shape = source.aas1->shape();
    out.is_srgb = source.aas1->is_srgb();
    out.is_3d = type == aas1::Type::kTexture3D;
    const bool is_array = type == aas1::Type::kTexture2DArray || type == aas1::Type::kTextureCubeArray;
    out.layer_count = is_array ? shape.layer_count : 0;
    out.face_count = shape.face_count;
    out.swizzle = source.aas1->swizzle();
  } else {
    out.is_srgb = source.ktx2->is_srgb();
    out.is_3d = source.ktx2->depth_texels() != 0;
    out.layer_count = source.ktx2->layer_count();
    out.face_count = source.ktx2->face_count();
    out.swizzle = source.ktx2->text("KTXswizzle");
  }
  const bool is_uastc = out.format == Format::kUastc;
  if (!is_uastc && !is_taken(out.format, options))
    return fail(ErrorCode::kUnsupported,
                formats::message("found ", ktx2::to_string(out.format), ", which the device does not take"),
                "cook for this platform, or as UASTC");
  const Target target = target_of(source.channels(), options);
  const std::size_t count = source.level_count();
  for (std::size_t i = 0; i < count; ++i) {
    TextureData::Level level = source.extent(i);
    if (is_left_out(level, i, count, options)) continue;
    if (in.canceled) return fail(ErrorCode::kCanceled, "canceled");
    ASSETC_TRY(level.bytes, source.level(i, in.bytes));
    if (is_uastc) {
      ASSETC_TRY(level.bytes, transcode(level.bytes, level, target.blocks, out.is_srgb));
    }
    out.levels.push_back(std::move(level));
  }
  if (is_uastc) out.format = target.format;
  return out;
}

// As much as every level inflated, and transcoded once.
std::uint64_t decoded_bytes(ByteSpan bytes, const TextureOptions& options) {
  const auto source = Source::open(bytes);
  if (!source) return 0;
  const bool is_uastc = source->format() == Format::kUastc;
  const bool is_in_place = source->aas1 || source->ktx2->supercompression() == ktx2::Supercompression::kNone;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < source->level_count(); ++i) {
    if (is_left_out(source->extent(i), i, source->level_count(), options)) continue;
    const std::uint64_t size = source->size_bytes(i).value_or(0);
    if (!is_in_place) total += size;
    if (is_uastc) total += size / 16 * block_bytes(target_of(source->channels(), options).blocks);
  }
  return total;
}

std::uint64_t size_of(const TextureData& texture) {
  std::uint64_t total = 0;
  for (const TextureData::Level& level : texture.levels) total += level.bytes.size();
  return total;
}

TextureData checkerboard() {
  constexpr std::uint32_t kSize = 8;
  ByteVector texels;
  for (std::uint32_t i = 0; i < kSize * kSize; ++i) {
    const bool is_dark = ((i / kSize + i % kSize) & 1) != 0;
    append(texels, is_dark ? Rgba8{64, 64, 64, 255} : Rgba8{255, 0, 255, 255});
  }
  TextureData out;
  out.is_srgb = true;
  out.levels.push_back({Bytes(std::move(texels)), kSize, kSize, 1});
  return out;
}

}  // namespace

Loader<TextureData> texture_loader(const TextureOptions& options) {
  return {.decode = [options](LoadInput& in) { return load_texture(in, options); },
          .decoded_bytes = [options](ByteSpan bytes) { return decoded_bytes(bytes, options); },
          .size_bytes = size_of,
          .fallback = checkerboard};
}

}  // namespace assetc::runtime
