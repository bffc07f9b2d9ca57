#include "texture/zstd.hpp"

#include <zstd.h>

#include <memory>
#include <string>

namespace assetc::texture {

Result<ByteVector> compress_zstd(ByteSpan bytes, int level) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) return fail(ErrorCode::kLimit, "Zstd gave up: no memory");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);  // what inflates says so where a bit is wrong
  ByteVector out(ZSTD_compressBound(bytes.size()) + sizeof(std::uint32_t));
  const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) return fail(ErrorCode::kLimit, std::string("Zstd gave up: ") + ZSTD_getErrorName(size));
  out.resize(size);
  out.shrink_to_fit();
  return out;
}

Result<ByteVector> inflate_zstd(ByteSpan frame, std::uint64_t size_bytes) {
  ByteVector out(size_bytes);
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) || size != size_bytes) return fail(ErrorCode::kInvalidData, "found no whole Zstd frame");
  return out;
}

}  // namespace assetc::texture
