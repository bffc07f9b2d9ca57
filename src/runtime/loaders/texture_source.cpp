#include "runtime/loaders/texture_source.hpp"

#include <algorithm>

#include "assetc/codec/transcode.hpp"
#include "assetc/runtime/inflate.hpp"
#include "base/plural.hpp"
#include "formats/message.hpp"
#include "runtime/mount/buffer.hpp"
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

// The block formats that requests may ask for.
std::optional<BlockFormat> block_format(TexelFormat format) {
  switch (format) {
    case TexelFormat::kRgba8:
      return BlockFormat::kRgba8;
    case TexelFormat::kBc1Rgb:
      return BlockFormat::kBc1;
    case TexelFormat::kBc3:
      return BlockFormat::kBc3;
    case TexelFormat::kBc4:
      return BlockFormat::kBc4;
    case TexelFormat::kBc5:
      return BlockFormat::kBc5;
    case TexelFormat::kBc7:
      return BlockFormat::kBc7;
    case TexelFormat::kAstc4x4:
      return BlockFormat::kAstc4x4;
    case TexelFormat::kEtc2Rgb:
      return BlockFormat::kEtc1;
    case TexelFormat::kEtc2Rgba:
      return BlockFormat::kEtc2Rgba;
    case TexelFormat::kEacR11:
      return BlockFormat::kEacR11;
    case TexelFormat::kEacRg11:
      return BlockFormat::kEacRg11;
    default:
      return std::nullopt;
  }
}

// The block formats that are decoded to RGBA8. Blocks of ETC2 have modes that BlockFormat::kEtc1 does not have.
bool is_decodable(TexelFormat format) {
  return format == TexelFormat::kBc1Rgb || format == TexelFormat::kBc3 || format == TexelFormat::kBc4 ||
         format == TexelFormat::kBc5 || format == TexelFormat::kBc7 || format == TexelFormat::kAstc4x4;
}

std::optional<BlockFormat> decoded_from(TexelFormat stored, std::optional<TexelFormat> wanted) {
  if (wanted != TexelFormat::kRgba8 || !is_decodable(stored)) return std::nullopt;
  return block_format(stored);
}

// The rows of a level. For a block format, a row of blocks.
struct Rows {
  std::uint64_t row_bytes, row_count, image_count;
  std::uint64_t size_bytes() const { return row_bytes * row_count * image_count; }
};
Rows rows_of(TexelFormat format, const TextureData::Level& extent, std::uint64_t image_count) {
  const BlockShape block = block_shape(format);
  const auto blocks = [](std::uint64_t texels, std::uint32_t per_block) {
    return (texels + per_block - 1) / per_block;
  };
  return {blocks(extent.width_texels, block.width_texels) * block.size_bytes,
          blocks(extent.height_texels, block.height_texels), image_count};
}

// Where a level is written.
struct Canvas {
  std::span<std::byte> bytes;
  std::uint64_t row_pitch_bytes, image_pitch_bytes;

  bool is_tight(const Rows& rows) const {
    return row_pitch_bytes == rows.row_bytes && image_pitch_bytes == rows.row_count * rows.row_bytes;
  }
  std::span<std::byte> row(std::uint64_t image, std::uint64_t row, std::uint64_t size_bytes) const {
    return bytes.subspan(static_cast<std::size_t>(image * image_pitch_bytes + row * row_pitch_bytes),
                         static_cast<std::size_t>(size_bytes));
  }
};

// Memory for a level, which the level keeps.
struct Allocated {
  Canvas canvas;
  TextureData::Level level;
};

constexpr const char* kMemoryTag = "texture";

Result<Allocated> allocate_tight(const TextureData::Level& extent, const Rows& rows, const Memory& memory) {
  ASSETC_TRY(const Buffer buffer, Buffer::allocate(rows.size_bytes(), memory, kMemoryTag));
  Allocated out{{buffer.span(), rows.row_bytes, rows.row_count * rows.row_bytes}, extent};
  out.level.bytes = buffer.bytes();
  return out;
}

