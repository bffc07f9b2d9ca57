// A texture as it is stored, whatever file will hold it: its levels, encoded, and what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"
#include "texture/rdo_report.hpp"

namespace assetc::texture {

struct EncodedTexture {
  struct Level {
    ByteVector bytes;  // images by layer, then face; under Zstd one frame for the whole level
    std::uint64_t uncompressed_bytes = 0;
  };

  ktx2::Format format = ktx2::Format::kUastc;
  ktx2::Transfer transfer = ktx2::Transfer::kLinear;
  ktx2::Primaries primaries = ktx2::Primaries::kUnspecified;
  ktx2::UastcChannels channels = ktx2::UastcChannels::kRgba;  // of UASTC: what a transcoder is told
  std::string swizzle;  // how a reader gets the channels that were asked for, four of "rgba01"; empty: as stored
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  std::uint32_t depth_texels = 0;                             // 0 unless three-dimensional
  std::uint32_t layer_count = 0;                              // 0 unless an array
  std::uint32_t face_count = 1;                               // 6 for a cubemap: +X -X +Y -Y +Z -Z
  int zstd_level = 0;                                         // 0: levels are as they were encoded
  std::vector<Level> levels;                                  // largest first
  std::vector<std::pair<std::string, std::string>> metadata;  // keys of our own with their texts
  std::optional<RdoReport> rdo;                               // where it had an effect

  // Compresses the next level under zstd_level and keeps it, so that of all levels one at most is there uncompressed.
  Result<void> add_level(ByteVector images);
};

// The Zstd level of what is stored in a format. asked: 0 leaves blocks as they are, but for blocks under rdo, and gives
// texels kDefaultRawZstdLevel, for a texel's bytes repeat.
inline constexpr int kDefaultRawZstdLevel = 6;
int zstd_level_of(ktx2::Format format, std::uint32_t asked, bool rdo = false);

// The bytes of the .ktx2.
Result<ByteVector> write_ktx2(const EncodedTexture& from);

}  // namespace assetc::texture
