#include "assetc/formats/aas1_texture.hpp"

#include "recipes/container/containers.hpp"
#include "recipes/texture/words.hpp"

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
  texture.srgb = from.is_srgb();
  texture.width_texels = from.width_texels;
  texture.height_texels = from.height_texels;
  texture.shape = {std::max(from.depth_texels, 1u), std::max(from.layer_count, 1u), from.face_count};
  texture.swizzle = swizzle_text(from.swizzle);
  texture.channels = from.channels;
  texture.metadata = key_values(from);
  // Blobs hold levels as a GPU takes them, not compressed.
  std::vector<Bytes> levels;
  for (std::size_t l = 0; l < from.levels.size(); ++l) {
    ASSETC_TRY(const Bytes level, from.inflated_level(l));
    texture.levels.emplace_back(levels.emplace_back(level));
  }
  return aas1::write(texture);
}

}  // namespace

constinit const TextureContainer kAas1Texture{"", write_texture};

}  // namespace assetc::recipes
