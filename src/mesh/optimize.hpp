// Orders triangles and vertices for the caches of a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

inline constexpr std::uint32_t kMaxTrianglesOfVertex = 1024;
// Ordering and simplifying visit all triangles of a vertex for each of them. Copies of the vertex therefore take the
// triangles beyond kMaxTrianglesOfVertex. Returns the originals of the copies, which are numbered from vertex_count.
// Requires every index < vertex_count.
std::vector<std::uint32_t> split_crowded(std::span<std::uint32_t> indices, std::size_t vertex_count);

// Reorders triangles so that recently transformed vertices are reused and triangles in front tend to come first.
// Corners keep their cyclic order. Requires every index < positions.size().
void optimize_triangle_order(std::vector<std::uint32_t>& indices, std::span<const scene::Vec3> positions);

// Reorders triangles so that triangles that share edges follow each other: streams of meshopt are then smaller.
void optimize_for_streams(std::vector<std::uint32_t>& indices, std::size_t vertex_count);

// The order of points in which neighbors follow each other: the source of each point.
std::vector<std::uint32_t> order_points(std::span<const scene::Vec3> positions);

// The first half of optimize_triangle_order, in a third of the time: for levels of detail.
void optimize_vertex_cache(std::vector<std::uint32_t>& indices, std::size_t vertex_count);

}  // namespace assetc::mesh
