// A texture as it is stored, whatever file will hold it: its levels, encoded, and their meaning.
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
#include "texture/rdo_report.hpp"
#include "texture/storage.hpp"

namespace assetc::texture {

struct EncodedTexture {
  struct Level {
    ByteVector bytes;  // images by layer, then face; under Zstd one frame for the whole level
    std::uint64_t uncompressed_bytes = 0;
    bool operator==(const Level&) const = default;
  };
  // R, G and B of nine coefficients: prefilter.hpp's IrradianceSh as floats.
  using Sh = std::array<std::array<float, 3>, 9>;

  TexelFormat format = TexelFormat::kUastc;
  ColorSpace color_space = ColorSpace::kNone;
  UastcChannels channels = UastcChannels::kRgba;  // of UASTC
  std::optional<ChannelMap> swizzle;  // of the stored channels, those that a reader should see; nothing: as stored
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  std::uint32_t depth_texels = 0;  // 0 unless three-dimensional
  std::uint32_t layer_count = 0;   // 0 unless an array
  std::uint32_t face_count = 1;    // 6 for a cubemap: +X -X +Y -Y +Z -Z
  int zstd_level = 0;              // at which each level was compressed; 0: levels are as they were encoded
  std::vector<Level> levels;       // largest first
  std::optional<Sh> irradiance;    // of a cubemap of diffuse light: the same light as spherical harmonics
  std::vector<std::pair<std::string, std::string>> notes;  // texts that a source file carries, by its own keys
  std::optional<RdoReport> rdo;                            // where it had an effect

  bool is_srgb() const { return color_space == ColorSpace::kSrgb; }
  // Compresses the next level at zstd_level and keeps it, so that of all levels one at most is there uncompressed.
  Result<void> add_level(ByteVector images);
  // A level as it was encoded: inflated where it is compressed, else a view of it. Requires index < levels.size().
  Result<Bytes> inflated_level(std::size_t index) const;

  bool operator==(const EncodedTexture&) const = default;
};

// The Zstd level of texels or blocks of a format. asked: 0 leaves blocks as they are, but for blocks under rdo, and
// gives texels kDefaultRawZstdLevel, for a texel's bytes repeat.
inline constexpr int kDefaultRawZstdLevel = 6;
int zstd_level_of(TexelFormat format, std::uint32_t asked, bool rdo = false);

}  // namespace assetc::texture
