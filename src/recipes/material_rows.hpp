// Materials of a scene as rows of a .hmat.
#pragma once

#include "assetc/formats/hmat.hpp"
#include "scene/scene.hpp"

namespace assetc::recipes {

// Factors and flags; the texture refs are the caller's to fill in.
hmat::GpuMaterial to_row(const scene::Material& material);

// What a slot of a material means for the pixels: the texture recipe's mode.
struct MaterialSlot {
  scene::TextureUse scene::Material::* use;
  std::uint64_t hmat::GpuMaterial::* ref;
  std::string_view mode;
  std::string_view name;
};
std::span<const MaterialSlot> material_slots();

}  // namespace assetc::recipes
