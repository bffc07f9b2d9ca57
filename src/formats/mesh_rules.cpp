#include "formats/mesh_rules.hpp"

#include <cstring>

namespace assetc::formats {

std::size_t first_position_outside(const void* positions, std::size_t stride_bytes, std::size_t count, const float* box_min,
                                   const float* box_max) {
  const float min[3] = {box_min[0], box_min[1], box_min[2]};
  const float max[3] = {box_max[0], box_max[1], box_max[2]};
  const auto* const bytes = static_cast<const std::byte*>(positions);
  // Without branches within a batch; a comparison with NaN is false, so the test is for being inside.
  constexpr std::size_t kBatch = 256;
  const auto inside = [&](std::size_t i) {
    float p[3];
    std::memcpy(p, bytes + i * stride_bytes, sizeof p);
    return static_cast<unsigned>(p[0] >= min[0]) & static_cast<unsigned>(p[0] <= max[0]) & static_cast<unsigned>(p[1] >= min[1]) &
           static_cast<unsigned>(p[1] <= max[1]) & static_cast<unsigned>(p[2] >= min[2]) & static_cast<unsigned>(p[2] <= max[2]);
  };
  for (std::size_t begin = 0; begin < count; begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, count);
    unsigned all_inside = 1;
    for (std::size_t i = begin; i < end; ++i) all_inside &= inside(i);
    if (all_inside != 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (inside(i) == 0) return i;
    }
  }
  return count;
}

}  // namespace assetc::formats
