// Decodes zlib streams (RFC 1950), which textures of other programs may have.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::compression {

// Decodes a stream without keeping its content, and compares the size and the checksum. Memory: 32 KiB.
// Errors: kInvalidData.
Result<void> check_zlib(ByteSpan stream, std::uint64_t content_bytes);

// Decodes a stream whose content has this size. Memory grows with the content that the stream holds, not with the size
// that is asked for. Errors: kInvalidData.
Result<ByteVector> inflate_zlib(ByteSpan stream, std::uint64_t content_bytes);

}  // namespace assetc::compression
