// The additions of KHR_meshopt_compression to EXT_meshopt_compression: version 1 of the attribute codec, and the COLOR
// filter. Source: the extension's specification, appendices A (mode 0) and B (filter 4). Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::importer {

// The first byte of a version 1 attribute stream.
inline constexpr std::byte kMeshoptAttributesV1{0xA1};
// Maximum number of output bytes per byte of such a stream: two bits can encode the zeros of one byte of 256 elements.
inline constexpr std::uint64_t kMeshoptV1Expansion = 1024;

// Decodes count elements of stride_bytes into out. Safe for any input. Bytes that are not a complete stream give
// kInvalidData and leave out unspecified. Requires kMeshoptAttributesV1 as the first byte, a stride of 4 to 256 that is
// a multiple of 4, and count * stride_bytes bytes in out.
Result<void> decode_meshopt_v1(ByteSpan stream, std::size_t count, std::size_t stride_bytes, std::span<std::byte> out);

// Converts YCoCg with a precision per element to RGBA of 8 bits (stride 4) or 16 bits (stride 8), in place. Colors
// outside their precision are clamped. kInvalidData if the fourth component of an element does not give a precision of
// at least two bits. Requires a stride of 4 or 8, and whole elements.
Result<void> unfilter_meshopt_colors(std::span<std::byte> elements, std::size_t stride_bytes);

}  // namespace assetc::importer
