// Rules that the mesh formats share, and the two loops that opening a large mesh spends its time in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "assetc/formats/hmesh.hpp"
#include "formats/reader.hpp"

namespace assetc::formats {

// The first element that is limit or more, or indices.size(). One maximum over all of them, which compilers
// vectorize; the search for which one runs only on failure.
template <class T>
std::size_t first_not_below(std::span<const T> indices, std::uint64_t limit) {
  T greatest = 0;
  for (const T index : indices) greatest = std::max(greatest, index);
  if (indices.empty() || greatest < limit) return indices.size();
  std::size_t i = 0;
  while (indices[i] < limit) ++i;
  return i;
}

// IDXS: 16 bits an index where every vertex can be told so, else 32.
// Errors: kUsage where narrowing would hide an index that is out of range.
// Constraints: indices must outlive the chunk.
Result<chunks::Chunk> index_chunk(std::span<const std::uint32_t> indices, std::size_t vertex_count);

// The first of count positions (three floats at the start of every stride_bytes) that is not inside the box, a NaN
// included, or count.
std::size_t first_position_outside(const void* positions, std::size_t stride_bytes, std::size_t count,
                                   const float* box_min, const float* box_max);

// Where a thing that a view points at lies in its file.
class Places {
 public:
  explicit Places(ByteSpan file) : file_(file) {}
  template <class T>
  std::uint64_t operator()(const T& thing) const {
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&thing) - file_.data());
  }

 private:
  ByteSpan file_;
};

template <class T>
Result<void> check_below(Places place, std::span<const T> indices, std::uint64_t limit, std::string_view what) {
  const std::size_t bad = first_not_below(indices, limit);
  if (bad == indices.size()) return {};
  return invalid(place(indices[bad]), message(what, " ", bad, " is ", indices[bad], ", expected less than ", limit));
}

// Finite, in order, radius not negative. whose: "the mesh's".
Result<void> check_bounds(Places place, const hmesh::MeshBounds& bounds, std::string_view whose);

// Every vertex (its position first) inside the box. vertices lies in the file that place is about.
template <class V>
Result<void> check_positions(Places place, std::span<const V> vertices, const hmesh::MeshBounds& bounds) {
  const std::size_t bad =
      first_position_outside(vertices.data(), sizeof(V), vertices.size(), bounds.aabb_min, bounds.aabb_max);
  if (bad == vertices.size()) return {};
  const V& v = vertices[bad];
  return invalid(place(v), message("vertex ", bad, " at (", v.position[0], ", ", v.position[1], ", ", v.position[2],
                                   ") lies outside the box of the mesh"));
}

// Ranges inside the two arrays, corners inside their meshlet, counts within the limits.
Result<void> check_meshlets(Places place, std::span<const hmesh::Meshlet> meshlets, std::size_t meshlet_vertex_count,
                            std::span<const hmesh::MeshletTriangle> triangles, std::uint32_t max_vertices,
                            std::uint32_t max_triangles);

// Parents in range and without a loop, every number finite.
Result<void> check_skeleton(Places place, std::span<const hmesh::GpuJoint> joints);

}  // namespace assetc::formats
