#include <algorithm>
#include <array>
#include <span>

#include "import/gltf_parts.hpp"

namespace assetc::importer {
namespace {

using enum scene::TextureUsage;

struct ScalarMember {
  std::string_view key, name;
  float absent;
};
struct VectorMember {
  std::string_view key, name;
  float absent;  // default of each of its three numbers
};
struct TextureMember {
  std::string_view key, name;
  scene::TextureUsage usage;
  std::string_view scale = {};  // the name of the scale of a normal texture
};
struct ExtensionRow {
  std::string_view name;
  std::span<const ScalarMember> scalars;
  std::span<const VectorMember> vectors;
  std::span<const TextureMember> textures;
};

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
constexpr ScalarMember kVolumeScalars[] = {{"thicknessFactor", "Thickness", 0}};
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

constexpr ExtensionRow kExtensions[] = {
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

Result<void> read_extension(GltfContext& context, const ExtensionRow& row, const Value& json, scene::Material& m) {
  for (const ScalarMember& member : row.scalars) {
    ASSETC_TRY(const float value, json.float_or(member.key, member.absent));
    m.scalars.push_back({member.name, value});
  }
  // Without a distance, light is not absorbed. No number expresses that, so it is left out.
  if (row.name == "KHR_materials_volume" && json.find("attenuationDistance")) {
    ASSETC_TRY(const float value, json.float_or("attenuationDistance", 0));
    m.scalars.push_back({"AttenuationDistance", value});
  }
  for (const VectorMember& member : row.vectors) {
    std::array<float, 3> v{member.absent, member.absent, member.absent};
    ASSETC_CHECK(json.floats(member.key, v));
    m.vectors.push_back({member.name, {v[0], v[1], v[2]}});
  }
  for (const TextureMember& member : row.textures) {
    float scale = 1;
    const bool scaled = !member.scale.empty();
    ASSETC_TRY(scene::TextureUse use, read_texture(context, json, member.key, scaled ? &scale : nullptr, "scale"));
    if (use.image == scene::kNone) continue;
    m.textures.push_back({member.name, member.usage, use});
    if (scaled) m.scalars.push_back({member.scale, scale});
  }
  return {};
}

}  // namespace

void read_material_extensions(GltfContext& context, const Value& json, scene::Material& material) {
  for (const ExtensionRow& row : kExtensions) {
    const auto extension = json.extension(row.name);
    if (!extension) continue;
    const std::size_t warnings = context.out.warnings.size();
    scene::Material with = material;
    const bool whole = read_extension(context, row, *extension, with).has_value();
    if (whole && context.out.warnings.size() == warnings) {
      material = std::move(with);
      continue;
    }
    auto& said = context.out.warnings;
    said.erase(said.begin() + static_cast<std::ptrdiff_t>(warnings), said.end());
    context.unread_extensions.push_back(row.name);
  }
}

bool is_material_extension(std::string_view name) {
  return std::ranges::find(kExtensions, name, &ExtensionRow::name) != std::end(kExtensions);
}

}  // namespace assetc::importer
