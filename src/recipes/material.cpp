// *.mat: a one-row .hmat.
#include "import/material.hpp"

#include <algorithm>
#include <array>

#include "assetc/base/hash.hpp"
#include "base/ascii.hpp"
#include "recipes/material_rows.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kClaims{Claim{.suffix = ".mat", .strip = ".mat"}};

// The claim of the texture recipe that takes a file of that name, the longest suffix as everywhere; null if another
// recipe or none takes it.
const Claim* texture_claim(std::string_view path) {
  const Claim* best = nullptr;
  const Recipe* taker = nullptr;
  for (const Recipe* recipe : all_recipes()) {
    for (const Claim& claim : recipe->claims) {
      if (claim.directory || !ends_with_ignoring_case(path, claim.suffix)) continue;
      if (best != nullptr && best->suffix.size() >= claim.suffix.size()) continue;
      best = &claim;
      taker = recipe;
    }
  }
  return taker != nullptr && taker->name == "texture" ? best : nullptr;
}

std::string stem_of(std::string_view path, const Claim& claim) {
  return std::string(path.substr(0, path.size() - claim.strip.size())).append(claim.append);
}

// Whether a picture compiled in one mode serves a slot that wants another: occlusion reads red alone, and a KTX2 file
// is what its author made it.
bool serves(std::string_view compiled, const MaterialSlot& slot) {
  return compiled == slot.mode || compiled == "copy" ||
         (compiled == "gray" && slot.use == &scene::Material::occlusion_texture);
}

Result<Product> cook(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const Bytes file, step.input(inputs));
  ASSETC_TRY(importer::Imported imported, importer::import_material(step.input_path, file));
  const scene::Material& material = imported.scene.materials.front();
  Product product;
  for (Error& w : imported.warnings) product.diagnostics.push_back({Severity::kWarning, std::move(w)});

  hmat::GpuMaterial row = to_row(material);
  for (const MaterialSlot& slot : material_slots()) {
    const std::uint32_t image = (material.*slot.use).image;
    if (image == scene::kNone) continue;
    const auto& [line, path, unused] = imported.scene.images[image];
    if (!inputs.exists(path)) {
      return fail_at(ErrorCode::kNotFound, line,
                     "the " + std::string(slot.name) + " texture \"" + path + "\" is not there",
                     "write its path relative to this file, or from the input folder with a leading '/'");
    }
    const Claim* claim = texture_claim(path);
    if (claim == nullptr) {
      return fail_at(ErrorCode::kUnsupported, line,
                     "the " + std::string(slot.name) + " texture \"" + path + "\" is no picture that assetc compiles",
                     "use PNG, JPEG, WebP, TGA, BMP or KTX2");
    }
    std::string stem = stem_of(path, *claim);
    if (serves(claim->mode, slot)) {
      if (std::ranges::find(product.references, stem) == product.references.end()) product.references.push_back(stem);
    } else {
      // The picture's own name makes it something else (colour, for a plain .png): compiled again for this material.
      stem = step.stem + "/" + std::string(slot.mode) + "_" + stem.substr(stem.find_last_of('/') + 1);
      if (std::ranges::find(product.steps, stem, &Step::stem) == product.steps.end()) {
        Step texture;
        texture.recipe = find_recipe("texture");
        texture.source = step.source + " " + std::string(slot.name) + " texture (" + path + ")";
        texture.input_path = path;
        texture.stem = stem;
        texture.params.emplace("mode", slot.mode);
        texture.listed = true;
        product.steps.push_back(std::move(texture));
      }
    }
    row.*slot.ref = hash_asset_ref(stem);
  }
  ASSETC_TRY(ByteVector bytes, hmat::write(std::span(&row, 1)));
  product.outputs.push_back({".hmat", Bytes(std::move(bytes)), {AssetKind::kMaterial}});
  return product;
}

// A .mat is at most 64 KiB of YAML, whose tree takes some 100 bytes a byte.
std::uint64_t estimate_peak_bytes(const Step& step, Inputs& inputs) {
  const auto file = step.input(inputs);
  return (1 << 20) + (file ? std::uint64_t{100} * file->size() : 0);
}

}  // namespace

extern const Recipe kMaterialRecipe;
constinit const Recipe kMaterialRecipe{.name = "material",
                                       .version = 1,
                                       .claims = kClaims,
                                       .setting_groups = {},
                                       .stem_matters = true,
                                       .cook = cook,
                                       .estimate_peak_bytes = estimate_peak_bytes};

}  // namespace assetc::recipes
