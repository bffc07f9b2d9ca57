#include "surface.hpp"

#include <algorithm>

namespace example {

using namespace assetc;

namespace {

Surface surface(const hmat::GpuMaterial& material, const runtime::Catalog& catalog) {
  Surface out;
  DrawConstants& c = out.constants;
  std::ranges::copy(material.base_color_factor, c.base_color.begin());
  std::ranges::copy(material.emissive_factor, c.emissive.begin());
  c.metallic = material.metallic_factor;
  c.roughness = material.roughness_factor;
  c.normal_scale = material.normal_scale;
  c.occlusion_strength = material.occlusion_strength;
  c.alpha_cutoff = material.alpha_cutoff;
  c.flags = material.is_unlit() ? kUnlit : 0;
  if (material.alpha_mode() == hmat::AlphaMode::kMask) c.flags |= kMask;
  if (material.alpha_mode() == hmat::AlphaMode::kOpaque) c.flags |= kOpaque;
  const std::array hashes{material.base_color_texture, material.metallic_roughness_texture, material.normal_texture,
                          material.occlusion_texture, material.emissive_texture};
  for (std::size_t i = 0; i < kMaterialTextures; ++i) {
    if (hashes[i] != 0) out.textures[i] = catalog.find(hashes[i]);
  }
  out.is_blended = material.alpha_mode() == hmat::AlphaMode::kBlend;
  out.is_double_sided = material.is_double_sided();
  return out;
}

Surface surface(const aas1::MaterialView& material, const runtime::Catalog& catalog) {
  Surface out;
  DrawConstants& c = out.constants;
  const auto take_vector = [&](std::string_view name, auto& to) {
    if (const aas1::VectorParameter* v = material.vector(name)) std::copy_n(v->value, to.size(), to.begin());
  };
  const auto take_scalar = [&](std::string_view name, float& to) {
    if (const aas1::ScalarParameter* s = material.scalar(name)) to = s->value;
  };
  take_vector("BaseColor", c.base_color);
  take_vector("Emissive", c.emissive);
  take_scalar("Metallic", c.metallic);
  take_scalar("Roughness", c.roughness);
  take_scalar("NormalMapStrength", c.normal_scale);
  take_scalar("Occlusion", c.occlusion_strength);
  c.alpha_cutoff = material.desc().alpha_cutoff;
  c.flags = material.desc().shading_model == aas1::ShadingModel::kUnlit ? kUnlit : 0;
  if (material.desc().blend_mode == aas1::BlendMode::kMask) c.flags |= kMask;
  if (material.desc().blend_mode == aas1::BlendMode::kOpaque) c.flags |= kOpaque;
  constexpr std::array<std::string_view, kMaterialTextures> kNames{"BaseColorTex", "MetallicRoughnessTex", "NormalTex",
                                                                   "OcclusionTex", "EmissiveTex"};
  for (std::size_t i = 0; i < kMaterialTextures; ++i) {
    if (const aas1::TextureParameter* t = material.texture(kNames[i])) out.textures[i] = catalog.find(t->texture);
  }
  out.is_blended = material.desc().blend_mode == aas1::BlendMode::kBlend;
  out.is_double_sided = material.is_double_sided();
  return out;
}

}  // namespace

Surface surface_of(std::span<const runtime::AssetRef<runtime::MaterialData>> materials, std::uint32_t slot,
                   const runtime::Catalog& catalog) {
  // Null for a material that failed to load; on_failure has reported it.
  const auto value = [&](std::size_t i) { return i < materials.size() ? materials[i].get() : nullptr; };
  const runtime::MaterialData* const first = value(0);
  if (const hmat::View* table = first == nullptr ? nullptr : first->hmat())
    return surface(slot < table->materials().size() ? table->materials()[slot] : hmat::GpuMaterial{}, catalog);
  const runtime::MaterialData* const own = value(slot);
  const aas1::MaterialView* material = own == nullptr ? nullptr : own->aas1();
  return material == nullptr ? surface(hmat::GpuMaterial{}, catalog) : surface(*material, catalog);
}

}  // namespace example
