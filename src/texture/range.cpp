#include "texture/range.hpp"

#include <algorithm>

namespace assetc::texture {

Outside values_outside(const scene::Image& image, std::size_t channels, float least, float most) {
  Outside out;
  const std::size_t texels = std::size_t{image.width_texels} * image.height_texels;
  for (std::size_t t = 0; t < texels; ++t) {
    bool is_outside = false;
    for (std::size_t c = 0; c < channels; ++c) {
      const auto value = load<float>(image.pixels, (t * 4 + c) * sizeof(float));
      is_outside |= value < least || value > most;
      out.least = std::min(out.least, value);
      out.most = std::max(out.most, value);
    }
    out.texel_count += is_outside;
  }
  return out.texel_count == 0 ? Outside{} : out;
}

}  // namespace assetc::texture
