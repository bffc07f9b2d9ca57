// The data of one draw, in the layout of the shaders in assets/shaders.
#pragma once

#include <cstdint>

#include "linear.hpp"
#include "meshes.hpp"
#include "vertex_input.hpp"

namespace example {

constexpr std::uint32_t kMask = 1, kUnlit = 2, kHasTangents = 4, kOpaque = 8;

struct DrawConstants {
  Matrix model{};
  Vec4 base_color{1, 1, 1, 1};
  Vec3 emissive{0, 0, 0};
  float metallic = 0;
  float roughness = 1, normal_scale = 1, occlusion_strength = 1, alpha_cutoff = 0.5f;
  std::uint32_t flags = kOpaque;
  std::uint32_t first_joint = 0;
  std::uint32_t first_transform = 0;  // of texture coordinates, one for each texture
};
static_assert(sizeof(DrawConstants) == 124);

struct CullConstants {
  std::array<Vec4, 5> planes{};  // planes of the frustum; like eye, in mesh space
  Vec3 eye{};
  std::uint32_t has_cones = 0;
  std::uint32_t first_meshlet = 0, meshlet_count = 0, first_command = 0;
};
static_assert(sizeof(CullConstants) == 108);

// A submesh of an instance.
struct Draw {
  const GpuMesh* mesh = nullptr;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorSet material = VK_NULL_HANDLE;
  DrawConstants constants;
  bool is_skinned = false, is_blended = false, is_double_sided = false;
  float distance = 0;  // from the eye; blended draws are sorted from far to near

  // Meshlets that the device culls. Without meshlets the whole index range is drawn.
  VkDescriptorSet meshlets = VK_NULL_HANDLE;
  CullConstants cull;
  std::uint32_t vertices = 0, indices = 0;  // indices into the vectors of the mesh
  std::uint32_t first_index = 0, index_count = 0;
  std::int32_t base_vertex = 0;
  bool is_lod = false;
};

}  // namespace example
