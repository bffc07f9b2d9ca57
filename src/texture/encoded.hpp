// A texture in stored form, independent of the container: its encoded levels and their meaning.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/texel_format.hpp"
#include "texture/graphics_report.hpp"
#include "texture/rdo_report.hpp"
#include "texture/storage.hpp"

namespace assetc::texture {

// The parts of BasisLZ that all levels share. A level has the slices of its image: color, then the second one.
struct EncodedBasisLz {
  struct Image {
    std::uint32_t color_bytes = 0, second_bytes = 0;  // second_bytes 0: no second slice
    bool operator==(const Image&) const = default;
  };
  std::uint32_t endpoint_count = 0, selector_count = 0;
  ByteVector endpoints, selectors, tables;
  std::vector<Image> images;  // by level, then layer, then face
  bool operator==(const EncodedBasisLz&) const = default;
};

struct EncodedTexture {
  struct Level {
    ByteVector bytes;  // images by layer, then face; with Zstd, one frame for the whole level
    std::uint64_t uncompressed_bytes = 0;
    bool operator==(const Level&) const = default;
  };
  // R, G and B of nine coefficients: IrradianceSh of prefilter.hpp, as floats.
  using Sh = std::array<std::array<float, 3>, 9>;

  TexelFormat format = TexelFormat::kUastc;
  ColorSpace color_space = ColorSpace::kNone;
  UastcChannels channels = UastcChannels::kRgba;  // for UASTC and ETC1S
  std::optional<EncodedBasisLz> basis_lz;         // for ETC1S
  std::optional<ChannelMap> swizzle;  // how a reader maps stored channels to the visible ones; empty: as stored
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  std::uint32_t depth_texels = 0;  // 0 unless three-dimensional
  std::uint32_t layer_count = 0;   // 0 unless an array
  std::uint32_t face_count = 1;    // 6 for a cubemap: +X -X +Y -Y +Z -Z
  int zstd_level = 0;              // the Zstd level of each mip level; 0: levels are not compressed
  std::vector<Level> levels;       // largest first
  std::optional<Sh> irradiance;    // for a cubemap of diffuse light: the same light as spherical harmonics
  std::vector<std::pair<std::string, std::string>> notes;  // key-value texts of a source file
  std::optional<RdoReport> rdo;                            // if RDO had an effect
  std::optional<GraphicsReport> graphics;                  // if the blocks of a picture should be texels

  bool is_srgb() const { return color_space == ColorSpace::kSrgb; }
  // Compresses the next level at zstd_level and keeps it, so that at most one level is in memory uncompressed.
  Result<void> add_level(ByteVector images);
  // A level before compression: inflated if it is compressed, otherwise a view of it. Requires index < levels.size().
  Result<Bytes> inflated_level(std::size_t index) const;

  bool operator==(const EncodedTexture&) const = default;
};

// The Zstd level for texels or blocks of a format. asked 0 leaves blocks uncompressed, unless they were encoded with
// rdo. Raw texels then use kDefaultRawZstdLevel, because the bytes of texels repeat.
inline constexpr int kDefaultRawZstdLevel = 6;
int zstd_level_of(TexelFormat format, std::uint32_t asked, bool rdo = false);

}  // namespace assetc::texture
