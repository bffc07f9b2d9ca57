#include "export/references.hpp"

#include <algorithm>
#include <string>

#include "base/plural.hpp"

namespace assetc::exporter {
namespace {

using namespace scene;

// what: a noun of the object that refers, and target: of the items that it refers to.
Result<void> check(std::uint32_t index, std::size_t count, const std::string& place, std::string_view what,
                   std::string_view target) {
  if (index < count) return {};
  return fail_at(ErrorCode::kInvalidData, place,
                 std::string(what) + " refers to " + std::string(target) + " " + std::to_string(index) +
                     ", but the scene has " + counted(count, target));
}
Result<void> check_optional(std::uint32_t index, std::size_t count, const std::string& place, std::string_view what,
                            std::string_view target) {
  return index == kNone ? Result<void>() : check(index, count, place, what, target);
}

std::string place_of(std::string_view array, std::size_t index) {
  return "/" + std::string(array) + "/" + std::to_string(index);
}

Result<void> check_textures(const Scene& scene) {
  Result<void> result;
  for_each_texture_of(scene, [&](const Material* m, std::string_view name, TextureUsage, const TextureUse& use) {
    if (!result) return;
    const std::string place =
        m == nullptr ? std::string() : place_of("materials", static_cast<std::size_t>(m - scene.materials.data()));
    result = check_optional(use.image, scene.images.size(), place, "the " + std::string(name) + " texture", "image");
  });
  return result;
}

Result<void> check_target(const MorphTarget& target, std::size_t vertex_count, const std::string& place) {
  const std::size_t count = target.vertices.size();
  const auto fits = [&](const auto& values) { return values.empty() || values.size() == count; };
  const auto all_fit = [&](const auto& sets) { return std::ranges::all_of(sets, fits); };
  if (!fits(target.positions) || !fits(target.normals) || !fits(target.tangents) || !all_fit(target.texcoords) ||
      !all_fit(target.colors))
    return fail_at(
        ErrorCode::kInvalidData, place,
        "an array does not have one item for each of the " + counted(count, "vertex") + " that the target moves");
  for (const std::uint32_t v : target.vertices) {
    if (v >= vertex_count)
      return fail_at(ErrorCode::kInvalidData, place,
                     "the target moves vertex " + std::to_string(v) + ", but the primitive has " +
                         counted(vertex_count, "vertex"));
  }
  return {};
}

Result<void> check_primitive(const Scene& scene, const Primitive& p, const std::string& place) {
  ASSETC_CHECK(check_optional(p.material, scene.materials.size(), place, "the primitive", "material"));
  for (const VariantMaterial& v : p.variant_materials) {
    ASSETC_CHECK(check(v.variant, scene.variants.size(), place, "the primitive", "variant"));
    ASSETC_CHECK(check(v.material, scene.materials.size(), place, "a variant of the primitive", "material"));
  }
  for (std::size_t t = 0; t < p.morphs.size(); ++t)
    ASSETC_CHECK(check_target(p.morphs[t], p.positions.size(), place + place_of("targets", t)));
  return {};
}

Result<void> check_node(const Scene& scene, const Node& node, const std::string& place) {
  ASSETC_CHECK(check_optional(node.parent, scene.nodes.size(), place, "the node", "node"));
  ASSETC_CHECK(check_optional(node.mesh, scene.meshes.size(), place, "the node", "mesh"));
  ASSETC_CHECK(check_optional(node.skin, scene.skins.size(), place, "the node", "skin"));
  ASSETC_CHECK(check_optional(node.camera, scene.cameras.size(), place, "the node", "camera"));
  ASSETC_CHECK(check_optional(node.light, scene.lights.size(), place, "the node", "light"));
  for (const std::uint32_t level : node.lods)
    ASSETC_CHECK(check(level, scene.nodes.size(), place, "a level of detail", "node"));
  return {};
}

}  // namespace

Result<void> check_references(const Scene& scene) {
  ASSETC_CHECK(check_textures(scene));
  for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
    for (std::size_t p = 0; p < scene.meshes[m].primitives.size(); ++p)
      ASSETC_CHECK(
          check_primitive(scene, scene.meshes[m].primitives[p], place_of("meshes", m) + place_of("primitives", p)));
  }
  for (std::size_t n = 0; n < scene.nodes.size(); ++n)
    ASSETC_CHECK(check_node(scene, scene.nodes[n], place_of("nodes", n)));
  for (std::size_t s = 0; s < scene.skins.size(); ++s) {
    for (const std::uint32_t joint : scene.skins[s].joints)
      ASSETC_CHECK(check(joint, scene.nodes.size(), place_of("skins", s), "a joint", "node"));
  }
  return {};
}

}  // namespace assetc::exporter
