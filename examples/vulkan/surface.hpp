// What a draw looks like: a material of any container as the shaders have it.
#pragma once

#include <array>
#include <assetc/runtime/assets.hpp>
#include <optional>
#include <span>

#include "draw.hpp"

namespace example {

constexpr std::size_t kNormalTexture = 2;

struct Surface {
  DrawConstants constants{};  // of the material alone
  // Base color, metallic and roughness, normal (kNormalTexture), occlusion, emissive; nothing where the material has
  // none.
  std::array<std::optional<assetc::runtime::AssetHandle>, kMaterialTextures> textures{};
  bool is_blended = false, is_double_sided = false;
};

// The surface of a material slot: a row of the .hmat beside a mesh, or a material of its own. Without a material, or
// where it failed to load, glTF's default.
Surface surface_of(std::span<const assetc::runtime::AssetRef<assetc::runtime::MaterialData>> materials,
                   std::uint32_t slot, const assetc::runtime::Catalog& catalog);

}  // namespace example
