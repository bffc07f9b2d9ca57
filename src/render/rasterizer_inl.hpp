#pragma once

#include <algorithm>
#include <limits>

#include "parallel/parallel.hpp"

namespace assetc::render {
namespace detail {

inline constexpr std::uint32_t kBandRows = 32;

template <class T>
T mix3(const T& a, const T& b, const T& c, float wa, float wb, float wc);
template <>
inline scene::Vec3 mix3(const scene::Vec3& a, const scene::Vec3& b, const scene::Vec3& c, float wa, float wb,
                        float wc) {
  return a * wa + b * wb + c * wc;
}
template <>
inline scene::Vec2 mix3(const scene::Vec2& a, const scene::Vec2& b, const scene::Vec2& c, float wa, float wb,
                        float wc) {
  return {a.x * wa + b.x * wb + c.x * wc, a.y * wa + b.y * wb + c.y * wc};
}

template <>
inline scene::Vec4 mix3(const scene::Vec4& a, const scene::Vec4& b, const scene::Vec4& c, float wa, float wb,
                        float wc) {
  return {a.x * wa + b.x * wb + c.x * wc, a.y * wa + b.y * wb + c.y * wc, a.z * wa + b.z * wb + c.z * wc,
          a.w * wa + b.w * wb + c.w * wc};
}

// Draws one triangle in rows [row_begin, row_end).
template <class Shade>
void fill(std::span<const ScreenVertex> vertices, const Triangle& t, std::uint32_t width, std::uint32_t row_begin,
          std::uint32_t row_end, std::span<scene::Vec3> color, std::span<float> nearest, const Shade& shade) {
  const ScreenVertex &a = vertices[t.a], &b = vertices[t.b], &c = vertices[t.c];
  const float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (area == 0) return;
  const auto clamp_to = [](float v, float low, float high) {
    return static_cast<std::int64_t>(std::clamp(v, low, high));
  };
  const auto x0 = clamp_to(std::floor(std::min({a.x, b.x, c.x})), 0, static_cast<float>(width));
  const auto x1 = clamp_to(std::ceil(std::max({a.x, b.x, c.x})) + 1, 0, static_cast<float>(width));
  const auto y0 =
      clamp_to(std::floor(std::min({a.y, b.y, c.y})), static_cast<float>(row_begin), static_cast<float>(row_end));
  const auto y1 =
      clamp_to(std::ceil(std::max({a.y, b.y, c.y})) + 1, static_cast<float>(row_begin), static_cast<float>(row_end));
  const float inverse_area = 1 / area;
  const auto edge_length = [](const ScreenVertex& p, const ScreenVertex& q) {
    return std::sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y));
  };
  const float height_a = std::abs(area) / std::max(edge_length(b, c), 1e-6f);
  const float height_b = std::abs(area) / std::max(edge_length(c, a), 1e-6f);
  const float height_c = std::abs(area) / std::max(edge_length(a, b), 1e-6f);
  for (std::int64_t y = y0; y < y1; ++y) {
    for (std::int64_t x = x0; x < x1; ++x) {
      const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
      const float wa = ((b.x - px) * (c.y - py) - (b.y - py) * (c.x - px)) * inverse_area;
      const float wb = ((c.x - px) * (a.y - py) - (c.y - py) * (a.x - px)) * inverse_area;
      const float wc = 1 - wa - wb;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      const float nearness = wa * a.nearness + wb * b.nearness + wc * c.nearness;
      const std::size_t at = static_cast<std::size_t>(y - row_begin) * width + static_cast<std::size_t>(x);
      if (nearness <= nearest[at]) continue;
      // Values divided by w change linearly on the screen.
      const float ia = wa / a.w, ib = wb / b.w, ic = wc / c.w, w = 1 / (ia + ib + ic);
      Fragment f;
      f.position = mix3(a.position, b.position, c.position, ia * w, ib * w, ic * w);
      f.normal = scene::normalize_or(mix3(a.normal, b.normal, c.normal, ia * w, ib * w, ic * w), a.normal);
      for (std::size_t i = 0; i < kTextureCount; ++i)
        f.texcoords[i] = mix3(a.texcoords[i], b.texcoords[i], c.texcoords[i], ia * w, ib * w, ic * w);
      f.color = mix3(a.color, b.color, c.color, ia * w, ib * w, ic * w);
      f.edge_distance = std::min({wa * height_a, wb * height_b, wc * height_c});
      f.front_facing = area < 0;  // y points down: counter-clockwise on the screen has negative area
      const Sample s = shade(t, f);
      if (s.alpha <= 0) continue;
      scene::Vec3& out = color[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
      out = s.alpha >= 1 ? s.color : s.color * s.alpha + out * (1 - s.alpha);
      if (s.alpha >= 1) nearest[at] = nearness;
    }
  }
}

}  // namespace detail

template <class Shade>
void rasterize(std::span<const ScreenVertex> vertices, std::span<const Triangle> triangles, std::uint32_t width,
               std::uint32_t height, std::span<scene::Vec3> color, const Shade& shade) {
  const std::uint32_t bands = (height + detail::kBandRows - 1) / detail::kBandRows;
  // The triangles that touch each band of rows, in order.
  std::vector<std::vector<std::uint32_t>> bins(bands);
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    const float low = std::min({vertices[t.a].y, vertices[t.b].y, vertices[t.c].y});
    const float high = std::max({vertices[t.a].y, vertices[t.b].y, vertices[t.c].y});
    if (!(high >= 0 && low <= static_cast<float>(height))) continue;
    const float last = static_cast<float>(bands - 1), rows = static_cast<float>(detail::kBandRows);
    const auto first_band = static_cast<std::uint32_t>(std::clamp(std::floor((low - 1) / rows), 0.0f, last));
    const auto last_band = static_cast<std::uint32_t>(std::clamp(std::floor((high + 1) / rows), 0.0f, last));
    for (std::uint32_t band = first_band; band <= last_band; ++band) bins[band].push_back(i);
  }
  parallel_for(bands, [&](std::uint32_t band) {
    const std::uint32_t begin = band * detail::kBandRows, end = std::min(height, begin + detail::kBandRows);
    std::vector<float> nearest(std::size_t{end - begin} * width, -std::numeric_limits<float>::infinity());
    for (const std::uint32_t i : bins[band])
      detail::fill(vertices, triangles[i], width, begin, end, color, std::span(nearest), shade);
  });
}

}  // namespace assetc::render
