#include "mesh/morph_index.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mesh/lod.hpp"
#include "mesh/weld.hpp"

namespace assetc::mesh {
namespace {

using scene::MorphTarget;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

// Calls visit(values) for each array of offsets that a target has.
template <class Visit>
void each_array(const MorphTarget& t, const Visit& visit) {
  for (const auto* array : {&t.positions, &t.normals, &t.tangents}) {
    if (!array->empty()) visit(*array);
  }
  for (const auto& set : t.texcoords) {
    if (!set.empty()) visit(set);
  }
  for (const auto& set : t.colors) {
    if (!set.empty()) visit(set);
  }
}

bool rows_equal(const MorphTarget& t, std::size_t a, std::size_t b) {
  bool equal = true;
  each_array(t, [&](const auto& values) { equal = equal && values[a] == values[b]; });
  return equal;
}

std::uint64_t hash_row(Vec2 v, std::uint64_t h) { return hash_mix(h, float_key(v.x, v.y)); }
std::uint64_t hash_row(Vec3 v, std::uint64_t h) { return hash_of(v, h); }
std::uint64_t hash_row(Vec4 v, std::uint64_t h) {
  return hash_mix(hash_mix(h, float_key(v.x, v.y)), float_key(v.z, v.w));
}

}  // namespace

MorphIndex::MorphIndex(std::span<const MorphTarget> targets, std::size_t vertex_count) : targets_(targets) {
  std::size_t count = 0;
  for (const MorphTarget& t : targets) count += t.vertices.size();
  if (count == 0) return;
  begin_.assign(vertex_count + 1, 0);
  for (const MorphTarget& t : targets) {
    for (const std::uint32_t v : t.vertices) ++begin_[v + std::size_t{1}];
  }
  for (std::size_t v = 0; v < vertex_count; ++v) begin_[v + 1] += begin_[v];
  rows_.resize(count);
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t t = 0; t < targets.size(); ++t) {
    const auto& vertices = targets[t].vertices;
    for (std::uint32_t row = 0; row < vertices.size(); ++row) rows_[next[vertices[row]]++] = {t, row};
  }
}

bool MorphIndex::equal(std::uint32_t a, std::uint32_t b) const {
  return std::ranges::equal(rows_of(a), rows_of(b), [&](const Row& x, const Row& y) {
    return x.target == y.target && rows_equal(targets_[x.target], x.row, y.row);
  });
}

std::uint64_t MorphIndex::hash(std::uint32_t vertex, std::uint64_t seed) const {
  std::uint64_t hash = seed;
  for (const Row& r : rows_of(vertex)) {
    hash = hash_mix(hash, r.target);
    each_array(targets_[r.target], [&](const auto& values) { hash = hash_row(values[r.row], hash); });
  }
  return hash;
}

std::vector<float> shapes_of(const MorphIndex& morphs, std::span<const std::uint32_t> sources,
                             std::span<const std::uint32_t> vertices) {
  constexpr std::size_t kShapes = kShapeFloats / 3;
  if (morphs.empty()) return {};
  std::vector<float> shapes(vertices.size() * kShapeFloats);
  const bool shared = morphs.targets().size() > kShapes;
  const float scale = shared ? 1 / std::sqrt(static_cast<float>(kShapes)) : 1.0f;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    float* const out = shapes.data() + v * kShapeFloats;
    for (const MorphIndex::Row& row : morphs.rows_of(sources[vertices[v]])) {
      const MorphTarget& target = morphs.targets()[row.target];
      if (target.positions.empty()) continue;
      const Vec3 offset = target.positions[row.row] * scale;
      const std::uint64_t signs = hash_mix(1, row.target);
      for (std::size_t s = shared ? 0 : row.target; s < (shared ? kShapes : row.target + std::size_t{1}); ++s) {
        const float sign = shared && (signs >> s & 1) != 0 ? -1.0f : 1.0f;
        out[s * 3] += offset.x * sign, out[s * 3 + 1] += offset.y * sign, out[s * 3 + 2] += offset.z * sign;
      }
    }
  }
  return shapes;
}

void append_row(const MorphTarget& from, std::size_t row, std::uint32_t vertex, MorphTarget& to) {
  const std::size_t before = to.vertices.size();
  // A target that only some submeshes give an attribute has offsets of zero in the others.
  const auto append = [&](const auto& values, auto& out) {
    if (values.empty() && out.empty()) return;
    out.resize(before);
    out.push_back(values.empty() ? typename std::remove_cvref_t<decltype(out)>::value_type{} : values[row]);
  };
  append(from.positions, to.positions);
  append(from.normals, to.normals);
  append(from.tangents, to.tangents);
  const auto append_sets = [&](const auto& sets, auto& out) {
    out.resize(std::max(out.size(), sets.size()));
    for (std::size_t s = 0; s < out.size(); ++s) {
      static const typename std::remove_cvref_t<decltype(sets)>::value_type no_set{};
      append(s < sets.size() ? sets[s] : no_set, out[s]);
    }
  };
  append_sets(from.texcoords, to.texcoords);
  append_sets(from.colors, to.colors);
  to.vertices.push_back(vertex);
}

}  // namespace assetc::mesh
