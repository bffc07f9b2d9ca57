#include "assetc/formats/octahedral.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assetc {
namespace {

double degrees_between(const std::array<double, 3>& a, const std::array<float, 3>& b) {
  // Computed from the chord, because acos is inaccurate near 0.
  const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
  return 2 * std::asin(std::sqrt(dx * dx + dy * dy + dz * dz) / 2) * 180 / 3.14159265358979323846;
}

template <class Check>
void for_directions(Check check) {
  constexpr int kCount = 20000;  // a Fibonacci sphere
  for (int i = 0; i < kCount; ++i) {
    const double z = 1 - 2 * (i + 0.5) / kCount;
    const double r = std::sqrt(1 - z * z);
    const double phi = i * 2.39996322972865332;
    check(std::array<double, 3>{r * std::cos(phi), r * std::sin(phi), z});
  }
}

TEST(Octahedral, axes_are_exact) {
  for (const auto& [axis, bits] : {std::pair{std::array<float, 3>{1, 0, 0}, OctahedralVector{32767, 0}},
                                   {{-1, 0, 0}, {-32767, 0}},
                                   {{0, 1, 0}, {0, 32767}},
                                   {{0, -1, 0}, {0, -32767}},
                                   {{0, 0, 1}, {0, 0}},
                                   {{0, 0, -1}, {32767, 32767}}}) {
    EXPECT_EQ(encode_octahedral(axis[0], axis[1], axis[2]), bits);
    const auto back = decode_octahedral(bits[0], bits[1]);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(back[static_cast<std::size_t>(i)], axis[static_cast<std::size_t>(i)]);
  }
}

TEST(Octahedral, normals_stay_within_their_bound) {
  double worst = 0;
  for_directions([&](const std::array<double, 3>& d) {
    const auto q = encode_octahedral(static_cast<float>(d[0]), static_cast<float>(d[1]), static_cast<float>(d[2]));
    worst = std::max(worst, degrees_between(d, decode_octahedral(q[0], q[1])));
  });
  EXPECT_LT(worst, 0.004);
}

TEST(Octahedral, tangents_keep_handedness_and_stay_within_their_bound) {
  for (const float w : {1.0f, -1.0f}) {
    double worst = 0;
    for_directions([&](const std::array<double, 3>& d) {
      const auto q =
          encode_octahedral_tangent(static_cast<float>(d[0]), static_cast<float>(d[1]), static_cast<float>(d[2]), w);
      const auto back = decode_octahedral_tangent(q[0], q[1]);
      EXPECT_EQ(back[3], w);
      worst = std::max(worst, degrees_between(d, {back[0], back[1], back[2]}));
    });
    EXPECT_LT(worst, 0.008);
  }
}

TEST(Octahedral, length_does_not_matter) { EXPECT_EQ(encode_octahedral(3, -6, 9), encode_octahedral(1, -2, 3)); }

TEST(Octahedral, every_pair_decodes_to_unit_length) {
  for (int u = -32768; u < 32768; u += 257) {
    for (int v = -32768; v < 32768; v += 257) {
      const auto d = decode_octahedral(static_cast<std::int16_t>(u), static_cast<std::int16_t>(v));
      EXPECT_NEAR(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], 1, 1e-5);
    }
  }
}

TEST(Octahedral, zero_and_non_finite_vectors_point_up) {
  EXPECT_EQ(encode_octahedral(0, 0, 0), (OctahedralVector{0, 0}));
  EXPECT_EQ(encode_octahedral(std::numeric_limits<float>::quiet_NaN(), 0, 0), (OctahedralVector{0, 0}));
  EXPECT_EQ(encode_octahedral(std::numeric_limits<float>::infinity(), 1, 0), (OctahedralVector{0, 0}));
  EXPECT_EQ(encode_octahedral(3e38f, 3e38f, 0), (OctahedralVector{0, 0}));
}

}  // namespace
}  // namespace assetc
