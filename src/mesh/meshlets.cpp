#include "mesh/meshlets.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "mesh/bounds.hpp"
#include "mesh/chunks.hpp"

// A meshlet grows from a first triangle. The next triangle always shares an edge with the meshlet, chosen in this
// order:
// 1. A triangle whose three vertices are all in the meshlet already: it costs nothing.
// 2. A triangle that would otherwise be the last one left at a vertex: alone it would later cost a meshlet three
//    vertices.
// 3. The triangle that is nearest to the middle and faces most nearly the same direction.
//
// The candidates of 3 are stored by component, so that a few vector instructions score all of them. A triangle becomes
// a candidate once, when its second vertex joins the meshlet.

namespace assetc::mesh {
namespace {

using scene::Vec3;

constexpr std::uint32_t kNone = 0xFFFFFFFF;

class Grower {
 public:
  Grower(std::span<const std::uint32_t> indices, std::span<const Vec3> positions, const MeshletLimits& limits,
         Meshlets& out)
      : indices_(indices), positions_(positions), limits_(limits), out_(out) {
    const std::size_t triangles = indices.size() / 3, vertices = positions.size();
    entered_.assign(triangles, 0);
    frontier_place_.assign(triangles, kNone);
    local_.assign(vertices, kOutside);
    build_fans(vertices);
    build_centers(triangles);
    build_curve(triangles);
    out_.triangles.reserve(triangles);
    out_.vertices.reserve(triangles * 3 / 4);
    out_.meshlets.reserve(triangles / limits.max_triangles * 3 / 2 + 1);
  }

  void run() {
    const std::size_t triangles = indices_.size() / 3;
    place(0);
    for (std::size_t placed = 1; placed < triangles; ++placed) {
      std::uint32_t next = best_neighbor();
      bool away = false;
      if (next == kNone) {
        // Meshes of many small pieces should get full meshlets too, but no meshlet should span half of the mesh.
        next = nearest();
        away = triangle_count_ * 4 >= limits_.max_triangles && is_far(next);
      }
      if (away || !fits(next)) {
        const std::uint32_t start = away ? next : best_start();
        next = start != kNone ? start : nearest();
        finish();
      }
      place(next);
    }
    finish();
  }

 private:
  struct CurveItem {
    std::uint32_t code, triangle;
  };

  static constexpr std::uint16_t kOutside = 0xFFFF;
  static constexpr std::uint8_t kPlaced = 0xFF;  // in entered_; other values are counts of vertices in the meshlet

  void build_fans(std::size_t vertices) {
    fan_begin_.assign(vertices + 1, 0);
    live_.assign(vertices, 0);
    for (std::uint32_t v : indices_) ++live_[v];
    std::uint32_t sum = 0;
    for (std::size_t v = 0; v < vertices; ++v) {
      fan_begin_[v] = sum;
      sum += live_[v];
      live_[v] = 0;
    }
    fans_ = std::make_unique_for_overwrite<std::uint32_t[]>(indices_.size());
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const std::uint32_t v = indices_[i];
      fans_[fan_begin_[v] + live_[v]++] = static_cast<std::uint32_t>(i / 3);
    }
  }

  void build_centers(std::size_t triangles) {
    centers_ = std::make_unique_for_overwrite<Vec3[]>(triangles);
    normals_ = std::make_unique_for_overwrite<Vec3[]>(triangles);
    double area = 0;
    for (std::size_t t = 0; t < triangles; ++t) {
      const Vec3 a = positions_[indices_[t * 3]], b = positions_[indices_[t * 3 + 1]],
                 c = positions_[indices_[t * 3 + 2]];
      const Vec3 n = scene::cross(b - a, c - a);
      const float length = scene::length(n);
      const bool usable = length > 0 && length <= std::numeric_limits<float>::max();
      centers_[t] = a * (1.0f / 3) + b * (1.0f / 3) + c * (1.0f / 3);
      normals_[t] = n * (usable ? 1.0f / length : 0.0f);
      area += usable ? length * 0.5f : 0.0f;
    }
    // The radius of a round meshlet of triangles of average size.
    const double radius =
        std::sqrt(area / static_cast<double>(std::max<std::size_t>(triangles, 1)) * limits_.max_triangles) * 0.5;
    expected_radius_ = static_cast<float>(radius);
    distance_scale_ = radius > 0 ? static_cast<float>((1 - limits_.cone_weight) / radius) : 0.0f;
    if (!std::isfinite(distance_scale_)) distance_scale_ = 0;
  }

