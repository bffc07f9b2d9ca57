#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "mesh/cluster/hierarchy.hpp"
#include "mesh/cluster_cut.hpp"
#include "mesh/shapes.hpp"
#include "mesh/surface_distance.hpp"
#include "parallel/parallel.hpp"

namespace assetc::mesh::cluster {
namespace {

using scene::Vec3;

struct Model {
  Shape shape;
  std::vector<std::uint16_t> materials;
  std::vector<hmesh::GpuSkinVertex> skin{};
};

Source source_of(const Model& m) {
  return {.positions = m.shape.positions,
          .normals = m.shape.normals,
          .texcoords = m.shape.texcoords,
          .colors = {},
          .skin = {m.skin, {}},
          .indices = m.shape.indices,
          .materials = m.materials};
}

// A sphere whose triangles share no vertices: each has its own normal.
Model faceted_sphere() {
  const Shape smooth = sphere(96, 48);
  Model m;
  for (std::size_t i = 0; i < smooth.indices.size(); i += 3) {
    const Vec3 a = smooth.positions[smooth.indices[i]], b = smooth.positions[smooth.indices[i + 1]],
               c = smooth.positions[smooth.indices[i + 2]];
    for (const Vec3 p : {a, b, c}) {
      m.shape.indices.push_back(static_cast<std::uint32_t>(m.shape.positions.size()));
      m.shape.positions.push_back(p);
      m.shape.normals.push_back(scene::normalize_or(scene::cross(b - a, c - a), {0, 1, 0}));
    }
  }
  return m;
}

// A sphere of patches whose texture coordinates do not continue each other, in three materials.
Model atlas_sphere() {
  Shape smooth = sphere(128, 64);
  Model m;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> vertices;
  for (std::size_t i = 0; i < smooth.indices.size(); i += 3) {
    const Vec3 center = (smooth.positions[smooth.indices[i]] + smooth.positions[smooth.indices[i + 1]] +
                         smooth.positions[smooth.indices[i + 2]]) *
                        (1.0f / 3);
    const std::uint32_t patch = (center.x > 0 ? 1 : 0) + (center.y > 0.2f ? 2 : 0) + (center.z > 0 ? 4 : 0);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = smooth.indices[i + k];
      const auto [at, added] = vertices.try_emplace({v, patch}, static_cast<std::uint32_t>(m.shape.positions.size()));
      if (added) {
        m.shape.positions.push_back(smooth.positions[v]);
        m.shape.normals.push_back(smooth.normals[v]);
        m.shape.texcoords.push_back({smooth.texcoords[v].x + 3 * static_cast<float>(patch), smooth.texcoords[v].y});
      }
      m.shape.indices.push_back(at->second);
    }
    m.materials.push_back(patch % 3);
  }
  return m;
}

// A sphere that 12 joints move, from one pole to the other.
Model skinned_sphere() {
  Model m{sphere(160, 80), {}};
  for (const Vec3 p : m.shape.positions) {
    const float along = (p.y + 1) * 5.499f;
    const auto joint = static_cast<std::uint16_t>(along);
    const float weight = along - static_cast<float>(joint);
    m.skin.push_back({{static_cast<std::uint16_t>(joint + 1), joint, 0, 0}, {weight, 1 - weight, 0, 0}});
  }
  return m;
}

// Quads in a cloud, none connected to another.
Model leaves(std::uint32_t count) {
  Model m;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vec3 at{unit(random), unit(random), unit(random)};
    const Vec3 u = scene::normalize_or({unit(random), unit(random), unit(random)}, {1, 0, 0}) * 0.02f;
    const Vec3 v = scene::normalize_or(scene::cross(u, {unit(random), unit(random), unit(random)}), {0, 1, 0}) * 0.02f;
    const auto first = static_cast<std::uint32_t>(m.shape.positions.size());
    for (const Vec3 p : {at - u - v, at + u - v, at + u + v, at - u + v}) {
      m.shape.positions.push_back(p);
      m.shape.normals.push_back(scene::normalize_or(scene::cross(u, v), {0, 1, 0}));
    }
    for (const std::uint32_t corner : {0, 1, 2, 0, 2, 3}) m.shape.indices.push_back(first + corner);
  }
  return m;
}

std::vector<Model> models() {
  std::vector<Model> all;
  all.push_back({wavy_grid(160, 120), {}});
  all.push_back({sphere(160, 80), {}});
  all.push_back(faceted_sphere());
  all.push_back(atlas_sphere());
  all.push_back(skinned_sphere());
  return all;
}

