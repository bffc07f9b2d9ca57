#include "mesh/lod.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <array>

namespace assetc::mesh {

std::vector<std::uint32_t> simplify(const SimplifyInput& in) {
  if (in.indices.empty()) return {};
  std::vector<std::uint32_t> result(in.indices.size());
  const std::size_t vertices = in.positions.size();

  // A normal turned by 60 degrees, or a texture shifted by its whole width, counts as much as a movement by half of the
  // mesh's extent.
  constexpr float kNormalWeight = 0.5f, kTexcoordWeight = 0.5f;
  constexpr std::size_t kMaxAttributes = 5 + kShapeFloats;  // the limit of meshoptimizer is 32
  const std::size_t surface = in.texcoords.empty() ? 3 : 5;
  const std::size_t count = surface + (in.shapes.empty() ? 0 : kShapeFloats);
  std::vector<float> attributes(vertices * count);
  for (std::size_t v = 0; v < vertices; ++v) {
    float* a = attributes.data() + v * count;
    a[0] = in.normals[v].x, a[1] = in.normals[v].y, a[2] = in.normals[v].z;
    if (surface == 5) a[3] = in.texcoords[v].x, a[4] = in.texcoords[v].y;
    if (!in.shapes.empty()) std::ranges::copy(in.shapes.subspan(v * kShapeFloats, kShapeFloats), a + surface);
  }
  // meshoptimizer measures errors relative to the extent of its input, so weights and the limit are scaled to that
  // extent.
  const float extent = meshopt_simplifyScale(&in.positions[0].x, vertices, sizeof(scene::Vec3));
  const float relative = extent > 0 && in.mesh_extent > 0 ? in.mesh_extent / extent : 1.0f;
  const float normal_weight = kNormalWeight * relative;
  const float texcoord_weight = in.texcoord_extent > 0 ? kTexcoordWeight * relative / in.texcoord_extent : 0.0f;
  std::array<float, kMaxAttributes> weights{};
  std::fill_n(weights.begin(), 3, normal_weight);
  if (surface == 5) std::fill_n(weights.begin() + 3, 2, texcoord_weight);
  std::fill(weights.begin() + static_cast<std::ptrdiff_t>(surface), weights.end(), extent > 0 ? 1 / extent : 0.0f);

  const std::size_t size = meshopt_simplifyWithAttributes(
      result.data(), in.indices.data(), in.indices.size(), &in.positions[0].x, vertices, sizeof(scene::Vec3),
      attributes.data(), count * sizeof(float), weights.data(), count, in.locked.empty() ? nullptr : in.locked.data(),
      std::min(in.target_index_count, in.indices.size()), kMaxSimplifyError * relative, 0, nullptr);
  // Collapses between vertices at one position that differ in normal or texture coordinates leave triangles without
  // area.
  const auto same_place = [&](std::uint32_t a, std::uint32_t b) {
    if (!(in.positions[a] == in.positions[b])) return false;
    return in.shapes.empty() || std::ranges::equal(in.shapes.subspan(a * kShapeFloats, kShapeFloats),
                                                   in.shapes.subspan(b * kShapeFloats, kShapeFloats));
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; i += 3) {
    const std::uint32_t a = result[i], b = result[i + 1], c = result[i + 2];
    if (same_place(a, b) || same_place(b, c) || same_place(a, c)) continue;
    std::copy_n(result.begin() + static_cast<std::ptrdiff_t>(i), 3, result.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += 3;
  }
  result.resize(kept);
  return result;
}

}  // namespace assetc::mesh
