// Cache/CookKeys.json: what decided the bytes of each cooked asset, for tools that compare cooks.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// Below the build root of the configuration.
std::string cook_keys_path(const Config& pipeline);

// Writes the keys of a platform's last cook, from its records, beside those of other platforms. A key is the SHA-256 of
// a text: the recipe and its version, the settings it saw, what the asset was asked for as, the libraries and programs,
// and the hash of everything that it read; so equal keys mean equal bytes, on any machine and wherever sources lie.
// Leaves the file alone where it says so already. Deterministic. Errors: kIo.
Result<void> write_cook_keys(const Config& pipeline, const Profile& profile, const std::string& platform, Disk& disk);

}  // namespace assetc::engine
