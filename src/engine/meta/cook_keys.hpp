// What decided the bytes of each cooked asset: in Cache/CookKeys.json for tools that compare cooks, and in .meta files
// where that is asked for.
#pragma once

#include <map>
#include <string>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

// By an asset's UUID: the SHA-256, in hex, of a text: the recipe and its version, the settings it saw, what the asset
// was asked for as, the libraries and programs, and the hash of everything that it read. Equal keys mean equal bytes,
// on any machine and wherever sources lie.
using CookKeys = std::map<std::string, std::string>;
CookKeys cook_keys_of(const State& records);

// Below the build root of the configuration.
std::string cook_keys_path(const Config& pipeline);

// Writes the keys of a platform's cook beside those of other platforms. Leaves the file alone where it says so already.
// Deterministic. Errors: kIo.
Result<void> write_cook_keys(const std::string& path, const std::string& platform, const CookKeys& keys, Disk& disk);

// Writes CookKey and LastCooked into the .meta of every source below root whose key is another than it says. Errors:
// kIo; kInvalidData for a .meta that does not parse, which stays as it is.
Result<void> stamp_metas(const std::string& root, const State& records, const CookKeys& keys, Disk& disk);

}  // namespace assetc::engine
