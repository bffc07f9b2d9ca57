// AAS1 textures: levels in the layout that GPUs read, never supercompressed. Specification: docs/formats/aas1.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/formats/aas1.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::aas1 {

inline constexpr std::uint32_t kSwizzleId = fourcc("SWZL");   // four of "rgba01"
inline constexpr std::uint32_t kChannelsId = fourcc("UCHN");  // u32, UastcChannels
inline constexpr std::uint32_t kMetadataId = fourcc("META");  // for each entry: key, zero byte, text, zero byte

struct Texture2DDesc {
  std::uint32_t width_texels;
  std::uint32_t height_texels;
  std::uint32_t format;
  std::uint32_t mip_count;
  std::uint32_t row_pitch_bytes;  // of level 0: a row of texels, or of blocks
};
static_assert(sizeof(Texture2DDesc) == 20);
// Additional fields of all texture types other than kTexture2D.
struct ShapeDesc {
  std::uint32_t depth_texels;  // of a kTexture3D; otherwise 1
  std::uint32_t layer_count;   // of an array; otherwise 1
  std::uint32_t face_count;    // cubes: 6, +X -X +Y -Y +Z -Z; otherwise 1
};
static_assert(sizeof(ShapeDesc) == 12);

// Returns the number of a format in the file, or nothing for ETC1S, which a blob cannot hold.
std::optional<std::uint32_t> format_number(TexelFormat format);
std::optional<TexelFormat> format_of(std::uint32_t number);

struct TextureLevel {
  ByteSpan bytes;  // images by layer, then face, then depth
  std::uint32_t width_texels = 1;
  std::uint32_t height_texels = 1;
  std::uint32_t depth_texels = 1;
  // The range in the file.
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
};

class TextureView {
 public:
  static Result<TextureView> open(ByteSpan file);
  // Opens a blob made with without_data(). data_size_bytes: the size of the missing data. Levels have no bytes, but
  // their ranges in the file are set.
  static Result<TextureView> open_head(ByteSpan blob, std::uint32_t data_size_bytes);
  const Blob& blob() const { return blob_; }
  TexelFormat format() const { return format_; }
  bool is_srgb() const { return blob_.is_srgb(); }
  const Texture2DDesc& desc() const { return desc_; }
  const ShapeDesc& shape() const { return shape_; }
  std::span<const TextureLevel> levels() const { return levels_; }  // largest first
  std::string_view swizzle() const { return as_text(blob_.extension(kSwizzleId)); }
  // For UASTC: the meaning of the channels, for a transcoder.
  UastcChannels channels() const { return channels_; }
  std::vector<std::pair<std::string_view, std::string_view>> metadata() const;

 private:
  static Result<TextureView> read(ByteSpan file, std::uint64_t data_size_bytes);

  Blob blob_;
  TexelFormat format_ = TexelFormat::kRgba8;
  UastcChannels channels_ = UastcChannels::kRgba;
  Texture2DDesc desc_{};
  ShapeDesc shape_{1, 1, 1};
  std::vector<TextureLevel> levels_;
};

struct Texture {
  Type type = Type::kTexture2D;
  TexelFormat format = TexelFormat::kRgba8;
  bool srgb = false;
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  ShapeDesc shape{1, 1, 1};
  std::vector<ByteSpan> levels;  // largest first
  std::string swizzle;           // empty: as stored
  UastcChannels channels = UastcChannels::kRgba;
  std::vector<std::pair<std::string, std::string>> metadata;
};
// Returns the bytes of a file that TextureView::open accepts, or the error that it would give for the texture.
// Deterministic.
Result<ByteVector> write(const Texture& texture);

}  // namespace assetc::aas1