// Of each directed edge between positions, how often it occurs more than its opposite.
std::map<std::pair<std::array<float, 3>, std::array<float, 3>>, int> open_edges(
    std::span<const Vec3> positions, std::span<const std::uint32_t> indices) {
  std::map<std::pair<std::array<float, 3>, std::array<float, 3>>, int> edges;
  const auto key = [&](std::uint32_t v) {
    return std::array<float, 3>{positions[v].x + 0.0f, positions[v].y + 0.0f, positions[v].z + 0.0f};
  };
  for (std::size_t c = 0; c < indices.size(); ++c) {
    const auto a = key(indices[c]), b = key(indices[c % 3 == 2 ? c - 2 : c + 1]);
    if (a == b) continue;
    a < b ? ++edges[{a, b}] : --edges[{b, a}];
  }
  std::erase_if(edges, [](const auto& edge) { return edge.second == 0; });
  return edges;
}

// Every path from a source cluster to the roots passes the cut once.
void expect_covers_once(const Hierarchy& h, const std::vector<std::uint32_t>& cut) {
  std::vector<std::uint8_t> in_cut(h.clusters.size());
  for (const std::uint32_t c : cut) in_cut[c] = 1;
  // For each group, how many clusters of the cut are on the ways from it upwards: the same on each way.
  std::vector<std::set<int>> above(h.groups.size());
  std::vector<std::vector<std::uint32_t>> replacements(h.groups.size());
  for (std::uint32_t c = 0; c < h.clusters.size(); ++c) {
    if (h.clusters[c].refined != kNone) replacements[h.clusters[c].refined].push_back(c);
  }
  for (std::size_t g = h.groups.size(); g-- > 0;) {
    if (replacements[g].empty()) above[g] = {0};
    for (const std::uint32_t c : replacements[g]) {
      for (const int count : above[h.clusters[c].group]) above[g].insert(count + in_cut[c]);
    }
    ASSERT_EQ(above[g].size(), 1u);
  }
  for (std::uint32_t c = 0; c < h.clusters.size(); ++c) {
    if (h.clusters[c].refined == kNone) {
      ASSERT_EQ(in_cut[c] + *above[h.clusters[c].group].begin(), 1);
    }
  }
}

TEST(Cluster, every_cluster_is_within_its_limits_and_in_one_group) {
  for (const Model& m : models()) {
    const Hierarchy h = build_hierarchy(source_of(m));
    std::vector<int> uses(h.clusters.size());
    for (const Group& g : h.groups) {
      for (std::uint32_t i = 0; i < g.cluster_count; ++i) {
        const std::uint32_t c = h.members[g.first_cluster + i];
        ++uses[c];
        EXPECT_EQ(&h.groups[h.clusters[c].group], &g);
      }
    }
    EXPECT_TRUE(std::ranges::all_of(uses, [](int n) { return n == 1; }));
    for (const Cluster& c : h.clusters) {
      ASSERT_LE(c.triangle_count, kMaxClusterTriangles);
      ASSERT_LE(c.vertex_count, kMaxClusterVertices);
      ASSERT_GT(c.triangle_count, 0u);
      for (std::uint32_t v = 0; v < c.vertex_count; ++v) {
        const Vec3 p = m.shape.positions[h.vertices[c.first_vertex + v]];
        ASSERT_LE(scene::length(p - c.sphere.center), c.sphere.radius);
      }
      for (std::uint32_t t = c.first_triangle; t < c.first_triangle + c.triangle_count; ++t) {
        for (const std::uint8_t corner : h.triangles[t]) ASSERT_LT(corner, c.vertex_count);
      }
    }
  }
}

TEST(Cluster, the_clusters_of_the_source_are_the_source) {
  for (const Model& m : models()) {
    const Hierarchy h = build_hierarchy(source_of(m));
    std::vector<std::uint32_t> clusters;
    for (std::uint32_t c = 0; c < h.clusters.size(); ++c) {
      if (h.clusters[c].refined == kNone) clusters.push_back(c);
    }
    const auto sorted = [](std::span<const std::uint32_t> indices) {
      std::vector<std::array<std::uint32_t, 3>> triangles;
      for (std::size_t i = 0; i < indices.size(); i += 3) {
        std::array<std::uint32_t, 3> t = {indices[i], indices[i + 1], indices[i + 2]};
        std::ranges::rotate(t, std::ranges::min_element(t));
        triangles.push_back(t);
      }
      std::ranges::sort(triangles);
      return triangles;
    };
    EXPECT_EQ(sorted(triangles_of(h, clusters)), sorted(m.shape.indices));
  }
}

