#include "mesh/frames.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assetc::mesh {
namespace {

constexpr std::size_t kFrameBlock = 128;

// A block of vectors stored by component, which compilers vectorize.
struct VectorBlock {
  std::array<float, kFrameBlock> x, y, z;
};
struct PackedBlock {
  std::array<std::int32_t, kFrameBlock> u, v;
};

std::int32_t quantize(float c) {
  const float low = c < -1.0f ? -1.0f : c;
  const float clamped = low > 1.0f ? 1.0f : low;
  return static_cast<std::int32_t>(clamped * 32767.0f + std::copysign(0.5f, clamped));
}

// encode_octahedral, without branches.
void encode(const VectorBlock& in, PackedBlock& out) {
  for (std::size_t i = 0; i < kFrameBlock; ++i) {
    const float x = in.x[i], y = in.y[i], z = in.z[i];
    const float length1 = std::fabs(x) + std::fabs(y) + std::fabs(z);
    const bool has_direction = length1 > 0.0f && length1 <= std::numeric_limits<float>::max();
    const float u = x / length1, v = y / length1;
    const float folded_u = std::copysign(1.0f - std::fabs(v), u), folded_v = std::copysign(1.0f - std::fabs(u), v);
    const float side_u = z < 0.0f ? folded_u : u, side_v = z < 0.0f ? folded_v : v;
    out.u[i] = quantize(has_direction ? side_u : 0.0f);
    out.v[i] = quantize(has_direction ? side_v : 0.0f);
  }
}

}  // namespace

void pack_frames(std::span<const scene::Vec3> normals, std::span<const scene::Vec4> tangents,
                 std::span<PackedFrame> out) {
  assert(normals.size() == out.size() && (tangents.empty() || tangents.size() == out.size()));
  VectorBlock block{};
  PackedBlock packed;
  for (std::size_t first = 0; first < out.size(); first += kFrameBlock) {
    const std::size_t count = std::min(kFrameBlock, out.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const scene::Vec3& n = normals[first + i];
      block.x[i] = n.x, block.y[i] = n.y, block.z[i] = n.z;
    }
    encode(block, packed);
    for (std::size_t i = 0; i < count; ++i) {
      out[first + i] = {{static_cast<std::int16_t>(packed.u[i]), static_cast<std::int16_t>(packed.v[i])},
                        OctahedralVector{}};
    }
    if (tangents.empty()) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const scene::Vec4& t = tangents[first + i];
      block.x[i] = t.x, block.y[i] = t.y, block.z[i] = t.z;
    }
    encode(block, packed);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t hand = tangents[first + i].w < 0.0f ? 1 : 0;
      out[first + i].tangent = {static_cast<std::int16_t>((packed.u[i] & ~1) | hand),
                                static_cast<std::int16_t>(packed.v[i])};
    }
  }
}

}  // namespace assetc::mesh
