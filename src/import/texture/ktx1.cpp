// Reads KTX 1.
#include <algorithm>
#include <bit>
#include <optional>

#include "assetc/runtime/gpu.hpp"
#include "base/plural.hpp"
#include "import/texture/parts.hpp"

namespace assetc::importer {
namespace ktx1 {
namespace {

constexpr std::size_t kHeaderBytes = 64, kEndiannessAt = 12, kTypeAt = 16, kTypeSizeAt = 20, kFormatAt = 24,
                      kInternalFormatAt = 28, kWidthAt = 36, kHeightAt = 40, kDepthAt = 44, kLayersAt = 48,
                      kFacesAt = 52, kLevelsAt = 56, kKeysBytesAt = 60;
constexpr std::uint32_t kSameOrder = 0x04030201, kOtherOrder = 0x01020304;

std::unexpected<Error> invalid(std::uint64_t at, std::string what) {
  return fail_at(ErrorCode::kInvalidData, byte_place(at), std::move(what), "export the texture again");
}
std::unexpected<Error> cut_short(ByteSpan file, const std::string& where) {
  return fail_at(ErrorCode::kTruncated, byte_place(file.size()), "the file ends in " + where,
                 "export the texture again");
}

// Reads numbers in the byte order of the file.
class Numbers {
 public:
  Numbers(ByteSpan file, bool is_swapped) : file_(file), is_swapped_(is_swapped) {}
  std::uint32_t u32(std::uint64_t at) const {
    const auto value = load<std::uint32_t>(file_, static_cast<std::size_t>(at));
    return is_swapped_ ? std::byteswap(value) : value;
  }
  bool is_swapped() const { return is_swapped_; }