TEST(Cluster, one_root_is_left) {
  for (const Model& m : models()) {
    const Hierarchy h = build_hierarchy(source_of(m));
    const auto root = cut_at_error(h, std::numeric_limits<float>::max());
    EXPECT_EQ(root.size(), 1u) << h.level_count;
  }
}

TEST(Cluster, errors_grow_and_spheres_are_nested) {
  for (const Model& m : models()) {
    const Hierarchy h = build_hierarchy(source_of(m));
    for (const Cluster& c : h.clusters) {
      const Group& group = h.groups[c.group];
      const Sphere inner = c.refined == kNone ? c.sphere : h.groups[c.refined].sphere;
      EXPECT_LE(scene::length(inner.center - group.sphere.center) + inner.radius, group.sphere.radius);
      if (c.refined == kNone) continue;
      EXPECT_GE(group.error, h.groups[c.refined].error);
      EXPECT_GT(c.group, c.refined);
    }
  }
}

TEST(Cluster, any_view_covers_the_source_once_and_is_as_watertight_as_it) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (const Model& m : models()) {
    const Hierarchy h = build_hierarchy(source_of(m));
    const auto border = open_edges(m.shape.positions, m.shape.indices);
    for (int i = 0; i < 20; ++i) {
      const View view = {.eye = {unit(random) * 3, unit(random) * 3, unit(random) * 3}, .near_distance = 0.01f};
      const auto cut = cut_at_view(h, view, std::pow(10.0f, unit(random) * 2 - 2));
      expect_covers_once(h, cut);
      const auto open = open_edges(m.shape.positions, triangles_of(h, cut));
      // A closed source has only closed cuts. A border may get fewer edges, but its vertices are of the source's
      // border.
      if (border.empty()) {
        ASSERT_TRUE(open.empty());
      } else {
        std::set<std::array<float, 3>> points;
        for (const auto& [edge, count] : border) points.insert(edge.first), points.insert(edge.second);
        for (const auto& [edge, count] : open) {
          ASSERT_TRUE(points.contains(edge.first) && points.contains(edge.second));
        }
      }
    }
  }
}

TEST(Cluster, cuts_stay_within_their_errors) {
  for (const Model& m : models()) {
    const Hierarchy h = build_hierarchy(source_of(m));
    const SampledSurface source(m.shape.positions, m.shape.normals, m.shape.indices);
    std::vector<float> errors;
    for (const Group& g : h.groups) {
      if (std::isfinite(g.error)) errors.push_back(g.error);
    }
    std::ranges::sort(errors);
    for (std::size_t i = 0; i < errors.size(); i += errors.size() / 4 + 1) {
      const auto indices = triangles_of(h, cut_at_error(h, errors[i]));
      const SampledSurface cut(m.shape.positions, m.shape.normals, indices);
      EXPECT_LE(cut.distances_from(source, 1500).largest, errors[i] + 1e-6f) << indices.size();
      EXPECT_LE(source.distances_from(cut, 1500).largest, errors[i] + 1e-6f) << indices.size();
    }
  }
}

// A plane loses nothing, however few triangles it has.
TEST(Cluster, a_plane_has_no_error) {
  for (const bool has_attributes : {false, true}) {
    Model m{.shape = wavy_grid(160, 120), .materials = {}};
    for (std::size_t v = 0; v < m.shape.positions.size(); ++v) {
      m.shape.positions[v].y = 0;
      m.shape.normals[v] = {0, 1, 0};
    }
    if (!has_attributes) m.shape.normals.clear(), m.shape.texcoords.clear();
    const Hierarchy h = build_hierarchy(source_of(m));
    EXPECT_GT(h.level_count, 7u);
    constexpr float kSide = 1.6f;
    for (const Group& g : h.groups) {
      if (std::isfinite(g.error)) {
        EXPECT_LT(g.error, 2e-4f * kSide) << g.level;
      }
    }
    // The triangles of each cut cover the plane once: none is folded over others.
    for (const float error : {1e-5f, 1e-3f, 1.0f}) {
      const auto indices = triangles_of(h, cut_at_error(h, error));
      double area = 0, sum = 0;
      for (std::size_t i = 0; i < indices.size(); i += 3) {
        const Vec3 a = m.shape.positions[indices[i]], u = m.shape.positions[indices[i + 1]] - a,
                   v = m.shape.positions[indices[i + 2]] - a;
        const double twice = static_cast<double>(u.z) * v.x - static_cast<double>(u.x) * v.z;
        sum += twice / 2, area += std::fabs(twice) / 2;
      }
      EXPECT_NEAR(sum, 1.59 * 1.19, 1e-5);
      EXPECT_NEAR(area, sum, 1e-5);
    }
  }
}

