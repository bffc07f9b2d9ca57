// Writes meshlet streams: see codec/mesh/decode/meshlet_stream.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "assetc/base/bytes.hpp"

namespace assetc::hmesh {

// Returns the stream. triangle_counts: of the meshlets. Requires at most meshlet_stream::kMaxVertices vertices in each.
ByteVector encode_meshlets(std::span<const std::uint32_t> indices, std::span<const std::uint8_t> triangle_counts);

// Rotates the corners of triangles so that the stream needs no rotations. Requires what encode_meshlets() does.
void rotate_for_meshlets(std::span<std::uint32_t> indices, std::span<const std::uint8_t> triangle_counts);

}  // namespace assetc::hmesh
