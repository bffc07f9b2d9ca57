#include "mesh/cluster/patch.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

#include "mesh/cluster/heap.hpp"
#include "mesh/cluster/numbering.hpp"
#include "mesh/cluster/patch_distance.hpp"
#include "mesh/cluster/patch_frame.hpp"
#include "mesh/cluster/quadric.hpp"

namespace assetc::mesh::cluster {
namespace {

constexpr std::uint32_t kNil = 0xFFFFFFFF;
// A normal or color that changes by 1 costs as much as a movement by this part of an edge of the patch.
constexpr float kShadingWeight = 0.06f;
// Of the plane through an open border or a seam, relative to the squared length of its edge.
constexpr float kBorderWeight = 4.0f, kSeamWeight = 0.5f;
// The least cosine between the normals of a triangle before and after a movement.
constexpr float kLeastCosine = 0.25f;
// The least height of a triangle, relative to its longest edge at the moving point. Lower ones could turn over unseen.
constexpr float kLeastHeight = 1e-4f;
// A point of more triangles stays, so that the time of a patch stays linear. Its neighbors may move onto it.
constexpr std::size_t kMaxDegree = 64;
constexpr std::size_t kMaxCandidates = 2 * kMaxDegree;
// Vertices at one point continue each other's texture if their coordinates differ by at most this many edges.
constexpr float kContinuousTexture = 2.0f;

}  // namespace

// A wedge is a vertex of the patch; a point is a position of the patch, which wedges share along seams.
template <std::size_t kLanes>
struct PatchSimplifier::Work {
  using Values = Attributes<kLanes>;

  static constexpr std::uint32_t kNoCorner = kNil;
  static std::uint32_t next_corner(std::uint32_t c) { return c % 3 == 2 ? c - 2 : c + 1; }
  static std::uint32_t previous_corner(std::uint32_t c) { return c % 3 == 0 ? c + 2 : c - 1; }

  // The wedges of a point, and the wedges of another point that they become.
  struct Mapping {
    std::array<std::uint32_t, kMaxDegree> from, to;
    std::size_t count = 0;
    std::uint32_t operator()(std::uint32_t old) const {
      for (std::size_t i = 0; i < count; ++i) {
        if (from[i] == old) return to[i];
      }
      return kNil;
    }
  };

  Numbering number_of_vertex, number_of_point;
  // By wedge.
  std::vector<std::uint32_t> vertex, point;
  std::vector<Values> values;  // scaled by the weights of this patch
  std::vector<Joint<kLanes>> joint;
  std::vector<Quadric<kLanes>> quadric;
  // By point.
  std::vector<scene::Vec3> position;
  std::vector<std::uint8_t> locked, border;
  std::vector<std::uint8_t> seam;     // it has had more than one wedge
  std::vector<std::uint32_t> degree;  // living triangles
  std::vector<std::uint32_t> first;   // a corner, kNil: none
  std::vector<std::uint32_t> target;  // the best neighbor, or the point that it moved onto
  std::vector<std::uint8_t> moved;
  std::vector<std::uint32_t> stamp;
  std::uint32_t now = 0;
  // By corner.
  std::vector<std::uint32_t> wedge, next;
  // By triangle.
  std::vector<std::uint8_t> alive;
  std::size_t alive_count = 0;
  Heap heap;
  bool keep_topology = true;
  float texcoord_scale = 0;  // of this patch's values
  std::size_t texcoord_lane = 0;
  PatchFrame<kLanes> frame;
  std::vector<std::uint32_t> sample_triangles;  // of each sample of measure() the nearest triangle; kNil: unknown

  // --- set up ---

