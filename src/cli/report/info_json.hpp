// The facts of a compiled file as JSON; docs/guide/json.md lists the members.
#pragma once

#include "base/json_line.hpp"
#include "engine/look/inspect.hpp"

namespace assetc::cli {

// An object with the event "file", to which members can be added.
JsonObject file_json(const engine::FileInfo& file);

}  // namespace assetc::cli
