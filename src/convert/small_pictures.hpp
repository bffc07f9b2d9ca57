// Encodes the pictures of a model for the GPU.
#pragma once

#include <string>

#include "import/source.hpp"
#include "recipes/recipe.hpp"

namespace assetc::convert {

// Replaces the pictures of a model by KTX 2 of UASTC that KHR_texture_basisu allows, made by the texture recipe with
// the settings. The slots of materials decide color space and how mips are averaged. A picture with different uses
// becomes one image for each. Sides are scaled to multiples of 4. Normal
// maps get 0.3 of texture.rdo.
//
// KTX 2 stay as they are, and so do pictures with a side of less than 4 texels. A picture that cannot be encoded gives
// a warning and stays. Call embed_images afterwards. Messages name the model. Runs in parallel.
void encode_pictures(const std::string& model_path, const recipes::Settings& settings, importer::Imported& model,
                     std::vector<recipes::Diagnostic>& diagnostics);

}  // namespace assetc::convert
