// Opens textures of cooks. The sizes of all levels follow from the format and the shape, so the description must agree
// with them to the byte: an engine copies the levels without computing them again.
#include <algorithm>
#include <bit>

#include "assetc/formats/aas1_texture.hpp"
#include "base/plural.hpp"
#include "formats/aas1/desc_table.hpp"
#include "formats/aas1/layout.hpp"
#include "formats/text.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats;

struct FormatNumber {
  std::uint32_t number;
  TexelFormat format;
};
constexpr FormatNumber kFormats[] = {
    {1, TexelFormat::kR8},          {2, TexelFormat::kRgb8},
    {3, TexelFormat::kRgba8},       {16, TexelFormat::kBc1Rgb},
    {17, TexelFormat::kBc3},        {18, TexelFormat::kBc4},
    {19, TexelFormat::kBc5},        {20, TexelFormat::kBc7},
    {21, TexelFormat::kAstc4x4},    {22, TexelFormat::kEtc2Rgba},
    {23, TexelFormat::kUastc},      {24, TexelFormat::kBc1Rgba},
    {25, TexelFormat::kBc2},        {26, TexelFormat::kBc4Signed},
    {27, TexelFormat::kBc5Signed},  {28, TexelFormat::kBc6h},
    {29, TexelFormat::kBc6hSigned}, {30, TexelFormat::kEtc2Rgb},
    {31, TexelFormat::kEacR11},     {32, TexelFormat::kEacR11Signed},
    {33, TexelFormat::kEacRg11},    {34, TexelFormat::kEacRg11Signed},
    {35, TexelFormat::kRg8},        {36, TexelFormat::kR16},
    {37, TexelFormat::kRg16},       {38, TexelFormat::kRgba16},
    {39, TexelFormat::kR16f},       {40, TexelFormat::kRg16f},
    {41, TexelFormat::kRgba16f},    {42, TexelFormat::kR32f},
    {43, TexelFormat::kRg32f},      {44, TexelFormat::kRgba32f},
    {45, TexelFormat::kAstc5x4},    {46, TexelFormat::kAstc5x5},
    {47, TexelFormat::kAstc6x5},    {48, TexelFormat::kAstc6x6},
    {49, TexelFormat::kAstc8x5},    {50, TexelFormat::kAstc8x6},
    {51, TexelFormat::kAstc8x8},    {52, TexelFormat::kAstc10x5},
    {53, TexelFormat::kAstc10x6},   {54, TexelFormat::kAstc10x8},
    {55, TexelFormat::kAstc10x10},  {56, TexelFormat::kAstc12x10},
    {57, TexelFormat::kAstc12x12},
};

constexpr std::uint32_t kCubeFaces = 6;

std::uint64_t blocks(std::uint64_t texels, std::uint32_t block_texels) {
  return (texels + block_texels - 1) / block_texels;
}

// Which of the three fields of a ShapeDesc may differ from 1.
struct Shape {
  bool deep, layered, cubic;
};
constexpr Shape shape_of(Type type) {
  return {type == Type::kTexture3D, type == Type::kTexture2DArray || type == Type::kTextureCubeArray,
          type == Type::kTextureCube || type == Type::kTextureCubeArray};
}

Result<void> check_shape(Type type, const Texture2DDesc& desc, const ShapeDesc& shape) {
  const Shape may = shape_of(type);
  if ((shape.depth_texels != 1 && !may.deep) || shape.face_count != (may.cubic ? kCubeFaces : 1u) ||
      (shape.layer_count != 1 && !may.layered) || (may.cubic && desc.width_texels != desc.height_texels)) {
    return invalid(desc_place(sizeof(Texture2DDesc)),
                   message("found depth ", shape.depth_texels, ", ", counted(shape.layer_count, "layer"), " and ",
                           counted(shape.face_count, "face"), ", which ", type_name(type), " does not have"));
  }
  const std::uint32_t side = std::max({desc.width_texels, desc.height_texels, shape.depth_texels});
  const auto most = static_cast<std::uint32_t>(std::bit_width(side));
  if (desc.mip_count == 0 || desc.mip_count > most)
    return invalid(desc_place(12), message("found ", counted(desc.mip_count, "level"), ", expected 1 to ", most));
  return {};
}

