// Materials of a model in place of which another engine uses its own.
#pragma once

#include "import/model/model.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {

// Gives each material of an FBX the values and pictures of the .mat file to which the importer of Unity maps it, in the
// .meta beside the FBX. Only where the project takes from Unity: Inputs::uuid() knows its GUIDs. A .mat that is not
// there, or cannot be read, is a warning, and the material of the FBX stays.
void take_engine_materials(importer::Imported& model, importer::ModelKind kind, const Step& step, Inputs& inputs);

}  // namespace assetc::recipes
