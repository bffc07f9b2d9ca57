#include "optimize/snap.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "mesh/weld.hpp"
#include "optimize/for_primitives.hpp"

namespace assetc::optimize {
namespace {

using scene::Primitive;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

// For each vertex the bytes that a file stores of it, or the whole values.
class Keys {
 public:
  explicit Keys(std::size_t count) : count_(count) {}

  template <class T>
  void add(const std::vector<T>& values) {
    add_bytes(std::as_bytes(std::span(values)));
  }
  // Components as integers of their range [0, 1]. If any is outside, all are added as they are.
  template <class T>
  void add_rounded(const std::vector<T>& values, float most) {
    constexpr std::size_t kWidth = sizeof(T) / sizeof(float);
    std::vector<std::array<std::int32_t, kWidth>> integers(values.size());
    for (std::size_t v = 0; v < values.size(); ++v) {
      const auto parts = std::bit_cast<std::array<float, kWidth>>(values[v]);
      for (std::size_t k = 0; k < kWidth; ++k) {
        if (!(parts[k] >= 0 && parts[k] <= 1)) return add(values);
        integers[v][k] = static_cast<std::int32_t>(std::round(parts[k] * most));
      }
    }
    add(integers);
  }
  void add_on(const TexcoordGrid& grid, const std::vector<Vec2>& values) {
    std::vector<Vec2> integers(values.size());
    std::ranges::transform(values, integers.begin(), [&](const Vec2& value) { return grid.integers_of(value); });
    add(integers);
  }
  void add_octahedral(const std::vector<Vec4>& values, std::uint32_t bits) {
    const std::size_t stride = bits > 8 ? 8 : 4;
    ByteVector codes(values.size() * stride);
    if (!values.empty())
      meshopt_encodeFilterOct(codes.data(), values.size(), stride, static_cast<int>(bits), &values[0].x);
    add_bytes(codes);
  }

  // For each vertex the first one with the same key.
  std::vector<std::uint32_t> firsts() const {
    ByteVector rows(count_ * row_bytes_);
    std::size_t offset = 0;
    for (const ByteVector& column : columns_) {
      const std::size_t width = column.size() / count_;
      for (std::size_t v = 0; v < count_; ++v)
        std::memcpy(rows.data() + v * row_bytes_ + offset, column.data() + v * width, width);
      offset += width;
    }
    const auto row = [&](std::uint32_t v) { return ByteSpan(rows).subspan(v * row_bytes_, row_bytes_); };
    return mesh::first_equal(
        static_cast<std::uint32_t>(count_), [&](std::uint32_t v) { return xxh3_64(row(v)); },
        [&](std::uint32_t a, std::uint32_t b) { return std::memcmp(row(a).data(), row(b).data(), row_bytes_) == 0; });
  }

 private:
  // bytes: none, or as many for each vertex.
  void add_bytes(ByteSpan bytes) {
    if (bytes.empty()) return;
    columns_.emplace_back(bytes.begin(), bytes.end());
    row_bytes_ += bytes.size() / count_;
  }

  std::size_t count_;
  std::size_t row_bytes_ = 0;
  std::vector<ByteVector> columns_;
};

template <class T>
void copy_firsts(std::vector<T>& values, const std::vector<std::uint32_t>& firsts) {
  for (std::size_t v = 0; v < values.size(); ++v) values[v] = values[firsts[v]];
}

std::vector<Vec4> wide(const std::vector<Vec3>& values) {
  std::vector<Vec4> out;
  out.reserve(values.size());
  for (const Vec3& v : values) {
    const Vec3 unit = scene::normalize_or(v, v);
    out.push_back({unit.x, unit.y, unit.z, 0});
  }
  return out;
}

bool are_finite(const std::vector<Vec4>& values) {
  return std::ranges::all_of(
      values, [](const Vec4& v) { return std::isfinite(v.x + v.y + v.z + v.w) && std::fabs(v.x + v.y + v.z) < 1e9f; });
}

void snap(Primitive& p, const recipes::MeshSettings& settings, const std::vector<TexcoordGrid>& grids,
          bool compresses) {
  const std::size_t count = p.positions.size();
  const auto has_all = [&](const auto& values) { return values.empty() || values.size() == count; };
  if (!has_all(p.normals) || !has_all(p.tangents) || !std::ranges::all_of(p.texcoords, has_all) ||
      !std::ranges::all_of(p.colors, has_all))
    return;
  Keys keys(count);
  keys.add(p.positions);
  const std::vector<Vec4> normals = wide(p.normals);
  if (settings.normal_bits != 0 && compresses && are_finite(normals) && are_finite(p.tangents)) {
    keys.add_octahedral(normals, settings.normal_bits);
    keys.add_octahedral(p.tangents, settings.normal_bits);
  } else {
    keys.add(p.normals), keys.add(p.tangents);
  }
  // As the writer rounds them: multiples of 2^shift in 16 bits.
  const int shift = 16 - static_cast<int>(std::min(settings.texcoord_bits, 16u));
  for (std::size_t s = 0; s < p.texcoords.size(); ++s) {
    const std::vector<Vec2>& set = p.texcoords[s];
    if (s < grids.size() && grids[s].is_used()) {
      keys.add_on(grids[s], set);
      continue;
    }
    settings.texcoord_bits == 0 ? keys.add(set) : keys.add_rounded(set, std::ldexp(65535.0f, -shift));
  }
  for (const std::vector<Vec4>& set : p.colors)
    settings.color_bits == 0 ? keys.add(set) : keys.add_rounded(set, settings.color_bits > 8 ? 65535.0f : 255.0f);
  const std::vector<std::uint32_t> firsts = keys.firsts();
  copy_firsts(p.normals, firsts), copy_firsts(p.tangents, firsts);
  for (std::vector<Vec2>& set : p.texcoords) copy_firsts(set, firsts);
  for (std::vector<Vec4>& set : p.colors) copy_firsts(set, firsts);
}

}  // namespace

void snap_vertices(scene::Scene& scene, const recipes::MeshSettings& settings, const TexcoordGrids& grids,
                   bool compresses) {
  if (!settings.rounds()) return;
  for_primitives(scene, [&](Primitive& primitive, std::size_t m, std::size_t p) {
    snap(primitive, settings, grids.empty() ? std::vector<TexcoordGrid>() : grids[m][p], compresses);
  });
}

}  // namespace assetc::optimize
