// A compiled material, the input of material containers.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "recipes/naming.hpp"
#include "scene/scene.hpp"

namespace assetc::recipes {

// mode: how the pixels of a texture in this slot are used.
struct MaterialSlot {
  scene::TextureUse scene::Material::* use;
  scene::TextureUsage mode;
  std::string_view name;
};
inline constexpr std::array kMaterialSlots{
    MaterialSlot{&scene::Material::base_color_texture, scene::TextureUsage::kColor, "base color"},
    MaterialSlot{&scene::Material::metallic_roughness_texture, scene::TextureUsage::kLinear, "metallic-roughness"},
    MaterialSlot{&scene::Material::normal_texture, scene::TextureUsage::kNormal, "normal"},
    MaterialSlot{&scene::Material::occlusion_texture, scene::TextureUsage::kLinear, "occlusion"},
    MaterialSlot{&scene::Material::emissive_texture, scene::TextureUsage::kColor, "emissive"},
};

struct CompiledMaterial {
  scene::Material material;
  std::array<TextureRef, kMaterialSlots.size()> textures{};  // one for each slot
  std::vector<TextureRef> named_textures{};  // one for each of material.textures, if the container keeps them
};

}  // namespace assetc::recipes
