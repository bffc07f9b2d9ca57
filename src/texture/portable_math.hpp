// Functions of the C library whose last bits differ between machines, by + - * / and sqrt alone: the same bits
// everywhere. In double; errors stay below 1e-12, relative to 1 for angles.
#pragma once

#include <array>

namespace assetc::texture {

// sin(pi x) and cos(pi x), |x| up to 2^31.
double sin_pi(double x);
double cos_pi(double x);

// The angle of (x, y) from the positive x axis, -1 to 1 in units of pi; 0 for (0, 0). Finite arguments.
double arc_tangent_pi(double y, double x);

// Requires x > 0, finite and normal.
double binary_logarithm(double x);

}  // namespace assetc::texture
