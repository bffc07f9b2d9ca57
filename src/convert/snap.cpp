#include "convert/snap.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "convert/for_primitives.hpp"

namespace assetc::convert {
namespace {

using scene::Primitive;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

// For each vertex the bytes that a file stores of it, or the whole values.
class Keys {
 public:
  explicit Keys(std::size_t count) : parts_(count) {}

  template <class T>
  void add(const std::vector<T>& values) {
    for (std::size_t v = 0; v < values.size(); ++v) put(v, &values[v], sizeof(T));
  }
  // Components as integers of their range [0, 1] or [-1, 1]. Others are added as they are.
  template <class T>
  void add_rounded(const std::vector<T>& values, float most, float low) {
    constexpr std::size_t kWidth = sizeof(T) / sizeof(float);
    for (const T& value : values) {
      for (const float x : std::bit_cast<std::array<float, kWidth>>(value))
        if (!(x >= low && x <= 1)) return add(values);
    }
    for (std::size_t v = 0; v < values.size(); ++v) {
      for (const float x : std::bit_cast<std::array<float, kWidth>>(values[v])) {
        const auto integer = static_cast<std::int32_t>(std::round(x * most));
        put(v, &integer, sizeof integer);
      }
    }
  }
  void add_on(const TexcoordGrid& grid, const std::vector<Vec2>& values) {
    for (std::size_t v = 0; v < values.size(); ++v) {
      const Vec2 integers = grid.integers_of(values[v]);
      put(v, &integers, sizeof integers);
    }
  }
  void add_octahedral(const std::vector<Vec4>& values, std::uint32_t bits) {
    const std::size_t stride = bits > 8 ? 8 : 4;
    ByteVector codes(values.size() * stride);
    if (!values.empty())
      meshopt_encodeFilterOct(codes.data(), values.size(), stride, static_cast<int>(bits), &values[0].x);
    for (std::size_t v = 0; v < values.size(); ++v) put(v, codes.data() + v * stride, stride);
  }

  // For each vertex the first one with the same key.
  std::vector<std::uint32_t> firsts() const {
    std::unordered_map<std::string_view, std::uint32_t> known;
    known.reserve(parts_.size());
    std::vector<std::uint32_t> out(parts_.size());
    for (std::uint32_t v = 0; v < parts_.size(); ++v) out[v] = known.try_emplace(parts_[v], v).first->second;
    return out;
  }

 private:
  void put(std::size_t v, const void* bytes, std::size_t size) {
    if (v < parts_.size()) parts_[v].append(static_cast<const char*>(bytes), size);
  }
  std::vector<std::string> parts_;
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
    settings.texcoord_bits == 0 ? keys.add(set) : keys.add_rounded(set, std::ldexp(65535.0f, -shift), 0);
  }
  for (const std::vector<Vec4>& set : p.colors)
    settings.color_bits == 0 ? keys.add(set) : keys.add_rounded(set, settings.color_bits > 8 ? 65535.0f : 255.0f, 0);
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

}  // namespace assetc::convert
