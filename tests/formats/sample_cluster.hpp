// A .hcluster of three levels in two pages: four clusters of the source, two above them, and one at the root.
#pragma once

#include <array>
#include <functional>
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

// The first components of joints and weights, after those of sample_clusters().
inline constexpr std::uint32_t kSampleJoints = 9, kSampleWeights = 13;

inline hmesh::GpuJoint sample_cluster_joint(std::int32_t parent) {
  return {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}, parent, 0};
}

// One cluster whose vertices follow joints 0 and 2. change: of its vertices.
inline hcluster::Model skinned_clusters(const std::function<void(hcluster::ClusterVertices&)>& change = {}) {
  using namespace hcluster;
  Model m = sample_clusters();
  m.channels.push_back({Semantic::kJoints, 0, 4, 2, Predictor::kNeighbors, 0, {}, 1, 0});
  m.channels.push_back({Semantic::kWeights, 0, 4, 8, Predictor::kNeighbors, 0, {}, 1.0f / 255, 0.002f});
  m.joints = {sample_cluster_joint(-1), sample_cluster_joint(0), sample_cluster_joint(1)};
  m.pose_bounds = {{{-1, 0, 2}, {15, 9, 4}, {7, 4, 3}, 11}};
  m.joint_names = {"hip", "", "hand"};
  m.desc.triangle_count = m.desc.cluster_count = m.desc.level_count = 0;
  m.desc.source_triangle_count = 16;
  m.desc.skin_weight = 0.25f;
  m.groups.clear(), m.pages.clear(), m.dependencies.clear(), m.data.clear();
  SheetCluster cluster(0, 1, 4, false);
  for (std::uint32_t v = 0; v < cluster.vertex_count; ++v) {
    cluster.vertices.at(kSampleJoints + 1, v) = 2;
    cluster.vertices.at(kSampleJoints + 2, v) = cluster.vertices.at(kSampleJoints + 3, v) = 2;
    cluster.vertices.at(kSampleWeights, v) = 255 - v;
    cluster.vertices.at(kSampleWeights + 1, v) = v;
  }
  if (change) change(cluster.vertices);
  PageWriter writer(m);
  writer.begin({{7, 0.5f, 3}, 8.5f, std::numeric_limits<float>::infinity(), 0, 0, 0, 0});
  writer.add(cluster.input());
  writer.end();
  writer.finish();
  build_nodes(m);
  return m;
}

// Two targets; the first moves positions and normals of every third vertex of a cluster, the second colors and, in the
// second cluster, all positions.
inline hcluster::ClusterOffsets sample_offsets(std::uint32_t cluster, std::uint32_t vertex_count) {
  using namespace hcluster;
  ClusterOffsets out;
  const auto add = [&](std::uint16_t target, OffsetAttribute attribute, std::uint8_t set, std::uint32_t every) {
    OffsetTrack track{target, attribute, set, static_cast<std::uint32_t>(out.offsets.size()), 0};
    for (std::uint32_t v = 0; v < vertex_count; v += every, ++track.count) {
      VertexOffset offset{static_cast<std::uint8_t>(v), {}};
      for (std::uint32_t k = 0; k < component_count_of(attribute); ++k) {
        offset.value[k] = static_cast<std::int16_t>((v * 977 + k * 5501 + target * 131 + cluster) % 65535 - 32767);
      }
      out.offsets.push_back(offset);
    }
    out.tracks.push_back(track);
  };
  add(0, OffsetAttribute::kPosition, 0, 3);
  add(0, OffsetAttribute::kNormal, 0, 3);
  if (cluster == 1) add(1, OffsetAttribute::kPosition, 0, 1);
  add(1, OffsetAttribute::kColor, 1, 5);
  return out;
}

// Two clusters in two groups and pages. change: of the offsets of the first cluster.
inline hcluster::Model morphed_clusters(const std::function<void(hcluster::ClusterOffsets&)>& change = {},
                                        std::size_t max_bytes = hcluster::kMaxPageBytes) {
  using namespace hcluster;
  Model m = sample_clusters();
  m.desc.triangle_count = m.desc.cluster_count = m.desc.level_count = 0;
  m.desc.source_triangle_count = 16;
  m.groups.clear(), m.pages.clear(), m.dependencies.clear(), m.data.clear();
  m.morphs.targets = {{"smile", 0, 0.25f, 0, 1, 0.01f, 0.005f, 0}, {"", 0, 0, -1, 2, 0.02f, 0, 0}};
  m.morphs.groups = {{2, hmesh::kNoNode}};
  m.morphs.channels = {{1, 4, 1, 0, 0, 0.001f, 0}};
  m.morph_radii = {568, 1136};
  PageWriter writer(m);
  const SheetCluster sheet(0, 1, 4, false);
  std::array<ClusterOffsets, 2> offsets{sample_offsets(0, sheet.vertex_count), sample_offsets(1, sheet.vertex_count)};
  if (change) change(offsets[0]);
  for (std::uint32_t c = 0; c < 2; ++c) {
    GroupWriter group(m.channels, m.desc.box_shift);
    group.begin({{7, 0.5f, 3}, 8.5f, c == 0 ? std::numeric_limits<float>::infinity() : 1.0f, 1 - c, 0, 0, 0});
    ClusterInput input = sheet.input(c == 0 ? 1 : kNone);
    input.offsets = &offsets[c];
    group.add(input);
    if (!writer.put(group.end(), max_bytes)) return {};  // no file: every test of it fails
    writer.finish();
  }
  build_nodes(m);
  return m;
}

}  // namespace assetc::formats_test
