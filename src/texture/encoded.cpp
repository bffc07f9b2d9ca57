#include "texture/encoded.hpp"

#include "compression/decode.hpp"
#include "compression/encode.hpp"

namespace assetc::texture {

Result<void> EncodedTexture::add_level(ByteVector images) {
  const std::uint64_t uncompressed_bytes = images.size();
  if (zstd_level != 0) images = compression::deflate(images, {.level = zstd_level, .checksum = true});
  levels.push_back({std::move(images), uncompressed_bytes});
  return {};
}

Result<Bytes> EncodedTexture::inflated_level(std::size_t index) const {
  const Level& level = levels[index];
  if (zstd_level == 0) return Bytes(nullptr, level.bytes);
  ASSETC_TRY(ByteVector bytes, compression::inflate(level.bytes, level.uncompressed_bytes));
  return Bytes(std::move(bytes));
}

int zstd_level_of(TexelFormat format, std::uint32_t asked, bool rdo) {
  if (format == TexelFormat::kEtc1s) return 0;  // it has BasisLZ
  if (asked != 0) return static_cast<int>(asked);
  return rdo || !is_block_compressed(format) ? kDefaultRawZstdLevel : 0;
}

}  // namespace assetc::texture
