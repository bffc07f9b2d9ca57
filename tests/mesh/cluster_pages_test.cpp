// Selections from the pages of files, with pages that are missing.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <random>

#include "assetc/runtime/clusters.hpp"
#include "mesh/cluster_cut.hpp"
#include "mesh/cluster_file.hpp"
#include "mesh/shapes.hpp"

namespace assetc::mesh::cluster {
namespace {

using Point = std::array<std::uint32_t, 3>;

class PagedMesh {
 public:
  PagedMesh(const Shape& shape, std::uint32_t most_groups)
      : hierarchy_(build_hierarchy({.positions = shape.positions,
                                    .normals = shape.normals,
                                    .texcoords = {},
                                    .colors = {},
                                    .indices = shape.indices,
                                    .materials = {}},
                                   {.group_clusters = 8})),
        file_(write_positions(hierarchy_, shape.positions, most_groups).value()),
        view(hcluster::View::open(file_).value()) {}

  runtime::ClusterPages pages_with(std::mt19937& random, float share) const {
    runtime::ClusterPages pages(view);
    std::uniform_real_distribution<float> unit(0, 1);
    for (std::uint32_t p = 0; p < pages.page_count(); ++p) {
      if (p > 0 && unit(random) >= share) continue;
      const ByteSpan bytes = view.page(p);
      EXPECT_TRUE(pages.add(p, Bytes(ByteVector(bytes.begin(), bytes.end()))));
    }
    return pages;
  }
  const Hierarchy& hierarchy() const { return hierarchy_; }

 private:
  Hierarchy hierarchy_;
  ByteVector file_;

 public:
  hcluster::View view;
};

std::vector<std::array<Point, 3>> triangles_of(const runtime::ClusterPages& pages,
                                               const runtime::ClusterSelection& selection) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_page;
  for (const runtime::SelectedCluster& c : selection.clusters) by_page[c.page].push_back(c.cluster);
  std::vector<std::array<Point, 3>> triangles;
  hcluster::PageDecoder decoder(pages.view());
  const auto cluster = std::make_unique<hcluster::DecodedCluster>();
  for (auto& [page, clusters] : by_page) {
    EXPECT_TRUE(decoder.open(page, pages.bytes(page)));
    for (std::uint32_t c = 0; decoder.next(*cluster).value(); ++c) {
      for (auto n = std::ranges::count(clusters, c); n > 0; --n) {
        for (std::uint32_t t = 0; t < cluster->triangle_count; ++t) {
          std::array<Point, 3> triangle;
          for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t v = cluster->triangles[t][k];
            triangle[k] = {cluster->vertices.at(0, v), cluster->vertices.at(1, v), cluster->vertices.at(2, v)};
          }
          triangles.push_back(triangle);
        }
      }
    }
  }
  return triangles;
}

// Every edge has as many triangles on one side as on the other.
bool is_closed(const std::vector<std::array<Point, 3>>& triangles) {
  std::map<std::array<Point, 2>, int> edges;
  for (const auto& triangle : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Point a = triangle[k], b = triangle[(k + 1) % 3];
      if (a < b) ++edges[{a, b}];
      if (b < a) --edges[{b, a}];
    }
  }
  return std::ranges::all_of(edges, [](const auto& edge) { return edge.second == 0; });
}

// The clusters of a selection, as numbers of the hierarchy.
std::vector<std::uint32_t> clusters_of(const PagedMesh& mesh, const runtime::ClusterSelection& selection) {
  const Hierarchy& h = mesh.hierarchy();
  std::vector<std::uint32_t> clusters;
  for (const runtime::SelectedCluster& c : selection.clusters) {
    const std::uint32_t in_group = c.cluster - mesh.view.groups()[c.group].first_cluster;
    const Group& group = h.groups[h.groups.size() - 1 - c.group];
    clusters.push_back(h.members[group.first_cluster + in_group]);
  }
  std::ranges::sort(clusters);
  return clusters;
}

Shape closed_shape() { return sphere(192, 96); }

TEST(ClusterPages, with_all_pages_the_selection_is_the_cut) {
  const PagedMesh mesh(closed_shape(), 2);
  ASSERT_GT(mesh.view.pages().size(), 20u);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> unit(-1, 1);
  const runtime::ClusterPages pages = mesh.pages_with(random, 2);
  runtime::ClusterSelection selection;
  for (int i = 0; i < 50; ++i) {
    const scene::Vec3 eye{unit(random) * 3, unit(random) * 3, unit(random) * 3};
    const float limit = std::pow(10.0f, unit(random) * 2 - 3);
    select_clusters(pages, {.eye = {eye.x, eye.y, eye.z}, .limit = limit}, selection);
    EXPECT_EQ(clusters_of(mesh, selection), cut_at_view(mesh.hierarchy(), {.eye = eye}, limit));
  }
}

// Whatever pages are missing, a closed mesh has no hole, and nothing is drawn twice.
TEST(ClusterPages, a_closed_mesh_stays_closed_with_random_pages) {
  const PagedMesh mesh(closed_shape(), 2);
  std::mt19937 random(2);
  std::uniform_real_distribution<float> unit(-1, 1);
  std::size_t coarser = 0;
  const runtime::ClusterPages all = mesh.pages_with(random, 2);
  for (int i = 0; i < 60; ++i) {
    const runtime::ClusterPages pages = mesh.pages_with(random, 0.5f + 0.5f * std::abs(unit(random)));
    const runtime::ClusterView view{.eye = {unit(random) * 2, unit(random) * 2, unit(random) * 2},
                                    .limit = std::pow(10.0f, unit(random) * 2 - 3)};
    runtime::ClusterSelection selection;
    select_clusters(pages, view, selection);
    const auto triangles = triangles_of(pages, selection);
    ASSERT_FALSE(triangles.empty());
    ASSERT_TRUE(is_closed(triangles)) << i;
    // Each way from a cluster of the source to the root passes one cluster that is drawn.
    const Hierarchy& h = mesh.hierarchy();
    const std::vector<std::uint32_t> drawn = clusters_of(mesh, selection);
    std::vector<std::vector<std::uint32_t>> above(h.groups.size());
    for (std::uint32_t c = 0; c < h.clusters.size(); ++c) {
      if (h.clusters[c].refined != kNone) above[h.clusters[c].refined].push_back(c);
    }
    for (std::uint32_t c = 0; c < h.clusters.size(); ++c) {
      if (h.clusters[c].refined != kNone) continue;
      int count = 0;
      for (std::uint32_t at = c;;) {
        count += static_cast<int>(std::ranges::count(drawn, at));
        const auto& further = above[h.clusters[at].group];
        if (further.empty()) break;
        at = further[random() % further.size()];
      }
      ASSERT_EQ(count, 1) << i;
    }
    runtime::ClusterSelection best;
    select_clusters(all, view, best);
    coarser += triangles.size() < triangles_of(all, best).size() ? 1 : 0;
  }
  EXPECT_GT(coarser, 15u);
}

}  // namespace
}  // namespace assetc::mesh::cluster
