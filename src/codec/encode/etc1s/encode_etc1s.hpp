// Encodes the images of a texture, with their mip levels, as ETC1S under BasisLZ. For the compiler, not for engines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/common/texel_view.hpp"

namespace assetc::codec {

inline constexpr std::uint32_t kMaxEtc1sQuality = 255;

struct Etc1sOptions {
  // 1 (smallest) to kMaxEtc1sQuality. It sets how much error saving a bit may cost.
  std::uint32_t quality = 128;
  // Alpha becomes a second slice; otherwise alpha is not read.
  bool has_second_slice = false;
  EncodeOptions encode{};  // effort, metric and the weights of R, G and B; rdo is not used
};

// The parts of the supercompression global data and the slices of each level.
struct BasisLzTexture {
  struct Image {
    ByteVector color, second;  // second: empty without has_second_slice
    bool operator==(const Image&) const = default;
  };
  std::uint32_t endpoint_count = 0, selector_count = 0;
  ByteVector endpoints, selectors, tables;
  std::vector<Image> images;  // as they were given: in a file, by level, layer and face
  bool operator==(const BasisLzTexture&) const = default;
};

// Encodes 8-bit RGBA texels of one or more levels and images, which share their codebooks. Blocks that reach over the
// right or bottom edge repeat the last texel. Runs in parallel in the calling thread's oneTBB arena. The bytes are the
// same for any number of threads and any instruction set. Errors: kUsage for no level, an empty or too large level, a
// stride below 4 * width, or options out of range. Source: KTX File Format Specification 2.0, BasisLZ/ETC1S Bitstream
// Specification.
Result<BasisLzTexture> encode_etc1s(std::span<const TexelView> levels, const Etc1sOptions& options);

// An upper bound on the bytes that encode_etc1s holds for that many blocks in all slices, including its result.
std::uint64_t etc1s_peak_bytes(std::uint64_t blocks);

}  // namespace assetc::codec