  // Sorts triangles along a Z-order curve through their centers, to find one near a given point.
  void build_curve(std::size_t triangles) {
    Vec3 low = centers_[0], high = low;
    for (std::size_t t = 1; t < triangles; ++t) {
      const Vec3 p = centers_[t];
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const Vec3 size = high - low;
    curve_low_ = low;
    curve_scale_ = 1023.0f / std::max({size.x, size.y, size.z});
    if (!std::isfinite(curve_scale_)) curve_scale_ = 0;
    curve_.resize(triangles);
    for (std::size_t t = 0; t < triangles; ++t) curve_[t] = {curve_code(centers_[t]), static_cast<std::uint32_t>(t)};
    sort_curve();
    // Links that skip runs of placed triangles; following a link shortens it. 0 and triangles + 1 are the ends.
    after_.resize(triangles + 2);
    before_.resize(triangles + 2);
    place_on_curve_.resize(triangles);
    for (std::uint32_t i = 0; i < triangles + 2; ++i) after_[i] = before_[i] = i;
    for (std::uint32_t i = 0; i < triangles; ++i) place_on_curve_[curve_[i].triangle] = i + 1;
  }
  std::uint32_t curve_code(Vec3 p) const {
    const auto spread = [](float v) {
      auto x = static_cast<std::uint32_t>(std::clamp(v, 0.0f, 1023.0f));
      x = (x | x << 16) & 0x030000FF;
      x = (x | x << 8) & 0x0300F00F;
      x = (x | x << 4) & 0x030C30C3;
      return (x | x << 2) & 0x09249249;
    };
    const Vec3 q = (p - curve_low_) * curve_scale_;
    return spread(q.x) | spread(q.y) << 1 | spread(q.z) << 2;
  }
  // Sorts by code, stably, with two passes of a radix sort over 30 bits.
  void sort_curve() {
    constexpr std::size_t kRadix = 1u << 15;
    std::vector<CurveItem> other(curve_.size());
    std::vector<std::uint32_t> offsets(kRadix);
    for (unsigned shift : {0u, 15u}) {
      std::fill(offsets.begin(), offsets.end(), 0);
      for (const CurveItem& item : curve_) ++offsets[(item.code >> shift) % kRadix];
      std::uint32_t sum = 0;
      for (std::uint32_t& offset : offsets) sum += std::exchange(offset, sum);
      for (const CurveItem& item : curve_) other[offsets[(item.code >> shift) % kRadix]++] = item;
      curve_.swap(other);
    }
  }

  // The first position at or after i, along links, whose triangle is not placed yet.
  static std::uint32_t follow(std::vector<std::uint32_t>& links, std::uint32_t i) {
    while (links[i] != i) {
      links[i] = links[links[i]];
      i = links[i];
    }
    return i;
  }
  // A triangle that is not placed yet, near the middle of the meshlet: the nearest among a few on both sides of that
  // position on the curve. Requires that one is left.
  std::uint32_t nearest() {
    constexpr int kLooks = 24;
    const Vec3 center = center_sum_ * (1.0f / static_cast<float>(std::max(triangle_count_, 1u)));
    const std::uint32_t code = curve_code(center);
    const auto at = std::lower_bound(curve_.begin(), curve_.end(), code,
                                     [](const CurveItem& a, std::uint32_t c) { return a.code < c; });
    const auto middle = static_cast<std::uint32_t>(at - curve_.begin());
    const auto end = static_cast<std::uint32_t>(curve_.size() + 1);
    std::uint32_t best = kNone;
    float least = 0;
    const auto look = [&](std::uint32_t i) {
      const std::uint32_t t = curve_[i - 1].triangle;
      const Vec3 d = centers_[t] - center;
      const float distance2 = scene::dot(d, d);
      if (best == kNone || distance2 < least) {
        least = distance2;
        best = t;
      }
    };
    std::uint32_t i = follow(after_, middle + 1);
    for (int n = 0; n < kLooks && i < end; ++n, i = follow(after_, i + 1)) look(i);
    i = follow(before_, middle);
    for (int n = 0; n < kLooks && i > 0; ++n, i = follow(before_, i - 1)) look(i);
    return best;
  }

  std::uint32_t new_vertices(std::uint32_t t) const {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t v = indices_[t * 3 + i];
      bool repeated = false;
      for (std::size_t j = 0; j < i; ++j) repeated |= indices_[t * 3 + j] == v;
      count += local_[v] == kOutside && !repeated;
    }
    return count;
  }
  bool fits(std::uint32_t t) const {
    return members_.size() + new_vertices(t) <= limits_.max_vertices && triangle_count_ < limits_.max_triangles;
  }