// Lays out levels of this shape and format over the data. Returns their total size, or nothing if it overflows 64 bits.
std::optional<std::uint64_t> lay_out(const Texture2DDesc& desc, const ShapeDesc& shape, TexelFormat format,
                                     std::vector<std::pair<TextureLevel, std::uint64_t>>& levels) {
  const BlockShape block = block_shape(format);
  std::uint64_t end = 0;
  for (std::uint32_t l = 0; l < desc.mip_count; ++l) {
    TextureLevel level;
    level.width_texels = std::max(1u, desc.width_texels >> l);
    level.height_texels = std::max(1u, desc.height_texels >> l);
    level.depth_texels = std::max(1u, shape.depth_texels >> l);
    // At most 2^16 blocks per side, 2^16 layers, 6 faces and 16 bytes: the product may overflow 64 bits.
    std::optional<std::uint64_t> size = blocks(level.width_texels, block.width_texels) *
                                        blocks(level.height_texels, block.height_texels) * block.size_bytes;
    size = checked_mul(*size, blocks(level.depth_texels, block.depth_texels));
    if (size) size = checked_mul(*size, std::uint64_t{shape.layer_count} * shape.face_count);
    const auto next = size ? checked_add(end, *size) : std::nullopt;
    if (!next) return std::nullopt;
    levels.emplace_back(level, *size);
    end = *next;
  }
  return end;
}

std::uint64_t row_pitch(std::uint32_t width_texels, TexelFormat format) {
  const BlockShape block = block_shape(format);
  return blocks(width_texels, block.width_texels) * block.size_bytes;
}

bool is_swizzle(std::string_view text) {
  return text.size() == 4 && text.find_first_not_of("rgba01") == std::string_view::npos;
}

Result<void> check_extensions(const Blob& blob, UastcChannels& channels) {
  const auto place = [&](ByteSpan bytes) { return static_cast<std::uint64_t>(bytes.data() - blob.file().data()); };
  const ByteSpan swizzle = blob.extension(kSwizzleId);
  if (!swizzle.empty() && !is_swizzle(as_text(swizzle)))
    return invalid(place(swizzle), "found a swizzle that is not four of r, g, b, a, 0 and 1");
  const ByteSpan said = blob.extension(kChannelsId);
  if (!said.empty()) {
    const std::uint32_t value = said.size() == 4 ? load<std::uint32_t>(said) : 1;
    using enum UastcChannels;
    const auto known = {kRgb, kRgba, kRrr, kRrrg, kRg};
    const auto* const found =
        std::ranges::find_if(known, [&](UastcChannels c) { return static_cast<std::uint32_t>(c) == value; });
    if (found == known.end()) return invalid(place(said), "found unknown UASTC channels");
    channels = *found;
  }
  const std::string_view metadata = as_text(blob.extension(kMetadataId));
  if (!metadata.empty() &&
      (metadata.back() != '\0' || std::ranges::count(metadata, '\0') % 2 != 0 || !is_utf8(metadata)))
    return invalid(place(blob.extension(kMetadataId)), "found metadata that is not UTF-8 keys and texts");
  return {};
}

}  // namespace

std::optional<std::uint32_t> format_number(TexelFormat format) {
  const auto* const found = std::ranges::find(kFormats, format, &FormatNumber::format);
  return found == std::end(kFormats) ? std::nullopt : std::optional(found->number);
}

std::optional<TexelFormat> format_of(std::uint32_t number) {
  const auto* const found = std::ranges::find(kFormats, number, &FormatNumber::number);
  return found == std::end(kFormats) ? std::nullopt : std::optional(found->format);
}

Result<TextureView> TextureView::open(ByteSpan file) {
  ASSETC_TRY(const Blob blob, Blob::open(file));
  ASSETC_TRY(TextureView view, read(file, blob.data().size()));
  for (TextureLevel& level : view.levels_) level.bytes = file.subspan(level.offset_bytes, level.size_bytes);
  return view;
}

Result<TextureView> TextureView::open_head(ByteSpan blob, std::uint32_t data_size_bytes) {
  return read(blob, data_size_bytes);
}

