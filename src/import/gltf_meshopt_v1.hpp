// What KHR_meshopt_compression adds to EXT_meshopt_compression: version 1 of the attribute codec, and the filter COLOR.
// Source: the extension's specification, appendices A (mode 0) and B (filter 4). Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::importer {

// The first byte of an attribute stream of version 1.
inline constexpr std::byte kMeshoptAttributesV1{0xA1};
// Output bytes that one byte of such a stream can stand for, at most: two bits of zeros for 256 elements' byte.
inline constexpr std::uint64_t kMeshoptV1Expansion = 1024;

// Decodes count elements of stride_bytes into out. Any bytes are safe; those that are no whole stream are kInvalidData,
// and out is then unspecified. Requires a first byte of kMeshoptAttributesV1, a stride that is a multiple of 4 from 4
// to 256, and count * stride_bytes bytes of out.
Result<void> decode_meshopt_v1(ByteSpan stream, std::size_t count, std::size_t stride_bytes, std::span<std::byte> out);

// YCoCg with a precision for each element to RGBA of 8 bits (stride 4) or 16 (stride 8), in place. Colors outside
// their precision are clamped; an element whose fourth component gives none of at least two bits is kInvalidData.
// Requires a stride of 4 or 8, and whole elements.
Result<void> unfilter_meshopt_colors(std::span<std::byte> elements, std::size_t stride_bytes);

}  // namespace assetc::importer
