// The search for the best BC1 and BC4 blocks, with blocks side by side in SIMD lanes. Internal to the encoder.
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
  // The number of total orderings to try, best first, at most kMaxOrderings. A total ordering divides the texels along
  // the axis among four colors or three. BC3 has only blocks of four colors.
  int four_orderings = 0, three_orderings = 0;
  RampEffort effort;  // of the other attempts; its passes apply to the orderings as well
  int moves = 0;      // rounds of steps of the endpoints
};
inline constexpr int kMaxOrderings = 48;

// Encodes the colors of blocks[i] to out + stride * i, 8 bytes each. Every texel is opaque.
// The result for a block does not depend on its neighbors, the number of lanes or the instruction set.
void search_bc1(std::span<const PlanarBlock> blocks, const Bc1Settings& settings, std::uint8_t* out,
                std::size_t stride);

struct Bc4Settings {
  RampEffort effort;
  bool six_values = true;  // also tries the mode of six values, 0 and 1
  int reach = 0;           // also tries endpoints within this distance of the best
};

// Encodes one channel of blocks[i] in the same way. A texel is a 16-bit number: its bytes are in the planes low_byte
// and high_byte, 0 to 3. If both name the same plane, that is an 8-bit channel, widened to 16.
void search_bc4(std::span<const PlanarBlock> blocks, unsigned low_byte, unsigned high_byte, const Bc4Settings& settings,
                std::uint8_t* out, std::size_t stride);

}  // namespace assetc::codec
