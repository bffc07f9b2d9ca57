// Meshes of clusters: streams their pages into a pool on the device.
#pragma once

#include <assetc/runtime/cluster_streamer.hpp>
#include <assetc/runtime/clusters.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cluster_pool.hpp"
#include "stream.hpp"

namespace example {

// A mesh on the device. Parts are in the order of materials.
struct GpuClusters {
  Buffer groups;  // as in the file
  Buffer usable;  // of each page: whether it may be drawn
  Buffer parts;
  struct Material {
    std::uint32_t number;  // hcluster::kNone: none
    std::uint32_t first_part, part_count;
  };
  std::vector<Material> materials;
  std::vector<ClusterPart> on_host;  // the parts

  std::uint32_t part_count() const { return static_cast<std::uint32_t>(on_host.size()); }
};

class Clusters {
 public:
  Clusters(const Device& device, Stream& stream, std::uint32_t slot_count);
  ~Clusters();
  Clusters(const Clusters&) = delete;
  Clusters& operator=(const Clusters&) = delete;

  const ClusterPool& pool() const { return pool_; }
  // Loads the tables of a mesh and the pages that are always loaded. Ends the program if that fails.
  assetc::runtime::ClusterMesh load(const assetc::runtime::AssetHandle& asset);
  const assetc::runtime::ClusterData& data(assetc::runtime::ClusterMesh mesh) const { return *streamer_.data(mesh); }
  const assetc::runtime::ClusterPages& pages(assetc::runtime::ClusterMesh mesh) const { return *streamer_.pages(mesh); }
  const GpuClusters& on_device(assetc::runtime::ClusterMesh mesh) const { return meshes_.at(mesh).gpu; }

  // Loads and uploads the pages that these views need, until nothing is left to load.
  void settle(std::span<const assetc::runtime::ClusterUse> uses);
  assetc::runtime::ClusterStreamerStats stats() const { return streamer_.stats(); }

 private:
  struct Mesh {
    GpuClusters gpu;
    std::optional<assetc::hcluster::PageDecoder> decoder;
    std::unordered_map<std::uint32_t, std::map<std::uint32_t, std::vector<ClusterPart>>> pages;  // parts of materials
    bool is_changed = false;
  };
  void update(std::span<const assetc::runtime::ClusterUse> uses);
  void drop(Mesh& mesh, std::uint32_t page);
  void build(assetc::runtime::ClusterMesh number, Mesh& mesh);
  void destroy(GpuClusters& gpu) const;

  const Device& device_;
  Stream& stream_;
  ClusterPool pool_;
  assetc::runtime::ClusterStreamer streamer_;
  std::unordered_map<assetc::runtime::AssetHandle, assetc::runtime::ClusterMesh> known_;
  std::map<assetc::runtime::ClusterMesh, Mesh> meshes_;
};

}  // namespace example
