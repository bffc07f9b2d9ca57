// The angle of a cosine, with the same bits on every machine.
#pragma once

#include <cmath>

namespace assetc::mesh {

// acos(x) for |x| <= 1, accurate to about the rounding of a double. libm's acos differs between machines in the last
// bit. For r <= 1/2, asin(r) = r P(r^2), where P is a Chebyshev interpolation. Beyond that, acos(x) = 2 asin(sqrt((1 -
// x) / 2)).
inline double angle_of_cosine(double x) {
  constexpr double kHalfPi = 1.57079632679489661923;
  const double magnitude = std::fabs(x);
  const bool far = magnitude > 0.5;
  const double z = far ? (1.0 - magnitude) * 0.5 : magnitude * magnitude;
  const double r = far ? std::sqrt(z) : magnitude;
  const double z2 = z * z, z4 = z2 * z2;
  const double p0 = (1.0 + 0.16666666666664942 * z) + (0.07500000000385201 + 0.044642856805998936 * z) * z2;
  const double p1 =
      (0.03038195969768514 + 0.022371749733164054 * z) + (0.01735977964134998 + 0.01388484282640208 * z) * z2;
  const double p2 =
      (0.012170138592391726 + 0.0065293020047365695 * z) + (0.019513468251252167 - 0.016187392271599134 * z) * z2;
  const double p = p0 + z4 * (p1 + z4 * (p2 + z4 * 0.03187962140081284));
  const double a = r * p;
  const double acute = far ? 2.0 * a : kHalfPi - a;
  return x < 0 ? 2.0 * kHalfPi - acute : acute;
}

}  // namespace assetc::mesh
