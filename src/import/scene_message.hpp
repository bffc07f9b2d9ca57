// A scene as the bytes of a message between processes of one build of this program: no format of files.
#pragma once

#include "import/source.hpp"
#include "process/message.hpp"

namespace assetc::importer {

// Without what only glTF has: levels of detail, and the scalars, vectors and textures of materials' extensions.
void write_imported(process::MessageWriter& message, const Imported& imported);

// Checks what scene.hpp promises of a scene: sizes, indices, parents before their children, key times in ascending
// order, finite positions, matrices and keys. kInvalidData where a promise is broken or the bytes end early.
Result<Imported> read_imported(process::MessageReader& message);

}  // namespace assetc::importer