  // Whether the triangle is too far away to share a bounding sphere with the meshlet.
  bool is_far(std::uint32_t t) const {
    const Vec3 center = center_sum_ * (1.0f / static_cast<float>(triangle_count_));
    return !(scene::length(centers_[t] - center) <= 4 * expected_radius_);
  }

  std::uint32_t best_neighbor() {
    while (!free_.empty()) {
      const std::uint32_t t = free_.back();
      free_.pop_back();
      if (entered_[t] != kPlaced) return t;
    }
    while (!urgent_.empty()) {
      const std::uint32_t t = urgent_.back();
      urgent_.pop_back();
      if (entered_[t] != kPlaced) return t;
    }
    if (frontier_.empty()) return kNone;

    const float inverse = 1.0f / static_cast<float>(triangle_count_);
    const Vec3 center = center_sum_ * inverse;
    const Vec3 axis = scene::normalize_or(normal_sum_, {0, 0, 0});
    const float weight = limits_.cone_weight, scale = distance_scale_;
    const std::size_t count = frontier_.size();
    const float *x = fx_.data(), *y = fy_.data(), *z = fz_.data(), *nx = fnx_.data(), *ny = fny_.data(),
                *nz = fnz_.data();
    float* score = score_.data();
    for (std::size_t i = 0; i < count; ++i) {
      const float dx = x[i] - center.x, dy = y[i] - center.y, dz = z[i] - center.z;
      const float facing = nx[i] * axis.x + ny[i] * axis.y + nz[i] * axis.z;
      const float turn = std::max(1.0f - weight * facing, 1e-3f);
      score[i] = (1.0f + std::sqrt(dx * dx + dy * dy + dz * dz) * scale) * turn;
    }
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (score[i] < score[best]) best = i;
    }
    return frontier_[best];
  }

  // The start of the next meshlet: next to this one, the triangle with the fewest unplaced neighbors.
  std::uint32_t best_start() const {
    std::uint32_t best = kNone, least = std::numeric_limits<std::uint32_t>::max();
    for (std::uint32_t t : frontier_) {
      const std::uint32_t around = live_[indices_[t * 3]] + live_[indices_[t * 3 + 1]] + live_[indices_[t * 3 + 2]];
      if (around < least) {
        least = around;
        best = t;
      }
    }
    return best;
  }

