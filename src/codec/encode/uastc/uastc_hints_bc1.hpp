// Measures the errors of the BC1 blocks that the transcoder makes of UASTC blocks, one block per SIMD lane. The BC1
// hints are chosen by these errors.
#pragma once

#include <cstdint>
#include <span>

#include "codec/encode/common/planar_block.hpp"

namespace assetc::codec {

// A block whose texels lie on one line, and its endpoints and weights in BC1.
struct Bc1Line {
  std::uint32_t block;          // the number of the block
  std::uint32_t levels;         // 2 bits for each texel, in thirds from the first endpoint to the second
  std::uint16_t first, second;  // 5:6:5
};

// Squared errors over R, G and B of 16 texels, for each way in which the transcoder can convert a block.
struct Bc1Errors {
  std::uint32_t by_endpoints;  // encode_bc1_direct
  std::uint32_t by_weights;    // encode_bc1_levels of the decoded texels
  std::uint32_t fresh;         // encode_bc1 of the decoded texels
};

// Sets errors[i] for lines[i], exactly. Fields that are not requested are not changed.
void measure_bc1_hints(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                       std::span<const Bc1Line> lines, bool by_weights, bool fresh, std::span<Bc1Errors> errors);

}  // namespace assetc::codec
