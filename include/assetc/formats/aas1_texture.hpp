// AAS1 textures: levels as a GPU takes them, never supercompressed. Specification: docs/formats/aas1.md.
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
inline constexpr std::uint32_t kMetadataId = fourcc("META");  // key, zero, text, zero, for each

struct Texture2DDesc {
  std::uint32_t width_texels;
  std::uint32_t height_texels;
  std::uint32_t format;
  std::uint32_t mip_count;
  std::uint32_t row_pitch_bytes;  // of level 0: a row of texels, or of blocks
};
static_assert(sizeof(Texture2DDesc) == 20);
// Of the shapes that Texture2DDesc has no fields for.
struct ShapeDesc {
  std::uint32_t depth_texels;  // of a kTexture3D; else 1
  std::uint32_t layer_count;   // of an array; else 1
  std::uint32_t face_count;    // 6 of cubes: +X -X +Y -Y +Z -Z; else 1
};
static_assert(sizeof(ShapeDesc) == 12);

// A format's number in the file, or nothing for one that a blob cannot hold: ETC1S.
std::optional<std::uint32_t> format_number(TexelFormat format);
std::optional<TexelFormat> format_of(std::uint32_t number);

struct TextureLevel {
  ByteSpan bytes;  // images by layer, then face, then depth
  std::uint32_t width_texels = 1;
  std::uint32_t height_texels = 1;
  std::uint32_t depth_texels = 1;
  // Where the file has it.
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
};

class TextureView {
 public:
  static Result<TextureView> open(ByteSpan file);
  // Of without_data() and the size of what it lacks: levels are empty, and say where they lie in the file.
  static Result<TextureView> open_head(ByteSpan blob, std::uint32_t data_size_bytes);
  const Blob& blob() const { return blob_; }
  TexelFormat format() const { return format_; }
  bool is_srgb() const { return blob_.is_srgb(); }
  const Texture2DDesc& desc() const { return desc_; }
  const ShapeDesc& shape() const { return shape_; }
  std::span<const TextureLevel> levels() const { return levels_; }  // largest first
  std::string_view swizzle() const { return as_text(blob_.extension(kSwizzleId)); }
  // Of UASTC: what a transcoder is told.
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
// The bytes of a file that TextureView::open accepts, or its error about the texture. Deterministic.
Result<ByteVector> write(const Texture& texture);

}  // namespace assetc::aas1
