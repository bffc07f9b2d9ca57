// Decides which files of an output folder are outputs, and which paths outputs may have.
#pragma once

#include <string_view>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// For a walk of the output directory. Leaves out the engine's own files, hidden names, bundles, and the outputs of
// other builds that lie inside. Temporary files are not left out.
Disk::Skip output_skip(const Profile& profile, const Target& target, Disk& disk);

// Checks that a path is valid for an output on every system and in a pack. It must be relative and UTF-8. Control
// characters, colons, backslashes, empty parts, hidden parts and ".." are not allowed, and it must not be the index.
// Errors: kInvalidData.
Result<void> check_output_path(const Target& target, std::string_view path);

}  // namespace assetc::engine