  void load(const Surface& surface, const PatchInput& input) {
    const std::size_t corners = input.indices.size();
    number_of_vertex.reset(corners);
    number_of_point.reset(corners);
    wedge.resize(corners), next.resize(corners);
    vertex.clear(), point.clear(), position.clear(), locked.clear(), first.clear();
    scene::Vec3 low = surface.positions[input.indices[0]], high = low;
    for (std::size_t c = 0; c < corners; ++c) {
      const std::uint32_t v = input.indices[c];
      const std::uint32_t w = number_of_vertex.of(v);
      wedge[c] = w;
      if (w < vertex.size()) continue;
      vertex.push_back(v);
      const std::uint32_t p = number_of_point.of(surface.points[v]);
      point.push_back(p);
      if (p < position.size()) continue;
      const scene::Vec3 at = surface.positions[v];
      position.push_back(at);
      locked.push_back(input.locked[surface.points[v]]);
      low = {std::min(low.x, at.x), std::min(low.y, at.y), std::min(low.z, at.z)};
      high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
    }
    frame.set_box(low, high);
    for (scene::Vec3& p : position) p = frame.place(p);

    alive.assign(corners / 3, 1);
    alive_count = corners / 3;
    link();
    load_values(surface, input);
    load_quadrics(input);
  }

  void link() {
    first.assign(position.size(), kNil);
    target.assign(position.size(), kNil);
    moved.assign(position.size(), 0);
    border.assign(position.size(), 0);
    seam.assign(position.size(), 0);
    degree.assign(position.size(), 0);
    stamp.assign(position.size(), 0);
    now = 0;
    for (std::uint32_t c = static_cast<std::uint32_t>(wedge.size()); c-- > 0;) {
      const std::uint32_t p = point[wedge[c]];
      if (first[p] != kNil && wedge[first[p]] != wedge[c]) seam[p] = 1;
      next[c] = first[p], first[p] = c;
      ++degree[p];
    }
    for (std::uint32_t t = 0; t < alive.size(); ++t) {
      const std::uint32_t a = at(3 * t), b = at(3 * t + 1), c = at(3 * t + 2);
      if (a == b || b == c || a == c) kill(t);
    }
  }
  void kill(std::uint32_t t) {
    alive[t] = 0, --alive_count;
    for (std::uint32_t c = 3 * t; c < 3 * t + 3; ++c) --degree[at(c)];
  }
  std::uint32_t at(std::uint32_t corner) const { return point[wedge[corner]]; }

  void load_values(const Surface& surface, const PatchInput& input) {
    float edges = 0, texture_edges = 0;
    for (std::uint32_t c = 0; c < wedge.size(); ++c) {
      const std::uint32_t d = next_corner(c);
      edges += scene::length(position[at(c)] - position[at(d)]);
      if (surface.texcoords.empty()) continue;
      const scene::Vec2 a = surface.texcoords[input.indices[c]], b = surface.texcoords[input.indices[d]];
      texture_edges += std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
    }
    const float shading = kShadingWeight * edges / static_cast<float>(wedge.size());
    texcoord_scale = texture_edges > 0 ? edges / texture_edges : 0;
    texcoord_lane = surface.normals.empty() ? 0 : 3;
    frame.set_vertices(surface, vertex);
    values.resize(vertex.size());
    joint.resize(vertex.size());
    for (std::uint32_t w = 0; w < vertex.size(); ++w) {
      joint[w] = frame.joint_of(surface, vertex[w]);
      if constexpr (kLanes > 0) values[w] = frame.values_of(surface, vertex[w], {shading, texcoord_scale, shading});
    }
  }

  void load_quadrics(const PatchInput& input) {
    quadric.assign(vertex.size(), {});
    for (std::uint32_t t = 0; t < alive.size(); ++t) {
      if (!alive[t]) continue;
      const std::array<std::uint32_t, 3> w = {wedge[3 * t], wedge[3 * t + 1], wedge[3 * t + 2]};
      const std::array<scene::Vec3, 3> p = {position[point[w[0]]], position[point[w[1]]], position[point[w[2]]]};
      const auto q = triangle_quadric<kLanes>(p, {values[w[0]], values[w[1]], values[w[2]]});
      for (const std::uint32_t corner : w) quadric[corner] += q;
      for (std::uint32_t i = 0; i < 3; ++i) add_edge(input, 3 * t + i);
    }
  }

