#include "surface.hpp"

#include <algorithm>
#include <cmath>

namespace example {

using namespace assetc;

namespace {

constexpr std::array<std::string_view, kMaterialTextures> kTextureNames{"BaseColorTex", "MetallicRoughnessTex",
                                                                        "NormalTex", "OcclusionTex", "EmissiveTex"};

// Source: KHR_texture_transform.
TexcoordTransform transform_of(const std::array<float, 2>& offset, float rotation_radians,
                               const std::array<float, 2>& scale) {
  const float c = std::cos(rotation_radians), s = std::sin(rotation_radians);
  return {c * scale[0], -s * scale[0], s * scale[1], c * scale[1], offset[0], offset[1]};
}

void take_texcoords(const hscene::View& scene, const hscene::Material& material, Surface& out) {
  for (const hscene::Texture& texture : scene.textures(material)) {
    const auto i =
        static_cast<std::size_t>(std::ranges::find(kTextureNames, scene.text(texture.name)) - kTextureNames.begin());
    if (i == kMaterialTextures) continue;  // of an extension
    out.texcoord_sets[i] = texture.texcoord;
    out.texcoord_transforms[i] = transform_of(texture.offset, texture.rotation_radians, texture.scale);
  }
}

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
  if (material.is_unlit()) c.emissive = {};
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
  const bool is_unlit = material.desc().shading_model == aas1::ShadingModel::kUnlit;
  c.flags = is_unlit ? kUnlit : 0;
  if (is_unlit) c.emissive = {};
  if (material.desc().blend_mode == aas1::BlendMode::kMask) c.flags |= kMask;
  if (material.desc().blend_mode == aas1::BlendMode::kOpaque) c.flags |= kOpaque;
  for (std::size_t i = 0; i < kMaterialTextures; ++i) {
    const std::string name(kTextureNames[i]);
    const aas1::TextureParameter* texture = material.texture(name);
    if (texture == nullptr) continue;
    out.textures[i] = catalog.find(texture->texture);
    out.texcoord_sets[i] = texture->texcoord();
    std::array<float, 4> offset_scale{0, 0, 1, 1};
    float rotation_radians = 0;
    take_vector(name + "Transform", offset_scale);
    take_scalar(name + "Rotation", rotation_radians);
    out.texcoord_transforms[i] =
        transform_of({offset_scale[0], offset_scale[1]}, rotation_radians, {offset_scale[2], offset_scale[3]});
  }
  out.is_blended = material.desc().blend_mode == aas1::BlendMode::kBlend;
  out.is_double_sided = material.is_double_sided();
  return out;
}

}  // namespace

Surface surface_of(std::span<const runtime::AssetRef<runtime::MaterialData>> materials, std::uint32_t slot,
                   const runtime::Catalog& catalog, const hscene::View* scene) {
  // Null for a material that failed to load; on_failure has reported it.
  const auto value = [&](std::size_t i) { return i < materials.size() ? materials[i].get() : nullptr; };
  const runtime::MaterialData* const first = value(0);
  if (const hmat::View* table = first == nullptr ? nullptr : first->hmat()) {
    Surface out = surface(slot < table->materials().size() ? table->materials()[slot] : hmat::GpuMaterial{}, catalog);
    if (scene != nullptr && slot < scene->materials().size()) take_texcoords(*scene, scene->materials()[slot], out);
    return out;
  }
  const runtime::MaterialData* const own = value(slot);
  const aas1::MaterialView* material = own == nullptr ? nullptr : own->aas1();
  return material == nullptr ? surface(hmat::GpuMaterial{}, catalog) : surface(*material, catalog);
}

}  // namespace example
