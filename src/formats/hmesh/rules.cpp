#include "formats/hmesh/rules.hpp"

#include <algorithm>
#include <cstring>

#include "formats/hmesh/table.hpp"

namespace assetc::formats {

template <class T>
std::size_t first_not_below(std::span<const T> indices, std::uint64_t limit) {
  // A maximum, which compilers vectorize.
  T greatest = 0;
  for (const T index : indices) greatest = std::max(greatest, index);
  if (indices.empty() || greatest < limit) return indices.size();
  std::size_t i = 0;
  while (indices[i] < limit) ++i;
  return i;
}
template std::size_t first_not_below(std::span<const std::uint8_t> indices, std::uint64_t limit);
template std::size_t first_not_below(std::span<const std::uint16_t> indices, std::uint64_t limit);
template std::size_t first_not_below(std::span<const std::uint32_t> indices, std::uint64_t limit);

template <class T>
IndexRange<T> range_of(std::span<const T> indices) {
  IndexRange<T> out{indices[0], indices[0]};
  for (const T index : indices) {
    out.least = std::min(out.least, index);
    out.greatest = std::max(out.greatest, index);
  }
  return out;
}
template IndexRange<std::uint16_t> range_of(std::span<const std::uint16_t> indices);
template IndexRange<std::uint32_t> range_of(std::span<const std::uint32_t> indices);

Result<chunks::Chunk> index_chunk(std::span<const std::uint32_t> indices, std::size_t vertex_count) {
  if (vertex_count > hmesh::kMaxVerticesOf16BitIndices) return chunks::Chunk{hmesh::kIndicesId, std::as_bytes(indices)};
  const std::size_t bad = first_not_below(indices, vertex_count);
  if (bad != indices.size()) {
    return fail(ErrorCode::kUsage, message("index ", bad, " is ", indices[bad], ", expected less than ", vertex_count));
  }
  const auto narrowed = [indices](std::size_t i) { return static_cast<std::uint16_t>(indices[i]); };
  return chunks::Chunk{hmesh::kIndicesId, {}, {}, chunks::produce<std::uint16_t>(indices.size(), narrowed)};
}

std::size_t first_position_outside(const void* positions, std::size_t stride_bytes, std::size_t count,
                                   const float* box_min, const float* box_max) {
  const float min[3] = {box_min[0], box_min[1], box_min[2]};
  const float max[3] = {box_max[0], box_max[1], box_max[2]};
  const auto* const bytes = static_cast<const std::byte*>(positions);
  // A batch has no branches. A comparison with NaN is false, so the code tests for being inside.
  constexpr std::size_t kBatch = 256;
  const auto inside = [&](std::size_t i) {
    float p[3];
    std::memcpy(p, bytes + i * stride_bytes, sizeof p);
    return static_cast<unsigned>(p[0] >= min[0]) & static_cast<unsigned>(p[0] <= max[0]) &
           static_cast<unsigned>(p[1] >= min[1]) & static_cast<unsigned>(p[1] <= max[1]) &
           static_cast<unsigned>(p[2] >= min[2]) & static_cast<unsigned>(p[2] <= max[2]);
  };
  for (std::size_t begin = 0; begin < count; begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, count);
    unsigned all_inside = 1;
    for (std::size_t i = begin; i < end; ++i) all_inside &= inside(i);
    if (all_inside != 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (inside(i) == 0) return i;
    }
  }
  return count;
}

Result<void> check_bounds(Places place, std::span<const hmesh::MeshBounds> bounds) {
  if (bounds.empty()) return {};
  return check_records(hmesh::table::kBoundsRecord, std::as_bytes(bounds), place(bounds[0]), {});
}

Result<void> check_meshlets(Places place, std::span<const hmesh::Meshlet> meshlets, std::size_t meshlet_vertex_count,
                            std::span<const hmesh::MeshletTriangle> triangles, std::uint32_t max_vertices,
                            std::uint32_t max_triangles) {
  for (const hmesh::Meshlet& m : meshlets) {
    if (m.vertex_count > max_vertices || m.triangle_count > max_triangles) {
      return invalid(place(m), message("a meshlet has ", plural(m.vertex_count, "vertex"), " and ",
                                       plural(m.triangle_count, "triangle"), ", expected at most ", max_vertices,
                                       " and ", max_triangles));
    }
    if (!range_fits(m.vertex_offset, m.vertex_count, meshlet_vertex_count)) {
      return invalid(place(m), message("meshlet vertices ", m.vertex_offset, " + ", m.vertex_count,
                                       " do not fit in the ", meshlet_vertex_count, " of MLVR"));
    }
    if (!range_fits(m.triangle_offset, m.triangle_count, triangles.size())) {
      return invalid(place(m.triangle_offset), message("meshlet triangles ", m.triangle_offset, " + ", m.triangle_count,
                                                       " do not fit in the ", triangles.size(), " of MLTR"));
    }
    if (m.triangle_count == 0) continue;
    const std::span corners(triangles[m.triangle_offset].corners, std::size_t{3} * m.triangle_count);
    const std::size_t bad = first_not_below(corners, m.vertex_count);
    if (bad != corners.size()) {
      return invalid(place(corners[bad]),
                     message("a meshlet triangle has corner ", int{corners[bad]}, ", expected less than the meshlet's ",
                             counted(m.vertex_count, "vertex")));
    }
  }
  return {};
}

Result<void> check_joint_loops(Places place, std::span<const hmesh::GpuJoint> joints) {
  constexpr std::uint32_t kUnseen = 0;
  std::vector<std::uint32_t> walk(joints.size(), kUnseen);  // number of the walk that first reached the joint, from 1
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i + 1);
    std::size_t j = i;
    while (walk[j] == kUnseen) {
      walk[j] = number;
      if (joints[j].parent == hmesh::kNoParent) break;
      j = static_cast<std::size_t>(joints[j].parent);
      if (walk[j] == number) return invalid(place(joints[j].parent), message("joint ", j, " is its own ancestor"));
    }
  }
  return {};
}

Result<void> check_skeleton(Places place, std::span<const hmesh::GpuJoint> joints) {
  Context context;
  context.counts[hmesh::table::kJoints] = joints.size();
  if (!joints.empty()) {
    ASSETC_CHECK(check_records(hmesh::table::kJoint, std::as_bytes(joints), place(joints[0]), context));
  }
  return check_joint_loops(place, joints);
}

}  // namespace assetc::formats
