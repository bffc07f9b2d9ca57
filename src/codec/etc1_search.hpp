// The search for a block's ETC1 hints, in integers, one candidate a lane.
#pragma once

#include <array>
#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/uastc_hints.hpp"

namespace assetc::codec {

struct Etc1Choice {
  bool flip = false;
  bool diff = false;
  std::uint8_t bias = 0;
  std::array<std::uint8_t, 2> table{};
  std::uint32_t error = 0;  // squared, over R, G and B of 16 texels; 65535 stands for more in a half of the block
  bool operator==(const Etc1Choice&) const = default;
};

// The hints that bring uastc_to_etc1 nearest to source among those that effort tries. The selectors follow the luma
// of decoded, as the transcoder's do. With biased false the bias stays 0 and means none.
Etc1Choice search_etc1(const BlockTexels& decoded, const BlockTexels& source, bool biased, HintEffort effort);

}  // namespace assetc::codec
