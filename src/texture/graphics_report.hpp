// What block compression does to a picture that is no photograph.
#pragma once

#include <cstdint>
#include <limits>

namespace assetc::texture {

struct GraphicsReport {
  // Of level 0, over its visible texels; infinite if nothing was lost, or if the format was not measured.
  double psnr_db = std::numeric_limits<double>::infinity();
  std::uint64_t block_bytes = 0;     // of all levels
  std::uint64_t lossless_bytes = 0;  // an estimate of the same picture as texels under Zstd
  // Whether a person sees the loss, or the file is much larger for nothing.
  bool matters() const {
    constexpr double kVisibleDb = 50;
    constexpr std::uint64_t kMuchBytes = 64 << 10;
    return psnr_db < kVisibleDb || block_bytes > lossless_bytes + kMuchBytes;
  }
  bool operator==(const GraphicsReport&) const = default;
};

}  // namespace assetc::texture