  // Holds an edge in its plane perpendicular to the triangle if it is a border or a seam.
  void add_edge(const PatchInput& input, std::uint32_t c) {
    const std::uint32_t d = next_corner(c), p = at(c), q = at(d);
    if (locked[p] && locked[q]) return;
    float weight = kBorderWeight;
    bool open = true;
    for (std::uint32_t other = first[q]; other != kNil; other = next[other]) {
      if (!alive[other / 3] || at(next_corner(other)) != p) continue;
      open = false;
      const bool smooth = wedge[other] == wedge[d] && wedge[next_corner(other)] == wedge[c];
      const bool same_material = input.materials.empty() || input.materials[other / 3] == input.materials[c / 3];
      weight = smooth && same_material ? 0 : kSeamWeight;
      break;
    }
    if (open) border[p] = border[q] = 1;
    if (weight == 0) return;
    const scene::Vec3 a = position[p], b = position[q], apex = position[at(previous_corner(c))];
    const scene::Vec3 edge = b - a;
    const float length2 = scene::dot(edge, edge);
    const scene::Vec3 normal = scene::normalize_or(scene::cross(edge, scene::cross(edge, apex - a)), {0, 0, 0});
    for (const std::uint32_t w : {wedge[c], wedge[d]}) {
      quadric[w].add_plane(normal, -scene::dot(normal, a), weight * length2);
    }
  }

  // --- costs ---

  // Calls visit(corner) for each corner of a living triangle at the point.
  template <class Visit>
  void for_corners(std::uint32_t p, const Visit& visit) const {
    for (std::uint32_t c = first[p]; c != kNil; c = next[c]) {
      if (alive[c / 3]) visit(c);
    }
  }

  static float normalized(float cost, float weight) { return weight > 0 ? std::max(cost, 0.0f) / weight : 0; }

  // An interior point with one wedge, the usual case: it may move along any edge.
  bool is_simple(std::uint32_t p) const { return !border[p] && !seam[p]; }

  // Which wedges of q the wedges of p become. False: p cannot move there.
  bool map(std::uint32_t p, std::uint32_t q, Mapping& mapping) const {
    mapping.count = 0;
    std::size_t edge_triangles = 0;
    bool fits = true;
    for_corners(p, [&](std::uint32_t c) {
      std::size_t i = 0;
      while (i < mapping.count && mapping.from[i] != wedge[c]) ++i;
      if (i == mapping.count) {
        if (i == kMaxDegree) {
          fits = false;
          return;
        }
        mapping.from[i] = wedge[c], mapping.to[i] = kNil, ++mapping.count;
      }
      for (const std::uint32_t d : {next_corner(c), previous_corner(c)}) {
        if (at(d) == q) mapping.to[i] = wedge[d], ++edge_triangles;
      }
    });
    if (!fits || (border[p] && edge_triangles != 1)) return false;
    for (std::size_t i = 0; i < mapping.count; ++i) {
      if (mapping.to[i] == kNil && !nearest(mapping.from[i], q, mapping.to[i])) return false;
    }
    return true;
  }

  // The wedge of q whose attributes are nearest to the wedge's. False: its texture does not continue there.
  bool nearest(std::uint32_t from, std::uint32_t q, std::uint32_t& to) const {
    float least = std::numeric_limits<float>::infinity();
    for_corners(q, [&](std::uint32_t c) {
      float difference = 0;
      for (std::size_t i = 0; i < kLanes; ++i) {
        const Lanes d = values[wedge[c]][i] - values[from][i];
        difference += sum(d * d);
      }
      if (difference < least) least = difference, to = wedge[c];
    });
    if constexpr (kLanes > 0) {
      if (to != kNil && texcoord_scale > 0) {
        float difference = 0;
        for (std::size_t n = texcoord_lane; n < texcoord_lane + 2; ++n) {
          const float d = values[to][n / 4][n % 4] - values[from][n / 4][n % 4];
          difference += d * d;
        }
        const scene::Vec3 edge = position[q] - position[point[from]];
        if (difference > kContinuousTexture * kContinuousTexture * scene::dot(edge, edge)) return false;
      }
    }
    return to != kNil;
  }

