// Every box, sphere and cone holds, whatever the triangles are.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "mesh/build.hpp"
#include "mesh/cluster/hierarchy.hpp"
#include "mesh/valid.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec3;

struct BadMesh {
  std::string name;
  std::vector<Vec3> positions;
  std::vector<std::uint32_t> indices;
};

// Random triangles; place(random) is a vertex.
BadMesh triangles_of(std::string name, std::uint32_t seed, const std::function<Vec3(std::mt19937&)>& place) {
  BadMesh m{std::move(name), {}, {}};
  std::mt19937 random(seed);
  const auto vertices = static_cast<std::uint32_t>(30 + random() % 300);
  for (std::uint32_t v = 0; v < vertices; ++v) m.positions.push_back(place(random));
  for (std::uint32_t i = 0; i < 3 * 400; ++i) m.indices.push_back(static_cast<std::uint32_t>(random() % vertices));
  return m;
}

std::vector<BadMesh> bad_meshes(std::uint32_t seed) {
  const auto unit = [](std::mt19937& random) { return static_cast<float>(random() % 20001) / 10000 - 1; };
  const auto cube = [=](std::mt19937& r, float size, Vec3 at) {
    return Vec3{at.x + size * unit(r), at.y + size * unit(r), at.z + size * unit(r)};
  };
  return {
      triangles_of("random", seed, [=](auto& r) { return cube(r, 1, {}); }),
      triangles_of("on a line: no area", seed,
                   [=](auto& r) {
                     const float t = unit(r);
                     return Vec3{t, 2 * t, -t};
                   }),
      triangles_of("needles", seed, [=](auto& r) { return Vec3{unit(r), 1e-6f * unit(r), 1e-7f * unit(r)}; }),
      triangles_of("far from the origin", seed, [=](auto& r) { return cube(r, 1, {1e6f, -1e6f, 1e5f}); }),
      triangles_of("subnormal", seed, [=](auto& r) { return cube(r, 1e-40f, {}); }),
      triangles_of("few places", seed,
                   [=](auto& r) {
                     return Vec3{static_cast<float>(r() % 2), static_cast<float>(r() % 2), static_cast<float>(r() % 2)};
                   }),
      triangles_of("huge", seed, [=](auto& r) { return cube(r, 1e18f, {}); }),
      triangles_of("huge and tiny", seed, [=](auto& r) { return cube(r, r() % 3 == 0 ? 1e18f : 1e-18f, {}); }),
  };
}

// A meshlet that its cone culls shows no front to the eye. Compares in double; needle triangles have no side.
void expect_cones_hold(const Mesh& m, std::mt19937& random) {
  const auto unit = [&] { return static_cast<double>(random() % 20001) / 10000 - 1; };
  using D = std::array<double, 3>;
  const auto d = [](Vec3 v) { return D{v.x, v.y, v.z}; };
  const auto minus = [](const D& a, const D& b) { return D{a[0] - b[0], a[1] - b[1], a[2] - b[2]}; };
  const auto dot = [](const D& a, const D& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  const auto cross = [](const D& a, const D& b) {
    return D{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  for (std::size_t l = 0; l < m.meshlets.size(); ++l) {
    const hmesh::Meshlet& meshlet = m.meshlets[l];
    const hmesh::MeshletBounds& bounds = m.meshlet_bounds[l];
    for (int i = 0; i < 8; ++i) {
      const double reach = 4.0 * bounds.radius;
      const D center = d(vector_of(bounds.center)),
              eye = {center[0] + reach * unit(), center[1] + reach * unit(), center[2] + reach * unit()};
      const D view = minus(center, eye);
      const bool culled =
          dot(view, d(vector_of(bounds.cone_axis))) >= bounds.cone_cutoff * std::sqrt(dot(view, view)) + bounds.radius;
      if (!culled) continue;
      for (std::uint32_t t = 0; t < meshlet.triangle_count; ++t) {
        const hmesh::MeshletTriangle& corners = m.meshlet_triangles[meshlet.triangle_offset + t];
        const auto at = [&](std::size_t k) {
          return d(m.positions[m.meshlet_vertices[meshlet.vertex_offset + corners.corners[k]]]);
        };
        const D normal = cross(minus(at(1), at(0)), minus(at(2), at(0)));
        const double length = std::sqrt(dot(normal, normal));
        const double longest =
            std::max({dot(minus(at(1), at(0)), minus(at(1), at(0))), dot(minus(at(2), at(0)), minus(at(2), at(0)))});
        if (length <= 1e-4 * longest) continue;
        ASSERT_GE(dot(minus(at(0), eye), normal) / length, -1e-3 * std::sqrt(dot(view, view)));
      }
    }
  }
}

TEST(BadMeshes, have_bounds_and_cones_that_hold) {
  std::mt19937 random(1);
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    for (const BadMesh& bad : bad_meshes(seed)) {
      SCOPED_TRACE(bad.name);
      SubmeshInput input;
      input.indices = bad.indices;
      input.positions = bad.positions;
      const auto built = build_mesh(std::span(&input, 1));
      if (!built) continue;  // nothing with an area is left
      expect_valid(built->mesh);
      expect_cones_hold(built->mesh, random);
    }
  }
}

TEST(BadMeshes, have_clusters_whose_spheres_hold) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    for (const BadMesh& bad : bad_meshes(seed)) {
      SCOPED_TRACE(bad.name);
      const cluster::Hierarchy h = cluster::build_hierarchy({.positions = bad.positions,
                                                             .normals = {},
                                                             .texcoords = {},
                                                             .colors = {},
                                                             .indices = bad.indices,
                                                             .materials = {}});
      for (const cluster::Cluster& c : h.clusters) {
        for (std::uint32_t v = 0; v < c.vertex_count; ++v) {
          const Vec3 p = bad.positions[h.vertices[c.first_vertex + v]];
          ASSERT_LE(scene::length(p - c.sphere.center), c.sphere.radius);
          ASSERT_LE(scene::length(p - h.groups[c.group].sphere.center), h.groups[c.group].sphere.radius);
        }
      }
    }
  }
}

}  // namespace
}  // namespace assetc::mesh
