#include "texture/zstd.hpp"

#include <zstd.h>

#include <string>

namespace assetc::texture {

Result<ByteVector> compress_zstd(ByteSpan bytes, int level) {
  ByteVector out(ZSTD_compressBound(bytes.size()));
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size)) return fail(ErrorCode::kLimit, std::string("Zstd gave up: ") + ZSTD_getErrorName(size));
  out.resize(size);
  out.shrink_to_fit();
  return out;
}

}  // namespace assetc::texture
