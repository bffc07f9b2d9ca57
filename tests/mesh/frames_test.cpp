#include "mesh/frames.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace assetc::mesh {
namespace {

using scene::Vec3;
using scene::Vec4;

// Directions of any length in all octants, including axes and edges, and vectors without a direction. The count is not
// a whole number of blocks.
std::vector<Vec3> directions() {
  constexpr float kMax = std::numeric_limits<float>::max(), kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Vec3> all{{0, 0, 0}, {-0.0f, 0, -0.0f}, {kNan, 1, 0}, {kMax, kMax, 1}, {1e-38f, 0, 0}, {0, 0, -1}};
  for (const float x : {-1.0f, -0.3f, -0.0f, 0.0f, 1e-4f, 0.7f, 5.0f}) {
    for (const float y : {-2.0f, -1e-6f, 0.0f, 0.25f, 1.0f}) {
      for (const float z : {-1.0f, -0.0f, 0.0f, 0.5f}) all.push_back({x, y, z});
    }
  }
  return all;
}

TEST(Frames, are_packed_to_the_bits_of_the_format) {
  const std::vector<Vec3> normals = directions();
  std::vector<Vec4> tangents;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Vec3 n = normals[normals.size() - 1 - i];
    tangents.push_back({n.x, n.y, n.z, i % 3 == 0 ? -1.0f : 1.0f});
  }
  std::vector<PackedFrame> frames(normals.size());
  pack_frames(normals, tangents, frames);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Vec3 n = normals[i];
    const Vec4 t = tangents[i];
    EXPECT_EQ(frames[i].normal, encode_octahedral(n.x, n.y, n.z)) << i;
    EXPECT_EQ(frames[i].tangent, encode_octahedral_tangent(t.x, t.y, t.z, t.w)) << i;
  }
  pack_frames(normals, {}, frames);
  for (const PackedFrame& frame : frames) EXPECT_EQ(frame.tangent, OctahedralVector{});
}

// A compiled mesh that is read and written again keeps its bits.
TEST(Frames, that_were_unpacked_pack_to_themselves) {
  std::vector<Vec3> normals;
  std::vector<Vec4> tangents;
  std::vector<PackedFrame> packed;
  constexpr int kMost = 32767, kStep = 331;
  for (int u = -kMost; u <= kMost; u += kStep) {
    for (const int v : {-kMost, -kMost + 1, u, -u, kMost - std::abs(u), std::abs(u) - kMost, 0, 1, kMost - 1, kMost}) {
      const OctahedralVector q{static_cast<std::int16_t>(u), static_cast<std::int16_t>(v)};
      const auto n = decode_octahedral(q[0], q[1]);
      const auto t = decode_octahedral_tangent(q[1], q[0]);
      normals.push_back({n[0], n[1], n[2]});
      tangents.push_back({t[0], t[1], t[2], t[3]});
      packed.push_back({q, {q[1], q[0]}});
    }
  }
  std::vector<PackedFrame> again(packed.size());
  pack_frames(normals, tangents, again);
  EXPECT_EQ(again, packed);
}

}  // namespace
}  // namespace assetc::mesh