Result<TextureView> TextureView::read(ByteSpan file, std::uint64_t data_size_bytes) {
  TextureView view;
  ASSETC_TRY(const Blob any, Blob::open(file));
  const Type type = is_texture(any.type()) ? any.type() : Type::kTexture2D;
  const std::size_t desc_size = sizeof(Texture2DDesc) + (type == Type::kTexture2D ? 0 : sizeof(ShapeDesc));
  ASSETC_TRY(view.blob_, Blob::open(file, type, desc_size));
  const Context context;
  const ByteSpan desc = view.blob_.desc();
  ASSETC_CHECK(check_records(table::kTexture, desc.first(sizeof(Texture2DDesc)), desc_place(0), context));
  view.desc_ = load<Texture2DDesc>(desc);
  if (type != Type::kTexture2D) {
    const ByteSpan shape = desc.subspan(sizeof(Texture2DDesc), sizeof(ShapeDesc));
    ASSETC_CHECK(check_records(table::kShape, shape, desc_place(sizeof(Texture2DDesc)), context));
    view.shape_ = load<ShapeDesc>(shape);
  }
  const auto format = format_of(view.desc_.format);
  if (!format) {
    return fail_at(ErrorCode::kUnsupported, byte_place(desc_place(8)),
                   message("found texture format ", view.desc_.format, ", expected 1 to 3 or 16 to 57"),
                   "read it with a newer assetc, or cook its source again with this one");
  }
  view.format_ = *format;
  ASSETC_CHECK(check_shape(type, view.desc_, view.shape_));
  if (view.desc_.row_pitch_bytes != row_pitch(view.desc_.width_texels, *format)) {
    return invalid(desc_place(16), message("found a row pitch of ", counted(view.desc_.row_pitch_bytes, "byte"),
                                           ", expected ", row_pitch(view.desc_.width_texels, *format)));
  }
  std::vector<std::pair<TextureLevel, std::uint64_t>> levels;
  const auto size = lay_out(view.desc_, view.shape_, *format, levels);
  if (!size || *size != data_size_bytes) {
    return invalid(12, message("found ", counted(data_size_bytes, "byte"), " of data, expected ",
                               size ? message(*size) : std::string("more than 2^64"), " for the levels"));
  }
  std::uint64_t end = view.blob_.data_place();
  for (auto& [level, level_size] : levels) {
    level.offset_bytes = end;
    level.size_bytes = level_size;
    end += level_size;
    view.levels_.push_back(level);
  }
  ASSETC_CHECK(check_extensions(view.blob_, view.channels_));
  return view;
}

std::vector<std::pair<std::string_view, std::string_view>> TextureView::metadata() const {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  std::string_view rest = as_text(blob_.extension(kMetadataId));
  const auto next = [&] {
    const std::string_view text = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(text.size() + 1);
    return text;
  };
  while (!rest.empty()) {
    const std::string_view key = next();
    all.emplace_back(key, next());
  }
  return all;
}

Result<ByteVector> write(const Texture& texture) {
  const auto number = format_number(texture.format);
  if (!number) {
    return fail(ErrorCode::kUnsupported, message("an AAS1 texture cannot hold ", to_string(texture.format), " texels"),
                "compile the picture to another format");
  }
  const Texture2DDesc desc{texture.width_texels, texture.height_texels, *number,
                           static_cast<std::uint32_t>(texture.levels.size()),
                           static_cast<std::uint32_t>(row_pitch(texture.width_texels, texture.format))};
  ByteVector desc_bytes;
  append(desc_bytes, desc);
  if (texture.type != Type::kTexture2D) append(desc_bytes, texture.shape);
  std::string metadata;
  for (const auto& [key, text] : texture.metadata) metadata.append(key).append(1, '\0').append(text).append(1, '\0');
  const auto channels = static_cast<std::uint32_t>(texture.channels);
  const bool says_channels = texture.format == TexelFormat::kUastc && texture.channels != UastcChannels::kRgba;
  const Extension extensions[] = {{kSwizzleId, as_bytes(texture.swizzle)},
                                  {kChannelsId, says_channels ? object_bytes(channels) : ByteSpan()},
                                  {kMetadataId, as_bytes(metadata)}};
  ASSETC_TRY(ByteVector file, write_blob(texture.type, texture.srgb ? kFlagSrgb : std::uint8_t{0}, desc_bytes,
                                         texture.levels, extensions));
  ASSETC_CHECK(TextureView::open(file));
  return file;
}

}  // namespace assetc::aas1
