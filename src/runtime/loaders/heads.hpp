// The heads of files, which are read before their levels and chunks: tables, keys and values, extensions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "assetc/formats/aas1.hpp"
#include "base/plural.hpp"

namespace assetc::runtime {

inline constexpr std::uint64_t kMaxHeadBytes = 16u << 20;

inline std::unexpected<Error> head_is_too_large(std::uint64_t bytes) {
  return fail(
      ErrorCode::kLimit,
      "found " + counted(bytes, "byte") + " beside the levels, expected at most " + std::to_string(kMaxHeadBytes),
      "load it whole");
}

// The place of the data in an AAS1 blob, read from its first bytes.
struct Aas1Head {
  std::uint64_t data_offset_bytes;
  std::uint32_t data_size_bytes;
};
// Requires sizeof(aas1::BlobHeader) bytes that begin with the magic. Errors: kTruncated; kLimit for more than
// kMaxHeadBytes before or after the data.
inline Result<Aas1Head> aas1_head(ByteSpan first, std::uint64_t content_bytes) {
  const auto header = load<aas1::BlobHeader>(first);
  const std::uint64_t desc_end = sizeof header + std::uint64_t{header.desc_size_bytes};
  const std::uint64_t data_end = desc_end + header.data_size_bytes;
  if (data_end > content_bytes)
    return fail(ErrorCode::kTruncated,
                "found " + counted(content_bytes, "byte") + ", expected " + std::to_string(data_end) + " or more");
  const std::uint64_t beside = std::max(desc_end, content_bytes - data_end);
  if (beside > kMaxHeadBytes) return head_is_too_large(beside);
  return Aas1Head{desc_end, header.data_size_bytes};
}

}  // namespace assetc::runtime
