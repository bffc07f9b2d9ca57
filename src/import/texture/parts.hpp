// Internal to src/import: shared by the readers of DDS and KTX 1.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "import/texture/file.hpp"

namespace assetc::importer {

// A texture whose images are spans of a file.
struct StoredTexture {
  ktx2::Texture shape;                        // without levels
  std::vector<std::vector<ByteSpan>> levels;  // by level, by image: layer, then face
};

struct LevelExtent {
  std::uint32_t width_texels = 1, height_texels = 1, depth_texels = 1;
};
LevelExtent level_extent(const ktx2::Texture& shape, std::uint32_t level);

// Checks sides, layers and faces against the limits of KTX 2, and that a texture of this size can have so many levels.
// Requires level_count >= 1. place: of the header, for errors. Errors: kInvalidData, kLimit.
Result<void> check_shape(const ktx2::Texture& shape, std::uint32_t level_count, std::string_view place);

// The size of one image of a level, without row padding. Requires check_shape().
std::uint64_t image_bytes(const ktx2::Texture& shape, std::uint32_t level);

// Writes the KTX 2 file. Requires images of image_bytes().
Result<ByteVector> write_ktx2(const StoredTexture& texture);

}  // namespace assetc::importer
