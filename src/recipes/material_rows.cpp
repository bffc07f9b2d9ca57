#include "recipes/material_rows.hpp"

#include <algorithm>
#include <array>

namespace assetc::recipes {

using scene::Material;

namespace {

constexpr std::array kSlots{
    MaterialSlot{&Material::base_color_texture, &hmat::GpuMaterial::base_color_texture, "color", "base colour"},
    MaterialSlot{&Material::metallic_roughness_texture, &hmat::GpuMaterial::metallic_roughness_texture, "linear",
                 "metallic-roughness"},
    MaterialSlot{&Material::normal_texture, &hmat::GpuMaterial::normal_texture, "normal", "normal"},
    MaterialSlot{&Material::occlusion_texture, &hmat::GpuMaterial::occlusion_texture, "linear", "occlusion"},
    MaterialSlot{&Material::emissive_texture, &hmat::GpuMaterial::emissive_texture, "color", "emissive"},
};

}  // namespace

std::span<const MaterialSlot> material_slots() { return kSlots; }

hmat::GpuMaterial to_row(const Material& m) {
  hmat::GpuMaterial row;
  const std::array color{m.base_color.x, m.base_color.y, m.base_color.z, m.base_color.w};
  const std::array emissive{m.emissive.x, m.emissive.y, m.emissive.z};
  std::ranges::copy(color, row.base_color_factor);
  std::ranges::copy(emissive, row.emissive_factor);
  row.metallic_factor = m.metallic;
  row.roughness_factor = m.roughness;
  row.normal_scale = m.normal_scale;
  row.occlusion_strength = m.occlusion_strength;
  row.alpha_cutoff = m.alpha_cutoff;
  if (m.double_sided) row.flags |= hmat::GpuMaterial::kDoubleSided;
  if (m.unlit) row.flags |= hmat::GpuMaterial::kUnlit;
  row.set_alpha_mode(static_cast<hmat::AlphaMode>(m.alpha_mode));
  return row;
}

}  // namespace assetc::recipes
