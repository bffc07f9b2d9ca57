// A .hcluster of three levels in two pages: four clusters of the source, two above them, and one at the root.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hcluster.hpp"

namespace assetc::formats_test {

// Two strips of quads on a wavy sheet, from column x on, each column of width steps.
struct SheetCluster {
  std::vector<std::array<std::uint8_t, 3>> triangles;
  std::vector<hcluster::MaterialRange> materials;
  hcluster::ClusterVertices vertices{};
  std::uint32_t vertex_count = 0;

  SheetCluster(std::uint32_t x, std::uint32_t width, std::uint32_t columns, bool has_two_materials) {
    for (std::uint32_t column = 0; column <= columns; ++column) {
      for (std::uint32_t row = 0; row < 3; ++row) {
        const std::uint32_t at = x + column * width, v = vertex_count++;
        vertices.ids[v] = at * 3 + row;
        const std::array<std::uint32_t, 9> values = {
            at * 100,
            50 + at * 37 % 11,
            row * 100,  // position
            127 + at % 5,
            127 + row,  // normal
            at * 64,
            row * 64,  // texture coordinate
            (at * 7 + row) % 512,
            at * 4096 + row * 1234567,  // tangent, and a channel that readers skip
        };
        for (std::uint32_t k = 0; k < values.size(); ++k) vertices.at(k, v) = values[k];
      }
    }
    for (std::uint32_t row = 0; row < 2; ++row) {
      for (std::uint32_t column = 0; column < columns; ++column) {
        const auto corner = [&](std::uint32_t i, std::uint32_t j) {
          return static_cast<std::uint8_t>((column + i) * 3 + row + j);
        };
        triangles.push_back({corner(0, 0), corner(0, 1), corner(1, 0)});
        triangles.push_back({corner(1, 0), corner(0, 1), corner(1, 1)});
      }
    }
    const auto count = static_cast<std::uint32_t>(triangles.size());
    if (has_two_materials) {
      materials = {{1, count / 2}, {hcluster::kNone, count}};
    } else {
      materials = {{0, count}};
    }
  }
  hcluster::ClusterInput input(std::uint32_t refined = hcluster::kNone) const {
    return {refined, vertex_count, triangles, materials, &vertices};
  }
};

inline hcluster::Model sample_clusters() {
  using hcluster::Predictor;
  using hcluster::Semantic;
  constexpr auto kInfinite = std::numeric_limits<float>::infinity();
  hcluster::Model m;
  m.channels = {
      {Semantic::kPosition, 0, 3, 16, Predictor::kNeighbors, 0, {-1, 0, 2, 0}, 0.01f, 0.005f},
      {Semantic::kNormal, 0, 2, 8, Predictor::kNormal, 0, {-1, -1, 0, 0}, 2.0f / 255, 1.0f / 255},
      {Semantic::kTexcoord, 1, 2, 12, Predictor::kNeighbors, 0, {0, 0, 0, 0}, 1.0f / 4096, 1.0f / 8192},
      {Semantic::kTangent, 0, 1, 9, Predictor::kNeighbors, 0, {0, 0, 0, 0}, 1, 0.01f},
      {Semantic{77}, 3, 1, 24, Predictor::kNeighbors, 0, {0, 0, 0, 0}, 1, 0.5f},
  };
  m.materials = {hash_asset_ref("models/sheet/wood"), hash_asset_ref("models/sheet/stone")};
  m.bounds = {{-1, 0, 2}, {15, 1, 4}, {7, 0.5f, 3}, 8.1f};
  m.desc.normal_weight = 0.5f;
  m.desc.texcoord_weight = 0.25f;
  m.desc.color_weight = 0.125f;
  m.desc.position_error = 0.00867f;
  hcluster::PageWriter writer(m);
  writer.begin({{7, 0.5f, 3}, 8.5f, kInfinite, 2, 0, 0, 0});
  writer.add(SheetCluster(0, 4, 4, false).input(1));
  writer.end();
  writer.begin({{7, 0.5f, 3}, 8.25f, 0.5f, 1, 0, 0, 0});
  writer.add(SheetCluster(0, 2, 4, true).input(2));
  writer.add(SheetCluster(8, 2, 4, false).input(2));
  writer.end();
  writer.finish();
  writer.begin({{7, 0.5f, 3}, 8.125f, 0.125f, 0, 0, 0, 0});
  for (const std::uint32_t x : {0, 4, 8, 12}) {
    const SheetCluster cluster(x, 1, 4, x == 4);
    writer.add(cluster.input());
    m.desc.source_triangle_count += cluster.triangles.size();
  }
  writer.end();
  writer.finish();
  hcluster::build_nodes(m);
  return m;
}

}  // namespace assetc::formats_test
