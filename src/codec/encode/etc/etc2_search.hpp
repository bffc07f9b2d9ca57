// The search for a block of ETC2's colors: both halves of ETC1's modes, T, H and planar.
#pragma once

#include <array>
#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/encode/common/encode_options.hpp"

namespace assetc::codec {

struct Etc2Settings {
  Effort effort = Effort::kNormal;
  // What a squared error in R, G and B counts: 1 to 64.
  std::array<std::int32_t, 3> weights{64, 64, 64};
};

// Writes 8 bytes whose texels come nearest to the given ones among the blocks that effort tries; alpha is not read.
// fast: ETC1's modes with each half's mean and one step of refinement, and planar. normal: more tables and steps, T and
// H. best: also the neighbors of the colors found. Integers only: the same on every instruction set. Source: Khronos
// Data Format Specification 1.3, 21 (ETC1) and 22 (ETC2).
void search_etc2(const BlockTexels& texels, const Etc2Settings& settings, std::uint8_t* out);

}  // namespace assetc::codec
