#include <array>

#include "recipes/recipe.hpp"

namespace assetc::recipes {
namespace {

// One line a recipe.
constexpr std::array<const Recipe*, 0> kRecipes{};

}  // namespace

std::span<const Recipe* const> all_recipes() { return kRecipes; }

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe* recipe : all_recipes()) {
    if (recipe->name == name) return recipe;
  }
  return nullptr;
}

}  // namespace assetc::recipes