  float cost(std::uint32_t q, const Mapping& mapping) const {
    float total = 0, weight = 0;
    for (std::size_t i = 0; i < mapping.count; ++i) {
      total += quadric[mapping.from[i]].cost(position[q], values[mapping.to[i]]);
      weight += quadric[mapping.from[i]].weight;
    }
    return normalized(total, weight);
  }
  // Of a simple point along the edge from corner c.
  float simple_cost(std::uint32_t c, std::uint32_t d) const {
    const Quadric<kLanes>& q = quadric[wedge[c]];
    return normalized(q.cost(position[at(d)], values[wedge[d]]), q.weight);
  }

  // Calls visit(neighbor, cost) for each neighbor that p can move onto.
  template <class Visit>
  void for_candidates(std::uint32_t p, const Visit& visit) const {
    if (degree[p] > kMaxDegree) return;
    if (is_simple(p)) {
      for_corners(p, [&](std::uint32_t c) { visit(at(next_corner(c)), simple_cost(c, next_corner(c))); });
      return;
    }
    std::array<std::uint32_t, kMaxCandidates> seen;
    std::size_t count = 0;
    Mapping mapping;
    for_corners(p, [&](std::uint32_t c) {
      for (const std::uint32_t d : {next_corner(c), previous_corner(c)}) {
        const std::uint32_t q = at(d);
        const auto end = seen.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::find(seen.begin(), end, q) != end) continue;
        seen[count++] = q;
        if (map(p, q, mapping)) visit(q, cost(q, mapping));
      }
    });
  }

  // Finds the cheapest neighbor of p. check: only neighbors onto which it may move.
  void choose(std::uint32_t p, bool check) {
    if (locked[p] || moved[p]) return;
    float least = std::numeric_limits<float>::infinity();
    std::uint32_t best = kNil;
    for_candidates(p, [&](std::uint32_t q, float value) {
      if (value < least && !(check && !may_move(p, q))) least = value, best = q;
    });
    target[p] = best;
    if (best == kNil) {
      heap.remove(p);
    } else {
      heap.set(p, least);
    }
  }

  // Whether the cross product of two edges, of this squared length, is so short that rounding decides where it points.
  static bool is_needle(float cross2, scene::Vec3 a, scene::Vec3 b) {
    const float longest2 = std::max(scene::dot(a, a), scene::dot(b, b));
    return cross2 < kLeastHeight * kLeastHeight * longest2 * longest2;
  }
  // Whether no triangle flips and, while the topology is kept, the edge is not the end of a tunnel.
  bool may_move(std::uint32_t p, std::uint32_t q) {
    const scene::Vec3 from = position[p], to = position[q];
    bool fine = true;
    std::size_t edge_triangles = 0;
    for_corners(p, [&](std::uint32_t c) {
      const std::uint32_t a = at(next_corner(c)), b = at(previous_corner(c));
      if (a == q || b == q) {
        ++edge_triangles;
        return;
      }
      const scene::Vec3 before = scene::cross(position[a] - from, position[b] - from);
      const scene::Vec3 after = scene::cross(position[a] - to, position[b] - to);
      const float before2 = scene::dot(before, before), after2 = scene::dot(after, after);
      const float both = scene::dot(before, after);
      if (before2 > 0 && !(both > 0 && both * both > kLeastCosine * kLeastCosine * before2 * after2)) fine = false;
      if (is_needle(after2, position[a] - to, position[b] - to) &&
          !is_needle(before2, position[a] - from, position[b] - from))
        fine = false;
    });
    if (!fine || alive_count <= edge_triangles) return false;
    if (!keep_topology) return true;
    // Points next to both: one for each triangle of the edge.
    ++now;
    for_corners(p, [&](std::uint32_t c) { stamp[at(next_corner(c))] = stamp[at(previous_corner(c))] = now; });
    std::size_t shared = 0;
    const std::uint32_t counted = ++now;
    for_corners(q, [&](std::uint32_t c) {
      for (const std::uint32_t d : {next_corner(c), previous_corner(c)}) {
        std::uint32_t& mark = stamp[at(d)];
        if (mark == counted - 1) mark = counted, ++shared;
      }
    });
    return shared == edge_triangles;
  }

