// Cluster levels of detail: clusters of triangles, and simpler clusters that replace them, up to one root.
//
// Clusters are joined into groups of neighbors. The triangles of a group are simplified to about half, while the points
// on its border stay, and are split into clusters again. These replace the whole group, so the surfaces before and
// after fit together along the group's border. The next level groups the new clusters in another way, so that other
// borders stay.
//
// A cut is a choice of clusters that covers the source once. With a measure m that never decreases from a group to the
// groups above it, such as error / distance to the group's sphere, the clusters with
//   m(group) > limit, and (refined == kNone or m(refined group) <= limit)
// are a cut.
// Source: Karis, Stubbe, Wihlidal, "Nanite: A Deep Dive", SIGGRAPH 2021.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mesh/bounds.hpp"
#include "mesh/cluster/patch.hpp"
#include "mesh/mesh.hpp"

namespace assetc::mesh::cluster {

inline constexpr std::uint32_t kMaxClusterTriangles = 128;
inline constexpr std::uint32_t kMaxClusterVertices = 128;
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;
inline constexpr float kNeverReplaced = std::numeric_limits<float>::infinity();

struct Options {
  std::uint32_t max_triangles = kMaxClusterTriangles;  // 16..kMaxClusterTriangles
  std::uint32_t max_vertices = kMaxClusterVertices;    // 48..kMaxClusterVertices
  std::uint32_t group_clusters = 32;                   // clusters of a group, about; 4..64
  // For meshes that are mostly of small open pieces, such as leaves, without a skin and morph targets: levels drop some
  // pieces, and the others grow, so that the area stays. false: pieces become smaller and vanish.
  bool keeps_area = true;
};

// Triangles over vertices. Every non-empty attribute has positions.size() items; spans must outlive the build.
struct Source {
  std::span<const scene::Vec3> positions;    // finite
  std::span<const scene::Vec3> normals;      // unit vectors, or empty
  std::span<const scene::Vec2> texcoords;    // or empty
  std::span<const scene::Vec4> colors;       // or empty
  Skin skin{};                               // or empty
  Shapes shapes{};                           // morph targets, or empty
  std::span<const std::uint32_t> indices;    // three for each triangle
  std::span<const std::uint16_t> materials;  // for each triangle, or empty
};

struct Cluster {
  // Its vertices are [first_vertex, + vertex_count) of Hierarchy::vertices, its triangles [first_triangle, +
  // triangle_count) of triangles and materials.
  std::uint32_t first_vertex = 0;
  std::uint32_t vertex_count = 0;
  std::uint32_t first_triangle = 0;
  std::uint32_t triangle_count = 0;
  std::uint32_t group = kNone;    // that it belongs to
  std::uint32_t refined = kNone;  // the group that it replaces a part of; kNone: it is of the source
  Sphere sphere{};                // around its vertices
};

struct Group {
  std::uint32_t level = 0;  // 0: its clusters are of the source
  // Its clusters are [first_cluster, + cluster_count) of Hierarchy::members.
  std::uint32_t first_cluster = 0;
  std::uint32_t cluster_count = 0;
  // Contains its clusters and the spheres of the groups that they replace.
  Sphere sphere{};
  // The largest distance between the source and the clusters that replace the group, in the units of the positions.
  // Attributes and morph targets count as further dimensions, see Hierarchy::weights. Not below the error of any group
  // that its clusters replace. kNeverReplaced: nothing replaces the group.
  float error = kNeverReplaced;
};

// What a difference of attributes counts as a distance: one unit of a normal, of a texture coordinate, of a color, of
// the weights of joints (SkinSpace::weight_unit).
struct Weights {
  float normal = 0, texcoord = 0, color = 0, skin = 0;
};

// A vertex that is not in the source.
struct MadeVertex {
  scene::Vec3 position;
  std::uint32_t origin = 0;  // a vertex of the source, whose attributes it has
};

// What could not be reduced to one group.
struct Rest {
  std::size_t groups = 0, triangles = 0;  // the roots; 0: there is one root
  Blocked blocked;                        // of the last level that was tried
};

struct Hierarchy {
  std::vector<Cluster> clusters;
  std::vector<Group> groups;                           // a group comes after those that its clusters replace
  std::vector<std::uint32_t> members;                  // clusters, group by group
  std::vector<std::uint32_t> vertices;                 // of the source; from positions.size() on, of made
  std::vector<MadeVertex> made;                        // of pieces that grow (Options::keeps_area)
  std::vector<std::array<std::uint8_t, 3>> triangles;  // corners, from the first vertex of the cluster
  std::vector<std::uint16_t> materials;                // of each triangle; ascending in a cluster; or empty
  Weights weights;
  std::uint32_t level_count = 0;
  Rest rest;
};

// Requires a source with at least one triangle, at most 2^31 indices, and options in range. Memory: about 40 bytes a
// triangle more than source and result. Same bits on any number of threads.
Hierarchy build_hierarchy(const Source& source, const Options& options = {});

}  // namespace assetc::mesh::cluster
