#include "scene/material_extensions.hpp"

#include <algorithm>

namespace assetc::scene {
namespace {

using enum TextureUsage;

// A texture of which only alpha is read counts as color, because most such textures share an image with a color, and
// alpha of a color texture is stored unchanged. Source: the specifications of the extensions.
constexpr ScalarMember kClearcoatScalars[] = {{"clearcoatFactor", "Clearcoat", 0},
                                              {"clearcoatRoughnessFactor", "ClearcoatRoughness", 0}};
constexpr TextureMember kClearcoatTextures[] = {
    {"clearcoatTexture", "ClearcoatTex", kLinear},
    {"clearcoatRoughnessTexture", "ClearcoatRoughnessTex", kLinear},
    {"clearcoatNormalTexture", "ClearcoatNormalTex", kNormal, "ClearcoatNormalScale"}};
constexpr ScalarMember kTransmissionScalars[] = {{"transmissionFactor", "Transmission", 0}};
constexpr TextureMember kTransmissionTextures[] = {{"transmissionTexture", "TransmissionTex", kLinear}};
// Without a distance, light is not absorbed. No number expresses that, so it has no default.
constexpr ScalarMember kVolumeScalars[] = {{"thicknessFactor", "Thickness", 0},
                                           {"attenuationDistance", "AttenuationDistance", 0, true}};
constexpr VectorMember kVolumeVectors[] = {{"attenuationColor", "AttenuationColor", 1}};
constexpr TextureMember kVolumeTextures[] = {{"thicknessTexture", "ThicknessTex", kLinear}};
constexpr ScalarMember kIorScalars[] = {{"ior", "Ior", 1.5f}};
constexpr ScalarMember kSpecularScalars[] = {{"specularFactor", "Specular", 1}};
constexpr VectorMember kSpecularVectors[] = {{"specularColorFactor", "SpecularColor", 1}};
constexpr TextureMember kSpecularTextures[] = {{"specularTexture", "SpecularTex", kColor},
                                               {"specularColorTexture", "SpecularColorTex", kColor}};
constexpr ScalarMember kSheenScalars[] = {{"sheenRoughnessFactor", "SheenRoughness", 0}};
constexpr VectorMember kSheenVectors[] = {{"sheenColorFactor", "SheenColor", 0}};
constexpr TextureMember kSheenTextures[] = {{"sheenColorTexture", "SheenColorTex", kColor},
                                            {"sheenRoughnessTexture", "SheenRoughnessTex", kColor}};
constexpr ScalarMember kAnisotropyScalars[] = {{"anisotropyStrength", "AnisotropyStrength", 0},
                                               {"anisotropyRotation", "AnisotropyRotation", 0}};
constexpr TextureMember kAnisotropyTextures[] = {{"anisotropyTexture", "AnisotropyTex", kLinear}};
constexpr ScalarMember kIridescenceScalars[] = {{"iridescenceFactor", "Iridescence", 0},
                                                {"iridescenceIor", "IridescenceIor", 1.3f},
                                                {"iridescenceThicknessMinimum", "IridescenceThicknessMinimum", 100},
                                                {"iridescenceThicknessMaximum", "IridescenceThicknessMaximum", 400}};
constexpr TextureMember kIridescenceTextures[] = {{"iridescenceTexture", "IridescenceTex", kLinear},
                                                  {"iridescenceThicknessTexture", "IridescenceThicknessTex", kLinear}};
constexpr ScalarMember kDispersionScalars[] = {{"dispersion", "Dispersion", 0}};
constexpr ScalarMember kDiffuseScalars[] = {{"diffuseTransmissionFactor", "DiffuseTransmission", 0}};
constexpr VectorMember kDiffuseVectors[] = {{"diffuseTransmissionColorFactor", "DiffuseTransmissionColor", 1}};
constexpr TextureMember kDiffuseTextures[] = {
    {"diffuseTransmissionTexture", "DiffuseTransmissionTex", kColor},
    {"diffuseTransmissionColorTexture", "DiffuseTransmissionColorTex", kColor}};

constexpr MaterialExtension kExtensions[] = {
    {"KHR_materials_anisotropy", kAnisotropyScalars, {}, kAnisotropyTextures},
    {"KHR_materials_clearcoat", kClearcoatScalars, {}, kClearcoatTextures},
    {"KHR_materials_diffuse_transmission", kDiffuseScalars, kDiffuseVectors, kDiffuseTextures},
    {"KHR_materials_dispersion", kDispersionScalars, {}, {}},
    {"KHR_materials_ior", kIorScalars, {}, {}},
    {"KHR_materials_iridescence", kIridescenceScalars, {}, kIridescenceTextures},
    {"KHR_materials_sheen", kSheenScalars, kSheenVectors, kSheenTextures},
    {"KHR_materials_specular", kSpecularScalars, kSpecularVectors, kSpecularTextures},
    {"KHR_materials_transmission", kTransmissionScalars, {}, kTransmissionTextures},
    {"KHR_materials_volume", kVolumeScalars, kVolumeVectors, kVolumeTextures},
};

}  // namespace

std::span<const MaterialExtension> material_extensions() { return kExtensions; }

const MaterialExtension* find_material_extension(std::string_view name) {
  const auto found = std::ranges::find(kExtensions, name, &MaterialExtension::name);
  return found == std::end(kExtensions) ? nullptr : &*found;
}

std::string_view known_value_name(std::string_view name) {
  for (const MaterialExtension& extension : kExtensions) {
    for (const ScalarMember& member : extension.scalars)
      if (member.name == name) return member.name;
    for (const VectorMember& member : extension.vectors)
      if (member.name == name) return member.name;
    for (const TextureMember& member : extension.textures) {
      if (member.name == name) return member.name;
      if (member.scale == name) return member.scale;
    }
  }
  return {};
}

TextureUsage usage_of_named_texture(std::string_view name) {
  for (const MaterialExtension& extension : kExtensions) {
    const auto found = std::ranges::find(extension.textures, name, &TextureMember::name);
    if (found != extension.textures.end()) return found->usage;
  }
  return kColor;
}

}  // namespace assetc::scene
