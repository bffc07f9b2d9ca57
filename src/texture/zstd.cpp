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

Result<ByteVector> decompress_zstd(ByteSpan frame, std::uint64_t size_bytes) {
  // Zstd says at most some 2^17 bytes in four, a block of one repeated byte; refuse a promise beyond that before
  // memory is taken for it.
  constexpr std::uint64_t kMaxRatio = 1u << 16;
  if (size_bytes / kMaxRatio > frame.size())
    return fail(ErrorCode::kInvalidData, "a Zstd frame too short for its content");
  ByteVector out(size_bytes);
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size))
    return fail(ErrorCode::kInvalidData, std::string("damaged Zstd frame: ") + ZSTD_getErrorName(size));
  if (size != size_bytes) {
    return fail(ErrorCode::kInvalidData,
                "a Zstd frame of " + std::to_string(size) + " bytes, expected " + std::to_string(size_bytes));
  }
  return out;
}

}  // namespace assetc::texture