Result<Allocated> allocate_from_engine(const TextureOptions& options, const LevelRequest& request,
                                       const TextureData::Level& extent) {
  ASSETC_TRY(LevelMemory memory, options.allocate(request));
  const auto [row_bytes, row_count, image_count] = Rows{request.row_bytes, request.row_count, request.image_count};
  const std::uint64_t row_pitch = memory.row_pitch_bytes == 0 ? row_bytes : memory.row_pitch_bytes;
  const auto rows_pitch = checked_mul(row_pitch, row_count);
  const std::uint64_t image_pitch = memory.image_pitch_bytes == 0 ? rows_pitch.value_or(0) : memory.image_pitch_bytes;
  const auto images_pitch = checked_mul(image_pitch, image_count);
  if (row_pitch < row_bytes || !rows_pitch || image_pitch < *rows_pitch || !images_pitch) {
    return fail(ErrorCode::kUsage,
                formats::message("TextureOptions::allocate gave pitches of ", row_pitch, " and ", image_pitch,
                                 " bytes, expected at least ", row_bytes, " and ", rows_pitch.value_or(row_bytes)),
                "check its result");
  }
  const std::uint64_t end = *images_pitch - image_pitch + *rows_pitch - row_pitch + row_bytes;
  if (memory.bytes.size() < end) {
    return fail(
        ErrorCode::kUsage,
        formats::message("TextureOptions::allocate gave ", counted(memory.bytes.size(), "byte"), ", expected ", end),
        "check its result");
  }
  Allocated out{{memory.bytes, row_pitch, image_pitch}, extent};
  out.level.bytes = Bytes(std::move(memory.owner), memory.bytes.first(static_cast<std::size_t>(end)));
  out.level.row_pitch_bytes = row_pitch;
  out.level.image_pitch_bytes = image_pitch;
  return out;
}

void copy_rows(ByteSpan from, const Rows& rows, const Canvas& to) {
  if (rows.size_bytes() == 0) return;
  if (to.is_tight(rows)) {
    std::ranges::copy(from, to.bytes.begin());
    return;
  }
  for (std::uint64_t image = 0; image < rows.image_count; ++image) {
    for (std::uint64_t row = 0; row < rows.row_count; ++row) {
      const auto at = static_cast<std::size_t>((image * rows.row_count + row) * rows.row_bytes);
      std::ranges::copy(from.subspan(at, static_cast<std::size_t>(rows.row_bytes)),
                        to.row(image, row, rows.row_bytes).begin());
    }
  }
}

struct Conversion {
  BlockFormat source, target;
  bool is_srgb;
};

