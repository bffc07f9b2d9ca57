// Which files of an output folder are outputs, and which paths outputs may have.
#pragma once

#include <string_view>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// What a walk of the output directory leaves out: the engine's own files and hidden names, bundles, and the outputs of
// other builds that lie inside. Half-written files are shown.
Disk::Skip output_skip(const Profile& profile, const Target& target, Disk& disk);

// kInvalidData unless path can be an output on every system and in a pack: relative, UTF-8 without control characters,
// colons and backslashes, no empty, hidden or ".." part, not the index.
Result<void> check_output_path(const Target& target, std::string_view path);

}  // namespace assetc::engine