  // --- moving points ---

  void move(std::uint32_t p, std::uint32_t q) {
    Mapping mapping;
    if (!map(p, q, mapping)) {
      heap.remove(p);
      return;
    }
    for (std::size_t i = 0; i < mapping.count; ++i) quadric[mapping.to[i]] += quadric[mapping.from[i]];
    for (std::uint32_t c = first[p]; c != kNil;) {
      const std::uint32_t after = next[c];
      if (alive[c / 3]) {
        if (at(next_corner(c)) == q || at(previous_corner(c)) == q) {
          kill(c / 3);
        } else {
          --degree[p], ++degree[q];
          wedge[c] = mapping(wedge[c]);
          next[c] = first[q], first[q] = c;
        }
      }
      c = after;
    }
    first[p] = kNil;
    moved[p] = 1, target[p] = q;
    heap.remove(p);
    if (border[p]) border[q] = 1;
    update_around(p, q);
  }

  // After p moved onto q.
  void update_around(std::uint32_t p, std::uint32_t q) {
    choose(q, false);
    const std::uint32_t mark = ++now;
    for_corners(q, [&](std::uint32_t c) {
      for (const std::uint32_t d : {next_corner(c), previous_corner(c)}) {
        const std::uint32_t r = at(d);
        if (stamp[r] == mark) continue;
        stamp[r] = mark;
        if (locked[r]) continue;
        if (target[r] == p || target[r] == q || !heap.contains(r) || !is_simple(r)) {
          choose(r, false);
        } else {
          const float value = simple_cost(d, c);
          if (value < heap.cost(r)) target[r] = q, heap.set(r, value);
        }
      }
    });
  }

  void reduce(std::size_t target_triangles) {
    heap.reset(position.size());
    for (const bool keep : {true, false}) {
      keep_topology = keep;
      for (std::uint32_t p = 0; p < position.size() && alive_count > target_triangles; ++p) choose(p, false);
      while (alive_count > target_triangles && !heap.empty()) {
        const std::uint32_t p = heap.top(), q = target[p];
        if (may_move(p, q)) {
          move(p, q);
        } else {
          choose(p, true);
        }
      }
    }
  }

  Blocked blocked() const {
    Blocked result;
    for (std::uint32_t p = 0; p < position.size(); ++p) {
      if (moved[p] || degree[p] == 0) continue;
      bool fits = false;
      if (locked[p]) {
        ++result.locked;
      } else if (degree[p] > kMaxDegree) {
        ++result.crowded;
      } else {
        for_candidates(p, [&](std::uint32_t, float) { fits = true; });
        ++(fits ? result.folds : result.texture);
      }
    }
    return result;
  }

  // --- error ---

  // The largest distance of a removed vertex or a sample from the surface. Appends both to samples.
  float measure(const Surface& surface, const PatchInput& input, std::vector<Sample>& samples) {
    using Nearest = PatchDistance<kLanes, Work>::Nearest;
    const PatchDistance<kLanes, Work> distances(*this);
    sample_triangles.clear();
    const float extent = frame.extent();
    // Samples are mostly farther away than what was just removed: first them, so that more searches end early.
    float largest = 0;
    for (const Sample& sample : input.samples) {
      const Joint<kLanes> p = frame.joint_of(surface, sample.vertex);
      const std::uint32_t anchor = number_of_vertex.find(sample.anchor);
      assert(anchor != Numbering::kUnknown);
      const std::uint32_t end = distances.walk(p, end_of(point[anchor]));
      const Nearest nearest = distances.to_surface(p, end, largest);
      const float distance = std::sqrt(nearest.distance2);
      largest = std::max(largest, distance);
      add_sample(sample.vertex, nearest.triangle, anchor_at(end, sample.anchor), distance * extent, samples);
    }
    for (std::uint32_t w = 0; w < vertex.size(); ++w) {
      if (!moved[point[w]]) continue;
      const std::uint32_t end = end_of(point[w]);
      auto nearest = border[point[w]] ? distances.to_border(joint[w], end) : Nearest();
      if (!std::isfinite(nearest.distance2)) nearest = distances.to_surface(joint[w], end, largest);
      const float distance = std::sqrt(nearest.distance2);
      largest = std::max(largest, distance);
      add_sample(vertex[w], nearest.triangle, anchor_at(end, vertex[w]), distance * extent, samples);
    }
    return largest * extent;
  }
  // triangle: the nearest one, kNil: unknown; its first corner is the anchor, instead of `anchor`.
  void add_sample(std::uint32_t of, std::uint32_t triangle, std::uint32_t anchor, float distance,
                  std::vector<Sample>& samples) {
    sample_triangles.push_back(triangle);
    samples.push_back({of, triangle == kNil ? anchor : vertex[wedge[3 * triangle]], distance});
  }
  std::uint32_t end_of(std::uint32_t p) {
    std::uint32_t end = p;
    while (moved[end]) end = target[end];
    if (moved[p]) target[p] = end;
    return end;
  }
  // A vertex at the point, or other if the point has no triangle left.
  std::uint32_t anchor_at(std::uint32_t p, std::uint32_t other) const {
    for (std::uint32_t c = first[p]; c != kNil; c = next[c]) {
      if (alive[c / 3]) return vertex[wedge[c]];
    }
    return other;
  }
};

