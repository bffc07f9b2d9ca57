#include "mesh/cluster/hierarchy.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/release.hpp"
#include "mesh/bounds.hpp"
#include "mesh/chunks.hpp"
#include "mesh/cluster/numbering.hpp"
#include "mesh/cluster/patch.hpp"
#include "mesh/cluster/split.hpp"
#include "mesh/cluster/thin.hpp"
#include "mesh/parallel.hpp"
#include "mesh/weld.hpp"
#include "parallel/parallel.hpp"

namespace assetc::mesh::cluster {
namespace {

// A group that keeps more of its triangles than this is grouped again in another way.
constexpr float kLeastReduction = 0.85f;
// After as many levels without progress, what is left is the root. Each level groups differently.
constexpr unsigned kPatience = 4;

// Clusters that are not yet in the hierarchy; their ranges count from the start of these vectors.
struct Pieces {
  std::vector<Cluster> clusters;
  std::vector<scene::Vec3> normals;  // of each cluster the mean
  std::vector<std::uint32_t> vertices;
  std::vector<std::array<std::uint8_t, 3>> triangles;
  std::vector<std::uint16_t> materials;
  std::vector<Sample> samples;             // cluster by cluster
  std::vector<std::uint32_t> sample_ends;  // of each cluster; empty: there are none
};

// Splits triangles into clusters. One for each thread: it keeps its buffers.
class Clusterer {
 public:
  Clusterer(const Surface& surface, const Options& options) : surface_(surface), options_(options) {}

  // Appends the clusters of all triangles. Then cluster_of_triangle() has their numbers in out.
  void run(std::span<const std::uint32_t> indices, std::span<const std::uint16_t> materials, Pieces& out) {
    const std::size_t count = indices.size() / 3;
    cluster_of_.resize(count);
    items_.resize(count);
    std::iota(items_.begin(), items_.end(), 0u);
    points_.resize(count);
    locate(indices, mean_edge(indices), points_);
    split_into(indices, materials, items_, points_, out);
  }
  std::span<const std::uint32_t> cluster_of_triangle() const { return cluster_of_; }

  // The points by which triangles are split: centroids, and normals scaled to kNormalReach edges, so that the two sides
  // of a thin part come into different clusters.
  void locate(std::span<const std::uint32_t> indices, float edge, std::span<SplitPoint> points) const {
    for (std::size_t t = 0; t < points.size(); ++t) {
      const auto [a, b, c] = corners(indices, t);
      const scene::Vec3 n = scene::normalize_or(scene::cross(b - a, c - a), {0, 0, 0}) * (kNormalReach * edge);
      const scene::Vec3 m = (a + b + c) * (1.0f / 3);
      points[t] = {m.x, m.y, m.z, n.x, n.y, n.z};
    }
  }

  // Appends the clusters of the triangles of items.
  void split_into(std::span<const std::uint32_t> indices, std::span<const std::uint16_t> materials,
                  std::span<std::uint32_t> items, std::span<const SplitPoint> points, Pieces& out) {
    const std::size_t parts = (items.size() + options_.max_triangles - 1) / options_.max_triangles;
    const auto ends = split(items, points, {.parts = parts, .max_size = options_.max_triangles});
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
      add(indices, materials, items.subspan(begin, end - begin), points, out);
      begin = end;
    }
  }

