// Computes tangent spaces as normal map bakers do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

struct TangentInput {
  std::span<const std::uint32_t> indices;  // triangle list, every index < size()
  std::span<const scene::Vec3> positions;  // finite
  std::span<const scene::Vec3> normals;    // unit; one for each vertex
  std::span<const scene::Vec2> texcoords;  // finite; as many as positions
  // The position and texcoord of each vertex; empty if there is one of each for each vertex, as for normals.
  std::span<const std::uint32_t> sources = {};

  std::size_t size() const { return normals.size(); }
  std::size_t source(std::size_t vertex) const { return sources.empty() ? vertex : sources[vertex]; }
  scene::Vec3 position(std::size_t vertex) const { return positions[source(vertex)]; }
  scene::Vec2 texcoord(std::size_t vertex) const { return texcoords[source(vertex)]; }
};

struct Tangents {
  // xyz is unit, w is +1 or -1: bitangent = cross(normal, xyz) * w, with V pointing down as in glTF.
  // Value v < size() belongs to vertex v. If the triangles of a vertex disagree (a mirrored seam), its further values
  // follow after those.
  std::vector<scene::Vec4> values;
  // The corners (items of indices) that have a further value of their vertex, ascending. All others have value v.
  struct Corner {
    std::uint32_t corner = 0, value = 0;
    bool operator==(const Corner&) const = default;
  };
  std::vector<Corner> corners;
};

// MikkTSpace with the default angular threshold, for triangles. Corners get the same tangents as from the reference,
// except for the sign: w is negated, because the reference assumes that V points up. Corners without a tangent space
// (no texture area around the vertex) get (1, 0, 0, 1). Same bits on any number of threads. On a non-manifold mesh, the
// reference leaves the last edges of its sort unsorted and may miss neighbors over them. This implementation does not.
// Source: M. S. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008, and mikktspace.com.
Tangents generate_tangents(const TangentInput& input);

}  // namespace assetc::mesh
