#include "base/portable_math.hpp"

#include <cmath>
#include <numbers>

namespace assetc {
namespace {

// sin(pi x) for |x| <= 0.5 by its Taylor series; the last term is below 1e-17.
double sin_pi_small(double x) {
  const double angle = std::numbers::pi * x;
  const double square = angle * angle;
  double term = angle, sum = angle;
  for (int n = 2; n < 24; n += 2) {
    term = term * -square / (n * (n + 1));
    sum += term;
  }
  return sum;
}

// The sum of z^n / n over odd n, with the signs of the arc tangent (sign = -1) or of the hyperbolic arc tangent (1).
// |z| is at most tan(pi / 16) = 0.199 or (sqrt 2 - 1) / (sqrt 2 + 1) = 0.172, so the first term left out is below
// 1e-16.
double odd_series(double z, double sign) {
  const double square = sign * z * z;
  double power = z, sum = z;
  for (int n = 3; n < 23; n += 2) {
    power *= square;
    sum += power / n;
  }
  return sum;
}

}  // namespace

double sin_pi(double x) {
  const double nearest = std::nearbyint(x);
  return sin_pi_small(x - nearest) * (std::fmod(nearest, 2.0) == 0.0 ? 1.0 : -1.0);
}
double cos_pi(double x) { return sin_pi(x + 0.5); }

double arc_tangent_pi(double y, double x) {
  const double ax = std::fabs(x), ay = std::fabs(y);
  const double larger = ax > ay ? ax : ay, smaller = ax > ay ? ay : ax;
  if (larger == 0.0) return 0.0;
  // In [0, 1], reduced by the nearest of 0, pi/8 and pi/4: tan(a - b) = (tan a - tan b) / (1 + tan a tan b).
  const double t = smaller / larger;
  constexpr double kTan8 = std::numbers::sqrt2 - 1.0;
  constexpr double kTan16 = 0.198912367379658, kTan316 = 0.668178637919299;  // borders between those; need not be exact
  double angle;
  if (t < kTan16) {
    angle = odd_series(t, -1.0) / std::numbers::pi;
  } else if (t < kTan316) {
    angle = 0.125 + odd_series((t - kTan8) / (1.0 + t * kTan8), -1.0) / std::numbers::pi;
  } else {
    angle = 0.25 + odd_series((t - 1.0) / (1.0 + t), -1.0) / std::numbers::pi;
  }
  if (ay > ax) angle = 0.5 - angle;
  if (x < 0.0) angle = 1.0 - angle;
  return y < 0.0 ? -angle : angle;
}

double binary_logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // [0.5, 1)
  if (m < std::numbers::sqrt2 / 2.0) {
    m *= 2.0;
    --exponent;
  }
  return exponent + 2.0 * odd_series((m - 1.0) / (m + 1.0), 1.0) / std::numbers::ln2;
}

}  // namespace assetc
