// Cuts a mesh into spatial chunks of bounded size, the unit of parallel work within one large submesh.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

// The triangles of chunk c are triangles[begin[c]] to triangles[begin[c + 1]] (exclusive), in source order.
struct Chunks {
  std::vector<std::uint32_t> triangles;
  std::vector<std::uint32_t> begin;
  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t chunk) const {
    return std::span(triangles).subspan(begin[chunk], begin[chunk + 1] - begin[chunk]);
  }
};

// Splits triangles into as few chunks as possible with at most about max_triangles each, by halving along the longest
// axis again and again. If the chunk count is a power of two, chunks 2k and 2k + 1 are neighbors. The result depends on
// the mesh alone, not on the number of threads.
// center(t): the center of triangle t; called from many threads if there is more than one chunk.
// Requires triangles > 0, finite centers.
Chunks split_into_chunks(std::size_t triangles, const std::function<scene::Vec3(std::size_t)>& center,
                         std::uint32_t max_triangles);
// The center of a triangle, from its corners.
inline scene::Vec3 triangle_center(scene::Vec3 a, scene::Vec3 b, scene::Vec3 c) {
  return a * (1.0f / 3) + b * (1.0f / 3) + c * (1.0f / 3);
}

// One chunk as a small separate mesh.
struct LocalMesh {
  std::vector<std::uint32_t> vertices;  // local vertex -> vertex of the whole mesh, in order of first use
  std::vector<std::uint32_t> indices;   // local
};

inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFF;
// Renumbers vertices from 0. Memory grows with the corners, not with the vertices of the whole mesh.
LocalMesh make_local(std::span<const std::uint32_t> indices);
// The same for some triangles.
LocalMesh make_local(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> triangles);
// The same, faster if most vertices of the whole mesh are used.
// slots: one item for each of them, all kNoSlot before and after the call.
LocalMesh make_dense_local(std::span<const std::uint32_t> indices, std::span<std::uint32_t> slots);

}  // namespace assetc::mesh
