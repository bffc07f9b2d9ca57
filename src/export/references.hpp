// Checks the references between the parts of a scene.
#pragma once

#include "assetc/base/result.hpp"
#include "scene/scene.hpp"

namespace assetc::exporter {

// Succeeds if every index of the scene refers to an existing item, except in channels of clips and in the indices of
// primitives, and if the arrays of every morph target have one item for each vertex that it moves.
// Errors: kInvalidData with a JSON pointer to the object, the index, and the number of items.
// Thread-safe.
Result<void> check_references(const scene::Scene& scene);

}  // namespace assetc::exporter
