// The scene to draw: loads assets, samples clips, chooses levels of detail.
#pragma once

#include <array>
#include <assetc/runtime/assets.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cluster_pass.hpp"
#include "draw.hpp"
#include "options.hpp"
#include "pipelines.hpp"
#include "stream.hpp"
#include "surface.hpp"
#include "textures.hpp"

namespace example {

// A light of a loaded scene, in the layout of the shaders (frame.glsl).
constexpr std::size_t kMaxLights = 16;
struct PunctualLight {
  Vec3 position{};
  float range = 0;
  Vec3 direction{};
  std::uint32_t type = 0;
  Vec3 color{};
  float cone_scale = 0;
  float cone_offset = 1;
  std::array<float, 3> pad{};
};
static_assert(sizeof(PunctualLight) == 64);

struct Light {
  VkImageView specular, irradiance, sky;
  float specular_last_level;
};

class Scene {
 public:
  // Loads the assets of the scene. A picture can be drawn with the levels that are loaded.
  Scene(const Device& device, Stream& stream, const Textures& textures, const Meshes& meshes, Clusters& clusters,
        Pipelines& pipelines, const Options& options);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // Sets the priority and the wanted level of each mesh and texture by its size in the picture.
  void want_detail() const;

  const Camera& camera() const { return camera_; }
  const Light& light() const { return light_; }
  // Opaque draws first, then blended draws from far to near.
  const std::vector<Draw>& draws() const { return draws_; }
  const std::vector<ClusterInstance>& clusters() const { return cluster_instances_; }
  // The skinning matrices of all instances.
  const std::vector<Matrix>& joints() const { return joints_; }
  // Of the texture coordinates of all draws: one for each texture.
  const std::vector<TexcoordTransform>& transforms() const { return transforms_; }
  // At most kMaxLights.
  const std::vector<PunctualLight>& lights() const { return lights_; }

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
  // Adds an instance for each visible node of a .hscene or cooked model that has a mesh, and its lights.
  void add_scene(const ModelOptions& options, const std::string& camera, std::vector<Instance>& instances);
  void add_light(const assetc::hscene::Light& light, const Matrix& world);
  void add_draws(const Instance& instance, const Options& options);
  // Sets the instance's mesh of clusters. The transform may have only a uniform scale.
  void load_clusters(const assetc::runtime::AssetHandle& asset, Instance& instance);
  void add_clusters(const Instance& instance, const Options& options);
  float height_of(const Instance& instance) const;
  std::uint32_t level_of(const Instance& instance) const;
  VkImageView texture(const std::optional<assetc::runtime::AssetHandle>& asset, const Instance& instance);
  VkDescriptorSet material_set(const Surface& surface, const Instance& instance);
  VkDescriptorSet meshlet_set(const GpuMesh& mesh);
  VkDescriptorSet new_set(VkDescriptorSetLayout layout) const;

  const Device& device_;
  Stream& stream_;
  const float picture_height_texels_;
  const Textures& textures_;
  const Meshes& meshes_;
  Clusters& clusters_;
  Pipelines& pipelines_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;

  // A mesh or a texture on an instance.
  struct Wanted {
    assetc::runtime::AnyRef ref;
    float height_texels = 0;  // of the instance in the picture
    std::uint32_t level = 0;
  };
  std::vector<Wanted> wanted_;
  std::vector<assetc::runtime::AnyRef> held_;  // keeps assets loaded while the device reads them
  Camera camera_;
  Light light_{};
  std::vector<Draw> draws_;
  std::vector<ClusterInstance> cluster_instances_;
  std::vector<Matrix> joints_;
  std::vector<TexcoordTransform> transforms_;
  std::vector<PunctualLight> lights_;
  std::optional<Camera> scene_camera_;  // that the options name
  float aspect_;
};

}  // namespace example
