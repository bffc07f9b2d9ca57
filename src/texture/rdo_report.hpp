// The effect of rate-distortion optimization on a texture.
#pragma once

#include <cstdint>

namespace assetc::texture {

struct RdoReport {
  double psnr_db = 0;                    // of level 0, over the stored channels; infinite if nothing was lost
  std::uint32_t block_bits = 8;          // of a texel before Zstd
  std::uint64_t uncompressed_bytes = 0;  // of all levels before Zstd
  std::uint64_t compressed_bytes = 0;
  bool operator==(const RdoReport&) const = default;
};

}  // namespace assetc::texture