TEST(Cluster, parts_without_connection_still_reduce) {
  const Model m = leaves(4000);
  const Hierarchy h = build_hierarchy(source_of(m));
  const auto root = triangles_of(h, cut_at_error(h, std::numeric_limits<float>::max()));
  EXPECT_LE(root.size() / 3, kMaxClusterTriangles);
}

// Triangles around one vertex.
Model fan(std::uint32_t count) {
  Model m;
  m.shape.positions.push_back({0, 0, 0});
  for (std::uint32_t i = 0; i <= count; ++i) {
    const float a = 6.2831853f * static_cast<float>(i % count) / static_cast<float>(count);
    m.shape.positions.push_back({std::cos(a), 0, -std::sin(a)});
  }
  for (std::uint32_t i = 1; i <= count; ++i) m.shape.indices.insert(m.shape.indices.end(), {0, i, i + 1});
  m.shape.normals.assign(m.shape.positions.size(), {0, 1, 0});
  return m;
}

// Triangles of random corners among few points: edges of many triangles, triangles that occur twice, and no surface.
Model tangle(std::uint32_t triangles, std::uint32_t points, bool on_a_line) {
  Model m;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (std::uint32_t i = 0; i < points; ++i) {
    const float x = unit(random);
    m.shape.positions.push_back(on_a_line ? Vec3{x, x, x} : Vec3{x, unit(random), unit(random)});
    m.shape.normals.push_back({0, 1, 0});
  }
  for (std::uint32_t i = 0; i < triangles; ++i) {
    const auto corner = static_cast<std::uint32_t>(random() % points);
    for (const std::uint32_t step : {0u, 1u, 2u}) m.shape.indices.push_back((corner + step * 7 + step) % points);
  }
  return m;
}

TEST(Cluster, hard_meshes_are_covered_by_every_cut) {
  std::vector<Model> hard;
  hard.push_back(fan(5000));
  hard.push_back(tangle(4000, 300, false));
  hard.push_back(tangle(4000, 300, true));
  hard.push_back(tangle(2, 50, false));
  for (const Model& m : hard) {
    const Hierarchy h = build_hierarchy(source_of(m));
    for (const float error : {0.0f, 0.01f, 0.1f, 1e30f}) expect_covers_once(h, cut_at_error(h, error));
    for (const Group& g : h.groups) EXPECT_FALSE(std::isnan(g.error));
  }
}

// Every group uses every point, so none of them can move.
TEST(Cluster, tells_why_a_mesh_cannot_be_reduced) {
  Model m = tangle(0, 300, false);
  std::mt19937 random(5);
  for (std::uint32_t i = 0; i < 3 * 20000; ++i) m.shape.indices.push_back(static_cast<std::uint32_t>(random() % 300));
  const Hierarchy h = build_hierarchy(source_of(m));
  EXPECT_GT(h.rest.groups, 1u);
  EXPECT_EQ(h.rest.triangles, 20000u);
  EXPECT_GT(h.rest.blocked.locked, h.rest.blocked.folds + h.rest.blocked.texture + h.rest.blocked.crowded);
  EXPECT_EQ(build_hierarchy(source_of(fan(5000))).rest.groups, 0u);
}

TEST(Cluster, the_number_of_threads_does_not_matter) {
  const Model m = atlas_sphere();
  const Hierarchy many = build_hierarchy(source_of(m));
  const ThreadLimit limit(1);
  const Hierarchy one = build_hierarchy(source_of(m));
  EXPECT_EQ(one.vertices, many.vertices);
  EXPECT_EQ(one.triangles, many.triangles);
  EXPECT_EQ(one.materials, many.materials);
  ASSERT_EQ(one.groups.size(), many.groups.size());
  for (std::size_t g = 0; g < one.groups.size(); ++g) EXPECT_EQ(one.groups[g].error, many.groups[g].error);
}

}  // namespace
}  // namespace assetc::mesh::cluster
