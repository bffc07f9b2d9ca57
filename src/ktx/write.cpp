#include "ktx/write.hpp"

#include "recipes/container/ktx2.hpp"

namespace assetc::ktx {

Result<ByteVector> write_file(const texture::EncodedTexture& texture, const Statement& statement) {
  ktx2::Texture out = recipes::ktx2_texture(texture);
  out.transfer = statement.transfer;
  out.primaries = statement.primaries;
  out.premultiplied_alpha = statement.premultiplied_alpha;
  out.orientation = statement.orientation;
  return ktx2::write(out);
}

}  // namespace assetc::ktx
