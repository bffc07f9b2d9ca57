// KHR_meshopt_compression and EXT_meshopt_compression: one compressed buffer view, checked before meshoptimizer's decoders see it.
#pragma once

#include <cstdint>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::importer {

struct MeshoptStream {
  std::string mode;    // "ATTRIBUTES", "TRIANGLES", "INDICES"
  std::string filter;  // "NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"
  std::uint64_t count = 0;
  std::uint64_t stride_bytes = 0;
  ByteSpan data;
};

// Whether the description obeys the extension and the data could hold that many elements: afterwards count *
// stride_bytes is bounded by a small multiple of the data's size.
Result<void> check_meshopt(const MeshoptStream& stream);
// count * stride_bytes decoded and unfiltered bytes. Requires check_meshopt().
Result<ByteVector> decode_meshopt(const MeshoptStream& stream);

}  // namespace assetc::importer
