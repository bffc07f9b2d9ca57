#include "base/portable_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace assetc {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kError = 1e-12;

TEST(portable_math, agrees_with_the_library) {
  for (int i = -20000; i <= 20000; ++i) {
    const double x = i / 1999.0;
    EXPECT_NEAR(sin_pi(x), std::sin(kPi * x), kError) << x;
    EXPECT_NEAR(cos_pi(x), std::cos(kPi * x), kError) << x;
    for (const double radius : {1e-30, 0.7, 1e30}) {
      const double a = i * (kPi / 20000), sine = radius * std::sin(a), cosine = radius * std::cos(a);
      EXPECT_NEAR(arc_tangent_pi(sine, cosine), std::atan2(sine, cosine) / kPi, kError) << a;
    }
    const double power = std::exp(i / 40.0);
    EXPECT_NEAR(binary_logarithm(power), std::log2(power), kError * 1000) << power;
  }
}

TEST(portable_math, is_exact_where_the_answer_is_whole) {
  EXPECT_EQ(sin_pi(0.0), 0.0);
  EXPECT_EQ(sin_pi(7.0), 0.0);
  EXPECT_EQ(arc_tangent_pi(0.0, 0.0), 0.0);
  EXPECT_EQ(arc_tangent_pi(1.0, 0.0), 0.5);
  EXPECT_EQ(arc_tangent_pi(-1.0, 0.0), -0.5);
  EXPECT_EQ(arc_tangent_pi(0.0, 1.0), 0.0);
  EXPECT_EQ(arc_tangent_pi(0.0, -1.0), 1.0);
  EXPECT_EQ(arc_tangent_pi(3.0, 3.0), 0.25);
  for (int e = -1022; e <= 1023; ++e) EXPECT_EQ(binary_logarithm(std::ldexp(1.0, e)), e);
}

}  // namespace
}  // namespace assetc