 private:
  ByteSpan file_;
  bool is_swapped_;
};

struct Format {
  TexelFormat stored = TexelFormat::kRgba8;
  ktx2::Transfer transfer = ktx2::Transfer::kLinear;
  bool is_bgra = false;
  std::string swizzle = {};
};

constexpr std::uint32_t kEtc1 = 0x8D64, kBgra = 0x80E1, kUnsignedByte = 0x1401, kAlpha = 0x1906, kLuminance = 0x1909,
                        kLuminanceAlpha = 0x190A;

// The format for a sized internal format. If the internal format has no size, the format and type of the texels decide.
std::optional<Format> format_of(std::uint32_t internal, std::uint32_t format, std::uint32_t type) {
  using enum TexelFormat;
  if (internal == kEtc1) return Format{kEtc2Rgb};
  if (type == kUnsignedByte && format == kLuminance) return Format{.stored = kR8, .swizzle = "rrr1"};
  if (type == kUnsignedByte && format == kLuminanceAlpha) return Format{.stored = kRg8, .swizzle = "rrrg"};
  if (type == kUnsignedByte && format == kAlpha) return Format{.stored = kR8, .swizzle = "000r"};
  const bool is_bgra = format == kBgra;
  if (is_bgra && type != kUnsignedByte) return std::nullopt;
  for (const gpu::detail::Row& row : gpu::detail::kTextureFormats) {
    for (const bool is_srgb : {false, true}) {
      const gpu::GlTexture& gl = (is_srgb ? row.srgb : row.linear).gl;
      if (gl.internal_format == 0) continue;
      // Uncompressed texels must have the layout of the internal format.
      const bool same_texels = gl.type == type && gl.format == (is_bgra ? std::uint32_t{0x1908} : format);
      const bool is_it = gl.internal_format == internal && (type == 0 ? gl.type == 0 : same_texels);
      const bool is_unsized = type != 0 && internal == format && same_texels && !is_srgb;
      if (is_it || is_unsized)
        return Format{row.format, is_srgb ? ktx2::Transfer::kSrgb : ktx2::Transfer::kLinear, is_bgra};
    }
  }
  return std::nullopt;
}

// The KTXorientation of the key/value data, in the spelling of KTX 2.
Result<std::string> orientation(ByteSpan file, const Numbers& numbers, std::uint64_t keys_bytes) {
  std::uint64_t at = kHeaderBytes;
  const std::uint64_t end = at + keys_bytes;
  while (at < end) {
    if (end - at < 4) return invalid(at, "found a key that does not fit into the key/value data");
    const std::uint64_t size = numbers.u32(at);
    if (size > end - at - 4) return invalid(at, "found a key that does not fit into the key/value data");
    const std::string_view pair =
        as_text(file.subspan(static_cast<std::size_t>(at + 4), static_cast<std::size_t>(size)));
    at += 4 + (size + 3) / 4 * 4;
    const std::size_t zero = pair.find('\0');
    if (zero == pair.npos || pair.substr(0, zero) != "KTXorientation") continue;
    const std::string_view value = pair.substr(zero + 1);
    const bool is_left = value.find("S=l") != value.npos, is_up = value.find("T=u") != value.npos;
    return std::string(is_left ? "l" : "r") + (is_up ? "u" : "d");
  }
  return "rd";
}

// Copies an image without the padding of its rows, in little-endian order, as RGBA.
ByteVector plain_rows(ByteSpan stored, LevelExtent extent, std::size_t row_bytes, std::size_t number_bytes,
                      const Numbers& numbers, bool is_bgra) {
  const std::size_t pitch = (row_bytes + 3) / 4 * 4;
  ByteVector out;
  const std::size_t rows = std::size_t{extent.height_texels} * extent.depth_texels;
  out.reserve(rows * row_bytes);
  for (std::size_t row = 0; row < rows; ++row) append_bytes(out, stored.subspan(row * pitch, row_bytes));
  if (numbers.is_swapped() && number_bytes > 1) {
    for (std::size_t at = 0; at + number_bytes <= out.size(); at += number_bytes)
      std::reverse(out.begin() + static_cast<std::ptrdiff_t>(at),
                   out.begin() + static_cast<std::ptrdiff_t>(at + number_bytes));
  }
  if (is_bgra) {
    for (std::size_t at = 0; at + 4 <= out.size(); at += 4) std::swap(out[at], out[at + 2]);
  }
  return out;
}

}  // namespace

Result<ByteVector> as_ktx2(ByteSpan file) {
  if (file.size() < kHeaderBytes) return cut_short(file, "the KTX header of 64 bytes");
  const auto order = load<std::uint32_t>(file, kEndiannessAt);
  if (order != kSameOrder && order != kOtherOrder) return invalid(kEndiannessAt, "found no byte order of KTX");
  const Numbers numbers(file, order == kOtherOrder);
  const std::uint32_t type = numbers.u32(kTypeAt), gl_format = numbers.u32(kFormatAt),
                      internal = numbers.u32(kInternalFormatAt);
  const auto format = format_of(internal, gl_format, type);
  if (!format) {
    return fail_at(ErrorCode::kUnsupported, byte_place(kInternalFormatAt),
                   "found internal format " + std::to_string(internal) + " with texels of format " +
                       std::to_string(gl_format) + " and type " + std::to_string(type) + ", which is not read here",
                   "export it as KTX 2, or start from the picture it was made from");
  }
  StoredTexture texture;
  ktx2::Texture& shape = texture.shape;
  shape.format = format->stored;
  shape.transfer = format->transfer;
  shape.swizzle = format->swizzle;
  shape.width_texels = numbers.u32(kWidthAt);
  shape.height_texels = std::max(numbers.u32(kHeightAt), 1u);
  shape.depth_texels = numbers.u32(kDepthAt);
  shape.layer_count = numbers.u32(kLayersAt);
  shape.face_count = numbers.u32(kFacesAt);
  const std::uint32_t level_count = std::max(numbers.u32(kLevelsAt), 1u);
  if (shape.face_count != 1 && shape.face_count != 6)
    return invalid(kFacesAt, "found " + counted(shape.face_count, "face") + ", expected 1 or 6");
  if (shape.depth_texels != 0 && (shape.face_count == 6 || shape.layer_count != 0))
    return invalid(kDepthAt, "found a three-dimensional texture with layers or faces");
  if (shape.face_count == 6 && shape.width_texels != shape.height_texels)
    return invalid(kHeightAt, "found a cubemap whose faces are not square");
  ASSETC_CHECK(check_shape(shape, level_count, "KTX header"));
  const std::uint64_t keys_bytes = numbers.u32(kKeysBytesAt);
  if (!range_fits(kHeaderBytes, keys_bytes, file.size())) return cut_short(file, "the key/value data");
  ASSETC_TRY(const std::string turned, orientation(file, numbers, keys_bytes));
  if (shape.depth_texels == 0) shape.orientation = turned;

  const bool is_compressed = is_block_compressed(shape.format);
  const std::uint64_t images = std::uint64_t{std::max(shape.layer_count, 1u)} * shape.face_count;
  // In a cubemap that is not an array, the size of a level counts one face.
  const bool counts_a_face = shape.face_count == 6 && shape.layer_count == 0;
  std::vector<ByteVector> plain;
  std::uint64_t at = kHeaderBytes + keys_bytes;
  for (std::uint32_t level = 0; level < level_count; ++level) {
    const std::string where = "mip level " + std::to_string(level);
    if (!range_fits(at, 4, file.size())) return cut_short(file, where);
    const LevelExtent extent = level_extent(shape, level);
    const std::uint64_t row_bytes = std::uint64_t{extent.width_texels} * block_shape(shape.format).size_bytes;
    const std::uint64_t size = is_compressed ? image_bytes(shape, level)
                                             : (row_bytes + 3) / 4 * 4 * extent.height_texels * extent.depth_texels;
    const std::uint64_t said = numbers.u32(at), expected = counts_a_face ? size : size * images;
    if (said != expected) {
      return invalid(
          at, "found a size of " + counted(said, "byte") + " for " + where + ", expected " + std::to_string(expected));
    }
    at += 4;
    for (std::uint64_t image = 0; image < images; ++image) {
      if (!range_fits(at, size, file.size())) return cut_short(file, where);
      const ByteSpan stored = file.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
      std::vector<ByteSpan>& to = level < texture.levels.size() ? texture.levels[level] : texture.levels.emplace_back();
      to.push_back(is_compressed
                       ? stored
                       : ByteSpan(plain.emplace_back(plain_rows(stored, extent, row_bytes, numbers.u32(kTypeSizeAt),
                                                                numbers, format->is_bgra))));
      at += size;
      if (counts_a_face) at = (at + 3) / 4 * 4;
    }
    at = (at + 3) / 4 * 4;
  }
  if (at < file.size()) return invalid(at, "found " + counted(file.size() - at, "byte") + " after the last mip level");
  return write_ktx2(texture);
}

}  // namespace ktx1

Result<ByteVector> ktx2_of_ktx1(ByteSpan file) { return ktx1::as_ktx2(file); }

}  // namespace assetc::importer
