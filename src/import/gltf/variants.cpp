// KHR_materials_variants.
#include <algorithm>

#include "import/gltf/parts.hpp"

namespace assetc::importer {
namespace {

Result<void> read_mappings(GltfContext& context, const Value& extension, scene::Primitive& primitive) {
  const scene::Scene& scene = context.out.scene;
  ASSETC_TRY(const Value mappings, extension.array_or_empty("mappings"));
  for (std::size_t m = 0; m < mappings.size(); ++m) {
    const Value mapping = mappings.item(m);
    ASSETC_TRY(const std::uint32_t material, mapping.get_index("material", scene.materials.size(), "materials"));
    ASSETC_TRY(const Value variants, mapping.array_or_empty("variants"));
    for (std::size_t v = 0; v < variants.size(); ++v) {
      ASSETC_TRY(const std::uint64_t variant, variants.item(v).as_uint());
      if (variant >= scene.variants.size()) {
        return variants.item(v).refuse(ErrorCode::kInvalidData,
                                       "found " + std::to_string(variant) + ", expected an index below " +
                                           std::to_string(scene.variants.size()) + ", the number of variants");
      }
      primitive.variant_materials.push_back({static_cast<std::uint32_t>(variant), material});
    }
  }
  auto& all = primitive.variant_materials;
  std::ranges::stable_sort(all, {}, &scene::VariantMaterial::variant);
  const auto repeated = std::ranges::unique(all, {}, &scene::VariantMaterial::variant);
  if (!repeated.empty()) {
    context.warn(WarningKind::kRepairedMesh, ErrorCode::kInvalidData, mappings.pointer(),
                 "a variant has several materials, expected one; the first is used");
    all.erase(repeated.begin(), repeated.end());
  }
  return {};
}

}  // namespace

Result<void> read_variants(GltfContext& context) {
  constexpr std::string_view kName = "KHR_materials_variants";
  if (const auto extension = context.root.extension(kName)) {
    ASSETC_TRY(const Value variants, extension->array_or_empty("variants"));
    for (std::size_t v = 0; v < variants.size(); ++v) {
      ASSETC_TRY(std::string name, variants.item(v).string_or("name", ""));
      context.out.scene.variants.push_back(std::move(name));
    }
  }
  ASSETC_TRY(const Value meshes, context.root.array_or_empty("meshes"));
  for (std::size_t m = 0; m < context.out.scene.meshes.size(); ++m) {
    auto& primitives = context.out.scene.meshes[m].primitives;
    ASSETC_TRY(const Value json, meshes.item(m).array_or_empty("primitives"));
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const auto extension = json.item(p).extension(kName);
      if (extension) ASSETC_CHECK(read_mappings(context, *extension, primitives[p]));
    }
  }
  return {};
}

}  // namespace assetc::importer
