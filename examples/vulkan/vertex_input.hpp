// How a pipeline reads the vertices of a mesh of any container.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <assetc/runtime/mesh_layout.hpp>
#include <compare>
#include <cstdint>
#include <vector>

namespace example {

constexpr std::uint32_t kMaterialTextures = 5;
// The set of texture coordinates that each texture of a material uses.
using TexcoordSets = std::array<std::uint32_t, kMaterialTextures>;

// The inputs of the shaders in the order of their locations: position, normal, tangent, color, the texture coordinates
// of each texture; skinned meshes also have joints and weights.
struct VertexInput {
  static constexpr std::size_t kTexcoords = 4, kUnskinned = kTexcoords + kMaterialTextures, kSkinned = kUnskinned + 2;

  struct Attribute {
    VkFormat format = VK_FORMAT_UNDEFINED;
    std::uint32_t buffer = 0, offset_bytes = 0;
    auto operator<=>(const Attribute&) const = default;
  };
  std::array<Attribute, kSkinned> attributes{};
  // One stride for each buffer of the layout, and 0 for one more buffer, which holds kDefaultVertex and supplies the
  // attributes that the vertices lack.
  std::vector<std::uint32_t> strides_bytes;
  // Whether they are octahedral. The shaders take both forms; a pipeline sets these as specialization constants.
  VkBool32 has_packed_normals = VK_FALSE, has_packed_tangents = VK_FALSE;
  bool has_joints = false;
  auto operator<=>(const VertexInput&) const = default;
};

// The default for a normal, a tangent and texture coordinates, and from kDefaultColorBytes on, for a color.
constexpr std::array<float, 6> kDefaultVertex{0, 0, 1, 1, 1, 1};
constexpr std::uint32_t kDefaultColorBytes = 8;

// A set that the vertices lack is their first one.
VertexInput vertex_input(const assetc::runtime::VertexLayout& layout, const TexcoordSets& sets);

}  // namespace example
