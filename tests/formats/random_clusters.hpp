// Random clusters of every kind that the codec of .hcluster must hold. The same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "assetc/formats/cluster_codec.hpp"

namespace assetc::formats_test {

class RandomClusters {
 public:
  struct Cluster {
    std::uint32_t vertex_count = 0;
    std::vector<std::array<std::uint8_t, 3>> triangles;
    std::vector<std::uint32_t> material_ends;
    hcluster::ClusterVertices vertices{};
  };

  explicit RandomClusters(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  // Up to max_count channels and 32 components; the first is a position.
  std::vector<hcluster::ChannelBits> channels(std::uint32_t max_count = hcluster::kMaxChannels) {
    std::vector<hcluster::ChannelBits> list{{3, bits(), hcluster::Predictor::kNeighbors}};
    std::uint32_t left = hcluster::kMaxComponents - 3;
    const std::uint32_t count = 1 + below(max_count);
    while (list.size() < count && left > 0) {
      const auto components = static_cast<std::uint8_t>(1 + below(std::min(4u, left)));
      left -= components;
      const bool is_normal = components == 2 && below(2) == 0;
      list.push_back({components, bits(), is_normal ? hcluster::Predictor::kNormal : hcluster::Predictor::kNeighbors});
    }
    return list;
  }

  // A group of clusters that share some of their vertices.
  std::vector<Cluster> group(const std::vector<hcluster::ChannelBits>& channels, std::uint32_t count) {
    pool_.clear();
    std::vector<Cluster> list;
    list.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) list.push_back(cluster(channels));
    return list;
  }

 private:
  std::uint8_t bits() { return static_cast<std::uint8_t>(1 + below(hcluster::kMaxComponentBits)); }

  // Any corners at all: edges with many triangles, triangles with one vertex, the same triangle twice.
  void soup(Cluster& out) {
    out.triangles.resize(1 + below(hcluster::kMaxClusterTriangles));
    const auto corners = static_cast<std::uint32_t>(3 * out.triangles.size());
    out.vertex_count = 1 + below(std::min(hcluster::kMaxClusterVertices, corners));
    for (std::uint32_t c = 0; c < corners; ++c)
      out.triangles[c / 3][c % 3] = static_cast<std::uint8_t>(below(out.vertex_count));
    // Every vertex is used: the corners from a random one on use each vertex once.
    const std::uint32_t first = below(corners);
    for (std::uint32_t v = 0; v < out.vertex_count; ++v) {
      const std::uint32_t c = (first + v) % corners;
      out.triangles[c / 3][c % 3] = static_cast<std::uint8_t>(v);
    }
  }
  void grid(Cluster& out) {
    const std::uint32_t width = 1 + below(8), height = 1 + below(8);
    out.vertex_count = (width + 1) * (height + 1);
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const auto at = [&](std::uint32_t i, std::uint32_t j) {
          return static_cast<std::uint8_t>((y + j) * (width + 1) + x + i);
        };
        out.triangles.push_back({at(0, 0), at(1, 0), at(1, 1)});
        out.triangles.push_back({at(0, 0), at(1, 1), at(0, 1)});
      }
    }
  }
  void separate(Cluster& out) {
    out.triangles.resize(1 + below(hcluster::kMaxClusterVertices / 3));
    for (auto& triangle : out.triangles) {
      for (std::uint8_t& corner : triangle) corner = static_cast<std::uint8_t>(out.vertex_count++);
    }
  }
  // As many triangles and vertices as a cluster can have.
  void full(Cluster& out) {
    out.vertex_count = hcluster::kMaxClusterVertices;
    for (std::uint32_t t = 0; t < hcluster::kMaxClusterTriangles; ++t) {
      const auto at = [&](std::uint32_t i) { return static_cast<std::uint8_t>((t + i) % out.vertex_count); };
      out.triangles.push_back(t % 2 == 0 ? std::array{at(0), at(1), at(2)} : std::array{at(1), at(0), at(2)});
    }
  }

  Cluster cluster(const std::vector<hcluster::ChannelBits>& channels) {
    Cluster out;
    switch (below(5)) {
      case 0:
        grid(out);
        break;
      case 1:
        separate(out);
        break;
      case 2:
        full(out);
        break;
      default:
        soup(out);
        break;
    }
    const auto count = static_cast<std::uint32_t>(out.triangles.size());
    std::set<std::uint32_t> ends{count};
    for (std::uint32_t i = below(4); i > 0; --i) ends.insert(1 + below(count));
    out.material_ends.assign(ends.begin(), ends.end());

    // Some vertices of clusters before, others that are new.
    const auto known = static_cast<std::uint32_t>(pool_.size());
    const std::uint32_t spread = 1 + below(24);  // values of a cluster are near each other, or anywhere
    std::set<std::uint32_t> taken;
    for (std::uint32_t v = 0; v < out.vertex_count; ++v) {
      std::uint32_t id = known > 0 && below(3) == 0 ? below(known) : static_cast<std::uint32_t>(pool_.size());
      if (!taken.insert(id).second) id = static_cast<std::uint32_t>(pool_.size());
      if (id == pool_.size()) pool_.push_back(row(channels, spread));
      out.vertices.ids[v] = id;
      for (std::uint32_t k = 0; k < pool_[id].size(); ++k) out.vertices.at(k, v) = pool_[id][k];
    }
    return out;
  }
  std::vector<std::uint32_t> row(const std::vector<hcluster::ChannelBits>& channels, std::uint32_t spread) {
    std::vector<std::uint32_t> values;
    for (const hcluster::ChannelBits& channel : channels) {
      for (std::uint32_t k = 0; k < channel.components; ++k)
        values.push_back(below(1u << std::min<std::uint32_t>(channel.bits, spread)));
    }
    return values;
  }

  std::mt19937 random_;
  std::vector<std::vector<std::uint32_t>> pool_;  // the vertices of the group
};

}  // namespace assetc::formats_test
