// The pictures of a model as a .glb can hold them.
#pragma once

#include "import/source.hpp"

namespace assetc::convert {

// Leaves PNG, JPEG and WebP as they are and makes the others PNG, a KTX 2 from its first image. With keep_ktx2 those
// stay that KHR_texture_basisu allows for their use and every reader of it understands; each reason why others do not
// is a warning. A normal map that is decoded gets all of X, Y and Z, whatever its blocks hold. A picture that cannot
// be had is a warning, and no material names it.
// Source: Khronos KHR_texture_basisu, "KTX v2 Images with Basis Universal Supercompression".
void embed_images(importer::Imported& model, bool keep_ktx2);

}  // namespace assetc::convert
