// How far from their source blocks are that UASTC's transcoder makes BC1 of, one block in every SIMD lane: what the BC1
// hints are chosen by.
#pragma once

#include <cstdint>
#include <span>

#include "codec/encode/common/planar_block.hpp"

namespace assetc::codec {

// A block whose texels lie on one line: what its endpoints and weights are in BC1.
struct Bc1Line {
  std::uint32_t block;          // its number
  std::uint32_t levels;         // 2 bits a texel, in thirds from the first endpoint to the second
  std::uint16_t first, second;  // 5:6:5
};

// Squared errors over R, G and B of 16 texels, of each way in which the transcoder may go about a block.
struct Bc1Errors {
  std::uint32_t by_endpoints;  // encode_bc1_direct
  std::uint32_t by_weights;    // encode_bc1_levels of the decoded texels
  std::uint32_t fresh;         // encode_bc1 of the decoded texels
};

// errors[i] for lines[i], to the last unit. Fields that are not asked for are left alone.
void measure_bc1_hints(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                       std::span<const Bc1Line> lines, bool by_weights, bool fresh, std::span<Bc1Errors> errors);

}  // namespace assetc::codec
