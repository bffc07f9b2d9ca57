// Writing a mesh that nobody needs afterwards.
#pragma once

#include "assetc/formats/hmesh.hpp"

namespace assetc::hmesh {

// What write() gives. Each array of the model goes once it is in the file, so that a large mesh is not there twice.
Result<ByteVector> write_spent(Model& model);

}  // namespace assetc::hmesh
