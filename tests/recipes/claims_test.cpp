// Every claim of a recipe is a type in the table of file types.
#include <gtest/gtest.h>

#include "filetypes/filetypes.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {
namespace {

TEST(Claims, every_one_ends_in_a_suffix_of_the_table) {
  for (const Recipe* recipe : cooked_recipes()) {
    for (const Claim& claim : recipe->claims)
      EXPECT_NE(filetypes::find_row(claim.suffix, claim.directory), nullptr) << recipe->name << ": " << claim.suffix;
  }
}

TEST(Claims, every_source_picture_is_taken_under_any_name) {
  for (const filetypes::Row& row : filetypes::all_rows()) {
    if (!row.is_picture()) continue;
    for (const std::string_view suffix : row.suffixes)
      EXPECT_TRUE(suffix.empty() || file_claim(*find_recipe("texture"), "a" + std::string(suffix))) << suffix;
  }
}

TEST(Claims, every_container_of_the_runtime_target_is_a_compiled_type) {
  const ContainerSet& set = kRuntimeContainers;
  for (const std::string_view suffix : {set.texture.suffix, set.material.suffix, set.clips.suffix})
    EXPECT_NE(filetypes::find_compiled(suffix), nullptr) << suffix;
  for (const MeshContainer* container : set.mesh) {
    const filetypes::Row* row = filetypes::find_compiled(container->suffix);
    EXPECT_TRUE(row != nullptr && row->is_model()) << container->suffix;
  }
}

}  // namespace
}  // namespace assetc::recipes
