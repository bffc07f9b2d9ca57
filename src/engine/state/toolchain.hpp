// The versions of the libraries and programs that recipes use: inputs that are not in the source tree.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/state/cache.hpp"
#include "engine/target/target.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// A toolchain is a text with lines of the form "name=version". There is a line for each library of a recipe and for
// each program that a step ran. If outputs depend on stems, there is also a line for the target, because the target
// turns stems into refs.
//
// Thread-safe, except for remember().
class Toolchain {
 public:
  // Reads what earlier builds learned about programs from the cache. cache: null if there is none.
  Toolchain(std::span<const recipes::Recipe* const> recipes, const Target& target, Cache* cache);

  // Libraries of a recipe, which are asked at the first call. recipe: its position in the list.
  std::string_view libraries(std::size_t recipe);
  // Fixes the version of a program for this build. A cook calls it before it runs the program. If the program is
  // replaced in between, the step is recorded with the older version and runs again.
  void look_at(const recipes::Program& program) { (void)version(program); }
  // The toolchain of a step that is cooked now and runs these programs.
  std::string with_programs(std::size_t recipe, std::span<const recipes::Program* const> programs);
  // The current text for a recorded toolchain. Programs that the recipe no longer uses are left out.
  std::string now(std::size_t recipe, std::string_view recorded);

  // Stores what was learned about programs in the cache.
  Result<void> remember(Cache& cache) const;

 private:
  struct Known {
    std::string signature;
    std::string version;
    bool current = false;  // checked in this build
    bool learned = false;
  };
  const std::string& version(const recipes::Program& program);

  std::span<const recipes::Recipe* const> recipes_;
  std::string target_;
  std::mutex mutex_;
  std::vector<std::optional<std::string>> libraries_;
  std::map<std::string_view, Known> programs_;
};

}  // namespace assetc::engine
