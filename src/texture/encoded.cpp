#include "texture/encoded.hpp"

#include "compression/encode.hpp"

namespace assetc::texture {

Result<void> EncodedTexture::add_level(ByteVector images) {
  const std::uint64_t uncompressed_bytes = images.size();
  if (zstd_level != 0) images = compression::deflate(images, {.level = zstd_level, .checksum = true});
  levels.push_back({std::move(images), uncompressed_bytes});
  return {};
}

int zstd_level_of(ktx2::Format format, std::uint32_t asked, bool rdo) {
  if (asked != 0) return static_cast<int>(asked);
  return rdo || !ktx2::is_block_compressed(format) ? kDefaultRawZstdLevel : 0;
}

Result<ByteVector> write_ktx2(const EncodedTexture& from) {
  ktx2::Texture texture;
  texture.format = from.format;
  texture.transfer = from.transfer;
  texture.primaries = from.primaries;
  texture.channels = from.channels;
  texture.swizzle = from.swizzle;
  texture.width_texels = from.width_texels;
  texture.height_texels = from.height_texels;
  texture.depth_texels = from.depth_texels;
  texture.layer_count = from.layer_count;
  texture.face_count = from.face_count;
  if (from.zstd_level != 0) {
    texture.supercompression = ktx2::Supercompression::kZstd;
    texture.writer_params = "zstd " + std::to_string(from.zstd_level);
  }
  texture.metadata = from.metadata;
  for (const EncodedTexture::Level& level : from.levels)
    texture.levels.push_back({level.bytes, level.uncompressed_bytes});
  return ktx2::write(texture);
}

}  // namespace assetc::texture
