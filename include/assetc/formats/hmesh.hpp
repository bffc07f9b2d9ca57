// .hmesh version 2, also to write. Specification: docs/formats/hmesh.md.
#pragma once

#include "assetc/formats/hmesh_view.hpp"

namespace assetc::hmesh {

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model.
// Deterministic: chunks are in the order of the specification, padding is zero, empty optional chunks are left out,
// counts and the index width are derived.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::hmesh
