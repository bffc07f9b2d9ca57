// *.mat: a material, compiled to a one-row .hmat.
#include "import/material.hpp"

#include <algorithm>
#include <array>

#include "import/engines/unity_material.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/material/compiled_material.hpp"
#include "recipes/recipe.hpp"
#include "recipes/texture/usage.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kMaterialClaims{Claim{.suffix = ".mat", .strip = ".mat"}};

// Whether a picture compiled in one mode fits a slot that wants another. Occlusion reads red alone, and a KTX2 file is
// used as its author made it.
bool serves(TextureUsage compiled, const MaterialSlot& slot) {
  return compiled == slot.mode || compiled == TextureUsage::kCopy ||
         (compiled == TextureUsage::kOrm && slot.mode == TextureUsage::kLinear) ||
         (compiled == TextureUsage::kGray && slot.use == &scene::Material::occlusion_texture);
}

// The file of an image. A material may name the image by the UUID or virtual path in its .meta.
Result<std::string> path_of_image(const scene::ImageSource& image, std::string_view slot, Inputs& inputs) {
  const auto name = importer::asset_name(image.path);
  if (!name) return image.path;
  const std::optional<Uuid> uuid = inputs.uuid(*name);
  if (!uuid) {
    return fail_at(
        ErrorCode::kNotFound, image.name,
        "the " + std::string(slot) + " texture \"" + std::string(*name) +
            "\" matches no UUID and no virtual path of an asset of this build or of its base",
        "use the UUID or virtual path in the picture's .meta (only with `assetc cook`), or the path of a file; to name "
        "a texture of a game, set its base");
  }
  auto path = inputs.path_of(*uuid);
  if (path) return std::move(*path);
  return fail_at(ErrorCode::kUnsupported, image.name,
                 "the " + std::string(slot) + " texture \"" + std::string(*name) + "\" is an asset inside another file",
                 "use a picture in a separate file");
}

// A texture of the game that this build extends. The material names it by its UUID or virtual path. Nothing if it is an
// asset of this build.
Result<std::optional<TextureRef>> texture_of_base(const scene::ImageSource& image, std::string_view slot,
                                                  Inputs& inputs) {
  const auto name = importer::asset_name(image.path);
  const std::optional<Uuid> uuid = name ? inputs.uuid(*name) : std::nullopt;
  const std::string_view type = uuid ? inputs.base_type(*uuid) : std::string_view();
  if (type.empty()) return std::optional<TextureRef>();
  if (type == "Texture2D") return std::optional(TextureRef{.uuid = *uuid});
  return fail_at(
      ErrorCode::kUnsupported, image.name,
      "the " + std::string(slot) + " texture \"" + std::string(*name) + "\" is a " + std::string(type) + " in the base",
      "use a Texture2D");
}

Result<Product> cook_material(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const Bytes file, step.input(inputs));
  const Naming& naming = step.containers->naming;
  ASSETC_TRY(importer::Imported imported,
             importer::import_material(step.input_path, file, naming.root_of(step.input_path)));
  const scene::Material& material = imported.scene.materials.front();
  Product product;
  for (Warning& w : imported.warnings) product.diagnostics.emplace_back(std::move(w));

  CompiledMaterial compiled{material};
  for (std::size_t s = 0; s < kMaterialSlots.size(); ++s) {
    const MaterialSlot& slot = kMaterialSlots[s];
    const std::uint32_t image = (material.*slot.use).image;
    if (image == scene::kNone) continue;
    const std::string& line = imported.scene.images[image].name;
    const auto name = importer::asset_name(imported.scene.images[image].path);
    if (name && name->starts_with(importer::kUnityName) && !inputs.uuid(*name)) {
      product.diagnostics.push_back(warning(
          WarningKind::kEngineSetting, ErrorCode::kNotFound, line,
          "the " + std::string(slot.name) + " texture has a GUID of Unity that no source here has; it is left out",
          "set `from: unity` in assetc.yml, and keep the .meta of the picture beside it"));
      continue;
    }
    ASSETC_TRY(const std::optional<TextureRef> of_base,
               texture_of_base(imported.scene.images[image], slot.name, inputs));
    if (of_base) {
      compiled.textures[s] = *of_base;
      continue;
    }
    ASSETC_TRY(const std::string path, path_of_image(imported.scene.images[image], slot.name, inputs));
    if (!inputs.exists(path)) {
      return fail_at(ErrorCode::kNotFound, line,
                     "the " + std::string(slot.name) + " texture \"" + path + "\" is not there",
                     "write its path relative to this file, or from the input folder with a leading '/'");
    }
    const auto asset = inputs.asset(path);
    if (!asset || asset->recipe->name != "texture") {
      return fail_at(
          ErrorCode::kUnsupported, line,
          "the " + std::string(slot.name) + " texture \"" + path + "\" is not a picture that assetc compiles",
          "use PNG, JPEG, WebP, TGA, BMP or KTX2");
    }
    if (serves(asset->mode, slot)) {
      ASSETC_TRY(compiled.textures[s], naming.ref_of_picture(*asset, path, inputs));
      if (std::ranges::find(product.references, asset->stem) == product.references.end())
        product.references.push_back(asset->stem);
      continue;
    }
    check_name(path, slot.mode, "the " + std::string(slot.name) + " texture", line, product.diagnostics);
    // By its own name the picture compiles in another mode (color, for a plain .png), so compile it again for this
    // material.
    ASSETC_TRY(const std::string stem, naming.picture_in_mode(step, *asset, path, slot.mode, inputs));
    compiled.textures[s] = naming.ref_of_step(stem, inputs);
    if (std::ranges::find(product.steps, stem, &Step::stem) != product.steps.end()) continue;
    Step texture;
    texture.recipe = asset->recipe;
    texture.source = step.source + " " + std::string(slot.name) + " texture (" + path + ")";
    texture.input_path = path;
    texture.stem = stem;
    texture.params = slot_params(path, slot.mode);
    texture.listed = true;
    product.steps.push_back(std::move(texture));
  }
  const MaterialContainer& container = step.containers->material;
  ASSETC_TRY(ByteVector bytes, container.write(std::span(&compiled, 1)));
  product.outputs.push_back({std::string(container.suffix), Bytes(std::move(bytes)), {AssetKind::kMaterial}});
  return product;
}

// A .mat is at most 64 KiB of YAML, whose tree takes about 100 bytes for each byte of text.
std::uint64_t material_peak_bytes(const Step& step, Inputs& inputs) {
  const auto file = step.head(inputs, 0);
  return (1 << 20) + (file ? std::uint64_t{100} * file->size() : 0);
}

}  // namespace

extern const Recipe kMaterialRecipe;
constinit const Recipe kMaterialRecipe{.name = "material",
                                       .version = 4,
                                       .claims = kMaterialClaims,
                                       .setting_groups = {},
                                       .stem_matters = true,
                                       .cook = cook_material,
                                       .estimate_peak_bytes = material_peak_bytes,
                                       .takes_sources = true};

}  // namespace assetc::recipes
