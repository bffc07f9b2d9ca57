#include <array>

#include "recipes/recipe.hpp"

namespace assetc::recipes {

// One line a recipe, here and in kRecipes.
extern const Recipe kShaderRecipe;

namespace {

constexpr std::array kRecipes{
    &kShaderRecipe,
};

}  // namespace

std::span<const Recipe* const> all_recipes() { return kRecipes; }

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe* recipe : all_recipes()) {
    if (recipe->name == name) return recipe;
  }
  return nullptr;
}

}  // namespace assetc::recipes
