// Writes a scene as a message between processes of the same build. This is not a file format.
#pragma once

#include "import/source.hpp"
#include "process/message.hpp"

namespace assetc::importer {

// Omits data that only glTF has: levels of detail, and the scalars, vectors and textures of material extensions.
void write_imported(process::MessageWriter& message, const Imported& imported);

// Checks the guarantees of scene.hpp: sizes, indices, parents before their children, key times in ascending order,
// finite positions, matrices and keys. Fails with kInvalidData if one is broken or the bytes end early.
Result<Imported> read_imported(process::MessageReader& message);

}  // namespace assetc::importer
