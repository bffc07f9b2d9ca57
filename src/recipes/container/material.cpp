#include <algorithm>
#include <array>
#include <vector>

#include "assetc/formats/hmat.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/material/compiled_material.hpp"

namespace assetc::recipes {
namespace {

hmat::GpuMaterial to_row(const CompiledMaterial& compiled) {
  const scene::Material& m = compiled.material;
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
  constexpr std::array<std::uint64_t hmat::GpuMaterial::*, kMaterialSlots.size()> kRefs{
      &hmat::GpuMaterial::base_color_texture, &hmat::GpuMaterial::metallic_roughness_texture,
      &hmat::GpuMaterial::normal_texture, &hmat::GpuMaterial::occlusion_texture, &hmat::GpuMaterial::emissive_texture};
  static_assert(kRefs.size() == hmat::kSlotCount);
  for (std::size_t slot = 0; slot < kRefs.size(); ++slot) {
    row.*kRefs[slot] = compiled.textures[slot].hash;
    if (compiled.textures[slot].hash != 0)
      row.set_sampler(static_cast<hmat::Slot>(slot), (m.*kMaterialSlots[slot].use).sampler);
  }
  return row;
}

Result<ByteVector> write_hmat(std::span<const CompiledMaterial> materials) {
  std::vector<hmat::GpuMaterial> rows;
  rows.reserve(materials.size());
  for (const CompiledMaterial& m : materials) rows.push_back(to_row(m));
  return hmat::write(rows);
}

}  // namespace

constinit const MaterialContainer kHmat{".hmat", write_hmat};

}  // namespace assetc::recipes
