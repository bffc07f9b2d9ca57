// Pictures that a model names by a path where nothing is.
#pragma once

#include <string>
#include <vector>

#include "import/model/model.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {

// The files of the project that a picture may be.
struct SameNames {
  std::vector<std::string> exact;    // with its name
  std::vector<std::string> similar;  // whose names differ in letter case, spaces, hyphens or underscores
};
// Of a picture that is not there. assetc looks in the folders of mesh.search.
SameNames same_names_of(const std::string& picture, const Step& step, Inputs& inputs);
// " (did you mean textures/Wood.png?)", or an empty text.
std::string similar_hint(const SameNames& found);

// Gives each picture that a material uses, and that is not at its path, the path of the only file of that name in the
// project, with a warning. For models whose exporters write paths of their own machine: OBJ and FBX.
// Errors: kNotFound if several files have the name.
Result<void> find_pictures(importer::Imported& model, importer::ModelKind kind, const Step& step, Inputs& inputs);

}  // namespace assetc::recipes
