// The appearance of a draw: a material of any container, in the layout of the shaders.
#pragma once

#include <array>
#include <assetc/runtime/assets.hpp>
#include <optional>
#include <span>

#include "draw.hpp"

namespace example {

constexpr std::size_t kNormalTexture = 2;

// From the texture coordinates of vertices to those of a texture, in the layout of the shaders: three columns.
using TexcoordTransform = std::array<float, 6>;

struct Surface {
  DrawConstants constants{};  // only the material's part is set
  // Base color, metallic and roughness, normal (kNormalTexture), occlusion, emissive. Empty if the material has none.
  std::array<std::optional<assetc::runtime::AssetHandle>, kMaterialTextures> textures{};
  // Of each texture.
  TexcoordSets texcoord_sets{};
  std::array<TexcoordTransform, kMaterialTextures> texcoord_transforms = [] {
    std::array<TexcoordTransform, kMaterialTextures> all{};
    all.fill({1, 0, 0, 1, 0, 0});
    return all;
  }();
  bool is_blended = false, is_double_sided = false;
};

// The surface of a material slot: a row of the .hmat beside a mesh, or a separate material. glTF's default if there is
// no material or it failed to load. A .hmat has no sets and transforms of texture coordinates: the .hscene does.
// scene: of the mesh, or null. Its materials are the slots of the mesh.
Surface surface_of(std::span<const assetc::runtime::AssetRef<assetc::runtime::MaterialData>> materials,
                   std::uint32_t slot, const assetc::runtime::Catalog& catalog, const assetc::hscene::View* scene);

}  // namespace example
