// The outline of a glyph, prepared for a multi-channel distance field.
#pragma once

#include <cstdint>
#include <vector>

#include "font/curve.hpp"
#include "scene/font.hpp"

namespace assetc::font {

// Bits of the channels whose distance an edge defines.
inline constexpr std::uint8_t kRed = 1, kGreen = 2, kBlue = 4, kWhite = 7;

struct Edge {
  Curve curve;  // the inside is on its left
  std::uint8_t channels = kWhite;
};

struct Outline {
  std::vector<Edge> edges;      // the border of the filled area; edges inside of it are removed
  std::vector<Curve> contours;  // of the source, closed: for Winding

  bool is_empty() const { return edges.empty(); }
  // Requires edges.
  Box box() const;
};

// Turns a glyph into edges, in units of 1 / scale font units.
//
// Contours that overlap or cross are cut where they meet, and the parts that lie inside of the filled area are dropped.
// Edges that meet in a corner get different channels, so that the median of the channels keeps the corner sharp.
// Source: V. Chlumský, Shape Decomposition for Multi-channel Distance Fields, 2015.
Outline prepare_outline(const scene::FontGlyph& glyph, double scale);

}  // namespace assetc::font
