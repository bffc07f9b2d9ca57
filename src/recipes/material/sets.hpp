// Materials that the names of pictures describe: T_Wall_BC.png, T_Wall_N.png and T_Wall_ORM.png are one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "recipes/settings.hpp"

namespace assetc::recipes {

// A .mat for a set of at least two pictures.
struct MaterialSet {
  std::string path;                   // of the .mat: "walls/T_Wall.mat"
  std::string text;                   // its content
  std::vector<std::string> pictures;  // that it names, in the order of its keys
  std::vector<std::string> unused;    // further pictures of the set, which no key of a .mat takes
};

struct MaterialSets {
  std::vector<MaterialSet> sets;  // in the order of their paths
  std::vector<Error> conflicts;   // sets without a .mat, because their names do not say which picture or file to use
};

// pictures: paths below the input. more: suffixes of the configuration. input_name: the name of the material of
// pictures at the root whose whole name is their use ("albedo.png"); below, that is the name of their folder.
MaterialSets find_material_sets(std::span<const std::string> pictures, std::span<const NamedUsage> more,
                                std::string_view input_name);

}  // namespace assetc::recipes