// Transcodes blocks in rows. `rows` are those of the target.
Result<void> transcode(ByteSpan blocks, const TextureData::Level& extent, const Conversion& to, const Rows& rows,
                       const Canvas& out) {
  const Rows from{std::uint64_t{(extent.width_texels + 3) / 4} * block_bytes(to.source), (extent.height_texels + 3) / 4,
                  rows.image_count};
  if (blocks.size() != from.size_bytes())
    return fail(ErrorCode::kInvalidData, formats::message("found ", counted(blocks.size(), "byte"),
                                                          " in a level, expected ", from.size_bytes()));
  const bool is_decoded = to.target == BlockFormat::kRgba8;
  if (!is_decoded && out.is_tight(rows))
    return transcode_blocks(blocks, to.source, to.target, out.bytes.first(static_cast<std::size_t>(rows.size_bytes())));
  std::vector<Rgba8> texels(is_decoded ? std::size_t{extent.width_texels} * 4 : 0);
  for (std::uint64_t image = 0; image < from.image_count; ++image) {
    for (std::uint64_t row = 0; row < from.row_count; ++row) {
      const ByteSpan in = blocks.subspan(static_cast<std::size_t>((image * from.row_count + row) * from.row_bytes),
                                         static_cast<std::size_t>(from.row_bytes));
      const auto height = static_cast<std::uint32_t>(std::min<std::uint64_t>(4, extent.height_texels - row * 4));
      const std::span<Rgba8> strip = std::span(texels).first(is_decoded ? texels.size() / 4 * height : 0);
      Result<void> done = is_decoded
                              ? decode_blocks(in, to.source, extent.width_texels, height, strip, InvalidBlocks::kRefuse,
                                              to.is_srgb ? AstcDecode::kSrgb : AstcDecode::kLinear)
                              : transcode_blocks(in, to.source, to.target, out.row(image, row, rows.row_bytes));
      if (!done) {
        done.error().place = formats::message("image ", image, ", row ", row, " of blocks, ", done.error().place);
        return done;
      }
      for (std::uint32_t y = 0; is_decoded && y < height; ++y) {
        std::ranges::copy(std::as_bytes(strip.subspan(std::size_t{y} * extent.width_texels, extent.width_texels)),
                          out.row(image, row * 4 + y, rows.row_bytes).begin());
      }
    }
  }
  return {};
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

std::optional<TextureSource::Transcoding> TextureSource::transcoding(const TextureChoice& choice) const {
  const auto target = [&](auto channels) {
    if (!choice.format) return target_of(channels, choice.options);
    return Target{block_format(*choice.format).value_or(BlockFormat::kRgba8), *choice.format};
  };
  if (format() == TexelFormat::kUastc) {
    const Target to = target(aas1_ ? aas1_->channels() : static_cast<UastcChannels>(ktx2_->first_channel()));
    return Transcoding{BlockFormat::kUastc, to.blocks, to.format};
  }
  if (format() != TexelFormat::kEtc1s) {
    const auto source = format() ? decoded_from(*format(), choice.format) : std::nullopt;
    if (!source) return std::nullopt;
    return Transcoding{*source, BlockFormat::kRgba8, TexelFormat::kRgba8};
  }
  const Target to = target(ktx2_->etc1s_channels());
  return Transcoding{ktx2_->block().size_bytes == 16 ? BlockFormat::kEtc1sAlpha : BlockFormat::kEtc1s, to.blocks,
                     to.format};
}

Result<TextureData> TextureSource::describe(const TextureChoice& choice) const {
  if (!format()) return fail(ErrorCode::kUnsupported, "found a texel format that assetc does not know");
  if (choice.format && *choice.format != *format()) {
    const bool is_basis = format() == TexelFormat::kUastc || format() == TexelFormat::kEtc1s;
    if (is_basis ? !block_format(*choice.format) : !decoded_from(*format(), choice.format)) {
      return fail(ErrorCode::kUnsupported,
                  formats::message("found ", to_string(*format()), ", which this loader does not convert to ",
                                   to_string(*choice.format)),
                  "request another format, or none");
    }
  }
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
  if (const auto transcoding = this->transcoding(choice)) {
    out.format = transcoding->format;
    // In formats with four channels, the second of two slices is stored as alpha.
    const bool is_split = format() == TexelFormat::kEtc1s && ktx2_->etc1s_channels() == ktx2::Etc1sChannels::kRedGreen;
    if (is_split && out.swizzle.empty() && transcoding->target != BlockFormat::kBc5 &&
        transcoding->target != BlockFormat::kEacRg11)
      out.swizzle = "ra01";
  } else if (!choice.format && !is_taken(out.format, choice.options)) {
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

std::uint64_t TextureSource::decoded_bytes(std::size_t i, const TextureChoice& choice) const {
  const std::uint64_t size = aas1_ ? size_bytes(i) : inflated_size_bytes(*ktx2_, i).value_or(0);
  std::uint64_t total = is_in_place() ? 0 : size;
  if (const auto to = transcoding(choice)) {
    total += size / block_bytes(to->source) * block_bytes(to->target);
  } else if (is_in_place() && choice.options.allocate) {
    total += size;
  }
  return total;
}

// Uncompressed bytes are returned without a copy.
Result<Bytes> TextureSource::inflate(std::size_t i, const Bytes& stored, const Memory& memory) const {
  if (is_in_place()) return stored;
  ASSETC_TRY(const std::uint64_t size, inflated_size_bytes(*ktx2_, i));
  ASSETC_TRY(const Buffer out, Buffer::allocate(size, memory, kMemoryTag));
  ASSETC_CHECK(inflate_stored(*ktx2_, i, stored, out.span()));
  return out.bytes();
}

Result<TextureData::Level> TextureSource::decode(std::size_t i, const Bytes& stored, const TextureChoice& choice,
                                                 const TextureData& shape, const AssetDesc& desc) const {
  TextureData::Level at = extent(i);
  const auto to = transcoding(choice);
  const bool is_engines = static_cast<bool>(choice.options.allocate);
  if (!to && !is_engines) {
    ASSETC_TRY(at.bytes, inflate(i, stored, choice.memory));
    return at;
  }
  const Rows rows =
      rows_of(shape.format, at, std::uint64_t{std::max(shape.layer_count, 1u)} * shape.face_count * at.depth_texels);
  const auto memory = [&]() -> Result<Allocated> {
    if (!is_engines) return allocate_tight(at, rows, choice.memory);
    return allocate_from_engine(choice.options,
                                {.desc = desc,
                                 .texture = shape,
                                 .level = static_cast<std::uint32_t>(i),
                                 .width_texels = at.width_texels,
                                 .height_texels = at.height_texels,
                                 .depth_texels = at.depth_texels,
                                 .row_bytes = rows.row_bytes,
                                 .row_count = rows.row_count,
                                 .image_count = rows.image_count},
                                at);
  };
  if (to) {
    ASSETC_TRY(const Bytes blocks, inflate(i, stored, choice.memory));
    ASSETC_TRY(Allocated out, memory());
    ASSETC_CHECK(transcode(blocks, at, {to->source, to->target, is_srgb()}, rows, out.canvas));
    return std::move(out.level);
  }
  const std::uint64_t size = is_in_place() ? stored.size() : inflated_size_bytes(*ktx2_, i).value_or(0);
  if (size != rows.size_bytes()) {
    return fail(ErrorCode::kInvalidData,
                formats::message("found ", counted(size, "byte"), " in a level, expected ", rows.size_bytes()));
  }
  ASSETC_TRY(Allocated out, memory());
  if (!is_in_place() && out.canvas.is_tight(rows)) {
    ASSETC_CHECK(inflate_stored(*ktx2_, i, stored, out.canvas.bytes.first(static_cast<std::size_t>(size))));
  } else {
    ASSETC_TRY(const Bytes level, inflate(i, stored, choice.memory));
    copy_rows(level, rows, out.canvas);
  }
  return std::move(out.level);
}

}  // namespace assetc::runtime
