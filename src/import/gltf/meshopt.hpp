// Decodes one compressed buffer view of KHR_meshopt_compression or EXT_meshopt_compression. It is checked first. The
// pinned version of meshoptimizer decodes it; meshopt_v1.hpp decodes the parts that this version does not support.
#pragma once

#include <cstdint>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::importer {

struct MeshoptStream {
  std::string mode;    // "ATTRIBUTES", "TRIANGLES", "INDICES"
  std::string filter;  // "NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"
  std::uint64_t count = 0;
  std::uint64_t stride_bytes = 0;
  ByteSpan data;
};

// Checks that the description obeys the extension and that the data is long enough for that many elements. After this,
// count * stride_bytes is at most 1024 times the size of the data.
Result<void> check_meshopt(const MeshoptStream& stream);
// Decodes and unfilters count * stride_bytes bytes. Requires check_meshopt().
Result<ByteVector> decode_meshopt(const MeshoptStream& stream);

}  // namespace assetc::importer
