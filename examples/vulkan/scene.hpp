// The scene to draw: loads assets, samples clips, chooses levels of detail.
#pragma once

#include <array>
#include <assetc/runtime/assets.hpp>
#include <optional>
#include <string>
#include <vector>

#include "draw.hpp"
#include "options.hpp"
#include "pipelines.hpp"
#include "surface.hpp"
#include "textures.hpp"

namespace example {

struct Light {
  VkImageView specular, irradiance, sky;
  float specular_last_level;
};

class Scene {
 public:
  Scene(const Device& device, assetc::runtime::Manager& manager, const Textures& textures, const Meshes& meshes,
        Pipelines& pipelines, const Options& options);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  const Camera& camera() const { return camera_; }
  const Light& light() const { return light_; }
  // Opaque draws first, then blended draws from far to near.
  const std::vector<Draw>& draws() const { return draws_; }
  // The skinning matrices of all instances.
  const std::vector<Matrix>& joints() const { return joints_; }

 private:
  struct Instance;
  // The center and radius of a sphere around all instances.
  static std::array<float, 4> sphere_around(const std::vector<Instance>& instances);

  template <class T>
  assetc::runtime::AssetRef<T> load(const assetc::runtime::AssetHandle& asset);
  template <class T>
  assetc::runtime::AssetRef<T> load(const std::string& path);

  Instance make_instance(const ModelOptions& options);
  void pose(const ModelOptions& options, Instance& instance);
  void add_draws(const Instance& instance, const Options& options);
  std::size_t level_of(const Instance& instance) const;
  VkImageView texture(const std::optional<assetc::runtime::AssetHandle>& asset);
  VkDescriptorSet material_set(const Surface& surface);
  VkDescriptorSet meshlet_set(const GpuMesh& mesh);
  VkDescriptorSet new_set(VkDescriptorSetLayout layout) const;

  const Device& device_;
  assetc::runtime::Manager& manager_;
  const Textures& textures_;
  const Meshes& meshes_;
  Pipelines& pipelines_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;

  std::vector<assetc::runtime::AnyRef> held_;  // keeps assets loaded while the device reads them
  Camera camera_;
  Light light_{};
  std::vector<Draw> draws_;
  std::vector<Matrix> joints_;
};

}  // namespace example
