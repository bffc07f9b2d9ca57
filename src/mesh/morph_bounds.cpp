#include "mesh/morph_bounds.hpp"

#include <algorithm>
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

void widen(std::span<const std::uint32_t> vertices, std::span<const Box> boxes, Bounds& bounds) {
  for (const std::uint32_t v : vertices) {
    bounds.box = {least(bounds.box.low, boxes[v].low), most(bounds.box.high, boxes[v].high)};
    bounds.sphere.radius = std::max(bounds.sphere.radius, reach(bounds.sphere.center, boxes[v]));
  }
}

}  // namespace

std::vector<Box> morphed_boxes(const Mesh& mesh) {
  std::vector<Box> boxes;
  for (const Morph& target : mesh.morphs) {
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
  const std::span<const std::uint32_t> indices = mesh.indices, level_indices = mesh.level_indices;
  for (std::size_t s = 0; s < mesh.submeshes.size(); ++s) {
    Submesh& submesh = mesh.submeshes[s];
    widen(indices.subspan(submesh.first_index, submesh.index_count), boxes, submesh.bounds);
    for (std::size_t l = 0; l < mesh.level_count; ++l) {
      const LevelRange& range = mesh.levels[s * mesh.level_count + l];
      widen(level_indices.subspan(range.first_index, range.index_count), boxes, submesh.bounds);
    }
    mesh.bounds.box = {least(mesh.bounds.box.low, submesh.bounds.box.low),
                       most(mesh.bounds.box.high, submesh.bounds.box.high)};
  }
  for (Primitive& primitive : mesh.primitives) {
    widen(std::span<const std::uint32_t>(mesh.primitive_indices).subspan(primitive.first_index, primitive.index_count),
          boxes, primitive.bounds);
    mesh.bounds.box = {least(mesh.bounds.box.low, primitive.bounds.box.low),
                       most(mesh.bounds.box.high, primitive.bounds.box.high)};
  }
  for (const Box& box : boxes)
    mesh.bounds.sphere.radius = std::max(mesh.bounds.sphere.radius, reach(mesh.bounds.sphere.center, box));
  for (std::size_t m = 0; m < mesh.meshlets.size(); ++m) {
    const Meshlet& meshlet = mesh.meshlets[m];
    MeshletBounds& bounds = mesh.meshlet_bounds[m];
    for (std::uint32_t i = 0; i < meshlet.vertex_count; ++i) {
      const Box& box = boxes[mesh.meshlet_vertices[meshlet.vertex_offset + i]];
      if (box.low == box.high) continue;
      bounds.sphere.radius = std::max(bounds.sphere.radius, reach(bounds.sphere.center, box));
      bounds.cone_cutoff = 1;
    }
  }
}

}  // namespace assetc::mesh
