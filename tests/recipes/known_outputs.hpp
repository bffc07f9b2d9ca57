// Builds and commands keep the outputs of an older program if the version of their recipe is the same. So a recipe
// whose outputs change needs a new version.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/sha.hpp"
#include "crypto/text.hpp"
#include "places.hpp"
#include "recipes/fake_inputs.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {

// Adds the files in folder as inputs below the folder `as`.
inline void add_files(FakeInputs& inputs, const std::filesystem::path& folder, const std::filesystem::path& as) {
  for (const std::filesystem::directory_entry& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file() || file.path().extension() == ".meta") continue;
    std::ifstream stream(file.path(), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    inputs.files[(as / file.path().lexically_relative(folder)).generic_string()] = std::move(text).str();
  }
}

struct KnownOutputs {
  std::string_view name;  // in the list
  const Recipe& recipe;
  std::string text;  // that differs if any byte of an output differs
};

inline std::string on_one_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// The libraries without the versions of recipes, which are the same on every machine.
inline std::string of_others(const std::string& libraries) {
  std::string others;
  std::istringstream words(libraries);
  for (std::string word; words >> word;) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (name != "assetc" && find_recipe(name) == nullptr) others += word + " ";
  }
  return others;
}

// Fails for each recipe whose outputs are not those of its version in tests/data/recipe_outputs.txt. Skips if other
// libraries may be the reason.
inline void compare_with_list(const std::vector<KnownOutputs>& found) {
  const std::filesystem::path list = std::filesystem::path(places::kSource) / "tests/data/recipe_outputs.txt";
  std::map<std::string, std::array<std::string, 3>, std::less<>> known;  // version, digest, libraries
  std::ifstream stream(list);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string name, version, digest, libraries;
    if (words >> name >> version >> digest)
      std::getline(words >> std::ws, libraries), known[name] = {version, digest, libraries};
  }
  std::string not_compared;
  for (const auto& [name, recipe, text] : found) {
    const std::string version = std::to_string(recipe.version);
    const std::string digest = crypto::hex(crypto::sha256(as_bytes(text))).substr(0, 16);
    const std::string libraries = recipe.libraries == nullptr ? "" : on_one_line(recipe.libraries());
    const auto& [old_version, old_digest, old_libraries] = known[std::string(name)];
    if (version == old_version && digest == old_digest) continue;
    if (version == old_version && of_others(libraries) != of_others(old_libraries)) {
      // Other libraries may make other bytes; they are part of every key too.
      not_compared.append(" ").append(name);
    } else if (version == old_version && libraries == old_libraries) {
      ADD_FAILURE()
          << "The outputs of the recipe " << name
          << " changed: raise .version in its source. (If this test compiles other sources now, the digest is "
          << digest << ".)";
    } else {
      ADD_FAILURE() << list << " needs this line:\n"
                    << on_one_line(std::string(name) + " " + version + " " + digest + " " + libraries);
    }
  }
  if (!::testing::Test::HasFailure() && !not_compared.empty())
    GTEST_SKIP() << "these recipes have other libraries than in " << list << ":" << not_compared;
}

}  // namespace assetc::recipes