  // Appends a cluster, or several if the triangles have too many vertices.
  void add(std::span<const std::uint32_t> indices, std::span<const std::uint16_t> materials,
           std::span<std::uint32_t> items, std::span<const SplitPoint> points, Pieces& out) {
    std::ranges::sort(items);
    if (!materials.empty()) std::ranges::stable_sort(items, {}, [&](std::uint32_t t) { return materials[t]; });
    Cluster cluster = {.first_vertex = static_cast<std::uint32_t>(out.vertices.size()),
                       .first_triangle = static_cast<std::uint32_t>(out.triangles.size()),
                       .triangle_count = static_cast<std::uint32_t>(items.size())};
    numbers_.reset(3 * items.size());
    positions_.clear();
    scene::Vec3 normal{};
    for (const std::uint32_t t : items) {
      std::array<std::uint8_t, 3> triangle{};
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t v = indices[3 * t + i], before = numbers_.count(), number = numbers_.of(v);
        if (number == before) out.vertices.push_back(v), positions_.push_back(surface_.positions[v]);
        triangle[i] = static_cast<std::uint8_t>(number);
      }
      if (numbers_.count() > options_.max_vertices) {
        out.vertices.resize(cluster.first_vertex);
        out.triangles.resize(cluster.first_triangle);
        const auto ends = split(items, points, {.parts = 2, .max_size = items.size()});
        add(indices, materials, items.first(ends[0]), points, out);
        add(indices, materials, items.subspan(ends[0]), points, out);
        return;
      }
      out.triangles.push_back(triangle);
      normal = normal + scene::Vec3{points[t][3], points[t][4], points[t][5]};
    }
    if (!materials.empty()) {
      for (const std::uint32_t t : items) out.materials.push_back(materials[t]);
    }
    if (!cluster_of_.empty()) {
      for (const std::uint32_t t : items) cluster_of_[t] = static_cast<std::uint32_t>(out.clusters.size());
    }
    cluster.vertex_count = numbers_.count();
    cluster.sphere = bounding_sphere(positions_);
    out.clusters.push_back(cluster);
    out.normals.push_back(scene::normalize_or(normal, {0, 0, 0}));
  }

 private:
  static constexpr float kNormalReach = 2;

  float mean_edge(std::span<const std::uint32_t> indices) const {
    float edges = 0;
    for (std::size_t t = 0; t < indices.size() / 3; ++t) {
      const auto [a, b, c] = corners(indices, t);
      edges += scene::length(b - a) + scene::length(c - b) + scene::length(a - c);
    }
    return edges / static_cast<float>(indices.size());
  }
  std::array<scene::Vec3, 3> corners(std::span<const std::uint32_t> indices, std::size_t t) const {
    return {surface_.positions[indices[3 * t]], surface_.positions[indices[3 * t + 1]],
            surface_.positions[indices[3 * t + 2]]};
  }

  const Surface& surface_;
  const Options& options_;
  Numbering numbers_;
  std::vector<std::uint32_t> items_;
  std::vector<std::uint32_t> cluster_of_;  // by triangle; empty before run()
  std::vector<SplitPoint> points_;
  std::vector<scene::Vec3> positions_;
};

// Contains the spheres, rounding included.
Sphere sphere_around(std::span<const Sphere> spheres) {
  Sphere result = spheres[0];
  for (const Sphere& sphere : spheres) {
    const scene::Vec3 offset = sphere.center - result.center;
    const float distance = scene::length(offset);
    if (distance + sphere.radius <= result.radius) continue;
    if (distance + result.radius <= sphere.radius) {
      result = sphere;
      continue;
    }
    const float radius = (distance + result.radius + sphere.radius) * 0.5f;
    result.center = result.center + offset * ((radius - result.radius) / distance);
    result.radius = radius;
  }
  for (const Sphere& sphere : spheres) {
    const float needed = scene::length(sphere.center - result.center) + sphere.radius;
    result.radius = std::max(result.radius, needed * (1 + 4 * std::numeric_limits<float>::epsilon()));
  }
  return result;
}

class Builder {
 public:
  Builder(const Source& source, const Options& options)
      : source_(source), options_(options), skin_space_(source.skin, source.positions) {
    points_ = first_equal(
        static_cast<std::uint32_t>(source.positions.size()),
        [&](std::uint32_t v) { return hash_of(source.positions[v]); },
        [&](std::uint32_t a, std::uint32_t b) { return source.positions[a] == source.positions[b]; });
    point_count_ = number_firsts(points_);
    surface_ = {.positions = source.positions,
                .points = points_,
                .normals = source.normals,
                .texcoords = source.texcoords,
                .colors = source.colors};
    if (!skin_space_.is_empty()) surface_.skin = &skin_space_;
    weigh();
    shape_space_ = ShapeSpace(source.shapes, {surface_.normal_weight, surface_.texcoord_weight, surface_.color_weight},
                              !skin_space_.is_empty(), source.positions.size());
    if (!shape_space_.is_empty()) surface_.shapes = &shape_space_;
    thins_ = options.keeps_area && skin_space_.is_empty() && shape_space_.is_empty() &&
             is_foliage(points_, point_count_, source.indices);
    if (thins_) grown_.begin(surface_);
    // All levels together have about twice the triangles of the source. Memory that is not used costs nothing.
    result_.triangles.reserve(source.indices.size() * 3 / 4);
    result_.vertices.reserve(source.indices.size() * 2 / 3);
  }

