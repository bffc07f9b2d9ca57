#include "mesh/morph_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace assetc::mesh {
namespace {

using scene::Vec3;

Vec3 least(Vec3 a, Vec3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3 most(Vec3 a, Vec3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

// The distance from a point to the farthest corner of a box, rounded up.
float reach(Vec3 from, const Box& box) {
  const double x = std::max(std::fabs(double{box.low.x} - from.x), std::fabs(double{box.high.x} - from.x));
  const double y = std::max(std::fabs(double{box.low.y} - from.y), std::fabs(double{box.high.y} - from.y));
  const double z = std::max(std::fabs(double{box.low.z} - from.z), std::fabs(double{box.high.z} - from.z));
  return static_cast<float>(std::sqrt(x * x + y * y + z * z) * (1 + 1e-6));
}

void widen(const Box& box, float (&low)[3], float (&high)[3]) {
  const std::array<float, 3> box_low{box.low.x, box.low.y, box.low.z}, box_high{box.high.x, box.high.y, box.high.z};
  for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], box_low[k]), high[k] = std::max(high[k], box_high[k]);
}
void widen(const Box& box, const float (&center)[3], float& radius) {
  radius = std::max(radius, reach(vector_of(center), box));
}

void widen(std::span<const std::uint32_t> vertices, std::span<const Box> boxes, hmesh::MeshBounds& bounds) {
  for (const std::uint32_t v : vertices) {
    widen(boxes[v], bounds.aabb_min, bounds.aabb_max);
    widen(boxes[v], bounds.sphere_center, bounds.sphere_radius);
  }
}

}  // namespace

std::vector<Box> morphed_boxes(const Mesh& mesh) {
  std::vector<Box> boxes;
  for (const Morph& target : mesh.targets) {
    const scene::MorphTarget& offsets = target.offsets;
    if (offsets.positions.empty()) continue;
    if (boxes.empty()) {
      for (const Vec3& p : mesh.positions) boxes.push_back({p, p});
    }
    // Offsets are stored with an error of half a step.
    float largest = 0;
    for (const Vec3& d : offsets.positions)
      largest = std::max({largest, std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)});
    const float error = largest / kMorphSteps * std::max(-target.low, target.high) * 0.51f;
    for (std::size_t i = 0; i < offsets.vertices.size(); ++i) {
      // The range includes 0, so that the bounds also hold for the mesh without the target.
      const Vec3 a = offsets.positions[i] * std::min(target.low, 0.0f);
      const Vec3 b = offsets.positions[i] * std::max(target.high, 0.0f);
      Box& box = boxes[offsets.vertices[i]];
      box.low = box.low + least(a, b) - Vec3{error, error, error};
      box.high = box.high + most(a, b) + Vec3{error, error, error};
    }
  }
  return boxes;
}

void widen_bounds(Mesh& mesh) {
  const std::vector<Box> boxes = morphed_boxes(mesh);
  if (boxes.empty()) return;
  const std::span<const std::uint32_t> indices = mesh.indices, lod_indices = mesh.lod_indices;
  for (std::size_t s = 0; s < mesh.submeshes.size(); ++s) {
    hmesh::SubMesh& submesh = mesh.submeshes[s];
    widen(indices.subspan(submesh.first_index, submesh.index_count), boxes, submesh.bounds);
    for (std::size_t l = 0; l < mesh.lod_count; ++l) {
      const hmesh::MeshLod& range = mesh.lods[s * mesh.lod_count + l];
      widen(lod_indices.subspan(range.first_index, range.index_count), boxes, submesh.bounds);
    }
    widen(box_of(submesh.bounds), mesh.bounds.aabb_min, mesh.bounds.aabb_max);
  }
  for (hmesh::GpuPrimitive& primitive : mesh.primitives.items) {
    widen(std::span<const std::uint32_t>(mesh.primitives.indices).subspan(primitive.first_index, primitive.index_count),
          boxes, primitive.bounds);
    widen(box_of(primitive.bounds), mesh.bounds.aabb_min, mesh.bounds.aabb_max);
  }
  for (const Box& box : boxes) widen(box, mesh.bounds.sphere_center, mesh.bounds.sphere_radius);
  for (std::size_t m = 0; m < mesh.meshlets.size(); ++m) {
    const hmesh::Meshlet& meshlet = mesh.meshlets[m];
    hmesh::MeshletBounds& bounds = mesh.meshlet_bounds[m];
    for (std::uint32_t i = 0; i < meshlet.vertex_count; ++i) {
      const Box& box = boxes[mesh.meshlet_vertices[meshlet.vertex_offset + i]];
      if (box.low == box.high) continue;
      widen(box, bounds.center, bounds.radius);
      bounds.cone_cutoff = 1;
    }
  }
}

}  // namespace assetc::mesh
