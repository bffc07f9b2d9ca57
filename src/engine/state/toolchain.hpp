// What recipes' libraries and programs report of themselves: the part of the inputs that is in no source tree.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/state/cache.hpp"
#include "engine/target/target.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// A toolchain is text: a line "name=version" for each library of a recipe; the target where outputs depend on stems, as
// refs that the target makes of them do; and a line for each program that a step ran.
// Thread-safe, except for remember().
class Toolchain {
 public:
  // What earlier builds learned of programs is read from the cache at once; null: there is none.
  Toolchain(std::span<const recipes::Recipe* const> recipes, const Target& target, Cache* cache);

  // Those of a recipe, given by its position in the list.
  std::string_view libraries(std::size_t recipe) const { return libraries_[recipe]; }
  // Fixes what a program's version is for this build. A cook does so before it runs the program: were the program
  // replaced in between, the step would be recorded with the older version and run again.
  void look_at(const recipes::Program& program) { (void)version(program); }
  // That of a step that is cooked now and runs these programs.
  std::string with_programs(std::size_t recipe, std::span<const recipes::Program* const> programs);
  // What a recorded toolchain would be now; a program that the recipe does not know any more is left out.
  std::string now(std::size_t recipe, std::string_view recorded);

  // Puts what was learned of programs into the cache.
  Result<void> remember(Cache& cache) const;

 private:
  struct Known {
    std::string signature;
    std::string version;
    bool current = false;  // looked at in this build
    bool learned = false;
  };
  const std::string& version(const recipes::Program& program);

  std::span<const recipes::Recipe* const> recipes_;
  std::vector<std::string> libraries_;
  std::mutex mutex_;
  std::map<std::string_view, Known> programs_;
};

}  // namespace assetc::engine
