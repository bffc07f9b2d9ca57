// What is asked of an encoder. For the compiler, not for engines.
#pragma once

#include <array>
#include <cstdint>

namespace assetc::codec {

enum class Effort : std::uint8_t { kFast, kNormal, kBest };

// Which errors count.
enum class Metric : std::uint8_t {
  kColor,            // all channels alike
  kColorPerceptual,  // R, G and B by what they add to luma (ITU-R BT.601)
  kNormal,           // R and G; B and alpha only break ties
  kGray,             // R; the others only break ties
  kLinear,           // data channels, e.g. occlusion-roughness-metallic: all alike
};

struct EncodeOptions {
  Effort effort = Effort::kNormal;
  Metric metric = Metric::kColor;
  // Multiplies the metric's weight of a channel's squared error; finite and in [0, 256].
  std::array<float, 4> channel_weights{1, 1, 1, 1};
  // UASTC only: trades quality for a smaller size after Zstd. The squared error, summed over a block's texels and
  // channels, that saving one bit is worth in a block with texture; smooth blocks are spared. 0: off; at most kMaxRdo.
  float rdo = 0;
};
inline constexpr float kMaxRdo = 100;

}  // namespace assetc::codec
