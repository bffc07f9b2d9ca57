// The appearance of a draw: a material of any container, in the layout of the shaders.
#pragma once

#include <array>
#include <assetc/runtime/assets.hpp>
#include <optional>
#include <span>

#include "draw.hpp"

namespace example {

constexpr std::size_t kNormalTexture = 2;

struct Surface {
  DrawConstants constants{};  // only the material's part is set
  // Base color, metallic and roughness, normal (kNormalTexture), occlusion, emissive. Empty if the material has none.
  std::array<std::optional<assetc::runtime::AssetHandle>, kMaterialTextures> textures{};
  bool is_blended = false, is_double_sided = false;
};

// The surface of a material slot: a row of the .hmat beside a mesh, or a separate material. glTF's default if there is
// no material or it failed to load.
Surface surface_of(std::span<const assetc::runtime::AssetRef<assetc::runtime::MaterialData>> materials,
                   std::uint32_t slot, const assetc::runtime::Catalog& catalog);

}  // namespace example