  Hierarchy build() {
    split_source();
    for (unsigned level = 0, stuck = 0; pending_.size() > 1 && stuck < kPatience; ++level) {
      const std::size_t before = pending_.size();
      simplify_level(level);
      // Some groups may have failed while others went on; only a level without any progress counts.
      stuck = pending_.size() < before ? 0 : stuck + 1;
    }
    // One cluster, or all that cannot be reduced.
    const auto ends = group_pending(0);
    if (ends.size() > 1) {
      result_.rest.groups = ends.size();
      for (const std::uint32_t c : pending_) result_.rest.triangles += result_.clusters[c].triangle_count;
    } else {
      result_.rest = {};
    }
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
      const auto clusters = std::span(pending_).subspan(begin, end - begin);
      add_group(clusters, {.sphere = sphere_of(clusters)});
      begin = end;
    }
    for (const Group& group : result_.groups) result_.level_count = std::max(result_.level_count, group.level + 1);
    if (thins_) list_made();
    return std::move(result_);
  }

 private:
  // A direction or color that changes by 1 counts as a tenth of an edge, and a texture coordinate as the distance that
  // the texture moves on the surface.
  void weigh() {
    double edges = 0, texture_edges = 0;
    for (std::size_t c = 0; c < source_.indices.size(); ++c) {
      const std::uint32_t a = source_.indices[c], b = source_.indices[c % 3 == 2 ? c - 2 : c + 1];
      edges += scene::length(source_.positions[a] - source_.positions[b]);
      if (source_.texcoords.empty()) continue;
      const float u = source_.texcoords[a].x - source_.texcoords[b].x,
                  v = source_.texcoords[a].y - source_.texcoords[b].y;
      texture_edges += std::sqrt(u * u + v * v);
    }
    mean_edge_ = static_cast<float>(edges / static_cast<double>(source_.indices.size()));
    const float shading = 0.1f * mean_edge_;
    if (!source_.normals.empty()) surface_.normal_weight = shading;
    if (!source_.colors.empty()) surface_.color_weight = shading;
    if (texture_edges > 0) surface_.texcoord_weight = static_cast<float>(edges / texture_edges);
    result_.weights = {surface_.normal_weight, surface_.texcoord_weight, surface_.color_weight,
                       skin_space_.weight_unit()};
  }

  // A large source is cut into sections first, so that the points that triangles are split by exist for one section at
  // a time.
  void split_source() {
    constexpr std::uint32_t kSectionTriangles = 1u << 21;
    const auto count = static_cast<std::uint32_t>(source_.indices.size() / 3);
    if (count <= kSectionTriangles) {
      split_section(source_.indices, source_.materials);
      return;
    }
    const auto corner = [&](std::size_t i) { return source_.positions[source_.indices[i]]; };
    const Chunks sections = split_into_chunks(
        count, [&](std::size_t t) { return triangle_center(corner(3 * t), corner(3 * t + 1), corner(3 * t + 2)); },
        kSectionTriangles);
    std::vector<std::uint32_t> indices;
    std::vector<std::uint16_t> materials;
    for (std::size_t section = 0; section < sections.size(); ++section) {
      indices.clear(), materials.clear();
      for (const std::uint32_t t : sections.of(section)) {
        indices.insert(indices.end(), &source_.indices[3 * t], &source_.indices[3 * t] + 3);
        if (!source_.materials.empty()) materials.push_back(source_.materials[t]);
      }
      split_section(indices, materials);
    }
  }

  void split_section(std::span<const std::uint32_t> indices, std::span<const std::uint16_t> materials) {
    const std::size_t count = indices.size() / 3;
    std::vector<std::uint32_t> items(count);
    std::iota(items.begin(), items.end(), 0u);
    std::vector<SplitPoint> points(count);
    const Clusterer locator(surface_, options_);
    for_blocks(count, 1u << 14, [&](std::size_t begin, std::size_t end, std::size_t) {
      locator.locate(indices.subspan(3 * begin, 3 * (end - begin)), mean_edge_,
                     std::span(points).subspan(begin, end - begin));
    });
    const std::size_t parts = (count + options_.max_triangles - 1) / options_.max_triangles;
    const auto ends = split(items, points, {.parts = parts, .max_size = options_.max_triangles});
    constexpr std::size_t kBlock = 256;
    std::vector<Pieces> pieces(block_count(parts, kBlock));
    for_blocks(parts, kBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
      Clusterer clusterer(surface_, options_);
      for (std::size_t part = begin; part < end; ++part) {
        const std::uint32_t first = part == 0 ? 0 : ends[part - 1];
        clusterer.add(indices, materials, std::span(items).subspan(first, ends[part] - first), points, pieces[block]);
      }
    });
    for (const Pieces& piece : pieces) append(piece, kNone);
  }

  // Adds clusters to the hierarchy and to the pending ones.
  void append(const Pieces& pieces, std::uint32_t refined) {
    for (std::size_t i = 0; i < pieces.clusters.size(); ++i) {
      const std::uint32_t begin = i == 0 || pieces.sample_ends.empty() ? 0 : pieces.sample_ends[i - 1];
      const std::uint32_t end = pieces.sample_ends.empty() ? 0 : pieces.sample_ends[i];
      samples_.emplace_back(pieces.samples.begin() + begin, pieces.samples.begin() + end);
    }
    const auto vertex = static_cast<std::uint32_t>(result_.vertices.size());
    const auto triangle = static_cast<std::uint32_t>(result_.triangles.size());
    for (Cluster cluster : pieces.clusters) {
      cluster.first_vertex += vertex;
      cluster.first_triangle += triangle;
      cluster.refined = refined;
      pending_.push_back(static_cast<std::uint32_t>(result_.clusters.size()));
      result_.clusters.push_back(cluster);
    }
    normals_.insert(normals_.end(), pieces.normals.begin(), pieces.normals.end());
    result_.vertices.insert(result_.vertices.end(), pieces.vertices.begin(), pieces.vertices.end());
    result_.triangles.insert(result_.triangles.end(), pieces.triangles.begin(), pieces.triangles.end());
    result_.materials.insert(result_.materials.end(), pieces.materials.begin(), pieces.materials.end());
  }

  std::uint32_t add_group(std::span<const std::uint32_t> clusters, Group group) {
    const auto number = static_cast<std::uint32_t>(result_.groups.size());
    group.first_cluster = static_cast<std::uint32_t>(result_.members.size());
    group.cluster_count = static_cast<std::uint32_t>(clusters.size());
    for (const std::uint32_t c : clusters) {
      Cluster& cluster = result_.clusters[c];
      cluster.group = number;
      if (cluster.refined != kNone) group.level = std::max(group.level, result_.groups[cluster.refined].level + 1);
      result_.members.push_back(c);
    }
    result_.groups.push_back(group);
    return number;
  }

  Sphere sphere_of(std::span<const std::uint32_t> clusters) const {
    std::vector<Sphere> spheres;
    spheres.reserve(clusters.size());
    for (const std::uint32_t c : clusters) {
      const Cluster& cluster = result_.clusters[c];
      spheres.push_back(cluster.refined == kNone ? cluster.sphere : result_.groups[cluster.refined].sphere);
      if (thins_ && cluster.refined != kNone) spheres.push_back(cluster.sphere);  // it may have grown
    }
    return sphere_around(spheres);
  }

  // Makes room for the vertices that a level makes: each group at most as many as its clusters have. Returns the first
  // of each group.
  std::vector<std::uint32_t> make_room(std::span<const std::uint32_t> ends) {
    std::vector<std::uint32_t> first;
    auto count = grown_.count();
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
      first.push_back(count);
      for (; begin < end; ++begin) count += result_.clusters[pending_[begin]].vertex_count;
    }
    first.push_back(count);
    grown_.resize(count);
    // Points have the numbers of vertices, but for those of the source.
    points_.resize(count);
    point_count_ = count;
    surface_.positions = grown_.positions;
    surface_.points = points_;
    return first;
  }

  // Forgets the room that was not used.
  void list_made() {
    const auto count = static_cast<std::uint32_t>(source_.positions.size());
    std::vector<std::uint32_t> numbers(grown_.positions.size() - count, kNone);
    for (std::uint32_t& v : result_.vertices) {
      if (v < count) continue;
      std::uint32_t& number = numbers[v - count];
      if (number == kNone) {
        number = static_cast<std::uint32_t>(result_.made.size());
        result_.made.push_back({grown_.positions[v], grown_.origins[v]});
      }
      v = count + number;
    }
  }

  // Orders the pending clusters by group and returns the ends of groups.
  std::vector<std::uint32_t> group_pending(unsigned level) {
    // Each level looks along other axes and splits at other places, so that borders of groups do not stay.
    constexpr std::array<std::array<scene::Vec3, 3>, 3> kBases = {{
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {{{1 / 3.0f, 2 / 3.0f, 2 / 3.0f}, {2 / 3.0f, 1 / 3.0f, -2 / 3.0f}, {2 / 3.0f, -2 / 3.0f, 1 / 3.0f}}},
        {{{6 / 7.0f, 2 / 7.0f, 3 / 7.0f}, {2 / 7.0f, 3 / 7.0f, -6 / 7.0f}, {3 / 7.0f, -6 / 7.0f, -2 / 7.0f}}},
    }};
    constexpr std::array<unsigned, 3> kFifths = {0, 2, 3};
    std::vector<SplitPoint> points(pending_.size());
    std::vector<std::uint32_t> items(pending_.size());
    std::iota(items.begin(), items.end(), 0u);
    double radii = 0;
    for (const std::uint32_t c : pending_) radii += result_.clusters[c].sphere.radius;
    const float reach = kGroupReach * static_cast<float>(radii / static_cast<double>(pending_.size())) *
                        std::sqrt(static_cast<float>(options_.group_clusters));
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const scene::Vec3 at = result_.clusters[pending_[i]].sphere.center, n = normals_[pending_[i]] * reach;
      const auto& basis = kBases[level % kBases.size()];
      points[i] = {scene::dot(basis[0], at), scene::dot(basis[1], at), scene::dot(basis[2], at), n.x, n.y, n.z};
    }
    const std::size_t parts =
        std::max<std::size_t>(1, (pending_.size() + options_.group_clusters / 2) / options_.group_clusters);
    const auto ends =
        split(items, points, {.parts = parts, .max_size = pending_.size(), .fifths = kFifths[level % kFifths.size()]});
    std::vector<std::uint32_t> ordered(pending_.size());
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
      std::ranges::sort(std::span(items).subspan(begin, end - begin));
      begin = end;
    }
    for (std::size_t i = 0; i < items.size(); ++i) ordered[i] = pending_[items[i]];
    pending_ = std::move(ordered);
    return ends;
  }
  // What a normal counts as, in mean radii of clusters times the square root of their count: that is half of the size
  // of a group. With more, coarse groups have clusters that face one way and do not touch.
  static constexpr float kGroupReach = 0.25f;

  // Points that more than one group uses.
  std::vector<std::uint8_t> locked_points(std::span<const std::uint32_t> ends) const {
    std::vector<std::uint8_t> locked(point_count_);
    if (ends.size() == 1) return locked;
    std::vector<std::uint32_t> owner(point_count_, kNone);
    std::uint32_t begin = 0;
    for (std::uint32_t g = 0; g < ends.size(); ++g) {
      for (std::uint32_t i = begin; i < ends[g]; ++i) {
        const Cluster& cluster = result_.clusters[pending_[i]];
        for (std::uint32_t v = 0; v < cluster.vertex_count; ++v) {
          const std::uint32_t p = points_[result_.vertices[cluster.first_vertex + v]];
          if (owner[p] == kNone) owner[p] = g;
          if (owner[p] != g) locked[p] = 1;
        }
      }
      begin = ends[g];
    }
    return locked;
  }

  struct Simplified {
    Pieces pieces;
    float error = 0;
    bool stuck = true;
    Blocked blocked{};  // if it is stuck
  };
  struct Worker {
    Worker(const Surface& surface, const Options& options) : clusterer(surface, options) {}
    PatchSimplifier simplifier;
    PatchThinner thinner;
    Clusterer clusterer;
    std::vector<std::uint32_t> indices;
    std::vector<std::uint16_t> materials;
    std::vector<Sample> samples;
    Numbering numbers;
  };

  void simplify_level(unsigned level) {
    const auto ends = group_pending(level);
    const auto locked = locked_points(ends);
    const std::vector<std::uint32_t> room = thins_ ? make_room(ends) : std::vector<std::uint32_t>();
    std::vector<Simplified> simplified(ends.size());
    PerThread<Worker> workers([&] { return Worker(surface_, options_); });
    for_blocks(ends.size(), 1, [&](std::size_t g, std::size_t, std::size_t) {
      const std::uint32_t begin = g == 0 ? 0 : ends[g - 1];
      MadeVertices made;
      if (thins_) {
        const std::size_t count = room[g + 1] - room[g];
        made = {std::span(grown_.positions).subspan(room[g], count), std::span(grown_.origins).subspan(room[g], count),
                std::span(points_).subspan(room[g], count), room[g]};
      }
      simplify_group(workers.local(), level, std::span(pending_).subspan(begin, ends[g] - begin), locked, made,
                     simplified[g]);
    });
    if (thins_) {
      grown_.finish(room.front(), surface_);
    }

    const std::vector<std::uint32_t> grouped = std::exchange(pending_, {});
    result_.rest.blocked = {};
    std::uint32_t begin = 0;
    for (std::size_t g = 0; g < ends.size(); ++g) {
      const auto clusters = std::span(grouped).subspan(begin, ends[g] - begin);
      begin = ends[g];
      const Simplified result = std::exchange(simplified[g], {});
      if (result.stuck) {
        result_.rest.blocked += result.blocked;
        pending_.insert(pending_.end(), clusters.begin(), clusters.end());
        continue;
      }
      const std::uint32_t group = add_group(clusters, {.sphere = sphere_of(clusters), .error = result.error});
      append(result.pieces, group);
      for (const std::uint32_t c : clusters) release(samples_[c]);
    }
  }

  // made: room for the vertices of the group, if pieces may grow.
  void simplify_group(Worker& worker, unsigned level, std::span<const std::uint32_t> clusters,
                      std::span<const std::uint8_t> locked, const MadeVertices& made, Simplified& out) const {
    worker.indices.clear(), worker.materials.clear(), worker.samples.clear();
    float error = 0;
    for (const std::uint32_t c : clusters) {
      const Cluster& cluster = result_.clusters[c];
      worker.samples.insert(worker.samples.end(), samples_[c].begin(), samples_[c].end());
      if (cluster.refined != kNone) error = std::max(error, result_.groups[cluster.refined].error);
      for (std::uint32_t t = cluster.first_triangle; t < cluster.first_triangle + cluster.triangle_count; ++t) {
        for (const std::uint8_t corner : result_.triangles[t]) {
          worker.indices.push_back(result_.vertices[cluster.first_vertex + corner]);
        }
        if (!result_.materials.empty()) worker.materials.push_back(result_.materials[t]);
      }
    }
    const std::size_t triangles = worker.indices.size() / 3;
    const PatchInput input = {.indices = worker.indices,
                              .materials = worker.materials,
                              .error = error,
                              .locked = locked,
                              .samples = worker.samples,
                              .target_triangles = triangles / 2};
    if (thins_ && worker.thinner.thin(surface_, input, grown_.origins, made) &&
        take(worker, worker.thinner, level, triangles, clusters.size(), out))
      return;
    worker.simplifier.simplify(surface_, input);
    out.blocked = worker.simplifier.blocked();
    take(worker, worker.simplifier, level, triangles, clusters.size(), out);
  }

  // Splits the result of a simplifier into clusters. False: it keeps too much.
  template <class Simplifier>
  bool take(Worker& worker, const Simplifier& from, unsigned level, std::size_t triangles, std::size_t clusters,
            Simplified& out) const {
    const std::size_t left = from.indices().size() / 3;
    if (left == 0 || static_cast<float>(left) > kLeastReduction * static_cast<float>(triangles)) return false;
    out.pieces = {};
    worker.clusterer.run(from.indices(), from.materials(), out.pieces);
    if (out.pieces.clusters.size() >= clusters) return false;
    distribute(from.samples(), from.sample_triangles(), worker.clusterer.cluster_of_triangle(), level, worker.numbers,
               out.pieces);
    out.error = from.error();
    out.stuck = false;
    return true;
  }

  // Gives each cluster the samples next to its triangles, because another cluster may get into another group. A sample
  // whose triangle is not known goes to a cluster that has its anchor. If a cluster has too many: the farthest ones and
  // others evenly. Coarse levels, where a cluster stands for more of the source, have more.
  static void distribute(std::span<const Sample> samples, std::span<const std::uint32_t> triangles,
                         std::span<const std::uint32_t> cluster_of_triangle, unsigned level, Numbering& numbers,
                         Pieces& pieces) {
    constexpr std::size_t kFewest = 32, kMost = 512, kFarthest = 12;
    const std::size_t most = std::min(kFewest << std::min(level / 2, 8u), kMost);
    numbers.reset(pieces.vertices.size());
    std::vector<std::uint32_t> owner;
    for (std::uint32_t c = 0; c < pieces.clusters.size(); ++c) {
      const Cluster& cluster = pieces.clusters[c];
      for (std::uint32_t v = 0; v < cluster.vertex_count; ++v) {
        if (numbers.of(pieces.vertices[cluster.first_vertex + v]) == owner.size()) owner.push_back(c);
      }
    }
    std::vector<std::vector<Sample>> own(pieces.clusters.size());
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const Sample& sample = samples[s];
      if (!triangles.empty() && triangles[s] != kNone) {
        own[cluster_of_triangle[triangles[s]]].push_back(sample);
        continue;
      }
      // A sample whose part of the surface is gone has no anchor any more.
      const std::uint32_t number = numbers.find(sample.anchor);
      if (number != Numbering::kUnknown) own[owner[number]].push_back(sample);
    }
    for (std::vector<Sample>& list : own) {
      if (list.size() > most) {
        std::ranges::stable_sort(list, std::ranges::greater(), &Sample::distance);
        for (std::size_t i = kFarthest; i < most; ++i) {
          list[i] = list[kFarthest + (i - kFarthest) * (list.size() - kFarthest) / (most - kFarthest)];
        }
        list.resize(most);
      }
      pieces.samples.insert(pieces.samples.end(), list.begin(), list.end());
      pieces.sample_ends.push_back(static_cast<std::uint32_t>(pieces.samples.size()));
    }
  }

  const Source& source_;
  const Options& options_;
  const SkinSpace skin_space_;
  ShapeSpace shape_space_;
  std::vector<std::uint32_t> points_;
  std::uint32_t point_count_ = 0;
  Surface surface_;
  bool thins_ = false;  // pieces grow
  GrownStreams grown_;  // if they do
  float mean_edge_ = 0;
  Hierarchy result_;
  std::vector<scene::Vec3> normals_;          // of each cluster
  std::vector<std::vector<Sample>> samples_;  // of each cluster
  std::vector<std::uint32_t> pending_;        // clusters without a group
};

}  // namespace

Hierarchy build_hierarchy(const Source& source, const Options& options) {
  assert(!source.indices.empty() && source.indices.size() % 3 == 0);
  return Builder(source, options).build();
}

}  // namespace assetc::mesh::cluster
