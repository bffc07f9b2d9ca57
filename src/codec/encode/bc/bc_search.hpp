// The search for the best BC1 and BC4 blocks, blocks side by side in SIMD lanes. Internal to the encoder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/encode/common/planar_block.hpp"
#include "codec/encode/common/ramp_effort.hpp"

namespace assetc::codec {

struct Bc1Settings {
  std::array<float, 3> channel_weights{1, 1, 1};  // of a channel's squared error, > 0
  // Of all total orderings, divisions of the texels along the axis among four colors or three, the best so many are
  // tried, at most kMaxOrderings. BC3 has blocks of four only.
  int four_orderings = 0, three_orderings = 0;
  RampEffort effort;  // of what is tried besides; its passes hold for all
  int moves = 0;      // rounds of steps of the ends
};
inline constexpr int kMaxOrderings = 48;

// Encodes the colors of blocks[i] to out + stride * i, 8 bytes each, every texel opaque.
// What comes out for a block does not depend on its neighbors, on the number of lanes or on the instruction set.
void search_bc1(std::span<const PlanarBlock> blocks, const Bc1Settings& settings, std::uint8_t* out,
                std::size_t stride);

struct Bc4Settings {
  RampEffort effort;
  bool six_values = true;  // the mode of six values, 0 and 1 is tried too
  int reach = 0;           // endpoints this far from the best are tried as well
};

// Encodes one channel of blocks[i] to out + stride * i, 8 bytes each, likewise. A texel is a number of 16 bits, whose
// bytes are the planes low_byte and high_byte, 0 to 3; the same one twice is a channel of 8 bits, widened.
void search_bc4(std::span<const PlanarBlock> blocks, unsigned low_byte, unsigned high_byte, const Bc4Settings& settings,
                std::uint8_t* out, std::size_t stride);

}  // namespace assetc::codec
