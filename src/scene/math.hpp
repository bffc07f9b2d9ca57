// Small vectors and matrices of the scene model. Plain data; float32; column-major matrices; quaternions xyzw.
#pragma once

#include <array>
#include <cmath>
#include <optional>

namespace assetc::scene {

struct Vec2 {
  float x = 0, y = 0;
  bool operator==(const Vec2&) const = default;
};
struct Vec3 {
  float x = 0, y = 0, z = 0;
  bool operator==(const Vec3&) const = default;
};
struct Vec4 {
  float x = 0, y = 0, z = 0, w = 0;
  bool operator==(const Vec4&) const = default;
};
struct Quat {
  float x = 0, y = 0, z = 0, w = 1;
  bool operator==(const Quat&) const = default;
};

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
// The unit vector along a, or fallback if a has no direction (zero, NaN).
inline Vec3 normalize_or(Vec3 a, Vec3 fallback) {
  const float l = length(a);
  return l > 0 && std::isfinite(l) ? a * (1.0f / l) : fallback;
}

// Rotates by b, then by a.
inline Quat operator*(Quat a, Quat b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// Column-major: m[4 * column + row].
struct Mat4 {
  std::array<float, 16> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  bool operator==(const Mat4&) const = default;
};

Mat4 operator*(const Mat4& a, const Mat4& b);
Vec3 transform_point(const Mat4& a, Vec3 p);
Vec3 transform_direction(const Mat4& a, Vec3 d);
// Transforms a normal: the inverse transpose of the upper 3x3, not normalized. A singular matrix keeps the direction.
Vec3 transform_normal(const Mat4& a, Vec3 n);
// Determinant of the upper 3x3: negative if the transform mirrors.
float determinant3(const Mat4& a);
// The inverse of an affine matrix; empty if the matrix is singular.
std::optional<Mat4> inverse_affine(const Mat4& a);

struct Transform {
  Vec3 translation;
  Quat rotation;
  Vec3 scale{1, 1, 1};
  bool operator==(const Transform&) const = default;
};
Mat4 to_matrix(const Transform& t);
// The translation, rotation and scale of an affine matrix; shear is lost, a mirror becomes a negative x scale.
Transform decompose(const Mat4& m);

}  // namespace assetc::scene
