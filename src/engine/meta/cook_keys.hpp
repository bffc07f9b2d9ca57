// The inputs of each cooked asset, as one hash. Cache/CookKeys.json stores these keys for tools that compare cooks. On
// request, .meta files store them too.
#pragma once

#include <map>
#include <string>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

// Maps the UUID of an asset to a SHA-256 in hex. The hashed text contains the recipe and its version, the settings that
// the recipe used, the parameters of the step, the libraries and programs, and the hash of each input that was read.
// Equal keys mean equal bytes, on any machine and wherever the sources lie.
using CookKeys = std::map<std::string, std::string>;
CookKeys cook_keys_of(const State& records);

// The path is below the configuration's build root.
std::string cook_keys_path(const Config& pipeline);

// Writes the keys of one platform's cook and keeps those of other platforms. Does not touch the file if nothing
// changes. Deterministic. Errors: kIo.
Result<void> write_cook_keys(const std::string& path, const std::string& platform, const CookKeys& keys, Disk& disk);

// Writes CookKey and LastCooked into the .meta of each source below root whose key has changed. Errors: kIo;
// kInvalidData for a .meta that does not parse, which is left unchanged.
Result<void> stamp_metas(const std::string& root, const State& records, const CookKeys& keys, Disk& disk);

}  // namespace assetc::engine
