#include "render/camera.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace assetc::render {

using namespace scene;

namespace {

constexpr float kFieldOfViewDegrees = 30;
constexpr float kMargin = 1.05f;
// Points are squares of this side.
constexpr float kLineTexels = 1, kPointTexels = 3;

ScreenVertex between(const ScreenVertex& a, const ScreenVertex& b, float t) {
  const auto mix = [&](float x, float y) { return x + (y - x) * t; };
  ScreenVertex out;
  out.position = a.position + (b.position - a.position) * t;
  out.normal = normalize_or(a.normal + (b.normal - a.normal) * t, a.normal);
  for (std::size_t i = 0; i < kTextureCount; ++i) {
    out.texcoords[i] = {mix(a.texcoords[i].x, b.texcoords[i].x), mix(a.texcoords[i].y, b.texcoords[i].y)};
  }
  out.color = {mix(a.color.x, b.color.x), mix(a.color.y, b.color.y), mix(a.color.z, b.color.z),
               mix(a.color.w, b.color.w)};
  return out;
}

// Cuts triangles and lines at a plane in front of the eye. Source: Sutherland and Hodgman, Reentrant Polygon Clipping
// (1974).
void clip_near(Drawable& d, const View& view, float near) {
  const auto depth = [&](std::uint32_t v) { return view.distance(d.vertices[v].position) - near; };
  const auto clip = [&](std::vector<Triangle>& triangles) {
    std::vector<Triangle> kept;
    kept.reserve(triangles.size());
    for (const Triangle& t : triangles) {
      const std::array<std::uint32_t, 3> corner{t.a, t.b, t.c};
      std::array<std::uint32_t, 4> polygon{};
      std::size_t count = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t from = corner[i], to = corner[(i + 1) % 3];
        const float at = depth(from), next = depth(to);
        if (at >= 0) polygon[count++] = from;
        if ((at >= 0) == (next >= 0)) continue;
        polygon[count++] = static_cast<std::uint32_t>(d.vertices.size());
        d.vertices.push_back(between(d.vertices[from], d.vertices[to], at / (at - next)));
      }
      for (std::size_t i = 2; i < count; ++i)
        kept.push_back({polygon[0], polygon[i - 1], polygon[i], t.surface, t.cluster});
    }
    triangles = std::move(kept);
  };
  clip(d.opaque);
  clip(d.blended);
  std::erase_if(d.strokes, [&](Stroke& s) {
    const float at = depth(s.from), next = depth(s.to);
    if (at < 0 && next < 0) return true;
    if (at >= 0 && next >= 0) return false;
    const auto cut = static_cast<std::uint32_t>(d.vertices.size());
    d.vertices.push_back(between(d.vertices[s.from], d.vertices[s.to], at / (at - next)));
    (at < 0 ? s.from : s.to) = cut;
    return false;
  });
}

// Cuts triangles and lines at a plane beyond which nothing is seen: what is behind an eye there that looks back
// remains.
void clip_far(Drawable& d, const View& view, float far) {
  View back = view;
  back.eye = view.eye + view.forward * far;
  back.forward = view.forward * -1.0f;
  clip_near(d, back, 0);
}

// Projects vertices that are in front of the eye.
void project(Drawable& d, const View& view, float nearest, std::uint32_t width, std::uint32_t height) {
  for (ScreenVertex& v : d.vertices) {
    const Vec3 offset = v.position - view.eye;
    v.w = std::max(dot(offset, view.forward), nearest);
    v.nearness = 1 / v.w;
    v.x = static_cast<float>(width) / 2 + view.focal * dot(offset, view.right) / v.w;
    v.y = static_cast<float>(height) / 2 - view.focal * dot(offset, view.up) / v.w;
  }
}

// Projects vertices along parallel rays.
void project_parallel(Drawable& d, const View& view, std::uint32_t width, std::uint32_t height) {
  for (ScreenVertex& v : d.vertices) {
    const Vec3 offset = v.position - view.eye;
    v.w = 1;
    v.nearness = -dot(offset, view.forward);
    v.x = static_cast<float>(width) / 2 + view.focal * dot(offset, view.right);
    v.y = static_cast<float>(height) / 2 - view.focal * dot(offset, view.up);
  }
}

}  // namespace

