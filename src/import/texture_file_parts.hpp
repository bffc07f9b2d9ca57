// Internal to src/import: what the readers of DDS and KTX 1 share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "import/texture_file.hpp"

namespace assetc::importer {

// A texture whose images lie somewhere in a file.
struct StoredTexture {
  ktx2::Texture shape;                        // without levels
  std::vector<std::vector<ByteSpan>> levels;  // by level, by image: layer, then face
};

struct LevelExtent {
  std::uint32_t width_texels = 1, height_texels = 1, depth_texels = 1;
};
LevelExtent level_extent(const ktx2::Texture& shape, std::uint32_t level);

// Sides, layers, faces and levels within the limits of KTX 2, and levels no more than there can be. level_count is at
// least 1. place: of the header. kInvalidData, kLimit.
Result<void> check_shape(const ktx2::Texture& shape, std::uint32_t level_count, std::string_view place);

// The bytes of one image of a level, rows without padding. Requires a shape that was checked.
std::uint64_t image_bytes(const ktx2::Texture& shape, std::uint32_t level);

// The KTX 2 file. Every image has the size that its format says.
Result<ByteVector> write_ktx2(const StoredTexture& texture);

}  // namespace assetc::importer
