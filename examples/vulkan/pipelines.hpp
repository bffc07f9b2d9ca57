// The layouts of descriptor sets, and the pipelines for drawing and culling.
#pragma once

#include <assetc/runtime/manager.hpp>
#include <map>
#include <string>
#include <vector>

#include "device.hpp"
#include "vertex_input.hpp"

namespace example {

constexpr VkFormat kColorFormat = VK_FORMAT_R8G8B8A8_SRGB;
constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;

class Pipelines {
 public:
  // Shaders are assets: shaders/mesh.shader/vertex.spv and so on.
  Pipelines(const Device& device, assetc::runtime::Manager& manager);
  ~Pipelines();
  Pipelines(const Pipelines&) = delete;
  Pipelines& operator=(const Pipelines&) = delete;

  VkDescriptorSetLayout frame_set() const { return frame_set_; }
  VkDescriptorSetLayout material_set() const { return material_set_; }
  VkDescriptorSetLayout meshlet_set() const { return meshlet_set_; }
  VkDescriptorSetLayout command_set() const { return command_set_; }
  VkPipelineLayout draw_layout() const { return draw_layout_; }
  VkPipelineLayout cull_layout() const { return cull_layout_; }
  // For clusters: the tables of a mesh, the buffers of a picture, and the depths with their pyramid.
  VkDescriptorSetLayout cluster_mesh_set() const { return cluster_mesh_set_; }
  VkDescriptorSetLayout cluster_pass_set() const { return cluster_pass_set_; }
  VkDescriptorSetLayout pyramid_set() const { return pyramid_set_; }
  VkPipelineLayout select_layout() const { return select_layout_; }
  VkPipelineLayout pyramid_layout() const { return pyramid_layout_; }

  // Created on first use.
  VkPipeline mesh(const VertexInput& input, assetc::hmesh::Topology topology, bool is_skinned, bool is_blended);
  VkPipeline sky() const { return sky_; }
  VkPipeline cull() const { return cull_; }
  VkPipeline select() const { return select_; }
  VkPipeline pyramid() const { return pyramid_; }

 private:
  VkShaderModule module(assetc::runtime::Manager& manager, const std::string& path);
  VkDescriptorSetLayout set_layout(const std::vector<VkDescriptorSetLayoutBinding>& bindings) const;
  VkPipelineLayout layout(const std::vector<VkDescriptorSetLayout>& sets, VkShaderStageFlags stages,
                          std::uint32_t push_bytes) const;
  struct MeshKey {
    VertexInput input;
    assetc::hmesh::Topology topology = assetc::hmesh::Topology::kTriangles;
    bool is_skinned = false, is_blended = false;
    auto operator<=>(const MeshKey&) const = default;
  };
  VkPipeline compute_pipeline(VkShaderModule shader, VkPipelineLayout layout) const;
  // mesh: null for a pipeline without vertex buffers.
  VkPipeline draw_pipeline(VkShaderModule vertex, VkShaderModule fragment, const MeshKey* mesh) const;

  const Device& device_;
  VkDescriptorSetLayout frame_set_, material_set_, meshlet_set_, command_set_;
  VkDescriptorSetLayout cluster_mesh_set_, cluster_pass_set_, pyramid_set_;
  VkPipelineLayout draw_layout_, cull_layout_, select_layout_, pyramid_layout_;
  VkShaderModule mesh_vertex_ = VK_NULL_HANDLE, skinned_vertex_ = VK_NULL_HANDLE, mesh_fragment_ = VK_NULL_HANDLE;
  std::map<MeshKey, VkPipeline> meshes_;
  VkPipeline sky_ = VK_NULL_HANDLE, cull_ = VK_NULL_HANDLE, select_ = VK_NULL_HANDLE, pyramid_ = VK_NULL_HANDLE;
  std::vector<VkShaderModule> modules_;
};

}  // namespace example
