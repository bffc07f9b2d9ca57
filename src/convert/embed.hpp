// Converts the pictures of a model to formats that a .glb can embed.
#pragma once

#include "import/model/source.hpp"

namespace assetc::convert {

// Keeps PNG, JPEG and WebP, and converts other pictures to PNG, with the warnings of a build; a KTX 2 gives its first
// image. With keep_ktx2, a KTX 2 is kept if KHR_texture_basisu allows it for its use and every reader of that extension
// supports it; each reason against that gives one warning. A normal map that is decoded gets all of X, Y and Z,
// whatever its blocks hold. A picture that is missing or unreadable gives a warning, and is removed from all materials.
// Runs in parallel. Source: Khronos KHR_texture_basisu, "KTX v2 Images with Basis Universal Supercompression".
void embed_images(importer::Imported& model, bool keep_ktx2);

}  // namespace assetc::convert