  void place(std::uint32_t t) {
    entered_[t] = kPlaced;
    ++after_[place_on_curve_[t]];
    --before_[place_on_curve_[t]];
    leave_frontier(t);
    for (std::size_t i = 0; i < 3; ++i) remove_from_fan(indices_[t * 3 + i], t);
    hmesh::MeshletTriangle triangle;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t v = indices_[t * 3 + i];
      if (local_[v] == kOutside) enter(v);
      triangle.corners[i] = static_cast<std::uint8_t>(local_[v]);
    }
    out_.triangles.push_back(triangle);
    ++triangle_count_;
    center_sum_ = center_sum_ + centers_[t];
    normal_sum_ = normal_sum_ + normals_[t];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t v = indices_[t * 3 + i];
      if (live_[v] == 1) {
        const std::uint32_t lonely = fans_[fan_begin_[v]];
        if (entered_[lonely] == 2) urgent_.push_back(lonely);
      }
    }
  }

  void remove_from_fan(std::uint32_t v, std::uint32_t t) {
    std::uint32_t* fan = fans_.get() + fan_begin_[v];
    const std::uint32_t count = live_[v];
    for (std::uint32_t i = 0; i < count; ++i) {
      if (fan[i] != t) continue;
      fan[i] = fan[count - 1];
      --live_[v];
      return;
    }
  }

  void enter(std::uint32_t v) {
    local_[v] = static_cast<std::uint16_t>(members_.size());
    members_.push_back(v);
    const std::uint32_t* fan = fans_.get() + fan_begin_[v];
    for (std::uint32_t i = 0; i < live_[v]; ++i) {
      const std::uint32_t t = fan[i];
      const std::uint8_t count = ++entered_[t];
      if (count == 1) {
        touched_.push_back(t);
      } else if (count == 2) {
        enter_frontier(t);
      } else if (count == 3) {
        free_.push_back(t);
      }
    }
  }

  void enter_frontier(std::uint32_t t) {
    if (frontier_place_[t] != kNone) return;
    frontier_place_[t] = static_cast<std::uint32_t>(frontier_.size());
    frontier_.push_back(t);
    if (frontier_.size() > fx_.size()) {
      for (auto* array : {&fx_, &fy_, &fz_, &fnx_, &fny_, &fnz_, &score_}) array->resize(frontier_.size() * 2 + 64);
    }
    set_frontier(frontier_.size() - 1, t);
  }
  void set_frontier(std::size_t i, std::uint32_t t) {
    fx_[i] = centers_[t].x, fy_[i] = centers_[t].y, fz_[i] = centers_[t].z;
    fnx_[i] = normals_[t].x, fny_[i] = normals_[t].y, fnz_[i] = normals_[t].z;
  }
  void leave_frontier(std::uint32_t t) {
    const std::uint32_t place = frontier_place_[t];
    if (place == kNone) return;
    frontier_place_[t] = kNone;
    const std::uint32_t last = frontier_.back();
    frontier_.pop_back();
    if (last == t) return;
    frontier_[place] = last;
    frontier_place_[last] = place;
    set_frontier(place, last);
  }

  void finish() {
    if (triangle_count_ == 0) return;
    out_.meshlets.push_back({static_cast<std::uint32_t>(out_.vertices.size()),
                             static_cast<std::uint32_t>(members_.size()),
                             static_cast<std::uint32_t>(out_.triangles.size() - triangle_count_), triangle_count_});
    out_.vertices.insert(out_.vertices.end(), members_.begin(), members_.end());
    for (std::uint32_t v : members_) local_[v] = kOutside;
    for (std::uint32_t t : touched_) {
      if (entered_[t] != kPlaced) entered_[t] = 0;
    }
    for (std::uint32_t t : frontier_) frontier_place_[t] = kNone;
    members_.clear();
    touched_.clear();
    frontier_.clear();
    free_.clear();
    urgent_.clear();
    center_sum_ = normal_sum_ = {};
    triangle_count_ = 0;
  }

  std::span<const std::uint32_t> indices_;
  std::span<const Vec3> positions_;
  const MeshletLimits& limits_;
  Meshlets& out_;
  float expected_radius_ = 0, distance_scale_ = 0;

  std::vector<std::uint32_t> fan_begin_, live_;  // the triangles of each vertex that are not placed yet
  std::unique_ptr<std::uint32_t[]> fans_;
  std::unique_ptr<Vec3[]> centers_, normals_;
  std::vector<std::uint8_t> entered_;
  std::vector<std::uint16_t> local_;

  std::vector<CurveItem> curve_;
  std::vector<std::uint32_t> after_, before_, place_on_curve_;
  Vec3 curve_low_;
  float curve_scale_ = 0;

  // State of the meshlet that is growing.
  std::vector<std::uint32_t> members_, touched_, free_, urgent_;
  std::vector<std::uint32_t> frontier_, frontier_place_;
  std::vector<float> fx_, fy_, fz_, fnx_, fny_, fnz_, score_;
  Vec3 center_sum_, normal_sum_;
  std::uint32_t triangle_count_ = 0;
};

