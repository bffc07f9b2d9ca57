#include "assetc/formats/aas1_texture.hpp"
#include "compression/decode.hpp"
#include "recipes/containers.hpp"

namespace assetc::recipes {
namespace {

aas1::Type type_of(const texture::EncodedTexture& from) {
  if (from.face_count == 6) return from.layer_count > 0 ? aas1::Type::kTextureCubeArray : aas1::Type::kTextureCube;
  if (from.layer_count > 0) return aas1::Type::kTexture2DArray;
  return from.depth_texels > 0 ? aas1::Type::kTexture3D : aas1::Type::kTexture2D;
}

Result<ByteVector> write_texture(const texture::EncodedTexture& from) {
  aas1::Texture texture;
  texture.type = type_of(from);
  texture.format = from.format;
  texture.srgb = from.transfer == ktx2::Transfer::kSrgb;
  texture.width_texels = from.width_texels;
  texture.height_texels = from.height_texels;
  texture.shape = {std::max(from.depth_texels, 1u), std::max(from.layer_count, 1u), from.face_count};
  texture.swizzle = from.swizzle;
  texture.channels = from.channels;
  texture.metadata = from.metadata;
  // Blobs hold what a GPU takes.
  std::vector<ByteVector> inflated;
  inflated.reserve(from.levels.size());
  for (const texture::EncodedTexture::Level& level : from.levels) {
    if (from.zstd_level == 0) {
      texture.levels.emplace_back(level.bytes);
      continue;
    }
    ASSETC_TRY(ByteVector bytes, compression::inflate(level.bytes, level.uncompressed_bytes));
    texture.levels.emplace_back(inflated.emplace_back(std::move(bytes)));
  }
  return aas1::write(texture);
}

}  // namespace

constinit const TextureContainer kAas1Texture{"", write_texture};

}  // namespace assetc::recipes
