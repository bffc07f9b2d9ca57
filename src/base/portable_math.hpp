// Math functions with the same bits everywhere, computed with + - * / and sqrt alone. Those of the C library differ
// between machines in their last bits. In double; errors are below 1e-12, for angles relative to 1.
#pragma once

#include <array>

namespace assetc {

// sin(pi x) and cos(pi x), |x| up to 2^31.
double sin_pi(double x);
double cos_pi(double x);

// The angle of (x, y) from the positive x axis, in units of pi, from -1 to 1; 0 for (0, 0). Arguments must be finite.
double arc_tangent_pi(double y, double x);

// Requires x > 0, finite and normal.
double binary_logarithm(double x);

}  // namespace assetc
