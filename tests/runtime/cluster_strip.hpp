// A strip along x with levels of detail in clusters, in as many pages as a test wants. Each cluster covers a range of
// columns, so that a test can see whether a selection covers the strip once. Groups of a level overlap those of the
// next one, so pages depend on several others.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "assetc/runtime/clusters.hpp"
#include "formats/sample_cluster.hpp"

namespace assetc::runtime {

struct StripOptions {
  std::uint32_t clusters = 64;  // of the source; a power of two
  std::uint32_t groups_in_page = 1;
  std::uint32_t shift = 0;  // of y: makes another file
};

inline constexpr std::uint32_t kClusterColumns = 4;

inline hcluster::Model strip_model(const StripOptions& options) {
  using hcluster::Predictor;
  using hcluster::Semantic;
  struct Cluster {
    std::uint32_t x, width, refined;
  };
  struct Part {
    std::vector<Cluster> clusters;
    std::uint32_t level;
    float error;
  };
  std::vector<Part> groups;  // fine ones first
  std::vector<Cluster> level;
  level.reserve(options.clusters);
  for (std::uint32_t i = 0; i < options.clusters; ++i) level.push_back({i * kClusterColumns, 1, hcluster::kNone});
  for (std::uint32_t number = 0; level.size() > 1; ++number) {
    std::vector<Cluster> next;
    for (std::size_t begin = 0; begin < level.size();) {
      const std::size_t end = std::min(level.size(), begin + (begin == 0 && number % 2 == 1 ? 2 : 4));
      const auto group = static_cast<std::uint32_t>(groups.size());
      groups.push_back(
          {{level.begin() + static_cast<std::ptrdiff_t>(begin), level.begin() + static_cast<std::ptrdiff_t>(end)},
           number,
           0.25f * std::exp2(static_cast<float>(number))});
      for (std::size_t i = begin; i < end; i += 2) next.push_back({level[i].x, level[i].width * 2, group});
      begin = end;
    }
    level = std::move(next);
  }
  groups.push_back({level, groups.back().level + 1, std::numeric_limits<float>::infinity()});

  std::vector<std::array<float, 2>> spheres;  // center and radius along x
  for (const Part& group : groups) {
    float low = 1e9f, high = 0;
    for (const Cluster& c : group.clusters) {
      low = std::min(low, static_cast<float>(c.x) - 2);
      high = std::max(high, static_cast<float>(c.x + kClusterColumns * c.width) + 2);
      if (c.refined == hcluster::kNone) continue;
      low = std::min(low, spheres[c.refined][0] - spheres[c.refined][1]);
      high = std::max(high, spheres[c.refined][0] + spheres[c.refined][1]);
    }
    spheres.push_back({(low + high) / 2, (high - low) / 2});
  }

  hcluster::Model m;
  m.channels = {{Semantic::kPosition, 0, 3, 16, Predictor::kNeighbors, 0, {}, 1, 0.5f},
                {Semantic::kNormal, 0, 2, 8, Predictor::kNormal, 0, {-1, -1, 0, 0}, 2.0f / 255, 1.0f / 255}};
  m.materials = {1};
  const auto length = static_cast<float>(options.clusters * kClusterColumns);
  m.bounds = {{0, 0, 0}, {length, 2, 2}, {length / 2, 1, 1}, length};
  hcluster::PageWriter writer(m);
  const auto last = static_cast<std::uint32_t>(groups.size() - 1);
  for (std::uint32_t g = last + 1, in_page = 0; g-- > 0;) {
    const Part& group = groups[g];
    writer.begin({{spheres[g][0], 1, 1}, spheres[g][1], group.error, group.level, 0, 0, 0});
    for (const Cluster& c : group.clusters) {
      formats_test::SheetCluster sheet(0, c.width, kClusterColumns, false);
      for (std::uint32_t v = 0; v < sheet.vertex_count; ++v) {
        const std::uint32_t x = c.x + v / 3 * c.width;
        sheet.vertices.ids[v] = x * 3 + v % 3;
        sheet.vertices.at(0, v) = x;
        sheet.vertices.at(1, v) = options.shift + x % 3;
        sheet.vertices.at(2, v) = v % 3;
      }
      writer.add(sheet.input(c.refined == hcluster::kNone ? hcluster::kNone : last - c.refined));
      if (c.refined == hcluster::kNone) m.desc.source_triangle_count += sheet.triangles.size();
    }
    EXPECT_TRUE(writer.end());
    if (++in_page == options.groups_in_page || g == last) writer.finish(), in_page = 0;
  }
  writer.finish();
  hcluster::build_nodes(m);
  return m;
}

inline Bytes strip_file(const StripOptions& options = {}) {
  auto file = hcluster::write(strip_model(options));
  EXPECT_TRUE(file);
  return Bytes(std::move(*file));
}

// How often each column of a strip is covered by the decoded clusters of a selection.
inline std::vector<int> columns_of(const ClusterPages& pages, const ClusterSelection& selection) {
  std::vector<int> covered(pages.view().desc().source_triangle_count / 4);  // two quads of two triangles
  hcluster::PageDecoder decoder(pages.view());
  const auto cluster = std::make_unique<hcluster::DecodedCluster>();
  for (const SelectedCluster& c : selection.clusters) {
    EXPECT_TRUE(decoder.open(c.page, pages.bytes(c.page)));
    for (std::uint32_t i = 0; i <= c.cluster; ++i) EXPECT_TRUE(decoder.next(*cluster).value());
    EXPECT_EQ(cluster->group, c.group);
    std::uint32_t low = 0xFFFFFFFF, high = 0;
    for (std::uint32_t v = 0; v < cluster->vertex_count; ++v) {
      low = std::min(low, cluster->vertices.at(0, v));
      high = std::max(high, cluster->vertices.at(0, v));
    }
    for (std::uint32_t x = low; x < high; ++x) ++covered[x];
  }
  return covered;
}

}  // namespace assetc::runtime
