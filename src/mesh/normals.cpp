#include "mesh/normals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mesh/angle.hpp"
#include "mesh/parallel.hpp"
#include "mesh/weld.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec3;

constexpr std::size_t kNormalBlock = 1u << 14;
constexpr Vec3 kNoNormal{0, 0, 1};

float corner_angle(Vec3 at, Vec3 a, Vec3 b) {
  const Vec3 u = scene::normalize_or(a - at, {}), v = scene::normalize_or(b - at, {});
  return static_cast<float>(angle_of_cosine(std::clamp(scene::dot(u, v), -1.0f, 1.0f)));
}

}  // namespace

std::vector<Vec3> face_normals(std::span<const std::uint32_t> indices, std::span<const Vec3> positions) {
  std::vector<Vec3> normals(indices.size() / 3);
  for_blocks(normals.size(), kNormalBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t f = begin; f < end; ++f) {
      const Vec3 a = positions[indices[f * 3]], b = positions[indices[f * 3 + 1]], c = positions[indices[f * 3 + 2]];
      // Normalize edges first: the product of very short or very long edges would exceed the range of a float.
      const Vec3 u = scene::normalize_or(b - a, {}), v = scene::normalize_or(c - a, {});
      normals[f] = scene::normalize_or(scene::cross(u, v), {});
    }
  });
  return normals;
}

std::vector<Vec3> corner_normals(std::span<const std::uint32_t> indices, std::span<const Vec3> positions,
                                 std::span<const std::uint32_t> smoothing_groups) {
  const std::vector<Vec3> flat = face_normals(indices, positions);
  std::vector<Vec3> normals(indices.size());
  if (smoothing_groups.empty()) {
    for (std::size_t i = 0; i < normals.size(); ++i) normals[i] = scene::normalize_or(flat[i / 3], kNoNormal);
    return normals;
  }
  // Corners share a normal if they have the same position and the same group. Equal positions match whatever their
  // indices.
  const auto count = static_cast<std::uint32_t>(indices.size());
  const auto group = [&](std::uint32_t corner) { return smoothing_groups[corner / 3]; };
  const std::vector<std::uint32_t> first = first_equal(
      count, [&](std::uint32_t i) { return hash_mix(hash_of(positions[indices[i]]), group(i)); },
      [&](std::uint32_t i, std::uint32_t j) {
        return group(i) == group(j) && positions[indices[i]] == positions[indices[j]];
      });
  std::vector<Vec3> sums(indices.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t f = i / 3 * 3;
    const Vec3 at = positions[indices[i]];
    const float angle = corner_angle(at, positions[indices[f + (i + 1) % 3]], positions[indices[f + (i + 2) % 3]]);
    sums[first[i]] = sums[first[i]] + flat[i / 3] * angle;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    normals[i] = scene::normalize_or(group(i) == 0 ? flat[i / 3] : sums[first[i]], kNoNormal);
  }
  return normals;
}

bool has_direction(Vec3 normal) {
  const float l = scene::dot(normal, normal);
  return l > 1e-12f && std::isfinite(l);
}

std::size_t repair_normals(std::span<const std::uint32_t> indices, std::span<const Vec3> positions,
                           std::span<Vec3> normals) {
  std::vector<std::uint8_t> is_broken(normals.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    if (has_direction(normals[i])) continue;
    is_broken[i] = 1;
    normals[i] = kNoNormal;
    ++count;
  }
  if (count == 0) return 0;
  const std::vector<std::uint32_t> one_group(indices.size() / 3, 1);
  const std::vector<Vec3> corners = corner_normals(indices, positions, one_group);
  for (std::size_t c = 0; c < indices.size(); ++c) {
    if (is_broken[indices[c]] != 0) normals[indices[c]] = corners[c];
  }
  return count;
}

SplitVertices split_by_normal(std::span<const std::uint32_t> indices, std::span<const Vec3> positions,
                              std::span<const std::uint32_t> smoothing_groups) {
  // Without smoothing groups, the normal of a face is the normal of its corners.
  const bool is_flat = smoothing_groups.empty();
  std::vector<Vec3> normals =
      is_flat ? face_normals(indices, positions) : corner_normals(indices, positions, smoothing_groups);
  if (is_flat) {
    for (Vec3& n : normals) n = scene::normalize_or(n, kNoNormal);
  }
  const auto normal = [&](std::uint32_t c) { return normals[is_flat ? c / 3 : c]; };
  SplitVertices out;
  out.indices = first_equal(
      static_cast<std::uint32_t>(indices.size()), [&](std::uint32_t c) { return hash_of(normal(c), indices[c]); },
      [&](std::uint32_t a, std::uint32_t b) { return indices[a] == indices[b] && normal(a) == normal(b); });
  std::size_t count = 0;
  for (std::uint32_t c = 0; c < out.indices.size(); ++c) count += out.indices[c] == c;
  out.sources.reserve(count);
  out.normals.reserve(count);
  for (std::uint32_t c = 0; c < out.indices.size(); ++c) {
    if (out.indices[c] != c) continue;
    out.sources.push_back(indices[c]);
    out.normals.push_back(normal(c));
  }
  number_firsts(out.indices);
  return out;
}

}  // namespace assetc::mesh
