// Vectors and matrices of a camera; matrices are runtime::Matrix, column-major.
#pragma once

#include <algorithm>
#include <array>
#include <assetc/formats/hscene_view.hpp>
#include <assetc/runtime/animation.hpp>
#include <cmath>
#include <cstddef>

namespace example {

using Matrix = assetc::runtime::Matrix;
using Vec3 = std::array<float, 3>;
using Vec4 = std::array<float, 4>;

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec3 operator*(const Vec3& a, float s) { return {a[0] * s, a[1] * s, a[2] * s}; }
inline float dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline float length(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 4; ++row) {
      for (std::size_t k = 0; k < 4; ++k) out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    }
  }
  return out;
}

inline Vec3 transform_point(const Matrix& m, const Vec3& p) {
  Vec3 out{};
  for (std::size_t r = 0; r < 3; ++r) out[r] = m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
  return out;
}

// Transforms a plane from the target space of m to its source space.
inline Vec4 plane_before(const Matrix& m, const Vec4& plane) {
  Vec4 out{};
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t k = 0; k < 4; ++k) out[column] += m[4 * column + k] * plane[k];
  }
  const float scale = 1 / length({out[0], out[1], out[2]});
  for (float& v : out) v *= scale;
  return out;
}

// Transforms a point from world space to the source space of m, whose upper 3x3 is a rotation times a uniform scale.
inline Vec3 point_before(const Matrix& m, const Vec3& p) {
  const Vec3 x{m[0], m[1], m[2]}, y{m[4], m[5], m[6]}, z{m[8], m[9], m[10]}, d = p - Vec3{m[12], m[13], m[14]};
  return Vec3{dot(x, d), dot(y, d), dot(z, d)} * (1 / dot(x, x));
}

struct Camera {
  Vec3 eye{};
  float near = 0;
  Vec3 right{}, up{}, forward{};  // right and up are scaled to the edges of the picture
  Matrix view_projection{};
  std::array<Vec4, 5> planes{};  // the frustum without its far plane; a point p is inside if dot(plane, (p, 1)) >= 0
};

// The camera at a place that looks along `forward`. x, y: right and up, of unit length. high, wide: half of the picture
// at distance 1. Depths are 1 at the near plane and 0 at infinity; Y points down in clip space, as in Vulkan.
inline Camera camera_at(const Vec3& eye, const Vec3& x, const Vec3& y, const Vec3& back, float wide, float high,
                        float near) {
  Camera c;
  c.eye = eye;
  c.near = near;
  c.forward = back * -1;
  c.right = x * wide;
  c.up = y * high;
  const Matrix view{x[0], y[0], back[0], 0, x[1],           y[1],           back[1],           0,
                    x[2], y[2], back[2], 0, -dot(x, c.eye), -dot(y, c.eye), -dot(back, c.eye), 1};
  const Matrix projection{1 / wide, 0, 0, 0, 0, -1 / high, 0, 0, 0, 0, 0, -1, 0, 0, near, 0};
  c.view_projection = projection * view;
  const auto row = [&](std::size_t r) {
    return Vec4{c.view_projection[r], c.view_projection[4 + r], c.view_projection[8 + r], c.view_projection[12 + r]};
  };
  const Vec4 w = row(3);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 4; ++k) c.planes[i][k] = w[k] + (i % 2 == 0 ? 1 : -1) * row(i / 2)[k];
  }
  for (std::size_t k = 0; k < 4; ++k) c.planes[4][k] = w[k] - row(2)[k];
  return c;
}

// The view of a perspective camera of a scene; an orthographic one is seen from its place with the same height at
// distance 1. world: the matrix of its node.
inline Camera look_through(const assetc::hscene::Camera& camera, const Matrix& world, float aspect) {
  const auto axis = [&](std::size_t column) {
    const Vec3 v{world[column], world[column + 1], world[column + 2]};
    return v * (1 / std::max(length(v), 1e-9f));
  };
  const bool is_perspective = camera.type == assetc::hscene::CameraType::kPerspective;
  const float high = is_perspective ? std::tan(camera.y_fov_radians / 2) : camera.y_magnification;
  return camera_at({world[12], world[13], world[14]}, axis(0), axis(4), axis(8), high * aspect, high,
                   std::max(camera.z_near, 1e-3f));
}

// Looks at the center of a sphere, which fills the picture if zoom is 1. yaw turns around +Y from +Z towards +X; pitch
// is the angle above the horizon.
inline Camera frame_sphere(const Vec3& center, float radius, float zoom, float yaw, float pitch, float aspect) {
  constexpr float kHalfAngle = 0.3f;  // half of the vertical field of view
  const Vec3 back{std::sin(yaw) * std::cos(pitch), std::sin(pitch), std::cos(yaw) * std::cos(pitch)};
  const float distance = radius / zoom / std::sin(kHalfAngle);
  const float near = std::max(distance - radius * 1.01f, distance * 0.01f);
  const Vec3 x = cross({0, 1, 0}, back) * (1 / length(cross({0, 1, 0}, back)));
  const float high = std::tan(kHalfAngle);
  return camera_at(center + back * distance, x, cross(back, x), back, high * aspect, high, near);
}

}  // namespace example
