// Encodes streams of version 1 of the attribute codec (KHR_meshopt_compression). The pinned meshoptimizer only writes
// version 0.
#pragma once

#include <cstddef>

#include "assetc/base/bytes.hpp"

namespace assetc::exporter {

// The stream of elements of stride_bytes. For each four bytes of an element, the kind of difference with the smallest
// stream is chosen: of bytes, of 16-bit numbers, or of bits. Large inputs decide by a share of their blocks.
//
// Requires a stride of 4 to 256 that is a multiple of 4, and a whole number of elements, at least one. Deterministic.
// Thread-safe. Source: KHR_meshopt_compression, appendix A, mode 0.
ByteVector encode_meshopt_v1(ByteSpan elements, std::size_t stride_bytes);

}  // namespace assetc::exporter