template <std::size_t kLanes>
void PatchSimplifier::run(Work<kLanes>& work, const Surface& surface, const PatchInput& input) {
  work.load(surface, input);
  const std::size_t target = std::max<std::size_t>(input.target_triangles, 1);
  work.reduce(target);
  blocked_ = work.alive_count > target + target / 2 ? work.blocked() : Blocked();
  error_ = std::max(input.error, kSampleMargin * work.measure(surface, input, samples_));
  // Numbers of triangles among those that are left.
  std::vector<std::uint32_t>& numbers = work.first;
  numbers.assign(work.alive.size(), kNil);
  for (std::uint32_t t = 0; t < work.alive.size(); ++t) {
    if (!work.alive[t]) continue;
    numbers[t] = static_cast<std::uint32_t>(indices_.size() / 3);
    for (std::uint32_t i = 0; i < 3; ++i) indices_.push_back(work.vertex[work.wedge[3 * t + i]]);
    if (!input.materials.empty()) materials_.push_back(input.materials[t]);
  }
  for (const std::uint32_t t : work.sample_triangles) sample_triangles_.push_back(t == kNil ? kNil : numbers[t]);
}

PatchSimplifier::PatchSimplifier() = default;
PatchSimplifier::~PatchSimplifier() = default;

void PatchSimplifier::simplify(const Surface& whole, const PatchInput& input) {
  assert(!input.indices.empty() && input.indices.size() % 3 == 0);
  indices_.clear();
  materials_.clear();
  samples_.clear();
  sample_triangles_.clear();
  Surface surface = whole;
  if (surface.skin != nullptr || surface.shapes != nullptr) {
    std::vector<std::uint32_t> vertices(input.indices.begin(), input.indices.end());
    for (const Sample& sample : input.samples) vertices.push_back(sample.vertex);
    if (surface.skin != nullptr && surface.skin->is_rigid(vertices)) surface.skin = nullptr;
    if (surface.shapes != nullptr && surface.shapes->is_still(vertices)) surface.shapes = nullptr;
  }
  const auto with = [&](auto& work) {
    if (!work) work = std::make_unique<typename std::remove_cvref_t<decltype(work)>::element_type>();
    run(*work, surface, input);
  };
  const std::size_t count = (surface.normals.empty() ? 0 : 3) + (surface.texcoords.empty() ? 0 : 2) +
                            (surface.colors.empty() ? 0 : 4) +
                            (surface.skin == nullptr && surface.shapes == nullptr ? 0 : kSkinDimensions);
  if (count == 0) return with(none_);
  if (count <= 4) return with(one_);
  if (count <= 8) return with(two_);
  if (count <= 12) return with(three_);
  if (count <= 20) return with(five_);
  with(six_);
}

}  // namespace assetc::mesh::cluster
