#include "ktx/write.hpp"

#include "recipes/texture_words.hpp"

namespace assetc::ktx {

Result<ByteVector> write_file(const texture::EncodedTexture& texture, const Statement& statement) {
  ktx2::Texture out;
  out.format = texture.format;
  out.transfer = statement.transfer;
  out.primaries = statement.primaries;
  out.premultiplied_alpha = statement.premultiplied_alpha;
  out.channels = texture.channels;
  out.swizzle = recipes::swizzle_text(texture.swizzle);
  out.width_texels = texture.width_texels;
  out.height_texels = texture.height_texels;
  out.depth_texels = texture.depth_texels;
  out.layer_count = texture.layer_count;
  out.face_count = texture.face_count;
  out.orientation = statement.orientation;
  if (texture.zstd_level != 0) {
    out.supercompression = ktx2::Supercompression::kZstd;
    out.writer_params = "zstd " + std::to_string(texture.zstd_level);
  }
  out.metadata = texture.notes;
  for (const texture::EncodedTexture::Level& level : texture.levels)
    out.levels.push_back({level.bytes, level.uncompressed_bytes});
  return ktx2::write(out);
}

}  // namespace assetc::ktx
