// How a pipeline reads the vertices of a mesh, whatever container they came in.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <assetc/runtime/mesh_layout.hpp>
#include <compare>
#include <cstdint>
#include <vector>

namespace example {

// The attributes of the shaders in the order of their locations: position, normal, tangent, texture coordinates, and of
// skinned meshes joints and weights.
struct VertexInput {
  static constexpr std::size_t kUnskinned = 4, kSkinned = 6;

  struct Attribute {
    VkFormat format = VK_FORMAT_UNDEFINED;
    std::uint32_t buffer = 0, offset_bytes = 0;
    auto operator<=>(const Attribute&) const = default;
  };
  std::array<Attribute, kSkinned> attributes{};
  // Of each buffer of the layout. One more buffer stands for what the vertices lack, with a stride of 0: all of them
  // read kDefaultVertex.
  std::vector<std::uint32_t> strides_bytes;
  // Octahedral. The shaders take either form: these are constants that a pipeline sets.
  VkBool32 has_packed_normals = VK_FALSE, has_packed_tangents = VK_FALSE;
  bool has_joints = false;
  auto operator<=>(const VertexInput&) const = default;
};

// A normal, a tangent or texture coordinates.
constexpr std::array<float, 4> kDefaultVertex{0, 0, 1, 1};

VertexInput vertex_input(const assetc::runtime::VertexLayout& layout);

}  // namespace example
