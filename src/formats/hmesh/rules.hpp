// Rules shared by the mesh formats, and the loops that take most of the time to open a large mesh. Their source is
// compiled for speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/formats/hmesh.hpp"
#include "formats/reader.hpp"

namespace assetc::formats {

// Returns the first element that is not below limit, or indices.size(). T: std::uint8_t, std::uint16_t or
// std::uint32_t.
template <class T>
std::size_t first_not_below(std::span<const T> indices, std::uint64_t limit);

// The least and the greatest of indices. Requires at least one. T: std::uint16_t or std::uint32_t.
template <class T>
struct IndexRange {
  T least, greatest;
};
template <class T>
IndexRange<T> range_of(std::span<const T> indices);

// IDXS: 16-bit indices if they can address every vertex, otherwise 32-bit.
// Errors: kUsage if an index is out of range and narrowing would hide it.
// Constraints: indices must outlive the chunk.
Result<chunks::Chunk> index_chunk(std::span<const std::uint32_t> indices, std::size_t vertex_count);

// Returns the first of count positions (three floats at the start of every stride_bytes) outside the box, or count. NaN
// counts as outside.
std::size_t first_position_outside(const void* positions, std::size_t stride_bytes, std::size_t count,
                                   const float* box_min, const float* box_max);

// Returns the place in a file of an object that a view points to.
class Places {
 public:
  // part_place_bytes: the offset in the file of the bytes, if they are a part of it.
  explicit Places(ByteSpan bytes, std::uint64_t part_place_bytes = 0) : bytes_(bytes), place_bytes_(part_place_bytes) {}
  template <class T>
  std::uint64_t operator()(const T& thing) const {
    return place_bytes_ + static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&thing) - bytes_.data());
  }

 private:
  ByteSpan bytes_;
  std::uint64_t place_bytes_;
};

template <class T>
Result<void> check_below(Places place, std::span<const T> indices, std::uint64_t limit, std::string_view what) {
  const std::size_t bad = first_not_below(indices, limit);
  if (bad == indices.size()) return {};
  return invalid(place(indices[bad]), message(what, " ", bad, " is ", indices[bad], ", expected less than ", limit));
}

// Checks that bounds are finite and in order, and that no radius is negative.
Result<void> check_bounds(Places place, std::span<const hmesh::MeshBounds> bounds);

// Checks that ranges are inside both arrays, corners inside their meshlet, and counts within the limits.
Result<void> check_meshlets(Places place, std::span<const hmesh::Meshlet> meshlets, std::size_t meshlet_vertex_count,
                            std::span<const hmesh::MeshletTriangle> triangles, std::uint32_t max_vertices,
                            std::uint32_t max_triangles);

// Checks that no joint is its own ancestor. Requires parents in range.
Result<void> check_joint_loops(Places place, std::span<const hmesh::GpuJoint> joints);

// The same, and the rules of the table: parents are in range, and all numbers are finite.
Result<void> check_skeleton(Places place, std::span<const hmesh::GpuJoint> joints);

}  // namespace assetc::formats
