// Places rectangles in one atlas.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assetc::font {

struct PackedRect {
  std::uint32_t width = 0, height = 0;  // input
  std::uint32_t x = 0, y = 0;           // output
};

struct AtlasSize {
  std::uint32_t width = 0, height = 0;
};

// Places all rectangles in shelves, `padding` texels apart and from the border. Sides are multiples of 4, at most
// max_side. Returns the atlas with the fewest texels, nearly square; empty if they do not fit. Deterministic.
std::optional<AtlasSize> pack(std::span<PackedRect> rects, std::uint32_t padding, std::uint32_t max_side);

}  // namespace assetc::font
