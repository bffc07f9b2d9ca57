// Renders one picture of a scene.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster_pass.hpp"
#include "pipelines.hpp"
#include "scene.hpp"

namespace example {

struct CullCounts {
  std::uint32_t drawn = 0, outside = 0, facing_away = 0;  // counts of meshlets
};

class Frame {
 public:
  // visible: the clusters that were visible in the last picture; draw() needs it and replaces it.
  Frame(const Device& device, const Textures& textures, const Pipelines& pipelines, const Clusters& clusters,
        const Scene& scene, const Options& options, VisibleClusters& visible);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  // Culls, draws and waits. Returns four bytes per texel, sRGB.
  std::vector<std::byte> draw();
  // Counts of the last draw().
  CullCounts counts() const;
  ClusterCounts cluster_counts() const { return clusters_->counts(); }

 private:
  void make_targets();
  void make_sets(const Textures& textures);
  void cull(VkCommandBuffer commands) const;
  void draw_scene(VkCommandBuffer commands) const;
  // Begins and ends a part of the picture. The first part clears it, the last part resolves its samples.
  void begin_part(VkCommandBuffer commands, bool is_first, bool is_last) const;
  void draw_sky(VkCommandBuffer commands) const;
  void draw_one(VkCommandBuffer commands, const Draw& draw, std::uint32_t first_command) const;

  const Device& device_;
  const Pipelines& pipelines_;
  const Scene& scene_;
  VkExtent2D extent_;
  float exposure_;
  Image samples_, depth_, color_;
  Buffer frame_, joints_, transforms_, commands_, counters_, pixels_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet frame_set_ = VK_NULL_HANDLE, command_set_ = VK_NULL_HANDLE;
  std::optional<ClusterPass> clusters_;
};

}  // namespace example
