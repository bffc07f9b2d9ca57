// The search for a color block of ETC2: ETC1's two half-block modes, T, H and planar.
#pragma once

#include <array>
#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/encode/common/encode_options.hpp"

namespace assetc::codec {

struct Etc2Settings {
  Effort effort = Effort::kNormal;
  // The weights of the squared errors of R, G and B: 1 to 64.
  std::array<std::int32_t, 3> weights{64, 64, 64};
};

// Writes the block of 8 bytes that is nearest to the texels among the blocks that effort tries. Alpha is not read.
//   fast: ETC1's modes with the mean of each half and one step of refinement, and planar.
//   normal: also more tables and steps, T and H.
//   best: also the neighbors of the colors found.
// Uses only integers: the result is the same on every instruction set.
// Source: Khronos Data Format Specification 1.3, 21 (ETC1) and 22 (ETC2).
void search_etc2(const BlockTexels& texels, const Etc2Settings& settings, std::uint8_t* out);

}  // namespace assetc::codec
