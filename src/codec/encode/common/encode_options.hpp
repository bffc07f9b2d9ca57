// The options of an encoder. For the compiler, not for engines.
#pragma once

#include <array>
#include <cstdint>

namespace assetc::codec {

enum class Effort : std::uint8_t { kFast, kNormal, kBest };

// How the errors of the channels are weighted.
enum class Metric : std::uint8_t {
  kColor,            // all channels equally
  kColorPerceptual,  // R, G and B by their contribution to luma (ITU-R BT.601)
  kNormal,           // R and G; B and alpha only break ties
  kGray,             // R; the others only break ties
  kLinear,           // data channels, e.g. occlusion-roughness-metallic: all equally
};

struct EncodeOptions {
  Effort effort = Effort::kNormal;
  Metric metric = Metric::kColor;
  // Factor for the metric's weight of a channel's squared error. Finite and in [0, 256].
  std::array<float, 4> channel_weights{1, 1, 1, 1};
  // UASTC, ETC2, EAC and BC1 to BC7 without BC6H: trades quality for a smaller size after Zstd. The value is the
  // squared error, summed over the texels and channels of a block, that is accepted for saving one bit in a block with
  // texture. Smooth blocks accept less. 0: off; at most kMaxRdo.
  float rdo = 0;
};
inline constexpr float kMaxRdo = 100;

// The number of rows of texels, a multiple of 4, that options.rdo processes together in an image of this width. An
// image that is cut between such segments gives the same blocks. width in [1, kMaxEncodeExtent].
std::uint32_t rdo_segment_rows(std::uint32_t width);

}  // namespace assetc::codec
