// KHR_meshopt_compression and EXT_meshopt_compression: one compressed buffer view, checked before it is decoded: by
// meshoptimizer, and what its pinned version does not know by gltf_meshopt_v1.hpp.
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

// Whether the description obeys the extension and the data could hold that many elements: afterwards count *
// stride_bytes is bounded by 1024 times the data's size.
Result<void> check_meshopt(const MeshoptStream& stream);
// count * stride_bytes decoded and unfiltered bytes. Requires check_meshopt().
Result<ByteVector> decode_meshopt(const MeshoptStream& stream);

}  // namespace assetc::importer
