// Tangent spaces as normal-map bakers compute them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

struct TangentInput {
  std::span<const std::uint32_t> indices;  // triangle list, every index < size()
  std::span<const scene::Vec3> positions;  // finite
  std::span<const scene::Vec3> normals;    // unit; one a vertex
  std::span<const scene::Vec2> texcoords;  // finite; as many as positions
  // Which position and texcoord a vertex has; empty where they are one a vertex, as normals are.
  std::span<const std::uint32_t> sources = {};

  std::size_t size() const { return normals.size(); }
  std::size_t source(std::size_t vertex) const { return sources.empty() ? vertex : sources[vertex]; }
  scene::Vec3 position(std::size_t vertex) const { return positions[source(vertex)]; }
  scene::Vec2 texcoord(std::size_t vertex) const { return texcoords[source(vertex)]; }
};

struct Tangents {
  // xyz unit and w +1 or -1: bitangent = cross(normal, xyz) * w, with V pointing down as in glTF.
  std::vector<scene::Vec4> values;
  // For every corner (item of indices) its value. Value v < size() belongs to vertex v; a vertex whose
  // triangles disagree (a mirrored seam) has more, after those.
  std::vector<std::uint32_t> corners;
};

// MikkTSpace with the default angular threshold, for triangles.
// Corners get the tangents that the reference gives them, but for its sign: w is negated, because the reference
// assumes V up. Same bits on any number of threads. Corners without a tangent space (no texture area at all around
// the vertex) get (1, 0, 0, 1).
// On a non-manifold mesh the reference may miss neighbors over the last edges of its sort, which it leaves unsorted;
// this does not.
// Source: M. S. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008, and mikktspace.com.
Tangents generate_tangents(const TangentInput& input);

}  // namespace assetc::mesh
