// Renders one picture of a scene.
#pragma once

#include <cstdint>
#include <vector>

#include "pipelines.hpp"
#include "scene.hpp"

namespace example {

struct CullCounts {
  std::uint32_t drawn = 0, outside = 0, facing_away = 0;  // counts of meshlets
};

class Frame {
 public:
  Frame(const Device& device, const Textures& textures, const Pipelines& pipelines, const Scene& scene,
        const Options& options);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  // Culls, draws and waits. Returns four bytes per texel, sRGB.
  std::vector<std::byte> draw();
  // Counts of the last draw().
  CullCounts counts() const;

 private:
  void make_targets();
  void make_sets(const Textures& textures);
  void cull(VkCommandBuffer commands) const;
  void draw_scene(VkCommandBuffer commands) const;
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
};

}  // namespace example