View look_through(Drawable& d, const scene::Camera& camera, const Mat4& world, std::uint32_t width,
                  std::uint32_t height) {
  View view;
  view.right = normalize_or(transform_direction(world, {1, 0, 0}), {1, 0, 0});
  view.up = normalize_or(transform_direction(world, {0, 1, 0}), {0, 1, 0});
  view.forward = normalize_or(transform_direction(world, {0, 0, -1}), {0, 0, -1});
  view.eye = transform_point(world, {0, 0, 0});
  const auto side = static_cast<float>(height);
  if (camera.is_perspective) {
    const float near = std::max(camera.z_near, 1e-5f);
    clip_near(d, view, near);
    if (camera.z_far > near) clip_far(d, view, camera.z_far);
    view.focal = side / 2 / std::tan(std::clamp(camera.y_fov_radians, 1e-3f, 3.1f) / 2);
    project(d, view, near, width, height);
    return view;
  }
  view.is_parallel = true;
  clip_near(d, view, camera.z_near);
  if (camera.z_far > camera.z_near) clip_far(d, view, camera.z_far);
  view.focal = side / 2 / std::max(std::abs(camera.y_magnification), 1e-5f);
  project_parallel(d, view, width, height);
  return view;
}

View frame(Drawable& d, const Options& o, std::uint32_t width, std::uint32_t height) {
  Vec3 low = d.vertices[0].position, high = low;
  for (const ScreenVertex& v : d.vertices) {
    low = {std::min(low.x, v.position.x), std::min(low.y, v.position.y), std::min(low.z, v.position.z)};
    high = {std::max(high.x, v.position.x), std::max(high.y, v.position.y), std::max(high.z, v.position.z)};
  }
  const Vec3 center = (low + high) * 0.5f;
  float radius = 0;
  for (const ScreenVertex& v : d.vertices) radius = std::max(radius, length(v.position - center));
  radius = std::max(radius, 1e-6f);

  constexpr float kRadians = std::numbers::pi_v<float> / 180;
  const float yaw = o.yaw_degrees * kRadians, pitch = std::clamp(o.pitch_degrees, -89.0f, 89.0f) * kRadians;
  const float half_angle = kFieldOfViewDegrees / 2 * kRadians;
  View cam;
  cam.forward = Vec3{-std::sin(yaw) * std::cos(pitch), -std::sin(pitch), -std::cos(yaw) * std::cos(pitch)};
  cam.right = normalize_or(cross(cam.forward, {0, 1, 0}), {1, 0, 0});
  cam.up = cross(cam.right, cam.forward);
  const float distance = radius * kMargin / std::sin(half_angle);
  cam.eye = center - cam.forward * distance;
  cam.focal = static_cast<float>(std::min(width, height)) / 2 / std::tan(half_angle);
  project(d, cam, distance * 1e-3f, width, height);
  return cam;
}

void widen_strokes(Drawable& d, float texel) {
  for (const Stroke& s : d.strokes) {
    const bool is_point = s.from == s.to;
    ScreenVertex a = d.vertices[s.from], b = d.vertices[s.to];
    const float half = (is_point ? kPointTexels : kLineTexels) * texel / 2;
    // The rasterizer draws samples on both edges. Therefore no edge passes through the centers of samples.
    constexpr float kNudge = 1.0f / 1024;
    for (ScreenVertex* v : {&a, &b}) {
      v->x = is_point ? std::round(v->x - half) + half : v->x + kNudge;
      v->y = is_point ? std::round(v->y - half) + half : v->y + kNudge;
    }
    const float x = b.x - a.x, y = b.y - a.y, length = std::sqrt(x * x + y * y);
    // Along the stroke, in samples. A line is not longer than it is: neighbors would overlap.
    const float ux = length > 0 ? x / length : 1, uy = length > 0 ? y / length : 0;
    const float extra = is_point || length < 2 * half ? half : 0;
    const auto base = static_cast<std::uint32_t>(d.vertices.size());
    for (const float side : {-half, half}) {
      for (const bool end : {false, true}) {
        ScreenVertex corner = end ? b : a;
        const float along = end ? extra : -extra;
        corner.x += ux * along - uy * side;
        corner.y += uy * along + ux * side;
        d.vertices.push_back(corner);
      }
    }
    const Surface& surface = d.surfaces[s.surface];
    const bool blend = surface.material->alpha_mode == AlphaMode::kBlend;
    std::vector<Triangle>& to = blend ? d.blended : d.opaque;
    to.push_back({base, base + 1, base + 3, s.surface, surface.primitive});
    to.push_back({base, base + 3, base + 2, s.surface, surface.primitive});
  }
  d.strokes.clear();
}

}  // namespace assetc::render