// Meshoptimizer's sphere ignores triangles without area. This grows it to contain their vertices too. If the sphere
// contains them already, except for rounding, it is unchanged.
Sphere sphere_of(Sphere sphere, std::span<const std::uint32_t> vertices, std::span<const Vec3> positions) {
  if (sphere.radius == 0) {  // no triangle has an area
    std::vector<Vec3> points;
    for (const std::uint32_t v : vertices) points.push_back(positions[v]);
    return bounding_sphere(points);
  }
  constexpr float kRounding = 1e-5f;
  const Vec3 c = sphere.center;
  const float slack = kRounding * std::max({sphere.radius, std::fabs(c.x), std::fabs(c.y), std::fabs(c.z)});
  float radius = sphere.radius;
  for (const std::uint32_t v : vertices) radius = std::max(radius, scene::length(positions[v] - c));
  if (radius > sphere.radius + slack) sphere.radius = radius * (1 + 4 * std::numeric_limits<float>::epsilon());
  return sphere;
}

}  // namespace

Meshlets build_meshlets(std::span<const std::uint32_t> indices, std::span<const Vec3> positions,
                        const MeshletLimits& limits) {
  assert(limits.max_vertices >= 3 && limits.max_vertices <= 255 && limits.max_triangles >= 1 &&
         limits.max_triangles <= 255);
  Meshlets out;
  if (indices.empty()) return out;
  Grower(indices, positions, limits, out).run();
  out.vertices.shrink_to_fit();
  out.bounds.reserve(out.meshlets.size());
  for (const hmesh::Meshlet& m : out.meshlets) {
    std::uint32_t* vertices = out.vertices.data() + m.vertex_offset;
    auto* triangles = reinterpret_cast<unsigned char*>(out.triangles.data() + m.triangle_offset);
    meshopt_optimizeMeshlet(vertices, triangles, m.triangle_count, m.vertex_count);
    const meshopt_Bounds b = meshopt_computeMeshletBounds(vertices, triangles, m.triangle_count, &positions[0].x,
                                                          positions.size(), sizeof(Vec3));
    const Sphere sphere =
        sphere_of({{b.center[0], b.center[1], b.center[2]}, b.radius}, std::span(vertices, m.vertex_count), positions);
    // Squares of the areas of larger triangles exceed the range of a float, and the cone leaves such triangles out.
    constexpr float kMaxConeRadius = 1e9f;
    hmesh::MeshletBounds& bounds = out.bounds.emplace_back(
        hmesh::MeshletBounds{{sphere.center.x, sphere.center.y, sphere.center.z}, sphere.radius, {0, 0, 0}, 1});
    if (sphere.radius > kMaxConeRadius) continue;
    std::ranges::copy(b.cone_axis, bounds.cone_axis);
    bounds.cone_cutoff = b.cone_cutoff;
  }
  return out;
}

void order_by_meshlets(Meshlets& meshlets, std::span<std::uint32_t> indices, std::vector<std::uint32_t>& vertices) {
  for (const hmesh::Meshlet& m : meshlets.meshlets) {
    std::size_t at = std::size_t{m.triangle_offset} * 3;
    for (const hmesh::MeshletTriangle& t : std::span(meshlets.triangles).subspan(m.triangle_offset, m.triangle_count)) {
      for (const std::uint8_t corner : t.corners) indices[at++] = meshlets.vertices[m.vertex_offset + corner];
    }
  }
  std::vector<std::uint32_t> slots(vertices.size(), kNoSlot);
  const std::vector<std::uint32_t> order(indices.begin(), indices.end());
  const LocalMesh ordered = make_dense_local(order, slots);
  std::ranges::copy(ordered.indices, indices.begin());
  std::vector<std::uint32_t> reordered(vertices.size()), new_of(vertices.size());
  for (std::uint32_t v = 0; v < reordered.size(); ++v) {
    reordered[v] = vertices[ordered.vertices[v]];
    new_of[ordered.vertices[v]] = v;
  }
  vertices = std::move(reordered);
  for (std::uint32_t& v : meshlets.vertices) v = new_of[v];
}

}  // namespace assetc::mesh
