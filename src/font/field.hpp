// The distance field of one glyph.
#pragma once

#include <cstdint>
#include <span>

#include "font/outline.hpp"

namespace assetc::font {

// A rectangle of whole texels in the plane of the outline; y points up.
struct TexelBox {
  std::int64_t left = 0, bottom = 0, right = 0, top = 0;
  std::int64_t width() const { return right - left; }
  std::int64_t height() const { return top - bottom; }
};

// Where the field of an outline is not 0, and half a texel for filtering. Requires edges.
TexelBox field_box(const Outline& outline, double range_texels);

// Rows of RGBA8 texels from top to bottom.
struct Texels {
  std::uint8_t* first = nullptr;
  std::size_t stride_bytes = 0;
  std::uint8_t* at(std::size_t x, std::size_t y) const { return first + y * stride_bytes + x * 4; }
};

// Fills a box with distances: red, green and blue to the edges of the channel, alpha to all edges. A distance of d
// texels, positive inside, is stored as 0.5 + d / range_texels.
//
// Texels between which the median of the channels would be on the wrong side of the outline get one value in all
// channels.
void write_field(const Outline& outline, const TexelBox& box, double range_texels, const Texels& out);

}  // namespace assetc::font
