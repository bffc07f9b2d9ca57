// A material as its recipe leaves it: what containers of materials write.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "recipes/naming.hpp"
#include "scene/scene.hpp"

namespace assetc::recipes {

// mode: what a slot of a material means for the pixels.
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
  std::array<TextureRef, kMaterialSlots.size()> textures{};  // of each slot
  std::vector<TextureRef> named_textures{};  // of each of material.textures, where the container keeps them
};

}  // namespace assetc::recipes
