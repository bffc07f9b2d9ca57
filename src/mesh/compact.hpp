// Makes a primitive of a scene smaller without a visible change.
#pragma once

#include <cstdint>

#include "scene/scene.hpp"

namespace assetc::mesh {

enum class TriangleOrder : std::uint8_t { kDrawing, kStreams };

// Merges vertices that are equal in every attribute and morph target, bit for bit but for the sign of zeros. Removes
// vertices that no index uses. Orders triangles for the vertex cache: kDrawing also against overdraw, kStreams for
// small streams of meshopt. Orders points so that neighbors follow each other, and vertices by their first use. Lines
// keep their order. smoothing_groups and clusters, which belong to triangles, are cleared.
//
// Requires every index < positions.size(), and every array to have the size that scene.hpp states. Deterministic.
void compact_primitive(scene::Primitive& primitive, TriangleOrder order);

}  // namespace assetc::mesh
