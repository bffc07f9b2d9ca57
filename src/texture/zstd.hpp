// Zstd, the supercompression of KTX 2.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::texture {

// One frame that says its content size. level: 1 to 22. The same bytes for the same libzstd.
Result<ByteVector> compress_zstd(ByteSpan bytes, int level);
// Such a frame back, of a known size.
Result<ByteVector> inflate_zstd(ByteSpan frame, std::uint64_t size_bytes);

}  // namespace assetc::texture
