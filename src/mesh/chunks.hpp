// Cuts a mesh into spatial chunks of bounded size: the unit of parallel work on one large submesh.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

// Triangles by chunk: those of chunk c are triangles[begin[c]] up to triangles[begin[c + 1]], in source order.
struct Chunks {
  std::vector<std::uint32_t> triangles;
  std::vector<std::uint32_t> begin;
  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t chunk) const {
    return std::span(triangles).subspan(begin[chunk], begin[chunk + 1] - begin[chunk]);
  }
};

// As few chunks as hold max_triangles each, or nearly: halves of halves along the longest axis, so that the two chunks
// 2k and 2k + 1 of a power-of-two count are neighbors. Depends on the mesh alone, not on the number of threads.
// center(t): of triangle t; called from many threads, where there is more than one chunk.
// Requires triangles > 0, finite centers.
Chunks split_into_chunks(std::size_t triangles, const std::function<scene::Vec3(std::size_t)>& center,
                         std::uint32_t max_triangles);
// The center of a triangle, from its corners.
inline scene::Vec3 triangle_center(scene::Vec3 a, scene::Vec3 b, scene::Vec3 c) {
  return a * (1.0f / 3) + b * (1.0f / 3) + c * (1.0f / 3);
}

// One chunk as a small mesh of its own.
struct LocalMesh {
  std::vector<std::uint32_t> vertices;  // local vertex -> vertex of the whole, in order of first use
  std::vector<std::uint32_t> indices;   // local
};

inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFF;
// Renumbers vertices from 0. Takes memory by the corners, not by the vertices of the whole.
LocalMesh make_local(std::span<const std::uint32_t> indices);
// The same of some triangles.
LocalMesh make_local(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> triangles);
// The same where most vertices of the whole are used. slots: one item per vertex of it, all kNoSlot; is so again
// afterwards.
LocalMesh make_dense_local(std::span<const std::uint32_t> indices, std::span<std::uint32_t> slots);

}  // namespace assetc::mesh
