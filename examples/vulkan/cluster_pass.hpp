// Selects and draws the clusters of a picture on the device, with occlusion culling in two passes.
#pragma once

#include <assetc/runtime/clusters.hpp>
#include <cstdint>
#include <vector>

#include "clusters.hpp"
#include "draw.hpp"
#include "linear.hpp"
#include "options.hpp"
#include "pipelines.hpp"

namespace example {

// A mesh of clusters in the scene. Its draws have the constants, pipelines and materials, but no ranges.
struct ClusterInstance {
  assetc::runtime::ClusterMesh mesh{};
  Matrix model{};
  assetc::runtime::ClusterView view{};  // in the space of the mesh
  std::vector<Vec4> planes;             // of the view
  std::vector<Draw> draws;              // by number of the material; the last one is for triangles without one
};

struct ClusterCounts {
  std::size_t selected = 0, drawn_first = 0, drawn_after = 0, occluded = 0;
  std::size_t unlike_reference = 0;  // selected by the device and not by select_clusters(), or the other way round
};

// Which slots were visible in the last picture, for each instance.
using VisibleClusters = std::vector<std::uint32_t>;

class ClusterPass {
 public:
  // depths: as attachments and sampled, of the device's sample count. visible: of the last picture; draw() needs it and
  // replaces it.
  ClusterPass(const Device& device, const Pipelines& pipelines, const Clusters& clusters,
              const std::vector<ClusterInstance>& instances, const Camera& camera, const Image& depths,
              const Options& options, VisibleClusters& visible);
  ~ClusterPass();
  ClusterPass(const ClusterPass&) = delete;
  ClusterPass& operator=(const ClusterPass&) = delete;

  bool is_empty() const { return instances_.empty(); }
  // Before the pass is drawn, outside of rendering. Pass 1 needs the depths of pass 0 in the layout for attachments.
  void select(VkCommandBuffer commands, std::uint32_t pass) const;
  // Inside of rendering, with the set of the frame.
  void draw(VkCommandBuffer commands, std::uint32_t pass) const;
  // After the picture.
  void read_visible();
  ClusterCounts counts() const;

 private:
  void make_buffers(const Camera& camera, const Options& options);
  void make_sets(const Image& depths);
  void build_pyramid(VkCommandBuffer commands) const;

  const Device& device_;
  const Pipelines& pipelines_;
  const Clusters& clusters_;
  const std::vector<ClusterInstance>& instances_;
  VkImage depths_;
  VkExtent2D extent_;
  bool has_occlusion_;
  VisibleClusters& last_visible_;
  std::uint32_t part_count_ = 0, level_count_ = 0, pyramid_texels_ = 0;
  std::vector<std::uint32_t> first_parts_;  // of each instance
  Buffer views_, commands_, states_, visible_, pyramid_;
  VkSampler sampler_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet pass_set_ = VK_NULL_HANDLE, pyramid_set_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> mesh_sets_;  // of each instance
};

}  // namespace example
