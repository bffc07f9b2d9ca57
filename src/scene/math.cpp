#include "scene/math.hpp"

namespace assetc::scene {

Mat4 operator*(const Mat4& a, const Mat4& b) {
  Mat4 r;
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 4; ++row) {
      float sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += a.m[4 * k + row] * b.m[4 * column + k];
      r.m[4 * column + row] = sum;
    }
  }
  return r;
}

Vec3 transform_direction(const Mat4& a, Vec3 d) {
  return {a.m[0] * d.x + a.m[4] * d.y + a.m[8] * d.z, a.m[1] * d.x + a.m[5] * d.y + a.m[9] * d.z,
          a.m[2] * d.x + a.m[6] * d.y + a.m[10] * d.z};
}

Vec3 transform_point(const Mat4& a, Vec3 p) { return transform_direction(a, p) + Vec3{a.m[12], a.m[13], a.m[14]}; }

float determinant3(const Mat4& a) {
  const Vec3 x{a.m[0], a.m[1], a.m[2]}, y{a.m[4], a.m[5], a.m[6]}, z{a.m[8], a.m[9], a.m[10]};
  return dot(x, cross(y, z));
}

Vec3 transform_normal(const Mat4& a, Vec3 n) {
  const Vec3 x{a.m[0], a.m[1], a.m[2]}, y{a.m[4], a.m[5], a.m[6]}, z{a.m[8], a.m[9], a.m[10]};
  const float det = dot(x, cross(y, z));
  if (det == 0) return n;
  // The cofactor matrix is det * inverse transpose; its sign must follow det so that a mirror does not flip n.
  const Vec3 r = cross(y, z) * n.x + cross(z, x) * n.y + cross(x, y) * n.z;
  return det < 0 ? r * -1.0f : r;
}

Mat4 to_matrix(const Transform& t) {
  const auto [x, y, z, w] = t.rotation;
  const Vec3 s = t.scale;
  Mat4 r;
  r.m = {(1 - 2 * (y * y + z * z)) * s.x,
         2 * (x * y + z * w) * s.x,
         2 * (x * z - y * w) * s.x,
         0,
         2 * (x * y - z * w) * s.y,
         (1 - 2 * (x * x + z * z)) * s.y,
         2 * (y * z + x * w) * s.y,
         0,
         2 * (x * z + y * w) * s.z,
         2 * (y * z - x * w) * s.z,
         (1 - 2 * (x * x + y * y)) * s.z,
         0,
         t.translation.x,
         t.translation.y,
         t.translation.z,
         1};
  return r;
}

Transform decompose(const Mat4& m) {
  Vec3 x{m.m[0], m.m[1], m.m[2]}, y{m.m[4], m.m[5], m.m[6]}, z{m.m[8], m.m[9], m.m[10]};
  Transform t;
  t.translation = {m.m[12], m.m[13], m.m[14]};
  t.scale = {length(x), length(y), length(z)};
  if (determinant3(m) < 0) t.scale.x = -t.scale.x;
  x = t.scale.x != 0 ? x * (1 / t.scale.x) : Vec3{1, 0, 0};
  y = t.scale.y != 0 ? y * (1 / t.scale.y) : Vec3{0, 1, 0};
  z = t.scale.z != 0 ? z * (1 / t.scale.z) : Vec3{0, 0, 1};
  // Shepperd's method: divide by the largest component.
  const float trace = x.x + y.y + z.z;
  Quat q;
  if (trace > 0) {
    const float s = std::sqrt(trace + 1) * 2;
    q = {(y.z - z.y) / s, (z.x - x.z) / s, (x.y - y.x) / s, s / 4};
  } else if (x.x > y.y && x.x > z.z) {
    const float s = std::sqrt(1 + x.x - y.y - z.z) * 2;
    q = {s / 4, (y.x + x.y) / s, (z.x + x.z) / s, (y.z - z.y) / s};
  } else if (y.y > z.z) {
    const float s = std::sqrt(1 + y.y - x.x - z.z) * 2;
    q = {(y.x + x.y) / s, s / 4, (z.y + y.z) / s, (z.x - x.z) / s};
  } else {
    const float s = std::sqrt(1 + z.z - x.x - y.y) * 2;
    q = {(z.x + x.z) / s, (z.y + y.z) / s, s / 4, (x.y - y.x) / s};
  }
  t.rotation = q;
  return t;
}

std::optional<Mat4> inverse_affine(const Mat4& a) {
  const float det = determinant3(a);
  if (det == 0 || !std::isfinite(1 / det)) return std::nullopt;
  const Vec3 x{a.m[0], a.m[1], a.m[2]}, y{a.m[4], a.m[5], a.m[6]}, z{a.m[8], a.m[9], a.m[10]};
  const Vec3 r0 = cross(y, z) * (1 / det), r1 = cross(z, x) * (1 / det), r2 = cross(x, y) * (1 / det);
  const Vec3 t{a.m[12], a.m[13], a.m[14]};
  Mat4 r;
  r.m = {r0.x, r1.x, r2.x, 0, r0.y, r1.y, r2.y, 0, r0.z, r1.z, r2.z, 0, -dot(r0, t), -dot(r1, t), -dot(r2, t), 1};
  return r;
}

}  // namespace assetc::scene
