// Encoding texels into UASTC blocks. For the compiler, not for engines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/result.hpp"

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

// Largest width and height taken, in texels.
inline constexpr std::uint32_t kMaxEncodeExtent = 65536;

// Encodes 8-bit RGBA texels, width x height, rows stride_bytes apart, as UASTC LDR 4x4 blocks in row
// order. Blocks that reach over the right or bottom edge repeat the last texel.
// blocks must hold exactly 16 * ceil(width / 4) * ceil(height / 4) bytes.
// Runs in parallel in the calling thread's oneTBB arena. The same bytes for any number of threads and
// any instruction set. With options.rdo a block depends on those before it in its segment of rdo_segment_rows rows
// of texels; otherwise on its own texels alone.
// Errors: kUsage for an empty or too large image, a stride below 4 * width, a span that is too short or
// a weight or options.rdo out of range.
Result<void> encode_uastc(std::span<const std::byte> rgba, std::uint32_t width, std::uint32_t height,
                          std::size_t stride_bytes, const EncodeOptions& options, std::span<std::byte> blocks);

// Rows of texels, a multiple of 4, that options.rdo works on together in an image of that width: an image that is cut
// between such segments gives the same blocks. width in [1, kMaxEncodeExtent].
std::uint32_t rdo_segment_rows(std::uint32_t width);

}  // namespace assetc::codec
