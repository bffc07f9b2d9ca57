#include <array>

#include "base/ascii.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {

// One line for each recipe, here and in kRecipes.
extern const Recipe kArrayRecipe;
extern const Recipe kAudioRecipe;
extern const Recipe kDataRecipe;
extern const Recipe kEmbedRecipe;
extern const Recipe kEnvironmentRecipe;
extern const Recipe kFontRecipe;
extern const Recipe kLutRecipe;
extern const Recipe kMaterialRecipe;
extern const Recipe kMeshRecipe;
extern const Recipe kScriptRecipe;
extern const Recipe kShaderRecipe;
extern const Recipe kTextureRecipe;

namespace {

// The first recipes are only for builds, the last only for cooks.
constexpr std::array kRecipes{
    &kFontRecipe, &kArrayRecipe,  &kEmbedRecipe,   &kEnvironmentRecipe, &kLutRecipe,    &kMaterialRecipe,
    &kMeshRecipe, &kShaderRecipe, &kTextureRecipe, &kAudioRecipe,       &kScriptRecipe, &kDataRecipe,
};
constexpr std::size_t kBuiltAlone = 1;
constexpr std::size_t kCookedAlone = 3;

}  // namespace

std::span<const Recipe* const> all_recipes() { return std::span(kRecipes).first(kRecipes.size() - kCookedAlone); }
std::span<const Recipe* const> cooked_recipes() { return std::span(kRecipes).subspan(kBuiltAlone); }

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe* recipe : kRecipes) {
    if (recipe->name == name) return recipe;
  }
  return nullptr;
}

Params mode_params(TextureUsage mode) {
  Params params;
  if (mode != TextureUsage::kAuto) params.emplace(kModeParam, to_string(mode));
  return params;
}

std::string stem_of(std::string_view path, const Claim& claim) {
  if (ends_with_ignoring_case(path, ascii_lower(claim.strip))) path.remove_suffix(claim.strip.size());
  return std::string(path).append(claim.append);
}

TextureUsage mode_in(const Params& params) {
  const auto found = params.find(kModeParam);
  return found == params.end() ? TextureUsage::kAuto : scene::parse_usage(found->second).value_or(TextureUsage::kAuto);
}

std::optional<SourceAsset> asset_of(std::span<const Recipe* const> recipes, std::string_view path,
                                    const Settings& settings, const HasSet& has_set) {
  const Recipe* taker = nullptr;
  const Claim* best = nullptr;
  for (const Recipe* recipe : recipes) {
    const Claim* claim = file_claim(*recipe, path);
    if (claim == nullptr || (best != nullptr && best->suffix.size() >= claim->suffix.size())) continue;
    taker = recipe;
    best = claim;
  }
  if (best == nullptr) return std::nullopt;
  const TextureUsage mode =
      taker->params_of != nullptr ? mode_in(taker->params_of(path, *best, settings, has_set)) : best->mode;
  return SourceAsset{taker, mode, stem_of(path, *best)};
}

const Claim* file_claim(const Recipe& recipe, std::string_view path) {
  const Claim* best = nullptr;
  for (const Claim& claim : recipe.claims) {
    if (!claim.directory && ends_with_ignoring_case(path, claim.suffix) &&
        (best == nullptr || claim.suffix.size() > best->suffix.size()))
      best = &claim;
  }
  return best;
}

}  // namespace assetc::recipes
