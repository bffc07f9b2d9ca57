// A material as its recipe leaves it: what containers of materials write.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "assetc/base/uuid.hpp"
#include "scene/scene.hpp"

namespace assetc::recipes {

// What a slot of a material means for the pixels: the texture recipe's mode.
struct MaterialSlot {
  scene::TextureUse scene::Material::* use;
  std::string_view mode;
  std::string_view name;
};
inline constexpr std::array kMaterialSlots{
    MaterialSlot{&scene::Material::base_color_texture, "color", "base color"},
    MaterialSlot{&scene::Material::metallic_roughness_texture, "linear", "metallic-roughness"},
    MaterialSlot{&scene::Material::normal_texture, "normal", "normal"},
    MaterialSlot{&scene::Material::occlusion_texture, "linear", "occlusion"},
    MaterialSlot{&scene::Material::emissive_texture, "color", "emissive"},
};

struct CompiledMaterial {
  scene::Material material;
  std::array<std::uint64_t, kMaterialSlots.size()> textures{};  // hash_asset_ref of each slot's texture, 0 for none
  // Of a target with UUIDs, instead: of each slot, nil for none, and of each of material.textures.
  std::array<Uuid, kMaterialSlots.size()> texture_uuids{};
  std::vector<Uuid> named_texture_uuids{};
};

}  // namespace assetc::recipes
