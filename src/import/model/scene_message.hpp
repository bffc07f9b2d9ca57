// Writes a scene as a message between processes of the same build. This is not a file format.
#pragma once

#include "import/model/source.hpp"
#include "process/message.hpp"

namespace assetc::importer {

// Writes every member of Imported.
void write_imported(process::MessageWriter& message, const Imported& imported);

// Checks the guarantees of scene.hpp: sizes, indices, parents before their children, key times in ascending order,
// finite numbers, extras that are JSON. Fails with kInvalidData if one is broken or the bytes end early.
Result<Imported> read_imported(process::MessageReader& message);

}  // namespace assetc::importer
